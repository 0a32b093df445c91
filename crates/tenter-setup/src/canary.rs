//! Canaries: calls that nobody makes in earnest, sent through the very line that a host would run.
//!
//! A canary is known by its session, which no host names so, and by a text of its own. `tenter hook`
//! answers it by its kind and not by the policy, keeps nothing of it, and puts the canary's token into
//! what it says: an answer with that token can only have come from us, and only now.

mod flight;
mod launch;
mod matching;
mod payload;
mod proof;
mod reply;
mod static_checks;

use std::hash::{BuildHasher, Hasher, RandomState};

pub use launch::Stage;
pub use proof::{Event, Level, Proof, Reason, entries, prove};
pub use reply::read;
pub use tenter_hosts::trial::{FILE, HARMLESS, PROMPT, Reply, SAMPLE, TOOL};

/// What the sessions of canaries begin with, before the word for the kind and the token.
pub const SESSION: &str = "tenter-canary-";
/// The first word of a command that is denied in every session and under every policy: for clients
/// that name their sessions themselves. It can only stop something, never let it pass.
pub const FORBIDDEN: &str = "tenter-canary-deny ";

/// What a canary wants to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Canary {
    /// A denial in the host's own words.
    Deny,
    /// The last resort: the exit code alone stops the call.
    Exit,
    /// What is made of a failure of our own.
    Fail,
    /// A harmless call that passes.
    Pass,
    /// What the policy makes of [`SAMPLE`].
    Sample,
}

impl Canary {
    pub const ALL: [Canary; 5] =
        [Canary::Deny, Canary::Exit, Canary::Fail, Canary::Pass, Canary::Sample];

    /// The word in the name of its session.
    pub const fn as_str(self) -> &'static str {
        match self {
            Canary::Deny => "deny",
            Canary::Exit => "exit",
            Canary::Fail => "fail",
            Canary::Pass => "pass",
            Canary::Sample => "sample",
        }
    }

    /// The kind and the token in the name of a session.
    pub fn of_session(session: &str) -> Option<(Canary, &str)> {
        let (word, token) = session.strip_prefix(SESSION)?.split_once('-')?;
        Some((Self::ALL.into_iter().find(|canary| canary.as_str() == word)?, token))
    }

    /// The session of a canary with this token.
    pub fn session(self, token: &str) -> String {
        format!("{SESSION}{}-{token}", self.as_str())
    }
}

/// A word that nobody can have known before.
pub fn token() -> String {
    format!("{:016x}", RandomState::new().build_hasher().finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_tells_its_canary() {
        for canary in Canary::ALL {
            let session = canary.session("00ff");
            assert_eq!(Canary::of_session(&session), Some((canary, "00ff")), "{session}");
        }
        for other in ["", "tenter-canary-", "tenter-canary-deny", "tenter-canary-x-1", "deny-1"] {
            assert_eq!(Canary::of_session(other), None, "{other}");
        }
    }

    #[test]
    fn tokens_differ() {
        assert_ne!(token(), token());
    }
}
