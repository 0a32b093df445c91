//! `tenter fire`: emulates Cursor for one event, or for a scripted session.

use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_engine::diagnostic::printable;
use tenter_engine::document::Source;
use tenter_engine::report::{Report, SessionReport};
use tenter_engine::{
    AnswerField, Class, CursorEvent, Engine, HookRun, Outcome, Payload, Played, Sample, Script,
};

use tenter_hosts::trial::TRIAL;

use super::host_options::HostOptions;
use crate::arguments::MAX_BYTES;
use crate::error::CommandError;
use crate::table::Table;

/// Act as Cursor: fire an event at the hooks that are configured, and show what would happen
///
/// Fills in a complete payload for the event; --set changes it. Calls made this way are no sign of life and do not
/// enter the record. Exit 0: the action would proceed; 1: it would be blocked.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The event, such as beforeShellExecution; --list names them
    #[arg(required_unless_present_any = ["list", "session"])]
    event: Option<String>,
    /// Change a field of the payload; `tool_input.command=...` reaches inside; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Use this payload, `-` for stdin; missing fields are filled in
    #[arg(long, value_name = "FILE", conflicts_with = "session")]
    payload: Option<PathBuf>,
    /// Play a script of several events
    #[arg(long, value_name = "FILE", conflicts_with_all = ["event", "set"])]
    session: Option<PathBuf>,
    /// Name the events and what their matchers are tested against
    #[arg(long, conflicts_with_all = ["event", "session"])]
    list: bool,
    /// Print JSON (see `tenter schema outcome`)
    #[arg(long)]
    json: bool,
    /// Show what each hook read and printed
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    host: HostOptions,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    if args.list {
        return Ok(super::print(&list(args.json)));
    }
    args.host.check()?;
    let (page, fine) = match &args.session {
        Some(file) => play(args, file)?,
        None => fire(args)?,
    };
    // JSON is escaped already and must not be changed.
    let page = if args.json { page.into() } else { printable(&page) };
    let printed = super::print(&page);
    Ok(if printed == ExitCode::SUCCESS && !fine { ExitCode::from(1) } else { printed })
}

fn fire(args: &Args) -> Result<(String, bool), CommandError> {
    let event = event(args.event.as_deref().unwrap_or_default())?;
    let root = args.host.root();
    let mut sample =
        Sample::new(event, &root, &args.host.settings()).with_roots(&args.host.roots());
    if let Some(file) = &args.payload {
        sample.overlay(read_payload(file)?).map_err(|bad| CommandError::usage(bad.0))?;
    }
    for change in &args.set {
        sample.set(change).map_err(|bad| CommandError::usage(bad.0))?;
    }
    let payload = sample.finish();
    let engine = args.host.engine(Some(TRIAL));
    let outcome = engine.fire(event, payload.clone());
    refuse_if_interrupted(&engine)?;
    let fine = !outcome.blocked;
    if args.json {
        let diagnostics = engine.diagnostics();
        let report = Report::new(&outcome).with_diagnostics(&diagnostics);
        let report = if args.trace { report.with_trace(&payload) } else { report };
        return Ok((report.to_pretty_json(), fine));
    }
    let mut page = complaints(&engine);
    page.push_str(&headline(args, event));
    page.push_str(&report(&outcome, &payload, args.trace));
    Ok((page, fine))
}

fn event(name: &str) -> Result<CursorEvent, CommandError> {
    CursorEvent::parse(name).map_err(|unknown| {
        let error = CommandError::usage(&unknown);
        if unknown.meant.is_some() { error } else { error.hint("tenter fire --list") }
    })
}

fn read_payload(file: &Path) -> Result<Payload, CommandError> {
    let text = if file == Path::new("-") {
        let mut text = String::new();
        std::io::stdin().read_to_string(&mut text).map(|_| text)
    } else {
        tenter_files::read_named(file, MAX_BYTES)
            .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
    };
    let text = text.map_err(|error| {
        CommandError::usage(format!("cannot read `{}`: {error}", file.display()))
    })?;
    Payload::parse(&text)
        .map_err(|error| CommandError::usage(format!("`{}`: {error}", file.display())))
}

fn play(args: &Args, file: &Path) -> Result<(String, bool), CommandError> {
    let source = Source::read(file)
        .and_then(|source| source.ok_or_else(|| "does not exist".to_owned()))
        .map_err(|fault| CommandError::usage(format!("`{}` {fault}", file.display())))?;
    let script = Script::parse(&source).map_err(CommandError::usage)?;
    let engine = args.host.engine(Some(TRIAL));
    let played = script.play(&engine, &args.host.roots()).map_err(CommandError::usage)?;
    refuse_if_interrupted(&engine)?;
    let fine = played.iter().all(Played::is_fine);
    if args.json {
        let diagnostics = engine.diagnostics();
        return Ok((SessionReport::new(&played, &diagnostics, args.trace).to_pretty_json(), fine));
    }
    let mut page = complaints(&engine);
    for one in &played {
        let event = one.outcome.event;
        let round =
            if one.round > 0 { format!(", round {}", one.round + 1) } else { String::new() };
        write!(page, "line {}{round}: {event}\n\n", one.line).unwrap_or_default();
        page.push_str(&report(&one.outcome, &one.payload, args.trace));
        for unmet in &one.unmet {
            writeln!(page, "NOT AS EXPECTED: {unmet}").unwrap_or_default();
        }
        page.push('\n');
    }
    let wrong = played.iter().filter(|one| !one.is_fine()).count();
    let verdict = if fine { "all fine".to_owned() } else { format!("{wrong} not fine") };
    writeln!(page, "{} events, {verdict}", played.len()).unwrap_or_default();
    Ok((page, fine))
}

fn refuse_if_interrupted(engine: &Engine) -> Result<(), CommandError> {
    match engine.interrupted() {
        // Interrupted hooks do not tell what would have happened.
        Some(signal) => Err(CommandError::internal(format!("interrupted by {signal}"))),
        None => Ok(()),
    }
}

/// The configuration diagnostics as text.
fn complaints(engine: &Engine) -> String {
    let mut text = String::new();
    for diagnostic in engine.diagnostics() {
        writeln!(text, "{diagnostic}\n").unwrap_or_default();
    }
    text
}

fn headline(args: &Args, event: CursorEvent) -> String {
    let settings = args.host.settings();
    let (version, generation) = (&settings.cursor_version, settings.generation);
    format!("{event}, as Cursor {version} ({generation}) in {}\n\n", args.host.root().display())
}

fn report(outcome: &Outcome, payload: &Payload, trace: bool) -> String {
    let mut page = String::new();
    if outcome.hooks.is_empty() {
        writeln!(page, "no hook is configured for {}", outcome.event).unwrap_or_default();
    } else {
        let mut table = Table::new(&["hook", "layer", "verdict", "time", "why"]);
        for run in &outcome.hooks {
            table.row(row(run));
        }
        page.push_str(&table.render());
    }
    if trace {
        writeln!(page, "\nstdin of every hook:\n  {}", payload.to_json()).unwrap_or_default();
        for run in outcome.hooks.iter().filter(|run| run.ran) {
            writeln!(page, "\n{}", run.hook.name()).unwrap_or_default();
            for (name, bytes) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
                let text = String::from_utf8_lossy(bytes);
                writeln!(page, "  {name}: {}", text.trim_end().replace('\n', "\n          "))
                    .unwrap_or_default();
            }
        }
    }
    let answer = serde_json::to_string(&outcome.answer).unwrap_or_default();
    writeln!(page, "\nanswer   {answer}").unwrap_or_default();
    for warning in outcome.all_warnings() {
        writeln!(page, "warning  {warning}").unwrap_or_default();
    }
    writeln!(page, "result   {}", result(outcome)).unwrap_or_default();
    page
}

fn row(run: &HookRun) -> Vec<String> {
    let time = if run.ran { milliseconds(run.duration) } else { "-".to_owned() };
    let name = run.hook.name().replace(char::is_control, " ");
    let place = format!("{}, line {}", run.hook.layer.kind, run.hook.position.line);
    vec![name, place, run.outcome.as_str().to_owned(), time, run.diagnosis.clone()]
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.0} ms", duration.as_secs_f64() * 1000.0)
}

fn result(outcome: &Outcome) -> String {
    if outcome.blocked {
        let deciding = [AnswerField::Permission, AnswerField::Continue];
        let by = deciding.iter().find_map(|field| outcome.provenance.get(field));
        let by = by.and_then(|by| by.first()).and_then(|at| outcome.hooks.get(*at));
        let by = by.map(|run| format!(" by {}", run.hook.place())).unwrap_or_default();
        return format!("BLOCKED{by}");
    }
    if outcome.asks {
        return "the human is asked".to_owned();
    }
    match (&outcome.followup, outcome.event.can_block()) {
        (Some(_), _) => "the agent goes on with the follow-up".to_owned(),
        (None, true) => "proceeds".to_owned(),
        (None, false) if outcome.event.spec().class == Class::Stop => "the agent stops".to_owned(),
        (None, false) => "done; this event cannot block".to_owned(),
    }
}

fn list(as_json: bool) -> String {
    let subject = |event: CursorEvent| match event.spec().subject {
        tenter_engine::Subject::Field(field) => format!("`{field}` of the payload"),
        tenter_engine::Subject::McpTool => "`MCP:` and the tool's name".to_owned(),
        tenter_engine::Subject::Constant(word) => format!("the word `{word}`"),
        tenter_engine::Subject::Ignored => "nothing: the hook always runs".to_owned(),
    };
    let fields = |event: CursorEvent| -> Vec<&str> {
        event.spec().honoured.iter().map(|field| field.key()).collect()
    };
    if as_json {
        let events: Vec<Value> = CursorEvent::ALL
            .iter()
            .map(|event| {
                json!({
                    "event": event.name(), "can_block": event.can_block(),
                    "waits": event.spec().waits, "matched_against": subject(*event),
                    "answer": fields(*event),
                })
            })
            .collect();
        return format!("{:#}", Value::Array(events));
    }
    let mut table = Table::compact(&["event", "blocks", "a matcher is searched for in", "answer"]);
    for event in CursorEvent::ALL {
        let blocks = if event.can_block() { "yes" } else { "-" };
        let answer = fields(*event).join(", ");
        table.row(vec![event.name().to_owned(), blocks.to_owned(), subject(*event), answer]);
    }
    table.render()
}
