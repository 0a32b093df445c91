//! Serializes the unified event as JSON for handlers.
//!
//! `schema.rs` describes the same document; a test validates every fixture against it, with unknown fields
//! forbidden, so the two cannot drift apart.

use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;

use crate::event::{Agent, Attachment, Body, Event, StopInfo, Surface};
use crate::input::{ToolCall, UnifiedInput};

impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("event", self.kind().as_str())?;
        map.serialize_entry("host", self.host.as_str())?;
        map.serialize_entry("native_event", &self.native_event)?;
        optional(&mut map, "host_version", self.host_version.as_ref())?;
        optional(&mut map, "surface", self.surface.map(Surface::as_str).as_ref())?;
        optional(&mut map, "session_id", self.session_id.as_ref())?;
        optional(&mut map, "turn_id", self.turn_id.as_ref())?;
        optional(&mut map, "call_id", self.call_id.as_ref())?;
        map.serialize_entry("agent", &self.agent)?;
        optional(&mut map, "cwd", self.cwd.as_ref())?;
        map.serialize_entry("workspace_roots", &self.workspace_roots)?;
        optional(&mut map, "model", self.model.as_ref())?;
        optional(&mut map, "transcript_path", self.transcript_path.as_ref())?;
        optional(&mut map, "permission_mode", self.permission_mode.as_ref())?;
        if let Some(fingerprint) = self.fingerprint() {
            map.serialize_entry("call_fingerprint", &fingerprint.to_string())?;
        }
        body(&mut map, &self.body)?;
        let native: &RawValue = serde_json::from_str(self.native).map_err(S::Error::custom)?;
        map.serialize_entry("_native", native)?;
        map.end()
    }
}

fn optional<M: SerializeMap, T: Serialize>(
    map: &mut M,
    key: &'static str,
    value: Option<&T>,
) -> Result<(), M::Error> {
    match value {
        Some(value) => map.serialize_entry(key, value),
        None => Ok(()),
    }
}

fn body<M: SerializeMap>(map: &mut M, body: &Body<'_>) -> Result<(), M::Error> {
    match body {
        Body::SessionStart { source } => optional(map, "source", source.as_ref()),
        Body::SessionEnd { reason, duration_ms } => {
            optional(map, "end_reason", reason.as_ref())?;
            optional(map, "duration_ms", duration_ms.as_ref())
        }
        Body::UserPromptSubmit { prompt, attachments } => {
            map.serialize_entry("prompt", prompt)?;
            map.serialize_entry("attachments", attachments)
        }
        Body::PreToolUse(call) | Body::PermissionRequest(call) => tool_call(map, call),
        Body::PostToolUse(result) => {
            tool_call(map, &result.call)?;
            optional(map, "tool_response", result.response.as_ref())?;
            optional(map, "exit_code", result.exit_code.as_ref())?;
            optional(map, "duration_ms", result.duration_ms.as_ref())
        }
        Body::PostToolUseFailure(failure) => {
            tool_call(map, &failure.call)?;
            optional(map, "error", failure.error.as_ref())?;
            optional(map, "failure_type", failure.failure_type.as_ref())?;
            optional(map, "is_interrupt", failure.is_interrupt.as_ref())?;
            optional(map, "duration_ms", failure.duration_ms.as_ref())
        }
        Body::SubagentStart { task } => optional(map, "task", task.as_ref()),
        Body::SubagentStop(info) | Body::Stop(info) => stop(map, info),
        Body::PreCompact { trigger } => optional(map, "trigger", trigger.as_ref()),
        Body::PostCompact { trigger, summary } => {
            optional(map, "trigger", trigger.as_ref())?;
            optional(map, "summary", summary.as_ref())
        }
        Body::AgentResponse { text } => map.serialize_entry("text", text),
        Body::AgentThought { text, duration_ms } => {
            map.serialize_entry("text", text)?;
            optional(map, "duration_ms", duration_ms.as_ref())
        }
        Body::Notification { message, kind } => {
            optional(map, "message", message.as_ref())?;
            optional(map, "notification_type", kind.as_ref())
        }
        Body::WorkspaceOpen | Body::Other => Ok(()),
    }
}

fn tool_call<M: SerializeMap>(map: &mut M, call: &ToolCall<'_>) -> Result<(), M::Error> {
    map.serialize_entry("tool", call.tool.as_str())?;
    map.serialize_entry("tool_input", &UnifiedInput(call))?;
    optional(map, "native_tool", call.native_tool.as_ref())?;
    let files: Vec<_> = call.files().collect();
    if !files.is_empty() {
        map.serialize_entry("files", &files)?;
    }
    optional(map, "mcp", call.mcp())?;
    optional(map, "sandbox", call.sandbox.as_ref())
}

fn stop<M: SerializeMap>(map: &mut M, info: &StopInfo<'_>) -> Result<(), M::Error> {
    optional(map, "status", info.status.as_ref())?;
    optional(map, "loop_count", info.loop_count.as_ref())?;
    optional(map, "stop_hook_active", info.stop_hook_active.as_ref())?;
    optional(map, "last_assistant_message", info.last_assistant_message.as_ref())?;
    optional(map, "task", info.task.as_ref())
}

impl Serialize for Agent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        optional(&mut map, "id", self.id.as_ref())?;
        optional(&mut map, "type", self.kind.as_ref())?;
        optional(&mut map, "parent", self.parent.as_ref())?;
        map.end()
    }
}

impl Serialize for Attachment<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        optional(&mut map, "type", self.kind.as_ref())?;
        map.serialize_entry("file_path", &self.file_path)?;
        map.end()
    }
}
