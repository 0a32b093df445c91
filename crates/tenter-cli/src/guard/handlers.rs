//! Runs a policy's handlers, in the protocol of `tenter run` or in the format of the host they were written
//! for.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use tenter_model::{Action, Decision, Event, Verdict};
use tenter_policy::policy::{FailMode, Handler, Policy};
use tenter_policy::scene::Scene;
use tenter_policy::{Finding, Level, Weight};
use tenter_shell::Certainty;

use super::dialect::{self, Asked};
use super::{LocalMachine, trust};
use crate::{last_resort, run};

/// The handlers to run after a judgement: none after a deny, which they cannot change.
pub(crate) fn wanted<'p>(
    policy: &'p Policy,
    scene: &Scene<'_>,
    verdict: &Verdict,
) -> Vec<&'p Handler> {
    let is_open = verdict.decision != Some(Decision::Deny);
    policy.handlers.iter().filter(|handler| is_open && handler.fits(scene)).collect()
}

/// Runs the matching handlers in policy order and merges their answers into the verdict. A handler that
/// decides is added to the findings. Returns errors.
pub(crate) fn run(
    machine: &LocalMachine,
    policy: &Policy,
    handlers: &[&Handler],
    event: &Event<'_>,
    verdict: &mut Verdict,
    findings: &mut Vec<Finding>,
) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut remarks = None;
    let (begun, time) = (Instant::now(), last_resort::before_handlers());
    for handler in handlers {
        if verdict.decision == Some(Decision::Deny) {
            break;
        }
        if handler.project && !trust::is_trusted(handler, machine) {
            let id = &handler.id;
            warnings.push(format!(
                "handler `{id}` of the project is not trusted and does not run; look at it, then `tenter trust`"
            ));
            continue;
        }
        let before = verdict.decision;
        let limit = Duration::from_millis(handler.timeout_ms);
        let asked = ask(handler, event, limit.min(time.saturating_sub(begun.elapsed())));
        let named = |text: String| format!("handler `{}`: {text}", handler.id);
        warnings.extend(asked.warnings.into_iter().map(named));
        for mut answer in asked.answers {
            if answer.decision.is_none() {
                join(&mut remarks, answer.reason.take());
            }
            warnings.extend(fold(verdict, answer, handler));
        }
        if let Some(failure) = asked.failure {
            fail(handler.fail_mode(policy.fail.handler), handler, &failure, verdict);
            warnings.push(failure);
        }
        if verdict.decision != before {
            decided(handler, verdict, findings);
        }
    }
    // The reason of a decision is not theirs. Without one the host's encoder finds the place.
    let place = match verdict.decision {
        None => &mut verdict.reason,
        Some(_) => &mut verdict.additional_context,
    };
    join(place, remarks);
    warnings
}

/// Names a handler whose answer decides: what it stops, or whose findings it lets through.
fn decided(handler: &Handler, verdict: &Verdict, findings: &mut Vec<Finding>) {
    let level = match verdict.decision {
        Some(Decision::Deny) => Level::Deny,
        Some(Decision::Ask) => Level::Ask,
        Some(Decision::Allow) | None => {
            let asking = findings.iter_mut().filter(|found| found.effective() == Level::Ask);
            asking.for_each(|it| it.excepted = Some(format!("handler `{}` allows it", handler.id)));
            Level::Log
        }
    };
    let reason = verdict.reason.as_deref().or(verdict.user_message.as_deref());
    findings.push(Finding {
        rule: format!("handler/{}", handler.id).into(),
        weight: Weight::Doubtful,
        level,
        origin: handler.origin,
        script: None,
        span: None,
        subject: String::new(),
        what: reason.unwrap_or("decided without a reason").to_owned(),
        instead: "".into(),
        certainty: Certainty::Certain,
        by_rule: true,
        excepted: None,
    });
}

/// Runs one handler, within its own timeout and the rest of the call's.
fn ask(handler: &Handler, event: &Event<'_>, limit: Duration) -> Asked {
    let command = command(handler, event);
    if let Some(foreign) = &handler.foreign {
        let mut asked = dialect::ask(foreign, event, &command, limit);
        asked.failure = asked.failure.map(|why| format!("handler `{}`: {why}", handler.id));
        return asked;
    }
    let mut said = Vec::new();
    match run::ask(event, &command, limit, &mut said) {
        Ok((answer, warnings)) => Asked { answers: vec![answer], warnings, ..Asked::default() },
        Err(failure) => Asked { failure: Some(failure), ..Asked::default() },
    }
}

/// The program and its arguments. A substituted value stays one argument: no shell is involved.
fn command(handler: &Handler, event: &Event<'_>) -> Vec<OsString> {
    let call = event.tool_call();
    let path = call.and_then(|call| call.files().next()).map(|file| file.path.to_owned());
    let command = call.and_then(|call| {
        call.actions.iter().find_map(|action| match action {
            Action::Shell { command, .. } => Some(command.get().into_owned()),
            _ => None,
        })
    });
    let fill = |word: &String| {
        OsString::from(match word.as_str() {
            "{path}" => path.as_deref().unwrap_or_default(),
            "{cwd}" => event.cwd.as_deref().unwrap_or_default(),
            "{command}" => command.as_deref().unwrap_or_default(),
            word => word,
        })
    };
    handler.run.iter().map(fill).collect()
}

/// Merges an answer into the verdict. It may tighten it; only a handler of the user or administrator may
/// loosen an ask: on no host does one hook's allow lift another's ask.
fn fold(verdict: &mut Verdict, answer: Verdict, handler: &Handler) -> Option<String> {
    let mut warning = None;
    match (answer.decision, verdict.decision) {
        (Some(Decision::Allow), Some(Decision::Ask)) if handler.foreign.is_some() => {}
        (Some(Decision::Allow), Some(Decision::Allow)) => {}
        (Some(Decision::Allow), Some(Decision::Ask) | None) if !handler.project => {
            verdict.decision = Some(Decision::Allow);
            (verdict.reason, verdict.user_message) = (answer.reason, answer.user_message);
        }
        (Some(Decision::Allow), _) => {
            let id = &handler.id;
            warning = Some(format!("handler `{id}` may only tighten: its `allow` does not count"));
        }
        (Some(decision), before) if before.is_none_or(|before| decision > before) => {
            verdict.decision = Some(decision);
            (verdict.reason, verdict.user_message) = (answer.reason, answer.user_message);
        }
        (Some(Decision::Ask), Some(Decision::Ask)) => {
            join(&mut verdict.reason, answer.reason);
            join(&mut verdict.user_message, answer.user_message);
        }
        (None, _) => join(&mut verdict.user_message, answer.user_message),
        _ => {}
    }
    join(&mut verdict.additional_context, answer.additional_context);
    if answer.modified_input.is_some() {
        verdict.modified_input = answer.modified_input;
    }
    warning
}

/// Appends a text.
fn join(all: &mut Option<String>, text: Option<String>) {
    let Some(text) = text else { return };
    *all = Some(match all.take() {
        Some(before) => format!("{before}\n{text}"),
        None => text,
    });
}

fn fail(mode: FailMode, handler: &Handler, failure: &str, verdict: &mut Verdict) {
    let decision = match mode {
        FailMode::Open => return,
        FailMode::Ask => Decision::Ask,
        FailMode::Closed => Decision::Deny,
    };
    if verdict.decision.is_none_or(|before| decision > before) {
        let text = format!("the handler `{}` that guards this failed: {failure}", handler.id);
        verdict.decision = Some(decision);
        (verdict.reason, verdict.user_message) = (Some(text.clone()), Some(text));
    }
}
