//! Settings files of Qwen Code: their paths, events and entries.

use std::path::PathBuf;

use crate::install::{Described, Install, Off, Roots, Scope, Switch, TimeUnit, Wire};

fn file(roots: &Roots<'_>, scope: Scope) -> Option<PathBuf> {
    match scope {
        Scope::Project => Some(roots.project?.join(".qwen/settings.json")),
        Scope::User => {
            let moved = roots.folder_of("QWEN_HOME");
            let folder = moved.or_else(|| Some(roots.home?.join(".qwen")))?;
            Some(folder.join("settings.json"))
        }
        Scope::Managed => Some(roots.system_path(
            "/etc/qwen-code/settings.json",
            "/Library/Application Support/QwenCode/settings.json",
            "C:\\ProgramData\\qwen-code\\settings.json",
        )),
    }
}

pub(super) const INSTALL: Install = Install {
    title: "Qwen Code",
    programs: &["qwen"],
    folder: ".qwen",
    wires: &[
        Wire::gate("PreToolUse").by_tool(),
        Wire::gate("UserPromptSubmit"),
        Wire::record("PostToolUse").by_tool(),
        Wire::record("PostToolUseFailure").by_tool(),
        Wire::record("SessionStart"),
        Wire::record("SessionEnd"),
        Wire::record("SubagentStart"),
        Wire::record("SubagentStop"),
        Wire::record("PreCompact"),
        Wire::record("Stop"),
    ],
    others: &[
        Wire::gate("PermissionRequest").twin("PreToolUse").by_tool(),
        Wire::record("PermissionDenied").by_tool(),
        Wire::record("Notification"),
        Wire::record("PostCompact"),
        Wire::record("StopFailure"),
    ],
    file,
    more: |roots, scope| match scope {
        Scope::Managed => {
            let beside = file(roots, scope).map(|it| it.with_file_name("system-defaults.json"));
            beside.into_iter().collect()
        }
        Scope::Project | Scope::User => Vec::new(),
    },
    switches: &[Switch {
        key: "disableAllHooks",
        off: Off::Is(true),
        file: None,
        order: &[Scope::Managed, Scope::Project, Scope::User],
        silences: |_| &Scope::ALL,
    }],
    // Unknown events are skipped with a warning.
    knows: |_, _| true,
    handler: |draft| {
        // From 1000 on every version reads milliseconds; below, new ones read seconds.
        let timeout = draft.wire.timeout * 1000;
        vec![
            ("type", "command".into()),
            ("command", draft.command.into()),
            ("timeout", timeout.into()),
        ]
    },
    time_unit: |kind| match kind {
        "http" | "prompt" => TimeUnit::Seconds,
        _ => TimeUnit::SecondsBelow1000,
    },
    folder_moved_by: Some("QWEN_HOME"),
    folder_perhaps_moved_by: &["QWEN_CODE_SYSTEM_SETTINGS_PATH"],
    only_from_root: true,
    lists_needed: Some(&[]),
    trusts_workspaces: &[Scope::Project],
    runs_equals_once: true,
    described: Some(Described::Package("@qwen-code/qwen-code")),
    ..Install::CLAUDE_SHAPED
};
