//! `tenter hook <host>`: the hot path.
//!
//! No argument parser, no runtime, no pattern compiled: read, decode, judge, encode, print. Files are
//! opened only where policies may stand; written are one record and one sign of life, and more only
//! when something was stopped or counted. What a new feature adds here is paid by every tool call of every agent.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use tenter_audit::unfinished::Mark;
use tenter_hosts::{Bridge, FailMode, Outcome, Payload};
use tenter_model::{Decision, Event, EventKind, HostId, Verdict};
use tenter_policy::Judgement;
use tenter_policy::policy::{self, Handler};
use tenter_policy::scene::Scene;
use tenter_setup::canary::SESSION;

use crate::guard::canary::{self, Told};
use crate::guard::policies::{self, Loaded};
use crate::guard::record::{Draft, Judged, Watch};
use crate::guard::seen::{self, Seen};
use crate::guard::{self, Machine, Trace, agents, handlers};
use crate::{input, last_resort, output, wiring};

/// Runs one hook call.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    // Until the command line and the policy are known, the policy's own default holds.
    last_resort::arm(FailMode::Ask);
    last_resort::start_clock();
    let (wiring, mistake) = wiring::of_hook(arguments);
    if let Some(message) = mistake.as_ref().filter(|_| std::io::stdin().is_terminal()) {
        return output::wiring_error("hook", message);
    }
    let mut bridge = wiring.bridge;
    last_resort::with(wiring.on_failure.unwrap_or(FailMode::Ask));
    let mut watch = Watch::start();
    let machine = Machine::read();
    // Before anything is looked at that others have written: a call that dies of it shall be seen.
    let wired_as = bridge.host.map_or("-", |host| host.as_str());
    let state = machine.folders.state.as_deref();
    let mut mark = state.and_then(|state| Mark::begin(state, machine.now_ms, wired_as, || false));
    last_resort::mark(mark.as_ref());
    let payload = match wiring.notification {
        Some(argument) => Ok(Payload::from_bytes(argument.into_bytes())),
        None => input::read_stdin(wiring.max_bytes, input::PATIENCE).into_payload(),
    };
    watch.read();
    // The first call of all makes the file. Proofs leave nothing where nothing was.
    if mark.is_none() {
        let (Ok(sent) | Err((sent, _))) = &payload;
        let make = || !sent.text().contains(SESSION);
        mark = state.and_then(|state| Mark::begin(state, machine.now_ms, wired_as, make));
        last_resort::mark(mark.as_ref());
    }
    let loaded = policies::load(&machine.folders, &machine.here());
    watch.policy();
    bridge.on_failure = wiring.on_failure.unwrap_or_else(|| fail_mode(loaded.policy.fail.guard));
    last_resort::with(bridge.on_failure);
    let mut noted = Noted { version: None, canary: None, draft: Draft::new(watch, bridge.host) };
    noted.draft.under(&loaded);
    let (payload, mut outcome) = match payload {
        Ok(payload) if let Some(message) = &mistake => {
            let failure = format!("its command line is wrong: {message}; see tenter doctor");
            let mut outcome = bridge.answer(&payload, |_| Err(failure.clone()));
            if outcome.host.is_none() {
                outcome = bridge.failed(payload.text(), &failure);
            }
            (payload, outcome)
        }
        Ok(payload) => {
            let outcome = judge(&bridge, &payload, &machine, &loaded, &mut noted);
            (payload, outcome)
        }
        Err((payload, cut)) => {
            let outcome = bridge.failed(payload.text(), &cut.to_string());
            (payload, outcome)
        }
    };
    // What `tenter prove` makes up says nothing about the host.
    if noted.canary.as_ref().is_none_or(|canary| !canary.made_up) {
        leave_sign(&machine, &mut outcome, bridge.host, noted.version, &noted.draft);
        noted.draft.write(&machine, &bridge, payload.text(), &mut outcome);
    }
    if let Some(mark) = mark {
        last_resort::mark(None);
        mark.end();
    }
    output::answer(&outcome, bridge.on_failure, &[])
}

/// What is kept of an event once it is answered.
#[derive(Debug)]
struct Noted {
    version: Option<String>,
    canary: Option<Told>,
    draft: Draft,
}

/// Says that this event reaches us, before the host gets its answer and may end us.
fn leave_sign(
    machine: &Machine,
    outcome: &mut Outcome,
    wired_as: Option<HostId>,
    version: Option<String>,
    draft: &Draft,
) {
    if let (Some(state), Some(host), Some(wired_as)) =
        (&machine.folders.state, outcome.host, wired_as)
    {
        let mut event = outcome.native_event.clone();
        // A name that no host is known to use may be anything.
        if outcome.kind == EventKind::Other {
            event = draft.clean(machine, &event);
        }
        let decision = outcome.answer.decision;
        let at_ms = machine.now_ms;
        let told = seen::leave(state, &Seen { host, event, at_ms, version, decision, wired_as });
        outcome.diagnostics.extend(told.map(|told| format!("tenter: {told}")));
        // A client that `tenter prove` has started is no agent at work.
        if !draft.canary {
            agents::remember(state, outcome.kind == EventKind::SessionStart);
        }
    }
}

/// The bridge and the policy have a word of their own for it: neither knows the other.
fn fail_mode(mode: policy::FailMode) -> FailMode {
    match mode {
        policy::FailMode::Open => FailMode::Open,
        policy::FailMode::Ask => FailMode::Ask,
        policy::FailMode::Closed => FailMode::Closed,
    }
}

fn judge(
    bridge: &Bridge,
    payload: &Payload,
    machine: &Machine,
    here: &Loaded,
    noted: &mut Noted,
) -> Outcome {
    let mut outcome = bridge.answer(payload, |event| {
        noted.version = event.host_version.as_deref().map(str::to_owned);
        last_resort::at(event);
        last_resort::injected_fault();
        noted.canary = canary::of(event);
        noted.draft.canary = noted.canary.is_some();
        if let Some(handled) = noted.canary.as_ref().and_then(Told::handled) {
            if let Ok((verdict, _)) = &handled {
                noted.draft.event(machine, event, verdict, &Judged::default());
            }
            return handled;
        }
        let trace = match noted.canary {
            Some(_) => Trace::None,
            None => Trace::Kept(bridge.host.unwrap_or(event.host)),
        };
        let places = guard::places(machine, event);
        if let Some(root) = machine.folders.inside(&places, machine.cwd.as_deref()) {
            let root = root.display();
            return Err(format!("the environment puts our files into the workspace: {root}"));
        }
        // Most hosts start hooks where they work; an event from elsewhere may have policies of its own.
        if places.iter().all(|place| Some(*place) == machine.cwd.as_deref()) {
            return Ok(evaluate(trace, machine, here, event, &mut noted.draft));
        }
        let Some(loaded) = policies::load_elsewhere(&machine.folders, here, &places) else {
            return Ok(evaluate(trace, machine, here, event, &mut noted.draft));
        };
        noted.draft.under(&loaded);
        Ok(evaluate(trace, machine, &loaded, event, &mut noted.draft))
    });
    if let Some(canary) = &noted.canary {
        canary.finish(&mut outcome);
    }
    outcome
}

fn evaluate(
    trace: Trace,
    machine: &Machine,
    loaded: &Loaded,
    event: &Event<'_>,
    draft: &mut Draft,
) -> (Verdict, Vec<String>) {
    let policy = &loaded.policy;
    let mut warnings = loaded.warnings.clone();
    warnings.extend_from_slice(&machine.warnings);
    let look = |scene: &Scene<'_>, judgement: &Judgement| {
        let mut wanted: Vec<&Handler> = Vec::new();
        if judgement.verdict.decision != Some(Decision::Deny) {
            wanted.extend(policy.handlers.iter().filter(|handler| handler.fits(scene)));
        }
        (judgement.verdict.clone(), wanted, Judged::of(judgement))
    };
    let changed = guard::wiring::changes(machine);
    let ((mut verdict, wanted, mut judged), more) =
        guard::judge(machine, policy, event, trace, look);
    draft.watch.judged();
    warnings.extend(more);
    if !wanted.is_empty() {
        warnings.extend(handlers::run(machine, policy, &wanted, event, &mut verdict));
        draft.watch.handled();
    }
    if !changed.is_empty() {
        guard::wiring::tell(&changed, &mut verdict, &mut judged.findings, &mut warnings);
    }
    draft.event(machine, event, &verdict, &judged);
    (verdict, warnings)
}
