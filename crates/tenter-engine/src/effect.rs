//! Computes from the merged answer what the agent does next.

use tenter_model::Decision;

use crate::Answer;
use crate::engine::{Engine, Part};
use crate::outcome::Outcome;
use crate::payload::Payload;
use crate::session::{Loop, Sessions};
use crate::settings::{Ask, Settings};
use crate::{AnswerField, Class, CursorEvent};

pub(crate) struct Effect {
    pub(crate) blocked: bool,
    pub(crate) asks: bool,
    pub(crate) warning: Option<String>,
}

/// Whether the action is blocked or asked about.
pub(crate) fn of(event: CursorEvent, answer: &Answer, settings: &Settings) -> Effect {
    let decided = |blocked| Effect { blocked, asks: false, warning: None };
    match answer.decision() {
        Some(Decision::Deny) => decided(true),
        Some(Decision::Ask) => ask(event, settings),
        Some(Decision::Allow) | None => decided(false),
    }
}

/// Effect of `ask`: Cursor supports it at two events only, and not in every version.
fn ask(event: CursorEvent, settings: &Settings) -> Effect {
    let version = &settings.cursor_version;
    let (what, why) = match event {
        CursorEvent::PreToolUse => (Ask::Ignored, "preToolUse does not ask".to_owned()),
        CursorEvent::SubagentStart => (Ask::Denies, "subagentStart does not ask".to_owned()),
        _ => (settings.ask(), format!("so Cursor {version} does, as its users report")),
    };
    match what {
        Ask::Prompts => Effect { blocked: false, asks: true, warning: None },
        Ask::Denies => Effect {
            blocked: true,
            asks: false,
            warning: Some(format!("`ask` is treated as a deny: {why}")),
        },
        Ask::Ignored => Effect {
            blocked: false,
            asks: false,
            warning: Some(format!("`ask` is not heeded, the action goes on: {why}")),
        },
    }
}

/// Drops `updated_mcp_tool_output` where the tool is not an MCP tool.
pub(crate) fn drop_foreign_output(parts: &mut [Part], payload: &Payload) {
    let tool = payload.text("tool_name").unwrap_or_default();
    if tool.starts_with("MCP:") || tool.starts_with("mcp__") {
        return;
    }
    for part in parts {
        if part.conclusion.answer.remove(AnswerField::UpdatedMcpToolOutput).is_some() {
            let text = "`updated_mcp_tool_output` has no effect: this is no MCP tool";
            part.conclusion.warnings.push(text.to_owned());
        }
    }
}

/// Bound of a hook without a limit, or with a larger one.
const MOST_FOLLOWUPS: u64 = 200;

/// Drops the follow-ups that the agent would ignore.
pub(crate) fn limit_followups(parts: &mut [Part], payload: &Payload, engine: &Engine) {
    let Some(event) = parts.first().map(|part| part.hook.event) else { return };
    if event.spec().class != Class::Stop {
        return;
    }
    let status = payload.text("status").unwrap_or_default();
    // The status matters for a subagent only.
    let any_status = event == CursorEvent::Stop;
    let conversation = payload.conversation().unwrap_or_default();
    let told = payload.number("loop_count").unwrap_or(0);
    for part in parts {
        let is_given = part.conclusion.answer.text(AnswerField::FollowupMessage);
        let is_given = is_given.is_some_and(|text| !text.is_empty());
        let one = Loop::new(&part.hook, payload);
        // Counted from the first event on, whatever the hook answers.
        let done = engine.sessions().followups(&conversation, &one, told);
        let refusal = if status != "completed" && !any_status {
            Some(format!("the status is `{status}`, and only `completed` goes on"))
        } else {
            let limit = part.hook.loop_limit.unwrap_or(u64::MAX).min(MOST_FOLLOWUPS);
            (done >= limit).then(|| format!("the hook has reached its loop_limit of {limit}"))
        };
        if let (true, Some(why)) = (is_given, refusal) {
            part.conclusion.answer.remove(AnswerField::FollowupMessage);
            part.conclusion.warnings.push(format!("`followup_message` is not used: {why}"));
        }
    }
}

/// Counts a follow-up that is used for the hook it came from.
pub(crate) fn count_followup(
    outcome: &Outcome,
    conversation: Option<&str>,
    payload: &Payload,
    sessions: &Sessions,
) {
    let from = outcome.provenance.get(&AnswerField::FollowupMessage).and_then(|from| from.first());
    if let Some(run) = from.and_then(|at| outcome.hooks.get(*at)) {
        let one = Loop::new(&run.hook, payload);
        sessions.count_followup(conversation.unwrap_or_default(), &one);
    }
}
