//! What a hook of Claude Code says, by Claude Code's rules.

use serde_json::value::RawValue;
use tenter_engine::answer::{self, Reading, Said};
use tenter_engine::runner::Ended;
use tenter_engine::{Answer, AnswerField as Field, Class, Given, Spec, Subject};
use tenter_model::{Decision, EventKind, Object, Verdict, json};

use super::super::{HandlerCall, code, exit, stderr};

/// What such a hook may say about an event: a decision with its reason.
const DECIDES: Spec = Spec {
    name: "",
    class: Class::Prompt,
    subject: Subject::Ignored,
    honoured: &[
        Field::Permission,
        Field::Continue,
        Field::UserMessage,
        Field::UpdatedInput,
        Field::AdditionalContext,
    ],
    tolerated: &[],
    permissions: &["allow", "deny", "ask"],
    waits: true,
    claude: None,
};
/// At the end of a turn, a block makes the agent go on.
const STOPS: Spec = Spec {
    class: Class::Stop,
    honoured: &[Field::FollowupMessage, Field::AdditionalContext],
    ..DECIDES
};

/// Keys that mean the same at every event; they are read here.
const UNIVERSAL: [&str; 5] =
    ["continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence"];
/// What is understood in `hookSpecificOutput`.
const SPECIFIC: [&str; 7] = [
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
    "decision",
    "reason",
];

type Read = Result<(Verdict, Vec<String>), String>;

/// What a run amounts to, or why it was none.
pub(in super::super) fn read(call: &HandlerCall, kind: EventKind, ended: &Ended) -> Read {
    let text = String::from_utf8_lossy(&ended.stdout);
    let text = text.trim_start_matches('\u{feff}').trim();
    let is_json = text.starts_with('{') && text.ends_with('}');
    let said = if is_json { Some(answered(call, kind, text)) } else { None };
    match (code(ended), said) {
        (Some(2), said) => exit_two(kind, text.is_empty(), stderr(ended), said),
        // With an answer that counts, no other exit code does.
        (_, Some(said)) => said,
        (Some(0), None) => {
            let is_context = matches!(kind, EventKind::UserPromptSubmit | EventKind::SessionStart);
            let is_context = is_context && !text.is_empty();
            let verdict = if is_context { Verdict::context(text) } else { Verdict::none() };
            Ok((verdict, Vec::new()))
        }
        (_, None) => Err(exit(ended)),
    }
}

/// Exit 2 blocks; what was printed is read, but cannot lift that.
fn exit_two(kind: EventKind, silent: bool, stderr: Option<String>, said: Option<Read>) -> Read {
    let (mut verdict, mut warnings) = match said {
        Some(Ok(said)) => said,
        Some(Err(fault)) => (Verdict::none(), vec![fault]),
        None => (Verdict::none(), Vec::new()),
    };
    match kind {
        EventKind::Stop | EventKind::SubagentStop if silent && is_missing(stderr.as_deref()) => {
            return Err(format!("exit 2, but it did not start: {}", stderr.unwrap_or_default()));
        }
        EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::SubagentStart
        | EventKind::PostCompact => {
            verdict.user_message = verdict.user_message.or(stderr);
        }
        EventKind::PermissionRequest | EventKind::Notification => {
            warnings.push(format!("exit 2 has no effect at {kind}"));
        }
        _ => {
            if verdict.decision != Some(Decision::Deny) {
                verdict.reason = None;
            }
            verdict.reason = verdict.reason.or(stderr);
            verdict.decision = Some(Decision::Deny);
            verdict.modified_input = None;
        }
    }
    Ok((verdict, warnings))
}

/// The words of a shell or an interpreter that did not find its script.
fn is_missing(stderr: Option<&str>) -> bool {
    let marks = ["No such file or directory", "can't open file"];
    stderr.is_some_and(|text| marks.iter().any(|mark| text.contains(mark)))
}

fn answered(call: &HandlerCall, kind: EventKind, text: &str) -> Read {
    let object = Object::parse(text).map_err(|error| format!("it printed bad JSON: {error}"))?;
    let nested = object.object("hookSpecificOutput");
    let mut warnings = Vec::new();
    let mut verdict = match (kind, nested.as_ref().and_then(|it| it.object("decision"))) {
        (EventKind::PermissionRequest, Some(decision)) => {
            permission(call, &decision, &mut warnings)?
        }
        _ => specific(call, kind, &object, &mut warnings)?,
    };
    let unknown = nested.iter().flat_map(Object::entries).map(|(key, _)| key.as_ref());
    for key in unknown.filter(|key| !SPECIFIC.contains(key)) {
        warnings.push(format!("`{key}` cannot be carried over"));
    }
    if let Some(message) = object.str("systemMessage") {
        verdict.user_message = Some(message.into_owned());
    }
    if object.bool("continue") == Some(false) {
        ends(kind, object.str("stopReason").as_deref(), &mut verdict, &mut warnings);
    }
    Ok((verdict, warnings))
}

/// `continue: false` ends the turn and beats every decision. What comes nearest is to stop what waits.
fn ends(kind: EventKind, why: Option<&str>, verdict: &mut Verdict, warnings: &mut Vec<String>) {
    match kind {
        EventKind::Stop | EventKind::SubagentStop => verdict.decision = None,
        EventKind::PreToolUse
        | EventKind::PermissionRequest
        | EventKind::UserPromptSubmit
        | EventKind::PostToolUse
        | EventKind::PostToolUseFailure => {
            if verdict.decision != Some(Decision::Deny) {
                verdict.decision = Some(Decision::Deny);
                verdict.reason = Some(why.unwrap_or("A hook ends the turn here.").to_owned());
            }
            warnings.push("`continue: false` is taken as a deny".to_owned());
        }
        _ => warnings.push(format!("`continue` has no effect at {kind}")),
    }
}

/// What is not universal, through the engine's reader of such answers.
fn specific(
    call: &HandlerCall,
    kind: EventKind,
    object: &Object<'_>,
    warnings: &mut Vec<String>,
) -> Result<Verdict, String> {
    let is_stop = matches!(kind, EventKind::Stop | EventKind::SubagentStop);
    let spec = if is_stop { STOPS } else { DECIDES };
    let spec = Spec { name: call.event, claude: Some(call.event), ..spec };
    let rest = object.entries().iter().filter(|(key, _)| !UNIVERSAL.contains(&key.as_ref()));
    let rest: Vec<(&str, &RawValue)> = rest.map(|(key, value)| (key.as_ref(), *value)).collect();
    let rest = members(&rest);
    match answer::read(rest.as_bytes(), &spec, Reading::OF_CLAUDE) {
        Said::Nothing => Ok(Verdict::none()),
        Said::Answer(answer, more) => {
            warnings.extend(more);
            Ok(verdict(call, &answer, warnings))
        }
        Said::NotJson(fault) | Said::OffSchema(fault) => Err(format!("off-schema answer: {fault}")),
    }
}

fn verdict(call: &HandlerCall, answer: &Answer, warnings: &mut Vec<String>) -> Verdict {
    let blocks = answer.flag(Field::Continue) == Some(false);
    let goes_on = answer.text(Field::FollowupMessage);
    let mut verdict = Verdict {
        decision: match answer.permission() {
            _ if blocks || goes_on.is_some() => Some(Decision::Deny),
            Some("deny") => Some(Decision::Deny),
            Some("ask") => Some(Decision::Ask),
            Some("allow") => Some(Decision::Allow),
            _ => None,
        },
        reason: goes_on.or_else(|| answer.text(Field::UserMessage)).map(str::to_owned),
        additional_context: answer.text(Field::AdditionalContext).map(str::to_owned),
        ..Verdict::none()
    };
    if let Some(Given::Json(input)) = answer.get(Field::UpdatedInput) {
        rewrite(call, input, &mut verdict, warnings);
    }
    verdict
}

/// The answer to a question for permission, which has a form of its own.
fn permission(
    call: &HandlerCall,
    decision: &Object<'_>,
    warnings: &mut Vec<String>,
) -> Result<Verdict, String> {
    let behavior = decision.str("behavior").unwrap_or_default();
    let mut verdict = match behavior.as_ref() {
        "allow" => Verdict::allow(),
        "deny" => Verdict { decision: Some(Decision::Deny), ..Verdict::none() },
        other => return Err(format!("off-schema answer: `behavior` cannot be `{other}`")),
    };
    verdict.reason = decision.str("message").map(std::borrow::Cow::into_owned);
    if let Some(input) = decision.get("updatedInput").filter(|input| !json::is_null(input)) {
        rewrite(call, input, &mut verdict, warnings);
    }
    for key in ["updatedPermissions", "interrupt"].iter().filter(|key| decision.has(key)) {
        warnings.push(format!("`{key}` cannot be carried over"));
    }
    Ok(verdict)
}

fn rewrite(
    call: &HandlerCall,
    input: &RawValue,
    verdict: &mut Verdict,
    warnings: &mut Vec<String>,
) {
    match call.input.changes(input) {
        Ok(changes) => verdict.modified_input = changes,
        Err(why) => warnings.push(format!("`updatedInput` cannot be carried over: {why}")),
    }
}

/// An object of these members.
fn members(members: &[(&str, &RawValue)]) -> String {
    let mut payload = tenter_engine::Payload::default();
    for (key, value) in members {
        payload.set_raw(key, (*value).to_owned());
    }
    payload.to_json()
}
