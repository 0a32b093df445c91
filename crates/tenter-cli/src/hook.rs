//! `tenter hook <host>`: the hot path.
//!
//! No argument parser, no runtime, no file, no pattern compiled: read, decode, evaluate, encode,
//! print. What a new feature adds here is paid by every tool call of every agent.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use tenter_hosts::{Bridge, EncodeOptions, FailMode, Payload, codex};
use tenter_model::{Event, HostId, Verdict};

use crate::{arguments, input, last_resort, output};

/// How long the host may take to hand over its payload. Shorter than the wait of every host at every
/// event whose answer matters; a session's end is cut shorter by some, and nothing waits for it.
const DEADLINE: Duration = Duration::from_secs(5);

struct Settings {
    bridge: Bridge,
    max_bytes: u64,
    /// The payload, when the host gives it as the last argument.
    argument: Option<String>,
}

/// Runs one hook call. `None` hands over to the argument parser, which knows how to print help.
pub(crate) fn run(arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let arguments: Vec<OsString> = arguments.collect();
    if arguments.is_empty() || arguments.iter().any(|arg| arg == "--help" || arg == "-h") {
        return None;
    }
    let settings = match parse(&arguments) {
        Ok(settings) => settings,
        Err(message) => {
            let text = format!("tenter: {message}; see tenter hook --help\n");
            drop(std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes()));
            return Some(ExitCode::from(1));
        }
    };
    last_resort::arm(settings.bridge.on_failure);
    Some(answer(settings))
}

fn answer(settings: Settings) -> ExitCode {
    let Settings { bridge, max_bytes, argument } = settings;
    let outcome = match argument {
        Some(argument) => judge(&bridge, &Payload::from_bytes(argument.into_bytes())),
        None => {
            let input = input::read_stdin(max_bytes, DEADLINE);
            let payload = Payload::from_bytes(input.bytes);
            match input.cut {
                // A host that leaves its end open may still have sent everything.
                Some(input::Cut::NotClosed(_)) if payload.object().is_ok() => {
                    judge(&bridge, &payload)
                }
                Some(cut) => bridge.failed(payload.text(), &cut.to_string()),
                None => judge(&bridge, &payload),
            }
        }
    };
    output::answer(&outcome, bridge.on_failure, &[])
}

fn judge(bridge: &Bridge, payload: &Payload) -> tenter_hosts::Outcome {
    bridge.answer(payload, |event| {
        last_resort::at(event);
        last_resort::injected_fault();
        Ok((evaluate(event), Vec::new()))
    })
}

/// The policy's seat. There is no policy yet, so there is no opinion.
fn evaluate(_event: &Event<'_>) -> Verdict {
    Verdict::none()
}

fn parse(arguments: &[OsString]) -> Result<Settings, String> {
    let mut options = EncodeOptions::default();
    let mut on_failure = FailMode::Open;
    let mut max_bytes = arguments::MAX_BYTES;
    let mut host: Option<HostId> = None;
    let mut argument = None;
    let mut rest = arguments.iter();
    while let Some(raw) = rest.next() {
        let text =
            raw.to_str().ok_or_else(|| format!("argument `{}` is not UTF-8", raw.display()))?;
        let Some(option) = text.strip_prefix("--") else {
            if host.is_none() {
                host = Some(text.parse().map_err(|e: tenter_model::UnknownHost| e.to_string())?);
            } else if codex::notify::is_notification(text) {
                argument = Some(text.to_owned());
            } else {
                return Err(format!("unexpected argument `{text}`"));
            }
            continue;
        };
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let mut value = || {
            let value = inline.or_else(|| rest.next().and_then(|value| value.to_str()));
            value.ok_or_else(|| format!("--{name} needs a value"))
        };
        let bad = |message: String| format!("--{name}: {message}");
        match name {
            "on-failure" => on_failure = arguments::fail_mode(value()?).map_err(bad)?,
            "cursor-ask" => options.cursor_ask = arguments::ask_fallback(value()?).map_err(bad)?,
            "claude-ask" => options.claude_ask = arguments::ask_fallback(value()?).map_err(bad)?,
            "codex-ask" => {
                options.codex_ask = arguments::codex_ask_fallback(value()?).map_err(bad)?;
            }
            "deny-exit" => options.deny_exit_2 = arguments::deny_exit(value()?).map_err(bad)? == 2,
            "max-bytes" => max_bytes = arguments::bytes(value()?).map_err(bad)?,
            _ => return Err(format!("unknown option `{text}`")),
        }
    }
    let host = host.ok_or("the name of the host is missing")?;
    Ok(Settings { bridge: Bridge { host: Some(host), options, on_failure }, max_bytes, argument })
}
