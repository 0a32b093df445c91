//! Cursor's format: builds its payloads from unified events, and reads its answers.

mod answer;
mod tools;

use serde_json::{Value, json};
use tenter_engine::{CursorEvent, Payload, Settings, Subject};
use tenter_model::{Body, Event, StopInfo};
use tenter_policy::policy::{Foreign, Speaks};

use super::input::Input;
use super::{HandlerCall, portable};

pub(super) use answer::{read, unreadable};

/// Fields of every event, beside its name.
const COMMON: &[&str] = &[
    "conversation_id",
    "generation_id",
    "model",
    "model_id",
    "model_params",
    "cursor_version",
    "workspace_roots",
    "user_email",
    "transcript_path",
    "session_id",
];

/// The version in built payloads.
pub(super) fn version() -> String {
    Settings::default().cursor_version
}

/// The calls that Cursor would make of this event, or why it has none.
pub(super) fn calls(event: &Event<'_>, foreign: &Foreign) -> Result<Vec<HandlerCall>, String> {
    let wanted = match foreign.event.as_str() {
        "" => None,
        name => Some(CursorEvent::parse(name).map_err(|unknown| unknown.to_string())?),
    };
    if event.host == foreign.speaks.host() {
        let own = CursorEvent::named(&event.native_event);
        if let Some(own) = own.filter(|own| wanted.is_none_or(|wanted| wanted == *own)) {
            return Ok(vec![sent(event, own)]);
        }
    }
    let mut calls = Vec::new();
    for (named, payload, input) in made(event, wanted) {
        let call = call(named, &payload, input);
        calls.push(HandlerCall { json: portable(&payload), ..call });
    }
    if calls.is_empty() && wanted.is_none() {
        return Err(format!("Cursor has no event like `{}`", event.native_event));
    }
    Ok(calls)
}

/// The payload as Cursor sent it.
fn sent(event: &Event<'_>, named: CursorEvent) -> HandlerCall {
    let payload = Payload::parse(event.native).unwrap_or_default();
    let input = Input::own(&payload);
    HandlerCall { json: event.native.to_owned(), ..call(named, &payload, input) }
}

fn call(named: CursorEvent, payload: &Payload, input: Input) -> HandlerCall {
    let subject = match named.spec().subject {
        Subject::Ignored => None,
        Subject::Constant(word) => Some(word.to_owned()),
        Subject::Field(field) => payload.text(field),
        Subject::McpTool => {
            let tool = payload.text("tool_name").unwrap_or_default();
            Some(format!("MCP:{}", tool.strip_prefix("MCP:").unwrap_or(&tool)))
        }
    };
    let subjects = subject.into_iter().collect();
    HandlerCall { event: named.name(), json: String::new(), subjects, nameless: false, input }
}

type Made = (CursorEvent, Payload, Input);

/// Payloads of the requested event, or of the most specific one.
fn made(event: &Event<'_>, wanted: Option<CursorEvent>) -> Vec<Made> {
    let plain = |named: CursorEvent, fields: Value| {
        if wanted.is_some_and(|wanted| wanted != named) {
            return Vec::new();
        }
        let mut payload = common(event, named);
        if let Value::Object(fields) = fields {
            fields.iter().for_each(|(key, value)| payload.set(key, value));
        }
        vec![(named, payload, Input::default())]
    };
    match &event.body {
        Body::PreToolUse(_) | Body::PostToolUse(_) | Body::PostToolUseFailure(_) => {
            tools::made(event, wanted)
        }
        Body::SessionStart { .. } => {
            plain(CursorEvent::SessionStart, json!({ "is_background_agent": false }))
        }
        Body::SessionEnd { duration_ms, .. } => plain(
            CursorEvent::SessionEnd,
            json!({
                "reason": "completed", "duration_ms": duration_ms, "is_background_agent": false,
                "final_status": "completed",
            }),
        ),
        Body::UserPromptSubmit { prompt, attachments } => plain(
            CursorEvent::BeforeSubmitPrompt,
            json!({ "prompt": prompt, "attachments": attachments }),
        ),
        Body::SubagentStart { task } => plain(
            CursorEvent::SubagentStart,
            json!({
                "subagent_id": event.agent.id, "subagent_type": event.agent.kind, "task": task,
                "parent_conversation_id": event.session_id, "is_parallel_worker": false,
            }),
        ),
        Body::SubagentStop(info) => plain(
            CursorEvent::SubagentStop,
            json!({
                "subagent_type": event.agent.kind, "status": status(info), "task": info.task,
                "summary": info.last_assistant_message, "loop_count": loops(info),
                "modified_files": [], "agent_transcript_path": null,
            }),
        ),
        Body::Stop(info) => {
            plain(CursorEvent::Stop, json!({ "status": status(info), "loop_count": loops(info) }))
        }
        Body::PreCompact { trigger } => plain(
            CursorEvent::PreCompact,
            json!({ "trigger": trigger.as_deref().unwrap_or("auto") }),
        ),
        Body::AgentResponse { text } => {
            plain(CursorEvent::AfterAgentResponse, json!({ "text": text }))
        }
        Body::AgentThought { text, .. } => {
            plain(CursorEvent::AfterAgentThought, json!({ "text": text }))
        }
        Body::WorkspaceOpen => plain(CursorEvent::WorkspaceOpen, json!({})),
        Body::PermissionRequest(_)
        | Body::PostCompact { .. }
        | Body::Notification { .. }
        | Body::Other => Vec::new(),
    }
}

fn status<'i>(info: &'i StopInfo<'_>) -> &'i str {
    info.status.as_deref().unwrap_or("completed")
}

/// Number of follow-ups; hosts that do not count report whether there was one.
fn loops(info: &StopInfo<'_>) -> Value {
    match &info.loop_count {
        Some(count) => Value::Number(count.clone()),
        None => Value::from(u8::from(info.stop_hook_active == Some(true))),
    }
}

fn common(event: &Event<'_>, named: CursorEvent) -> Payload {
    let mut payload = Payload::default();
    let session = event.session_id.as_deref().unwrap_or_default();
    payload.set("conversation_id", &session);
    payload.set("generation_id", &event.turn_id.as_deref().unwrap_or_default());
    payload.set("model", &event.model.as_deref().unwrap_or("default"));
    payload.set("hook_event_name", &named.name());
    payload.set("cursor_version", &version());
    let cwd: Vec<&str> = event.cwd.as_deref().into_iter().collect();
    if event.workspace_roots.is_empty() {
        payload.set("workspace_roots", &cwd);
    } else {
        payload.set("workspace_roots", &event.workspace_roots);
    }
    payload.set("user_email", &Value::Null);
    payload.set("transcript_path", &event.transcript_path);
    payload.set("session_id", &session);
    // Another of Cursor's own events has reported it already in more detail.
    if event.host == Speaks::Cursor.host() {
        let sent = Payload::parse(event.native).unwrap_or_default();
        for key in COMMON {
            if let Some(value) = sent.get(key) {
                payload.set_raw(key, value.to_owned());
            }
        }
    }
    payload
}
