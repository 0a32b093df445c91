//! Settings files of Gemini CLI: their paths, events and entries.

use std::path::PathBuf;

use crate::install::{Described, Install, Off, Roots, Scope, Switch, TimeUnit, Wire};

/// Scopes by precedence, highest first.
const ORDER: &[Scope] = &[Scope::Managed, Scope::Project, Scope::User];

fn file(roots: &Roots<'_>, scope: Scope) -> Option<PathBuf> {
    match scope {
        Scope::Project => Some(roots.project?.join(".gemini/settings.json")),
        Scope::User => {
            let moved = roots.folder_of("GEMINI_CLI_HOME");
            Some(moved.or_else(|| roots.home.map(PathBuf::from))?.join(".gemini/settings.json"))
        }
        Scope::Managed => Some(roots.system_path(
            "/etc/gemini-cli/settings.json",
            "/Library/Application Support/GeminiCli/settings.json",
            "C:\\ProgramData\\gemini-cli\\settings.json",
        )),
    }
}

pub(super) const INSTALL: Install = Install {
    title: "Gemini CLI",
    programs: &["gemini"],
    folder: ".gemini",
    wires: &[
        Wire::gate("BeforeTool").by_tool(),
        Wire::gate("BeforeAgent"),
        Wire::record("AfterTool").by_tool(),
        Wire::record("SessionStart"),
        Wire::record("SessionEnd"),
        Wire::record("AfterAgent"),
    ],
    // All of these but `Notification` fire for every request to the model, and each call holds it up.
    others: &[
        Wire::record("Notification"),
        Wire::record("PreCompress"),
        Wire::record("BeforeModel"),
        Wire::record("AfterModel"),
        Wire::record("BeforeToolSelection"),
    ],
    file,
    more: |roots, scope| match scope {
        Scope::Managed => {
            let beside = file(roots, scope).map(|it| it.with_file_name("system-defaults.json"));
            beside.into_iter().collect()
        }
        Scope::Project | Scope::User => Vec::new(),
    },
    switches: &[
        Switch {
            key: "hooksConfig.enabled",
            off: Off::Is(false),
            file: None,
            order: ORDER,
            silences: |_| &Scope::ALL,
        },
        Switch {
            key: "hooksConfig.disabled",
            off: Off::Names(&["name", "command"]),
            file: None,
            order: ORDER,
            silences: |_| &Scope::ALL,
        },
    ],
    // Unknown events are skipped with a warning.
    knows: |_, _| true,
    handler: |draft| {
        let timeout = draft.wire.timeout * TimeUnit::Milliseconds.per_second();
        vec![
            ("type", "command".into()),
            ("command", draft.command.into()),
            ("timeout", timeout.into()),
        ]
    },
    time_unit: |_| TimeUnit::Milliseconds,
    folder_moved_by: Some("GEMINI_CLI_HOME"),
    moved_below: ".gemini",
    folder_perhaps_moved_by: &["GEMINI_CLI_SYSTEM_SETTINGS_PATH"],
    only_from_root: true,
    lists_needed: Some(&[]),
    // All hooks of settings count as the project's: in an untrusted folder none of them runs.
    trusts_workspaces: &Scope::ALL,
    runs_equals_once: true,
    described: Some(Described::Package("@google/gemini-cli")),
    ..Install::CLAUDE_SHAPED
};
