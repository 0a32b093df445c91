//! Lint data for Gemini CLI's settings.

use crate::lint::{FileName, From, Kind, Layer, Lint, Meant, Settings, Tested, WindowsShell};

const COSTS: &[(&str, &str)] = &[
    ("json-comments", "Gemini CLI does not start until the file is repaired"),
    ("duplicate-key", "only the last one counts; what the earlier one holds never runs"),
    ("events-outside-hooks", "its hooks never run"),
    ("hooks-disabled", "Gemini CLI runs no hook at all"),
    ("unknown-event", "these hooks never run; Gemini CLI says so once at start"),
    ("flat-entry-in-claude-file", "the entry has no `hooks`, so nothing in it runs"),
    ("wrong-type", "Gemini CLI skips the entry and tells only its debug log"),
    ("type-missing", "`type` is required: the handler does not run"),
    ("type-not-supported", "the handler does not run"),
    ("prompt-without-type", "`type` is required, so the prompt is never asked"),
    ("missing-command", "the handler does nothing"),
    ("timeout-unusable", "Gemini CLI ends the hook at once, and the action goes on"),
    (
        "timeout-in-seconds",
        "Gemini CLI kills the hook before it can answer, and the action goes on",
    ),
    ("matcher-invalid", "Gemini CLI compares it as plain text, and no tool has this name"),
    ("matcher-ignored", "the matcher is ignored: the hooks run every time"),
    ("relative-command", "a session that starts in another folder does not find the script"),
    ("windows-quoting", "PowerShell takes the first quoted word for a text and does not run it"),
];

const fn file(folder: &'static str, name: &'static str, layer: Layer) -> FileName {
    FileName { folder, name, layer }
}

const FAILS_OPEN: &str = "a failed hook lets the action through";
const EXIT_2: &str = "let the hook itself exit 2 with a text on stderr when it fails";
const TO_GROUP: &str = "move `matcher` to the group, beside `hooks`";

pub(super) const LINT: Lint = Lint {
    costs: COSTS,
    files: &[
        file(".gemini", "settings.json", Layer::Project),
        file("etc/gemini-cli", "settings.json", Layer::Enterprise),
        file("etc/gemini-cli", "system-defaults.json", Layer::Enterprise),
        file("GeminiCli", "settings.json", Layer::Enterprise),
        file("gemini-cli", "settings.json", Layer::Enterprise),
    ],
    claude_name: Some(claude_name),
    group_keys: &[("matcher", Kind::Text), ("sequential", Kind::Bool), ("hooks", Kind::List)],
    handler_keys: &[
        ("type", Kind::Text),
        ("command", Kind::Text),
        ("timeout", Kind::Number),
        ("name", Kind::Text),
        ("description", Kind::Text),
        ("env", Kind::Table),
    ],
    readable_types: &["command"],
    needed: &[("command", &["command"])],
    settings: &[
        Settings { object: "", keys: &[("hooksConfig", Kind::Table)], all: false },
        Settings {
            object: "hooksConfig",
            keys: &[
                ("enabled", Kind::Bool),
                ("disabled", Kind::List),
                ("notifications", Kind::Bool),
            ],
            all: false,
        },
    ],
    skips_unknown_events: true,
    empty_groups: true,
    comments: true,
    refuses_mark: true,
    tested: |event| match event {
        "BeforeTool" | "AfterTool" => Tested::Tool,
        "SessionStart" => Tested::Words(&["startup", "resume", "clear"]),
        "SessionEnd" => Tested::Words(&["exit", "clear", "logout", "prompt_input_exit", "other"]),
        "PreCompress" => crate::lint::COMPACTED,
        "BeforeAgent" | "AfterAgent" | "BeforeModel" | "AfterModel" | "BeforeToolSelection" => {
            Tested::Nothing
        }
        _ => Tested::Open,
    },
    tools: &[
        "run_shell_command",
        "read_file",
        "read_many_files",
        "write_file",
        "replace",
        "glob",
        "grep_search",
        "search_file_content",
        "list_directory",
        "web_fetch",
        "google_web_search",
        "invoke_agent",
        "save_memory",
        "write_todos",
        "activate_skill",
        "ask_user",
    ],
    tools_elsewhere: &[
        ("Bash", "run_shell_command"),
        ("Shell", "run_shell_command"),
        ("shell", "run_shell_command"),
        ("exec_command", "run_shell_command"),
        ("local_shell", "run_shell_command"),
        ("Read", "read_file"),
        ("Write", "write_file"),
        ("Edit", "replace"),
        ("MultiEdit", "replace"),
        ("StrReplace", "replace"),
        ("apply_patch", "replace"),
        ("ApplyPatch", "replace"),
        ("Glob", "glob"),
        ("Grep", "grep_search"),
        ("WebFetch", "web_fetch"),
        ("WebSearch", "google_web_search"),
        ("Task", "invoke_agent"),
        ("Agent", "invoke_agent"),
        ("spawn_agent", "invoke_agent"),
    ],
    mcp: ("mcp_", "mcp_<server>_<tool>"),
    // Matchers of tools are patterns, all others one exact word.
    separators: &[],
    exact: |event, _| !matches!(event, "BeforeTool" | "AfterTool"),
    drops_file: |rule, _| rule == "json-comments",
    events_elsewhere: &[
        ("PreToolUse", "`BeforeTool`"),
        ("PostToolUse", "`AfterTool`"),
        ("PostToolUseFailure", "`AfterTool`, which also fires for failures"),
        ("UserPromptSubmit", "`BeforeAgent`"),
        ("Stop", "`AfterAgent`"),
        ("PreCompact", "`PreCompress`, which fires before every request to the model"),
        ("beforeShellExecution", "`BeforeTool` with matcher `^run_shell_command$`"),
        ("afterShellExecution", "`AfterTool` with matcher `^run_shell_command$`"),
        ("beforeMCPExecution", "`BeforeTool` with matcher `^mcp_`"),
        ("afterMCPExecution", "`AfterTool` with matcher `^mcp_`"),
        ("beforeReadFile", "`BeforeTool` with matcher `^read_file$`"),
        ("afterFileEdit", "`AfterTool` with matcher `^(replace|write_file)$`"),
        ("beforeSubmitPrompt", "`BeforeAgent`"),
        ("stop", "`AfterAgent`"),
    ],
    keys_elsewhere: &[
        ("matcher", "the handler runs for every tool", TO_GROUP),
        ("failClosed", FAILS_OPEN, EXIT_2),
        ("fail_closed", FAILS_OPEN, EXIT_2),
        ("onFailure", FAILS_OPEN, EXIT_2),
        ("async", "Gemini CLI waits for the hook", "remove it"),
        ("args", "the command runs without these arguments", "write them into `command`"),
        (
            "if",
            "the hook runs whatever the condition says",
            "use `matcher`, or test it in the hook",
        ),
    ],
    meant: &[
        Meant {
            layer: Layer::Project,
            from: From::Root,
            inner: ".gemini",
            name: "$GEMINI_PROJECT_DIR/.gemini/",
        },
        Meant { layer: Layer::User, from: From::Home, inner: ".gemini", name: "~/.gemini/" },
        Meant { layer: Layer::User, from: From::Home, inner: "", name: "~/" },
    ],
    windows: WindowsShell::PowerShell,
    ..Lint::CLAUDE_SHAPED
};

fn claude_name(event: &str) -> Option<&'static str> {
    Some(match event {
        "BeforeTool" => "PreToolUse",
        "AfterTool" => "PostToolUse",
        "BeforeAgent" => "UserPromptSubmit",
        "AfterAgent" => "Stop",
        _ => return None,
    })
}
