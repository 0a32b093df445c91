//! The guard at work: policy files, session memory and exceptions around the pure judge.
//!
//! `hook`, `check`, `explain` and `test` all come through [`judge()`], so they cannot disagree.

mod files;
pub(crate) mod folders;
pub(crate) mod handlers;
pub(crate) mod human;
mod machine;
pub(crate) mod once;
pub(crate) mod policies;
mod session;
pub(crate) mod trust;

use tenter_model::Event;
use tenter_policy::scene::Scene;
use tenter_policy::{Judgement, Memory, Policy, World, judge_scene};

pub(crate) use machine::Machine;

/// What a judgement leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trace {
    /// A real call: sessions remember, exceptions are used up.
    Kept,
    /// Somebody only wants to know.
    None,
}

/// Judges one event, with a look at what was seen.
pub(crate) fn judge<T>(
    machine: &Machine,
    policy: &Policy,
    event: &Event<'_>,
    trace: Trace,
    look: impl FnOnce(&Scene<'_>, &Judgement) -> T,
) -> (T, Vec<String>) {
    let mut warnings = Vec::new();
    let memory = if trace == Trace::Kept {
        session::recall(event, &machine.folders).unwrap_or_else(|warning| {
            warnings.push(warning);
            Memory::new()
        })
    } else {
        Memory::new()
    };
    let (variables, secrets, own) = (machine.variables(), machine.secrets(), machine.own());
    let allowed_once =
        |code: &str| trace == Trace::Kept && once::take(&machine.folders, code, machine.now);
    let world = World {
        cwd: machine.cwd.as_deref(),
        home: machine.variable("HOME"),
        user: machine.variable("USER"),
        variables: &variables,
        secrets: &secrets,
        own: &own,
        language: machine.language,
        case_insensitive: cfg!(any(windows, target_os = "macos")),
        facts: &machine.files,
        memory: &memory,
        now: machine.now,
        allowed_once: &allowed_once,
    };
    let scene = Scene::new(event, &world);
    let judgement = judge_scene(policy, &scene);
    if trace == Trace::Kept {
        warnings.extend(session::remember(event, &machine.folders, &judgement.memos).err());
        warnings.extend(note(machine, event, &scene, &judgement).err());
    }
    (look(&scene, &judgement), warnings)
}

/// Notes a call that was stopped, so that a human can allow it.
fn note(
    machine: &Machine,
    event: &Event<'_>,
    scene: &Scene<'_>,
    judgement: &Judgement,
) -> Result<(), String> {
    let Some(code) = judgement.code.clone().filter(|_| judgement.verdict.decision.is_some()) else {
        return Ok(());
    };
    let rules = judgement.findings.iter().filter(|found| found.effective().decision().is_some());
    once::note(
        &machine.folders,
        &once::Stopped {
            code,
            at: machine.now,
            host: event.host.to_string(),
            cwd: scene.cwd.unwrap_or_default().to_owned(),
            message: judgement.verdict.user_message.clone().unwrap_or_default(),
            rules: rules.map(|found| found.rule.to_string()).collect(),
        },
    )
}

/// The folders whose project policies hold for an event.
pub(crate) fn places<'e>(machine: &'e Machine, event: &'e Event<'_>) -> Vec<&'e str> {
    let mut places: Vec<&str> = event.workspace_roots.iter().map(AsRef::as_ref).collect();
    places.extend(event.cwd.as_deref().filter(|cwd| !cwd.is_empty()).or(machine.cwd.as_deref()));
    places
}
