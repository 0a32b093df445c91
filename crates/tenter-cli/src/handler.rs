//! Runs a handler process: one event on stdin, one answer on stdout.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitStatus;
use std::time::Duration;

use tenter_engine::runner::{Job, MAX_STDOUT, Runner, Trouble};
use tenter_model::text;

/// A handler to run.
pub(crate) struct HandlerProcess<'h> {
    pub(crate) program: &'h OsString,
    pub(crate) arguments: &'h [OsString],
    /// Remaining time of the call.
    pub(crate) timeout: Duration,
    /// Total time of the call, for messages.
    pub(crate) limit: Duration,
    pub(crate) environment: [(&'static str, &'h str); 3],
}

/// Output of a handler.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// A handler that gave no answer, with its stderr.
#[derive(Debug)]
pub(crate) struct HandlerFailed {
    pub(crate) why: String,
    pub(crate) stderr: Vec<u8>,
}

impl HandlerProcess<'_> {
    /// Runs the handler with `event` on stdin.
    pub(crate) fn run(&self, event: Vec<u8>) -> Result<Finished, HandlerFailed> {
        let environment =
            self.environment.map(|(name, value)| (name.to_owned(), Some(OsString::from(value))));
        let ended = Runner::for_one_program().run(Job {
            program: self.program,
            arguments: self.arguments,
            directory: None,
            environment: &environment,
            input: event.into(),
            timeout: self.timeout,
        });
        match ended.status {
            Ok(status) => Ok(Finished { status, stdout: ended.stdout, stderr: ended.stderr }),
            Err(trouble) => {
                Err(HandlerFailed { why: self.describe(&trouble), stderr: ended.stderr })
            }
        }
    }

    /// The command, shortened: the program alone would often be an interpreter.
    pub(crate) fn name(&self) -> String {
        const LIMIT: usize = 60;
        let mut name = self.program.to_string_lossy().into_owned();
        for argument in self.arguments {
            name.push(' ');
            name.push_str(&argument.to_string_lossy());
        }
        format!("`{}`", text::one_line(&name, LIMIT))
    }

    fn describe(&self, trouble: &Trouble) -> String {
        let name = self.name();
        match trouble {
            Trouble::Spawn(error) => self.describe_spawn_error(error),
            Trouble::TimedOut => {
                let limit = self.limit.as_millis();
                format!("handler {name} did not end within {limit} ms; killed")
            }
            Trouble::TooMuchOutput => {
                format!("handler {name} printed more than {MAX_STDOUT} bytes")
            }
            Trouble::Signalled(signal) => format!("interrupted by {signal}"),
            Trouble::System(error) => format!("cannot attend to handler {name}: {error}"),
        }
    }

    fn describe_spawn_error(&self, error: &std::io::Error) -> String {
        let name = self.name();
        match error.kind() {
            ErrorKind::NotFound if name.starts_with("`/") => {
                format!("handler {name} was not found")
            }
            ErrorKind::NotFound => format!("handler {name} was not found; give its full path"),
            ErrorKind::PermissionDenied => format!(
                "handler {name} is not executable; chmod +x it, or run it through its interpreter"
            ),
            // ENOEXEC has no error kind of its own.
            _ if error.raw_os_error() == Some(8) && cfg!(unix) => {
                format!(
                    "handler {name} cannot be started: its first line must be `#!` and a program"
                )
            }
            _ => format!("handler {name} cannot be started: {error}"),
        }
    }
}
