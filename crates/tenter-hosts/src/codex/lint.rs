//! Lint data for Codex's hook files.

use super::notify::TURN_COMPLETE;
use crate::lint::{
    COMPACTED, FileName, From, Kind, Layer, Lint, Meant, Settings, Tested, WindowsShell, is_names,
};

const COSTS: &[(&str, &str)] = &[
    ("json-comments", "Codex reads plain JSON and drops the whole file"),
    ("duplicate-key", "Codex cannot read the file and drops every hook in it"),
    ("voids-file", "Codex drops every hook of this file, with one warning at start"),
    ("events-outside-hooks", "a top-level key that Codex does not know drops the whole file"),
    ("unknown-event", "these hooks never run, and nothing says so"),
    ("flat-entry-in-claude-file", "Codex reads it as an empty group, so nothing in it runs"),
    ("wrong-type", "Codex cannot read the file and drops every hook in it"),
    ("type-missing", "`type` is required: Codex cannot read the file and drops every hook in it"),
    ("type-not-supported", "Codex skips the handler with a warning"),
    ("missing-command", "a handler without it drops the whole file, an empty group does nothing"),
    ("timeout-unusable", "Codex ends the hook after 1 second"),
    ("timeout-clamped", "Codex kills the hook after 3 seconds"),
    ("matcher-invalid", "Codex drops the group with a warning"),
    ("matcher-exact", "no tool has this name, so the hook never runs for the server"),
    ("matcher-ignored", "the matcher is ignored: the hooks run every time"),
    ("async-cannot-block", "the action goes on before the guard has answered"),
    ("windows-quoting", "cmd.exe takes single quotes for part of the words"),
];

/// Rules whose mistakes make a file unreadable.
const CANNOT_READ: &[&str] = &[
    "duplicate-key",
    "json-comments",
    "voids-file",
    "events-outside-hooks",
    "wrong-type",
    "type-missing",
    "type-not-supported",
    "missing-command",
];

const FAILS_OPEN: &str = "a failed hook lets the action through";
const EXIT_2: &str = "let the hook itself exit 2 with a text on stderr when it fails";

const fn file(folder: &'static str, name: &'static str, layer: Layer) -> FileName {
    FileName { folder, name, layer }
}

pub(super) const LINT: Lint = Lint {
    costs: COSTS,
    files: &[
        file(".codex", "hooks.json", Layer::Project),
        file(".codex", "config.toml", Layer::Project),
        file("etc/codex", "hooks.json", Layer::Enterprise),
        file("etc/codex", "config.toml", Layer::Enterprise),
        file("etc/codex", "requirements.toml", Layer::Enterprise),
    ],
    not_in_files: &[TURN_COMPLETE],
    handler_keys: &[
        ("type", Kind::Text),
        ("command", Kind::Text),
        ("commandWindows", Kind::Text),
        ("command_windows", Kind::Text),
        ("timeout", Kind::Integer),
        ("async", Kind::Bool),
        ("statusMessage", Kind::Text),
        ("additionalContextLimit", Kind::Integer),
        ("visibilityHint", Kind::Any),
        ("server", Kind::Text),
        ("tool", Kind::Text),
        ("input", Kind::Any),
        ("prompt", Kind::Any),
        ("model", Kind::Any),
    ],
    handler_types: |event| match event {
        "SessionEnd" => &["command"],
        _ => &["command", "mcp_tool"],
    },
    readable_types: &["command", "mcp_tool", "prompt", "agent"],
    unreadable_type: "Codex cannot read the file and drops every hook in it",
    needed: &[("command", &["command"]), ("mcp_tool", &["server", "tool"])],
    nullable: &["timeout", "statusMessage", "matcher", "commandWindows"],
    settings: &[Settings { object: "", keys: &[("description", Kind::Text)], all: false }],
    top_keys: Some(&["description", "hooks"]),
    skips_unknown_events: true,
    empty_groups: true,
    refuses_mark: true,
    tested: |event| match event {
        "PreToolUse" | "PostToolUse" | "PermissionRequest" => Tested::Tool,
        "SessionStart" => Tested::Words(&["startup", "resume", "clear", "compact"]),
        "SessionEnd" => Tested::Words(&["other"]),
        "PreCompact" | "PostCompact" => COMPACTED,
        "UserPromptSubmit" | "Stop" | "Interrupt" => Tested::Nothing,
        _ => Tested::Open,
    },
    tools: &["Bash", "apply_patch", "Write", "Edit", "Agent", "spawn_agent"],
    tools_elsewhere: &[
        ("Shell", "Bash"),
        ("shell", "Bash"),
        ("exec_command", "Bash"),
        ("local_shell", "Bash"),
        ("MultiEdit", "apply_patch"),
        ("ApplyPatch", "apply_patch"),
        ("Task", "spawn_agent"),
    ],
    exact: |_, text| is_names(text, ""),
    rust_patterns: true,
    drops_file: |rule, _| CANNOT_READ.contains(&rule),
    dropped: ("", "Codex cannot read its configuration and does not start"),
    longest_at_end: Some(3.0),
    events_elsewhere: &[
        ("beforeShellExecution", "`PreToolUse` with matcher `Bash`"),
        ("afterShellExecution", "`PostToolUse` with matcher `Bash`"),
        ("beforeMCPExecution", "`PreToolUse` with matcher `mcp__.*`"),
        ("afterMCPExecution", "`PostToolUse` with matcher `mcp__.*`"),
        ("afterFileEdit", "`PostToolUse` with matcher `Edit|Write`"),
        ("PostToolUseFailure", "`PostToolUse`, which also fires for failures"),
    ],
    keys_elsewhere: &[
        (
            "matcher",
            "the handler runs for every tool",
            "move `matcher` to the group, beside `hooks`",
        ),
        ("failClosed", FAILS_OPEN, EXIT_2),
        ("fail_closed", FAILS_OPEN, EXIT_2),
        ("onFailure", FAILS_OPEN, EXIT_2),
        ("args", "the command runs without these arguments", "write them into `command`"),
        ("arguments", "the command runs without these arguments", "write them into `command`"),
        (
            "if",
            "the hook runs whatever the condition says",
            "use `matcher`, or test it in the hook",
        ),
    ],
    meant: &[
        Meant { layer: Layer::Project, from: From::Root, inner: ".codex", name: ".codex/" },
        Meant { layer: Layer::User, from: From::File, inner: "", name: "" },
        Meant { layer: Layer::User, from: From::Home, inner: "", name: "~/" },
    ],
    windows: WindowsShell::Cmd,
    ..Lint::CLAUDE_SHAPED
};
