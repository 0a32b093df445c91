//! Lint data of a host's hook files: keys, types, matchers, and the cost of each mistake. Pure data; the
//! rules are in `tenter-lint`.

/// Kind of a hook file by its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Managed by an administrator.
    Enterprise,
    /// In the repository.
    Project,
    /// In the repository's folder, but for one user only.
    Local,
    /// In the home folder.
    User,
    Plugin,
    /// Named explicitly and of no known location.
    Unknown,
}

/// JSON type of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Integer,
    /// A positive integer.
    Positive,
    Bool,
    /// A number or `null`.
    Limit,
    List,
    Table,
    Any,
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Integer | Self::Positive => "a whole number",
            Self::Bool => "`true` or `false`",
            Self::Limit => "a number or `null`",
            Self::List => "an array",
            Self::Table => "an object",
            Self::Any => "anything",
        }
    }
}

/// Keys with their types.
pub type Keys = &'static [(&'static str, Kind)];

/// The text that a matcher is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tested {
    /// A tool name; new tools may appear.
    Tool,
    /// The text of a shell command.
    CommandText,
    /// One of these words only.
    Words(&'static [&'static str]),
    /// A value known only at run time: a path, an agent's name.
    Open,
    /// Nothing: the matcher is ignored.
    Nothing,
}

/// A hook file recognised by its path.
#[derive(Clone, Copy, Debug)]
pub struct FileName {
    /// End of its folder's path; empty for any folder.
    pub folder: &'static str,
    /// File name; empty for any.
    pub name: &'static str,
    /// Its layer; below the home folder a project layer becomes the user's.
    pub layer: Layer,
}

/// Base folder of relative commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The file's own folder.
    File,
    /// Root of the project or plugin.
    Root,
    /// The session's folder, which no file reveals.
    Session,
}

/// A folder that users often mean when they write a relative path with another base.
#[derive(Clone, Copy, Debug)]
pub struct Meant {
    pub layer: Layer,
    pub from: From,
    pub inner: &'static str,
    /// Prefix for a path below it; empty for the folder's own path.
    pub name: &'static str,
}

/// Location of a [`Meant`] folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Root,
    Home,
    /// The file's own folder.
    File,
}

/// Types of the keys of one object in a settings file.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Top-level key of the object; empty for the top level itself.
    pub object: &'static str,
    pub keys: Keys,
    /// Whether all keys are required.
    pub all: bool,
}

/// A valid key that has no effect in its place.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    pub key: &'static str,
    pub message: &'static str,
    pub cost: &'static str,
    pub fix: &'static str,
}

/// Events that are fired for the same call.
#[derive(Clone, Copy, Debug)]
pub struct Twice {
    /// The event for calls of all tools.
    pub general: &'static str,
    /// Events for one tool, with the tool's name.
    pub special: &'static [(&'static str, &'static str)],
    /// Each tool: the host's name first, then its names in matchers of other hosts.
    pub tools: &'static [&'static [&'static str]],
}

/// The shell that runs commands on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowsShell {
    PowerShell,
    GitBash,
    Cmd,
}

/// Lint data of a host.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and most hosts share the default"
)]
#[derive(Clone, Copy, Debug)]
pub struct Lint {
    /// Cost of a mistake, by rule name; a rule without a default cost is only checked on hosts listed here.
    pub costs: &'static [(&'static str, &'static str)],
    /// Rules reported as notes only, since the host does not document the behaviour.
    pub notes: &'static [&'static str],
    pub files: &'static [FileName],
    /// Whether its files can be recognised by their event names.
    pub told_by_events: bool,
    /// Events in the host's table that never appear in files.
    pub not_in_files: &'static [&'static str],
    /// Claude Code's name of an event, where it differs.
    pub claude_name: Option<fn(&str) -> Option<&'static str>>,
    /// Keys of a group.
    pub group_keys: Keys,
    /// Keys of a handler.
    pub handler_keys: Keys,
    /// Handler types that an event runs.
    pub handler_types: fn(&str) -> &'static [&'static str],
    /// Handler types that the host can parse, whether it runs them or not.
    pub readable_types: &'static [&'static str],
    /// Cost of any other type, if more than the handler itself.
    pub unreadable_type: &'static str,
    /// Whether a handler without `type` is invalid.
    pub type_required: bool,
    /// Required keys per handler type.
    pub needed: &'static [(&'static str, &'static [&'static str])],
    /// Keys that may be `null`.
    pub nullable: &'static [&'static str],
    /// Handler keys that take one of two words.
    pub words: &'static [(&'static str, [&'static str; 2])],
    pub settings: &'static [Settings],
    /// All keys allowed at the top level, if others void the file.
    pub top_keys: Option<&'static [&'static str]>,
    /// Whether an unknown event is skipped with its content.
    pub skips_unknown_events: bool,
    /// Whether a group without handlers is harmless.
    pub empty_groups: bool,
    /// Whether comments are allowed, other than trailing commas.
    pub comments: bool,
    /// Whether a byte order mark makes a file unreadable.
    pub refuses_mark: bool,
    pub tested: fn(&str) -> Tested,
    /// Tool names that the host sends.
    pub tools: &'static [&'static str],
    /// Tool names of other hosts, with the name here.
    pub tools_elsewhere: &'static [(&'static str, &'static str)],
    /// Prefix and form of MCP tool names.
    pub mcp: (&'static str, &'static str),
    /// Separators between plain names in a matcher.
    pub separators: &'static [char],
    /// Whether an event's matcher is compared as plain names instead of as a pattern.
    pub exact: fn(&str, &str) -> bool,
    /// Whether patterns are Rust regular expressions instead of JavaScript's.
    pub rust_patterns: bool,
    /// Whether a mistake voids the whole file, by rule and event.
    pub drops_file: fn(&str, Option<&str>) -> bool,
    /// Cost of a voided file, in JSON and in TOML; empty where the mistake's own cost says so.
    pub dropped: (&'static str, &'static str),
    /// Maximum timeout in seconds for hooks at the end of a session.
    pub longest_at_end: Option<f64>,
    /// Nearest equivalents of other hosts' events.
    pub events_elsewhere: &'static [(&'static str, &'static str)],
    /// Keys of other hosts: their effect here, and the fix.
    pub keys_elsewhere: &'static [(&'static str, &'static str, &'static str)],
    pub idle: &'static [Idle],
    pub base: fn(Layer) -> Base,
    pub meant: &'static [Meant],
    pub windows: WindowsShell,
    pub twice: Option<&'static Twice>,
}

/// All handler types of all hosts.
pub const HANDLER_TYPES: &[&str] = &["command", "prompt", "http", "mcp_tool", "agent"];

/// Matchers of compaction events.
pub(crate) const COMPACTED: Tested = Tested::Words(&["manual", "auto"]);

/// Whether the text consists of letters, digits, `_` and the characters in `more`.
pub(crate) fn is_names(text: &str, more: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_|".contains(c) || more.contains(c))
}

impl Lint {
    /// Defaults for files in Claude Code's shape.
    pub const CLAUDE_SHAPED: Self = Self {
        costs: &[],
        notes: &[],
        files: &[],
        told_by_events: false,
        not_in_files: &[],
        claude_name: None,
        group_keys: &[("matcher", Kind::Text), ("hooks", Kind::List)],
        handler_keys: &[
            ("type", Kind::Text),
            ("command", Kind::Text),
            ("timeout", Kind::Number),
            ("statusMessage", Kind::Text),
        ],
        handler_types: |_| &["command"],
        readable_types: HANDLER_TYPES,
        unreadable_type: "",
        type_required: true,
        needed: &[
            ("command", &["command"]),
            ("prompt", &["prompt"]),
            ("agent", &["prompt"]),
            ("http", &["url"]),
            ("mcp_tool", &["server", "tool"]),
        ],
        nullable: &[],
        words: &[],
        settings: &[],
        top_keys: None,
        skips_unknown_events: false,
        empty_groups: false,
        comments: false,
        refuses_mark: false,
        tested: |event| match event {
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest" => {
                Tested::Tool
            }
            _ => Tested::Open,
        },
        tools: &["Bash", "Read", "Write", "Edit", "Glob", "Grep", "WebFetch", "Task"],
        tools_elsewhere: &[("Shell", "Bash"), ("shell", "Bash")],
        mcp: ("mcp__", "mcp__<server>__<tool>"),
        separators: &['|'],
        exact: |_, _| false,
        rust_patterns: false,
        drops_file: |_, _| false,
        dropped: ("", ""),
        longest_at_end: None,
        events_elsewhere: &[
            ("beforeShellExecution", "`PreToolUse` with matcher `Bash`"),
            ("afterShellExecution", "`PostToolUse` with matcher `Bash`"),
            ("beforeMCPExecution", "`PreToolUse` with matcher `mcp__.*`"),
            ("afterMCPExecution", "`PostToolUse` with matcher `mcp__.*`"),
            ("afterFileEdit", "`PostToolUse` with matcher `Edit|Write`"),
        ],
        keys_elsewhere: &[(
            "matcher",
            "the handler runs for every tool",
            "move `matcher` to the group, beside `hooks`",
        )],
        idle: &[],
        base: |layer| match layer {
            Layer::Project | Layer::Local => Base::Root,
            Layer::User | Layer::Enterprise | Layer::Plugin | Layer::Unknown => Base::Session,
        },
        meant: &[],
        windows: WindowsShell::PowerShell,
        twice: None,
    };

    /// The cost of a rule's mistake on this host, if it has its own here.
    pub fn cost(&self, rule: &str) -> Option<&'static str> {
        self.costs.iter().find(|(id, _)| *id == rule).map(|(_, cost)| *cost)
    }
}
