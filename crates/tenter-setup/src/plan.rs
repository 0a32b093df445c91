//! Plans changes before anything is changed.

mod choice;
mod notes;
mod undo;

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use similar::TextDiff;
use tenter_hosts::install::{EntryOptions, Install, Role, Scope, Wire};
use tenter_model::HostId;

use crate::Places;
use crate::edit::{self, Format, FoundHook, Hook, Style};
use crate::files::{self, Change, Ledger};
use crate::import::Importable;
use crate::survey::{Content, HookFile, HostState, Survey};
use crate::{command, judged, void};

pub use choice::{Choice, Given, Matchers, wired};
pub use undo::{Leaving, left_wired, put_back, uninstall};

/// Which events to install.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Events {
    /// Each call once, and what the record needs.
    #[default]
    Usual,
    /// Only events that can block.
    Gates,
    /// All events, as long as no call is reported twice.
    All,
    Named(Vec<String>),
}

impl fmt::Display for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usual => f.write_str("usual"),
            Self::Gates => f.write_str("gates"),
            Self::All => f.write_str("all"),
            Self::Named(names) => f.write_str(&names.join(",")),
        }
    }
}

/// An install request.
#[derive(Clone, Debug)]
pub struct Request {
    pub hosts: Vec<HostId>,
    pub scope: Scope,
    /// Events, matchers and fail mode, if given.
    pub given: Given,
    /// Absolute path of the program to run.
    pub program: PathBuf,
    /// Options of the hook command.
    pub options: Vec<String>,
    /// Foreign hooks that the policy runs from now on, so that they are removed from their files.
    pub moves: Vec<Importable>,
    /// Leave Cursor's own file alone when Claude's is installed, which Cursor reads too.
    pub single: bool,
}

impl Request {
    /// The host whose hooks `host` would also run, as Cursor runs Claude Code's: it reads user and project
    /// settings, not managed ones.
    fn also_read_by(&self, host: HostId) -> Option<HostId> {
        let mut also = tenter_hosts::host(host).install().also_reads.iter().copied();
        also.find(|other| self.hosts.contains(other) && self.scope != Scope::Managed)
    }
}

/// The change of one file.
#[derive(Clone, Debug)]
pub struct Step {
    pub host: HostId,
    pub scope: Scope,
    pub path: PathBuf,
    /// The installed events and their command.
    pub events: Vec<String>,
    pub command: String,
    /// The install options of the file.
    pub choice: Option<Choice>,
    /// Whether the host blocks calls while tenter cannot be run.
    pub fail_closed: bool,
    /// `None` if the file is up to date.
    pub change: Option<Change>,
    /// Why the host would run none of the file's hooks.
    pub fault: Option<String>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// Why nothing is done for a host.
#[derive(Clone, Debug)]
pub struct Refusal {
    pub host: HostId,
    pub message: String,
}

#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub refusals: Vec<Refusal>,
    /// Our own files that are written with them.
    pub own: Vec<Change>,
    /// Foreign hooks that are removed, for the ledger.
    pub moved: Vec<(PathBuf, Hook)>,
    /// Files that no longer contain anything of ours: they are only forgotten.
    pub settled: Vec<Change>,
    /// General notes for the user.
    pub notes: Vec<&'static str>,
}

impl Plan {
    /// Whether every host is wired, and its file can be read by it.
    pub fn is_clean(&self) -> bool {
        self.refusals.is_empty() && self.steps.iter().all(|step| step.fault.is_none())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", title(self.host), self.message)
    }
}

fn title(host: HostId) -> &'static str {
    tenter_hosts::host(host).install().title
}

fn is_ours(found: &FoundHook) -> bool {
    command::ours(found).is_some()
}

impl Plan {
    pub fn changes(&self) -> Vec<Change> {
        let of_hosts = self.steps.iter().filter_map(|step| step.change.clone());
        of_hosts.chain(self.own.iter().cloned()).chain(self.settled.iter().cloned()).collect()
    }

    /// The install options of every file, for the ledger.
    pub fn choices(&self) -> Vec<(PathBuf, Choice)> {
        let chosen = |step: &Step| Some((step.path.clone(), step.choice.clone()?));
        self.steps.iter().filter_map(chosen).collect()
    }

    fn add(&mut self, host: HostId, planned: Result<Vec<Step>, String>) {
        match planned {
            Ok(steps) => self.steps.extend(steps),
            Err(message) => self.refusals.push(Refusal { host, message }),
        }
    }
}

/// Plans an install for these hosts.
pub fn install(request: &Request, survey: &Survey, places: &Places) -> Plan {
    let mut plan = Plan::default();
    let ledger = files::ledger(places).unwrap_or_default();
    for state in survey.hosts.iter().filter(|state| request.hosts.contains(&state.host)) {
        let also = request.also_read_by(state.host);
        if request.single && also.is_some() {
            continue;
        }
        let step = wire(request, state, &ledger, places).map(|mut step| {
            if let Some(other) = also {
                step.notes.push(format!(
                    "{} also runs the hooks of {}'s settings; the second copy of a call gets the first one's \
                     answer (--single-wiring leaves this file alone)",
                    title(state.host),
                    title(other)
                ));
            }
            vec![step]
        });
        let closes = step.as_ref().is_ok_and(|steps| steps.iter().any(|it| it.fail_closed));
        if closes && plan.notes.is_empty() {
            plan.notes.push(notes::CLOSED);
        }
        if step.is_ok() {
            let here = request.moves.iter().filter(|one| one.host == state.host);
            plan.moved.extend(here.map(|one| (one.path.clone(), Hook::from(&one.found))));
        }
        plan.add(state.host, step);
    }
    plan
}

/// Whether a foreign hook would still be run by us after removing its entry: our hook is installed in the
/// same file, at the same event and for all tools.
pub fn can_move(request: &Request, survey: &Survey, ledger: &Ledger, one: &Importable) -> bool {
    let Some(state) = survey.host(one.host).filter(|_| one.handler.is_ok()) else { return false };
    let is_left = request.single && request.also_read_by(one.host).is_some();
    let install = tenter_hosts::host(one.host).install();
    let version = state.here.version.as_deref();
    let Some(file) = target(state, request.scope) else { return false };
    let (choice, _) = request.given.over(wired(file, ledger));
    let wires = chosen(install, &choice.events, version).unwrap_or_default();
    let is_wired = |event: &str| wires.iter().any(|wire| wire.event == event);
    let event = one.found.event.as_str();
    let twin = install.wire(event).and_then(|wire| wire.twin);
    // A project's handler runs only where it is trusted; its own entry runs for everybody.
    request.scope != Scope::Project
        && request.hosts.contains(&one.host)
        && choice.matchers.is_empty()
        && !is_left
        && !one.read_only
        && file.path == one.path
        && (is_wired(event) || twin.is_some_and(is_wired))
}

fn wire(
    request: &Request,
    state: &HostState,
    ledger: &Ledger,
    places: &Places,
) -> Result<Step, String> {
    let install = tenter_hosts::host(state.host).install();
    let file = target(state, request.scope).ok_or_else(|| nowhere(request.scope))?;
    if let (true, Scope::Project, Some(main)) =
        (install.shares_worktrees, request.scope, places.main_checkout())
    {
        let main = main.display();
        return Err(format!(
            "this is a linked worktree, for which it reads the hooks of {main}; run this with --cwd {main}"
        ));
    }
    let text = editable(file)?;
    let version = state.here.version.as_deref();
    let (choice, kept) = request.given.over(wired(file, ledger));
    let wires = chosen(install, &choice.events, version)?;
    let line = command::line(&request.program, state.host, &request.options, places.system);
    let hooks = drafted(install, &wires, &choice, version, &line);
    let style = Style::of(file.host, file.format);
    if !choice.matchers.is_empty() {
        let alone = Style { format: Format::Json, ..style };
        let alone = edit::wire("", &alone, &hooks, &is_ours).unwrap_or_default();
        judged::matchers(file, &alone, places)?;
    }
    let moves = |found: &FoundHook| {
        request.moves.iter().any(|one| one.path == file.path && one.is(found)) && !is_ours(found)
    };
    let fault =
        |fault: edit::Fault| format!("{}, {fault}; nothing was changed", file.path.display());
    let without = if request.moves.is_empty() {
        text.to_owned()
    } else {
        edit::unwire(text, &style, &moves).map_err(fault)?.text
    };
    let after = edit::wire(&without, &style, &hooks, &is_ours).map_err(fault)?;
    let before = file.text().map(str::to_owned);
    let same = before.as_deref() == Some(after.as_str());
    Ok(Step {
        host: state.host,
        scope: request.scope,
        path: file.path.clone(),
        fault: fault_of(file, version, places),
        notes: notes::of(request, state, file, &choice, &hooks, kept, places),
        fail_closed: notes::closes(&hooks),
        events: hooks.into_iter().map(|hook| hook.event).collect(),
        command: line,
        choice: Some(choice),
        change: (!same).then(|| Change { path: file.path.clone(), before, after: Some(after) }),
    })
}

/// Why our hooks would be as dead as the rest of the file.
fn fault_of(file: &HookFile, version: Option<&str>, places: &Places) -> Option<String> {
    let first = void::findings(file, version, places).into_iter().next()?;
    let (path, line) = (file.path.display(), first.start.line);
    Some(format!("{path}:{line}: no hook in this file runs: {}; {}", first.message, first.fix))
}

/// The hooks for these options and this command.
pub(crate) fn hooks(
    install: &Install,
    choice: &Choice,
    version: Option<&str>,
    line: &str,
) -> Vec<Hook> {
    let wires = chosen(install, &choice.events, version).unwrap_or_default();
    drafted(install, &wires, choice, version, line)
}

fn drafted(
    install: &Install,
    wires: &[&'static Wire],
    choice: &Choice,
    version: Option<&str>,
    line: &str,
) -> Vec<Hook> {
    let hook = |wire: &&'static Wire| {
        let draft = EntryOptions { wire, command: line, version, fail_closed: !choice.fail_open };
        let fields = (install.handler)(&draft);
        Hook {
            event: wire.event.to_owned(),
            matcher: matcher(wire, &choice.matchers),
            fields: fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        }
    };
    wires.iter().map(hook).collect()
}

fn nowhere(scope: Scope) -> String {
    match scope {
        Scope::Project => "the home folder is no project; go to the folder of one".to_owned(),
        Scope::User | Scope::Managed => format!("there is no {scope} scope here (is HOME set?)"),
    }
}

/// The text to be edited; a missing file is empty.
fn editable(file: &HookFile) -> Result<&str, String> {
    let path = file.path.display();
    match &file.content {
        Content::Missing => Ok(""),
        Content::Hooks { text, .. } => Ok(text),
        Content::Unreadable(why) => Err(format!("{why}; nothing was changed")),
        Content::Broken(fault) => {
            Err(format!("{path}, {fault}; mend it and run this again, nothing was changed"))
        }
    }
}

/// The file for our hooks: the one they are in, else a TOML file with hooks if there is no other, else the
/// host's hook file.
fn target(state: &HostState, scope: Scope) -> Option<&HookFile> {
    let writable = || state.in_scope(scope).filter(|file| !file.read_only);
    let has_ours = writable().find(|file| file.ours().next().is_some());
    let main = writable().find(|file| file.format == Format::Json);
    let is_missing = main.is_some_and(|file| matches!(file.content, Content::Missing));
    let toml = writable().find(|file| file.format == Format::Toml && !file.hooks().is_empty());
    has_ours.or(toml.filter(|_| is_missing)).or(main)
}

fn matcher(wire: &Wire, matchers: &[(Option<String>, String)]) -> Option<String> {
    let own = matchers.iter().find(|(event, _)| event.as_deref() == Some(wire.event));
    let all = matchers.iter().find(|(event, _)| event.is_none() && wire.by_tool);
    own.or(all).map(|(_, text)| text.clone())
}

/// The events to install for this version of a host.
fn chosen(
    install: &Install,
    events: &Events,
    version: Option<&str>,
) -> Result<Vec<&'static Wire>, String> {
    let known = |wire: &&Wire| (install.knows)(wire, version);
    let mut wires: Vec<&'static Wire> = match events {
        Events::Named(names) => return named(install, names, version),
        Events::Usual | Events::Gates | Events::All => install.wires.iter().filter(known).collect(),
    };
    for other in install.others.iter().filter(known) {
        let is_covered = other.twin.is_some_and(|twin| wires.iter().any(|wire| wire.event == twin));
        // A version without the general event needs the special ones.
        if !is_covered && (*events == Events::All || other.twin.is_some()) {
            wires.push(other);
        }
    }
    wires.retain(|wire| *events != Events::Gates || wire.role == Role::Gate);
    Ok(wires)
}

fn named(
    install: &Install,
    names: &[String],
    version: Option<&str>,
) -> Result<Vec<&'static Wire>, String> {
    let mut wires = Vec::new();
    for name in names {
        let Some(wire) = install.wire(name) else {
            let all = install.wires.iter().chain(install.others).map(|wire| wire.event);
            let all: Vec<&str> = all.collect();
            return Err(format!("no event `{name}` to be wired to; there are {}", all.join(", ")));
        };
        if !(install.knows)(wire, version) {
            let version = version.unwrap_or("of unknown version");
            return Err(format!(
                "{} {version} does not know `{name}`, and an unknown event may void the whole file",
                install.title
            ));
        }
        wires.push(wire);
    }
    let twice = wires.iter().find_map(|wire| Some((wire.event, wire.twin?)));
    match twice.filter(|(_, twin)| names.iter().any(|name| name == twin)) {
        Some((event, twin)) => {
            Err(format!("`{event}` and `{twin}` would judge the same call twice; name one of them"))
        }
        None => Ok(wires),
    }
}

/// A change as a diff.
pub fn diff(change: &Change) -> String {
    let before = change.before.as_deref().unwrap_or_default();
    let after = change.after.as_deref().unwrap_or_default();
    let side = |exists: bool, path: &Path| {
        if exists { path.display().to_string() } else { "/dev/null".to_owned() }
    };
    TextDiff::from_lines(before, after)
        .unified_diff()
        .header(
            &side(change.before.is_some(), &change.path),
            &side(change.after.is_some(), &change.path),
        )
        .to_string()
}
