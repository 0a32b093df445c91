//! Edits hook files as text: adds and removes hooks and leaves everything else unchanged byte for byte.

mod json;
mod page;
mod plan;
mod render;
mod toml;

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenter_engine::document::Source;
use tenter_hosts::install::Shape;
use tenter_model::HostId;

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, with comments and trailing commas where they exist already.
    Json,
    Toml,
}

impl Format {
    /// Format by file name.
    pub fn of(path: &Path) -> Self {
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        if is_toml { Self::Toml } else { Self::Json }
    }
}

/// A hook to be installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    pub event: String,
    pub matcher: Option<String>,
    /// The keys of the handler, in order; the matcher's place depends on the shape.
    pub fields: Vec<(String, Value)>,
}

/// A hook in a file, ours or not.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundHook {
    pub event: String,
    /// Index in the event's list.
    pub group: usize,
    /// Index in the group's list; 0 where there are no groups.
    pub handler: usize,
    pub matcher: Option<String>,
    /// The complete handler, without its matcher.
    pub fields: Value,
    /// Line of the handler, counted from one.
    pub line: usize,
}

impl FoundHook {
    /// The command, for handlers that run one.
    pub fn command(&self) -> Option<&str> {
        self.fields.get("command")?.as_str()
    }

    /// The arguments of a command started without a shell.
    pub fn arguments(&self) -> Option<Vec<String>> {
        let list = self.fields.get("args")?.as_array()?;
        Some(list.iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect())
    }
}

impl Hook {
    /// Whether all keys are equal.
    pub fn is(&self, found: &FoundHook) -> bool {
        found.event == self.event && found.matcher == self.matcher && found.fields == self.object()
    }
}

impl From<&FoundHook> for Hook {
    fn from(found: &FoundHook) -> Self {
        let fields = found.fields.as_object().into_iter().flatten();
        Self {
            event: found.event.clone(),
            matcher: found.matcher.clone(),
            fields: fields.map(|(key, value)| (key.clone(), value.clone())).collect(),
        }
    }
}

/// Why a file cannot be edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Counted from one.
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl std::error::Error for Fault {}

fn fault(source: &Source, at: usize, message: impl Into<String>) -> Fault {
    let position = source.position(at);
    Fault { line: position.line, column: position.column, message: message.into() }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// The error for an edit that would have touched too much.
fn unsafe_change() -> Fault {
    let message = "the file cannot be changed without touching what is not ours".to_owned();
    Fault { line: 1, column: 1, message }
}

/// How hooks are written into a file.
#[derive(Clone, Copy, Debug)]
pub struct Style<'s> {
    pub format: Format,
    pub shape: Shape,
    /// Top-level keys, with their JSON, that are added if missing.
    pub required: &'s [(&'s str, &'s str)],
}

impl Style<'static> {
    /// The style of a host.
    pub fn of(host: HostId, format: Format) -> Self {
        let install = tenter_hosts::host(host).install();
        Self { format, shape: install.shape, required: install.required }
    }
}

/// A file without our hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwired {
    pub text: String,
    /// Whether only an empty frame is left, as in a file that we created.
    pub empty: bool,
}

/// Predicate for our own hooks. For [`wire`] it must decide by content, since the result is checked again;
/// [`unwire`] calls it once per hook, so it may decide by position.
pub type Ours<'o> = &'o dyn Fn(&FoundHook) -> bool;

/// All hooks in a file that the host reads, in order.
pub fn read(text: &str, style: &Style<'_>) -> Result<Vec<FoundHook>, Fault> {
    match style.format {
        Format::Json => json::read(text, style),
        Format::Toml => toml::read(text, style),
    }
}

/// The same for a host that skips an event with a non-list value, except these.
pub(crate) fn read_lists_of(
    text: &str,
    style: &Style<'_>,
    events: &[&str],
) -> Result<Vec<FoundHook>, Fault> {
    match style.format {
        Format::Json => json::read_lists_of(text, style, events),
        Format::Toml => toml::read(text, style),
    }
}

/// Replaces the hooks selected by `ours` with `hooks`. An equal hook stays unchanged; a different one is
/// edited in place; surplus ones are removed; new ones are appended, because hosts refer to hooks by
/// position.
pub fn wire(
    text: &str,
    style: &Style<'_>,
    hooks: &[Hook],
    ours: Ours<'_>,
) -> Result<String, Fault> {
    match style.format {
        Format::Json => json::wire(text, style, hooks, ours),
        Format::Toml => toml::wire(text, style, hooks, ours),
    }
}

/// Removes the hooks selected by `ours`, and lists, groups and keys that become empty.
///
/// The text alone does not tell whether an empty list or key existed before: use [`unwire_to`] with the
/// original text if known. A host that requires keys keeps them with an empty `hooks`: otherwise it would
/// treat the file as broken. Comments always stay, including those inside our entries, with the list they are
/// in.
pub fn unwire(text: &str, style: &Style<'_>, ours: Ours<'_>) -> Result<Unwired, Fault> {
    match style.format {
        Format::Json => json::unwire(text, style, ours, None),
        Format::Toml => toml::unwire(text, style, ours, None),
    }
}

/// Like [`unwire`], for a file with a known original: lists that were empty then stay, and required keys that
/// were missing are removed.
pub fn unwire_to(
    before: &str,
    text: &str,
    style: &Style<'_>,
    ours: Ours<'_>,
) -> Result<Unwired, Fault> {
    match style.format {
        Format::Json => json::unwire(text, style, ours, Some(before)),
        Format::Toml => toml::unwire(text, style, ours, Some(before)),
    }
}
