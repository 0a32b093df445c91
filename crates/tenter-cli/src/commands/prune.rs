//! `tenter prune`: deletes old records.

mod schema;

pub(super) use schema::schema;

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use tenter_model::text::counted;

use serde::Serialize;
use tenter_audit::Spool;
use tenter_audit::prune::{Failed, Order, Pruned, prune};

use super::Style;
use crate::clock::{self, When};
use crate::error::CommandError;
use crate::guard::{LocalMachine, human};
use crate::reading::Reading;
use crate::retention;

/// Delete old records
///
/// Deletes whole record files only, so some older records may stay until the rest of their file is as old.
/// Leaves a checkpoint, so that `tenter verify` keeps working. Nothing else deletes records: commands that
/// read the record report once a day how many are older than `[record] keep` in the policy. Needs you at a
/// terminal: an agent must not delete its traces.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(crate) struct Args {
    /// Minimum age: 90d, 12w, or a date [default: `[record] keep` of the policy]
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    older_than: Option<When>,
    /// Show what would be deleted, and delete nothing
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Also delete records that fail `tenter verify`, and with them the evidence
    #[arg(long)]
    broken: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    Ok(super::print(&clear_away(args)?))
}

fn clear_away(args: &Args) -> Result<String, CommandError> {
    let machine = LocalMachine::read();
    if !args.dry_run {
        human::no_agent()?;
    }
    let before = match args.older_than {
        Some(when) => when.moment(machine.now_ms),
        None => by_policy(&machine)?,
    };
    let mut reading = Reading::as_it_is(&machine)?;
    let order = Order { before, now: machine.now_ms, dry_run: true, broken_too: args.broken };
    let wanted = prune(&reading.spool, reading.store.as_mut(), order).map_err(failed)?;
    let index = Index::before(&reading.spool);
    let plan = Told { pruned: &wanted, swept: Swept::default(), index, before, done: false };
    if args.dry_run {
        return Ok(plan.text(args.json));
    }
    if wanted.records == 0 {
        // The last prune may have been killed before it updated the index.
        let order = Order { dry_run: false, ..order };
        prune(&reading.spool, reading.store.as_mut(), order).map_err(failed)?;
        let swept = sweep(&machine, &reading);
        let index = Index::before(&reading.spool);
        return Ok(Told { swept, index, done: true, ..plan }.text(args.json));
    }
    if !args.yes {
        agree(&plan)?;
    }
    human::may_loosen()?;
    let order = Order { dry_run: false, ..order };
    let pruned = prune(&reading.spool, reading.store.as_mut(), order).map_err(failed)?;
    let swept = sweep(&machine, &reading);
    let index = index.after(&reading.spool);
    Ok(Told { pruned: &pruned, swept, index, before, done: true }.text(args.json))
}

fn agree(plan: &Told<'_>) -> Result<(), CommandError> {
    if !human::has_terminal() {
        let why = "there is no terminal to ask on; look with --dry-run, then say --yes";
        return Err(CommandError::usage(why));
    }
    super::apply::say(plan.text(false).trim_end());
    if human::agree("Clear them away?")? {
        return Ok(());
    }
    Err(CommandError::failed("nothing was cleared away"))
}

fn sweep(machine: &LocalMachine, reading: &Reading) -> Swept {
    let sweep = |state: &Path| Swept {
        files: retention::sweep(state, machine.now_ms),
        policies: retention::sweep_policies(state, machine.now_ms, reading),
    };
    machine.folders.state.as_deref().map(sweep).unwrap_or_default()
}

/// Deleted files beside records.
#[derive(Clone, Copy, Debug, Default)]
struct Swept {
    /// Files of finished sessions, and old indexes.
    files: u64,
    /// Policies that no record refers to.
    policies: u64,
}

/// Size of the index in bytes.
#[derive(Clone, Copy, Debug)]
struct Index {
    before: u64,
    now: u64,
}

impl Index {
    fn before(spool: &Spool) -> Self {
        let now = Self::size(spool);
        Self { before: now, now }
    }

    fn after(self, spool: &Spool) -> Self {
        Self { now: Self::size(spool), ..self }
    }

    fn size(spool: &Spool) -> u64 {
        let bytes = |end: &str| {
            let file = spool.folder().join(format!("index.sqlite{end}"));
            std::fs::metadata(file).map_or(0, |found| found.len())
        };
        bytes("").saturating_add(bytes("-wal"))
    }

    /// Whether rebuilding would make it much smaller. Usually it has a sixth of the record's size.
    fn has_holes(self, spool_bytes: u64) -> bool {
        self.now > 16 * 1024 * 1024 && self.now > spool_bytes / 3
    }
}

fn by_policy(machine: &LocalMachine) -> Result<u64, CommandError> {
    let days = retention::kept(machine).ok_or_else(|| {
        CommandError::usage(
            "the policy keeps records for ever, or cannot be read; say how old with --older-than 90d",
        )
    })?;
    Ok(machine.now_ms.saturating_sub(u64::from(days).saturating_mul(retention::DAY_MS)))
}

fn failed(failed: Failed) -> CommandError {
    match failed {
        Failed::Broken(_) => CommandError::failed(format!(
            "{failed}; clearing it away would clear away the evidence: look at `tenter verify`, then say --broken"
        )),
        other => CommandError::internal(other),
    }
}

/// Result to print.
#[derive(Clone, Copy)]
struct Told<'p> {
    pruned: &'p Pruned,
    swept: Swept,
    index: Index,
    before: u64,
    done: bool,
}

/// The object of `--json`. Times are milliseconds since 1970.
#[derive(Serialize)]
struct Json {
    dry_run: bool,
    before: u64,
    gone: Option<Gone>,
    /// Number of the checkpoint record.
    checkpoint: Option<u64>,
    stays: Stays,
    /// Size of the index now, and before.
    index: u64,
    index_before: u64,
    /// Files of finished sessions, and old indexes.
    swept: u64,
    /// Policies that no record refers to.
    policies: u64,
}

#[derive(Serialize)]
struct Gone {
    files: u64,
    records: u64,
    bytes: u64,
    from: u64,
    to: u64,
    through: u64,
}

#[derive(Serialize)]
struct Stays {
    files: u64,
    bytes: u64,
    first: Option<u64>,
    from: Option<u64>,
}

impl Told<'_> {
    fn text(&self, json: bool) -> String {
        if json {
            return serde_json::to_string_pretty(&self.json()).unwrap_or_default();
        }
        self.human(Style::of_stdout())
    }

    fn json(&self) -> Json {
        let Pruned { segments, records, bytes, from, to, through, .. } = *self.pruned;
        let stays = &self.pruned.stays;
        Json {
            dry_run: !self.done,
            before: self.before,
            gone: (records > 0).then_some(Gone {
                files: segments,
                records,
                bytes,
                from,
                to,
                through,
            }),
            checkpoint: self.pruned.checkpoint,
            stays: Stays {
                files: stays.segments,
                bytes: stays.bytes,
                first: stays.first,
                from: stays.from,
            },
            index: self.index.now,
            index_before: self.index.before,
            swept: self.swept.files,
            policies: self.swept.policies,
        }
    }

    fn human(&self, style: Style) -> String {
        let (pruned, stays) = (self.pruned, &self.pruned.stays);
        let mut text = String::new();
        if pruned.records == 0 {
            let _ = writeln!(
                text,
                "nothing to clear away: no file of the record is older than {}",
                moment(self.before)
            );
        } else {
            let verb = if self.done { "cleared away" } else { "would go" };
            let _ = writeln!(
                text,
                "{}: {} in {} ({}), {} to {}",
                style.paint("1", verb),
                counted(pruned.records, "record"),
                counted(pruned.segments, "file"),
                size(pruned.bytes),
                moment(pruned.from),
                moment(pruned.to)
            );
        }
        match (stays.first, stays.from) {
            (Some(first), Some(from)) => {
                let _ = writeln!(
                    text,
                    "stays: {} ({}), from record {first} of {} on",
                    counted(stays.segments, "file"),
                    size(stays.bytes),
                    moment(from)
                );
            }
            _ => text.push_str("stays: nothing\n"),
        }
        self.index_lines(&mut text);
        if self.swept.policies > 0 {
            let gone = self.swept.policies;
            let policies =
                if gone == 1 { "1 policy".to_owned() } else { format!("{gone} policies") };
            let _ = writeln!(text, "also gone: {policies} that no record mentions any more");
        }
        if self.swept.files > 0 {
            let files = counted(self.swept.files, "file");
            let _ = writeln!(text, "also gone: {files} of sessions that are over");
        }
        text
    }

    /// The index is derived from the record; its size is printed since users may wonder.
    fn index_lines(&self, text: &mut String) {
        let Index { before, now } = self.index;
        if now == 0 {
            return;
        }
        let _ = if now < before {
            let less = size(before.saturating_sub(now));
            writeln!(
                text,
                "index: {}, {less} less than before; there is no VACUUM to run",
                size(now)
            )
        } else if self.done {
            writeln!(text, "index: {}; it gives back by itself what it no longer needs", size(now))
        } else {
            writeln!(text, "index: {}; it shrinks with the record", size(now))
        };
        if self.done && self.index.has_holes(self.pruned.stays.bytes) {
            text.push_str(
                "       that is more than it needs: remove audit/index.sqlite, and the next reader makes a smaller one\n",
            );
        }
    }
}

fn moment(at: u64) -> String {
    format!("{} {}", clock::day(at), clock::time_of_day(at))
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
