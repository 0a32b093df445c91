//! Finds evidence of an agent: in the process tree, in our session, on our terminal or at its other end.
//!
//! A command can shed its environment (`env -i`), session (`setsid`) and parents (double fork), and can
//! create a terminal (`script`, a pty library, a multiplexer). It cannot hide who created that terminal: some
//! process holds its other end, and that process has ancestors, an environment and a control group.

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::namespaces::{self, NamespaceCheck};
use super::processes::{self, Process};
use super::{AGENTS, MARKS};
use crate::guard::agents::{self, Agent};
use crate::guard::folders::Folders;
use crate::guard::{roots, seen};

/// Period after an agent's end in which its leftovers mostly run.
const LATELY: Duration = Duration::from_mins(10);

/// Processes that adopt orphans.
const INITS: &[&str] = &["docker-init", "dumb-init", "init", "launchd", "systemd", "tini"];

/// Data for the checks.
pub(super) struct Evidence {
    known: Vec<Agent>,
}

impl Evidence {
    pub(super) fn gather() -> Self {
        let known = states().iter().flat_map(|state| agents::all(state)).collect();
        Self { known }
    }

    /// A running agent, if any.
    pub(super) fn running(&self) -> Option<&Agent> {
        self.known.iter().find(|agent| agent.is_alive)
    }

    /// The same, or one that ended recently and may have left something running.
    pub(super) fn running_lately(&self) -> Option<&Agent> {
        self.running().or_else(|| self.known.first().filter(|_| has_called_lately()))
    }

    /// Whether agents may be invisible in our namespaces.
    pub(super) fn of_namespaces(&self) -> NamespaceCheck {
        namespaces::look(&self.known, has_called_lately())
    }

    /// The evidence of an agent, if any.
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
        // Asking an agent for its version proves nothing.
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

    /// Whether the process that created our terminal is an agent, or descends from one.
    fn holder(&self, pid: u32) -> Option<String> {
        let chain = processes::ancestors(pid);
        let maker = chain.first()?;
        if let Some(found) = chain.iter().find_map(|it| self.agent(it)) {
            let name = &maker.name;
            return Some(format!("{found} has started `{name}`, which this terminal belongs to"));
        }
        // The parent of the topmost process below init is unknown. If that process is younger than an agent
        // and shares its control group, it may have been started by it.
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

    /// Why a process counts as an agent or its child.
    fn agent(&self, process: &Process) -> Option<String> {
        let Process { pid, name, .. } = process;
        if self.is_known(process) {
            return Some(format!("`{name}`, which runs hooks,"));
        }
        // An agent may be a script: interpreter first, then script.
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

/// Our state folders by environment, home and user database: an agent can choose the first.
pub(super) fn states() -> Vec<PathBuf> {
    let by_environment = Folders::of(|name| std::env::var(name).ok()).state;
    let homes = [std::env::var_os("HOME").map(PathBuf::from), roots::recorded().map(PathBuf::from)];
    let below = homes.into_iter().flatten().map(|home| home.join(".local/state/tenterhook"));
    let mut states: Vec<PathBuf> = Vec::new();
    for state in by_environment.into_iter().chain(below) {
        if !states.contains(&state) {
            states.push(state);
        }
    }
    states
}
