//! Process runner: the only place of the engine that starts programs.
//!
//! The program is untrusted: it may crash, hang, ignore its input, print without end or leave a grandchild
//! that holds its pipes. None of that may hang or crash us, so we wait for the program's exit, never for the
//! end of its output.

#[cfg(unix)]
mod guardian;
#[cfg(unix)]
mod lingering;
#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "windows.rs")]
mod platform;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

pub use platform::Runner;

/// Maximum size of a program's stdout.
pub const MAX_STDOUT: usize = 1024 * 1024;
/// Number of bytes of stderr that are kept.
pub const MAX_STDERR: usize = 64 * 1024;
/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// Upper limit for any timeout, so that adding it to the current time cannot overflow.
const LONGEST: Duration = Duration::from_hours(24 * 365);

/// A program to run.
#[derive(Debug)]
pub struct Job<'j> {
    pub program: &'j OsStr,
    pub arguments: &'j [OsString],
    /// The working directory; ours if `None`.
    pub directory: Option<&'j Path>,
    /// Variables to set or remove on top of our own environment.
    pub environment: &'j [(String, Option<OsString>)],
    /// Shared, since many programs may read the same input.
    pub input: Arc<Vec<u8>>,
    pub timeout: Duration,
}

/// Predicate on the output so far: whether the answer is complete. Called for every chunk.
pub type Enough<'e> = &'e dyn Fn(&[u8]) -> bool;

/// Exit status and output of a finished program.
#[derive(Debug)]
pub struct Ended {
    pub status: Result<ExitStatus, Trouble>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Processes of its group were still running after its exit.
    pub left_behind: bool,
}

/// Why a program was ended or failed.
#[derive(Debug)]
pub enum Trouble {
    /// It could not be started.
    Spawn(std::io::Error),
    TimedOut,
    /// Its output exceeded [`MAX_STDOUT`].
    TooMuchOutput,
    /// We received the termination signal of this name.
    Signalled(&'static str),
    System(std::io::Error),
}

/// The signal that ended a program.
#[cfg(unix)]
pub fn killed_by(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// Windows has no signals.
#[cfg(not(unix))]
pub fn killed_by(_status: ExitStatus) -> Option<i32> {
    None
}

impl Ended {
    fn not_started(error: std::io::Error) -> Self {
        Self {
            status: Err(Trouble::Spawn(error)),
            stdout: Vec::new(),
            stderr: Vec::new(),
            left_behind: false,
        }
    }
}

impl Job<'_> {
    fn command(&self) -> Command {
        #[expect(clippy::disallowed_methods, reason = "this is the runner")]
        let mut command = Command::new(self.program);
        command
            .args(self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(directory) = self.directory {
            command.current_dir(directory);
        }
        for (name, value) in self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}
