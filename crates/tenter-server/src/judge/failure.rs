//! Error type of the judge.

use std::process::ExitCode;

use crate::text;

/// The engine treats both alike; the exit code tells people whether to check the configuration.
#[derive(Debug)]
pub(super) enum Failure {
    /// The command line, the configuration or stdin is wrong: exit 2.
    Usage(String),
    /// The configuration is fine as far as we can tell, but there is no judgement: exit 1.
    Judgement(String),
}

impl Failure {
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(super) fn judgement(message: impl Into<String>) -> Self {
        Self::Judgement(message.into())
    }

    pub(super) fn map(self, change: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Usage(message) => Self::Usage(change(&message)),
            Self::Judgement(message) => Self::Judgement(change(&message)),
        }
    }

    pub(super) fn report(&self) -> ExitCode {
        let (message, code) = match self {
            Self::Usage(message) => (message, 2),
            Self::Judgement(message) => (message, 1),
        };
        crate::complain(&format!("tenter-server judge: {}", text::one_line(message)));
        ExitCode::from(code)
    }
}
