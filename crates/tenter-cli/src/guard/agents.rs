//! Processes that are known to be agents, because they have started `tenter hook`.
//!
//! A name can be changed and an environment cleared, but whatever starts the hook is the agent or its editor. So
//! the hook leaves a small file, `<state>/agents/<pid>`, with the process id, when that process was started and
//! what it is called; a number alone may belong to somebody else by now. Commands that only a human may run look
//! there. An ordinary call costs one look at whether the file is there.

use std::path::{Path, PathBuf};

use tenter_files::Whose;

use super::folders;
use super::human::processes::{self, Process};

const FOLDER: &str = "agents";

/// Programs that only stand between an agent and its hook.
const BETWEEN: &[&str] =
    &["ash", "bash", "busybox", "dash", "env", "fish", "ksh", "nice", "sh", "timeout", "zsh"];

/// Remembers who has started this hook. `anew`: a session begins, so a number that is known may be another's.
pub(crate) fn remember(state: &Path, anew: bool) {
    let Some(parent) = processes::parent() else { return };
    let mut path = PathBuf::with_capacity(state.as_os_str().len().saturating_add(24));
    path.extend([state, Path::new(FOLDER)]);
    if !anew && path.join(parent.to_string()).exists() {
        return;
    }
    let Some(agent) = starter(parent).filter(|agent| agent.pid != 1 && !is_own(agent)) else {
        return;
    };
    let file = path.join(agent.pid.to_string());
    let line = line(&agent);
    if tenter_files::read_text(&file, 512, Whose::State).is_ok_and(|known| known == line) {
        return;
    }
    for known in read(&path).into_iter().filter(|known| !known.is_alive) {
        // Another call may have been faster.
        drop(std::fs::remove_file(path.join(known.pid.to_string())));
    }
    // Whatever goes wrong, the answer to the host matters more.
    drop(folders::replace(&file, line.as_bytes()));
}

/// Who has started a hook, behind the shells between. A shell that a terminal was opened with is a human's who tries a
/// hook by hand.
fn starter(parent: u32) -> Option<Process> {
    let mut pid = parent;
    for _ in 0..16 {
        let process = processes::read(pid)?;
        if !BETWEEN.contains(&process.name.as_str()) {
            return Some(process);
        }
        if process.pid == process.session && process.tty != 0 {
            return None;
        }
        pid = process.parent;
    }
    None
}

fn line(agent: &Process) -> String {
    let name: String = agent.name.chars().filter(|it| !it.is_control()).collect();
    format!("{} {} {name}\n", agent.pid, agent.start)
}

/// Another `tenter` that plays the host, as `tenter fire` does. In a test it is the program of the test, which plays
/// host and human in one; not in the release.
fn is_own(process: &Process) -> bool {
    let Ok(program) = std::fs::read_link(format!("/proc/{}/exe", process.pid)) else {
        return false;
    };
    let is_test =
        cfg!(debug_assertions) && program.components().any(|part| part.as_os_str() == "deps");
    is_test || std::env::current_exe().is_ok_and(|own| own == program)
}

/// An agent that was remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agent {
    pub(crate) pid: u32,
    pub(crate) start: u64,
    pub(crate) name: String,
    pub(crate) is_alive: bool,
}

/// All that are remembered in a state folder.
pub(crate) fn all(state: &Path) -> Vec<Agent> {
    read(&state.join(FOLDER))
}

fn read(folder: &Path) -> Vec<Agent> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let agent = |entry: std::fs::DirEntry| {
        let text = tenter_files::read_text(&entry.path(), 512, Whose::State).ok()?;
        let mut words = text.trim_end().splitn(3, ' ');
        let pid = words.next()?.parse().ok()?;
        let start = words.next()?.parse().ok()?;
        let name = words.next()?.to_owned();
        let is_alive = processes::read(pid).is_some_and(|it| it.start == start);
        Some(Agent { pid, start, name, is_alive })
    };
    entries.flatten().filter_map(agent).collect()
}
