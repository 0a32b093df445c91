//! Evidence that an agent is asking: in the tree of processes, in our session, on our terminal or at its other
//! end.
//!
//! A command can shed its environment (`env -i`), its session (`setsid`) and its parents (two forks), and can make
//! a terminal of its own (`script`, a pty library, a multiplexer). It cannot choose who made that terminal: some
//! process holds its other end, and that process has ancestors, an environment and a control group.

#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[cfg(unix)]
use tenter_files::Whose;

use super::namespaces::{self, Found};
use super::processes::{self, Process};
use super::{AGENTS, MARKS};
use crate::guard::agents::{self, Agent};
use crate::guard::folders::Folders;
use crate::guard::seen;

/// What an agent leaves to run later mostly runs within this time.
const LATELY: Duration = Duration::from_mins(10);

/// Processes that take in orphans.
const INITS: &[&str] = &["docker-init", "dumb-init", "init", "launchd", "systemd", "tini"];

/// What there is to be held against.
pub(super) struct Evidence {
    known: Vec<Agent>,
}

impl Evidence {
    pub(super) fn gather() -> Self {
        let known = states().iter().flat_map(|state| agents::all(state)).collect();
        Self { known }
    }

    /// An agent that runs now, or none.
    pub(super) fn running(&self) -> Option<&Agent> {
        self.known.iter().find(|agent| agent.is_alive)
    }

    /// The same, or one that has ended since its last call, and may have left something to run after it.
    pub(super) fn running_lately(&self) -> Option<&Agent> {
        self.running().or_else(|| self.known.first().filter(|_| has_called_lately()))
    }

    /// Whether we are where agents may hide from us.
    pub(super) fn of_namespaces(&self) -> Found {
        namespaces::look(&self.known, has_called_lately())
    }

    /// Why an agent is taken to ask, if it is.
    pub(super) fn of_agent(&self) -> Option<String> {
        if let Some(tracer) = processes::tracer() {
            let name = processes::read(tracer).map_or("another program".to_owned(), |it| it.name);
            return Some(format!("`{name}` is tracing this process"));
        }
        let chain = processes::ancestors(std::process::id());
        if let Some(found) = chain.iter().skip(1).find_map(|it| self.agent(it)) {
            return Some(format!("{found} has started this"));
        }
        let own = chain.first()?;
        let near = |it: &Process| own.tty != 0 && it.tty == own.tty && it.pid != own.pid;
        let beside = processes::all().into_iter().filter_map(processes::read).filter(near);
        // Asking an agent for its version is no sign of one.
        let now = processes::ticks();
        let stays = |it: &Process| self.is_known(it) || now.saturating_sub(it.start) > 500;
        if let Some(found) = beside.filter(stays).find_map(|it| self.agent(&it)) {
            return Some(format!("{found} runs in this terminal"));
        }
        let leader = processes::ancestors(own.session);
        if let Some(found) = leader.iter().find_map(|it| self.agent(it)) {
            return Some(format!("{found} has started this session"));
        }
        let terminal = processes::pseudo_terminal(own.tty)?;
        processes::holders(terminal).into_iter().find_map(|pid| self.holder(pid))
    }

    /// Whether the maker of our terminal is an agent, or comes from one.
    fn holder(&self, pid: u32) -> Option<String> {
        let chain = processes::ancestors(pid);
        let maker = chain.first()?;
        if let Some(found) = chain.iter().find_map(|it| self.agent(it)) {
            let name = &maker.name;
            return Some(format!("{found} has started `{name}`, which this terminal belongs to"));
        }
        // Who has started the first below init cannot be told any more. If that one is younger than an agent and was
        // never apart from it, it may well have been the agent.
        let is_init = |it: &Process| it.pid == 1 || INITS.contains(&&*it.name);
        let first = chain.iter().take_while(|it| !is_init(it)).last()?;
        let mut alive = self.known.iter().filter(|agent| agent.is_alive);
        let agent = alive.find(|agent| {
            agent.start <= first.start && processes::family(agent.pid) == processes::family(pid)
        })?;
        Some(format!(
            "`{}`, which this terminal belongs to, was started after `{}`, and by whom cannot be told",
            maker.name, agent.name
        ))
    }

    fn is_known(&self, process: &Process) -> bool {
        self.known.iter().any(|agent| (agent.pid, agent.start) == (process.pid, process.start))
    }

    /// What makes a process an agent, or the work of one, for people.
    fn agent(&self, process: &Process) -> Option<String> {
        let Process { pid, name, .. } = process;
        if self.is_known(process) {
            return Some(format!("`{name}`, which runs hooks,"));
        }
        // An agent may be a script: the interpreter first, then the script.
        let words = processes::words(*pid, 2);
        let mut names = words.iter().map(String::as_str).chain([process.name.as_str()]);
        let named = names.find_map(|word| {
            let name = word.rsplit('/').next().unwrap_or_default();
            let name = name.strip_suffix(".js").unwrap_or(name);
            AGENTS.contains(&name).then(|| format!("`{name}`"))
        });
        named.or_else(|| {
            let mark = processes::variable(*pid, MARKS)?;
            Some(format!("`{name}` with {mark} set, as an agent does,"))
        })
    }
}

/// Whether any agent has called a hook within the last minutes.
fn has_called_lately() -> bool {
    let signs = states().into_iter().flat_map(|state| seen::all(&state));
    let last = signs.map(|sign| sign.at_ms).max().unwrap_or(0);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u128::from(last).saturating_add(LATELY.as_millis()) > now.as_millis()
}

/// Our state folder, by the environment, below its home and by the user database: an agent can choose the first.
pub(super) fn states() -> Vec<PathBuf> {
    let by_environment = Folders::of(|name| std::env::var(name).ok()).state;
    let homes = [std::env::var_os("HOME").map(PathBuf::from), home()];
    let below = homes.into_iter().flatten().map(|home| home.join(".local/state/tenterhook"));
    let mut states: Vec<PathBuf> = Vec::new();
    for state in by_environment.into_iter().chain(below) {
        if !states.contains(&state) {
            states.push(state);
        }
    }
    states
}

#[cfg(unix)]
fn home() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw().to_string();
    let text = tenter_files::read_text(Path::new("/etc/passwd"), 16 << 20, Whose::Settings).ok()?;
    text.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        let is_own = fields.next() == Some(&user);
        fields.nth(2).filter(|_| is_own).map(PathBuf::from)
    })
}

#[cfg(not(unix))]
fn home() -> Option<PathBuf> {
    None
}
