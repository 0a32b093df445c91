//! Lint data for Qwen Code's settings.

use crate::lint::{
    COMPACTED, FileName, From, Kind, Layer, Lint, Meant, Settings, Tested, WindowsShell,
};

const COSTS: &[(&str, &str)] = &[
    ("json-comments", "Qwen Code does not start until the file is repaired"),
    ("duplicate-key", "only the last one counts; what the earlier one holds never runs"),
    ("events-outside-hooks", "its hooks never run"),
    ("hooks-disabled", "Qwen Code runs no hook at all"),
    ("unknown-event", "these hooks never run; Qwen Code says so once at start"),
    ("flat-entry-in-claude-file", "the entry has no `hooks`, so nothing in it runs"),
    ("wrong-type", "Qwen Code skips the entry and tells only its debug log"),
    ("type-missing", "`type` is required: the handler does not run"),
    ("type-not-supported", "the handler does not run"),
    ("prompt-without-type", "`type` is required, so the prompt is never asked"),
    ("missing-command", "the handler does nothing"),
    ("timeout-unusable", "Qwen Code waits a minute instead; version 0.15 ends the hook at once"),
    ("matcher-invalid", "the hooks of this group never run"),
    ("matcher-ignored", "the matcher is ignored: the hooks run every time"),
    ("async-cannot-block", "the action goes on before the guard has answered"),
    ("relative-command", "a session that starts in another folder does not find the script"),
    ("windows-quoting", "PowerShell takes the first quoted word for a text and does not run it"),
];

const fn file(folder: &'static str, name: &'static str, layer: Layer) -> FileName {
    FileName { folder, name, layer }
}

const FAILS_OPEN: &str = "a failed hook lets the action through";
const EXIT_2: &str = "let the hook itself exit 2 with a text on stderr when it fails";

pub(super) const LINT: Lint = Lint {
    costs: COSTS,
    files: &[
        file(".qwen", "settings.json", Layer::Project),
        file("qwen-code", "settings.json", Layer::Enterprise),
        file("qwen-code", "system-defaults.json", Layer::Enterprise),
        file("QwenCode", "settings.json", Layer::Enterprise),
    ],
    group_keys: &[("matcher", Kind::Text), ("sequential", Kind::Bool), ("hooks", Kind::List)],
    handler_keys: &[
        ("type", Kind::Text),
        ("command", Kind::Text),
        ("timeout", Kind::Number),
        ("name", Kind::Text),
        ("description", Kind::Text),
        ("env", Kind::Table),
        ("async", Kind::Bool),
        ("shell", Kind::Text),
        ("statusMessage", Kind::Text),
        ("url", Kind::Text),
        ("headers", Kind::Table),
        ("allowedEnvVars", Kind::List),
        ("once", Kind::Bool),
        ("if", Kind::Text),
        ("prompt", Kind::Text),
        ("model", Kind::Text),
    ],
    handler_types: |_| &["command", "http", "prompt"],
    readable_types: &["command", "http", "prompt"],
    needed: &[("command", &["command"]), ("http", &["url"]), ("prompt", &["prompt"])],
    words: &[("shell", ["bash", "powershell"])],
    settings: &[Settings { object: "", keys: &[("disableAllHooks", Kind::Bool)], all: false }],
    skips_unknown_events: true,
    empty_groups: true,
    comments: true,
    tested: |event| match event {
        "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest"
        | "PermissionDenied" => Tested::Tool,
        "PreCompact" | "PostCompact" => COMPACTED,
        "UserPromptSubmit" | "Stop" | "MessageDisplay" | "PostToolBatch" | "SessionDelete"
        | "TodoCreated" | "TodoCompleted" => Tested::Nothing,
        _ => Tested::Open,
    },
    // The runtime's names, and those that dialogs show, which match as whole names.
    tools: &[
        "run_shell_command",
        "read_file",
        "write_file",
        "edit",
        "glob",
        "grep_search",
        "list_directory",
        "web_fetch",
        "web_search",
        "agent",
        "skill",
        "todo_write",
        "notebook_edit",
        "monitor",
        "exec",
        "Shell",
        "Edit",
        "WriteFile",
        "ReadFile",
        "Grep",
        "Glob",
        "ListFiles",
        "Agent",
        "Skill",
        "TodoList",
        "WebFetch",
        "WebSearch",
    ],
    tools_elsewhere: &[
        ("local_shell", "run_shell_command"),
        ("MultiEdit", "edit"),
        ("StrReplace", "edit"),
        ("apply_patch", "edit"),
        ("ApplyPatch", "edit"),
        ("spawn_agent", "agent"),
    ],
    drops_file: |rule, _| rule == "json-comments",
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
    ],
    meant: &[
        Meant {
            layer: Layer::Project,
            from: From::Root,
            inner: ".qwen",
            name: "\"$QWEN_PROJECT_DIR\"/.qwen/",
        },
        Meant { layer: Layer::User, from: From::Home, inner: ".qwen", name: "~/.qwen/" },
        Meant { layer: Layer::User, from: From::Home, inner: "", name: "~/" },
    ],
    windows: WindowsShell::PowerShell,
    ..Lint::CLAUDE_SHAPED
};
