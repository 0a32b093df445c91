//! Runs the guard: policy files, session memory and exceptions around the pure judge.
//!
//! `hook`, `check`, `explain` and `test` all use [`JudgeContext::judge`], so they cannot disagree. The last three
//! run handlers only if asked for, and name those that they leave out.

pub(crate) mod agents;
pub(crate) mod canary;
pub(crate) mod dialect;
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
pub(crate) mod stops;
pub(crate) mod trust;
mod twice;
pub(crate) mod wiring;
mod written;

use std::cell::Cell;

use tenter_hosts::EncodeOptions;
use tenter_model::{Decision, Event, HostId, Verdict};
use tenter_policy::scene::{Moment, Scene};
use tenter_policy::secrets::{self, Known};
use tenter_policy::{Asking, Exceptions, Judgement, Memory, Policy, World, describe, judge_scene};
use tenter_shell::FileFacts;

pub(crate) use machine::LocalMachine;
use twice::{SessionCall, Told};
use written::SessionFiles;

/// Traces that a judgement leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trace {
    /// A real call through this host's hook: sessions are updated, exceptions used up.
    Kept(HostId),
    /// An inquiry without traces.
    None,
}

/// The memory of calls without traces.
static NO_MEMORY: Memory = Memory::new();

/// Inputs of a judgement beside event and policy, and the traces it leaves.
pub(crate) struct JudgeContext<'c> {
    machine: &'c LocalMachine,
    event: &'c Event<'c>,
    variables: Vec<(&'c str, &'c str)>,
    secrets: Vec<(&'c str, &'c str)>,
    own: Vec<&'c str>,
    /// The call in its session; `None` if it leaves no trace.
    call: Option<SessionCall<'c>>,
    written: SessionFiles,
    options: EncodeOptions,
    warnings: Vec<String>,
    /// Whether a copy of this call through another host's hooks was judged before.
    is_elsewhere: Cell<bool>,
}

impl<'c> JudgeContext<'c> {
    /// Gathers the facts for one event.
    pub(crate) fn new(machine: &'c LocalMachine, event: &'c Event<'c>, trace: Trace) -> Self {
        let mut warnings = Vec::new();
        machine.files.begin();
        let (call, written) = match trace {
            Trace::Kept(wired_as) => (
                Some(SessionCall::recall(machine, event, wired_as, &mut warnings)),
                SessionFiles::of(event, machine),
            ),
            Trace::None => (None, SessionFiles::default()),
        };
        let (variables, secrets, own) = (machine.variables(), machine.secrets(), machine.own());
        let (options, is_elsewhere) = (EncodeOptions::default(), Cell::new(false));
        Self {
            machine,
            event,
            variables,
            secrets,
            own,
            call,
            written,
            options,
            warnings,
            is_elsewhere,
        }
    }

    /// The same with the options of the hook's command line.
    pub(crate) fn with_options(self, options: EncodeOptions) -> Self {
        Self { options, ..self }
    }

    /// The facts in the judge's form.
    pub(crate) fn world(&self) -> World<'_> {
        let machine = self.machine;
        World {
            cwd: machine.cwd.as_deref(),
            home: machine.variable("HOME"),
            user: machine.variable("USER"),
            variables: &self.variables,
            secrets: &self.secrets,
            own: &self.own,
            language: machine.language,
            case_insensitive: cfg!(any(windows, target_os = "macos")),
            facts: &machine.files,
            memory: self.call.as_ref().map_or(&NO_MEMORY, |call| &call.memory),
            written: &self.written,
            now: machine.now,
            exceptions: self,
        }
    }

    /// Judges the scene, leaves traces and returns the judgement with errors.
    pub(crate) fn judge(&self, policy: &Policy, scene: &mut Scene<'_>) -> (Judgement, Vec<String>) {
        let mut warnings = self.warnings.clone();
        if let Some(told) = self.call.as_ref().and_then(SessionCall::told) {
            return (self.as_told(told), warnings);
        }
        let mut judgement = judge_scene(policy, scene);
        // A guard that got no answer to its questions has not approved: add a finding.
        if self.machine.files.exhausted() && scene.give_up() {
            judgement = judge_scene(policy, scene);
        }
        if let Some(call) = &self.call {
            // Handlers run for the first copy only, so the second must know that it is one.
            let leaves = policy.handlers.iter().any(|handler| handler.fits(scene));
            match call.settle(&judgement, leaves, &mut warnings) {
                Some(told) => judgement = self.as_told(&told),
                None => {
                    warnings.extend(self.note(policy, scene, &judgement).err());
                }
            }
            let is_stopped = judgement.verdict.decision == Some(Decision::Deny);
            if scene.moment == Moment::Before && !is_stopped {
                warnings.extend(self.written.remember(scene).err());
            }
        }
        (judgement, warnings)
    }

    /// Stores a stopped call, so that the user can allow it.
    fn note(
        &self,
        policy: &Policy,
        scene: &Scene<'_>,
        judgement: &Judgement,
    ) -> Result<(), String> {
        let is_stopped = match judgement.verdict.decision {
            Some(Decision::Deny) => true,
            Some(Decision::Ask) => self.asking() == Asking::Denies,
            _ => false,
        };
        let Some(code) = judgement.code.clone().filter(|_| is_stopped) else { return Ok(()) };
        let values = self.machine.secrets();
        let folder = secrets::redact(scene.cwd.unwrap_or_default(), &Known { values: &values });
        let (call, why) = describe(scene, &judgement.findings);
        once::note(
            &self.machine.folders,
            &once::Stopped {
                code,
                at: self.machine.now,
                host: self.event.host.to_string(),
                cwd: policy.record.redact(&folder).into_owned(),
                call: policy.record.redact(&call).into_owned(),
                why: policy.record.redact(&why).into_owned(),
            },
        )
    }
}

impl JudgeContext<'_> {
    /// Whether a copy of this call through another host's hooks was judged before: that one runs the handlers,
    /// says why and is recorded.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.is_elsewhere.get()
    }

    /// The judgement of a second copy of a call: the first one's answer.
    fn as_told(&self, told: &Told) -> Judgement {
        self.is_elsewhere.set(told.is_elsewhere);
        Judgement { verdict: told.verdict.clone(), ..Judgement::default() }
    }
}

impl Exceptions for JudgeContext<'_> {
    fn allowed_once(&self, code: &str) -> bool {
        self.call.as_ref().is_some_and(|call| call.allowed_once(code))
    }

    fn asking(&self) -> Asking {
        let host = tenter_hosts::host(self.event.host);
        let ask = Verdict { decision: Some(Decision::Ask), ..Verdict::none() };
        let is_headless = host
            .headless()
            .is_some_and(|(name, value)| std::env::var_os(name).is_some_and(|it| it == value));
        let mut actions = self.event.tool_call().into_iter().flat_map(|call| call.actions.iter());
        let is_silent =
            host.profile().silent_file_dialogs && actions.any(|action| action.file().is_some());
        match host.encode(self.event, &ask, &self.options).decision {
            Some(Decision::Ask) if !is_headless && is_silent => Asking::PromptsWithoutReason,
            Some(Decision::Ask) if !is_headless => Asking::Prompts,
            Some(Decision::Ask | Decision::Deny) => Asking::Denies,
            _ => Asking::Passes,
        }
    }
}

/// An event judged for a command, and what its handlers add.
pub(crate) struct Inquired {
    pub(crate) judgement: Judgement,
    /// Handlers that `tenter hook` would run and this did not.
    pub(crate) not_run: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// Judges a scene like `tenter hook`, without leaving traces. Handlers are programs that may do anything, so
/// they run only if asked for.
pub(crate) fn inquire(
    context: &JudgeContext<'_>,
    policy: &Policy,
    scene: &mut Scene<'_>,
    run_handlers: bool,
) -> Inquired {
    let (mut judgement, mut warnings) = context.judge(policy, scene);
    let wanted = handlers::wanted(policy, scene, &judgement.verdict);
    let mut not_run = Vec::new();
    if run_handlers {
        let Judgement { verdict, findings, .. } = &mut judgement;
        let (machine, event) = (context.machine, context.event);
        warnings.extend(handlers::run(machine, policy, &wanted, event, verdict, findings));
    } else {
        not_run.extend(wanted.iter().map(|handler| handler.id.clone()));
    }
    Inquired { judgement, not_run, warnings }
}

/// Judges an event without leaving traces, by guards and rules alone.
pub(crate) fn judgement(machine: &LocalMachine, policy: &Policy, event: &Event<'_>) -> Judgement {
    let context = JudgeContext::new(machine, event, Trace::None);
    let world = context.world();
    context.judge(policy, &mut Scene::new(event, &world)).0
}

/// The folders whose project policies apply to an event.
pub(crate) fn places<'e>(machine: &'e LocalMachine, event: &'e Event<'_>) -> Vec<&'e str> {
    let mut places: Vec<&str> = event.workspace_roots.iter().map(AsRef::as_ref).collect();
    places.extend(event.cwd.as_deref().filter(|cwd| !cwd.is_empty()).or(machine.cwd.as_deref()));
    places
}
