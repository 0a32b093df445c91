//! Error type of commands; its kind decides the exit code.

use std::fmt;
use std::io::Write;
use std::process::ExitCode;

use tenter_engine::diagnostic::printable;

/// Kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorKind {
    /// The command failed or was refused.
    Failed,
    /// The command line, or a file it names, is invalid.
    Usage,
    /// The program, its record or its output failed.
    Internal,
}

impl ErrorKind {
    const fn exit(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Internal => 3,
        }
    }
}

/// Why a command fails.
///
/// Messages are lowercase, without a full stop, with the user's input in backticks. A hint is one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandError {
    kind: ErrorKind,
    message: String,
    hints: Vec<String>,
}

impl CommandError {
    fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string(), hints: Vec::new() }
    }

    pub(crate) fn failed(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Failed, message)
    }

    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Usage, message)
    }

    pub(crate) fn internal(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Internal, message)
    }

    /// The same error of another kind, if the caller knows better.
    pub(crate) fn of_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// Adds a command that helps.
    pub(crate) fn hint(mut self, command: impl Into<String>) -> Self {
        self.hints.push(command.into());
        self
    }

    /// Prints the error on stderr and returns the exit code.
    pub(crate) fn report(&self, command: &str) -> ExitCode {
        let mut text = format!("tenter {command}: {}\n", printable(&self.message));
        for hint in &self.hints {
            text.push_str("hint: ");
            text.push_str(&printable(hint));
            text.push('\n');
        }
        // Ignore write errors: there is nowhere else to report them.
        drop(std::io::stderr().write_all(text.as_bytes()));
        ExitCode::from(self.kind.exit())
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CommandError {}
