//! The guard at work: policy files, session memory and exceptions around the pure judge.
//!
//! `hook`, `check`, `explain` and `test` all come through [`judge()`], so they cannot disagree.

pub(crate) mod agents;
pub(crate) mod canary;
mod dialect;
mod files;
pub(crate) mod folders;
pub(crate) mod handlers;
pub(crate) mod human;
mod listing;
mod machine;
pub(crate) mod once;
pub(crate) mod policies;
pub(crate) mod record;
mod roots;
pub(crate) mod seen;
mod session;
pub(crate) mod trust;
mod twice;
pub(crate) mod wiring;
mod written;

use tenter_model::{Decision, Event, HostId, Verdict};
use tenter_policy::scene::{Moment, Scene};
use tenter_policy::secrets::{self, Known};
use tenter_policy::{Judgement, Memory, Policy, World, judge_scene};
use tenter_shell::Facts;

pub(crate) use machine::Machine;
use twice::Call;
use written::Written;

/// What a judgement leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trace {
    /// A real call, through the wiring of this host: sessions remember, exceptions are used up.
    Kept(HostId),
    /// Somebody only wants to know.
    None,
}

/// What somebody who only wants to know remembers.
static NO_MEMORY: Memory = Memory::new();

/// Judges one event, with a look at what was seen.
pub(crate) fn judge<T>(
    machine: &Machine,
    policy: &Policy,
    event: &Event<'_>,
    trace: Trace,
    look: impl FnOnce(&Scene<'_>, &Judgement) -> T,
) -> (T, Vec<String>) {
    let mut warnings = Vec::new();
    machine.files.begin();
    let call = match trace {
        Trace::Kept(wired_as) => Some(Call::recall(machine, event, wired_as, &mut warnings)),
        Trace::None => None,
    };
    let (variables, secrets, own) = (machine.variables(), machine.secrets(), machine.own());
    let written = match trace {
        Trace::Kept(_) => Written::of(event, machine),
        Trace::None => Written::default(),
    };
    let allowed_once = |code: &str| call.as_ref().is_some_and(|call| call.allowed_once(code));
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
        memory: call.as_ref().map_or(&NO_MEMORY, |call| &call.memory),
        written: &written,
        now: machine.now,
        allowed_once: &allowed_once,
    };
    let mut scene = Scene::new(event, &world);
    if let Some(told) = call.as_ref().and_then(Call::told) {
        return (look(&scene, &as_told(told.clone())), warnings);
    }
    let mut judgement = judge_scene(policy, &scene);
    // A guard that asked too late did not get an answer: that is a finding, and no approval.
    if machine.files.exhausted() && scene.give_up() {
        judgement = judge_scene(policy, &scene);
    }
    if let Some(call) = &call {
        match call.settle(&judgement, &mut warnings) {
            Some(told) => judgement = as_told(told),
            None => warnings.extend(note(machine, policy, event, &scene, &judgement).err()),
        }
        if scene.moment == Moment::Before && judgement.verdict.decision != Some(Decision::Deny) {
            warnings.extend(written.remember(&scene).err());
        }
    }
    (look(&scene, &judgement), warnings)
}

/// The judgement over a second copy of a call: what the first was told.
fn as_told(verdict: Verdict) -> Judgement {
    Judgement { verdict, ..Judgement::default() }
}

/// Notes a call that was stopped, so that a human can allow it.
fn note(
    machine: &Machine,
    policy: &Policy,
    event: &Event<'_>,
    scene: &Scene<'_>,
    judgement: &Judgement,
) -> Result<(), String> {
    let Some(code) = judgement.code.clone().filter(|_| judgement.verdict.decision.is_some()) else {
        return Ok(());
    };
    let values = machine.secrets();
    let folder = secrets::redact(scene.cwd.unwrap_or_default(), &Known { values: &values });
    let message = judgement.verdict.user_message.as_deref().unwrap_or_default();
    let rules = judgement.findings.iter().filter(|found| found.effective().decision().is_some());
    once::note(
        &machine.folders,
        &once::Stopped {
            code,
            at: machine.now,
            host: event.host.to_string(),
            cwd: policy.record.redact(&folder).into_owned(),
            message: policy.record.redact(message).into_owned(),
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
