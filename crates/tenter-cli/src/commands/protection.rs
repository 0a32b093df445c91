//! The words for the state of a host. `init`, `status`, `doctor` and `prove` take them from here.

use std::fmt::{self, Write as _};

use serde::{Serialize, Serializer};
use tenter_engine::diagnostic::printable;
use tenter_hosts::install::Scope;
use tenter_model::HostId;
use tenter_setup::doctor::{Diagnosis, Guard};
use tenter_setup::survey::{Content, HostState};
use tenter_setup::{Places, command};

use super::Style;

/// Whether a host's calls are guarded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Protection {
    /// A canary was blocked.
    Protected,
    /// Only the user's approval of this is missing.
    AfterApproval(String),
    /// Why not.
    No(String),
}

impl Protection {
    /// The state of a host that asks its user to approve hooks.
    pub(super) fn waiting(host: HostId) -> Self {
        Self::AfterApproval(format!("the hooks in {}", title(host)))
    }

    /// The state alone, for tables.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Protected => "protected",
            Self::AfterApproval(_) => "after approval",
            Self::No(_) => "not protected",
        }
    }

    /// The state in JSON.
    pub(super) const fn key(&self) -> &'static str {
        match self {
            Self::Protected => "protected",
            Self::AfterApproval(_) => "after-approval",
            Self::No(_) => "not-protected",
        }
    }

    pub(super) const fn colour(&self) -> &'static str {
        match self {
            Self::Protected => "32",
            Self::AfterApproval(_) => "33",
            Self::No(_) => "31",
        }
    }

    /// The state of a guard, as far as the doctor knows.
    pub(super) fn of_guard(guard: &Guard, diagnosis: &Diagnosis) -> (Self, String) {
        let at = (guard.host, guard.scope);
        let killing = diagnosis.findings.iter().filter(|it| it.kills.contains(&at));
        let mut killing: Vec<_> = killing.collect();
        killing.sort_by_key(|finding| finding.awaits_approval);
        match killing.first() {
            None if guard.tested => (Self::Protected, String::new()),
            None => {
                let why = "not tested, since only the project names its program";
                (Self::No(why.to_owned()), "tenter prove".to_owned())
            }
            Some(first) if first.awaits_approval => (Self::waiting(guard.host), first.fix.clone()),
            Some(first) => {
                let place = first.place.as_ref();
                let file = place.map(|place| format!("{}: ", place.file.display()));
                let why = format!("{}{}", file.unwrap_or_default(), first.message);
                (Self::No(why), first.fix.clone())
            }
        }
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protected => f.write_str("protected"),
            Self::AfterApproval(what) => write!(f, "protected after you approve {what}"),
            Self::No(why) => write!(f, "not protected: {why}"),
        }
    }
}

impl Serialize for Protection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}

fn title(host: HostId) -> &'static str {
    tenter_hosts::host(host).install().title
}

/// The state of a host, in one line.
#[derive(Clone, Debug)]
pub(super) struct HostLine {
    pub(super) host: HostId,
    /// The scope that protects it; `None` if none does.
    pub(super) scope: Option<Scope>,
    pub(super) state: Protection,
    pub(super) fix: String,
}

/// The state of a host by its best scope.
pub(super) fn of_host(state: &HostState, diagnosis: &Diagnosis) -> HostLine {
    let host = state.host;
    let guards = diagnosis.guards.iter().filter(|guard| guard.host == host);
    let states = guards.map(|guard| {
        let (state, fix) = Protection::of_guard(guard, diagnosis);
        HostLine { host, scope: Some(guard.scope), state, fix }
    });
    states.min_by(|one, other| one.state.cmp(&other.state)).unwrap_or_else(|| {
        let (why, fix) = unwired(state, Scope::User);
        HostLine { host, scope: None, state: Protection::No(why), fix }
    })
}

/// Why a host has no hooks of ours, and what to do.
pub(super) fn unwired(state: &HostState, scope: Scope) -> (String, String) {
    let again = command::install_again(state.host, scope);
    let broken = state.in_scope(scope).find_map(|file| match &file.content {
        Content::Broken(fault) => Some(format!("{}, {fault}", file.path.display())),
        Content::Unreadable(why) => Some(why.clone()),
        Content::Missing | Content::Hooks { .. } => None,
    });
    match broken {
        Some(why) => {
            (format!("not wired, and cannot be: {why}"), format!("by hand: mend it, then: {again}"))
        }
        None => ("not wired".to_owned(), again),
    }
}

/// One line for each agent on this machine that cannot be guarded.
pub(super) fn unsupported(places: &Places, style: Style) -> String {
    let line = |title: &str| {
        let said = "not protected: found, but tenter does not support it yet";
        format!("{title}  {}\n", style.paint("31", said))
    };
    tenter_setup::unsupported::found(places).into_iter().map(line).collect()
}

/// One line for each host, with what to do below it.
pub(super) fn lines(hosts: &[HostLine], style: Style) -> String {
    let width = hosts.iter().map(|line| title(line.host).len()).max().unwrap_or_default();
    let mut text = String::new();
    for line in hosts {
        let mut said = line.state.to_string();
        if line.state == Protection::Protected && line.scope == Some(Scope::Project) {
            said.push_str(" in this project");
        }
        let said = style.paint(line.state.colour(), &printable(&said));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:width$}  {said}", title(line.host));
        if line.state != Protection::Protected && !line.fix.is_empty() {
            let _ = writeln!(text, "  -> {}", printable(&line.fix));
        }
    }
    text
}
