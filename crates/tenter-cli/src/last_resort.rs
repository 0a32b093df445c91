//! The answer when we ourselves break.
//!
//! With `panic = "abort"` nothing unwinds, but the panic hook runs first: it leaves with the fail
//! mode's answer, so that a bug in the guard is never mistaken for its approval.

use std::io::Write;
use std::sync::Mutex;

use tenter_hosts::FailMode;

struct Plan {
    on_failure: FailMode,
    /// What the host wants to read if the action is to go on.
    neutral: String,
    gate: bool,
}

static PLAN: Mutex<Plan> =
    Mutex::new(Plan { on_failure: FailMode::Open, neutral: String::new(), gate: true });

/// Installs the hook. Until an event is known, a failure is treated as one at a gate.
pub(crate) fn arm(on_failure: FailMode) {
    if let Ok(mut plan) = PLAN.lock() {
        plan.on_failure = on_failure;
    }
    std::panic::set_hook(Box::new(|panic| leave(&panic.to_string())));
}

/// Says what a failure from here on would interrupt.
pub(crate) fn at(event: &tenter_model::Event<'_>) {
    let host = tenter_hosts::host(event.host);
    if let Ok(mut plan) = PLAN.lock() {
        plan.neutral = host.neutral(&event.native_event);
        plan.gate = host.spec(&event.native_event).gate;
    }
}

#[expect(clippy::exit, reason = "a panic hook has no other way to choose the exit code")]
fn leave(panic: &str) -> ! {
    let text = format!("tenter: internal error, please report it: {panic}\n");
    drop(std::io::stderr().write_all(text.as_bytes()));
    // A poisoned or held lock means we broke while planning: stop, to be safe.
    let Ok(plan) = PLAN.try_lock() else { std::process::exit(2) };
    if plan.on_failure != FailMode::Open && plan.gate {
        std::process::exit(2);
    }
    drop(std::io::stdout().write_all(plan.neutral.as_bytes()));
    std::process::exit(0)
}

/// Panics if a test asks for it. Not in the release.
#[cfg(debug_assertions)]
pub(crate) fn injected_fault() {
    assert!(std::env::var_os("TENTER_INJECT_PANIC").is_none(), "injected");
}

#[cfg(not(debug_assertions))]
pub(crate) fn injected_fault() {}
