//! The answer when we crash: the fail mode's, whatever the cause.
//!
//! The words are updated whenever more is known (fail mode, host, event) and stored where the panic hook and
//! signal handlers find them, so that a bug in the guard, a stack overflow, lack of memory or time is never
//! mistaken for approval.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tenter_audit::unfinished::{self, CallMark};
use tenter_hosts::{EncodeOptions, FailMode};
use tenter_model::EventKind;
use tenter_policy::secrets::{Known, redact};
use tenter_signals::{Cause, Words};

/// Deadline for policy, payload and judgement.
const JUDGED_BY: Duration = Duration::from_secs(10);

/// Deadline for a call with handlers. `install` configures a timeout of half a minute.
const ANSWERED_BY: Duration = Duration::from_secs(27);

/// Time reserved for answer and record after the last handler.
const TO_ANSWER: Duration = Duration::from_secs(2);

/// Minimum difference of the host's timeout and ours.
const MARGIN: Duration = Duration::from_secs(1);

struct Plan {
    on_failure: FailMode,
    /// The answer that lets the action go on.
    neutral: String,
    /// The answer that blocks where the host ignores the exit code.
    blocked: Option<String>,
    gate: bool,
    /// Start of the call, and the host's time limit.
    begun: Option<Instant>,
    limit: Duration,
    /// Description of the call, and the open file for its cause of death.
    call: String,
    mark: Option<i32>,
}

static PLAN: Mutex<Plan> = Mutex::new(Plan {
    on_failure: FailMode::Ask,
    neutral: String::new(),
    blocked: None,
    gate: true,
    begun: None,
    limit: ANSWERED_BY,
    call: String::new(),
    mark: None,
});

/// Catches panics and signals. Until the event is known, a failure is treated as one at a gate.
pub(crate) fn arm(on_failure: FailMode) {
    // Set the words first: a signal may arrive as soon as handlers are installed.
    with(on_failure);
    tenter_signals::arm();
    std::panic::set_hook(Box::new(|panic| {
        // If even this fails, an abort follows, which is caught too.
        let text = format!("internal error, please report it: {panic}");
        tenter_signals::leave(Cause { short: "panic", long: &text })
    }));
}

/// Starts the clock of a hook call: after its deadline the fail mode answers.
pub(crate) fn start_clock() {
    tenter_signals::deadline(shortened().unwrap_or(JUDGED_BY));
    if let Ok(mut plan) = PLAN.lock() {
        plan.begun = Some(Instant::now());
        plan.limit = shortened().unwrap_or(ANSWERED_BY);
    }
}

/// Sets the fail mode.
pub(crate) fn with(on_failure: FailMode) {
    if let Ok(mut plan) = PLAN.lock() {
        plan.on_failure = on_failure;
        plan.say();
    }
}

/// Sets the place for the cause of death: this call's mark, or none once it is cleared.
pub(crate) fn mark(mark: Option<&CallMark>) {
    #[cfg(unix)]
    if let Some(mark) = mark {
        use std::os::fd::AsRawFd;
        let file = mark.file().as_raw_fd();
        if let Ok(mut plan) = PLAN.lock() {
            plan.mark = Some(file);
        }
        return note_at(file, "");
    }
    if mark.is_none() {
        if let Ok(mut plan) = PLAN.lock() {
            plan.mark = None;
        }
        tenter_signals::forget_mark();
    }
}

fn note_at(file: i32, call: &str) {
    let (before, after) = CallMark::last_words(call);
    tenter_signals::on_death_write(file, &before, &after);
}

/// Event, session, call and tool on one line, as stored in a mark, redacted like a record.
fn called(event: &tenter_model::Event<'_>) -> String {
    /// Maximum length of a word.
    const LONGEST: usize = 64;
    let tool = event.tool_call().and_then(|call| call.native_tool.as_deref());
    let mut line = String::with_capacity(128);
    let mut is_plain = true;
    let name = Some(&*event.native_event);
    for (index, word) in
        [name, event.session_id.as_deref(), event.call_id.as_deref(), tool].into_iter().enumerate()
    {
        let fits = |word: &&str| (1..=LONGEST).contains(&word.len()) && !word.contains(' ');
        let word = word.filter(fits).unwrap_or("-");
        let is_known_event = index == 0 && event.kind() != EventKind::Other;
        is_plain &= is_known_event || is_name(word);
        line.push_str(word);
        line.push(' ');
    }
    // Skips the redaction for ordinary calls.
    if is_plain { line } else { redact(&line, &Known { values: &[] }).into_owned() }
}

/// Whether a word is too short for a secret, or has the form of hosts' ids.
fn is_name(word: &str) -> bool {
    let numbered = |start: &str| word.starts_with(start) && word.len() <= 32;
    word.len() < 20
        || numbered("toolu_")
        || numbered("call_")
        || word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// Keeps the mark of a call that was neither recorded nor counted.
pub(crate) fn keep(mark: Option<CallMark>, state: &Path, now_ms: u64, host: &str) {
    let call = PLAN.lock().map(|plan| plan.call.clone()).unwrap_or_default();
    if !mark.is_some_and(|mark| mark.keep(&call)) {
        unfinished::leave_name(state, now_ms, host);
    }
}

/// Sets the event that a failure would interrupt.
pub(crate) fn at(event: &tenter_model::Event<'_>) {
    let host = tenter_hosts::host(event.host);
    let Ok(mut plan) = PLAN.lock() else { return };
    plan.call = called(event);
    if let Some(file) = plan.mark {
        note_at(file, &plan.call);
    }
    plan.neutral = host.neutral(&event.native_event);
    let spec = host.spec(&event.native_event);
    plan.gate = spec.gate;
    if spec.gate && event.kind() == EventKind::PermissionRequest {
        let verdict = spec.verdict_on_failure(plan.on_failure, "it ended before it had a verdict");
        plan.blocked = Some(host.encode(event, &verdict, &EncodeOptions::default()).stdout);
    }
    plan.say();
    // Hosts give all gates the same time, and less to some events that nothing waits for.
    let Some(begun) = plan.begun.filter(|_| !plan.gate) else { return };
    let wires = host.install().wires.iter().filter(|wire| wire.event == event.native_event);
    let limit = wires.map(|wire| Duration::from_secs(wire.timeout.into())).min();
    let limit = limit.map(|limit| limit.saturating_sub(MARGIN));
    if let Some(limit) = limit.filter(|limit| *limit < JUDGED_BY) {
        plan.limit = limit;
        tenter_signals::deadline(left(begun, limit));
    }
}

/// Prepares for running handlers; returns the time left for them.
pub(crate) fn before_handlers() -> Duration {
    tenter_signals::release();
    let Ok(plan) = PLAN.lock() else { return Duration::ZERO };
    // Without a clock, the handler's own timeout is the only one.
    let Some(begun) = plan.begun else { return Duration::MAX };
    tenter_signals::deadline(left(begun, plan.limit));
    // Events with little time keep most of it for their handlers.
    left(begun, plan.limit.saturating_sub(TO_ANSWER.min(plan.limit / 4)))
}

/// The rest of a limit; at least a moment, since zero would stop the clock.
fn left(begun: Instant, limit: Duration) -> Duration {
    limit.saturating_sub(begun.elapsed()).max(Duration::from_millis(1))
}

impl Plan {
    fn say(&self) {
        tenter_signals::say(&if self.on_failure != FailMode::Open && self.gate {
            let before = "tenter: blocked because the hook that guards this failed: ";
            let exit = if self.blocked.is_some() { 0 } else { 2 };
            let stdout = self.blocked.as_deref().unwrap_or_default();
            Words { before, after: "\n", stdout, exit }
        } else {
            let after = "; nothing was stopped\n";
            Words { before: "tenter: ", after, stdout: &self.neutral, exit: 0 }
        });
    }
}

/// Injects faults for tests. Not in the release.
#[cfg(debug_assertions)]
mod faults {
    use std::fmt;
    use std::time::Duration;

    struct PanicsWhenShown;

    impl fmt::Display for PanicsWhenShown {
        #[expect(clippy::panic, reason = "a panic while a panic is told")]
        fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
            panic!("injected again")
        }
    }

    #[expect(unconditional_recursion, reason = "it is to use up the stack")]
    fn deeper(level: u64) -> u64 {
        std::hint::black_box([level; 64]).iter().sum::<u64>() + deeper(level + 1)
    }

    /// A shortened deadline for tests.
    pub(super) fn shortened() -> Option<Duration> {
        let text = std::env::var("TENTER_INJECT_DEADLINE_MS").ok()?;
        text.parse().ok().map(Duration::from_millis)
    }

    #[expect(clippy::panic, reason = "it is what the test asks for")]
    pub(crate) fn injected_fault() {
        let Some(fault) = std::env::var_os("TENTER_INJECT_FAULT") else { return };
        match fault.to_str() {
            Some("abort") => std::process::abort(),
            Some("hang") => std::thread::sleep(Duration::from_mins(10)),
            Some("spin") => loop {
                std::hint::spin_loop();
            },
            Some("stack") => drop(std::hint::black_box(deeper(0))),
            Some("memory") => drop(std::hint::black_box(vec![1_u8; 1 << 46])),
            Some("panic-twice") => panic!("{}", PanicsWhenShown),
            _ => panic!("injected"),
        }
    }
}

#[cfg(debug_assertions)]
pub(crate) use faults::injected_fault;
#[cfg(debug_assertions)]
use faults::shortened;

#[cfg(not(debug_assertions))]
pub(crate) fn injected_fault() {}

#[cfg(not(debug_assertions))]
fn shortened() -> Option<Duration> {
    None
}
