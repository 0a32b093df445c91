//! What a host keeps of its sessions: where its transcripts lie, and the calls in them.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Files that a host leaves of its sessions, below its folder.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    pub folder: &'static str,
    /// How many folders deep the files lie.
    pub levels: usize,
    /// Whether a file of this name is one.
    pub is: fn(&str) -> bool,
}

/// How a record and a call in a transcript are known to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    ByCall,
    /// The host names calls otherwise in its hooks.
    BySession,
}

/// How the calls of tools stand in a transcript.
#[derive(Clone, Copy, Debug)]
pub struct Transcript {
    /// The ids and names of the calls in a line.
    pub calls: fn(&Value) -> Vec<(String, String)>,
    pub known: Known,
    /// The lines tell of tokens.
    pub has_tokens: bool,
}

/// What is known of the sessions of a host.
#[derive(Clone, Copy, Debug)]
pub struct Sessions {
    pub traces: &'static [Trace],
    /// The folder of the traces of one project, below the host's, where it tells projects apart.
    pub of_project: Option<fn(&Path) -> PathBuf>,
    /// It is documented what the host keeps, or was recorded.
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

/// The text at a place; empty where there is none.
pub(crate) fn text(value: &Value, place: &str) -> String {
    value.pointer(place).and_then(Value::as_str).unwrap_or_default().to_owned()
}
