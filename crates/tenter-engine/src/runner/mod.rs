//! The one place that starts processes: one program, one input, what it printed and how it ended.
//!
//! The program is somebody else's. It may crash, hang, ignore its input, print without end or leave a
//! grandchild behind that holds its pipes; none of that may hang or crash us. We settle on the
//! program's exit, never on the end of its output.

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

/// The most a program may print as its answer.
pub const MAX_STDOUT: usize = 1024 * 1024;
/// The most of a program's stderr that is kept.
pub const MAX_STDERR: usize = 64 * 1024;
/// How long a program may take to heed the request to end.
const GRACE: Duration = Duration::from_secs(2);

/// The longest that is waited for anything: the end of time cannot be added to now.
const LONGEST: Duration = Duration::from_hours(24 * 365);

/// A program to run.
#[derive(Debug)]
pub struct Job<'j> {
    pub program: &'j OsStr,
    pub arguments: &'j [OsString],
    /// The working directory, if not ours.
    pub directory: Option<&'j Path>,
    /// Variables to set, or to remove, on top of our own environment.
    pub environment: &'j [(String, Option<OsString>)],
    /// Shared, since many programs may read the same.
    pub input: Arc<Vec<u8>>,
    pub timeout: Duration,
}

/// Whether what a program has printed so far is all that was wanted of it. Asked again with every piece.
pub type Enough<'e> = &'e dyn Fn(&[u8]) -> bool;

/// How a program ended, and what it left.
#[derive(Debug)]
pub struct Ended {
    pub status: Result<ExitStatus, Trouble>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    /// Processes of its group were still running when it had left.
    pub left_behind: bool,
}

/// Why a program did not end by itself, or not well.
#[derive(Debug)]
pub enum Trouble {
    /// It could not be started.
    Spawn(std::io::Error),
    TimedOut,
    /// It printed more than [`MAX_STDOUT`].
    TooMuchOutput,
    /// We were told to end, by the signal of this name.
    Signalled(&'static str),
    System(std::io::Error),
}

/// The signal that ended a program.
#[cfg(unix)]
pub fn killed_by(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

/// There are no signals on this system.
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
