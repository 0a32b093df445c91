//! Choices of a policy that other crates act on.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The answer when the guard, a handler or the program itself fails. Ordered: a later one is tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FailMode {
    /// The action goes on as if there were no hook.
    Open,
    /// The human is asked; where the host cannot ask, the action is stopped.
    Ask,
    /// The action is stopped.
    Closed,
}

impl FailMode {
    pub const ALL: [FailMode; 3] = [FailMode::Open, FailMode::Ask, FailMode::Closed];

    pub const fn as_str(self) -> &'static str {
        match self {
            FailMode::Open => "open",
            FailMode::Ask => "ask",
            FailMode::Closed => "closed",
        }
    }
}

impl fmt::Display for FailMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How much of a call is recorded. Ordered: a later one keeps more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordLevel {
    /// Event and verdict only: no command, path or prompt.
    Minimal,
    /// Commands, paths, prompts and small edits; no contents of files, no output.
    #[default]
    Standard,
    /// Contents and outputs too, up to a bound.
    Full,
}

impl RecordLevel {
    pub const ALL: [RecordLevel; 3] =
        [RecordLevel::Minimal, RecordLevel::Standard, RecordLevel::Full];

    pub const fn as_str(self) -> &'static str {
        match self {
            RecordLevel::Minimal => "minimal",
            RecordLevel::Standard => "standard",
            RecordLevel::Full => "full",
        }
    }
}

/// How the user's email address is recorded. Ordered: a later one tells less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EmailMode {
    Keep,
    /// A hash: the same person is the same, but nobody is named.
    #[default]
    Hash,
    Drop,
}

impl EmailMode {
    pub const ALL: [EmailMode; 3] = [EmailMode::Hash, EmailMode::Keep, EmailMode::Drop];

    pub const fn as_str(self) -> &'static str {
        match self {
            EmailMode::Hash => "hash",
            EmailMode::Keep => "keep",
            EmailMode::Drop => "drop",
        }
    }
}
