//! One hook call, as it is kept.
//!
//! The same type is written and read, so that the two cannot drift apart. A field that a record does
//! not have is left out; a reader passes over fields that it does not know.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Number;
use tenter_model::RecordLevel;

/// A text that borrows from the event while it is written, and owns itself when it is read.
pub type Str<'a> = Cow<'a, str>;

/// The version of the form.
pub const VERSION: u8 = 1;

/// Type of a spool line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    Call,
    /// The last line of a segment.
    Closed,
    /// Older segments have been cleared away; see [`Checkpoint`].
    Checkpoint,
    /// A call that died before it answered; see [`crate::unfinished`].
    Unfinished,
}

impl Kind {
    fn is_call(&self) -> bool {
        *self == Self::Call
    }

    /// Whether it tells of a call, be it that it died.
    pub fn is_of_call(self) -> bool {
        matches!(self, Self::Call | Self::Unfinished)
    }
}

/// A text of the call: all of it, a beginning, or only its length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Kept<'a> {
    Whole(Str<'a>),
    Part {
        /// The beginning; none where the level leaves it out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<Str<'a>>,
        /// The length of the whole.
        bytes: u64,
    },
}

impl Kept<'_> {
    /// The text as far as it was kept.
    pub fn text(&self) -> Option<&str> {
        match self {
            Kept::Whole(text) => Some(text),
            Kept::Part { text, .. } => text.as_deref(),
        }
    }

    pub fn is_whole(&self) -> bool {
        matches!(self, Kept::Whole(_))
    }

    /// The length of the text as it was; of one that is kept whole, after redaction.
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

/// One thing a call would do. Paths and names are left out at the lowest level.
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
        /// How many further edits are not in the list.
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
        /// How the server is reached, where the host says.
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

/// The policy's answer, before the host got it in its own words.
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

/// Something that a guard or a rule found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FindingRecord<'a> {
    pub rule: Str<'a>,
    /// Level from the policy: `log`, `ask` or `deny`.
    pub level: Str<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<Str<'a>>,
    /// The effect, as the end of a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<Str<'a>>,
    /// Where in the command it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<(u64, u64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<Str<'a>>,
    /// Why the policy lets it pass all the same.
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

/// How long each part of the call took, in microseconds. Writing the record itself is not in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Timings {
    /// Finding out about the machine, reading policies.
    pub policy: u64,
    /// Waiting for the payload and reading it.
    pub read: u64,
    /// Decoding, guards and rules.
    pub judge: u64,
    /// Programs of the policy.
    #[serde(skip_serializing_if = "is_zero")]
    pub handlers: u64,
    /// Saying it in the host's words.
    pub answer: u64,
    /// From the start of the program until the record was made.
    pub total: u64,
}

/// Something between this record and the one before it that could not be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// The length of the torn line: a writer was ended in the middle of it.
    pub torn: u64,
}

/// Pruned range of the record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The last record that was cleared away, and its hash: the next one goes on from it.
    pub through: u64,
    pub hash: String,
    /// How many records, and when the first and the last of them were made.
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

    /// The host that sent the payload; empty if nobody could tell.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub host: Str<'a>,
    /// The host on the command line, where it is another.
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
    /// The fingerprint of the call, where the host gives it no id.
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
    /// The person at the host: the hash of an address, or what the policy says to keep of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<Str<'a>>,

    /// The unified name of the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_tool: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<Deed<'a>>,
    /// How many further actions are not in the list.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_actions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Kept<'a>>,
    /// Files attached to a prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Str<'a>>,
    /// How many further files are not in the list.
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
    /// One word about the event: source, reason of an end, status, trigger, kind of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<Str<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loop_count: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,

    /// The decision as the host got it; none means that it was left to the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Str<'a>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub enforcement: Str<'a>,
    #[serde(skip_serializing_if = "VerdictRecord::is_none")]
    pub verdict: VerdictRecord<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<FindingRecord<'a>>,
    /// The code a human can allow the call with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Str<'a>>,
    /// A human has allowed this call once.
    #[serde(skip_serializing_if = "is_false")]
    pub allowed_once: bool,
    /// The second copy of a call, answered like the first.
    #[serde(skip_serializing_if = "is_false")]
    pub again: bool,
    /// Parts of the verdict that the host could not take as meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Str<'a>>,
    /// Warnings: ignored fields and failures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Str<'a>>,
    /// A call that `tenter prove` had the host make.
    #[serde(skip_serializing_if = "is_false")]
    pub canary: bool,
    /// Tells policies apart.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub policy: Str<'a>,
    #[serde(skip_serializing_if = "Timings::is_none")]
    pub us: Timings,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,

    // Added by the spool when it seals the line.
    /// How many calls before this one left no record, because it could not be written.
    #[serde(skip_serializing)]
    pub lost: u64,
    #[serde(skip_serializing)]
    pub gap: Option<Gap>,
    /// It stood in this file beside the chain first, because the spool was locked.
    #[serde(skip_serializing)]
    pub side: Option<u64>,
    /// The hash of the record before.
    #[serde(skip_serializing)]
    pub prev: String,
    /// The number of the record: its name for people, too.
    #[serde(skip_serializing)]
    pub seq: u64,
    #[serde(skip_serializing)]
    pub hash: String,
}

impl Timings {
    /// Every phase by its name.
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
    /// Reads a line of the spool.
    pub fn parse(line: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(line)
    }
}

impl Record<'_> {
    /// Paths of files that the call touched, the working folder not among them.
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

    /// The same from the root on, as far as the record says which folder they are told from: one file has one
    /// name, whatever a host calls it.
    pub fn full_paths(&self) -> impl Iterator<Item = Str<'_>> {
        let folder = self.cwd.as_deref().filter(|folder| folder.starts_with('/'));
        self.paths().map(move |path| match folder {
            Some(folder) if is_relative(path) => Cow::Owned(below(folder, path)),
            _ => Cow::Borrowed(path),
        })
    }

    /// The rules that stop the call, each once: those that only note something are not among them.
    pub fn stopping_rules(&self) -> Vec<&str> {
        let stops = self.findings.iter().filter(|it| it.excepted.is_none() && it.level != "log");
        let mut rules: Vec<&str> = stops.map(|it| &*it.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        rules
    }

    /// The shell command, where the call runs one.
    pub fn command(&self) -> Option<&str> {
        self.actions.iter().find_map(|deed| match deed {
            Deed::Shell { command, .. } => command.text(),
            _ => None,
        })
    }

    /// Subject of the call in a few words: a command, paths, a URL, a tool, the prompt.
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

/// Whether a path is told from some folder: not from the root, a home folder, a variable or a drive.
fn is_relative(path: &str) -> bool {
    !path.is_empty() && !path.starts_with(['/', '~', '$', '\\', '%']) && !path.contains(':')
}

/// A path told from a folder, from the root on.
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
