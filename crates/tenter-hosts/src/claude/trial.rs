//! Canary data for Claude Code's hooks.

use std::time::Duration;

use crate::trial::{Launch, Trial};

pub(super) const TRIAL: Trial = Trial {
    subjects: |event| match event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest"
        | "PermissionDenied" => &[
            "Bash",
            "Write",
            "Edit",
            "Read",
            "WebFetch",
            "WebSearch",
            "Grep",
            "Glob",
            "Agent",
            "mcp__tenter__tenter_canary",
        ],
        "SubagentStart" | "SubagentStop" => &["general-purpose", "Explore"],
        "Notification" => &["permission_prompt", "idle_prompt"],
        event => (Trial::CLAUDE_SHAPED.subjects)(event),
    },
    launch: Launch {
        project_variables: &["CLAUDE_PROJECT_DIR"],
        names_shell: true,
        timeout: |event| match event {
            "UserPromptSubmit" => Duration::from_secs(30),
            _ => Duration::from_mins(10),
        },
        ..Trial::CLAUDE_SHAPED.launch
    },
    ..Trial::CLAUDE_SHAPED
};
