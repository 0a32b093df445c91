//! Policy settings that other crates use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Answer when the guard, a handler or the program itself fails. Ordered: later is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum FailMode {
    /// The action goes on as if there were no hook.
    Open,
    /// The user is asked; where the host cannot ask, the action is blocked.
    Ask,
    /// The action is blocked.
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

/// How much of a call is recorded. Ordered: later keeps more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordLevel {
    /// Event and verdict only: no command, path or prompt.
    Minimal,
    /// Commands, paths, prompts and small edits; no file contents, no output.
    #[default]
    Standard,
    /// Contents and outputs too, up to a limit.
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

/// How the user's email address is recorded. Ordered: later reveals less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum EmailMode {
    Keep,
    /// A hash: identifies the same person without naming them.
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
