//! `tenter stats`: statistics of the record.

mod grid;
mod json;
mod page;
mod schema;
mod silent;
mod spark;

pub(super) use schema::schema;

use std::process::ExitCode;

use tenter_audit::store::By;

use super::Style;
use super::log::text::columns;
use super::sessions::none_yet;
use crate::clock::When;
use crate::error::CommandError;
use crate::guard::LocalMachine;
use crate::reading::Reading;

/// Count what agents did
///
/// Events, stops and questions by host, rule, tool, session or day, with a bar for every day; how long hooks took; the
/// commands and files that came most; rules that stopped what was then allowed once, which may be false alarms; hosts
/// that are no longer heard while others are; and records that were lost. Days are those of UTC.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only what came not before: `90s`, `30m`, `2h`, `7d`, `2w` ago, `2026-11-16` or `2026-11-16T13:48`
    #[arg(long, value_name = "TIME", value_parser = When::parse, default_value = "30d")]
    since: When,
    /// Only what came before
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    until: Option<When>,
    /// What events are counted by
    #[arg(long, value_enum, default_value_t = Key::Host)]
    by: Key,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Grouping of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Key {
    Host,
    Rule,
    Tool,
    Session,
    Day,
}

impl Key {
    const ALL: [Key; 5] = [Key::Host, Key::Rule, Key::Tool, Key::Session, Key::Day];

    const fn by(self) -> By {
        match self {
            Key::Host => By::Host,
            Key::Rule => By::Rule,
            Key::Tool => By::Tool,
            Key::Session => By::Session,
            Key::Day => By::Day,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Key::Host => "host",
            Key::Rule => "rule",
            Key::Tool => "tool",
            Key::Session => "session",
            Key::Day => "day",
        }
    }
}

/// The time range in milliseconds since 1970, exclusive end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    since: u64,
    until: u64,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    Ok(super::print(&report(args)?))
}

fn report(args: &Args) -> Result<String, CommandError> {
    let machine = LocalMachine::read();
    let reading = Reading::open(&machine)?;
    let span = Span {
        since: args.since.moment(machine.now_ms),
        // Clocks of concurrent calls may be slightly ahead.
        until: args
            .until
            .map_or(machine.now_ms.saturating_add(60_000), |it| it.moment(machine.now_ms)),
    };
    if span.since >= span.until {
        let fault = match args.until {
            Some(_) => {
                "there is no time between --since and --until: --since must be the earlier one"
            }
            None => "--since lies in the future",
        };
        return Err(CommandError::usage(fault));
    }
    let stats = reading.store.stats(Some(span.since), Some(span.until), args.by.by());
    let stats = stats.map_err(CommandError::internal)?;
    let silent = silent::hosts(&reading, &stats, span).map_err(CommandError::internal)?;
    let nothing = stats.last_heard.is_empty().then(|| none_yet(&reading, &machine)).transpose()?;
    if args.json {
        return Ok(json::object(&stats, &silent, span, args.by.name()).to_string());
    }
    if let Some(text) = nothing {
        return Ok(text);
    }
    let page = page::Page {
        stats: &stats,
        silent: &silent,
        span,
        by: args.by,
        style: Style::of_stdout(),
        room: columns(),
        home: machine.variable("HOME"),
    };
    Ok(page.render())
}
