//! Remembers processes that are agents, because they started `tenter hook`.
//!
//! A name can be changed and an environment cleared, but only an agent or its editor starts the hook. So the
//! hook leaves a small file, `<state>/agents/<pid>`, with process id, start time and name, since ids are
//! reused. Commands for humans only check these files. An ordinary call only checks that the file exists.

use std::path::{Path, PathBuf};

use tenter_files::Whose;

use super::folders;
use super::human::namespaces::Realm;
use super::human::processes::{self, Process};

const FOLDER: &str = "agents";

/// Programs between an agent and its hook.
const BETWEEN: &[&str] =
    &["ash", "bash", "busybox", "dash", "env", "fish", "ksh", "nice", "sh", "timeout", "zsh"];

/// Remembers the process that started this hook. `anew` means that a session starts, so a known id may be
/// another process.
pub(crate) fn remember(state: &Path, anew: bool) {
    let Some(parent) = processes::parent() else { return };
    let mut path = PathBuf::with_capacity(state.as_os_str().len().saturating_add(24));
    path.extend([state, Path::new(FOLDER)]);
    let is_known = |pid: u32| !anew && path.join(pid.to_string()).exists();
    let agent = starter(parent, is_known).filter(|agent| agent.pid != 1 && !is_own(agent));
    let Some(agent) = agent else { return };
    let own = Realm::own();
    let line = line(&agent, own);
    let known = read(&path, own);
    if known.iter().any(|(_, known)| known.line == line) {
        return;
    }
    // A process in another PID namespace cannot be checked from here, unless all processes are visible.
    let is_gone =
        |known: &Agent| !known.is_alive && (known.realm == own || own.is_none_or(Realm::sees_all));
    let (gone, kept): (Vec<_>, Vec<_>) = known.into_iter().partition(|(_, it)| is_gone(it));
    for (file, _) in gone {
        // Another call may have been faster.
        drop(std::fs::remove_file(file));
    }
    let mut file = path.join(agent.pid.to_string());
    let is_another = |known: &Agent| known.pid == agent.pid && known.realm != own;
    if let Some(realm) = own.filter(|_| kept.iter().any(|(_, known)| is_another(known))) {
        file = path.join(format!("{}.{}", agent.pid, realm.pid));
    }
    // Ignore errors: the answer to the host matters more.
    drop(folders::replace(&file, line.as_bytes()));
}

/// The process that started a hook, skipping shells; `None` if it is known. A terminal's login shell belongs to a
/// human trying the hook manually.
fn starter(parent: u32, is_known: impl Fn(u32) -> bool) -> Option<Process> {
    let mut pid = parent;
    for _ in 0..16 {
        if is_known(pid) {
            return None;
        }
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

fn line(agent: &Process, realm: Option<Realm>) -> String {
    let name: String = agent.name.chars().filter(|it| !it.is_control()).collect();
    let realm = realm.map(|realm| format!("@{}:{} ", realm.user, realm.pid)).unwrap_or_default();
    format!("{} {} {realm}{name}\n", agent.pid, agent.start)
}

/// Whether it is another `tenter` that plays the host, like `tenter fire`. In tests it is the test program,
/// which plays both host and human; not in the release.
fn is_own(process: &Process) -> bool {
    let Ok(program) = std::fs::read_link(format!("/proc/{}/exe", process.pid)) else {
        return false;
    };
    let is_test =
        cfg!(debug_assertions) && program.components().any(|part| part.as_os_str() == "deps");
    is_test || std::env::current_exe().is_ok_and(|own| own == program)
}

/// A remembered agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Agent {
    pub(crate) pid: u32,
    pub(crate) start: u64,
    pub(crate) name: String,
    /// Its namespaces; not stored by older versions.
    pub(crate) realm: Option<Realm>,
    pub(crate) is_alive: bool,
    line: String,
}

/// All agents remembered in a state folder.
pub(crate) fn all(state: &Path) -> Vec<Agent> {
    read(&state.join(FOLDER), Realm::own()).into_iter().map(|(_, agent)| agent).collect()
}

fn read(folder: &Path, own: Option<Realm>) -> Vec<(PathBuf, Agent)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let agent = |entry: std::fs::DirEntry| {
        let line = tenter_files::read_text(&entry.path(), 512, Whose::State).ok()?;
        let mut words = line.trim_end().splitn(3, ' ');
        let pid = words.next()?.parse().ok()?;
        let start = words.next()?.parse().ok()?;
        let (realm, name) = named(words.next()?);
        let name = name.to_owned();
        let is_here = realm.is_none() || realm.map(|it| it.pid) == own.map(|it| it.pid);
        let is_alive = is_here && processes::read(pid).is_some_and(|it| it.start == start);
        Some((entry.path(), Agent { pid, start, name, realm, is_alive, line }))
    };
    entries.flatten().filter_map(agent).collect()
}

/// `@4026531837:4026531836 claude`
fn named(text: &str) -> (Option<Realm>, &str) {
    let realm = || {
        let (numbers, name) = text.strip_prefix('@')?.split_once(' ')?;
        let (user, pid) = numbers.split_once(':')?;
        Some((Realm { user: user.parse().ok()?, pid: pid.parse().ok()? }, name))
    };
    realm().map_or((None, text), |(realm, name)| (Some(realm), name))
}
