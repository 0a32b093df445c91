//! Decodes Cursor's payloads.

use std::borrow::Cow;

use serde_json::value::RawValue;
use tenter_model::{
    Action, Agent, Body, Event, EventKind, HostId, Json, McpIdentity, Object, StopInfo, Surface,
    Text, Tool, ToolCall, ToolFailure, ToolResult, Usage, json,
};

use super::CURSOR;
use super::version::Version;
use crate::capability::EventSpec;
use crate::claude_shape;
use crate::host::Host;
use crate::reader::Reader;
use crate::{tool_input, tools};

/// Maximum number of workspace folders; every path of a command is compared with each of them.
const MOST_ROOTS: usize = 256;

pub(super) fn decode<'a>(object: &Object<'a>) -> Event<'a> {
    let reader = Reader::new(object);
    let native_event = reader.event_name(&CURSOR);
    let mut workspace_roots = reader.strings("workspace_roots");
    if workspace_roots.len() > MOST_ROOTS {
        reader.note("workspace_roots", format!("is cut to its first {MOST_ROOTS} folders"));
        workspace_roots.truncate(MOST_ROOTS);
    }
    let host_version = reader.str("cursor_version");
    let body = body(&reader, CURSOR.spec(&native_event));
    // Cursor often sends an empty cwd and means the first workspace root.
    let cwd = reader.str("cwd").or_else(|| workspace_roots.first().cloned());
    Event {
        host: HostId::Cursor,
        surface: surface(&reader, &native_event, host_version.as_deref()),
        session_id: reader.first_str(&["session_id", "conversation_id"]),
        turn_id: reader.str("generation_id"),
        call_id: reader.first_str(&["tool_use_id", "tool_call_id"]),
        agent: Agent {
            id: reader.str("subagent_id"),
            kind: reader.str("subagent_type"),
            parent: reader.str("parent_conversation_id"),
        },
        cwd,
        workspace_roots,
        model: reader.first_str(&["model_id", "model"]),
        transcript_path: reader.str("transcript_path"),
        permission_mode: None,
        user: reader.str("user_email"),
        usage: usage(&reader, &native_event),
        host_version,
        native_event,
        body,
        native: object.text(),
        notes: reader.into_notes(),
    }
}

/// Token usage. `afterAgentResponse` has the fields too, but `stop` has the sum: reading both would count
/// twice.
fn usage(reader: &Reader<'_, '_>, event: &str) -> Option<Usage> {
    if event != "stop" {
        return None;
    }
    let tokens = |key| reader.object.number(key).and_then(|number| number.as_u64());
    Some(Usage {
        input: tokens("input_tokens")?,
        output: tokens("output_tokens").unwrap_or_default(),
        cache_read: tokens("cache_read_tokens").unwrap_or_default(),
        cache_write: tokens("cache_write_tokens").unwrap_or_default(),
    })
}

fn surface(reader: &Reader<'_, '_>, event: &str, version: Option<&str>) -> Option<Surface> {
    if matches!(event, "beforeTabFileRead" | "afterTabFileEdit") {
        return Some(Surface::Tab);
    }
    if reader.object.bool("is_background_agent") == Some(true) {
        return Some(Surface::Cloud);
    }
    match Version::parse(version?)? {
        Version::Cli(..) => Some(Surface::Cli),
        Version::Ide(..) => Some(Surface::Ide),
    }
}

fn body<'a>(reader: &Reader<'_, 'a>, spec: &EventSpec) -> Body<'a> {
    match spec.native {
        "beforeShellExecution" => Body::PreToolUse(shell(reader)),
        "beforeMCPExecution" => Body::PreToolUse(mcp(reader)),
        "beforeReadFile" | "beforeTabFileRead" => Body::PreToolUse(read(reader)),
        "afterShellExecution" => Body::PostToolUse(result(
            reader,
            shell(reader),
            reader.object.get("output").map(Json::Borrowed),
        )),
        "afterMCPExecution" => {
            Body::PostToolUse(result(reader, mcp(reader), reader.unpacked("result_json")))
        }
        "afterFileEdit" | "afterTabFileEdit" => {
            Body::PostToolUse(result(reader, edit(reader), None))
        }
        _ if spec.is_unknown() => unknown(reader),
        _ => by_kind(reader, spec.kind),
    }
}

/// An event that is not in the table. One that announces a call is judged as such.
fn unknown<'a>(reader: &Reader<'_, 'a>) -> Body<'a> {
    let object = reader.object;
    if tools::is_ahead(object) {
        return Body::PreToolUse(claude_shape::under_no_known_event(generic(reader)));
    }
    let runs = object.str("command").is_some() && !object.has("output");
    if runs && !object.has("result_json") {
        return Body::PreToolUse(claude_shape::under_no_known_event(shell(reader)));
    }
    Body::Other
}

fn by_kind<'a>(reader: &Reader<'_, 'a>, kind: EventKind) -> Body<'a> {
    match kind {
        EventKind::SessionStart => Body::SessionStart { source: reader.str("source") },
        EventKind::SessionEnd => Body::SessionEnd {
            reason: reader.str("reason"),
            duration_ms: reader.number("duration_ms"),
        },
        EventKind::UserPromptSubmit => Body::UserPromptSubmit {
            prompt: reader.joined_text("prompt"),
            attachments: reader.attachments(),
        },
        EventKind::PreToolUse => Body::PreToolUse(generic(reader)),
        EventKind::PostToolUse => {
            Body::PostToolUse(result(reader, generic(reader), reader.unpacked("tool_output")))
        }
        EventKind::PostToolUseFailure => Body::PostToolUseFailure(ToolFailure {
            call: generic(reader),
            error: reader.text("error_message"),
            failure_type: reader.str("failure_type"),
            is_interrupt: reader.bool("is_interrupt"),
            duration_ms: reader.number("duration"),
        }),
        EventKind::SubagentStart => Body::SubagentStart { task: reader.text("task") },
        EventKind::SubagentStop => Body::SubagentStop(stop(reader)),
        EventKind::Stop => Body::Stop(stop(reader)),
        EventKind::PreCompact => Body::PreCompact { trigger: reader.str("trigger") },
        EventKind::AgentResponse => {
            Body::AgentResponse { text: reader.text("text").unwrap_or(Text::from("")) }
        }
        EventKind::AgentThought => Body::AgentThought {
            text: reader.text("text").unwrap_or(Text::from("")),
            duration_ms: reader.number("duration_ms"),
        },
        EventKind::WorkspaceOpen => Body::WorkspaceOpen,
        EventKind::PermissionRequest
        | EventKind::PostCompact
        | EventKind::Notification
        | EventKind::Other => Body::Other,
    }
}

fn stop<'a>(reader: &Reader<'_, 'a>) -> StopInfo<'a> {
    let loop_count = reader.number("loop_count");
    StopInfo {
        status: reader.str("status"),
        stop_hook_active: loop_count.as_ref().and_then(serde_json::Number::as_u64).map(|n| n > 0),
        loop_count,
        last_assistant_message: reader.text("summary"),
        task: reader.text("task"),
        duration_ms: reader.number("duration_ms"),
    }
}

/// The call of a generic event (`preToolUse`, `postToolUse`, ...).
fn generic<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    tools::told(reader)
}

fn result<'a>(
    reader: &Reader<'_, 'a>,
    call: ToolCall<'a>,
    response: Option<Json<'a>>,
) -> ToolResult<'a> {
    let exit_code = response.as_ref().and_then(Json::as_object).and_then(|o| o.number("exitCode"));
    ToolResult { call, response, exit_code, duration_ms: reader.number("duration") }
}

/// The fields of a specific event that make up the tool's input.
fn input<'a>(reader: &Reader<'_, 'a>, keys: &[&'static str]) -> Vec<(Cow<'a, str>, Json<'a>)> {
    let present = |key: &&'static str| -> Option<(Cow<'a, str>, Json<'a>)> {
        let value: &'a RawValue = reader.object.get(key)?;
        Some((Cow::Borrowed(*key), Json::Borrowed(value)))
    };
    keys.iter().filter_map(present).collect()
}

fn shell<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    let mut call = ToolCall::new(Tool::Bash);
    call.input = input(reader, &["command", "cwd"]);
    call.sandbox = reader.bool("sandbox");
    let commands = reader.object.entries().iter().filter(|(key, _)| key == "command");
    for command in commands.filter_map(|(_, value)| Text::of(value)) {
        call.actions.push(Action::Shell { command, cwd: reader.str("cwd") });
    }
    if reader.text("command").is_none() {
        call.actions.push(Action::Other { name: Cow::Borrowed("Shell") });
        call.malformed = Some("lacks the command that it runs");
    }
    call
}

fn read<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    let mut call = ToolCall::new(Tool::Read);
    call.input = input(reader, &["file_path", "content", "attachments"]);
    let paths = reader.object.entries().iter().filter(|(key, _)| key == "file_path");
    for path in paths.filter_map(|(_, value)| json::string(value)) {
        call.actions.push(Action::Read { path, content: reader.text("content") });
    }
    if reader.str("file_path").is_none() {
        call.actions.push(Action::Other { name: Cow::Borrowed("Read") });
        call.malformed = Some("lacks the file that it reads");
    }
    call
}

fn edit<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    let mut call = ToolCall::new(Tool::Edit);
    call.input = input(reader, &["file_path", "edits"]);
    let edits = tool_input::edits(reader.object).unwrap_or_default();
    call.actions.push(match reader.str("file_path") {
        Some(path) => Action::Edit { path, edits, moved_to: None },
        None => Action::Other { name: Cow::Borrowed("Write") },
    });
    call
}

fn mcp<'a>(reader: &Reader<'_, 'a>) -> ToolCall<'a> {
    let name = reader.str("tool_name").unwrap_or_default();
    let mut identity = tools::identity_of(&name)
        .unwrap_or_else(|| McpIdentity { tool: name.clone(), ..McpIdentity::default() });
    tools::add_transport(reader, &mut identity);
    tools::mcp_call(identity, Some(name), reader.unpacked("tool_input"))
}
