//! Canary data for Cursor's hooks.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tenter_model::Decision;

use super::NEWEST;
use super::answer::{self, Reading, Said};
use super::event::{CursorEvent, Subject};
use crate::install::Scope;
use crate::trial::{
    HARMLESS, Launch, Output, PROMPT, Reply, SAMPLE, TOOL, Trial, TrialCall, left_with, useless,
};

pub(super) const TRIAL: Trial = Trial {
    subjects,
    payload,
    launch: Launch {
        in_own_folder: &[Scope::User, Scope::Managed],
        project_variables: &["CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR"],
        variables: &[("CURSOR_VERSION", NEWEST)],
        timeout: |_| Duration::from_mins(1),
        ..Trial::CLAUDE_SHAPED.launch
    },
    shell_event: "beforeShellExecution",
    undriven: "does not run without an account",
    ..Trial::CLAUDE_SHAPED
};

fn subjects(event: &str) -> &'static [&'static str] {
    match event {
        "preToolUse" | "postToolUse" | "postToolUseFailure" => {
            &["Shell", "Write", "Read", "Delete", "Grep", "Task", "MCP:tenter_canary"]
        }
        "beforeShellExecution" | "afterShellExecution" => &[HARMLESS, SAMPLE],
        "beforeMCPExecution" | "afterMCPExecution" => &["MCP:tenter_canary"],
        "subagentStart" | "subagentStop" => &["generalPurpose", "explore", "shell"],
        name => match CursorEvent::named(name).map(|event| event.spec().subject) {
            Some(Subject::Constant("UserPromptSubmit")) => &["UserPromptSubmit"],
            Some(Subject::Constant("Stop")) => &["Stop"],
            Some(Subject::Constant("Read")) => &["Read"],
            Some(Subject::Constant("Write")) => &["Write"],
            Some(Subject::Constant("TabRead")) => &["TabRead"],
            Some(Subject::Constant("TabWrite")) => &["TabWrite"],
            Some(Subject::Constant("AgentResponse")) => &["AgentResponse"],
            Some(Subject::Constant("AgentThought")) => &["AgentThought"],
            _ => &[],
        },
    }
}

fn payload(call: &TrialCall<'_>) -> String {
    let mut fields = Map::new();
    let mut set = |key: &str, value: Value| {
        fields.insert(key.to_owned(), value);
    };
    set("hook_event_name", json!(call.event));
    set("conversation_id", json!(call.session));
    set("session_id", json!(call.session));
    set("generation_id", json!(call.turn));
    let Some(event) = CursorEvent::named(call.event) else {
        // No Cursor sends this version; the payload must still be recognisable as a canary.
        set("cursor_version", json!("0"));
        return Value::Object(fields).to_string();
    };
    set("cursor_version", json!(NEWEST));
    set("model", json!("default"));
    set("workspace_roots", json!([call.cwd.display().to_string()]));
    set("user_email", Value::Null);
    set("transcript_path", Value::Null);
    for (key, value) in sample(event, call.cwd) {
        let value = match key.as_str() {
            "tool_use_id" | "tool_call_id" => json!(call.id),
            "command" => json!(call.command),
            "file_path" => json!(call.file()),
            "content" => json!("nothing\n"),
            "prompt" | "task" | "text" => json!(PROMPT),
            "attachments" => json!([]),
            _ => value,
        };
        set(&key, value);
    }
    match event {
        CursorEvent::PreToolUse | CursorEvent::PostToolUse | CursorEvent::PostToolUseFailure => {
            set("tool_name", json!(call.subject));
            set("tool_input", call.tool_input());
        }
        CursorEvent::BeforeMcpExecution | CursorEvent::AfterMcpExecution => {
            set("tool_name", json!(TOOL));
            set("tool_input", json!("{}"));
            set("mcp_server_name", json!("tenter"));
            if event == CursorEvent::BeforeMcpExecution {
                set("command", json!("tenter-canary"));
            }
        }
        CursorEvent::SubagentStart | CursorEvent::SubagentStop => {
            set("subagent_type", json!(call.subject));
        }
        _ => {}
    }
    Value::Object(fields).to_string()
}

/// Effect of a hook's answer on the call.
pub(super) fn conclude(event: &str, output: &Output<'_>) -> Reply {
    let Some(event) = CursorEvent::named(event) else { return useless("Cursor has no such event") };
    match output.exit.unwrap_or_default() {
        0 => {}
        2 if event.can_block() => return Reply::Stopped,
        2 => return Reply::Passed,
        other => return left_with(other),
    }
    match answer::read(output.stdout, event.spec(), Reading::NEWEST) {
        Said::Answer(answer, _) => match answer.decision() {
            Some(Decision::Deny) => Reply::Stopped,
            Some(Decision::Ask) => Reply::Asked,
            Some(Decision::Allow) | None => Reply::Passed,
        },
        // On silence some versions of Cursor block, others go on.
        Said::Nothing if event.can_block() => useless("it answered nothing"),
        Said::Nothing => Reply::Passed,
        Said::NotJson(fault) => useless(format!("its answer is no JSON: {fault}")),
        Said::OffSchema(fault) => useless(format!("its answer is not one to Cursor: {fault}")),
    }
}

/// The event-specific fields, with plausible values.
pub fn sample(event: CursorEvent, root: &Path) -> Map<String, Value> {
    let folder = root;
    let root = folder.display().to_string();
    let file = folder.join("src/main.rs").display().to_string();
    let fields = match event {
        CursorEvent::SessionStart => {
            json!({ "is_background_agent": false, "composer_mode": "agent" })
        }
        CursorEvent::SessionEnd => json!({
            "reason": "completed", "duration_ms": 45000, "is_background_agent": false,
            "final_status": "completed",
        }),
        CursorEvent::BeforeSubmitPrompt => {
            json!({ "prompt": "Fix the failing test", "attachments": [] })
        }
        CursorEvent::PreToolUse => json!({
            "tool_name": "Shell", "tool_input": tool_input("Shell", folder),
            "tool_use_id": "t-fire", "cwd": root,
        }),
        CursorEvent::PostToolUse => json!({
            "tool_name": "Shell", "tool_input": tool_input("Shell", folder),
            "tool_output": r#"{"output":"ok\n","exitCode":0}"#, "tool_use_id": "t-fire",
            "cwd": root, "duration": 12.5,
        }),
        CursorEvent::PostToolUseFailure => json!({
            "tool_name": "Shell", "tool_input": tool_input("Shell", folder),
            "tool_use_id": "t-fire", "cwd": root, "error_message": "exit code 1",
            "failure_type": "error", "duration": 12.5, "is_interrupt": false,
        }),
        CursorEvent::BeforeShellExecution => {
            json!({ "command": "echo hello", "cwd": root, "sandbox": false })
        }
        CursorEvent::AfterShellExecution => json!({
            "command": "echo hello", "output": "hello\n", "duration": 12.5, "sandbox": false,
        }),
        CursorEvent::BeforeMcpExecution => json!({
            "tool_name": "search", "tool_input": r#"{"query":"retry"}"#,
            "mcp_server_name": "docs", "command": "npx -y docs-mcp",
        }),
        CursorEvent::AfterMcpExecution => json!({
            "tool_name": "search", "tool_input": r#"{"query":"retry"}"#,
            "mcp_server_name": "docs",
            "result_json": r#"{"content":[{"type":"text","text":"none"}]}"#, "duration": 61.5,
        }),
        _ => return more(event, &file),
    };
    into_map(fields)
}

fn more(event: CursorEvent, file: &str) -> Map<String, Value> {
    into_map(match event {
        CursorEvent::BeforeReadFile => {
            json!({ "file_path": file, "content": "", "attachments": [] })
        }
        CursorEvent::AfterFileEdit => json!({
            "file_path": file, "edits": [{ "old_string": "a", "new_string": "b" }],
        }),
        CursorEvent::BeforeTabFileRead => json!({ "file_path": file, "content": "" }),
        CursorEvent::AfterTabFileEdit => json!({
            "file_path": file,
            "edits": [{
                "old_string": "le", "new_string": "let",
                "range": {
                    "start_line_number": 1, "start_column": 1, "end_line_number": 1,
                    "end_column": 3,
                },
                "old_line": "le x", "new_line": "let x",
            }],
        }),
        CursorEvent::SubagentStart => json!({
            "subagent_id": "s-fire", "subagent_type": "generalPurpose",
            "task": "Map the code", "parent_conversation_id": "c-fire",
            "tool_call_id": "t-fire", "subagent_model": "default",
            "is_parallel_worker": false,
        }),
        CursorEvent::SubagentStop => json!({
            "subagent_type": "generalPurpose", "status": "completed", "task": "Map the code",
            "description": "Map the code", "summary": "Done", "duration_ms": 45000,
            "message_count": 12, "tool_call_count": 8, "loop_count": 0,
            "modified_files": [], "agent_transcript_path": null,
        }),
        CursorEvent::PreCompact => json!({
            "trigger": "auto", "context_usage_percent": 85, "context_tokens": 120_000,
            "context_window_size": 128_000, "message_count": 45, "messages_to_compact": 30,
            "is_first_compaction": true,
        }),
        CursorEvent::Stop => json!({ "status": "completed", "loop_count": 0 }),
        CursorEvent::AfterAgentResponse => json!({ "text": "Done." }),
        CursorEvent::AfterAgentThought => json!({ "text": "Look first.", "duration_ms": 1500 }),
        _ => json!({}),
    })
}

fn into_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Sample input of a tool, in the format Cursor sends.
pub fn tool_input(tool: &str, root: &Path) -> Value {
    let file = root.join("src/main.rs").display().to_string();
    match tool {
        "Shell" => json!({ "command": "echo hello", "cwd": root.display().to_string() }),
        "Read" | "Delete" => json!({ "file_path": file }),
        "Write" => json!({ "file_path": file, "content": "" }),
        "Grep" => json!({ "pattern": "TODO", "path": root.display().to_string() }),
        "Task" => json!({ "description": "Map the code", "prompt": "Map the code" }),
        _ => json!({}),
    }
}
