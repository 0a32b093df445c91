//! Canary data for Codex's hooks.

use std::time::Duration;

use serde_json::{Value, json};

use crate::trial::{Launch, Trial, TrialCall, claude_shaped};

pub(super) const TRIAL: Trial = Trial {
    subjects: |event| match event {
        "PreToolUse" | "PostToolUse" | "PermissionRequest" => {
            &["Bash", "apply_patch", "spawn_agent", "mcp__tenter__tenter_canary"]
        }
        "SubagentStart" | "SubagentStop" => &["default", "explorer", "worker"],
        "PostToolUseFailure" => &[],
        event => (Trial::CLAUDE_SHAPED.subjects)(event),
    },
    aliases: &[("apply_patch", &["Write", "Edit"]), ("spawn_agent", &["Agent"])],
    payload,
    launch: Launch {
        windows_keys: &["commandWindows", "command_windows"],
        windows: &["cmd.exe", "/C"],
        own_shell: true,
        timeout: |_| Duration::from_mins(10),
        ..Trial::CLAUDE_SHAPED.launch
    },
    ..Trial::CLAUDE_SHAPED
};

fn payload(call: &TrialCall<'_>) -> String {
    let mut fields = claude_shaped(call);
    if call.event != "SessionEnd" {
        fields.insert("model".to_owned(), json!("canary"));
    }
    if !call.event.starts_with("Session") {
        fields.insert("turn_id".to_owned(), json!(call.turn));
    }
    Value::Object(fields).to_string()
}
