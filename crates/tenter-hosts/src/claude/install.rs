//! Settings files of Claude Code: their paths, events and entries.

use serde_json::Value;

use crate::install::{
    Closing, Described, Install, Mods, Off, Role, Scope, Switch, System, UNMANAGED, Unread, Wire,
    at_least,
};

/// Since this version an unknown event no longer voids the whole file.
const LENIENT: [u32; 3] = [2, 1, 101];
/// Since this version an unreadable entry is skipped.
const SKIPS_ENTRIES: [u32; 3] = [2, 1, 122];
/// Since this version a handler can be configured to block when it fails.
const ON_FAILURE: [u32; 3] = [2, 1, 295];

pub(super) const INSTALL: Install = Install {
    title: "Claude Code",
    programs: &["claude"],
    folder: ".claude",
    wires: &[
        Wire::gate("PreToolUse").by_tool(),
        Wire::gate("UserPromptSubmit"),
        Wire::record("PostToolUse").by_tool(),
        Wire::record("PostToolUseFailure").by_tool().since(LENIENT),
        Wire::record("SessionStart"),
        Wire::record("SessionEnd").within(5),
        Wire::record("SubagentStart").since(LENIENT),
        Wire::record("SubagentStop"),
        Wire::record("PreCompact"),
        Wire::record("Stop"),
    ],
    others: &[
        Wire::gate("PermissionRequest").twin("PreToolUse").by_tool().since([2, 0, 45]),
        Wire::record("PermissionDenied").by_tool().since(LENIENT),
        Wire::record("Notification"),
        Wire::record("PostCompact").since(LENIENT),
        Wire::record("StopFailure").since(LENIENT),
        Wire::record("ConfigChange").since(LENIENT),
    ],
    file: |roots, scope| match scope {
        Scope::Project => Some(roots.project?.join(".claude/settings.json")),
        Scope::User => {
            let moved = roots.folder_of("CLAUDE_CONFIG_DIR");
            let folder = moved.or_else(|| Some(roots.home?.join(".claude")))?;
            Some(folder.join("settings.json"))
        }
        Scope::Managed => Some(roots.system_path(
            "/etc/claude-code/managed-settings.json",
            "/Library/Application Support/ClaudeCode/managed-settings.json",
            "C:\\Program Files\\ClaudeCode\\managed-settings.json",
        )),
    },
    more: |roots, scope| match (scope, roots.project) {
        (Scope::Project, Some(project)) => vec![project.join(".claude/settings.local.json")],
        _ => Vec::new(),
    },
    switches: &[
        Switch {
            key: "disableAllHooks",
            off: Off::Is(true),
            file: None,
            order: &[Scope::Managed, Scope::Project, Scope::User],
            silences: |scope| if scope == Scope::Managed { &Scope::ALL } else { UNMANAGED },
        },
        Switch {
            key: "allowManagedHooksOnly",
            off: Off::Is(true),
            file: None,
            order: &[Scope::Managed],
            silences: |_| UNMANAGED,
        },
        Switch {
            key: "strictPluginOnlyCustomization",
            off: Off::Has("hooks"),
            file: None,
            order: &[Scope::Managed],
            silences: |_| UNMANAGED,
        },
    ],
    unread: |roots| match roots.system {
        System::Linux => None,
        System::Mac => Some(Unread::preferences(roots, "com.anthropic.claudecode")),
        System::Windows => Some(Unread {
            what: "the registry, SOFTWARE\\Policies\\ClaudeCode of HKLM and HKCU",
            shown_by: "reg query HKLM\\SOFTWARE\\Policies\\ClaudeCode".to_owned(),
            mark: None,
        }),
    },
    // `knows` is the default: older versions drop the whole file for one unknown event, so an unknown version
    // gets only the oldest events.
    handler: |draft| {
        let mut fields: Vec<(&'static str, Value)> = vec![
            ("type", "command".into()),
            ("command", draft.command.into()),
            ("timeout", draft.wire.timeout.into()),
        ];
        let can = at_least(draft.version, ON_FAILURE).unwrap_or(false);
        if draft.fail_closed && draft.wire.role == Role::Gate && can {
            fields.push(("onFailure", "block".into()));
        }
        fields
    },
    closing: Some(Closing { key: "onFailure", word: Some("block"), since: "2.1.295" }),
    arguments: true,
    folder_moved_by: Some("CLAUDE_CONFIG_DIR"),
    // Tested with 2.1.326.
    silenced_by: &["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"],
    only_from_root: true,
    read_in_home: &["settings.local.json"],
    lists_needed: Some(super::lint::GUARDS),
    runs_equals_once: true,
    variables: Some("env"),
    mods: Some(Mods {
        since: [2, 1, 287],
        shut_out: "/pluginConfigs/cc-plugin-sec-default@builtin/options/allowManagedModsOnly",
        folder: "skills",
    }),
    program_folders: &[".claude/local"],
    described: Some(Described::Package("@anthropic-ai/claude-code")),
    voids: |mistake| {
        let before = |first| mistake.version.is_some_and(|here| here < first);
        match mistake.rule {
            _ if mistake.drops_file => true,
            "unknown-event" => before(LENIENT),
            "wrong-type" => before(SKIPS_ENTRIES),
            _ => false,
        }
    },
    ..Install::CLAUDE_SHAPED
};
