//! Settings of the emulated Cursor: documentation generation, version, run mode.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use tenter_hosts::cursor::answer::Reading;
use tenter_hosts::cursor::{NEWEST, Version};

use crate::config::Dialect;

/// The three known generations of Cursor's hooks documentation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// First: a bad answer allows the action, the higher layer wins a conflict.
    G1,
    /// Like the first, with `workspaceOpen`, `model_id` and plugins.
    G2,
    /// Autumn 2026: a bad answer to a permission event blocks; deny beats ask beats allow.
    #[default]
    G3,
}

/// Which of two answers to the same field wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precedence {
    /// The one that comes last in layer order.
    Last,
    /// The one of the higher layer.
    Higher,
}

/// How the user lets Cursor run commands; decides the effect of an `ask`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunMode {
    #[default]
    Allowlist,
    Everything,
    AutoReview,
}

/// Effect of an `ask` in the emulated Cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// The user is asked.
    Prompts,
    /// Treated as deny.
    Denies,
    /// Ignored: the action goes on.
    Ignored,
}

/// The emulated Cursor.
#[derive(Clone, Debug)]
pub struct Settings {
    pub generation: Generation,
    pub cursor_version: String,
    pub run_mode: RunMode,
    /// Rejects what Cursor only probably accepts: camelCase spellings and unknown keys.
    pub strict: bool,
    /// Overrides the generation's precedence.
    pub precedence: Option<Precedence>,
    /// Timeout of hooks that set none.
    pub default_timeout: Duration,
    /// Grace period for a hook's background processes after its exit.
    pub linger: Duration,
    pub user_email: Option<String>,
    /// Whether the workspace is remote.
    pub remote: bool,
    /// Key that ends every payload and says what `tenter hook` shall make of it:
    /// [`TRIAL`](tenter_hosts::trial::TRIAL) or [`EMBEDDED`](tenter_hosts::trial::EMBEDDED).
    pub mark: Option<&'static str>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            generation: Generation::default(),
            cursor_version: NEWEST.to_owned(),
            run_mode: RunMode::default(),
            strict: false,
            precedence: None,
            default_timeout: Duration::from_mins(1),
            linger: Duration::from_secs(10),
            user_email: None,
            remote: false,
            mark: None,
        }
    }
}

impl Settings {
    pub(crate) fn precedence(&self) -> Precedence {
        self.precedence.unwrap_or(match self.generation {
            Generation::G1 | Generation::G2 => Precedence::Higher,
            Generation::G3 => Precedence::Last,
        })
    }

    /// Whether invalid JSON and off-schema answers block (third generation).
    pub(crate) fn bad_answer_blocks(&self) -> bool {
        self.generation >= Generation::G3
    }

    /// Effect of an `ask` at events that support asking, by version as reported; where no report exists, the
    /// nearest older version counts.
    pub(crate) fn ask(&self) -> Ask {
        match Version::parse(&self.cursor_version) {
            Some(version @ Version::Ide(..)) if version < Version::Ide(2, 4, 21) => Ask::Prompts,
            Some(version @ Version::Ide(..)) if version < Version::Ide(3, 0, 0) => Ask::Denies,
            Some(version @ Version::Ide(..)) if version < Version::Ide(3, 21, 16) => Ask::Ignored,
            Some(Version::Cli(..)) => Ask::Prompts,
            // Newer than any report, or not a version number: treated as the newest.
            _ if self.run_mode == RunMode::AutoReview => Ask::Ignored,
            _ => Ask::Prompts,
        }
    }

    /// How a hook's answers are parsed.
    pub(crate) fn reading(&self, dialect: Dialect) -> Reading {
        Reading {
            of_claude: dialect == Dialect::Claude,
            // The CLI does so since 2026-04.
            claude_too: Version::parse(&self.cursor_version)
                .is_some_and(|version| version >= Version::Cli(2026, 4, 0)),
            strict: self.strict,
            context_after_failure: self.generation >= Generation::G3,
        }
    }
}

/// A name that is not one of the choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownChoice(&'static str);

impl fmt::Display for UnknownChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be one of: {}", self.0)
    }
}

impl std::error::Error for UnknownChoice {}

impl FromStr for Generation {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.to_ascii_lowercase().as_str() {
            "g1" => Ok(Self::G1),
            "g2" => Ok(Self::G2),
            "g3" => Ok(Self::G3),
            _ => Err(UnknownChoice("g1, g2, g3")),
        }
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::G1 => "g1",
            Self::G2 => "g2",
            Self::G3 => "g3",
        })
    }
}

impl FromStr for Precedence {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "last" => Ok(Self::Last),
            "priority" => Ok(Self::Higher),
            _ => Err(UnknownChoice("last, priority")),
        }
    }
}

impl FromStr for RunMode {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "allowlist" => Ok(Self::Allowlist),
            "everything" => Ok(Self::Everything),
            "auto-review" => Ok(Self::AutoReview),
            _ => Err(UnknownChoice("allowlist, everything, auto-review")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ask_depends_on_the_version_and_the_run_mode() {
        let ask = |version: &str, run_mode| {
            let cursor_version = version.to_owned();
            Settings { cursor_version, run_mode, ..Settings::default() }.ask()
        };
        assert_eq!(ask("2.4.20", RunMode::Allowlist), Ask::Prompts);
        assert_eq!(ask("2.4.21", RunMode::Allowlist), Ask::Denies);
        assert_eq!(ask("2.9.0", RunMode::Allowlist), Ask::Denies);
        assert_eq!(ask("3.0.0", RunMode::Allowlist), Ask::Ignored);
        assert_eq!(ask("3.2.16", RunMode::Allowlist), Ask::Ignored);
        assert_eq!(ask("3.21.16", RunMode::Allowlist), Ask::Prompts);
        assert_eq!(ask("3.21.16", RunMode::Everything), Ask::Prompts);
        assert_eq!(ask("3.21.16", RunMode::AutoReview), Ask::Ignored);
        assert_eq!(ask("2026.07.23-abc", RunMode::Allowlist), Ask::Prompts);
    }

    #[test]
    fn choices_are_named_when_a_word_is_none_of_them() {
        assert_eq!("G2".parse(), Ok(Generation::G2));
        assert!("g4".parse::<Generation>().unwrap_err().to_string().contains("g1, g2, g3"));
        assert_eq!("priority".parse(), Ok(Precedence::Higher));
        assert!("first".parse::<Precedence>().is_err());
    }
}
