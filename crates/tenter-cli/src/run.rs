//! `tenter run`: runs one handler in any language as a hook.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::{ExitCode, ExitStatus};
use std::time::{Duration, Instant};

use tenter_engine::runner::killed_by;
use tenter_hosts::{Handled, codex, spoken};
use tenter_model::{Event, HostId, Verdict, json};
use tenter_policy::policy::{Foreign, STOPS, Speaks};

use crate::guard::{LocalMachine, dialect, stops};
use crate::handler::{Finished, HandlerFailed, HandlerProcess};
use crate::wiring::{self, Wiring};
use crate::{input, last_resort, output};

/// Minimum time of a handler, even if reading took all of it.
const LEAST: Duration = Duration::from_millis(100);

/// The time limit of a call, and what is left after reading.
#[derive(Clone, Copy)]
struct Time {
    limit: Duration,
    left: Duration,
}

pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let wiring = match wiring::of_run(arguments) {
        Ok(wiring) => wiring,
        Err(error) => return output::wiring_error("run", &error.to_string()),
    };
    if std::io::stdin().is_terminal() {
        return output::wiring_error("run", "stdin is a terminal; pipe a host's payload into it");
    }
    let Wiring { bridge, max_bytes, timeout: limit, .. } = wiring;
    last_resort::arm(bridge.on_failure);
    let start = Instant::now();
    let mut input = input::read_stdin(max_bytes, limit.min(input::PATIENCE));
    let mut command = wiring.command.as_slice();
    if let Some((argument, rest)) = notification(&input.bytes, command) {
        (command, input.bytes) = (rest, argument);
    }
    // One deadline for the whole call: reading time is deducted from the handler's.
    let time = Time { limit, left: limit.saturating_sub(start.elapsed()).max(LEAST) };
    let payload = input.into_payload();
    let decoded = bridge.decode(&payload);
    let mut passed_on = Vec::new();
    let handled = decoded.event().and_then(|event| {
        last_resort::at(event);
        last_resort::before_handlers();
        let handled = match wiring.speaks {
            Some(speaks) => ask_script(speaks, event, command, time, &mut passed_on),
            None => ask_handler(event, command, time, &mut passed_on),
        };
        handled.map(|handled| bounded(event, wiring.bridge.host, handled))
    });
    let outcome = bridge.encode(&decoded, &handled);
    output::answer(&outcome, bridge.on_failure, &passed_on)
}

/// Codex's `notify` appends its JSON to the command and leaves stdin empty.
fn notification<'c>(stdin: &[u8], command: &'c [OsString]) -> Option<(Vec<u8>, &'c [OsString])> {
    let (last, rest) = command.split_last()?;
    let last = last.to_str().filter(|_| stdin.is_empty() && !rest.is_empty())?;
    codex::notify::is_notification(last).then(|| (last.as_bytes().to_vec(), rest))
}

/// Bounds how often the handler may make an agent go on that stops.
fn bounded(
    event: &Event<'_>,
    wired_as: Option<HostId>,
    (mut verdict, mut warnings): (Verdict, Vec<String>),
) -> (Verdict, Vec<String>) {
    if stops::told_to_go_on(event, &verdict).is_some() {
        let wired_as = wired_as.unwrap_or(event.host);
        let machine = LocalMachine::read();
        warnings.extend(stops::bound(&machine, event, wired_as, STOPS, &mut verdict));
    }
    (verdict, warnings)
}

/// Runs a script written for a host: with that host's payloads and answers, on every host.
fn ask_script(
    speaks: Speaks,
    event: &Event<'_>,
    command: &[OsString],
    time: Time,
    passed_on: &mut Vec<u8>,
) -> Handled {
    let here = std::env::current_dir().unwrap_or_default();
    let cwd = here.to_string_lossy().into_owned();
    let foreign = Foreign { speaks, event: String::new(), matcher: String::new(), cwd };
    let asked = dialect::ask(&foreign, event, command, time.left);
    *passed_on = asked.stderr;
    match asked.failure {
        Some(why) => Err(format!("the handler, which speaks {}: {why}", speaks.as_str())),
        None => {
            let verdict = asked.answers.into_iter().reduce(stronger).unwrap_or_default();
            Ok((verdict, asked.warnings))
        }
    }
}

/// The answer that forbids more, with the context of both.
fn stronger(one: Verdict, other: Verdict) -> Verdict {
    let (mut strong, weak) =
        if other.decision > one.decision { (other, one) } else { (one, other) };
    strong.additional_context = match (strong.additional_context, weak.additional_context) {
        (Some(one), Some(other)) => Some(format!("{one}\n{other}")),
        (one, other) => one.or(other),
    };
    strong.modified_input = strong.modified_input.or(weak.modified_input);
    strong
}

/// Runs one handler for an event.
pub(crate) fn ask(
    event: &Event<'_>,
    command: &[OsString],
    limit: Duration,
    passed_on: &mut Vec<u8>,
) -> Handled {
    ask_handler(event, command, Time { limit, left: limit }, passed_on)
}

fn ask_handler(
    event: &Event<'_>,
    command: &[OsString],
    time: Time,
    passed_on: &mut Vec<u8>,
) -> Handled {
    let (program, arguments) = command.split_first().ok_or("no handler was given")?;
    let json = serde_json::to_string(event)
        .map_err(|error| format!("the event cannot be written as JSON: {error}"))?;
    let (mut json, changed) = json::portable(json);
    json.push('\n');
    let handler = HandlerProcess {
        program,
        arguments,
        timeout: time.left,
        limit: time.limit,
        environment: [
            ("TENTER_HOST", event.host.as_str()),
            ("TENTER_EVENT", event.kind().as_str()),
            ("TENTER_VERSION", env!("CARGO_PKG_VERSION")),
        ],
    };
    match handler.run(json.into_bytes()) {
        Ok(finished) => {
            let (verdict, mut warnings) = interpret(&handler.name(), finished, passed_on)?;
            if changed.surrogates {
                warnings.push("half a surrogate pair was replaced by U+FFFD".to_owned());
            }
            if changed.depth {
                let depth = json::MAX_DEPTH;
                warnings.push(format!("values nested deeper than {depth} levels were left out"));
            }
            Ok((verdict, warnings))
        }
        Err(HandlerFailed { why, stderr }) => {
            *passed_on = stderr;
            Err(why)
        }
    }
}

/// Interprets the handler's exit code and output.
fn interpret(name: &str, finished: Finished, passed_on: &mut Vec<u8>) -> Handled {
    let Finished { status, stdout, stderr } = finished;
    let name = format!("handler {name}");
    if status.code() == Some(2) {
        let reason = String::from_utf8_lossy(&stderr).trim().to_owned();
        let mut warnings = Vec::new();
        if !stdout.trim_ascii().is_empty() {
            warnings.push(format!("{name} left with exit 2: its stdout is not read"));
        }
        return Ok((Verdict::deny(reason), warnings));
    }
    // The last line is the most informative; the first is often only "Traceback".
    let text = String::from_utf8_lossy(&stderr).into_owned();
    let last_line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    *passed_on = stderr;
    if !status.success() {
        let said = if last_line.is_empty() { String::new() } else { format!(": {last_line}") };
        return Err(format!("{name} {}{said}", describe(status)));
    }
    let stdout = stdout.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&stdout);
    let text = std::str::from_utf8(stdout)
        .map_err(|error| format!("{name} printed bytes that are not UTF-8: {error}"))?;
    Verdict::from_json(text).map_err(|error| {
        let hint = spoken(text).map(|host| {
            let title = host.title();
            format!(
                "; it answers in {title}'s format: `tenter run --speaks {host}`, or `speaks = \"{host}\"` \
                 in its [[handler]]"
            )
        });
        format!("{name} printed no response: {error}{}", hint.unwrap_or_default())
    })
}

fn describe(status: ExitStatus) -> String {
    if let Some(signal) = killed_by(status) {
        return format!("was killed by signal {signal}");
    }
    match status.code() {
        Some(code) => format!("left with exit {code}"),
        None => "ended without an exit code".to_owned(),
    }
}
