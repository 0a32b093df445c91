//! API for hooks written in Rust: a closure from event to response is the whole hook.
//!
//! ```no_run
//! use std::process::ExitCode;
//! use tenter_hosts::author::{Response, serve};
//!
//! fn main() -> ExitCode {
//!     serve(|event| match event.tool_call().and_then(|call| call.command()) {
//!         Some(command) if command.contains("rm -rf") => Response::deny("rm -rf is blocked"),
//!         _ => Response::none(),
//!     })
//! }
//! ```
//!
//! Configure the program as the host's hook command: `my-hook --host cursor`. To test a handler without a
//! process, call [`respond`]:
//!
//! ```
//! use tenter_hosts::author::{Response, respond};
//!
//! let payload = br#"{"hook_event_name":"beforeShellExecution","conversation_id":"conv-xyz",
//!     "cursor_version":"0.46.0","command":"rm -rf /tmp/foo","cwd":"/home/ana","sandbox":false}"#;
//! let outcome = respond(payload.to_vec(), None, |event| {
//!     assert_eq!(event.kind().as_str(), "PreToolUse");
//!     Response::deny("rm -rf is blocked")
//! });
//! assert_eq!(outcome.answer.stdout, r#"{"permission":"deny","agent_message":"rm -rf is blocked"}"#);
//! ```

use std::io::{Read, Write};
use std::process::ExitCode;

use tenter_model::{Decision, Event, FailMode, HostId, Verdict};

use crate::bridge::{Bridge, Outcome};
use crate::codex;
use crate::encode::EncodeOptions;
use crate::payload::Payload;

/// A handler's answer.
pub type Response = Verdict;

/// Maximum size of stdin.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Runs one hook call: reads stdin, calls `handler`, prints its response in the host's format.
///
/// The host is taken from the `--host` argument, else detected from the payload. Unreadable input is a
/// failure: the action goes on with a message on stderr, unless the arguments contain `--on-failure closed`
/// or `ask`. A panic of `handler` is not caught: hosts treat it as a failed hook, and the action goes on.
pub fn serve(handler: impl FnOnce(&Event<'_>) -> Response) -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    let bridge = match bridge_of(&arguments) {
        Ok(bridge) => bridge,
        Err(message) => return finish(&Outcome::usage_error(&message)),
    };
    // Codex's `notify` passes its JSON as the last argument.
    let payload = match arguments.last().filter(|last| codex::notify::is_notification(last)) {
        Some(last) => Payload::from_bytes(last.clone().into_bytes()),
        None => read_stdin(),
    };
    finish(&answer(&bridge, &payload, handler))
}

/// [`serve`] without access to stdin, stdout and arguments.
pub fn respond(
    payload: Vec<u8>,
    host: Option<HostId>,
    handler: impl FnOnce(&Event<'_>) -> Response,
) -> Outcome {
    let bridge = Bridge { host, options: EncodeOptions::default(), on_failure: FailMode::Open };
    answer(&bridge, &Payload::from_bytes(payload), handler)
}

fn answer(
    bridge: &Bridge,
    payload: &Payload,
    handler: impl FnOnce(&Event<'_>) -> Response,
) -> Outcome {
    let decoded = bridge.decode(payload);
    let handled = decoded.event().map(|event| (handler(event), Vec::new()));
    bridge.encode(&decoded, &handled)
}

#[expect(clippy::disallowed_methods, reason = "the one place of this crate that reads stdin")]
fn read_stdin() -> Payload {
    let mut bytes = Vec::new();
    match std::io::stdin().take(MAX_BYTES + 1).read_to_end(&mut bytes) {
        Err(error) => Payload::incomplete(bytes, format!("cannot read stdin: {error}")),
        Ok(length) if length as u64 > MAX_BYTES => {
            Payload::incomplete(bytes, format!("stdin is longer than {MAX_BYTES} bytes"))
        }
        Ok(_) => Payload::from_bytes(bytes),
    }
}

fn bridge_of(arguments: &[String]) -> Result<Bridge, String> {
    let host = option(arguments, "--host")?.map(str::parse).transpose();
    let host = host.map_err(|error: tenter_model::UnknownHost| error.to_string())?;
    let on_failure = match option(arguments, "--on-failure")? {
        None => FailMode::Open,
        Some(word) => FailMode::ALL
            .into_iter()
            .find(|mode| mode.as_str() == word)
            .ok_or("--on-failure: expected one of: open, closed, ask")?,
    };
    Ok(Bridge { host, options: EncodeOptions::default(), on_failure })
}

/// The value of an option, given as `--name value` or `--name=value`.
fn option<'a>(arguments: &'a [String], name: &str) -> Result<Option<&'a str>, String> {
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix(name) {
            Some("") => {
                let value = rest.next().ok_or_else(|| format!("{name}: a value is missing"))?;
                return Ok(Some(value));
            }
            Some(value) if value.starts_with('=') => return Ok(value.strip_prefix('=')),
            _ => {}
        }
    }
    Ok(None)
}

#[expect(clippy::disallowed_methods, reason = "the one place of this crate that writes an answer")]
fn finish(outcome: &Outcome) -> ExitCode {
    let answer = &outcome.answer;
    // A write error is ignored: a host that has gone away cannot be told.
    drop(std::io::stderr().write_all(outcome.stderr().as_bytes()));
    let mut stdout = std::io::stdout();
    let written = stdout.write_all(answer.stdout.as_bytes()).and_then(|()| stdout.flush());
    let denied = answer.decision == Some(Decision::Deny);
    // If the JSON could not be written, only the exit code can still block.
    ExitCode::from(if written.is_err() && denied { 2 } else { answer.exit })
}
