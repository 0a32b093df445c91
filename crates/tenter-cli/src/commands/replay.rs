//! `tenter replay`: judges recorded calls by another policy.

mod event;
mod judge;
mod marks;
mod probe;
mod report;
mod sessions;
mod sides;
mod tally;
#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use tenter_audit::record::Kind;
use tenter_audit::spool::{Entry, Lines, Segment};
use tenter_audit::{Record, Spool};

use self::judge::{Case, Known};
use self::report::Asked;
use self::sessions::Sessions;
use self::sides::Sides;
use self::tally::Tally;
use super::Style;
use crate::clock::When;
use crate::error::CommandError;
use crate::guard::LocalMachine;
use crate::reading::{self, Progress};

pub(crate) use self::report::schema;

/// See what another policy would have done to recorded calls
///
/// Judges every recorded call again, by the policies that hold now or by the one given, and compares with
/// what was decided then. Nothing is changed and no handler is run. What the record does not hold is
/// counted as such, not guessed. Exit 1 if more calls are newly blocked than --max-new-blocks allows.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Calls from then on: `2h`, `30d`, `2026-11-16`
    #[arg(long, value_name = "WHEN", default_value = "30d", value_parser = When::parse)]
    since: When,
    /// Judge by this policy file: a project's `tenter.toml` below the policies of the user, any other alone [default:
    /// the policies that hold where each call happened]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Exit 1 if more calls than this are newly blocked
    #[arg(long, value_name = "N")]
    max_new_blocks: Option<u64>,
    /// So many examples for each rule
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: u16,
    /// Print one JSON object; `tenter schema replay` describes it
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let machine = LocalMachine::read();
    let mut sides = Sides::new(&machine, args.policy.as_deref())?;
    let asked = Asked {
        since: args.since.moment(machine.now_ms),
        policy: args.policy.as_ref().map(|file| file.display().to_string()),
        max_new_blocks: args.max_new_blocks,
    };
    let mut tally = replay(&machine, &mut sides, asked.since, args.examples.into())?;
    tally.sort();
    let text = if args.json {
        format!("{:#}", report::json(&asked, &tally))
    } else {
        report::human(&asked, &tally, Style::of_stdout())
    };
    let printed = super::print(&text);
    if printed == ExitCode::SUCCESS && asked.is_exceeded(&tally) {
        return Ok(ExitCode::from(1));
    }
    Ok(printed)
}

/// Number of records between progress updates.
const STEP: u32 = 2048;

/// Judges everything since a time, one record at a time, so that memory does not grow with the record.
fn replay(
    machine: &LocalMachine,
    sides: &mut Sides<'_>,
    since: u64,
    examples: usize,
) -> Result<Tally, CommandError> {
    let no_state = || CommandError::internal("no folder for state: HOME is not set");
    let state = machine.folders.state.as_ref().ok_or_else(no_state)?;
    reading::adopt(machine);
    let spool = Spool::of_state(state);
    let fault =
        |error: io::Error| CommandError::internal(format!("{}: {error}", spool.folder().display()));
    let segments = spool.segments().map_err(fault)?;
    let segments = from(&segments, since).map_err(fault)?;
    let total = segments.iter().fold(0_u64, |sum, segment| sum.saturating_add(segment.bytes));
    let (variables, own) = (machine.variables(), machine.own());
    let known = Known {
        home: machine.variable("HOME"),
        user: machine.variable("USER"),
        variables: &variables,
        own: &own,
        language: machine.language,
        now: machine.now,
    };
    let mut replay =
        Replay { known, sides, sessions: Sessions::default(), tally: Tally::default(), examples };
    let mut bar = Progress::new("replaying");
    let mut done = 0_u64;
    for segment in segments {
        let mut lines = open(&spool, segment).map_err(fault)?;
        let mut count = 0_u32;
        while let Some(entry) = lines.next_entry().map_err(fault)? {
            replay.entry(&entry, since);
            count = count.wrapping_add(1);
            if count.is_multiple_of(STEP) {
                bar.show(done.saturating_add(lines.offset()), total);
            }
        }
        done = done.saturating_add(segment.bytes);
    }
    Ok(replay.tally)
}

/// The segments that may contain records since this time.
fn from(segments: &[Segment], since: u64) -> io::Result<&[Segment]> {
    let mut first = 0;
    for (index, segment) in segments.iter().enumerate().skip(1) {
        let Some(Entry::Line { text, .. }) = segment.lines(0)?.next_entry()? else { break };
        // Clocks may be set back a little; an hour is enough.
        if Record::parse(&text).map_or(u64::MAX, |record| record.at.saturating_add(3_600_000))
            >= since
        {
            break;
        }
        first = index;
    }
    Ok(segments.get(first..).unwrap_or_default())
}

/// Opens a segment, also if it was renamed meanwhile.
fn open(spool: &Spool, segment: &Segment) -> io::Result<Lines> {
    match segment.lines(0) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let now = spool.segments()?;
            now.iter().find(|it| it.first == segment.first).ok_or(error)?.lines(0)
        }
        opened => opened,
    }
}

struct Replay<'r, 'm> {
    known: Known<'r>,
    sides: &'r mut Sides<'m>,
    sessions: Sessions,
    tally: Tally,
    examples: usize,
}

impl Replay<'_, '_> {
    fn entry(&mut self, entry: &Entry, since: u64) {
        let record = match entry {
            Entry::Line { text, .. } => Record::parse(text).ok(),
            // A line feed that completes a torn line.
            Entry::Torn { place } if place.length == 0 => return,
            Entry::Torn { .. } => None,
        };
        match record {
            None => self.tally.torn = self.tally.torn.saturating_add(1),
            Some(record) if record.kind == Kind::Call && record.at >= since => self.record(&record),
            Some(_) => {}
        }
    }

    fn record(&mut self, record: &Record<'_>) {
        // A second copy was answered like the first; a canary is not work.
        let rebuilt = event::rebuild(record).filter(|_| !record.again && !record.canary);
        let Some(rebuilt) = rebuilt else {
            self.tally.passed_over = self.tally.passed_over.saturating_add(1);
            return;
        };
        let roots = record.workspace_roots.iter().map(AsRef::as_ref);
        let places: Vec<&str> = roots.chain(record.cwd.as_deref()).collect();
        let new = self.sides.new_at(&places);
        let old = self.sides.old(&record.policy, &places, &new);
        let case = Case {
            record,
            rebuilt: &rebuilt,
            new: &new,
            old: old.as_deref(),
            memory: self.sessions.memory(record, &rebuilt.event),
        };
        let (answer, memos) = case.judge(&self.known);
        self.sessions.remember(record, &rebuilt.event, &memos);
        if self.sessions.is_counted(record, &rebuilt.event, &answer) {
            self.tally.passed_over = self.tally.passed_over.saturating_add(1);
        } else {
            self.tally.add(record, answer, self.examples);
        }
    }
}
