//! Cursor's tool events.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tenter_engine::{CursorEvent, Payload};
use tenter_model::{Action, Body, Event, Json, McpIdentity, ToolCall, ToolFailure, ToolResult};

use super::super::absolute;
use super::super::input::{self, Input, copy, set_text};
use super::{Made, common};

/// Maximum size of a file whose content a script gets before it is read.
const LARGEST: u64 = 4 * 1024 * 1024;

/// One payload per action of a call, of the requested event or of the most specific one.
pub(super) fn made(event: &Event<'_>, wanted: Option<CursorEvent>) -> Vec<Made> {
    let mut made = Vec::new();
    for (call, action) in input::steps(event) {
        let fields = match &event.body {
            Body::PreToolUse(_) => before(event, call, action, wanted),
            Body::PostToolUse(result) => after(event, result, action, wanted),
            Body::PostToolUseFailure(failure) => Some(failed(event, failure, action)),
            _ => None,
        };
        let fields = fields.filter(|it| wanted.is_none_or(|wanted| wanted == it.named));
        let Some(Fields { named, own, input }) = fields else { continue };
        let mut payload = common(event, named);
        payload.extend(own);
        made.push((named, payload, input));
    }
    made
}

/// The event-specific fields.
struct Fields {
    named: CursorEvent,
    own: Payload,
    input: Input,
}

impl Fields {
    fn new(named: CursorEvent, own: Payload) -> Self {
        Self { named, own, input: Input::default() }
    }
}

/// Whether the generic event is requested instead of the specific one.
fn is_generic(wanted: Option<CursorEvent>) -> bool {
    matches!(
        wanted,
        Some(CursorEvent::PreToolUse | CursorEvent::PostToolUse | CursorEvent::PostToolUseFailure)
    )
}

fn before(
    event: &Event<'_>,
    call: &ToolCall<'_>,
    action: &Action<'_>,
    wanted: Option<CursorEvent>,
) -> Option<Fields> {
    let mut own = Payload::default();
    let named = match action {
        _ if is_generic(wanted) => return Some(generic(event, call, action)),
        Action::Shell { command, cwd } => {
            own.set("command", command);
            own.set("cwd", cwd.as_ref().or(event.cwd.as_ref()).map_or(&"".into(), |cwd| cwd));
            own.set("sandbox", &call.sandbox.unwrap_or(false));
            CursorEvent::BeforeShellExecution
        }
        Action::Read { path, content } => {
            let path = absolute(path, event);
            match content {
                Some(content) => own.set("content", content),
                None => own.set("content", &content_of(&path)),
            }
            own.set("file_path", &path);
            own.set("attachments", &json!([]));
            CursorEvent::BeforeReadFile
        }
        Action::Mcp(identity) => {
            mcp(&mut own, identity, call);
            CursorEvent::BeforeMcpExecution
        }
        Action::Task { agent_type, prompt } if wanted == Some(CursorEvent::SubagentStart) => {
            own.set("subagent_id", &event.call_id.as_deref().unwrap_or_default());
            own.set("subagent_type", &agent_type.as_deref().unwrap_or("generalPurpose"));
            set_text(&mut own, "task", prompt.as_ref());
            own.set("parent_conversation_id", &event.session_id.as_deref().unwrap_or_default());
            own.set("tool_call_id", &event.call_id.as_deref().unwrap_or_default());
            own.set("is_parallel_worker", &false);
            CursorEvent::SubagentStart
        }
        _ => return Some(generic(event, call, action)).filter(|_| wanted.is_none()),
    };
    Some(Fields::new(named, own))
}

fn after(
    event: &Event<'_>,
    result: &ToolResult<'_>,
    action: &Action<'_>,
    wanted: Option<CursorEvent>,
) -> Option<Fields> {
    let mut own = Payload::default();
    let (call, response) = (&result.call, result.response.as_ref().map(Json::raw));
    let duration = result.duration_ms.clone().map_or(json!(0), Value::Number);
    let named = match action {
        Action::Shell { command, .. } if !is_generic(wanted) => {
            own.set("command", command);
            own.set("output", &input::printed(response));
            own.set("duration", &duration);
            own.set("sandbox", &call.sandbox.unwrap_or(false));
            CursorEvent::AfterShellExecution
        }
        Action::Mcp(identity) if !is_generic(wanted) => {
            mcp(&mut own, identity, call);
            own.set("result_json", &response.map_or("{}", RawValue::get));
            own.set("duration", &duration);
            CursorEvent::AfterMcpExecution
        }
        Action::Write { path, content } if !is_generic(wanted) => {
            own.set("file_path", &absolute(path, event));
            own.set("edits", &json!([{ "old_string": "", "new_string": content }]));
            CursorEvent::AfterFileEdit
        }
        Action::Edit { path, edits, moved_to } if !is_generic(wanted) => {
            own.set("file_path", &absolute(moved_to.as_deref().unwrap_or(path), event));
            own.set("edits", edits);
            CursorEvent::AfterFileEdit
        }
        _ if wanted.is_some() && !is_generic(wanted) => return None,
        _ => {
            let mut fields = generic(event, call, action);
            let output = match action {
                Action::Shell { .. } => {
                    let code = result.exit_code.clone().map_or(json!(0), Value::Number);
                    json!({ "output": input::printed(response), "exitCode": code }).to_string()
                }
                _ => response.map_or("{}", RawValue::get).to_owned(),
            };
            fields.own.set("tool_output", &output);
            fields.own.set("duration", &duration);
            return Some(Fields { named: CursorEvent::PostToolUse, ..fields });
        }
    };
    Some(Fields::new(named, own))
}

fn failed(event: &Event<'_>, failure: &ToolFailure<'_>, action: &Action<'_>) -> Fields {
    let mut fields = generic(event, &failure.call, action);
    set_text(&mut fields.own, "error_message", failure.error.as_ref());
    fields.own.set("failure_type", &failure.failure_type.as_deref().unwrap_or("error"));
    fields.own.set("duration", &failure.duration_ms.clone().map_or(json!(0), Value::Number));
    fields.own.set("is_interrupt", &failure.is_interrupt.unwrap_or(false));
    Fields { named: CursorEvent::PostToolUseFailure, ..fields }
}

fn mcp(own: &mut Payload, identity: &McpIdentity<'_>, call: &ToolCall<'_>) {
    own.set("tool_name", &identity.tool);
    own.set("tool_input", &input::whole(call).to_json());
    own.set("mcp_server_name", &identity.server.as_deref().unwrap_or("unknown"));
    for (key, value) in [("url", &identity.url), ("command", &identity.command)] {
        if let Some(value) = value {
            own.set(key, value);
        }
    }
}

/// The fields of the generic tool event.
fn generic(event: &Event<'_>, call: &ToolCall<'_>, action: &Action<'_>) -> Fields {
    let (name, made) = tool_input(event, call, action);
    let mut own = Payload::default();
    own.set("tool_name", &name);
    own.set("tool_input", &made);
    own.set("tool_use_id", &event.call_id.as_deref().unwrap_or_default());
    own.set("cwd", &event.cwd.as_deref().unwrap_or_default());
    let input = Input::made(&made, call, action);
    Fields { named: CursorEvent::PreToolUse, own, input }
}

/// Cursor's tool name and input.
fn tool_input(event: &Event<'_>, call: &ToolCall<'_>, action: &Action<'_>) -> (String, Payload) {
    let mut made = input::of_action(event, call, action);
    let (name, copied): (&str, &[&str]) = match action {
        Action::Shell { cwd, .. } => {
            made.set("cwd", &cwd.as_deref().unwrap_or_default());
            ("Shell", &["timeout"])
        }
        Action::Read { .. } => ("Read", &["offset", "limit"]),
        Action::Write { .. } | Action::Edit { .. } => ("Write", &[]),
        Action::Delete { .. } => ("Delete", &[]),
        Action::Search { .. } => ("Grep", &[]),
        Action::Fetch { .. } => ("WebFetch", &[]),
        Action::Task { .. } => ("Task", &["description"]),
        Action::Mcp(identity) => return (format!("MCP:{}", identity.tool), made),
        Action::Other { name } => return (name.clone().into_owned(), made),
    };
    copy(call, copied, &mut made);
    (name.to_owned(), made)
}

/// Content of a file about to be read, which only Cursor itself sends.
fn content_of(path: &str) -> String {
    let path = std::path::Path::new(path);
    let bytes = tenter_files::start(path, LARGEST, tenter_files::Whose::Anyone).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
