//! Reads the answer of a hook by Claude Code's rules: for policy handlers, which run on every host, and for
//! canaries.

use serde_json::value::RawValue;
use tenter_model::{Decision, EventKind, Object, Verdict, json};

use crate::cursor::answer::{self, Given, Reading, Said};
use crate::cursor::{AnswerField as Field, Class, Spec, Subject};
use crate::trial::{Output, Reply, left_with, useless};

/// A valid answer.
#[derive(Debug, Default)]
pub struct Answer {
    pub verdict: Verdict,
    /// Replacement of the call's input.
    pub input: Option<Box<RawValue>>,
    pub warnings: Vec<String>,
    /// Denies only because it ends the turn; the pending call still runs (recorded).
    pub ends_turn: bool,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Exited with this code and printed no valid answer.
    Exit(Option<i32>),
    Words(String),
}

/// Answers that most events accept: a decision with its reason.
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

/// Keys with the same meaning at every event; they are read here.
const UNIVERSAL: &[&str] =
    &["continue", "stopReason", "suppressOutput", "systemMessage", "terminalSequence"];
/// Keys supported in `hookSpecificOutput`.
const SPECIFIC: &[&str] = &[
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
    "decision",
    "reason",
];

type Read = Result<Answer, Fault>;

/// Effect of a hook's answer on the call.
pub(crate) fn conclude(event: &str, output: &Output<'_>) -> Reply {
    const GATES: &[EventKind] =
        &[EventKind::PreToolUse, EventKind::UserPromptSubmit, EventKind::PermissionRequest];
    let kind = crate::Host::kind(&super::Claude, event);
    let text = String::from_utf8_lossy(output.stdout);
    let object = Object::parse(text.trim_start_matches('\u{feff}').trim()).ok();
    let nested = object.as_ref().and_then(|object| object.object("hookSpecificOutput"));
    if nested.is_some_and(|nested| nested.str("hookEventName").as_deref() != Some(event)) {
        return useless("its answer is one to another event");
    }
    let of_claude = ["decision", "hookSpecificOutput"];
    if object
        .as_ref()
        .is_some_and(|it| it.has("permission") && !of_claude.iter().any(|key| it.has(key)))
    {
        return useless("its answer is one to Cursor, which Claude Code does not read");
    }
    if object.is_none() && output.exit == Some(2) && kind == EventKind::PermissionRequest {
        return left_with(2);
    }
    let answer = match read(kind, output) {
        Ok(answer) => answer,
        Err(Fault::Exit(exit)) => return left_with(exit.unwrap_or_default()),
        Err(Fault::Words(why)) => return useless(why),
    };
    match answer.verdict.decision {
        Some(Decision::Deny) if GATES.contains(&kind) && !answer.ends_turn => Reply::Stopped,
        Some(Decision::Ask) if kind == EventKind::PreToolUse => Reply::Asked,
        _ => Reply::Passed,
    }
}

/// The answer of a run, or why it has none.
pub fn read(kind: EventKind, output: &Output<'_>) -> Result<Answer, Fault> {
    let text = String::from_utf8_lossy(output.stdout);
    let text = text.trim_start_matches('\u{feff}').trim();
    let is_json = text.starts_with('{') && text.ends_with('}');
    let said = if is_json { Some(answered(kind, text)) } else { None };
    let stderr = String::from_utf8_lossy(output.stderr).trim().to_owned();
    let stderr = Some(stderr).filter(|text| !text.is_empty());
    match (output.exit, said) {
        (Some(2), said) => exit_two(kind, text.is_empty(), stderr, said),
        // A valid answer overrides any other exit code.
        (_, Some(said)) => said,
        (Some(0), None) => {
            let is_context = matches!(kind, EventKind::UserPromptSubmit | EventKind::SessionStart);
            let is_context = is_context && !text.is_empty();
            let verdict = if is_context { Verdict::context(text) } else { Verdict::none() };
            Ok(Answer { verdict, ..Answer::default() })
        }
        (exit, None) => Err(Fault::Exit(exit)),
    }
}

/// Exit code 2 blocks; the output is read but cannot lift that.
fn exit_two(kind: EventKind, silent: bool, stderr: Option<String>, said: Option<Read>) -> Read {
    let mut answer = match said {
        Some(Ok(said)) => said,
        Some(Err(Fault::Words(fault))) => Answer { warnings: vec![fault], ..Answer::default() },
        Some(Err(Fault::Exit(_))) | None => Answer::default(),
    };
    let verdict = &mut answer.verdict;
    match kind {
        EventKind::Stop | EventKind::SubagentStop if silent && is_missing(stderr.as_deref()) => {
            let said = stderr.unwrap_or_default();
            return Err(Fault::Words(format!("exit 2, but it did not start: {said}")));
        }
        EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::SubagentStart
        | EventKind::PostCompact => {
            verdict.user_message = verdict.user_message.take().or(stderr);
        }
        EventKind::PermissionRequest | EventKind::Notification => {
            answer.warnings.push(format!("exit 2 has no effect at {kind}"));
        }
        _ => {
            if verdict.decision != Some(Decision::Deny) {
                verdict.reason = None;
            }
            verdict.reason = verdict.reason.take().or(stderr);
            verdict.decision = Some(Decision::Deny);
            answer.input = None;
        }
    }
    Ok(answer)
}

/// Whether stderr is the message of a shell or an interpreter that did not find its script.
fn is_missing(stderr: Option<&str>) -> bool {
    let marks = ["No such file or directory", "can't open file"];
    stderr.is_some_and(|text| marks.iter().any(|mark| text.contains(mark)))
}

fn answered(kind: EventKind, text: &str) -> Read {
    let bad = |error| Fault::Words(format!("it printed bad JSON: {error}"));
    let object = Object::parse(text).map_err(bad)?;
    let nested = object.object("hookSpecificOutput");
    let mut answer = match (kind, nested.as_ref().and_then(|it| it.object("decision"))) {
        (EventKind::PermissionRequest, Some(decision)) => permission(&decision)?,
        _ => specific(kind, &object)?,
    };
    let Answer { verdict, warnings, ends_turn, .. } = &mut answer;
    let unknown = nested.iter().flat_map(Object::entries).map(|(key, _)| key.as_ref());
    for key in unknown.filter(|key| !SPECIFIC.contains(key)) {
        warnings.push(format!("`{key}` cannot be carried over"));
    }
    if let Some(message) = object.str("systemMessage") {
        verdict.user_message = Some(message.into_owned());
    }
    if object.bool("continue") == Some(false) {
        *ends_turn = verdict.decision != Some(Decision::Deny);
        ends(kind, object.str("stopReason").as_deref(), verdict, warnings);
    }
    Ok(answer)
}

/// `continue: false` ends the turn and beats every decision. The nearest equivalent is to block the call.
fn ends(kind: EventKind, why: Option<&str>, verdict: &mut Verdict, warnings: &mut Vec<String>) {
    match kind {
        // A reason alone would make the agent go on.
        EventKind::Stop | EventKind::SubagentStop => {
            (verdict.decision, verdict.reason) = (None, None);
        }
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

/// Reads the event-specific keys with Cursor's reader for such answers.
fn specific(kind: EventKind, object: &Object<'_>) -> Read {
    let is_stop = matches!(kind, EventKind::Stop | EventKind::SubagentStop);
    let spec = if is_stop { STOPS } else { DECIDES };
    let spec = Spec { name: kind.as_str(), claude: Some(kind.as_str()), ..spec };
    let rest = object.entries().iter().filter(|(key, _)| !UNIVERSAL.contains(&key.as_ref()));
    match answer::read(members(rest).as_bytes(), &spec, Reading::OF_CLAUDE) {
        Said::Nothing => Ok(Answer::default()),
        Said::Answer(answer, warnings) => Ok(of_cursor(&answer, warnings)),
        Said::NotJson(fault) | Said::OffSchema(fault) => {
            Err(Fault::Words(format!("off-schema answer: {fault}")))
        }
    }
}

fn of_cursor(answer: &answer::Answer, warnings: Vec<String>) -> Answer {
    let blocks = answer.flag(Field::Continue) == Some(false);
    let goes_on = answer.text(Field::FollowupMessage);
    let verdict = Verdict {
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
    let input = match answer.get(Field::UpdatedInput) {
        Some(Given::Json(input)) => Some(input.clone()),
        _ => None,
    };
    Answer { verdict, input, warnings, ends_turn: false }
}

/// The answer to a permission request, which has its own format.
fn permission(decision: &Object<'_>) -> Read {
    let behavior = decision.str("behavior").unwrap_or_default();
    let mut verdict = match behavior.as_ref() {
        "allow" => Verdict::allow(),
        "deny" => Verdict { decision: Some(Decision::Deny), ..Verdict::none() },
        other => {
            let why = format!("off-schema answer: `behavior` cannot be `{other}`");
            return Err(Fault::Words(why));
        }
    };
    verdict.reason = decision.str("message").map(std::borrow::Cow::into_owned);
    let input = decision.get("updatedInput").filter(|input| !json::is_null(input));
    let input = input.map(ToOwned::to_owned);
    let lost = ["updatedPermissions", "interrupt"].iter().filter(|key| decision.has(key));
    let warnings = lost.map(|key| format!("`{key}` cannot be carried over")).collect();
    Ok(Answer { verdict, input, warnings, ends_turn: false })
}

/// A JSON object of these members.
fn members<'m, K: AsRef<str> + 'm>(members: impl Iterator<Item = &'m (K, &'m RawValue)>) -> String {
    let text = |key: &str| serde_json::Value::from(key).to_string();
    let members: Vec<String> =
        members.map(|(key, value)| format!("{}:{}", text(key.as_ref()), value.get())).collect();
    format!("{{{}}}", members.join(","))
}
