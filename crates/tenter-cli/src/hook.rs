//! `tenter hook <host>`: the hot path.
//!
//! No argument parser, no runtime, no pattern compiled: read, decode, judge, encode, print. Files are
//! opened only where policies may stand, and written only when something was stopped. What a new
//! feature adds here is paid by every tool call of every agent.

use std::ffi::OsString;
use std::process::ExitCode;

use tenter_hosts::{Bridge, FailMode, Outcome, Payload};
use tenter_model::{Decision, Event, Verdict};
use tenter_policy::Judgement;
use tenter_policy::policy::{self, Handler};
use tenter_policy::scene::Scene;

use crate::guard::policies::{self, Loaded};
use crate::guard::{self, Machine, Trace, handlers};
use crate::{input, last_resort, output, wiring};

/// Runs one hook call.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let wiring = match wiring::of_hook(arguments) {
        Ok(wiring) => wiring,
        Err(message) => return output::wiring_error("hook", &message),
    };
    let mut bridge = wiring.bridge;
    // Until the policy is known its own default holds.
    last_resort::arm(wiring.on_failure.unwrap_or(FailMode::Ask));
    let machine = Machine::read();
    let here: Vec<&str> = machine.cwd.as_deref().into_iter().collect();
    let loaded = policies::load(&machine.folders, &here);
    bridge.on_failure = wiring.on_failure.unwrap_or_else(|| fail_mode(loaded.policy.fail.guard));
    last_resort::arm(bridge.on_failure);
    let judge = |payload: &Payload| judge(&bridge, payload, &machine, &loaded);
    let outcome = match wiring.notification {
        Some(argument) => judge(&Payload::from_bytes(argument.into_bytes())),
        None => match input::read_stdin(wiring.max_bytes, input::PATIENCE).into_payload() {
            Ok(payload) => judge(&payload),
            Err((payload, cut)) => bridge.failed(payload.text(), &cut.to_string()),
        },
    };
    output::answer(&outcome, bridge.on_failure, &[])
}

/// The bridge and the policy have a word of their own for it: neither knows the other.
fn fail_mode(mode: policy::FailMode) -> FailMode {
    match mode {
        policy::FailMode::Open => FailMode::Open,
        policy::FailMode::Ask => FailMode::Ask,
        policy::FailMode::Closed => FailMode::Closed,
    }
}

fn judge(bridge: &Bridge, payload: &Payload, machine: &Machine, here: &Loaded) -> Outcome {
    bridge.answer(payload, |event| {
        last_resort::at(event);
        last_resort::injected_fault();
        let places = guard::places(machine, event);
        // Hosts start hooks where they work; an event from elsewhere has policies of its own.
        if places.iter().all(|place| Some(*place) == machine.cwd.as_deref()) {
            return Ok(evaluate(machine, here, event));
        }
        Ok(evaluate(machine, &policies::load(&machine.folders, &places), event))
    })
}

fn evaluate(machine: &Machine, loaded: &Loaded, event: &Event<'_>) -> (Verdict, Vec<String>) {
    let policy = &loaded.policy;
    let mut warnings = loaded.warnings.clone();
    let look = |scene: &Scene<'_>, judgement: &Judgement| {
        let mut wanted: Vec<&Handler> = Vec::new();
        if judgement.verdict.decision != Some(Decision::Deny) {
            wanted.extend(policy.handlers.iter().filter(|handler| handler.fits(scene)));
        }
        (judgement.verdict.clone(), wanted)
    };
    let ((mut verdict, wanted), more) = guard::judge(machine, policy, event, Trace::Kept, look);
    warnings.extend(more);
    warnings.extend(handlers::run(machine, policy, &wanted, event, &mut verdict));
    (verdict, warnings)
}
