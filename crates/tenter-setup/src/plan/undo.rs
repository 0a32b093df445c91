//! Plans an uninstall.

use std::path::{Path, PathBuf};

use tenter_hosts::install::{Role, Scope, Wire};
use tenter_model::HostId;

use super::{Events, Plan, Step, editable, is_ours, matcher};
use crate::codex_trust;
use crate::edit::{self, Format, FoundHook, Hook, Style, Unwired};
use crate::files::{self, Change, Ledger};
use crate::import::{self, Importable};
use crate::survey::{Content, HookFile, HostState, Survey};

/// Which of our entries to remove.
#[derive(Clone, Debug)]
pub struct Leaving {
    pub hosts: Vec<HostId>,
    /// `None` means all scopes.
    pub scope: Option<Scope>,
    pub events: Events,
    pub matchers: Vec<(Option<String>, String)>,
}

impl Leaving {
    /// Whether an entry is ours and is to be removed.
    fn takes(&self, host: HostId, found: &FoundHook) -> bool {
        let install = tenter_hosts::host(host).install();
        let wire = install.wire(&found.event);
        let is_usual = |wire: &Wire| {
            wire.twin.is_some() || install.wires.iter().any(|usual| usual.event == wire.event)
        };
        let is_event = match &self.events {
            Events::All => true,
            Events::Usual => wire.is_some_and(is_usual),
            Events::Gates => wire.is_some_and(|wire| wire.role == Role::Gate),
            Events::Named(names) => names.contains(&found.event),
        };
        let wanted = wire.and_then(|wire| matcher(wire, &self.matchers));
        is_ours(found) && is_event && wanted.is_none_or(|it| found.matcher.as_ref() == Some(&it))
    }
}

/// Plans an uninstall for these hosts.
pub fn uninstall(leaving: &Leaving, survey: &Survey, ledger: &Ledger) -> Plan {
    let mut plan = Plan::default();
    for state in survey.hosts.iter().filter(|state| leaving.hosts.contains(&state.host)) {
        for file in &state.files {
            if file.read_only || leaving.scope.is_some_and(|scope| scope != file.scope) {
                continue;
            }
            let takes = |found: &FoundHook| leaving.takes(file.host, found);
            let stays = |found: &&FoundHook| is_ours(found) && !takes(found);
            let step = match file.hooks().iter().filter(stays).count() {
                0 => unwire(file, ledger),
                _ => thin(file, ledger, &takes),
            };
            if matches!(step, Ok(None)) && ledger.entry(&file.path).is_some() {
                let text = file.text().map(str::to_owned);
                let path = file.path.clone();
                plan.settled.push(Change { path, before: text.clone(), after: text });
            }
            plan.add(state.host, step.map(|step| step.into_iter().collect()));
        }
        if codex_trust::asks(state.host) {
            disapprove(state, leaving, &mut plan);
        }
    }
    plan
}

/// Foreign hooks that this plan restores.
pub fn put_back(plan: &Plan, survey: &Survey, ledger: &Ledger) -> Vec<Importable> {
    let mut back = Vec::new();
    for step in &plan.steps {
        let after = step.change.as_ref().and_then(|change| change.after.as_deref());
        let file = survey.files().find(|file| file.path == step.path);
        let (Some(after), Some(file), Some(entry)) = (after, file, ledger.entry(&step.path)) else {
            continue;
        };
        let style = Style::of(file.host, file.format);
        let hooks = edit::read(after, &style).unwrap_or_default();
        let content = Content::Hooks { text: after.to_owned(), hooks };
        let file = HookFile { content, ..file.clone() };
        let was_moved = |one: &Importable| entry.moved.iter().any(|hook| hook.is(&one.found));
        back.extend(import::existing([&file]).into_iter().filter(was_moved));
    }
    back
}

/// Files that still run us after the plan: those of other projects, and those where only some entries are
/// removed.
pub fn left_wired(plan: &Plan, ledger: &Ledger) -> Vec<PathBuf> {
    let changed = plan.changes();
    let is_left = |change: &Change, path: &Path| {
        let stays = change.after.as_deref().is_some_and(|text| files::holds_ours(path, text));
        !stays && files::real_path(&change.path).is_ok_and(|it| it == path)
    };
    let is_cleared = |path: &Path| changed.iter().any(|change| is_left(change, path));
    let others = ledger.entries().iter().filter(|entry| !is_cleared(&entry.path));
    let wired = others.filter(|entry| {
        let text = files::read(&entry.path).ok().flatten();
        text.is_some_and(|text| files::holds_ours(&entry.path, &text))
    });
    wired.map(|entry| entry.path.clone()).collect()
}

/// Removes the approvals of removed hooks from Codex's configuration: they would apply to whatever takes the
/// same position.
fn disapprove(state: &HostState, leaving: &Leaving, plan: &mut Plan) {
    let changes = |file: &&HookFile| plan.steps.iter().any(|step| step.path == file.path);
    let goes = |found: &&FoundHook| leaving.takes(state.host, found);
    let keys: Vec<String> = state
        .files
        .iter()
        .filter(changes)
        .flat_map(|file| {
            let found = file.hooks().iter().filter(goes);
            found.map(|found| codex_trust::key(&file.path, found))
        })
        .collect();
    let is_user_toml = |file: &&HookFile| file.scope == Scope::User && file.format == Format::Toml;
    let Some(file) = state.files.iter().find(is_user_toml) else { return };
    let Some(before) = file.text() else { return };
    let step = plan.steps.iter_mut().find(|step| step.path == file.path);
    let planned = step.and_then(|step| step.change.as_mut());
    let text = planned.as_ref().map_or(Some(before), |change| change.after.as_deref());
    let Some(after) = text.and_then(|text| codex_trust::forget(text, &keys)) else { return };
    // Codex creates the file for the first approval.
    let after = Some(after).filter(|after| !after.trim().is_empty());
    match planned {
        Some(change) => change.after = after,
        None => plan.steps.push(Step {
            notes: vec!["Codex's approvals of these hooks go with them".to_owned()],
            ..rewritten(file, before, after)
        }),
    }
}

/// A step that replaces a file's text and leaves no entries of ours.
fn rewritten(file: &HookFile, before: &str, after: Option<String>) -> Step {
    let change = Change { path: file.path.clone(), before: Some(before.to_owned()), after };
    Step {
        host: file.host,
        scope: file.scope,
        path: file.path.clone(),
        events: Vec::new(),
        command: String::new(),
        choice: None,
        fail_closed: false,
        change: Some(change),
        fault: None,
        notes: Vec::new(),
    }
}

/// Removes some of our entries and keeps the others.
fn thin(
    file: &HookFile,
    ledger: &Ledger,
    takes: &dyn Fn(&FoundHook) -> bool,
) -> Result<Option<Step>, String> {
    let text = editable(file)?;
    if !file.hooks().iter().any(takes) {
        return Ok(None);
    }
    let style = Style::of(file.host, file.format);
    let known = ledger.backup(&file.path).and_then(|backup| files::read(&backup).ok()?);
    let unwired = match &known {
        Some(before) => edit::unwire_to(before, text, &style, takes),
        None => edit::unwire(text, &style, takes),
    };
    let unwired = unwired
        .map_err(|fault| format!("{}, {fault}; nothing was changed", file.path.display()))?;
    let stays = |(found, _): &(&FoundHook, _)| !takes(found);
    Ok(Some(Step {
        events: file.ours().filter(stays).map(|(found, _)| found.event.clone()).collect(),
        command: file
            .ours()
            .next()
            .and_then(|(found, _)| found.command())
            .unwrap_or_default()
            .to_owned(),
        ..rewritten(file, text, Some(unwired.text))
    }))
}

fn unwire(file: &HookFile, ledger: &Ledger) -> Result<Option<Step>, String> {
    let entry = ledger.entry(&file.path);
    let text = match (&file.content, entry) {
        (Content::Hooks { text, .. }, _) => text,
        (Content::Missing, _) | (_, None) => return Ok(None),
        // We wrote it, so it may contain something of ours.
        (_, Some(_)) => editable(file)?,
    };
    let step = |after: Option<String>, note: Option<String>| Step {
        notes: note.into_iter().collect(),
        ..rewritten(file, text, after)
    };
    // Unchanged since: restore the original byte for byte.
    let style = Style::of(file.host, file.format);
    let holds_ours = |text: &str| edit::read(text, &style).is_ok_and(|it| it.iter().any(is_ours));
    if let Some(original) = ledger.original(&file.path, text)
        && !original.as_deref().is_some_and(holds_ours)
    {
        return Ok(Some(step(original, None)));
    }
    let moved: Vec<Hook> = entry.map(|entry| entry.moved.clone()).unwrap_or_default();
    if file.ours().next().is_none() && moved.is_empty() {
        return Ok(None);
    }
    // The original tells which empty lists and keys are not ours.
    let known = ledger.backup(&file.path).and_then(|backup| files::read(&backup).ok()?);
    let unwired = match &known {
        Some(before) => edit::unwire_to(before, text, &style, &is_ours),
        None => edit::unwire(text, &style, &is_ours),
    };
    let fault =
        |fault: edit::Fault| format!("{}, {fault}; nothing was changed", file.path.display());
    let mut unwired = unwired.map_err(fault)?;
    // Foreign hooks that we ran from the policy are restored, unless somebody did so already.
    let back: Vec<Hook> =
        moved.into_iter().filter(|hook| !file.hooks().iter().any(|found| hook.is(found))).collect();
    let is_back = |found: &FoundHook| back.iter().any(|hook| hook.is(found));
    if !back.is_empty() {
        let text = edit::wire(&unwired.text, &style, &back, &is_back).map_err(fault)?;
        unwired = Unwired { text, empty: false };
    }
    let made_by_us = entry.is_some_and(|entry| entry.created_file);
    if unwired.empty && made_by_us {
        return Ok(Some(step(None, None)));
    }
    let note = "the file was changed by others since; only the entries of tenter are taken out";
    let note = entry.is_some().then(|| note.to_owned());
    Ok(Some(step(Some(unwired.text), note)))
}
