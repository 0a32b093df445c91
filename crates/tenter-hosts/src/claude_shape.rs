//! Decoder for the payload format that Claude Code introduced and other hosts copied: events in `PascalCase`,
//! fields in `snake_case`, one object for a tool's input.

use tenter_model::{
    Agent, Body, Event, EventKind, HostId, Json, Object, StopInfo, ToolCall, ToolFailure,
    ToolResult,
};

use crate::reader::Reader;
use crate::tools;

/// Decodes a payload of `host`; `call` reads its tool calls.
pub(crate) fn decode<'a>(
    host: HostId,
    object: &Object<'a>,
    call: fn(&Reader<'_, 'a>) -> ToolCall<'a>,
) -> Event<'a> {
    let reader = Reader::new(object);
    let native_event = reader.event_name(crate::host(host));
    let spec = crate::host(host).spec(&native_event);
    let body = if spec.is_unknown() && tools::is_ahead(object) {
        Body::PreToolUse(under_no_known_event(call(&reader)))
    } else {
        body(&reader, spec.kind, call)
    };
    Event {
        host,
        host_version: None,
        surface: None,
        session_id: reader.str("session_id"),
        // A turn is everything that one prompt triggers.
        turn_id: reader.first_str(&["turn_id", "prompt_id"]),
        call_id: reader.str("tool_use_id"),
        agent: Agent { id: reader.str("agent_id"), kind: reader.str("agent_type"), parent: None },
        cwd: reader.str("cwd"),
        workspace_roots: Vec::new(),
        model: reader.str("model"),
        transcript_path: reader.str("transcript_path"),
        permission_mode: reader.str("permission_mode"),
        user: None,
        usage: None,
        native_event,
        body,
        native: object.text(),
        notes: reader.into_notes(),
    }
}

fn body<'a>(
    reader: &Reader<'_, 'a>,
    kind: EventKind,
    call: fn(&Reader<'_, 'a>) -> ToolCall<'a>,
) -> Body<'a> {
    match kind {
        EventKind::SessionStart => Body::SessionStart { source: reader.str("source") },
        EventKind::SessionEnd => {
            Body::SessionEnd { reason: reader.str("reason"), duration_ms: None }
        }
        EventKind::UserPromptSubmit => {
            Body::UserPromptSubmit { prompt: reader.joined_text("prompt"), attachments: Vec::new() }
        }
        EventKind::PreToolUse => Body::PreToolUse(call(reader)),
        EventKind::PermissionRequest => Body::PermissionRequest(call(reader)),
        EventKind::PostToolUse => Body::PostToolUse(ToolResult {
            call: call(reader),
            response: reader.object.get("tool_response").map(Json::Borrowed),
            exit_code: None,
            duration_ms: reader.number("duration_ms"),
        }),
        EventKind::PostToolUseFailure => Body::PostToolUseFailure(ToolFailure {
            call: call(reader),
            error: reader.text("error"),
            failure_type: None,
            is_interrupt: reader.bool("is_interrupt"),
            duration_ms: reader.number("duration_ms"),
        }),
        EventKind::SubagentStart => Body::SubagentStart { task: None },
        EventKind::SubagentStop => Body::SubagentStop(stop(reader)),
        EventKind::Stop => Body::Stop(stop(reader)),
        EventKind::PreCompact => Body::PreCompact { trigger: reader.str("trigger") },
        EventKind::PostCompact => Body::PostCompact {
            trigger: reader.str("trigger"),
            summary: reader.text("compact_summary"),
        },
        EventKind::Notification => Body::Notification {
            message: reader.text("message"),
            kind: reader.str("notification_type"),
        },
        EventKind::AgentResponse
        | EventKind::AgentThought
        | EventKind::WorkspaceOpen
        | EventKind::Other => Body::Other,
    }
}

pub(crate) fn tool_call<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    tools::told(reader)
}

/// Marks a call reported under an unknown event name, or under none.
pub(crate) fn under_no_known_event(mut call: ToolCall<'_>) -> ToolCall<'_> {
    call.malformed.get_or_insert("comes under an event name that tenter does not know");
    call
}

fn stop<'a>(reader: &Reader<'_, 'a>) -> StopInfo<'a> {
    StopInfo {
        stop_hook_active: reader.bool("stop_hook_active"),
        last_assistant_message: reader.text("last_assistant_message"),
        ..StopInfo::default()
    }
}
