//! What each host knows: events, keys, tools, what matchers are tested against.

use tenter_engine::{CursorEvent, Subject};
use tenter_model::HostId;

/// The events that may stand in a host's hook file.
pub(crate) fn event_names(host: HostId) -> impl Iterator<Item = &'static str> + Clone {
    // Codex's `notify` is in the table of events, but never in a hook file.
    let in_files = move |name: &&str| host == HostId::Cursor || starts_upper(name);
    tenter_hosts::host(host).events().iter().map(|spec| spec.native).filter(in_files)
}

fn starts_upper(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

pub(crate) fn is_event(host: HostId, name: &str) -> bool {
    event_names(host).any(|known| known == name)
}

/// The event of a host that is another host's event by another name.
pub(crate) fn translated(host: HostId, name: &str) -> Option<&'static str> {
    if host == HostId::Cursor {
        return CursorEvent::of_claude(name).map(CursorEvent::name);
    }
    let meant = CursorEvent::named(name)?.spec().claude?;
    is_event(host, meant).then_some(meant)
}

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    Integer,
    Bool,
    /// A number or `null`.
    Limit,
    List,
    Table,
    Any,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Integer => "a whole number",
            Self::Bool => "`true` or `false`",
            Self::Limit => "a number or `null`",
            Self::List => "an array",
            Self::Table => "an object",
            Self::Any => "anything",
        }
    }
}

const CURSOR_ENTRY: &[(&str, Kind)] = &[
    ("command", Kind::Text),
    ("type", Kind::Text),
    ("prompt", Kind::Text),
    ("model", Kind::Text),
    ("timeout", Kind::Number),
    ("failClosed", Kind::Bool),
    ("loop_limit", Kind::Limit),
    ("matcher", Kind::Text),
];

const CLAUDE_HANDLER: &[(&str, Kind)] = &[
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
];

const CODEX_HANDLER: &[(&str, Kind)] = &[
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
];

const GROUP: &[(&str, Kind)] = &[("matcher", Kind::Text), ("hooks", Kind::List)];

/// The keys of what is run: an entry of Cursor's, a handler of the others'.
pub(crate) fn handler_keys(host: HostId) -> &'static [(&'static str, Kind)] {
    match host {
        HostId::Cursor => CURSOR_ENTRY,
        HostId::Claude => CLAUDE_HANDLER,
        HostId::Codex => CODEX_HANDLER,
    }
}

pub(crate) const fn group_keys() -> &'static [(&'static str, Kind)] {
    GROUP
}

/// Keys that people write for each other; no host heeds them and nobody expects it to.
pub(crate) fn is_remark(key: &str) -> bool {
    let known = ["comment", "description", "name", "title", "id", "note", "notes"];
    key.starts_with(['$', '_', '/', '#']) || known.contains(&key)
}

/// The handler types that an event of a host runs.
pub(crate) fn handler_types(host: HostId, event: &str) -> &'static [&'static str] {
    match host {
        HostId::Cursor => &["command", "prompt"],
        HostId::Codex if event == "SessionEnd" => &["command"],
        HostId::Codex => &["command", "mcp_tool"],
        HostId::Claude => match event {
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
    }
}

/// What a matcher is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tested {
    /// The name of a tool; new tools may appear.
    Tool,
    /// The text of a shell command.
    CommandText,
    /// One of these words, and no other.
    Words(&'static [&'static str]),
    /// Something that only the moment knows: a path, an agent's name.
    Open,
    /// Nothing: the matcher is not looked at.
    Nothing,
}

const COMPACTED: Tested = Tested::Words(&["manual", "auto"]);

pub(crate) fn tested(host: HostId, event: &str) -> Tested {
    match host {
        HostId::Cursor => cursor_tested(event),
        HostId::Claude => claude_tested(event),
        HostId::Codex => match event {
            "PreToolUse" | "PostToolUse" | "PermissionRequest" => Tested::Tool,
            "SessionStart" => Tested::Words(&["startup", "resume", "clear", "compact"]),
            "SessionEnd" => Tested::Words(&["other"]),
            "PreCompact" | "PostCompact" => COMPACTED,
            "UserPromptSubmit" | "Stop" | "Interrupt" => Tested::Nothing,
            _ => Tested::Open,
        },
    }
}

fn cursor_tested(event: &str) -> Tested {
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

fn claude_tested(event: &str) -> Tested {
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

/// Tool names that a host is known to send.
pub(crate) fn tools(host: HostId) -> &'static [&'static str] {
    match host {
        HostId::Cursor => &["Shell", "Read", "Write", "Grep", "Delete", "Task"],
        HostId::Claude => &[
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
        HostId::Codex => &["Bash", "apply_patch", "Write", "Edit", "Agent", "spawn_agent"],
    }
}

/// The tool of this host that another host calls `name`; for a slip in the capitals, the tool itself.
pub(crate) fn own_tool(host: HostId, name: &str) -> Option<&'static str> {
    if tools(host).contains(&name) {
        return None;
    }
    let own = match (host, name) {
        (HostId::Cursor, "Bash" | "bash" | "PowerShell") => Some("Shell"),
        (HostId::Cursor, "MultiEdit" | "NotebookEdit" | "apply_patch") => Some("Write"),
        (HostId::Cursor, "Agent" | "spawn_agent") => Some("Task"),
        (HostId::Claude | HostId::Codex, "Shell" | "shell" | "exec_command" | "local_shell") => {
            Some("Bash")
        }
        (HostId::Claude, "apply_patch" | "ApplyPatch" | "StrReplace") => Some("Edit"),
        (HostId::Claude, "spawn_agent") => Some("Agent"),
        (HostId::Codex, "MultiEdit" | "ApplyPatch") => Some("apply_patch"),
        (HostId::Codex, "Task") => Some("spawn_agent"),
        _ => None,
    };
    own.or_else(|| tools(host).iter().copied().find(|tool| tool.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_has_its_events() {
        let count = |host| event_names(host).count();
        assert_eq!(count(HostId::Cursor), 21);
        assert_eq!(count(HostId::Claude), 33);
        assert_eq!(count(HostId::Codex), 12);
    }

    #[test]
    fn events_are_translated_between_the_dialects() {
        assert_eq!(translated(HostId::Cursor, "UserPromptSubmit"), Some("beforeSubmitPrompt"));
        assert_eq!(translated(HostId::Claude, "beforeSubmitPrompt"), Some("UserPromptSubmit"));
        assert_eq!(translated(HostId::Codex, "preToolUse"), Some("PreToolUse"));
        assert_eq!(translated(HostId::Claude, "afterFileEdit"), None);
    }

    #[test]
    fn tools_of_other_hosts_are_known_by_their_own_name() {
        assert_eq!(own_tool(HostId::Cursor, "Bash"), Some("Shell"));
        assert_eq!(own_tool(HostId::Claude, "bash"), Some("Bash"));
        assert_eq!(own_tool(HostId::Claude, "Bash"), None);
        assert_eq!(own_tool(HostId::Codex, "frobnicate"), None);
    }

    #[test]
    fn every_event_of_cursor_has_a_known_subject() {
        for event in event_names(HostId::Cursor) {
            let open = ["subagentStart", "subagentStop", "beforeMCPExecution", "afterMCPExecution"];
            assert_eq!(tested(HostId::Cursor, event) == Tested::Open, open.contains(&event));
        }
    }
}
