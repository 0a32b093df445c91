//! Codex's payloads: hooks on stdin in Claude's shape, and the older `notify` argument.

use tenter_model::{Action, Agent, Body, Event, HostId, Object, StopInfo, ToolCall};

use super::{notify, patch};
use crate::claude_shape;
use crate::reader::Reader;

pub(super) fn decode<'a>(object: &Object<'a>) -> Event<'a> {
    if !object.has("hook_event_name") && object.has("type") {
        return notification(Reader::new(object));
    }
    claude_shape::decode(HostId::Codex, object, call)
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
        user: None,
        usage: None,
        native_event,
        body,
        native: reader.object.text(),
        notes: reader.into_notes(),
    }
}

fn call<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    let mut call = claude_shape::tool_call(reader);
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
