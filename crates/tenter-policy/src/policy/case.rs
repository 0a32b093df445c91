//! Tests inside a policy: an event and the expected verdict.

use tenter_model::{Event, HostId};

use super::{Layer, Place, Problem, source};
use crate::level::Preset;
use crate::sample::Sample;

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its kind, one of [`KINDS`].
    pub kind: Kind,
    /// The command, path, URL, tool, prompt, output, or payload file.
    pub text: String,
    /// Content written or read.
    pub content: Option<String>,
    pub cwd: Option<String>,
    /// The branch that is checked out.
    pub branch: Option<String>,
    pub host: Option<String>,
    pub agent_type: Option<String>,
    pub permission_mode: Option<String>,
    pub expect: Expect,
    /// Expected finding: a guard, `guard/check`, or the id of a rule.
    pub rule: Option<String>,
    /// Maximum duration.
    pub budget_ms: Option<u64>,
    pub layer: Layer,
    pub file: String,
    pub place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Shell,
    Read,
    Write,
    Edit,
    Delete,
    Fetch,
    Mcp,
    Prompt,
    Output,
    /// A host's payload, in a file beside the test.
    Payload,
}

/// Keys for the event.
pub const KINDS: [(&str, Kind); 10] = [
    ("shell", Kind::Shell),
    ("read", Kind::Read),
    ("write", Kind::Write),
    ("edit", Kind::Edit),
    ("delete", Kind::Delete),
    ("fetch", Kind::Fetch),
    ("mcp", Kind::Mcp),
    ("prompt", Kind::Prompt),
    ("output", Kind::Output),
    ("payload", Kind::Payload),
];

/// Expected verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// Allowed, explicitly or by having no opinion.
    Allow,
    Ask,
    Deny,
    /// No opinion.
    None,
}

impl Expect {
    pub const ALL: [(&str, Expect); 4] = [
        ("allow", Expect::Allow),
        ("ask", Expect::Ask),
        ("deny", Expect::Deny),
        ("none", Expect::None),
    ];

    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, it)| *it == self).map_or("none", |(name, _)| name)
    }
}

/// A file of tests only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFile {
    /// The policy to test: a file beside this one.
    pub policy: Option<String>,
    /// Or a preset.
    pub preset: Option<Preset>,
    pub cases: Vec<Case>,
}

impl CaseFile {
    /// Parses such a file, or returns all mistakes.
    pub fn read(file: &str, text: &str) -> Result<Self, Vec<Problem>> {
        source::parse_cases(file, text)
    }
}

impl Case {
    pub fn sample(&self) -> Sample<'_> {
        let content = self.content.as_deref().unwrap_or_default();
        match self.kind {
            Kind::Shell => Sample::Shell(&self.text),
            Kind::Read if self.content.is_some() => Sample::Content(&self.text, content),
            Kind::Read => Sample::Read(&self.text),
            Kind::Write => Sample::Write(&self.text, content),
            Kind::Edit => Sample::Edit(&self.text, content),
            Kind::Delete => Sample::Delete(&self.text),
            Kind::Fetch => Sample::Fetch(&self.text),
            Kind::Mcp => Sample::Mcp(&self.text),
            Kind::Prompt => Sample::Prompt(&self.text),
            Kind::Output => Sample::Output(&self.text),
            // Only the caller can read the file.
            Kind::Payload => Sample::Prompt(""),
        }
    }

    /// The event on one line.
    pub fn title(&self) -> String {
        let name = KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("", |(name, _)| name);
        format!("{name} {}", self.text.escape_debug())
    }

    /// The event as a host would send it, in this folder unless the test names another.
    pub fn event<'c>(&'c self, cwd: Option<&'c str>) -> Event<'c> {
        let mut event = self.sample().event(self.cwd.as_deref().or(cwd));
        if let Some(host) = self.host.as_deref().and_then(|host| host.parse::<HostId>().ok()) {
            event.host = host;
        }
        event.agent.kind = self.agent_type.as_deref().map(Into::into);
        event.permission_mode = self.permission_mode.as_deref().map(Into::into);
        event
    }
}
