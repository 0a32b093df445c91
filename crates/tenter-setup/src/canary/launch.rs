//! Starts a hook's command as its host does: shell, folder, environment, timeout.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_engine::runner::{Ended, Job, Runner, Trouble};
use tenter_hosts::Host;
use tenter_hosts::install::System;
use tenter_hosts::trial::{self, Reply};

use super::payload::CanaryCall;
use super::reply;
use crate::Places;
use crate::edit::FoundHook;
use crate::survey::HookFile;

/// Environment for sending canaries.
#[derive(Debug)]
pub struct Stage<'s> {
    pub places: &'s Places,
    pub runner: Runner,
    /// Working folder that hosts are assumed to have.
    pub cwd: &'s Path,
}

impl<'s> Stage<'s> {
    pub fn new(places: &'s Places, cwd: &'s Path) -> Self {
        Self { places, runner: Runner::supervising(Duration::ZERO, true), cwd }
    }
}

/// Minimal `PATH`, as in a host started from the desktop.
const SHORT_PATH: &str = "/usr/bin:/bin";

/// Upper limit for the wait: our hook answers in milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// A command ready to be started.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    program: OsString,
    arguments: Vec<OsString>,
    directory: PathBuf,
    environment: Vec<(String, Option<OsString>)>,
    timeout: Duration,
}

/// Result of one canary.
#[derive(Clone, Debug)]
pub(super) struct Landed {
    pub(super) reply: Reply,
    /// Whether the answer contains the canary's token.
    pub(super) ours: bool,
    /// Why it did not run, or how it failed.
    pub(super) trouble: Option<String>,
}

impl Launch {
    /// A hook's command as its host would start it.
    pub(super) fn of(file: &HookFile, found: &FoundHook, stage: &Stage<'_>) -> Option<Self> {
        let places = stage.places;
        let windows = places.system == System::Windows;
        let host = tenter_hosts::host(file.host);
        let launch = &host.trial().launch;
        let own = launch.windows_keys.iter().find_map(|key| found.fields.get(key));
        let own = own.filter(|_| windows);
        let command = own.and_then(|own| own.as_str()).or(found.command())?;
        let project = stage.cwd.as_os_str();
        let directory = if launch.in_own_folder.contains(&file.scope) {
            file.path.parent()?.to_owned()
        } else {
            stage.cwd.to_owned()
        };
        let of_project = launch.project_variables.iter().map(|name| (*name, project.to_owned()));
        let fixed = launch.variables.iter().map(|(name, value)| (*name, OsString::from(value)));
        let environment = of_project.chain(fixed);
        let environment = environment.map(|(name, value)| (name.to_owned(), Some(value))).collect();
        let (program, arguments) = match found.arguments() {
            Some(words) if host.install().arguments => {
                let fill = |word: &str| {
                    launch.project_variables.iter().fold(word.to_owned(), |word, name| {
                        word.replace(&format!("${{{name}}}"), &stage.cwd.to_string_lossy())
                    })
                };
                let words = words.iter().map(|word| OsString::from(fill(word))).collect();
                (OsString::from(fill(command)), words)
            }
            _ => in_shell(launch, found, command, places),
        };
        let timeout = timeout(host, found);
        Some(Self { program, arguments, directory, environment, timeout })
    }

    /// The same with the minimal `PATH`. `None` where that does not apply.
    pub(super) fn on_short_path(&self, places: &Places) -> Option<Self> {
        if places.system == System::Windows {
            return None;
        }
        let mut short = self.clone();
        short.environment.push(("PATH".to_owned(), Some(SHORT_PATH.into())));
        Some(short)
    }

    /// Sends a canary.
    pub(super) fn fire(&self, call: &CanaryCall<'_>, runner: &Runner) -> Landed {
        let timeout = self.timeout.min(PATIENCE);
        let ended = runner.run(Job {
            program: &self.program,
            arguments: &self.arguments,
            directory: Some(&self.directory),
            environment: &self.environment,
            input: format!("{}\n", call.payload()).into_bytes().into(),
            timeout,
        });
        let exit = ended.status.as_ref().ok().and_then(std::process::ExitStatus::code);
        let reply = reply::read(call.host, call.event, exit, &ended.stdout, &ended.stderr);
        let token = call.token.as_bytes();
        let says = |text: &[u8]| text.windows(token.len()).any(|part| part == token);
        let ours = says(&ended.stdout) || says(&ended.stderr);
        Landed { reply, ours, trouble: trouble(&ended, timeout) }
    }
}

/// Describes a failed run, with the program's last output.
fn trouble(ended: &Ended, timeout: Duration) -> Option<String> {
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    let said = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let with = |what: String| if said.is_empty() { what } else { format!("{what}: {said}") };
    match &ended.status {
        Ok(status) => match status.code() {
            Some(0 | 2) => None,
            Some(126 | 127) => Some(with("it cannot be run".to_owned())),
            Some(code) => Some(with(format!("it left with exit code {code}"))),
            None => Some(with("a signal ended it".to_owned())),
        },
        Err(Trouble::Spawn(error)) => Some(format!("it cannot be started: {error}")),
        Err(Trouble::TimedOut) => {
            Some(format!("it gave no answer within {} s", timeout.as_secs_f64()))
        }
        Err(Trouble::TooMuchOutput) => Some("it printed too much".to_owned()),
        Err(Trouble::Signalled(signal)) => Some(format!("interrupted by {signal}")),
        Err(Trouble::System(error)) => Some(format!("it cannot be attended to: {error}")),
    }
}

fn in_shell(
    launch: &trial::Launch,
    found: &FoundHook,
    command: &str,
    places: &Places,
) -> (OsString, Vec<OsString>) {
    let wants = found.fields.get("shell").and_then(|shell| shell.as_str());
    let (shell, flags): (OsString, &[&str]) = if launch.names_shell && wants == Some("powershell") {
        ("pwsh".into(), &["-NoProfile", "-NonInteractive", "-Command"])
    } else if let (System::Windows, Some((shell, flags))) =
        (places.system, launch.windows.split_first())
    {
        (shell.into(), flags)
    } else {
        let bash = launch.own_shell.then(|| places.find_program("bash")).flatten();
        (bash.map_or_else(|| "/bin/sh".into(), PathBuf::into_os_string), &["-c"])
    };
    let arguments = flags.iter().copied().chain([command]).map(OsString::from).collect();
    (shell, arguments)
}

/// The configured timeout, else the host's default.
fn timeout(host: &dyn Host, found: &FoundHook) -> Duration {
    let given = host.install().seconds(&found.fields);
    let given = given.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    given.unwrap_or_else(|| (host.trial().launch.timeout)(&found.event))
}
