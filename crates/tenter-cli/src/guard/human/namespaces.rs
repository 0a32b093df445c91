//! Linux namespaces: `/proc` shows only the processes of our own namespaces.
//!
//! Any process can create namespaces (`unshare -U`) in which no agent is visible, and mount an empty folder
//! over our state. So an agent is remembered with its namespaces, and callers from others are refused.

#[cfg(target_os = "linux")]
use std::path::Path;

#[cfg(target_os = "linux")]
use super::{evidence::states, processes};
use crate::guard::agents::Agent;

/// User and PID namespace of a process, by their kernel numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Realm {
    pub(crate) user: u64,
    pub(crate) pid: u64,
}

/// The machine's initial namespaces.
const FIRST: Realm = Realm { user: 0xEFFF_FFFD, pid: 0xEFFF_FFFC };

impl Realm {
    /// Ours, if `/proc` tells.
    pub(crate) fn own() -> Option<Self> {
        Some(Self { user: number("user")?, pid: number("pid")? })
    }

    /// Whether all processes of the machine are visible from here.
    pub(crate) fn sees_all(self) -> bool {
        self.pid == FIRST.pid
    }

    /// Whether an unprivileged program may have created it.
    #[cfg(target_os = "linux")]
    fn may_be_made(self) -> bool {
        self.user != FIRST.user
    }
}

/// `user:[4026531837]`
fn number(kind: &str) -> Option<u64> {
    let link = std::fs::read_link(format!("/proc/self/ns/{kind}")).ok()?;
    let text = link.to_str()?;
    text.split_once('[')?.1.strip_suffix(']')?.parse().ok()
}

/// Result of examining the namespaces.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "no other system has them"))]
pub(super) enum NamespaceCheck {
    Nothing,
    /// Undecided: the user must type words.
    Doubt,
    /// Refused: nothing can be told from here.
    Refused(String),
}

#[cfg(target_os = "linux")]
const OUTSIDE: &str = "run it outside of namespaces, containers and sandboxes";

/// Compares our namespaces with those of the known agents. `lately` means that one of them has called
/// recently.
#[cfg(target_os = "linux")]
pub(super) fn look(known: &[Agent], lately: bool) -> NamespaceCheck {
    let refused = |why: &str| NamespaceCheck::Refused(format!("{why}; {OUTSIDE}"));
    if !processes::are_ours() {
        return refused("/proc does not show the processes of this PID namespace");
    }
    let Some(own) = Realm::own() else {
        return refused("/proc does not show the namespaces of this process");
    };
    let mounts = processes::mounts();
    if let Some(place) = covered(own, known.is_empty(), &mounts) {
        return refused(&format!("{place} is mounted over, so agents cannot be recognised"));
    }
    let is_other = |agent: &&Agent| match agent.realm {
        Some(realm) => realm != own && !own.sees_all(),
        None => own.may_be_made(),
    };
    if let Some(agent) = known.iter().find(is_other) {
        let (name, pid) = (&agent.name, agent.pid);
        if lately {
            return refused(&format!(
                "an agent (`{name}`, process {pid}) runs hooks outside of the namespace of this process"
            ));
        }
        return NamespaceCheck::Doubt;
    }
    if own.may_be_made() && !known.is_empty() {
        NamespaceCheck::Doubt
    } else {
        NamespaceCheck::Nothing
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn look(_known: &[Agent], _lately: bool) -> NamespaceCheck {
    NamespaceCheck::Nothing
}

/// The path of ours that a mount hides. In namespaces that a program may have created, every mount between
/// the home and our state counts; if there is no state, all mounts at or below the home.
#[cfg(target_os = "linux")]
fn covered(own: Realm, is_empty: bool, mounts: &[String]) -> Option<String> {
    for state in states() {
        let agents = state.join("agents");
        let home = state.ancestors().nth(3).unwrap_or(Path::new("/"));
        let hides = |mount: &&String| {
            let mount = Path::new(mount);
            if !own.may_be_made() {
                return mount == agents;
            }
            let between = agents.starts_with(mount) && mount.starts_with(home) && mount != home;
            let all = is_empty && mount.starts_with(home);
            between || mount.starts_with(&state) || all
        };
        if let Some(mount) = mounts.iter().find(hides) {
            return Some(mount.clone());
        }
    }
    None
}
