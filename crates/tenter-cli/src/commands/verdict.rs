//! Formats findings and verdicts for `check` and `explain`.

use std::fmt::Write;

use serde_json::{Value, json};
use tenter_engine::diagnostic::printable;
use tenter_hosts::{EncodeOptions, host};
use tenter_model::{Decision, Enforcement, Event, HostId, Verdict};
use tenter_policy::scene::Scene;
use tenter_policy::{Finding, Policy};

use super::Style;
use super::log::text::marked;
use crate::guard::Inquired;

/// Name of a decision; `none` leaves it to the host.
pub(super) fn word(decision: Option<Decision>) -> &'static str {
    decision.map_or("none", Decision::as_str)
}

fn colour(decision: Option<Decision>) -> &'static str {
    match decision {
        Some(Decision::Deny) => "1;31",
        Some(Decision::Ask) => "1;33",
        Some(Decision::Allow) | None => "1;32",
    }
}

/// The verdict, every finding with its words, and how to allow it.
pub(super) fn human(
    scene: &Scene<'_>,
    inquired: &Inquired,
    policy: &Policy,
    style: Style,
) -> String {
    let judgement = &inquired.judgement;
    let decision = judgement.verdict.decision;
    let mut text = format!("verdict  {}", style.paint(colour(decision), word(decision)));
    if judgement.findings.is_empty() {
        text.push_str("  no guard and no rule has anything against it");
    }
    text.push('\n');
    text.push_str(&not_run(&inquired.not_run));
    for found in &judgement.findings {
        finding(&mut text, found, scene, policy, style);
    }
    if let Some(context) = &judgement.verdict.additional_context {
        let _ = writeln!(text, "\ntold to the model: {}", printable(context));
    }
    text
}

/// Names the handlers that were left out.
pub(super) fn not_run(handlers: &[String]) -> String {
    let names = printable(&handlers.join(", ")).into_owned();
    match handlers.len() {
        0 => String::new(),
        1 => format!("1 handler not run: {names} (--handlers runs it)\n"),
        count => format!("{count} handlers not run: {names} (--handlers runs them)\n"),
    }
}

fn finding(text: &mut String, found: &Finding, scene: &Scene<'_>, policy: &Policy, style: Style) {
    let level = found.effective();
    let name = style.paint(colour(level.decision()), level.as_str());
    let _ =
        writeln!(text, "\n{name}  {}  {}", style.paint("1", &found.rule), printable(&found.what));
    let place = scene.command.as_deref().zip(found.span);
    if let Some((line, marks)) = place.and_then(|(text, span)| marked(text, span.range())) {
        let _ =
            writeln!(text, "      {line}\n      {}", style.paint(colour(level.decision()), &marks));
    }
    if !found.instead.is_empty() {
        let _ = writeln!(text, "      instead: {}", printable(&found.instead));
    }
    let mut by = format!("{}, set by: {}", found.level, policy.says(found.origin));
    if let Some(reason) = &found.excepted {
        let _ = write!(by, "; excepted: {}", printable(reason));
    }
    let _ = writeln!(text, "      {}", style.paint("2", &by));
}

/// The judgement as JSON.
pub(super) fn json(inquired: &Inquired, policy: &Policy) -> Value {
    let judgement = &inquired.judgement;
    json!({
        "decision": word(judgement.verdict.decision),
        "reason": judgement.verdict.reason,
        "user_message": judgement.verdict.user_message,
        "additional_context": judgement.verdict.additional_context,
        "code": judgement.code,
        "handlers_not_run": inquired.not_run,
        "findings": judgement.findings.iter().map(|found| finding_json(found, policy)).collect::<Vec<_>>(),
    })
}

fn finding_json(found: &Finding, policy: &Policy) -> Value {
    json!({
        "rule": found.rule,
        "level": found.effective().as_str(),
        "weight": found.weight.as_str(),
        "origin": policy.says(found.origin),
        "span": found.span.map(|span| json!({ "start": span.start, "end": span.end })),
        "subject": found.subject,
        "what": found.what,
        "instead": found.instead,
        "certainty": found.certainty.name(),
        "excepted": found.excepted,
    })
}

/// The schema of [`json()`].
pub(super) fn schema() -> Value {
    let text = json!({ "type": "string" });
    let maybe_text = json!({ "type": ["string", "null"] });
    let span = json!({
        "type": ["object", "null"],
        "description": "Bytes of the command; null if it is not about a command.",
        "required": ["start", "end"],
        "additionalProperties": false,
        "properties": { "start": { "type": "integer" }, "end": { "type": "integer" } },
    });
    json!({
        "type": "object",
        "required": ["decision", "reason", "user_message", "additional_context", "code", "handlers_not_run", "findings"],
        "additionalProperties": false,
        "properties": {
            "decision": { "enum": ["allow", "ask", "deny", "none"] },
            "reason": maybe_text,
            "user_message": maybe_text,
            "additional_context": maybe_text,
            "code": { "type": ["string", "null"], "description": "For `tenter allow once`." },
            "handlers_not_run": { "type": "array", "items": text, "description": "Handlers that tenter hook would also ask; empty with --handlers." },
            "findings": { "type": "array", "items": {
                "type": "object",
                "required": ["rule", "level", "weight", "origin", "span", "subject", "what", "instead", "certainty", "excepted"],
                "additionalProperties": false,
                "properties": {
                    "rule": { "type": "string", "description": "guard/check, or the id of a rule." },
                    "level": { "enum": ["off", "log", "ask", "deny"] },
                    "weight": { "enum": ["minor", "doubtful", "grave"] },
                    "origin": { "type": "string", "description": "Which preset or layer chose the level." },
                    "span": span,
                    "subject": text,
                    "what": text,
                    "instead": text,
                    "certainty": { "enum": ["certain", "possible", "unknown"] },
                    "excepted": { "type": ["string", "null"], "description": "Why it is let through all the same." },
                },
            } },
        },
    })
}

/// A host's handling of a verdict.
#[derive(Debug)]
pub(super) struct OnHost {
    pub(super) host: HostId,
    pub(super) decision: Option<Decision>,
    pub(super) enforcement: Enforcement,
    pub(super) losses: Vec<String>,
}

/// The verdict on every host, before a shell command.
pub(super) fn on_hosts(event: &Event<'_>, verdict: &Verdict) -> Vec<OnHost> {
    let ask = |id: HostId| {
        let native = host(id).trial().shell_event;
        let event = Event { host: id, native_event: native.into(), ..event.clone() };
        let answer = host(id).encode(&event, verdict, &EncodeOptions::default());
        OnHost {
            host: id,
            decision: answer.decision,
            enforcement: answer.enforcement,
            losses: answer.losses.iter().map(ToString::to_string).collect(),
        }
    };
    HostId::ALL.into_iter().map(ask).collect()
}

/// The same as text.
pub(super) fn hosts(hosts: &[OnHost], style: Style) -> String {
    let mut text = String::from("\n");
    for on in hosts {
        let what = match (on.decision, on.enforcement) {
            (None, _) => "goes on as if there were no hook",
            (Some(Decision::Allow), _) => "lets it run without asking",
            (Some(Decision::Deny), Enforcement::Hard) => "does not run it",
            (Some(_), Enforcement::Prompt) => "asks you",
            (Some(Decision::Ask), Enforcement::Hard) => "blocked, needs your OK",
            (Some(_), Enforcement::Advisory) => "only tells the model",
            (Some(_), Enforcement::None) => "takes no notice",
        };
        let _ = writeln!(
            text,
            "{:12} {}  {what}",
            on.host.title(),
            style.paint(colour(on.decision), word(on.decision))
        );
        for loss in &on.losses {
            let _ = writeln!(text, "             {}", style.paint("2", &printable(loss)));
        }
    }
    text
}
