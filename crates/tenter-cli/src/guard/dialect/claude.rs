//! Claude Code's format: builds its payloads from unified events, and reads its answers.

use serde_json::{Value, json};
use tenter_engine::Payload;
use tenter_engine::runner::Ended;
use tenter_hosts::claude::answer::{self, Answer, Fault};
use tenter_hosts::trial::Output;
use tenter_model::{
    Action, Body, Event, EventKind, McpIdentity, StopInfo, Text, ToolCall, ToolResult,
};
use tenter_policy::policy::Foreign;

use super::input::{self, Input, copy, set_text};
use super::{HandlerCall, absolute, code, exit, portable};

/// The answer of a run, or why it has none.
pub(super) fn read(call: &HandlerCall, kind: EventKind, ended: &Ended) -> super::Read {
    let output = Output { exit: code(ended), stdout: &ended.stdout, stderr: &ended.stderr };
    let answer = answer::read(kind, &output).map_err(|fault| match fault {
        Fault::Exit(_) => exit(ended),
        Fault::Words(why) => why,
    })?;
    let Answer { mut verdict, input, mut warnings, ends_turn: _ } = answer;
    match input.map(|input| call.input.changes(&input)) {
        Some(Ok(changes)) => verdict.modified_input = changes,
        Some(Err(why)) => warnings.push(format!("`updatedInput` cannot be carried over: {why}")),
        None => {}
    }
    Ok((verdict, warnings))
}

/// Whether a matcher is a list of names instead of a pattern.
pub(super) fn is_exact(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ' | ',' | '|'))
}

/// The calls that Claude Code would make of this event, or why it has none.
pub(super) fn calls(event: &Event<'_>, foreign: &Foreign) -> Result<Vec<HandlerCall>, String> {
    let name = event.kind().as_str();
    if !foreign.event.is_empty() && foreign.event != name && foreign.event != event.native_event {
        return Ok(Vec::new());
    }
    if event.host == foreign.speaks.host() {
        return Ok(vec![sent(event)]);
    }
    let mut payload = common(event, name);
    match &event.body {
        Body::PreToolUse(_)
        | Body::PermissionRequest(_)
        | Body::PostToolUse(_)
        | Body::PostToolUseFailure(_) => return Ok(tool_calls(event, &payload)),
        // Claude Code does not report an interrupted stop.
        Body::Stop(info) | Body::SubagentStop(info)
            if info.status.as_deref().is_some_and(|status| status != "completed") =>
        {
            return Ok(Vec::new());
        }
        Body::Stop(info) | Body::SubagentStop(info) => stop(&mut payload, info),
        Body::SessionStart { source } => {
            payload.set("source", &source.as_deref().unwrap_or("startup"));
            if let Some(model) = &event.model {
                payload.set("model", model);
            }
        }
        // Its reasons differ from the unified ones.
        Body::SessionEnd { .. } => payload.set("reason", &"other"),
        Body::UserPromptSubmit { prompt, .. } => payload.set("prompt", prompt),
        Body::SubagentStart { .. } => {}
        Body::PreCompact { trigger } => {
            payload.set("trigger", &trigger.as_deref().unwrap_or("auto"));
            payload.set("custom_instructions", &Value::Null);
        }
        Body::PostCompact { trigger, summary } => {
            payload.set("trigger", &trigger.as_deref().unwrap_or("auto"));
            payload.set("compact_summary", summary.as_ref().unwrap_or(&Text::from("")));
        }
        Body::Notification { message, kind } => {
            set_text(&mut payload, "message", message.as_ref());
            payload.set("notification_type", &kind.as_deref().unwrap_or_default());
        }
        Body::AgentResponse { .. }
        | Body::AgentThought { .. }
        | Body::WorkspaceOpen
        | Body::Other => {
            return Err(format!("Claude Code has no event like `{}`", event.native_event));
        }
    }
    Ok(vec![call(event, &payload, Input::default())])
}

/// The payload as Claude Code sent it.
fn sent(event: &Event<'_>) -> HandlerCall {
    let payload = Payload::parse(event.native).unwrap_or_default();
    let json = event.native.to_owned();
    HandlerCall { json, ..call(event, &payload, Input::own(&payload)) }
}

fn call(event: &Event<'_>, payload: &Payload, input: Input) -> HandlerCall {
    let kind = event.kind();
    let subject = match kind {
        EventKind::PreToolUse
        | EventKind::PermissionRequest
        | EventKind::PostToolUse
        | EventKind::PostToolUseFailure => "tool_name",
        EventKind::SessionStart => "source",
        EventKind::SessionEnd => "reason",
        EventKind::PreCompact | EventKind::PostCompact => "trigger",
        EventKind::SubagentStart | EventKind::SubagentStop => "agent_type",
        EventKind::Notification => "notification_type",
        _ => "",
    };
    let mut subjects: Vec<String> = payload.text(subject).into_iter().collect();
    // Many matchers use its older name.
    if subjects.iter().any(|name| name == "Agent") {
        subjects.push("Task".to_owned());
    }
    HandlerCall { event: kind.as_str(), json: portable(payload), subjects, nameless: false, input }
}

fn common(event: &Event<'_>, name: &str) -> Payload {
    let mut payload = Payload::default();
    payload.set("session_id", &event.session_id.as_deref().unwrap_or_default());
    payload.set("transcript_path", &event.transcript_path.as_deref().unwrap_or_default());
    payload.set("cwd", &event.cwd.as_deref().unwrap_or_default());
    payload.set("permission_mode", &event.permission_mode.as_deref().unwrap_or("default"));
    for (key, value) in [("agent_id", &event.agent.id), ("agent_type", &event.agent.kind)] {
        if let Some(value) = value {
            payload.set(key, value);
        }
    }
    payload.set("hook_event_name", &name);
    payload
}

fn stop(payload: &mut Payload, info: &StopInfo<'_>) {
    payload.set("stop_hook_active", &info.stop_hook_active.unwrap_or(false));
    set_text(payload, "last_assistant_message", info.last_assistant_message.as_ref());
}

fn tool_calls(event: &Event<'_>, common: &Payload) -> Vec<HandlerCall> {
    let mut calls = Vec::new();
    for (tool, action) in input::steps(event) {
        let (name, made) = tool_input(event, tool, action);
        let mut payload = common.clone();
        if let Action::Shell { cwd: Some(cwd), .. } = action {
            payload.set("cwd", cwd);
        }
        payload.set("tool_name", &name);
        payload.set("tool_input", &made);
        if let Some(id) = event.call_id.as_ref().filter(|_| asks_nobody(event)) {
            payload.set("tool_use_id", id);
        }
        match &event.body {
            Body::PostToolUse(result) => after(&mut payload, result, action, &made),
            Body::PostToolUseFailure(failure) => {
                set_text(&mut payload, "error", failure.error.as_ref());
                payload.set("is_interrupt", &failure.is_interrupt.unwrap_or(false));
                if let Some(duration) = &failure.duration_ms {
                    payload.set("duration_ms", duration);
                }
            }
            _ => {}
        }
        let mut call = call(event, &payload, Input::made(&made, tool, action));
        call.nameless = matches!(action, Action::Mcp(identity) if identity.server.is_none());
        calls.push(call);
        if let Action::Edit { moved_to: Some(to), .. } = action {
            calls.push(moved(event, &payload, made, to));
        }
    }
    calls
}

/// Only the permission request has no call id.
fn asks_nobody(event: &Event<'_>) -> bool {
    event.kind() != EventKind::PermissionRequest
}

/// The second file of a move during an edit.
fn moved(event: &Event<'_>, payload: &Payload, mut made: Payload, to: &str) -> HandlerCall {
    let mut payload = payload.clone();
    made.set("file_path", &absolute(to, event));
    payload.set("tool_input", &made);
    call(event, &payload, Input::default())
}

fn after(payload: &mut Payload, result: &ToolResult<'_>, action: &Action<'_>, input: &Payload) {
    let response = result.response.as_ref();
    match action {
        Action::Shell { .. } | Action::Delete { .. } => {
            let printed = input::printed(response.map(tenter_model::Json::raw));
            let fields = json!({
                "stdout": printed, "stderr": "", "interrupted": false, "isImage": false,
            });
            payload.set("tool_response", &fields);
        }
        Action::Write { .. } | Action::Edit { .. } => {
            let path = input.text("file_path").unwrap_or_default();
            payload.set("tool_response", &json!({ "filePath": path }));
        }
        _ => match response {
            Some(response) => payload.set("tool_response", response),
            None => payload.set("tool_response", &json!({})),
        },
    }
    if let Some(duration) = &result.duration_ms {
        payload.set("duration_ms", duration);
    }
}

/// Claude Code's tool name and input.
fn tool_input(event: &Event<'_>, call: &ToolCall<'_>, action: &Action<'_>) -> (String, Payload) {
    let mut made = input::of_action(event, call, action);
    let (name, copied): (&str, &[&str]) = match action {
        Action::Shell { .. } => ("Bash", &["description", "timeout", "run_in_background"]),
        Action::Read { .. } => ("Read", &["offset", "limit"]),
        Action::Write { .. } => ("Write", &[]),
        Action::Edit { .. } => ("Edit", &[]),
        // It has no delete tool: it would run `rm`, which its guards know.
        Action::Delete { path } => {
            let path = absolute(path, event).replace('\'', r"'\''");
            made = Payload::default();
            made.set("command", &format!("rm -f -- '{path}'"));
            ("Bash", &[])
        }
        Action::Search { .. } => {
            let is_glob = call.native_tool.as_deref() == Some("Glob");
            let name = if is_glob { "Glob" } else { "Grep" };
            (name, &["glob", "output_mode", "-i", "multiline"])
        }
        Action::Fetch { .. } => ("WebFetch", &["prompt"]),
        Action::Task { .. } => ("Agent", &["description", "model"]),
        Action::Mcp(identity) => return (mcp_name(identity), made),
        Action::Other { name } => return (name.clone().into_owned(), made),
    };
    copy(call, copied, &mut made);
    (name.to_owned(), made)
}

fn mcp_name(identity: &McpIdentity<'_>) -> String {
    let server = identity.server.as_deref().unwrap_or("unknown");
    let plugin = identity.plugin.as_deref().map(|plugin| format!("plugin_{plugin}_"));
    format!("mcp__{}{server}__{}", plugin.unwrap_or_default(), identity.tool)
}
