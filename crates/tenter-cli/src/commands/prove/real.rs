//! Drives real clients headless against a scripted model.
//!
//! A client runs with its own working folder, home and environment: it finds no account, and its model
//! requests go to `tenter-server model` on this machine. Of the user's files it gets a copy of our hooks and
//! of the settings that control them (switches, Codex's approvals, for Claude Code the structure of the
//! file), and nothing else: no commands of other tools, no keys, no servers. The model requests a command
//! that tenter forbids under every policy and then one that it allows; each leaves a mark when run.

mod claude;
mod codex;
mod copy;
mod play;

use std::path::Path;

use tenter_hosts::install::Scope;
use tenter_model::HostId;
use tenter_setup::canary::Stage;
use tenter_setup::detect;
use tenter_setup::survey::{HookFile, HostState};

use crate::commands::scratch::Scratch;
use crate::error::CommandError;
use play::Played;

/// Result of driving a client.
#[derive(Clone, Debug)]
pub(super) enum Driven {
    /// The forbidden command did not run, and the other did.
    Blocked { client: String },
    /// The same, while the user's own set-up is red: the client had only a copy of our hooks.
    Isolated { client: String },
    /// The forbidden command ran.
    Ran { client: String, why: String },
    /// It could not be tried, and why.
    Unavailable(String),
    /// Skipped: not requested.
    Skipped(&'static str),
}

impl Driven {
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Driven::Blocked { .. } => "blocked",
            Driven::Isolated { .. } => "isolated",
            Driven::Ran { .. } => "not blocked",
            Driven::Unavailable(_) => "unavailable",
            Driven::Skipped(_) => "skipped",
        }
    }

    pub(super) fn note(&self) -> String {
        match self {
            Driven::Blocked { client } => format!("{client} did not run what is forbidden"),
            Driven::Isolated { client } => format!(
                "{client} blocks with a copy of our hooks alone, which says nothing about what is red"
            ),
            Driven::Ran { client, why } => format!("{client} ran a forbidden command: {why}"),
            Driven::Unavailable(why) => why.clone(),
            Driven::Skipped(why) => (*why).to_owned(),
        }
    }
}

/// How much of the proved file is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// Values that Claude Code validates before it loads a file: one wrong value, and it loads nothing.
    Shape,
    /// Our hooks and the settings that control them.
    Hooks,
}

/// Drives the client of a host. It needs files and processes, so it is not in the host's folder.
struct Driver {
    depths: &'static [Depth],
    settle: fn(&Client<'_>, &Scratch, Depth) -> Result<(), CommandError>,
    arguments: fn(&str) -> Vec<String>,
    environment: fn(&str, &Scratch) -> Vec<(&'static str, String)>,
}

const DRIVERS: &[(HostId, &Driver)] =
    &[(HostId::Claude, &claude::DRIVER), (HostId::Codex, &codex::DRIVER)];

/// The driver of a host's client, or why there is none.
fn driver(host: HostId) -> Result<&'static Driver, &'static str> {
    let found = DRIVERS.iter().find(|(of, _)| *of == host).map(|(_, driver)| *driver);
    found.ok_or(tenter_hosts::host(host).trial().undriven)
}

/// A client to be driven.
struct Client<'c> {
    driver: &'static Driver,
    program: &'c Path,
    file: &'c HookFile,
    state: &'c HostState,
    stage: &'c Stage<'c>,
}

/// Drives the client of a file's host with the hooks of that file.
pub(super) fn drive(file: &HookFile, state: &HostState, stage: &Stage<'_>) -> Driven {
    let title = tenter_hosts::host(file.host).install().title;
    let driver = match driver(file.host) {
        Ok(driver) => driver,
        Err(why) => return Driven::Unavailable(format!("{title} {why}")),
    };
    let Some(program) = state.here.program.as_deref() else {
        return Driven::Unavailable(format!("{title} was not found"));
    };
    if detect::of_project(program, stage.places) {
        let shown = program.display();
        return Driven::Unavailable(format!(
            "{shown} lies in the project, and is not run for that"
        ));
    }
    if file.scope == Scope::Managed && stage.places.root != Path::new("/") {
        return Driven::Unavailable("a client reads managed files below / only".to_owned());
    }
    let client = Client { driver, program, file, state, stage };
    client.drive().unwrap_or_else(|error| Driven::Unavailable(error.to_string()))
}

impl Client<'_> {
    fn drive(&self) -> Result<Driven, CommandError> {
        let server = play::server()?;
        let mut driven = Driven::Skipped("there is nothing to copy");
        for depth in self.driver.depths {
            let scratch = Scratch::new("prove")?;
            (self.driver.settle)(self, &scratch, *depth)?;
            driven = self.judge(&play::play(self, &scratch, &server)?);
            // The user's settings prevent the test, which says nothing about the hook.
            if !matches!(driven, Driven::Unavailable(_)) {
                break;
            }
        }
        Ok(driven)
    }

    fn judge(&self, played: &Played) -> Driven {
        let title = tenter_hosts::host(self.file.host).install().title;
        let version = &played.version;
        let client =
            if version.is_empty() { title.to_owned() } else { format!("{title} {version}") };
        match (played.marks.forbidden, played.marks.permitted) {
            (true, _) => {
                let why = match &played.complaint {
                    _ if played.hook_ran => "it ran the hook, and did not heed it".to_owned(),
                    Some(what) => format!("it loads nothing of the file: {what}"),
                    None => "it did not run the hook".to_owned(),
                };
                Driven::Ran { client, why }
            }
            (false, true) if played.told && !played.recorded => Driven::Unavailable(format!(
                "{client} was stopped by tenter, but the record does not have it: tenter doctor"
            )),
            (false, true) if played.told => Driven::Blocked { client },
            (false, true) => Driven::Unavailable(format!(
                "{client} did not run the forbidden command, but not because of tenter"
            )),
            (false, false) => {
                Driven::Unavailable(format!("{client} ran no command at all: {}", played.trouble))
            }
        }
    }
}
