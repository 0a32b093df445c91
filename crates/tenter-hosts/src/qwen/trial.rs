//! Canary data for Qwen Code's hooks.

use serde_json::{Value, json};

use crate::trial::{Launch, Trial, TrialCall, claude_shaped};

pub(super) const TRIAL: Trial = Trial {
    subjects: |event| match event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest"
        | "PermissionDenied" => &[
            "run_shell_command",
            "write_file",
            "edit",
            "read_file",
            "grep_search",
            "glob",
            "agent",
            "mcp__tenter__tenter_canary",
        ],
        "SubagentStart" | "SubagentStop" => &["general-purpose"],
        "Notification" => &["permission_prompt", "idle_prompt"],
        event => (Trial::CLAUDE_SHAPED.subjects)(event),
    },
    // The names that its dialogs show match too.
    aliases: &[
        ("run_shell_command", &["Shell", "ShellTool"]),
        ("write_file", &["WriteFile", "WriteFileTool"]),
        ("edit", &["Edit", "EditTool"]),
        ("read_file", &["ReadFile", "ReadFileTool"]),
    ],
    payload,
    launch: Launch {
        project_variables: &["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        names_shell: true,
        own_shell: true,
        ..Trial::CLAUDE_SHAPED.launch
    },
    undriven: "has no driver yet",
    ..Trial::CLAUDE_SHAPED
};

fn payload(call: &TrialCall<'_>) -> String {
    let mut fields = claude_shaped(call);
    fields.insert("timestamp".to_owned(), json!("2026-01-01T00:00:00.000Z"));
    Value::Object(fields).to_string()
}
