//! Parses the command line with which a host runs us, by hand.
//!
//! `hook` and `run` are started for every tool call, and an argument parser costs as much as the rest of such
//! a call. Clap knows the options too: it prints their help, and a test compares both. A mistake in the
//! command line of `run` exits with 1, never 2: a host would treat that as a deny. `hook` is a guard, and one
//! that cannot parse its command line has failed and answers so.

use std::ffi::OsString;
use std::time::Duration;

use tenter_hosts::{Bridge, EncodeOptions, FailMode, codex};
use tenter_model::{HostId, UnknownHost};
use tenter_policy::policy::Speaks;

use crate::arguments;
use crate::error::CommandError;

/// Options parsed from the hook's command line.
#[derive(Debug)]
pub(crate) struct Wiring {
    pub(crate) bridge: Bridge,
    /// The fail mode, if given; otherwise `hook` uses the policy's.
    pub(crate) on_failure: Option<FailMode>,
    pub(crate) max_bytes: u64,
    pub(crate) timeout: Duration,
    /// The payload, if the host passes it as the last argument.
    pub(crate) notification: Option<String>,
    /// The host whose hooks the handler of `run` was written for.
    pub(crate) speaks: Option<Speaks>,
    /// The handler and its arguments, after `--`.
    pub(crate) command: Vec<OsString>,
}

/// Default timeout of a handler.
pub(crate) const TIMEOUT: &str = "30s";

/// Parses the arguments of `hook`, where the first bare word is the host. On a mistake, also returns what was
/// parsed before it.
pub(crate) fn of_hook(arguments: &[OsString]) -> (Wiring, Option<String>) {
    let mut wiring = Wiring::new();
    let mistake = match parse(&mut wiring, arguments, true) {
        Ok(()) if wiring.bridge.host.is_none() => {
            Some("the name of the host is missing".to_owned())
        }
        Ok(()) => None,
        Err(error) => Some(error.to_string()),
    };
    (wiring, mistake)
}

/// Parses the arguments of `run`, where the host is an option and a command must follow `--`.
pub(crate) fn of_run(arguments: &[OsString]) -> Result<Wiring, CommandError> {
    let mut wiring = Wiring::new();
    parse(&mut wiring, arguments, false)?;
    if wiring.command.is_empty() {
        return Err(CommandError::usage("the handler is missing; write it after `--`"));
    }
    Ok(wiring)
}

fn parse(wiring: &mut Wiring, arguments: &[OsString], is_hook: bool) -> Result<(), CommandError> {
    wiring.timeout = arguments::duration(TIMEOUT)?;
    let mut rest = arguments.iter();
    while let Some(raw) = rest.next() {
        if raw == "--" && !is_hook {
            wiring.command = rest.cloned().collect();
            break;
        }
        let text = raw.to_str().ok_or_else(|| {
            CommandError::usage(format!("argument `{}` is not UTF-8", raw.display()))
        })?;
        let Some(option) = text.strip_prefix("--") else {
            wiring.word(text, is_hook)?;
            continue;
        };
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        let value = inline.map_or_else(|| rest.next().and_then(|value| value.to_str()), Some);
        let known = wiring.option(name, value, is_hook);
        if !known.map_err(|message| CommandError::usage(format!("--{name}: {message}")))? {
            return Err(CommandError::usage(format!("unknown option `{text}`")));
        }
    }
    Ok(())
}

impl Wiring {
    fn new() -> Self {
        Self {
            bridge: Bridge {
                host: None,
                options: EncodeOptions::default(),
                on_failure: FailMode::Open,
            },
            on_failure: None,
            max_bytes: arguments::MAX_BYTES,
            timeout: Duration::ZERO,
            notification: None,
            speaks: None,
            command: Vec::new(),
        }
    }

    fn word(&mut self, text: &str, is_hook: bool) -> Result<(), CommandError> {
        if is_hook && self.bridge.host.is_none() {
            self.bridge.host = Some(host(text)?);
        } else if is_hook && codex::notify::is_notification(text) {
            self.notification = Some(text.to_owned());
        } else {
            return Err(CommandError::usage(format!("unexpected argument `{text}`")));
        }
        Ok(())
    }

    /// Sets an option. False if there is none of that name.
    fn option(
        &mut self,
        name: &str,
        value: Option<&str>,
        is_hook: bool,
    ) -> Result<bool, CommandError> {
        let value = || value.ok_or_else(|| CommandError::usage("a value is missing"));
        let options = &mut self.bridge.options;
        match name {
            "host" if !is_hook => self.bridge.host = Some(host(value()?)?),
            "speaks" if !is_hook => self.speaks = Some(arguments::speaks(value()?)?),
            "timeout" if !is_hook => self.timeout = arguments::duration(value()?)?,
            "on-failure" => {
                let mode = arguments::fail_mode(value()?)?;
                self.bridge.on_failure = mode;
                self.on_failure = Some(mode);
            }
            "deny-exit" => options.deny_exit_2 = arguments::deny_exit(value()?)? == 2,
            "max-bytes" => self.max_bytes = arguments::bytes(value()?)?,
            _ => {
                let asks = HostId::ALL.into_iter().filter_map(|id| {
                    tenter_hosts::host(id).profile().ask.map(|option| (id, option))
                });
                let Some((id, option)) = asks.into_iter().find(|(_, it)| it.name == name) else {
                    return Ok(false);
                };
                options.set_ask(id, arguments::ask_fallback(value()?, &option)?);
            }
        }
        Ok(true)
    }
}

fn host(name: &str) -> Result<HostId, CommandError> {
    name.parse().map_err(|error: UnknownHost| CommandError::usage(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn knows_every_option_the_help_shows_with_the_same_default() {
        for (name, fixed) in [("hook", "cursor"), ("run", "")] {
            for (option, default) in commands::options_of(name) {
                let value = match option.as_str() {
                    "on-failure" => "open",
                    _ => default.as_deref().unwrap_or("codex"),
                };
                let line = words(&format!("{fixed} --{option} {value}"));
                let read = |line: &[OsString]| {
                    let mut wiring = Wiring::new();
                    parse(&mut wiring, line, name == "hook").unwrap();
                    wiring
                };
                let wiring = read(&line);
                if default.is_some() {
                    let plain = read(&words(fixed));
                    let wiring = Wiring { on_failure: None, ..wiring };
                    assert_eq!(format!("{wiring:?}"), format!("{plain:?}"), "{name} --{option}");
                }
            }
        }
    }

    #[test]
    fn what_follows_the_dashes_is_the_handlers() {
        let wiring = of_run(&words("--host=codex --timeout 2s -- sh -c --host")).unwrap();
        assert_eq!(wiring.bridge.host, Some(HostId::Codex));
        assert_eq!(wiring.timeout, Duration::from_secs(2));
        assert_eq!(wiring.command, words("sh -c --host"));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, message) in [
            ("", "the handler is missing; write it after `--`"),
            ("--", "the handler is missing; write it after `--`"),
            ("sh", "unexpected argument `sh`"),
            ("--host", "--host: a value is missing"),
            (
                "--host vim -- sh",
                "--host: unknown host `vim`; known hosts: cursor, claude, codex, gemini, qwen",
            ),
            ("--timeout 5h -- sh", "--timeout: unknown unit `h`; use ms, s or m"),
            ("--zzz 1 -- sh", "unknown option `--zzz`"),
        ] {
            assert_eq!(of_run(&words(line)).unwrap_err().to_string(), message);
        }
    }
}
