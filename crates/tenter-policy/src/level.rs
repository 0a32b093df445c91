//! Levels and weights of findings, and presets.

use std::fmt;

use serde::{Deserialize, Serialize};
use tenter_model::Decision;

/// Level of a finding. Ordered: later is stricter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Level {
    /// Not checked.
    Off,
    /// Only recorded, to see the effect of a rule before it is enforced.
    Log,
    Ask,
    Deny,
}

impl Level {
    pub const ALL: [Level; 4] = [Level::Off, Level::Log, Level::Ask, Level::Deny];

    pub const fn as_str(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Log => "log",
            Level::Ask => "ask",
            Level::Deny => "deny",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == name)
    }

    /// The decision sent to the host; none for `off` and `log`.
    pub const fn decision(self) -> Option<Decision> {
        match self {
            Level::Off | Level::Log => None,
            Level::Ask => Some(Decision::Ask),
            Level::Deny => Some(Decision::Deny),
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Severity, as the guard sees it. A preset maps it to a [`Level`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Weight {
    /// Worth a line in the record.
    Minor,
    /// Loses work, touches production or secrets, or cannot be judged: the user should look.
    Doubtful,
    /// Irreversible and never part of ordinary work.
    Grave,
}

impl Weight {
    pub const fn as_str(self) -> &'static str {
        match self {
            Weight::Minor => "minor",
            Weight::Doubtful => "doubtful",
            Weight::Grave => "grave",
        }
    }
}

/// A built-in policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    Minimal,
    Recommended,
    Strict,
    Ci,
}

impl Preset {
    pub const ALL: [Preset; 4] = [Preset::Minimal, Preset::Recommended, Preset::Strict, Preset::Ci];

    pub const fn as_str(self) -> &'static str {
        match self {
            Preset::Minimal => "minimal",
            Preset::Recommended => "recommended",
            Preset::Strict => "strict",
            Preset::Ci => "ci",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.as_str() == name)
    }

    /// Description, for tables and people.
    pub const fn meaning(self) -> &'static str {
        match self {
            Preset::Minimal => "denies the grave, records the doubtful",
            Preset::Recommended => "denies the grave, asks about the doubtful, records the minor",
            Preset::Strict => "denies the grave and the doubtful, asks about the minor",
            Preset::Ci => "never asks: denies the grave and the doubtful, records the minor",
        }
    }

    pub const fn level(self, weight: Weight) -> Level {
        match (self, weight) {
            (_, Weight::Grave) | (Preset::Strict | Preset::Ci, Weight::Doubtful) => Level::Deny,
            (Preset::Recommended, Weight::Doubtful) | (Preset::Strict, Weight::Minor) => Level::Ask,
            (Preset::Minimal, Weight::Doubtful)
            | (Preset::Recommended | Preset::Ci, Weight::Minor) => Level::Log,
            (Preset::Minimal, Weight::Minor) => Level::Off,
        }
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
