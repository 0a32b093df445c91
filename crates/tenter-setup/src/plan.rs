//! What is to be changed, before anything is.

use std::fmt;
use std::path::{Path, PathBuf};

use similar::TextDiff;
use tenter_hosts::install::{Draft, Install, Role, Scope, Wire};
use tenter_model::HostId;

use crate::Places;
use crate::edit::{self, Format, Found, Hook, Style};
use crate::files::{self, Change, Ledger};
use crate::survey::{Content, HookFile, HostState, Survey};
use crate::{codex_trust, command, judged};

/// Which events are to be wired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Events {
    /// Those that give every call once, and what a record needs.
    Usual,
    /// Only those that can stop something.
    Gates,
    /// Everything that does not give a call twice.
    All,
    Named(Vec<String>),
}

/// What somebody wants.
#[derive(Clone, Debug)]
pub struct Request {
    pub hosts: Vec<HostId>,
    pub scope: Scope,
    pub events: Events,
    /// Matchers for the events of tools: for one event, or for all of them.
    pub matchers: Vec<(Option<String>, String)>,
    /// The program to be run, from the root on.
    pub program: PathBuf,
    /// Options of the hook command.
    pub options: Vec<String>,
    /// Whether a call shall be stopped when we cannot be run at all.
    pub fail_closed: bool,
    /// Leave Cursor's own file alone when Claude's is wired, which Cursor reads too.
    pub single: bool,
}

/// What is to be done to one file.
#[derive(Clone, Debug)]
pub struct Step {
    pub host: HostId,
    pub scope: Scope,
    pub path: PathBuf,
    /// The events that are wired afterwards, and the command they run.
    pub events: Vec<String>,
    pub command: String,
    /// None when the file is already as it should be.
    pub change: Option<Change>,
    /// What the user should know about it.
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
    /// Files of our own that are written along with them.
    pub own: Vec<Change>,
    /// Files that we wrote to once and that hold nothing of ours any more: nothing changes in them.
    pub settled: Vec<Change>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", title(self.host), self.message)
    }
}

fn title(host: HostId) -> &'static str {
    tenter_hosts::host(host).install().title
}

fn is_ours(found: &Found) -> bool {
    command::ours(found).is_some()
}

impl Plan {
    pub fn changes(&self) -> Vec<Change> {
        let of_hosts = self.steps.iter().filter_map(|step| step.change.clone());
        of_hosts.chain(self.own.iter().cloned()).chain(self.settled.iter().cloned()).collect()
    }

    fn add(&mut self, host: HostId, planned: Result<Vec<Step>, String>) {
        match planned {
            Ok(steps) => self.steps.extend(steps),
            Err(message) => self.refusals.push(Refusal { host, message }),
        }
    }
}

/// What wiring these hosts would change.
pub fn install(request: &Request, survey: &Survey, places: &Places) -> Plan {
    let mut plan = Plan::default();
    let both = [HostId::Cursor, HostId::Claude].iter().all(|host| request.hosts.contains(host));
    for state in survey.hosts.iter().filter(|state| request.hosts.contains(&state.host)) {
        if both && request.single && state.host == HostId::Cursor {
            continue;
        }
        let step = wire(request, state, places).map(|mut step| {
            if both && state.host == HostId::Cursor {
                step.notes.push(
                    "Cursor also runs the hooks of Claude Code's settings; the second copy of a call gets \
                     the first one's answer (--single-wiring leaves this file alone)"
                        .to_owned(),
                );
            }
            vec![step]
        });
        plan.add(state.host, step);
    }
    plan
}

fn wire(request: &Request, state: &HostState, places: &Places) -> Result<Step, String> {
    let install = tenter_hosts::host(state.host).install();
    let file = target(state, request.scope).ok_or_else(|| nowhere(request.scope))?;
    let text = editable(file)?;
    let version = state.here.version.as_deref();
    let wires = chosen(install, &request.events, version)?;
    let line = command::line(&request.program, state.host, &request.options, places.system);
    let hooks: Vec<Hook> = wires
        .iter()
        .map(|wire| {
            let fail_closed = request.fail_closed;
            let fields = (install.handler)(&Draft { wire, command: &line, version, fail_closed });
            Hook {
                event: wire.event.to_owned(),
                matcher: matcher(wire, &request.matchers),
                fields: fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            }
        })
        .collect();
    let style = Style { format: file.format, shape: install.shape, required: install.required };
    if !request.matchers.is_empty() {
        let alone = Style { format: Format::Json, ..style };
        let alone = edit::wire("", &alone, &hooks, &is_ours).unwrap_or_default();
        judged::matchers(file, &alone, places)?;
    }
    let after = edit::wire(text, &style, &hooks, &is_ours)
        .map_err(|fault| format!("{}, {fault}; nothing was changed", file.path.display()))?;
    let before = file.text().map(str::to_owned);
    let same = before.as_deref() == Some(after.as_str());
    let mut notes = Vec::new();
    if version.is_none() && install.wires.iter().any(|it| !(install.knows)(it, None)) {
        notes.push(format!(
            "the version of {} is not known, so only the events that every version knows are wired",
            install.title
        ));
    }
    if let Some(switch) = state.silenced(request.scope) {
        notes.push(format!(
            "hooks here do not run: {} in {}; {}",
            switch.what,
            switch.path.display(),
            switch.fix
        ));
    }
    for other in state.in_scope(request.scope).filter(|it| it.path != file.path) {
        if let (Content::Broken(fault), Format::Toml) = (&other.content, other.format) {
            let (title, path) = (install.title, other.path.display());
            notes.push(format!("{path}, {fault}; {title} does not start before it is mended"));
        }
    }
    notes.extend(moved(state.host, places));
    if request.scope == Scope::Project {
        notes.push(format!(
            "{} runs the hooks of a project only in a folder that its user trusts; who shares this file needs \
             tenter at the same path",
            install.title
        ));
    }
    Ok(Step {
        host: state.host,
        scope: request.scope,
        path: file.path.clone(),
        events: hooks.into_iter().map(|hook| hook.event).collect(),
        command: line,
        change: (!same).then(|| Change { path: file.path.clone(), before, after: Some(after) }),
        notes,
    })
}

fn nowhere(scope: Scope) -> String {
    match scope {
        Scope::Project => "the home folder is no project; go to the folder of one".to_owned(),
        Scope::User | Scope::Managed => format!("there is no {scope} scope here (is HOME set?)"),
    }
}

/// What is said when a variable may move a host's folder where nobody has established that it does.
fn moved(host: HostId, places: &Places) -> Option<String> {
    let variable = ["CURSOR_CONFIG_DIR", "XDG_CONFIG_HOME"]
        .into_iter()
        .find(|name| host == HostId::Cursor && places.variables.contains_key(*name))?;
    Some(format!(
        "{variable} is set, which moves settings of Cursor's command line client; hooks are written to \
         ~/.cursor, where Cursor documents them: `tenter prove` tells whether they are read"
    ))
}

/// The text to be edited; a file that is not there is an empty one.
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

/// The file that our hooks go into: the one they are in, else a TOML file that holds hooks while there
/// is no other, else the host's hook file.
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

/// The events to be wired on a host of this version.
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
        // A version without the general event needs the ones it stands for.
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

/// What taking us out of these hosts would change.
pub fn uninstall(hosts: &[HostId], scope: Option<Scope>, survey: &Survey, ledger: &Ledger) -> Plan {
    let mut plan = Plan::default();
    for state in survey.hosts.iter().filter(|state| hosts.contains(&state.host)) {
        for file in &state.files {
            if file.read_only || scope.is_some_and(|scope| scope != file.scope) {
                continue;
            }
            let step = unwire(file, ledger);
            if matches!(step, Ok(None)) && ledger.entry(&file.path).is_some() {
                let text = file.text().map(str::to_owned);
                let path = file.path.clone();
                plan.settled.push(Change { path, before: text.clone(), after: text });
            }
            plan.add(state.host, step.map(|step| step.into_iter().collect()));
        }
        if state.host == HostId::Codex {
            disapprove(state, &mut plan);
        }
    }
    plan
}

/// Files that we wrote to, that still run us, and that the plan leaves as they are: those of other projects.
pub fn left_wired(plan: &Plan, ledger: &Ledger) -> Vec<PathBuf> {
    let changed = plan.changes();
    let is_changed = |path: &Path| {
        changed.iter().any(|change| files::real_path(&change.path).is_ok_and(|it| it == path))
    };
    let others = ledger.entries().iter().filter(|entry| !is_changed(&entry.path));
    let wired = others.filter(|entry| {
        let text = files::read(&entry.path).ok().flatten();
        text.is_some_and(|text| files::holds_ours(&entry.path, &text))
    });
    wired.map(|entry| entry.path.clone()).collect()
}

/// Takes the approvals of hooks that go away out of Codex's configuration: they would hold for whatever
/// comes to stand in the same place.
fn disapprove(state: &HostState, plan: &mut Plan) {
    let leaving = |file: &&HookFile| plan.steps.iter().any(|step| step.path == file.path);
    let keys: Vec<String> = state
        .files
        .iter()
        .filter(leaving)
        .flat_map(|file| file.ours().map(|(found, _)| codex_trust::key(&file.path, found)))
        .collect();
    let is_user_toml = |file: &&HookFile| file.scope == Scope::User && file.format == Format::Toml;
    let Some(file) = state.files.iter().find(is_user_toml) else { return };
    let Some(before) = file.text() else { return };
    let step = plan.steps.iter_mut().find(|step| step.path == file.path);
    let planned = step.and_then(|step| step.change.as_mut());
    let text = planned.as_ref().map_or(Some(before), |change| change.after.as_deref());
    let Some(after) = text.and_then(|text| codex_trust::forget(text, &keys)) else { return };
    // Codex makes the file for the first approval.
    let after = Some(after).filter(|after| !after.trim().is_empty());
    match planned {
        Some(change) => change.after = after,
        None => plan.steps.push(Step {
            host: file.host,
            scope: file.scope,
            path: file.path.clone(),
            events: Vec::new(),
            command: String::new(),
            change: Some(Change {
                path: file.path.clone(),
                before: Some(before.to_owned()),
                after,
            }),
            notes: vec!["Codex's approvals of these hooks go with them".to_owned()],
        }),
    }
}

fn unwire(file: &HookFile, ledger: &Ledger) -> Result<Option<Step>, String> {
    let entry = ledger.entry(&file.path);
    let text = match (&file.content, entry) {
        (Content::Hooks { text, .. }, _) => text,
        (Content::Missing, _) | (_, None) => return Ok(None),
        // We wrote to it, so something of ours may be in there.
        (_, Some(_)) => editable(file)?,
    };
    let step = |after: Option<String>, note: Option<String>| {
        let change = Change { path: file.path.clone(), before: Some(text.to_owned()), after };
        Step {
            host: file.host,
            scope: file.scope,
            path: file.path.clone(),
            events: Vec::new(),
            command: String::new(),
            change: Some(change),
            notes: note.into_iter().collect(),
        }
    };
    // Untouched since: what was there before us comes back, to the byte.
    let install = tenter_hosts::host(file.host).install();
    let style = Style { format: file.format, shape: install.shape, required: install.required };
    let holds_ours = |text: &str| edit::read(text, &style).is_ok_and(|it| it.iter().any(is_ours));
    if let Some(original) = ledger.original(&file.path, text)
        && !original.as_deref().is_some_and(holds_ours)
    {
        return Ok(Some(step(original, None)));
    }
    if file.ours().next().is_none() {
        return Ok(None);
    }
    // What was there before us tells which empty lists and which keys are not ours.
    let known = ledger.backup(&file.path).and_then(|backup| files::read(&backup).ok()?);
    let unwired = match &known {
        Some(before) => edit::unwire_to(before, text, &style, &is_ours),
        None => edit::unwire(text, &style, &is_ours),
    };
    let unwired = unwired
        .map_err(|fault| format!("{}, {fault}; nothing was changed", file.path.display()))?;
    let made_by_us = entry.is_some_and(|entry| entry.created_file);
    if unwired.empty && made_by_us {
        return Ok(Some(step(None, None)));
    }
    let note = "the file was changed by others since; only the entries of tenter are taken out";
    let note = entry.is_some().then(|| note.to_owned());
    Ok(Some(step(Some(unwired.text), note)))
}

/// A change as people read it.
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
