//! Canary data for Gemini CLI's hooks.

use serde_json::{Map, Value, json};

use crate::trial::{Launch, PROMPT, Trial, TrialCall};

pub(super) const TRIAL: Trial = Trial {
    subjects: |event| match event {
        "BeforeTool" | "AfterTool" => &[
            "run_shell_command",
            "write_file",
            "replace",
            "read_file",
            "web_fetch",
            "grep_search",
            "glob",
            "invoke_agent",
            "mcp_tenter_tenter_canary",
        ],
        "SessionStart" => &["startup"],
        "SessionEnd" => &["exit"],
        "PreCompress" => &["auto", "manual"],
        "Notification" => &["ToolPermission"],
        _ => &[],
    },
    payload: |call| Value::Object(payload(call)).to_string(),
    launch: Launch {
        project_variables: &["GEMINI_PROJECT_DIR", "GEMINI_CWD", "CLAUDE_PROJECT_DIR"],
        own_shell: true,
        ..Trial::CLAUDE_SHAPED.launch
    },
    shell_event: "BeforeTool",
    undriven: "has no driver yet",
    ..Trial::CLAUDE_SHAPED
};

fn payload(call: &TrialCall<'_>) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut set = |key: &str, value: Value| {
        fields.insert(key.to_owned(), value);
    };
    let request = || json!({ "model": "canary", "messages": [], "config": {} });
    set("session_id", json!(call.session));
    set("transcript_path", json!(""));
    set("cwd", json!(call.cwd.display().to_string()));
    set("hook_event_name", json!(call.event));
    set("timestamp", json!("2026-01-01T00:00:00.000Z"));
    match call.event {
        "BeforeTool" | "AfterTool" => {
            set("tool_name", json!(call.subject));
            set("tool_input", call.tool_input());
            if call.event == "AfterTool" {
                set("tool_response", json!({ "llmContent": "", "returnDisplay": "" }));
            }
        }
        "BeforeAgent" => set("prompt", json!(PROMPT)),
        "AfterAgent" => {
            set("prompt", json!(PROMPT));
            set("prompt_response", json!(PROMPT));
            set("stop_hook_active", json!(false));
        }
        "SessionStart" => set("source", json!("startup")),
        "SessionEnd" => set("reason", json!("exit")),
        "PreCompress" => set("trigger", json!("auto")),
        "Notification" => {
            set("notification_type", json!("ToolPermission"));
            set("message", json!(PROMPT));
            set("details", json!({}));
        }
        "BeforeModel" | "BeforeToolSelection" => set("llm_request", request()),
        "AfterModel" => {
            set("llm_request", request());
            set("llm_response", json!({ "text": "" }));
        }
        _ => {}
    }
    fields
}
