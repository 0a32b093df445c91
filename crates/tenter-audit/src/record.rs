//! The type of a record: one hook call.
//!
//! The same type is used for writing and reading, so the two cannot drift apart. Absent fields are omitted;
//! readers ignore unknown fields.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Number;
use tenter_model::RecordLevel;

/// Text borrowed from the event when written, owned when read.
pub type Str<'a> = Cow<'a, str>;

/// Version of the record format.
pub const VERSION: u8 = 1;

/// Type of a spool line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    Call,
    /// The last line of a segment.
    Closed,
    /// Older segments were pruned; see [`Checkpoint`].
    Checkpoint,
    /// A call that died before it answered; see [`crate::unfinished`].
    Unfinished,
}

impl Kind {
    fn is_call(&self) -> bool {
        *self == Self::Call
    }

    /// Whether the line describes a call, including one that died.
    pub fn is_of_call(self) -> bool {
        matches!(self, Self::Call | Self::Unfinished)
    }
}

/// A text of the call: complete, truncated, or only its length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Kept<'a> {
    Whole(Str<'a>),
    Part {
        /// The start of the text; `None` where the record level drops it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Str<'a>>,
        /// Length of the complete text.
        bytes: u64,
    },
}

impl Kept<'_> {
    /// The kept part of the text.
    pub fn text(&self) -> Option<&str> {
        match self {
            Kept::Whole(text) => Some(text),
            Kept::Part { text, .. } => text.as_deref(),
        }
    }

    pub fn is_whole(&self) -> bool {
        matches!(self, Kept::Whole(_))
    }

    /// Original length of the text; for a complete text, the length after redaction.
    pub fn bytes(&self) -> u64 {
        match self {
            Kept::Whole(text) => text.len() as u64,
            Kept::Part { bytes, .. } => *bytes,
        }
    }
}

/// Which agent acted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Agent<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Str<'a>>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Str<'a>>,
}

impl Agent<'_> {
    fn is_main(&self) -> bool {
        *self == Agent::default()
    }
}

/// One action of a call. Paths and names are dropped at the lowest level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Deed<'a> {
    Shell {
        command: Kept<'a>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<Str<'a>>,
    },
    Read {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Str<'a>>,
        /// File content, where the host sends it before the read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Kept<'a>>,
    },
    Write {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Str<'a>>,
        content: Kept<'a>,
    },
    Edit {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Str<'a>>,
        edits: Vec<Change<'a>>,
        /// Number of edits not listed.
        #[serde(default, skip_serializing_if = "is_zero")]
        more: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        moved_to: Option<Str<'a>>,
    },
    Delete {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Str<'a>>,
    },
    Search {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pattern: Option<Kept<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<Str<'a>>,
    },
    Fetch {
        url: Kept<'a>,
    },
    Mcp {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<Str<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<Str<'a>>,
        /// How the server is started, where the host says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<Str<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<Str<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Kept<'a>>,
    },
    Task {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent_type: Option<Str<'a>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<Kept<'a>>,
    },
    Other {
        name: Str<'a>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Kept<'a>>,
    },
}

/// One replacement inside a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change<'a> {
    pub old: Kept<'a>,
    pub new: Kept<'a>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub all: bool,
}

/// The policy's verdict, before encoding for the host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VerdictRecord<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Kept<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_message: Option<Kept<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub additional_context: Option<Kept<'a>>,
    /// Modified input by key; the values are JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub modified_input: Vec<(Str<'a>, Kept<'a>)>,
}

impl VerdictRecord<'_> {
    fn is_none(&self) -> bool {
        *self == VerdictRecord::default()
    }
}

/// A finding of a guard or rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FindingRecord<'a> {
    pub rule: Str<'a>,
    /// Level from the policy: `log`, `ask` or `deny`.
    pub level: Str<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Str<'a>>,
    /// Description of the effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<Str<'a>>,
    /// Byte range in the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<Str<'a>>,
    /// Reason of the exception that allows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub excepted: Option<Str<'a>>,
}

/// Tokens, where the host counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
}

/// Duration of each phase of the call, in microseconds, without writing the record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timings {
    /// Inspecting the environment, loading policies.
    pub policy: u64,
    /// Reading the payload from stdin.
    pub read: u64,
    /// Decoding, guards and rules.
    pub judge: u64,
    /// Policy handlers.
    #[serde(skip_serializing_if = "is_zero")]
    pub handlers: u64,
    /// Encoding the answer.
    pub answer: u64,
    /// From program start until the record was built.
    pub total: u64,
}

/// Unreadable data between this record and the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Length of the torn line, whose writer was killed.
    pub torn: u64,
}

/// Pruned range of the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Number and hash of the last pruned record, which the next one continues.
    pub through: u64,
    pub hash: String,
    /// Number of pruned records, and times of the first and the last.
    pub records: u64,
    pub from: u64,
    pub to: u64,
}

/// One line of the spool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record<'a> {
    pub v: u8,
    /// Milliseconds since 1970.
    pub at: u64,
    #[serde(skip_serializing_if = "Kind::is_call")]
    pub kind: Kind,
    pub level: RecordLevel,

    /// The host that sent the payload; empty if unknown.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub host: Str<'a>,
    /// The host named on the command line, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wired_as: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_version: Option<Str<'a>>,
    /// The unified name of the event.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub event: Str<'a>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub native_event: Str<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<Str<'a>>,
    /// Fingerprint of the call, where the host sends no id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Agent::is_main")]
    pub agent: Agent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workspace_roots: Vec<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript_path: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission_mode: Option<Str<'a>>,
    /// The user: a hash of the email address, or another form chosen by the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Str<'a>>,

    /// The unified name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_tool: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Deed<'a>>,
    /// Number of actions not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_actions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Kept<'a>>,
    /// Files attached to a prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Str<'a>>,
    /// Number of attachments not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_attachments: u64,
    /// Agent response, task, notification or summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Kept<'a>>,
    /// Tool output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Kept<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Kept<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<Number>,
    /// Event detail: source, end reason, status, trigger or failure kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_count: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,

    /// The decision sent to the host; `None` if it was left to the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Str<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub enforcement: Str<'a>,
    #[serde(skip_serializing_if = "VerdictRecord::is_none")]
    pub verdict: VerdictRecord<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingRecord<'a>>,
    /// Code with which the user can allow the call once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Str<'a>>,
    /// The user allowed this call once.
    #[serde(skip_serializing_if = "is_false")]
    pub allowed_once: bool,
    /// The second copy of a call, answered like the first.
    #[serde(skip_serializing_if = "is_false")]
    pub again: bool,
    /// Parts of the verdict that the host does not support.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Str<'a>>,
    /// Warnings: ignored fields and failures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Str<'a>>,
    /// A call made by `tenter prove`.
    #[serde(skip_serializing_if = "is_false")]
    pub canary: bool,
    /// Identifies the policy.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub policy: Str<'a>,
    #[serde(skip_serializing_if = "Timings::is_none")]
    pub us: Timings,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,

    // Fields added by the spool when it seals the line.
    /// Number of calls before this one that could not be recorded.
    #[serde(skip_serializing)]
    pub lost: u64,
    #[serde(skip_serializing)]
    pub gap: Option<Gap>,
    /// Number of the side file that held it first, because the spool was locked.
    #[serde(skip_serializing)]
    pub side: Option<u64>,
    /// Hash of the previous record.
    #[serde(skip_serializing)]
    pub prev: String,
    /// Sequence number, also shown to people.
    #[serde(skip_serializing)]
    pub seq: u64,
    #[serde(skip_serializing)]
    pub hash: String,
}

impl Timings {
    /// Every phase with its name.
    pub fn phases(&self) -> [(&'static str, u64); 6] {
        [
            ("policy", self.policy),
            ("read", self.read),
            ("judge", self.judge),
            ("handlers", self.handlers),
            ("answer", self.answer),
            ("total", self.total),
        ]
    }

    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Record<'static> {
    /// Parses a line of the spool.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }
}

impl Record<'_> {
    /// Paths that the call touched, without the working folder.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.actions
            .iter()
            .flat_map(|deed| match deed {
                Deed::Read { path, .. }
                | Deed::Write { path, .. }
                | Deed::Delete { path }
                | Deed::Search { path, .. } => [path.as_deref(), None],
                Deed::Edit { path, moved_to, .. } => [path.as_deref(), moved_to.as_deref()],
                _ => [None, None],
            })
            .flatten()
    }

    /// The same paths made absolute where the record says their base folder: a file then has one name on all
    /// hosts.
    pub fn full_paths(&self) -> impl Iterator<Item = Str<'_>> {
        let folder = self.cwd.as_deref().filter(|folder| folder.starts_with('/'));
        self.paths().map(move |path| match folder {
            Some(folder) if is_relative(path) => Cow::Owned(below(folder, path)),
            _ => Cow::Borrowed(path),
        })
    }

    /// The rules that block the call, each once, without those that only log.
    pub fn stopping_rules(&self) -> Vec<&str> {
        let stops = self.findings.iter().filter(|it| it.excepted.is_none() && it.level != "log");
        let mut rules: Vec<&str> = stops.map(|it| &*it.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// The shell command, if the call runs one.
    pub fn command(&self) -> Option<&str> {
        self.actions.iter().find_map(|deed| match deed {
            Deed::Shell { command, .. } => command.text(),
            _ => None,
        })
    }

    /// Short description of the call: its command, paths, URL, tool or prompt.
    pub fn subject(&self) -> Str<'_> {
        let of_deed = |deed: &'_ Deed<'_>| -> Option<String> {
            Some(match deed {
                Deed::Shell { command, .. } => command.text()?.to_owned(),
                Deed::Edit { path, moved_to: Some(to), .. } => {
                    format!("{} -> {to}", path.as_deref()?)
                }
                Deed::Read { path, .. }
                | Deed::Write { path, .. }
                | Deed::Edit { path, .. }
                | Deed::Delete { path } => path.as_deref()?.to_owned(),
                Deed::Search { pattern, path } => {
                    let pattern = pattern.as_ref().and_then(Kept::text).unwrap_or_default();
                    match path {
                        Some(path) => format!("{pattern} in {path}"),
                        None => pattern.to_owned(),
                    }
                }
                Deed::Fetch { url } => url.text()?.to_owned(),
                Deed::Mcp { server, tool, .. } => {
                    let tool = tool.as_deref()?;
                    server.as_ref().map_or_else(|| tool.to_owned(), |it| format!("{it}/{tool}"))
                }
                Deed::Task { agent_type, prompt } => {
                    let kind = agent_type.as_deref().unwrap_or("task");
                    let prompt = prompt.as_ref().and_then(Kept::text).unwrap_or_default();
                    format!("{kind}: {prompt}")
                }
                Deed::Other { name, .. } => name.clone().into_owned(),
            })
        };
        let deeds: Vec<String> = self.actions.iter().filter_map(of_deed).collect();
        if !deeds.is_empty() {
            return Cow::Owned(deeds.join(", "));
        }
        let texts = [&self.prompt, &self.error, &self.text];
        let text = texts.into_iter().flatten().find_map(Kept::text);
        Cow::Borrowed(text.or(self.detail.as_deref()).unwrap_or_default())
    }
}

/// Whether a path is relative: does not start at the root, a home folder, a variable or a drive.
fn is_relative(path: &str) -> bool {
    !path.is_empty() && !path.starts_with(['/', '~', '$', '\\', '%']) && !path.contains(':')
}

/// Resolves a relative path against a folder.
fn below(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.iter().flat_map(|part| ["/", part]).collect()
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
