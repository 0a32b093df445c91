//! Codex's payloads: hooks on stdin, and the older `notify` argument.

use tenter_model::{
    Action, Agent, Body, Event, EventKind, HostId, Json, Object, StopInfo, Text, ToolCall,
    ToolResult,
};

use super::{CODEX, notify, patch};
use crate::claude::{stop, tool_call};
use crate::host::Host;
use crate::reader::Reader;

pub(super) fn decode<'a>(object: &Object<'a>) -> Event<'a> {
    let reader = Reader::new(object);
    if !object.has("hook_event_name") && object.has("type") {
        return notification(reader);
    }
    let native_event = reader.str("hook_event_name").unwrap_or_default();
    let body = body(&reader, CODEX.kind(&native_event));
    Event {
        host: HostId::Codex,
        host_version: None,
        surface: None,
        session_id: reader.str("session_id"),
        turn_id: reader.str("turn_id"),
        call_id: reader.str("tool_use_id"),
        agent: Agent { id: reader.str("agent_id"), kind: reader.str("agent_type"), parent: None },
        cwd: reader.str("cwd"),
        workspace_roots: Vec::new(),
        model: reader.str("model"),
        transcript_path: reader.str("transcript_path"),
        permission_mode: reader.str("permission_mode"),
        native_event,
        body,
        native: object.text(),
        notes: reader.into_notes(),
    }
}

/// A finished turn as `notify` tells it, in kebab-case.
fn notification<'a>(reader: Reader<'_, 'a>) -> Event<'a> {
    let native_event = reader.str("type").unwrap_or_default();
    let body = if native_event == notify::TURN_COMPLETE {
        Body::Stop(StopInfo {
            last_assistant_message: reader.text("last-assistant-message"),
            ..StopInfo::default()
        })
    } else {
        Body::Other
    };
    Event {
        host: HostId::Codex,
        host_version: None,
        surface: None,
        session_id: reader.str("thread-id"),
        turn_id: reader.str("turn-id"),
        call_id: None,
        agent: Agent::default(),
        cwd: reader.str("cwd"),
        workspace_roots: Vec::new(),
        model: None,
        transcript_path: None,
        permission_mode: None,
        native_event,
        body,
        native: reader.object.text(),
        notes: reader.into_notes(),
    }
}

fn body<'a>(reader: &Reader<'_, 'a>, kind: EventKind) -> Body<'a> {
    match kind {
        EventKind::SessionStart => Body::SessionStart { source: reader.str("source") },
        EventKind::SessionEnd => {
            Body::SessionEnd { reason: reader.str("reason"), duration_ms: None }
        }
        EventKind::UserPromptSubmit => Body::UserPromptSubmit {
            prompt: reader.text("prompt").unwrap_or(Text::from("")),
            attachments: Vec::new(),
        },
        EventKind::PreToolUse => Body::PreToolUse(call(reader)),
        EventKind::PermissionRequest => Body::PermissionRequest(call(reader)),
        EventKind::PostToolUse => Body::PostToolUse(ToolResult {
            call: call(reader),
            response: reader.object.get("tool_response").map(Json::Borrowed),
            exit_code: None,
            duration_ms: None,
        }),
        EventKind::PreCompact => Body::PreCompact { trigger: reader.str("trigger") },
        EventKind::PostCompact => {
            Body::PostCompact { trigger: reader.str("trigger"), summary: None }
        }
        EventKind::SubagentStart => Body::SubagentStart { task: None },
        EventKind::SubagentStop => Body::SubagentStop(stop(reader)),
        EventKind::Stop => Body::Stop(stop(reader)),
        EventKind::PostToolUseFailure
        | EventKind::AgentResponse
        | EventKind::AgentThought
        | EventKind::Notification
        | EventKind::WorkspaceOpen
        | EventKind::Other => Body::Other,
    }
}

fn call<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    let mut call = tool_call(reader);
    if let Some(Action::Mcp(identity)) = call.actions.first_mut() {
        // Codex has no plugin form: there `plugin_x_github` is a server of that name.
        if let Some(plugin) = identity.plugin.take() {
            let server = identity.server.take().unwrap_or_default();
            identity.server = Some(format!("plugin_{plugin}_{server}").into());
        }
    }
    if let Some(Action::Shell { command, .. }) = call.actions.first() {
        let files = patch::parse_command(&command.get());
        call.actions.extend(files);
    }
    call
}
