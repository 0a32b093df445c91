//! What may stand in a host's hook files, for the linter: keys, types, matchers, and what a mistake costs.
//! All of it is data; the rules themselves are in `tenter-lint`.

/// Where a file stands among the files that a host reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    /// Laid down by an administrator.
    Enterprise,
    /// In the repository.
    Project,
    /// In the repository's folder, for one person.
    Local,
    /// In the home folder.
    User,
    Plugin,
    /// Given by hand and like none of the above.
    Unknown,
}

/// What a key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Integer,
    /// A whole number, but not 0.
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

/// Keys with the type of their value.
pub type Keys = &'static [(&'static str, Kind)];

/// What a matcher is tested against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tested {
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

/// A hook file that is known by its path alone.
#[derive(Clone, Copy, Debug)]
pub struct FileName {
    /// The end of its folder's path; empty where any folder will do.
    pub folder: &'static str,
    /// Empty where any name will do.
    pub name: &'static str,
    /// Below the home folder, one of a project is the user's.
    pub layer: Layer,
}

/// The folder that relative commands start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// The folder of the file itself.
    File,
    /// The project's root, or the plugin's.
    Root,
    /// The folder that the session is in, which no file tells.
    Session,
}

/// A folder that people have in mind when they write a relative path that starts elsewhere.
#[derive(Clone, Copy, Debug)]
pub struct Meant {
    pub layer: Layer,
    pub from: From,
    pub inner: &'static str,
    /// How a path below it is written; empty for the folder's own path.
    pub name: &'static str,
}

/// Where the folder of a [`Meant`] lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    Root,
    Home,
    /// The folder of the file itself.
    File,
}

/// The types of the keys in one object of a settings file.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The key of the object at the top; empty for the top itself.
    pub object: &'static str,
    pub keys: Keys,
    /// The host wants all of them.
    pub all: bool,
}

/// A key that is known and does nothing where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Idle {
    pub key: &'static str,
    pub message: &'static str,
    pub cost: &'static str,
    pub fix: &'static str,
}

/// Events that fire for one call, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Twice {
    /// The event for calls of all tools.
    pub general: &'static str,
    /// Events for one tool, with its name.
    pub special: &'static [(&'static str, &'static str)],
    /// Each tool by the host's name, then by the names that matchers of the other hosts know it under.
    pub tools: &'static [&'static [&'static str]],
}

/// The shell that runs commands on Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowsShell {
    PowerShell,
    GitBash,
    Cmd,
}

/// What the linter knows of a host.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and most hosts share the default"
)]
#[derive(Clone, Copy, Debug)]
pub struct Lint {
    /// What a mistake costs, by the rule's name; a rule without a cost of its own is only looked for on
    /// hosts that name one.
    pub costs: &'static [(&'static str, &'static str)],
    /// Rules whose findings are only notes here, since the host documents nothing about it.
    pub notes: &'static [&'static str],
    pub files: &'static [FileName],
    /// The names of its events tell its files from those of other hosts.
    pub told_by_events: bool,
    /// Events that are in the host's table and never in a file.
    pub not_in_files: &'static [&'static str],
    /// Claude Code's name for an event, where it is not the host's own name.
    pub claude_name: Option<fn(&str) -> Option<&'static str>>,
    /// The keys of what is run.
    pub handler_keys: Keys,
    /// The types of handlers that an event runs.
    pub handler_types: fn(&str) -> &'static [&'static str],
    /// The types that the host can read, whether it runs them or not.
    pub readable_types: &'static [&'static str],
    /// What any other type costs, where that is more than its handler.
    pub unreadable_type: &'static str,
    /// A handler without `type` is no command.
    pub type_required: bool,
    /// What a handler of each type cannot do without.
    pub needed: &'static [(&'static str, &'static [&'static str])],
    /// Keys that may be `null`.
    pub nullable: &'static [&'static str],
    /// Keys of a handler that take one of two words.
    pub words: &'static [(&'static str, [&'static str; 2])],
    pub settings: &'static [Settings],
    /// All that may stand at the top of a file, where more voids it.
    pub top_keys: Option<&'static [&'static str]>,
    /// An event that the host does not know is skipped with all that is in it.
    pub skips_unknown_events: bool,
    /// A group without handlers does no harm.
    pub empty_groups: bool,
    /// A byte order mark makes a file unreadable.
    pub refuses_mark: bool,
    pub tested: fn(&str) -> Tested,
    /// Tools that the host is known to send.
    pub tools: &'static [&'static str],
    /// Names of tools on other hosts, and what they are called here.
    pub tools_elsewhere: &'static [(&'static str, &'static str)],
    /// How the names of MCP tools begin, and the form they have.
    pub mcp: (&'static str, &'static str),
    /// What stands between plain names in a matcher.
    pub separators: &'static [char],
    /// Whether the matcher of an event is compared as plain names, and not searched for.
    pub exact: fn(&str, &str) -> bool,
    /// Patterns are Rust's and not JavaScript's.
    pub rust_patterns: bool,
    /// Whether nothing of the file is read after a mistake, by its rule and the event it is in.
    pub drops_file: fn(&str, Option<&str>) -> bool,
    /// What that costs, in JSON and in TOML; empty where the mistake's own cost says so.
    pub dropped: (&'static str, &'static str),
    /// The most seconds that a hook gets when a session ends.
    pub longest_at_end: Option<f64>,
    /// What comes nearest to events of other hosts.
    pub events_elsewhere: &'static [(&'static str, &'static str)],
    /// Keys of other hosts: what follows from them, and what to do.
    pub keys_elsewhere: &'static [(&'static str, &'static str, &'static str)],
    pub idle: &'static [Idle],
    pub base: fn(Layer) -> Base,
    pub meant: &'static [Meant],
    pub windows: WindowsShell,
    pub twice: Option<&'static Twice>,
}

/// Every type that some host has.
pub const HANDLER_TYPES: &[&str] = &["command", "prompt", "http", "mcp_tool", "agent"];

/// The matchers of events about compactions.
pub(crate) const COMPACTED: Tested = Tested::Words(&["manual", "auto"]);

/// Letters, digits and `_`, the characters of names, and what else is given.
pub(crate) fn is_names(text: &str, more: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_|".contains(c) || more.contains(c))
}

impl Lint {
    /// Files in Claude Code's shape, of which nothing more is known.
    pub const CLAUDE_SHAPED: Self = Self {
        costs: &[],
        notes: &[],
        files: &[],
        told_by_events: false,
        not_in_files: &[],
        claude_name: None,
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

    /// What a rule's mistake costs on this host, if it has a cost of its own here.
    pub fn cost(&self, rule: &str) -> Option<&'static str> {
        self.costs.iter().find(|(id, _)| *id == rule).map(|(_, cost)| *cost)
    }
}
