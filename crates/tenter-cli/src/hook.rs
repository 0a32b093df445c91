//! `tenter hook <host>`: the hot path.
//!
//! No argument parser, no runtime, no pattern compiled: decode, judge, encode, record, answer. Only policy
//! files are opened; one record and one sign of life are written, and more only when something was stopped or
//! counted. Every tool call of every agent pays for anything added here.
//!
//! ARCHITECTURE.md lists the hops of a call; `cargo xtask measure` compares that list with a trace.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use tenter_audit::spool::Failed;
use tenter_audit::unfinished::CallMark;
use tenter_hosts::{Bridge, Decoded, EncodeOptions, Handled, Outcome, Payload, trial};
use tenter_model::{Event, EventKind, FailMode, HostId};
use tenter_policy::scene::Scene;
use tenter_setup::canary::SESSION;

use crate::guard::canary::{self, Told};
use crate::guard::policies::{self, Loaded};
use crate::guard::record::{Grounds, JudgedEvent, Recorder, Watch};
use crate::guard::seen::{self, SignOfLife};
use crate::guard::{self, JudgeContext, LocalMachine, Trace, agents, handlers, stops};
use crate::{input, last_resort, output, wiring};

/// Runs one hook call.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    // Until command line and policy are known, the policy's default applies.
    last_resort::arm(FailMode::Ask);
    last_resort::start_clock();
    let (wiring, mistake) = wiring::of_hook(arguments);
    if let Some(message) = mistake.as_ref().filter(|_| std::io::stdin().is_terminal()) {
        return output::wiring_error("hook", message);
    }
    last_resort::with(wiring.on_failure.unwrap_or(FailMode::Ask));
    let mut watch = Watch::start();
    let machine = LocalMachine::read();
    let wired_as = wiring.bridge.host;
    // Before reading anything that others have written, so that a call that dies of it is noticed.
    let has_state = machine.folders.state.as_deref().is_some_and(std::path::Path::is_dir);
    let mut mark = begin_mark(&machine, wired_as, has_state);
    let payload = match wiring.notification {
        Some(argument) => Payload::from_bytes(argument.into_bytes()),
        None => input::read_stdin(wiring.max_bytes, input::PATIENCE).into_payload(),
    };
    watch.read();
    let is_trial = trial::is_marked(payload.text(), trial::TRIAL);
    // The first call creates our folder too. Proofs and trials leave nothing on a clean machine.
    if mark.is_none() {
        let leaves = !is_trial && !payload.text().contains(SESSION);
        mark = begin_mark(&machine, wired_as, leaves);
    }
    let here = policies::load(&machine.folders, &machine.here());
    watch.policy();
    let on_failure = wiring.on_failure.unwrap_or(here.policy.fail.guard);
    let bridge = Bridge { on_failure, ..wiring.bridge };
    last_resort::with(on_failure);

    let decoded = bridge.decode(&payload);
    let event = match mistake {
        None => decoded.event(),
        Some(mistake) => Err(format!("its command line is wrong: {mistake}; see tenter doctor")),
    };
    let canary = event.as_ref().ok().and_then(|event| canary::of(event));
    let ruling = match &event {
        Ok(event) => {
            let trace = if canary.is_some() || is_trial {
                Trace::None
            } else {
                Trace::Kept(wired_as.unwrap_or(event.host))
            };
            judge(&machine, &here, (trace, bridge.options), event, canary.as_ref(), &mut watch)
        }
        Err(failure) => Ruling::failed(failure.clone()),
    };
    let mut outcome = bridge.encode(&decoded, &ruling.handled);
    if let Some(canary) = &canary {
        canary.finish(&mut outcome);
    }
    // A canary of `tenter prove` says nothing about the host.
    let mut is_told = true;
    if !is_trial && canary.as_ref().is_none_or(|canary| !canary.made_up) {
        let loaded = ruling.elsewhere.as_ref().unwrap_or(&here);
        let canary = canary.is_some();
        let recorder = Recorder { machine: &machine, loaded, wired_as, canary };
        let event = event.as_ref().ok().copied();
        let is_embedded = trial::is_marked(payload.text(), trial::EMBEDDED);
        outcome.diagnostics.extend(leave_sign(&recorder, event, &outcome, is_embedded));
        let judged = JudgedEvent::of(event, &ruling.handled, &ruling.grounds);
        // The first copy of the call has its record.
        if !ruling.grounds.is_elsewhere
            && let Err(failed) = recorder.write(judged, &outcome, watch.answered())
        {
            is_told = failed.lost.is_some() || machine.folders.state.is_none();
            outcome = without_record(&bridge, &decoded, &recorder, &failed, outcome);
        }
    }
    end_mark(mark, &machine, wired_as, is_told);
    output::answer(&outcome, on_failure, &[])
}

/// Verdict on an event.
struct Ruling {
    handled: Handled,
    grounds: Grounds,
    /// The policy, if the event is from another folder than ours.
    elsewhere: Option<Loaded>,
}

impl Ruling {
    fn failed(failure: String) -> Self {
        Self { handled: Err(failure), grounds: Grounds::default(), elsewhere: None }
    }
}

/// Judges by guards, rules and handlers of the event's policy; a canary has its own answer.
fn judge(
    machine: &LocalMachine,
    here: &Loaded,
    (trace, options): (Trace, EncodeOptions),
    event: &Event<'_>,
    canary: Option<&Told>,
    watch: &mut Watch,
) -> Ruling {
    last_resort::at(event);
    last_resort::injected_fault();
    if let Some(handled) = canary.and_then(Told::handled) {
        return Ruling { handled, grounds: Grounds::default(), elsewhere: None };
    }
    let elsewhere = match policy_elsewhere(machine, here, event) {
        Ok(elsewhere) => elsewhere,
        Err(failure) => return Ruling::failed(failure),
    };
    let loaded = elsewhere.as_ref().unwrap_or(here);
    let policy = &loaded.policy;
    let changed = guard::wiring::changes(machine);
    let context = JudgeContext::new(machine, event, trace).with_options(options);
    let world = context.world();
    let mut scene = Scene::new(event, &world);
    let (judgement, more) = context.judge(policy, &mut scene);
    watch.judged();
    let mut warnings = [loaded.warnings.as_slice(), &machine.warnings, &more].concat();
    let mut verdict = judgement.verdict.clone();
    let mut grounds = Grounds::of(judgement, context.is_elsewhere());
    let mut wanted = Vec::new();
    if !context.is_elsewhere() {
        wanted = handlers::wanted(policy, &scene, &verdict);
    }
    if !wanted.is_empty() {
        let findings = &mut grounds.findings;
        warnings.extend(handlers::run(machine, policy, &wanted, event, &mut verdict, findings));
        watch.handled();
    }
    if let Trace::Kept(wired_as) = trace {
        warnings.extend(stops::bound(machine, event, wired_as, policy.stop_most, &mut verdict));
    }
    if !changed.is_empty() {
        guard::wiring::tell(&changed, &mut verdict, &mut grounds.findings, &mut warnings);
    }
    Ruling { handled: Ok((verdict, warnings)), grounds, elsewhere }
}

/// The policy of the event's folders, if it is not the current one.
fn policy_elsewhere(
    machine: &LocalMachine,
    here: &Loaded,
    event: &Event<'_>,
) -> Result<Option<Loaded>, String> {
    let places = guard::places(machine, event);
    if let Some(root) = machine.folders.inside(&places, machine.cwd.as_deref()) {
        let root = root.display();
        return Err(format!("the environment puts our files into the workspace: {root}"));
    }
    // Most hosts start hooks in the work folder; an event from elsewhere may have other policies.
    if places.iter().all(|place| Some(*place) == machine.cwd.as_deref()) {
        return Ok(None);
    }
    Ok(policies::load_elsewhere(&machine.folders, here, &places))
}

/// Marks the start of a call. If there is no file for it, `make` says whether to create one.
fn begin_mark(machine: &LocalMachine, wired_as: Option<HostId>, make: bool) -> Option<CallMark> {
    let state = machine.folders.state.as_deref()?;
    let host = wired_as.map_or("-", |host| host.as_str());
    let mark = CallMark::begin(state, machine.now_ms, host, || make);
    last_resort::mark(mark.as_ref());
    mark
}

/// Clears the mark. It stays if the call was neither recorded nor counted.
fn end_mark(
    mark: Option<CallMark>,
    machine: &LocalMachine,
    wired_as: Option<HostId>,
    is_told: bool,
) {
    last_resort::mark(None);
    match (mark, &machine.folders.state) {
        (mark, Some(state)) if !is_told => {
            let host = wired_as.map_or("-", |host| host.as_str());
            last_resort::keep(mark, state, machine.now_ms, host);
        }
        (Some(mark), _) => mark.end(),
        (None, _) => {}
    }
}

/// Leaves the sign of life, before the host gets its answer and may kill us. Returns errors.
fn leave_sign(
    recorder: &Recorder<'_>,
    event: Option<&Event<'_>>,
    outcome: &Outcome,
    is_embedded: bool,
) -> Option<String> {
    let machine = recorder.machine;
    let (state, host) = (machine.folders.state.as_ref()?, outcome.host?);
    let mut name = outcome.native_event.clone();
    // An unknown event name may be arbitrary text.
    if outcome.kind == EventKind::Other {
        name = recorder.clean(&name);
    }
    let sign = SignOfLife {
        host,
        event: name,
        at_ms: machine.now_ms,
        version: event.and_then(|event| event.host_version.as_deref()).map(str::to_owned),
        decision: outcome.answer.decision,
        wired_as: recorder.wired_as?,
    };
    let told = if is_embedded { None } else { seen::leave(state, &sign) };
    // A client started by `tenter prove` is not a working agent.
    if !recorder.canary {
        agents::remember(state, outcome.kind == EventKind::SessionStart);
    }
    told.map(|told| format!("tenter: {told}"))
}

/// The outcome of an unrecorded call: another answer if the policy requires a record.
fn without_record(
    bridge: &Bridge,
    decoded: &Decoded<'_>,
    recorder: &Recorder<'_>,
    failed: &Failed,
    mut outcome: Outcome,
) -> Outcome {
    if recorder.must_record() {
        let closed = Bridge { on_failure: FailMode::Closed, ..*bridge };
        outcome = closed.encode(decoded, &Err(failed.to_string()));
    }
    outcome.diagnostics.push(format!("tenter: {failed}").replace(char::is_control, " "));
    outcome
}
