//! Lint data for Claude Code's settings.

use crate::lint::{
    COMPACTED, FileName, From, HANDLER_TYPES, Idle, Kind, Layer, Lint, Meant, Settings, Tested,
    WindowsShell, is_names,
};

const COSTS: &[(&str, &str)] = &[
    ("json-comments", "Claude Code reads plain JSON and loads nothing of this file"),
    ("duplicate-key", "only the last one counts; what the earlier one holds never runs"),
    ("events-outside-hooks", "its hooks never run"),
    ("guard-outside-hooks", "Claude Code loads nothing of this file: none of its hooks runs"),
    (
        "hooks-disabled",
        "Claude Code runs no hook of the user's, the project's or any plugin's files",
    ),
    ("unknown-event", "these hooks never run; Claude Code before 2.1.101 ignores the whole file"),
    ("flat-entry-in-claude-file", "the entry has no `hooks`, so nothing in it runs"),
    (
        "wrong-type",
        "Claude Code skips the entry; at `PreToolUse`, and before 2.1.122, the whole file",
    ),
    ("type-missing", "`type` is required: the handler does not run"),
    ("type-not-supported", "the handler does not run for this event"),
    ("prompt-without-type", "`type` is required, so the prompt is never asked"),
    (
        "missing-command",
        "the handler does nothing; at `PreToolUse` or `PermissionRequest` the whole file",
    ),
    (
        "timeout-unusable",
        "not documented; expect the default instead, or a hook that fails every time",
    ),
    ("timeout-clamped", "Claude Code ends the hook after 60 seconds at most"),
    (
        "matcher-invalid",
        "not documented; expect the hooks of this group never to run, or on everything",
    ),
    ("matcher-exact", "no tool has this name, so the hook never runs for the server"),
    ("matcher-ignored", "the matcher is ignored: the hooks run every time"),
    ("if-never-runs", "the handler never runs"),
    ("async-cannot-block", "the action goes on before the guard has answered"),
    ("relative-command", "once the session has changed folder, the script is no longer found"),
    ("windows-quoting", "Git Bash drops the backslashes and finds no such program"),
];

/// Rules whose mistakes at one of `GUARDS` void the whole file. At other events the entry is skipped.
const CANNOT_GUARD: &[&str] = &[
    "flat-entry-in-claude-file",
    "missing-command",
    "timeout-unusable",
    "type-missing",
    "type-not-supported",
    "wrong-type",
];

/// Events where a hook that cannot be loaded voids the permissions in the same file too.
pub(super) const GUARDS: &[&str] = &["PreToolUse", "PermissionRequest"];

/// Recorded with 2.1.325.
const NOT_LOADED: &str =
    "Claude Code loads nothing of this file: none of its hooks runs, and none of its rules holds";

const fn file(folder: &'static str, name: &'static str, layer: Layer) -> FileName {
    FileName { folder, name, layer }
}

const fn meant(layer: Layer, from: From, inner: &'static str, name: &'static str) -> Meant {
    Meant { layer, from, inner, name }
}

pub(super) const LINT: Lint = Lint {
    costs: COSTS,
    files: &[
        file(".claude", "settings.json", Layer::Project),
        file(".claude", "settings.local.json", Layer::Local),
        file("", "managed-settings.json", Layer::Enterprise),
        file("managed-settings.d", "", Layer::Enterprise),
    ],
    told_by_events: true,
    handler_keys: &[
        ("type", Kind::Text),
        ("command", Kind::Text),
        ("args", Kind::List),
        ("timeout", Kind::Number),
        ("if", Kind::Text),
        ("shell", Kind::Text),
        ("async", Kind::Bool),
        ("asyncRewake", Kind::Bool),
        ("onFailure", Kind::Text),
        ("statusMessage", Kind::Text),
        ("once", Kind::Bool),
        ("url", Kind::Text),
        ("headers", Kind::Table),
        ("allowedEnvVars", Kind::List),
        ("server", Kind::Text),
        ("tool", Kind::Text),
        ("input", Kind::Any),
        ("prompt", Kind::Text),
        ("model", Kind::Text),
        ("continueOnBlock", Kind::Bool),
    ],
    handler_types: |event| match event {
        "PermissionDenied"
        | "PostToolBatch"
        | "PostToolUse"
        | "PostToolUseFailure"
        | "PreToolUse"
        | "Stop"
        | "SubagentStop"
        | "TaskCompleted"
        | "TaskCreated"
        | "TeammateIdle"
        | "UserPromptExpansion"
        | "UserPromptSubmit" => &["command", "http", "mcp_tool", "prompt", "agent"],
        "PermissionRequest" => &["command", "http", "mcp_tool", "prompt"],
        "SessionStart" => &["command", "mcp_tool"],
        "Setup" => &["command"],
        _ => &["command", "http", "mcp_tool"],
    },
    readable_types: HANDLER_TYPES,
    words: &[("shell", ["bash", "powershell"]), ("onFailure", ["block", "continue"])],
    settings: SETTINGS,
    tested,
    tools: &[
        "Bash",
        "PowerShell",
        "Read",
        "Write",
        "Edit",
        "NotebookEdit",
        "Glob",
        "Grep",
        "WebFetch",
        "WebSearch",
        "Agent",
        "Task",
        "AskUserQuestion",
        "ExitPlanMode",
        "Skill",
        "TodoWrite",
    ],
    tools_elsewhere: &[
        ("Shell", "Bash"),
        ("shell", "Bash"),
        ("exec_command", "Bash"),
        ("local_shell", "Bash"),
        ("apply_patch", "Edit"),
        ("ApplyPatch", "Edit"),
        ("StrReplace", "Edit"),
        ("spawn_agent", "Agent"),
    ],
    separators: &['|', ','],
    exact: |event, text| match event {
        "FileChanged" | "StopFailure" => is_names(text, ""),
        _ => is_names(text, "- ,"),
    },
    drops_file: |rule, event| match event {
        _ if rule == "guard-outside-hooks" => true,
        Some(event) if GUARDS.contains(&event) => {
            rule == "json-comments" || CANNOT_GUARD.contains(&rule)
        }
        Some(_) => rule == "json-comments",
        None => ["json-comments", "wrong-type"].contains(&rule),
    },
    dropped: (NOT_LOADED, NOT_LOADED),
    longest_at_end: Some(60.0),
    events_elsewhere: &[
        ("beforeShellExecution", "`PreToolUse` with matcher `Bash`"),
        ("afterShellExecution", "`PostToolUse` with matcher `Bash`"),
        ("beforeMCPExecution", "`PreToolUse` with matcher `mcp__.*`"),
        ("afterMCPExecution", "`PostToolUse` with matcher `mcp__.*`"),
        ("beforeReadFile", "`PreToolUse` with matcher `Read`"),
        ("afterFileEdit", "`PostToolUse` with matcher `Edit|Write`"),
    ],
    keys_elsewhere: &[
        (
            "matcher",
            "the handler runs for every tool",
            "move `matcher` to the group, beside `hooks`",
        ),
        (
            "failClosed",
            "a failed hook lets the action through",
            "write `\"onFailure\": \"block\"` (Claude Code 2.1.295 and later)",
        ),
        (
            "fail_closed",
            "a failed hook lets the action through",
            "write `\"onFailure\": \"block\"` (Claude Code 2.1.295 and later)",
        ),
    ],
    idle: &[Idle {
        key: "once",
        message: "`once` counts only in a skill's own hooks",
        cost: "the hook runs every time",
        fix: "remove it, or move the hook to the skill's front matter",
    }],
    meant: &[
        meant(Layer::Project, From::Root, ".claude", "\"$CLAUDE_PROJECT_DIR\"/.claude/"),
        meant(Layer::Local, From::Root, ".claude", "\"$CLAUDE_PROJECT_DIR\"/.claude/"),
        meant(Layer::User, From::Home, ".claude", "~/.claude/"),
        meant(Layer::User, From::Home, "", "~/"),
        meant(Layer::Plugin, From::Root, "", "\"${CLAUDE_PLUGIN_ROOT}\"/"),
        meant(Layer::Plugin, From::Root, "hooks", "\"${CLAUDE_PLUGIN_ROOT}\"/hooks/"),
    ],
    windows: WindowsShell::GitBash,
    ..Lint::CLAUDE_SHAPED
};

/// Settings whose wrong type voids the whole file, as recorded with 2.1.325. Others, such as `theme` or
/// `enabledMcpjsonServers`, are ignored.
const SETTINGS: &[Settings] = &[
    Settings {
        object: "",
        keys: &[
            ("$schema", Kind::Text),
            ("allowManagedHooksOnly", Kind::Bool),
            ("alwaysThinkingEnabled", Kind::Bool),
            ("apiKeyHelper", Kind::Text),
            ("attribution", Kind::Table),
            ("cleanupPeriodDays", Kind::Number),
            ("companyAnnouncements", Kind::List),
            ("disableAllHooks", Kind::Bool),
            ("enableAllProjectMcpServers", Kind::Bool),
            ("enabledPlugins", Kind::Table),
            ("env", Kind::Table),
            ("includeCoAuthoredBy", Kind::Bool),
            ("language", Kind::Text),
            ("model", Kind::Text),
            ("outputStyle", Kind::Text),
            ("permissions", Kind::Table),
            ("sandbox", Kind::Table),
            ("spinnerTipsEnabled", Kind::Bool),
            ("statusLine", Kind::Table),
            ("verbose", Kind::Bool),
        ],
        all: false,
    },
    Settings {
        object: "permissions",
        keys: &[
            ("additionalDirectories", Kind::List),
            ("allow", Kind::List),
            ("ask", Kind::List),
            ("defaultMode", Kind::Text),
            ("deny", Kind::List),
        ],
        all: false,
    },
    Settings { object: "sandbox", keys: &[("enabled", Kind::Bool)], all: false },
    Settings {
        object: "statusLine",
        keys: &[("type", Kind::Text), ("command", Kind::Text)],
        all: true,
    },
];

fn tested(event: &str) -> Tested {
    match event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest"
        | "PermissionDenied" => Tested::Tool,
        "SessionStart" => Tested::Words(&["startup", "resume", "clear", "compact", "fork"]),
        "Setup" => Tested::Words(&["init", "maintenance"]),
        "PreCompact" | "PostCompact" => COMPACTED,
        "SessionEnd" => Tested::Words(&[
            "clear",
            "resume",
            "logout",
            "prompt_input_exit",
            "bypass_permissions_disabled",
            "other",
        ]),
        "ConfigChange" => Tested::Words(&[
            "user_settings",
            "project_settings",
            "local_settings",
            "policy_settings",
            "skills",
        ]),
        "InstructionsLoaded" => Tested::Words(&[
            "session_start",
            "nested_traversal",
            "path_glob_match",
            "include",
            "compact",
        ]),
        "DirectoryAdded" => Tested::Words(&["slash_command", "register_repo_root"]),
        "UserPromptSubmit" | "MessageDisplay" | "PostToolBatch" | "TaskCreated"
        | "TaskCompleted" | "Stop" | "TeammateIdle" | "CwdChanged" | "WorktreeCreate"
        | "WorktreeRemove" => Tested::Nothing,
        _ => Tested::Open,
    }
}
