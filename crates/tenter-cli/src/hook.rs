//! `tenter hook <host>`: the hot path.
//!
//! No argument parser, no runtime, no pattern compiled: read, decode, judge, encode, print. Files are
//! opened only where policies may stand; written are one record and one sign of life, and more only
//! when something was stopped or counted. What a new feature adds here is paid by every tool call of every agent.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;

use tenter_hosts::{Bridge, FailMode, Outcome, Payload};
use tenter_model::{Decision, Event, EventKind, HostId, Verdict};
use tenter_policy::Judgement;
use tenter_policy::policy::{self, Handler};
use tenter_policy::scene::Scene;

use crate::guard::canary::{self, Told};
use crate::guard::policies::{self, Loaded};
use crate::guard::record::{Draft, Judged, Watch};
use crate::guard::seen::{self, Seen};
use crate::guard::{self, Machine, Trace, handlers};
use crate::{input, last_resort, output, wiring};

/// Runs one hook call.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let (wiring, mistake) = wiring::of_hook(arguments);
    if let Some(message) = mistake.as_ref().filter(|_| std::io::stdin().is_terminal()) {
        return output::wiring_error("hook", message);
    }
    let mut bridge = wiring.bridge;
    // Until the policy is known its own default holds.
    last_resort::arm(wiring.on_failure.unwrap_or(FailMode::Ask));
    let mut watch = Watch::start();
    let machine = Machine::read();
    let loaded = policies::load(&machine.folders, &machine.here());
    watch.policy();
    bridge.on_failure = wiring.on_failure.unwrap_or_else(|| fail_mode(loaded.policy.fail.guard));
    last_resort::arm(bridge.on_failure);
    let payload = match wiring.notification {
        Some(argument) => Ok(Payload::from_bytes(argument.into_bytes())),
        None => input::read_stdin(wiring.max_bytes, input::PATIENCE).into_payload(),
    };
    watch.read();
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
        leave_sign(&machine, &outcome, bridge.host, noted.version, &noted.draft);
        noted.draft.write(&machine, &bridge, payload.text(), &mut outcome);
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
    outcome: &Outcome,
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
        seen::leave(state, &Seen { host, event, at_ms, version, decision, wired_as });
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
    let look = |scene: &Scene<'_>, judgement: &Judgement| {
        let mut wanted: Vec<&Handler> = Vec::new();
        if judgement.verdict.decision != Some(Decision::Deny) {
            wanted.extend(policy.handlers.iter().filter(|handler| handler.fits(scene)));
        }
        (judgement.verdict.clone(), wanted, Judged::of(judgement))
    };
    let ((mut verdict, wanted, judged), more) = guard::judge(machine, policy, event, trace, look);
    draft.watch.judged();
    warnings.extend(more);
    if !wanted.is_empty() {
        warnings.extend(handlers::run(machine, policy, &wanted, event, &mut verdict));
        draft.watch.handled();
    }
    draft.event(machine, event, &verdict, &judged);
    (verdict, warnings)
}
