//! Hook files as text: hooks put in and taken out, everything else left as it is to the byte.

mod json;
mod page;
mod plan;
mod render;
mod toml;

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenter_hosts::install::Shape;
use tenter_model::HostId;

/// What a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, with comments and trailing commas where they are already there.
    Json,
    Toml,
}

impl Format {
    /// What a file of this name is written in.
    pub fn of(path: &Path) -> Self {
        let is_toml = path.extension().is_some_and(|extension| extension == "toml");
        if is_toml { Self::Toml } else { Self::Json }
    }
}

/// A hook to be in a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    pub event: String,
    pub matcher: Option<String>,
    /// The keys of the handler, in order; the matcher is put where the shape wants it.
    pub fields: Vec<(String, Value)>,
}

/// A hook that stands in a file, ours or anybody's.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub event: String,
    /// The index in the list of the event.
    pub group: usize,
    /// The index in the group's list; 0 where there are no groups.
    pub handler: usize,
    pub matcher: Option<String>,
    /// The whole handler, without its matcher.
    pub fields: Value,
    /// Of the handler, counted from one.
    pub line: usize,
}

impl Found {
    /// What is run, for handlers that run a command.
    pub fn command(&self) -> Option<&str> {
        self.fields.get("command")?.as_str()
    }

    /// The arguments of a command that is started without a shell.
    pub fn arguments(&self) -> Option<Vec<String>> {
        let list = self.fields.get("args")?.as_array()?;
        Some(list.iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect())
    }
}

impl Hook {
    /// Whether this hook stands there, in every key.
    pub fn is(&self, found: &Found) -> bool {
        found.event == self.event && found.matcher == self.matcher && found.fields == self.object()
    }
}

impl From<&Found> for Hook {
    fn from(found: &Found) -> Self {
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// What is said when an edit would have touched more than it should.
fn unsafe_change() -> Fault {
    let message = "the file cannot be changed without touching what is not ours".to_owned();
    Fault { line: 1, column: 1, message }
}

/// How hooks are to be put into a file.
#[derive(Clone, Copy, Debug)]
pub struct Style<'s> {
    pub format: Format,
    pub shape: Shape,
    /// Top-level keys, with their JSON, that are added where they are missing.
    pub required: &'s [(&'s str, &'s str)],
}

impl Style<'static> {
    /// How this host wants it.
    pub fn of(host: HostId, format: Format) -> Self {
        let install = tenter_hosts::host(host).install();
        Self { format, shape: install.shape, required: install.required }
    }
}

/// A file without our hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unwired {
    pub text: String,
    /// Nothing but an empty frame is left: what a file of ours alone would be.
    pub empty: bool,
}

/// What tells our own hooks from those of others. For [`wire`] by what they say, since it looks at them
/// again when it is done; [`unwire`] asks only once, so there it may go by their places.
pub type Ours<'o> = &'o dyn Fn(&Found) -> bool;

/// All hooks that stand in a file and are read by the host, in order.
pub fn read(text: &str, style: &Style<'_>) -> Result<Vec<Found>, Fault> {
    match style.format {
        Format::Json => json::read(text, style),
        Format::Toml => toml::read(text, style),
    }
}

/// The same for a host that passes over an event whose value is not a list, unless it is one of these.
pub(crate) fn read_lists_of(
    text: &str,
    style: &Style<'_>,
    events: &[&str],
) -> Result<Vec<Found>, Fault> {
    match style.format {
        Format::Json => json::read_lists_of(text, style, events),
        Format::Toml => toml::read(text, style),
    }
}

/// Puts `hooks` into a text in place of what `ours` recognises. A hook that is there already, in every
/// key, stays to the byte; one that differs is changed where it stands; one too many is taken out; new
/// ones go to the end of the list, because hosts count.
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

/// Takes out what `ours` recognises, and the lists, groups and keys that are empty without it.
///
/// Whether an empty list or key was there before ours came, the text alone cannot tell: give
/// [`unwire_to`] the text as it was then, if it is known. A host that demands keys keeps them, and its
/// empty `hooks`: without them it would take the file for a broken one. Comments always stay, also those
/// within our own entries, and with them the list they stand in.
pub fn unwire(text: &str, style: &Style<'_>, ours: Ours<'_>) -> Result<Unwired, Fault> {
    match style.format {
        Format::Json => json::unwire(text, style, ours, None),
        Format::Toml => toml::unwire(text, style, ours, None),
    }
}

/// Like [`unwire`], for a file that was once `before`: what was empty then stays, and the demanded keys
/// that were missing go.
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
