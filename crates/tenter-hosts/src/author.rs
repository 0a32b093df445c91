//! For authors of hooks in Rust: a closure from event to response, and nothing else to write.
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
//! The program is wired to a host as it is: `my-hook --host cursor`. To test a handler without a
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

use tenter_model::{Event, HostId, Verdict};

use crate::bridge::{Bridge, Outcome};
use crate::encode::EncodeOptions;
use crate::fail::FailMode;
use crate::payload::Payload;

/// A handler's answer.
pub type Response = Verdict;

/// The most that is read from stdin.
pub const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Runs one hook call: stdin in, `handler`'s response out, in the dialect of the host.
///
/// The host is what follows `--host` among the arguments, else it is told from the payload. A failure
/// to read the payload lets the action go on, and says so on stderr.
pub fn serve(handler: impl FnOnce(&Event<'_>) -> Response) -> ExitCode {
    let host = match host_argument(std::env::args()) {
        Ok(host) => host,
        Err(message) => {
            return finish(&Outcome::usage_error(&message));
        }
    };
    // Codex's `notify` gives its JSON as the last argument.
    if let Some(last) = std::env::args().next_back()
        && crate::codex::notify::is_notification(&last)
    {
        return finish(&respond(last.into_bytes(), host, handler));
    }
    let mut bytes = Vec::new();
    #[expect(clippy::disallowed_methods, reason = "the one place of this crate that reads stdin")]
    let read = std::io::stdin().take(MAX_BYTES + 1).read_to_end(&mut bytes);
    let bridge = bridge(host);
    let text = || String::from_utf8_lossy(&bytes).into_owned();
    let outcome = match read {
        Err(error) => bridge.failed(&text(), &format!("cannot read stdin: {error}")),
        Ok(length) if length as u64 > MAX_BYTES => {
            bridge.failed(&text(), &format!("stdin is longer than {MAX_BYTES} bytes"))
        }
        Ok(_) => respond(bytes, host, handler),
    };
    finish(&outcome)
}

/// What [`serve`] does, without touching stdin, stdout or the arguments.
pub fn respond(
    payload: Vec<u8>,
    host: Option<HostId>,
    handler: impl FnOnce(&Event<'_>) -> Response,
) -> Outcome {
    bridge(host).answer(&Payload::from_bytes(payload), |event| Ok((handler(event), Vec::new())))
}

fn bridge(host: Option<HostId>) -> Bridge {
    Bridge { host, options: EncodeOptions::default(), on_failure: FailMode::Open }
}

fn host_argument(mut args: impl Iterator<Item = String>) -> Result<Option<HostId>, String> {
    while let Some(arg) = args.next() {
        let name = match arg.strip_prefix("--host") {
            Some("") => args.next().ok_or("--host needs the name of a host")?,
            Some(rest) => match rest.strip_prefix('=') {
                Some(name) => name.to_owned(),
                None => continue,
            },
            None => continue,
        };
        return name
            .parse()
            .map(Some)
            .map_err(|error: tenter_model::UnknownHost| error.to_string());
    }
    Ok(None)
}

#[expect(clippy::disallowed_methods, reason = "the one place of this crate that writes an answer")]
fn finish(outcome: &Outcome) -> ExitCode {
    let answer = &outcome.answer;
    let mut stderr = answer.stderr.clone();
    if answer.stderr_is_free() {
        for line in &outcome.diagnostics {
            stderr.push_str(line);
            stderr.push('\n');
        }
    }
    // A host that has gone away cannot be told so.
    drop(std::io::stderr().write_all(stderr.as_bytes()));
    match std::io::stdout().write_all(answer.stdout.as_bytes()) {
        Ok(()) => ExitCode::from(answer.exit),
        Err(_) => ExitCode::from(2),
    }
}
