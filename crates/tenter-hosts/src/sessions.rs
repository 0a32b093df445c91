//! Session files of a host: paths of its transcripts, and the calls in them.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// A kind of session file below the host's folder.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    pub folder: &'static str,
    /// Depth of the files below that folder.
    pub levels: usize,
    /// Whether a file name is of this kind.
    pub is: fn(&str) -> bool,
}

/// How a record is matched with a call in a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    ByCall,
    /// By session, since hooks get other call ids.
    BySession,
}

/// How to read tool calls from a transcript.
#[derive(Clone, Copy, Debug)]
pub struct Transcript {
    /// Ids and names of the calls in a line.
    pub calls: fn(&Value) -> Vec<(String, String)>,
    pub known: Known,
    /// Whether lines contain token counts.
    pub has_tokens: bool,
}

/// Session files of a host.
#[derive(Clone, Copy, Debug)]
pub struct Sessions {
    pub traces: &'static [Trace],
    /// Folder of one project's files below the host's folder, if files are kept by project.
    pub of_project: Option<fn(&Path) -> PathBuf>,
    /// Whether the locations are documented or recorded.
    pub certain: bool,
    pub transcript: Option<Transcript>,
}

impl Sessions {
    pub const UNKNOWN: Self =
        Self { traces: &[], of_project: None, certain: false, transcript: None };
}

pub(crate) fn is_jsonl(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == "jsonl")
}

/// The string at a JSON pointer; empty if there is none.
pub(crate) fn text(value: &Value, place: &str) -> String {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned()
}
