//! Conversion of Cursor's hooks into policy handlers.

use serde_json::Value;

use crate::takeover::Takeover;

pub(super) const TAKEOVER: Takeover = Takeover {
    refused: |fields| match fields.get("type").and_then(Value::as_str) {
        None | Some("command") => None,
        Some(kind) => Some(format!("a hook of type `{kind}` is no command")),
    },
    tools: |event| match event {
        "beforeTabFileRead" | "afterTabFileEdit" => Err("no other host has Cursor's Tab"),
        "beforeShellExecution" | "afterShellExecution" => Ok(&["Bash"]),
        "beforeMCPExecution" | "afterMCPExecution" => Ok(&["MCP"]),
        "beforeReadFile" => Ok(&["Read"]),
        "afterFileEdit" => Ok(&["Edit", "Write"]),
        _ => Ok(&[]),
    },
    // Other hosts can stop a subagent only at the Task call, before it starts.
    instead: &[("subagentStart", "PreToolUse:Task")],
    names_event: true,
    in_own_folder: true,
};
