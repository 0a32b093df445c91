//! Linux namespaces: what `/proc` shows is only what our own namespaces hold.
//!
//! Without any right of root a process can make namespaces of its own (`unshare -U`) in which no agent is to be
//! seen, and lay an empty folder over our state there. So an agent is remembered with its namespaces, and whoever asks
//! from others is refused.

#[cfg(target_os = "linux")]
use std::path::Path;

#[cfg(target_os = "linux")]
use super::{evidence::states, processes};
use crate::guard::agents::Agent;

/// The user and PID namespaces of a process, by the numbers that the kernel gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Realm {
    pub(crate) user: u64,
    pub(crate) pid: u64,
}

/// The namespaces that the machine has begun with.
const FIRST: Realm = Realm { user: 0xEFFF_FFFD, pid: 0xEFFF_FFFC };

impl Realm {
    /// Ours, if `/proc` says it.
    pub(crate) fn own() -> Option<Self> {
        Some(Self { user: number("user")?, pid: number("pid")? })
    }

    /// Whether all processes of the machine are to be seen from here.
    pub(crate) fn sees_all(self) -> bool {
        self.pid == FIRST.pid
    }

    /// Whether an unprivileged program may have made it.
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
pub(super) enum Found {
    Nothing,
    /// A human types words here, whatever is running.
    Doubt,
    /// Nothing can be told from here.
    Refused(String),
}

#[cfg(target_os = "linux")]
const OUTSIDE: &str = "run it outside of namespaces, containers and sandboxes";

/// Looks at our namespaces and at those of the agents that are known. `lately`: one of them has called just now.
#[cfg(target_os = "linux")]
pub(super) fn look(known: &[Agent], lately: bool) -> Found {
    let refused = |why: &str| Found::Refused(format!("{why}; {OUTSIDE}"));
    if !processes::are_ours() {
        return refused("/proc does not show the processes of this PID namespace");
    }
    let Some(own) = Realm::own() else {
        return refused("/proc does not show the namespaces of this process");
    };
    let mounts = processes::mounts();
    if let Some(place) = covered(own, known.is_empty(), &mounts) {
        return refused(&format!("{place} is mounted over, so agents cannot be told"));
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
        return Found::Doubt;
    }
    if own.may_be_made() && !known.is_empty() { Found::Doubt } else { Found::Nothing }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn look(_known: &[Agent], _lately: bool) -> Found {
    Found::Nothing
}

/// The place of ours that a mount hides. Where a program may have made its own mounts, every one between the home
/// and what we remember counts; where none is remembered, all below the home and at it.
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
