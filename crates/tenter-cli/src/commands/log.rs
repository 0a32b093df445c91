//! `tenter log`: lists recorded calls.

mod filter;
mod follow;
mod label;
mod line;
mod one;
mod printer;
pub(super) mod text;

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use tenter_audit::Record;
use tenter_audit::store::{Hit, Order, Query};

use crate::error::CommandError;
use crate::guard::LocalMachine;
use crate::reading::Reading;
use filter::{Filter, Wanted};
use follow::Follower;
use printer::Printer;

/// Page size.
const PAGE: usize = 1024;

/// Show what agents did, one line a call
///
/// The latest records that fit, the oldest of them at the top: number, time, host, session, event, what the host was
/// told, what the call is about, and the rules that found something. Brackets after the decision say what
/// became of it: `deny (advisory)` stopped nothing, `deny (ask)` was a question on a host that cannot ask. With a number,
/// that record is shown in full. docs/record.md has the whole form.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show this record in full, with what its rules mean
    #[arg(value_name = "ID", value_parser = number, conflicts_with_all = ["Filter", "follow", "count", "csv"])]
    id: Option<u64>,
    /// Go on with new records as they come
    #[arg(short, long, conflicts_with = "until")]
    follow: bool,
    #[command(flatten)]
    filter: Filter,
    /// How many of the latest are shown: a number, or `all`
    #[arg(short = 'n', long = "count", value_name = "N", default_value = "50", value_parser = count)]
    count: Count,
    /// Print one JSON object a line: the record as it is stored
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values under a header
    #[arg(long)]
    csv: bool,
}

/// Number of records to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    All,
    Last(usize),
}

fn number(text: &str) -> Result<u64, CommandError> {
    text.parse().map_err(|_| {
        CommandError::usage(
            "expected the number of a record, which its line begins with; `tenter show SESSION` shows a session, \
             `--command TEXT` looks for words",
        )
    })
}

fn count(text: &str) -> Result<Count, CommandError> {
    match text {
        "all" => Ok(Count::All),
        _ => text
            .parse()
            .map(Count::Last)
            .map_err(|_| CommandError::usage("expected a number or `all`")),
    }
}

/// Why the command ends early.
#[derive(Debug)]
enum End {
    Error(CommandError),
    /// The reader closed the pipe, which is no error.
    Unread,
}

impl From<CommandError> for End {
    fn from(error: CommandError) -> Self {
        Self::Error(error)
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::Unread,
            _ => CommandError::internal(format!("cannot write to stdout: {error}")).into(),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the error of a `map_err`")]
fn internal(fault: impl ToString) -> End {
    CommandError::internal(fault.to_string()).into()
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    match try_run(args) {
        Ok(()) | Err(End::Unread) => Ok(ExitCode::SUCCESS),
        Err(End::Error(error)) => Err(error),
    }
}

fn try_run(args: &Args) -> Result<(), End> {
    let machine = LocalMachine::read();
    let reading = Reading::open(&machine)?;
    if let Some(id) = args.id {
        return one::show(&reading, &machine, id, args.json);
    }
    let wanted = args.filter.wanted(&reading, machine.now_ms)?;
    let mut printer = Printer::new(args.json, args.csv);
    printer.begin()?;
    // Later records are printed by the follower, whoever indexes them meanwhile.
    let last = reading.store.position().map_err(internal)?.map_or(0, |position| position.seq);
    let query = Query { before: Some(last.saturating_add(1)), ..wanted.query() };
    let shown = print_past(&reading, &query, args.count, &mut printer)?;
    if !args.follow {
        let is_asked = args.count != Count::Last(0);
        if shown == 0 && is_asked {
            let text = nothing(&reading, &machine, last)?;
            if !args.json && !args.csv {
                printer.say(&text)?;
            }
        }
        return Ok(printer.flush()?);
    }
    printer.flush()?;
    if shown == 0 && io::stderr().is_terminal() {
        drop(writeln!(io::stderr(), "waiting for calls; Ctrl-C ends"));
    }
    let follower = Follower::new(reading.spool.clone(), last);
    drop(reading);
    print_new(follower, &wanted, &mut printer)
}

/// Prints existing records; returns their number.
fn print_past(
    reading: &Reading,
    query: &Query<'_>,
    count: Count,
    printer: &mut Printer,
) -> Result<usize, End> {
    let find = |query: &Query<'_>, order, limit| reading.store.find(query, order, limit);
    let mut shown = 0_usize;
    match count {
        Count::Last(count) => {
            // One more, to know whether records are left out.
            let limit = count.saturating_add(1);
            let mut hits = find(query, Order::NewestFirst, limit).map_err(internal)?;
            let more = hits.len() > count;
            hits.truncate(count);
            hits.reverse();
            if more && count > 0 {
                printer.earlier()?;
            }
            for page in hits.chunks(PAGE) {
                shown = shown.saturating_add(print_page(reading, page, printer)?);
            }
        }
        Count::All => {
            let mut after = query.after;
            loop {
                let query = Query { after, ..*query };
                let hits = find(&query, Order::OldestFirst, PAGE).map_err(internal)?;
                shown = shown.saturating_add(print_page(reading, &hits, printer)?);
                match hits.last() {
                    Some(last) if hits.len() == PAGE => after = Some(last.seq),
                    _ => break,
                }
            }
        }
    }
    Ok(shown)
}

fn print_page(reading: &Reading, hits: &[Hit], printer: &mut Printer) -> Result<usize, End> {
    let mut lines = Vec::with_capacity(hits.len());
    for hit in hits {
        // A record pruned meanwhile is skipped.
        lines.extend(reading.spool.fetch(hit.place).map_err(internal)?);
    }
    printer.page(&lines)?;
    Ok(lines.len())
}

/// Prints new records until the reader closes the pipe.
fn print_new(
    mut follower: Follower,
    wanted: &Wanted<'_>,
    printer: &mut Printer,
) -> Result<(), End> {
    let query = wanted.query();
    loop {
        printer.look_again();
        follower.drain(&mut |line| {
            let Ok(record) = Record::parse(&line) else { return Ok(()) };
            if filter::fits(&query, &record) {
                printer.record(&line, &record)?;
                printer.flush()?;
            }
            Ok(())
        })?;
        follow::wait()?;
    }
}

/// The message when there is no record to show.
fn nothing(reading: &Reading, machine: &LocalMachine, last: u64) -> Result<String, End> {
    let any = reading.store.find(&Query::default(), Order::NewestFirst, 1).map_err(internal)?;
    Ok(if any.is_empty() {
        super::sessions::none_yet(reading, machine)?
    } else {
        format!("no record fits; the last one is {last}")
    })
}
