//! Hook files of Codex: their paths, events and entries.

use std::path::PathBuf;

use crate::install::{
    Described, Install, Off, Roots, Scope, Switch, System, UNMANAGED, Unread, Wire,
};

/// Scopes by precedence, highest first.
const ORDER: &[Scope] = &[Scope::Project, Scope::User, Scope::Managed];

const fn feature(key: &'static str) -> Switch {
    Switch {
        key,
        off: Off::Is(false),
        file: Some("config.toml"),
        order: ORDER,
        silences: |_| &Scope::ALL,
    }
}

fn folder(roots: &Roots<'_>, scope: Scope) -> Option<PathBuf> {
    match scope {
        Scope::Project => Some(roots.project?.join(".codex")),
        Scope::User => roots.folder_of("CODEX_HOME").or_else(|| Some(roots.home?.join(".codex"))),
        Scope::Managed => {
            Some(roots.system_path("/etc/codex", "/etc/codex", "C:\\ProgramData\\codex"))
        }
    }
}

pub(super) const INSTALL: Install = Install {
    title: "Codex",
    programs: &["codex"],
    folder: ".codex",
    wires: &[
        Wire::gate("PreToolUse").by_tool(),
        Wire::gate("UserPromptSubmit"),
        Wire::record("PostToolUse").by_tool(),
        Wire::record("SessionStart"),
        // Codex limits it to three seconds and reports a longer timeout.
        Wire::record("SessionEnd").within(3),
        Wire::record("SubagentStart"),
        Wire::record("SubagentStop"),
        Wire::record("PreCompact"),
        Wire::record("Stop"),
    ],
    others: &[
        Wire::gate("PermissionRequest").twin("PreToolUse").by_tool(),
        Wire::record("PostCompact"),
        // Limited to three seconds too.
        Wire::record("Interrupt").since([0, 150, 0]).within(3),
    ],
    file: |roots, scope| Some(folder(roots, scope)?.join("hooks.json")),
    toml: |roots, scope| Some(folder(roots, scope)?.join("config.toml")),
    more: |roots, scope| match scope {
        Scope::Managed => {
            folder(roots, scope).map(|it| it.join("requirements.toml")).into_iter().collect()
        }
        _ => Vec::new(),
    },
    switches: &[
        feature("features.hooks"),
        feature("features.codex_hooks"),
        Switch {
            key: "allow_managed_hooks_only",
            off: Off::Is(true),
            file: Some("requirements.toml"),
            order: &[Scope::Managed],
            silences: |_| UNMANAGED,
        },
    ],
    unread: |roots| match roots.system {
        System::Mac => Some(Unread::preferences(roots, "com.openai.codex")),
        System::Linux | System::Windows => None,
    },
    // Unknown events are ignored.
    knows: |_, _| true,
    folder_moved_by: Some("CODEX_HOME"),
    approved_by: Some("--trust-codex"),
    shares_worktrees: true,
    described: Some(Described::Package("@openai/codex")),
    ..Install::CLAUDE_SHAPED
};
