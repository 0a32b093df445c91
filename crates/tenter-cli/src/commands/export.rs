//! `tenter export`: exports the record.

mod ecs;
mod html;
mod lines;
mod resume;
mod send;
mod sink;
mod traces;

use std::path::PathBuf;
use std::process::ExitCode;

use send::Receiver;
use sink::Sink;
use tenter_audit::store::{Query, SessionQuery};
use tenter_model::HostId;
use tenter_model::text::counted;
use traces::Wanted;

use crate::clock::When;
use crate::csv;
use crate::error::CommandError;
use crate::guard::LocalMachine;
use crate::reading::Reading;

/// Export the record for other programs
///
/// Prints the stored lines themselves (jsonl), a spreadsheet (csv), events for a SIEM (ecs: Elastic Common Schema, one
/// JSON object a line), a page for people (html) or traces of OpenTelemetry (otlp-json: one request a line, a session a
/// trace). With --otlp the traces are sent to a collector instead, by the
/// `tenter-server` beside this program. docs/record.md says what becomes of what.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to write: jsonl, csv, ecs, html or otlp-json [default: jsonl, or otlp-json with --otlp]
    #[arg(long, value_name = "FORM", value_parser = Format::parse)]
    format: Option<Format>,
    /// Not before: 90s, 30m, 2h, 7d, 2w ago, or a date
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    since: Option<When>,
    /// Before, and not at
    #[arg(long, value_name = "TIME", value_parser = When::parse)]
    until: Option<When>,
    /// Only this host: cursor, claude or codex
    #[arg(long, value_name = "HOST", value_parser = super::host_id)]
    host: Option<HostId>,
    /// Only this session: its id, or enough of its beginning
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Write to this file, for its owner alone, instead of stdout
    #[arg(short, long, value_name = "FILE", conflicts_with = "otlp")]
    output: Option<PathBuf>,
    /// Put commands, paths, prompts, outputs and reasons into traces, as far as the record has them
    #[arg(long)]
    content: bool,
    /// Send traces to this OTLP/HTTP receiver: the base URL, or one that ends in /v1/traces
    #[arg(long, value_name = "URL", help_heading = "Sending")]
    otlp: Option<String>,
    /// A header for the receiver, besides those of `OTEL_EXPORTER_OTLP_HEADERS`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "otlp", help_heading = "Sending")]
    header: Vec<String>,
    /// Allow plain http to another machine
    #[arg(long, requires = "otlp", help_heading = "Sending")]
    insecure: bool,
    /// Send only sessions that have come to rest (quiet for 30 minutes) since the last time, and
    /// remember how far that was
    #[arg(
        long,
        requires = "otlp",
        conflicts_with_all = ["since", "until", "host", "session"],
        help_heading = "Sending"
    )]
    resume: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Jsonl,
    Csv,
    Ecs,
    Html,
    Otlp,
}

impl Format {
    fn parse(text: &str) -> Result<Self, CommandError> {
        match text {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            "ecs" => Ok(Self::Ecs),
            "html" => Ok(Self::Html),
            "otlp-json" => Ok(Self::Otlp),
            _ => Err(CommandError::usage("expected jsonl, csv, ecs, html or otlp-json")),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let format = match (args.format, &args.otlp) {
        (Some(Format::Otlp) | None, Some(_)) => Format::Otlp,
        (Some(_), Some(_)) => return Err(CommandError::usage("--otlp sends otlp-json only")),
        (given, None) => given.unwrap_or(Format::Jsonl),
    };
    if args.content && format != Format::Otlp {
        let why = "--content is for traces: the other formats have it anyway";
        return Err(CommandError::usage(why));
    }
    let machine = LocalMachine::read();
    let moment = |when: Option<When>| when.map(|when| when.moment(machine.now_ms));
    let (since, until) = (moment(args.since), moment(args.until));
    let host = args.host.map(HostId::as_str);
    if format == Format::Jsonl && host.is_none() && args.session.is_none() {
        let mut sink = Sink::open(args.output.as_deref())?;
        let spool = lines::spool(&machine)?;
        let done = lines::copy(&spool, since, until, &mut sink);
        return finish(done, sink, "record");
    }
    // Exporting does not prune.
    let reading = Reading::as_it_is(&machine)?;
    let session = args.session.as_deref().map(|it| whole_id(&reading, host, it)).transpose()?;
    let session = session.as_deref();
    if format == Format::Otlp {
        let wanted = Wanted { since, until, host, session, content: args.content };
        return match &args.otlp {
            Some(url) => {
                let receiver = Receiver::new(url, &args.header, args.insecure)?;
                send::run(&machine, &reading, &wanted, &receiver, args.resume)
            }
            None => {
                let mut sink = Sink::open(args.output.as_deref())?;
                let done = traces::write(&reading, &wanted, None, &mut |line| sink.line(line));
                finish(done.map(|it| it.spans), sink, "span")
            }
        };
    }
    if format == Format::Html && (host.is_some() || session.is_some()) {
        return Err(CommandError::usage("--format html is about all hosts and sessions"));
    }
    let mut sink = Sink::open(args.output.as_deref())?;
    let query = Query { since, until, host, session, ..Query::default() };
    let done = match format {
        Format::Csv => rows(&reading, &query, &mut sink),
        Format::Ecs => events(&reading, &query, &mut sink),
        Format::Html => html::write(&reading, &query, machine.now_ms, &mut sink),
        _ => lines::pick(&reading, &query, &mut sink),
    };
    finish(done, sink, "record")
}

fn rows(reading: &Reading, query: &Query<'_>, sink: &mut Sink) -> Result<u64, CommandError> {
    sink.text(&csv::header())?;
    let mut count = 0_u64;
    reading.each(query, |record| {
        count = count.saturating_add(1);
        sink.text(&csv::row(&record))
    })?;
    Ok(count)
}

fn events(reading: &Reading, query: &Query<'_>, sink: &mut Sink) -> Result<u64, CommandError> {
    let mut count = 0_u64;
    reading.each(query, |record| {
        count = count.saturating_add(1);
        sink.line(&ecs::event(&record).to_string())
    })?;
    Ok(count)
}

/// Closes the output and prints a summary.
fn finish(
    done: Result<u64, CommandError>,
    sink: Sink,
    what: &str,
) -> Result<ExitCode, CommandError> {
    let count = match done {
        Ok(count) => count,
        // A reader that closed the pipe is not an error.
        Err(_) if sink.is_left() => return Ok(ExitCode::SUCCESS),
        Err(error) => return Err(error),
    };
    let file = sink.close()?;
    if count == 0 {
        notice(
            "there is nothing to export: no record fits, or there is none yet. Records come from \
             agents that `tenter init` has wired; `tenter status` shows which are",
        );
    }
    Ok(match file {
        Some(file) => super::print(&format!("{} in {}", counted(count, what), file.display())),
        None => ExitCode::SUCCESS,
    })
}

/// Prints a line on stderr, since stdout is for data.
fn notice(text: &str) {
    let text = format!("tenter export: {}\n", tenter_engine::diagnostic::printable(text));
    // Ignore write errors: there is nowhere else to report them.
    drop(std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()));
}

/// The only session whose id has this prefix.
fn whole_id(reading: &Reading, host: Option<&str>, start: &str) -> Result<String, CommandError> {
    let query = SessionQuery { host, prefix: Some(start), limit: 6, ..SessionQuery::default() };
    let found = reading.store.sessions(&query).map_err(CommandError::internal)?;
    if let Some(same) = found.iter().find(|session| session.id == start) {
        return Ok(same.id.clone());
    }
    match found.as_slice() {
        [] => Err(CommandError::usage(format!("no session begins with `{start}`"))
            .hint("tenter sessions")),
        [one] => Ok(one.id.clone()),
        several => {
            let ids: Vec<&str> = several.iter().take(5).map(|it| it.id.as_str()).collect();
            let more = if several.len() > 5 { " and others" } else { "" };
            let ids = ids.join(", ");
            Err(CommandError::usage(format!("several sessions begin with `{start}`: {ids}{more}")))
        }
    }
}
