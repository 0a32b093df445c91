//! Runs a handler: one program, one event on its stdin, one answer on its stdout.
//!
//! The handler is somebody else's program. It may crash, hang, ignore its input, print without end or
//! leave a grandchild behind that holds its pipes; none of that may hang or crash us. We settle on the
//! handler's exit, never on the end of its output.

#[cfg_attr(unix, path = "unix.rs")]
#[cfg_attr(not(unix), path = "windows.rs")]
mod platform;

use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The most a handler may print as its answer.
pub(crate) const MAX_STDOUT: usize = 1024 * 1024;
/// The most of a handler's stderr that is passed on.
pub(crate) const MAX_STDERR: usize = 64 * 1024;
/// How long a handler may take to heed the request to end.
const GRACE: Duration = Duration::from_secs(2);
/// How long we wait for output that is still in a pipe after the handler's exit.
const DRAIN: Duration = Duration::from_millis(250);

/// A handler to run.
pub(crate) struct Handler<'h> {
    pub(crate) program: &'h OsString,
    pub(crate) arguments: &'h [OsString],
    pub(crate) timeout: Duration,
    pub(crate) environment: Vec<(&'static str, String)>,
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

/// Something the main thread waits for.
pub(crate) enum Message {
    Exited(std::io::Result<ExitStatus>),
    Drained,
    TooMuchOutput,
    /// We were told to end, by the signal of this name.
    #[cfg(unix)]
    Signalled(&'static str),
}

impl Handler<'_> {
    /// Runs the handler with `event` on its stdin.
    pub(crate) fn run(&self, event: Vec<u8>) -> Result<Finished, Failed> {
        let mut command = Command::new(self.program);
        command
            .args(self.arguments)
            .envs(self.environment.iter().map(|(key, value)| (key, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        platform::own_group(&mut command);
        let mut child = command.spawn().map_err(|error| Failed {
            why: self.describe_spawn_error(&error),
            stderr: Vec::new(),
        })?;
        let (sender, messages) = mpsc::channel();
        if let Some(mut stdin) = child.stdin.take() {
            // A handler that does not read its input leaves this thread behind; it ends with us.
            thread::spawn(move || drop(stdin.write_all(&event)));
        }
        let stdout =
            collect(child.stdout.take(), MAX_STDOUT, Some(Message::TooMuchOutput), &sender);
        let stderr = collect(child.stderr.take(), MAX_STDERR, None, &sender);
        let group = platform::Group::of(&child);
        platform::forward_signals(group, &sender);
        wait_in_background(child, sender);
        let ended = self.wait(group, &messages);
        let stderr = take(&stderr);
        match ended {
            Ok(status) => Ok(Finished { status, stdout: take(&stdout), stderr }),
            Err(why) => Err(Failed { why, stderr }),
        }
    }

    fn name(&self) -> String {
        format!("`{}`", self.program.to_string_lossy())
    }

    fn describe_spawn_error(&self, error: &std::io::Error) -> String {
        let name = self.name();
        match error.kind() {
            ErrorKind::NotFound => format!("handler {name} was not found; give its full path"),
            ErrorKind::PermissionDenied => {
                format!(
                    "handler {name} is not executable; chmod +x it, or run it through its interpreter"
                )
            }
            _ => format!("handler {name} cannot be started: {error}"),
        }
    }

    /// Waits for the handler's exit and then, shortly, for the rest of its output.
    fn wait(
        &self,
        group: platform::Group,
        messages: &Receiver<Message>,
    ) -> Result<ExitStatus, String> {
        let name = self.name();
        let deadline = Instant::now() + self.timeout;
        let mut drained = 0;
        let status = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match messages.recv_timeout(left) {
                Ok(Message::Exited(Ok(status))) => break status,
                Ok(Message::Exited(Err(error))) => {
                    return Err(format!("cannot wait for handler {name}: {error}"));
                }
                Ok(Message::Drained) => drained += 1,
                Ok(Message::TooMuchOutput) => {
                    end(group, messages);
                    return Err(format!("handler {name} printed more than {MAX_STDOUT} bytes"));
                }
                #[cfg(unix)]
                Ok(Message::Signalled(signal)) => {
                    end(group, messages);
                    return Err(format!("interrupted by {signal}"));
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    end(group, messages);
                    let limit = self.timeout.as_millis();
                    return Err(format!("handler {name} did not end within {limit} ms; killed"));
                }
            }
        };
        let deadline = Instant::now() + DRAIN;
        while drained < 2 {
            match messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Message::Drained) => drained += 1,
                Ok(Message::TooMuchOutput) => {
                    return Err(format!("handler {name} printed more than {MAX_STDOUT} bytes"));
                }
                Ok(_) => {}
                // A grandchild holds the pipe; what the handler itself wrote is already here.
                Err(_) => break,
            }
        }
        Ok(status)
    }
}

/// Asks the whole group to end, then makes it.
fn end(group: platform::Group, messages: &Receiver<Message>) {
    group.terminate();
    let deadline = Instant::now() + GRACE;
    loop {
        match messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Message::Exited(_)) | Err(_) => break,
            Ok(_) => {}
        }
    }
    // Also after the handler's own exit: its children may still be there.
    group.kill();
}

fn wait_in_background(mut child: Child, sender: Sender<Message>) {
    thread::spawn(move || {
        let status = child.wait();
        drop(sender.send(Message::Exited(status)));
    });
}

type Buffer = Arc<Mutex<Vec<u8>>>;

/// Reads a pipe to its end on a thread, keeping at most `limit` bytes.
fn collect(
    pipe: Option<impl Read + Send + 'static>,
    limit: usize,
    mut on_overflow: Option<Message>,
    sender: &Sender<Message>,
) -> Buffer {
    let buffer = Buffer::default();
    let shared = Arc::clone(&buffer);
    let sender = sender.clone();
    thread::spawn(move || {
        let mut chunk = [0; 8 * 1024];
        if let Some(mut pipe) = pipe {
            while let Ok(length @ 1..) = pipe.read(&mut chunk) {
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                let room = limit.saturating_sub(kept.len());
                kept.extend(chunk.iter().take(length.min(room)));
                if length > room
                    && let Some(message) = on_overflow.take()
                {
                    drop(sender.send(message));
                }
            }
        }
        drop(sender.send(Message::Drained));
    });
    buffer
}

fn take(buffer: &Buffer) -> Vec<u8> {
    std::mem::take(&mut *buffer.lock().unwrap_or_else(PoisonError::into_inner))
}
