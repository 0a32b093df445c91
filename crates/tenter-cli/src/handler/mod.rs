//! Runs a handler: one program, one event on its stdin, one answer on its stdout.
//!
//! The handler is somebody else's program. It may crash, hang, ignore its input, print without end or
//! leave a grandchild behind that holds its pipes; none of that may hang or crash us. We settle on the
//! handler's exit, never on the end of its output.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "windows.rs")]
mod platform;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// The most a handler may print as its answer.
const MAX_STDOUT: usize = 1024 * 1024;
/// The most of a handler's stderr that is passed on.
const MAX_STDERR: usize = 64 * 1024;
/// How long a handler may take to heed the request to end.
const GRACE: Duration = Duration::from_secs(2);

/// A handler to run.
pub(crate) struct Handler<'h> {
    pub(crate) program: &'h OsString,
    pub(crate) arguments: &'h [OsString],
    /// What is left of the time the call may take.
    pub(crate) timeout: Duration,
    /// The time the call may take, for messages.
    pub(crate) limit: Duration,
    pub(crate) environment: [(&'static str, &'h str); 3],
}

/// What a handler left behind.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// A handler that gave no answer, with what it said on stderr.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) why: String,
    pub(crate) stderr: Vec<u8>,
}

/// Why a handler did not end by itself, or not well.
enum Trouble {
    TimedOut,
    TooMuchOutput,
    /// We were told to end, by the signal of this name.
    #[cfg(unix)]
    Signalled(&'static str),
    System(std::io::Error),
}

impl Handler<'_> {
    /// Runs the handler with `event` on its stdin.
    pub(crate) fn run(&self, event: Vec<u8>) -> Result<Finished, Failed> {
        let mut command = Command::new(self.program);
        command
            .args(self.arguments)
            .envs(self.environment)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let prepared = platform::prepare(&mut command);
        let child = command.spawn().map_err(|error| Failed {
            why: self.describe_spawn_error(&error),
            stderr: Vec::new(),
        })?;
        let (ended, stdout, stderr) = platform::attend(child, event, self.timeout, prepared);
        match ended {
            Ok(status) => Ok(Finished { status, stdout, stderr }),
            Err(trouble) => Err(Failed { why: self.describe(&trouble), stderr }),
        }
    }

    /// The command in short: the program alone would often be only an interpreter.
    pub(crate) fn name(&self) -> String {
        const LIMIT: usize = 60;
        let mut name = self.program.to_string_lossy().into_owned();
        for argument in self.arguments {
            name.push(' ');
            name.push_str(&argument.to_string_lossy());
        }
        let name = name.replace(char::is_control, " ");
        match name.char_indices().nth(LIMIT) {
            Some((end, _)) => format!("`{}...`", name.get(..end).unwrap_or(&name)),
            None => format!("`{name}`"),
        }
    }

    fn describe(&self, trouble: &Trouble) -> String {
        let name = self.name();
        match trouble {
            Trouble::TimedOut => {
                let limit = self.limit.as_millis();
                format!("handler {name} did not end within {limit} ms; killed")
            }
            Trouble::TooMuchOutput => {
                format!("handler {name} printed more than {MAX_STDOUT} bytes")
            }
            #[cfg(unix)]
            Trouble::Signalled(signal) => format!("interrupted by {signal}"),
            Trouble::System(error) => format!("cannot attend to handler {name}: {error}"),
        }
    }

    fn describe_spawn_error(&self, error: &std::io::Error) -> String {
        let name = self.name();
        match error.kind() {
            ErrorKind::NotFound => format!("handler {name} was not found; give its full path"),
            ErrorKind::PermissionDenied => format!(
                "handler {name} is not executable; chmod +x it, or run it through its interpreter"
            ),
            // ENOEXEC has no kind of its own.
            _ if error.raw_os_error() == Some(8) && cfg!(unix) => {
                format!(
                    "handler {name} cannot be started: its first line must be `#!` and a program"
                )
            }
            _ => format!("handler {name} cannot be started: {error}"),
        }
    }
}
