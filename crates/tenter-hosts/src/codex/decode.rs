//! Decodes Codex's payloads: hooks on stdin in Claude's format, and the older `notify` argument.

use tenter_model::{Action, Agent, Body, Event, HostId, Object, StopInfo, ToolCall};

use super::{Codex, notify, patch};
use crate::claude_shape;
use crate::host::Host;
use crate::reader::Reader;
use crate::tools;

pub(super) fn decode<'a>(object: &Object<'a>) -> Event<'a> {
    if !object.has("hook_event_name") && object.has("type") && !tools::is_ahead(object) {
        return notification(Reader::new(object));
    }
    claude_shape::decode(HostId::Codex, object, call)
}

/// A finished turn as reported by `notify`, in kebab-case.
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
        // Codex has no plugin names: there `plugin_x_github` is a server of that name.
        if let Some(plugin) = identity.plugin.take() {
            let server = identity.server.take().unwrap_or_default();
            identity.server = Some(format!("plugin_{plugin}_{server}").into());
        }
    }
    let mut files = Vec::new();
    for action in &call.actions {
        if let Action::Shell { command, .. } = action {
            files.extend(patch::parse_command(&command.get()));
        }
    }
    call.actions.extend(files);
    // Without a terminal Codex closes the stdin of the programs it starts.
    let input = call.input.iter().chain(&call.shadowed);
    let mut terminal = input.filter(|(key, _)| key == "tty").map(|(_, value)| value.get());
    call.unhooked_input =
        Codex.profile().unhooked_input.is_some() && terminal.all(|value| value != "false");
    call
}
