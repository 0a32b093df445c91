//! Lint data for Cursor's hook files.

use super::event::{CursorEvent, Subject};
use crate::lint::{
    Base, FileName, From, Kind, Layer, Lint, Meant, Settings, Tested, Twice, WindowsShell,
};

const COSTS: &[(&str, &str)] = &[
    (
        "json-comments",
        "not documented to be accepted; a reader of plain JSON loads no hook of this file",
    ),
    ("duplicate-key", "only the last one counts; what the earlier one holds never runs"),
    ("version-missing", "newer versions of Cursor require it and may refuse the whole file"),
    ("events-outside-hooks", "its hooks never run"),
    (
        "unknown-event",
        "the Cursor CLI (2026.09.10) discards the whole file without a word; elsewhere these hooks never run",
    ),
    ("claude-group-in-cursor-file", "the entry itself has no command, so nothing in it runs"),
    ("wrong-type", "not documented; expect the value, the hook or the whole file to be skipped"),
    ("type-not-supported", "Cursor knows `command` and `prompt`; expect the hook not to run"),
    ("prompt-without-type", "the entry counts as a command, and the prompt is never asked"),
    ("missing-command", "the entry does nothing"),
    ("timeout-too-long", "a hook that hangs holds the agent up for as long"),
    (
        "timeout-unusable",
        "not documented; expect the default instead, or a hook that fails every time",
    ),
    ("loop-limit-without-loop", "it limits nothing: the hook runs as often as its event happens"),
    ("matcher-invalid", "not documented; expect the hook never to run, or on everything"),
    ("matcher-ignored", "Cursor documents no matcher here; expect the hook to run every time"),
    ("fail-open-guard", "when the hook crashes, hangs or is missing, the action goes on"),
    ("fail-closed-without-gate", "it closes nothing: the agent goes on whatever the hook does"),
    ("windows-quoting", "PowerShell prints the text instead of running it"),
    ("fires-twice", "every such call is judged, logged and waited for twice"),
];

const fn file(folder: &'static str, layer: Layer) -> FileName {
    FileName { folder, name: "hooks.json", layer }
}

pub(super) const LINT: Lint = Lint {
    costs: COSTS,
    notes: &["matcher-ignored"],
    files: &[
        file(".cursor", Layer::Project),
        file("etc/cursor", Layer::Enterprise),
        file("Application Support/Cursor", Layer::Enterprise),
        file("ProgramData/Cursor", Layer::Enterprise),
    ],
    told_by_events: true,
    claude_name: Some(|event| CursorEvent::named(event)?.spec().claude),
    handler_keys: &[
        ("command", Kind::Text),
        ("type", Kind::Text),
        ("prompt", Kind::Text),
        ("model", Kind::Text),
        ("timeout", Kind::Number),
        ("failClosed", Kind::Bool),
        ("loop_limit", Kind::Limit),
        ("matcher", Kind::Text),
    ],
    handler_types: |_| &["command", "prompt"],
    readable_types: &["command", "prompt"],
    type_required: false,
    settings: &[Settings { object: "", keys: &[("version", Kind::Positive)], all: false }],
    tested,
    tools: &["Shell", "Read", "Write", "Grep", "Delete", "Task"],
    tools_elsewhere: &[
        ("Bash", "Shell"),
        ("bash", "Shell"),
        ("PowerShell", "Shell"),
        ("MultiEdit", "Write"),
        ("NotebookEdit", "Write"),
        ("apply_patch", "Write"),
        ("Agent", "Task"),
        ("spawn_agent", "Task"),
    ],
    mcp: ("MCP:", "MCP:<tool>"),
    events_elsewhere: &[("PermissionRequest", "`preToolUse`")],
    keys_elsewhere: &[
        ("onFailure", "a failed hook lets the action through", "write `\"failClosed\": true`"),
        ("args", "the command runs without these arguments", "write them into `command`"),
        ("arguments", "the command runs without these arguments", "write them into `command`"),
        (
            "if",
            "the hook runs whatever the condition says",
            "use `matcher`, or test it in the hook",
        ),
        ("async", "the agent waits for the hook", "let the hook start its work in the background"),
    ],
    base: |layer| match layer {
        Layer::User | Layer::Enterprise => Base::File,
        Layer::Project | Layer::Local | Layer::Plugin => Base::Root,
        Layer::Unknown => Base::Session,
    },
    meant: &[
        Meant { layer: Layer::Project, from: From::Root, inner: ".cursor", name: ".cursor/" },
        Meant { layer: Layer::User, from: From::Home, inner: "", name: "~/" },
        Meant { layer: Layer::Plugin, from: From::Root, inner: "hooks", name: "./hooks/" },
    ],
    windows: WindowsShell::PowerShell,
    twice: Some(&Twice {
        general: "preToolUse",
        special: &[
            ("beforeShellExecution", "Shell"),
            ("beforeMCPExecution", "MCP:tool"),
            ("beforeReadFile", "Read"),
            ("subagentStart", "Task"),
        ],
        tools: &[
            &["Shell", "Bash"],
            &["Read"],
            &["Write", "Edit"],
            &["Grep"],
            &["Task", "Agent"],
            &["Delete"],
            &["MCP:tool", "mcp__server__tool"],
        ],
    }),
    ..Lint::CLAUDE_SHAPED
};

fn tested(event: &str) -> Tested {
    let Some(known) = CursorEvent::named(event) else { return Tested::Open };
    match known.spec().subject {
        Subject::Field("tool_name") => Tested::Tool,
        Subject::Field("command") => Tested::CommandText,
        Subject::Constant("Read" | "TabRead") => Tested::Words(&["Read", "TabRead"]),
        Subject::Constant("Write" | "TabWrite") => Tested::Words(&["Write", "TabWrite"]),
        Subject::Constant("UserPromptSubmit") => Tested::Words(&["UserPromptSubmit"]),
        Subject::Constant("Stop") => Tested::Words(&["Stop"]),
        Subject::Constant("AgentResponse") => Tested::Words(&["AgentResponse"]),
        Subject::Constant("AgentThought") => Tested::Words(&["AgentThought"]),
        Subject::Ignored => Tested::Nothing,
        Subject::Field(_) | Subject::Constant(_) | Subject::McpTool => Tested::Open,
    }
}
