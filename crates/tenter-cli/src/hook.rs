//! `tenter hook <host>`: the hot path.
//!
//! No argument parser, no runtime, no file, no pattern compiled: read, decode, evaluate, encode,
//! print. What a new feature adds here is paid by every tool call of every agent.

use std::ffi::OsString;
use std::process::ExitCode;

use tenter_hosts::{Bridge, Payload};
use tenter_model::{Event, Verdict};

use crate::{input, last_resort, output, wiring};

/// Runs one hook call.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let wiring = match wiring::of_hook(arguments) {
        Ok(wiring) => wiring,
        Err(message) => return output::wiring_error("hook", &message),
    };
    let bridge = wiring.bridge;
    last_resort::arm(bridge.on_failure);
    let outcome = match wiring.notification {
        Some(argument) => judge(&bridge, &Payload::from_bytes(argument.into_bytes())),
        None => match input::read_stdin(wiring.max_bytes, input::PATIENCE).into_payload() {
            Ok(payload) => judge(&bridge, &payload),
            Err((payload, cut)) => bridge.failed(payload.text(), &cut.to_string()),
        },
    };
    output::answer(&outcome, bridge.on_failure, &[])
}

fn judge(bridge: &Bridge, payload: &Payload) -> tenter_hosts::Outcome {
    bridge.answer(payload, |event| {
        last_resort::at(event);
        last_resort::injected_fault();
        Ok((evaluate(event), Vec::new()))
    })
}

/// The policy's seat. There is no policy yet, so there is no opinion.
fn evaluate(_event: &Event<'_>) -> Verdict {
    Verdict::none()
}
