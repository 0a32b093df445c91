//! Canaries: test calls sent through the exact command line that a host would run.
//!
//! A canary is recognised by its session id and by a special text. `tenter hook` answers it by kind and not
//! by policy, records nothing, and puts the canary's token into its answer: an answer with that token can
//! only come from us, and only now.

mod flight;
mod launch;
mod matching;
mod payload;
mod proof;
mod reply;
mod static_checks;

use std::hash::{BuildHasher, Hasher, RandomState};

pub use launch::Stage;
pub use proof::{Event, Proof, ProofLevel, Reason, entries, prove};
pub use reply::read;
pub use tenter_hosts::trial::{FILE, HARMLESS, PROMPT, Reply, SAMPLE, TOOL};

/// Prefix of canary session ids, before the kind and the token.
pub const SESSION: &str = "tenter-canary-";
/// Prefix of a command that is denied in every session and under every policy, for clients that choose their
/// own session ids. It can only block, never allow.
pub const FORBIDDEN: &str = "tenter-canary-deny ";

/// Kind of a canary, by the expected answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Canary {
    /// A denial in the host's format.
    Deny,
    /// The fallback: the exit code alone blocks the call.
    Exit,
    /// The answer after an internal failure.
    Fail,
    /// A harmless call that is allowed.
    Pass,
    /// The policy's decision on [`SAMPLE`].
    Sample,
}

impl Canary {
    pub const ALL: [Canary; 5] =
        [Canary::Deny, Canary::Exit, Canary::Fail, Canary::Pass, Canary::Sample];

    /// The kind's name in the session id.
    pub const fn as_str(self) -> &'static str {
        match self {
            Canary::Deny => "deny",
            Canary::Exit => "exit",
            Canary::Fail => "fail",
            Canary::Pass => "pass",
            Canary::Sample => "sample",
        }
    }

    /// Kind and token of a canary's session id.
    pub fn of_session(session: &str) -> Option<(Canary, &str)> {
        let (word, token) = session.strip_prefix(SESSION)?.split_once('-')?;
        Some((Self::ALL.into_iter().find(|canary| canary.as_str() == word)?, token))
    }

    /// Session id of a canary with this token.
    pub fn session(self, token: &str) -> String {
        format!("{SESSION}{}-{token}", self.as_str())
    }
}

/// A random token.
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
