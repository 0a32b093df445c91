//! Process runner for Windows: threads and `taskkill`. Windows has no process groups that a console program
//! can be asked to leave, so the process tree is killed; Ctrl-C reaches the program through the shared
//! console.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Ended, Enough, GRACE, Job, LONGEST, MAX_STDERR, MAX_STDOUT, Trouble};

/// Grace period for output still in a pipe after the program's exit.
const DRAIN: Duration = Duration::from_millis(250);

/// Polling interval of the `enough` predicate.
const TICK: Duration = Duration::from_millis(20);

/// Starts programs and waits for them.
#[derive(Debug)]
pub struct Runner;

impl Runner {
    /// For a single program.
    pub fn for_one_program() -> Self {
        Self
    }

    /// For many concurrent programs. Their background processes are left alone here, and so are programs that
    /// run when we are killed: both would need a job object.
    pub fn supervising(_linger: Duration, _listen: bool) -> Self {
        Self
    }

    /// Always `None`: the console delivers Ctrl-C to every program itself.
    pub fn interrupted(&self) -> Option<&'static str> {
        None
    }

    /// Number of leftover process groups.
    pub fn lingering(&self) -> usize {
        0
    }

    /// Runs a program to its end.
    pub fn run(&self, job: Job<'_>) -> Ended {
        start(&job, None)
    }

    /// Runs a program that exits when its stdin ends, whether or not it has answered: stdin stays open until
    /// `enough` accepts the output.
    pub fn converse(&self, job: Job<'_>, enough: Enough<'_>) -> Ended {
        start(&job, Some(enough))
    }
}

fn start(job: &Job<'_>, enough: Option<Enough<'_>>) -> Ended {
    let child = match job.command().spawn() {
        Ok(child) => child,
        Err(error) => return Ended::not_started(error),
    };
    let event = Arc::clone(&job.input);
    let (status, stdout, stderr) = attend(child, event, job.timeout.min(LONGEST), enough);
    Ended { status, stdout, stderr, left_behind: false }
}

enum Message {
    Exited(std::io::Result<ExitStatus>),
    Drained,
    TooMuchOutput,
}

/// Feeds the program, collects its output and waits for its exit.
fn attend(
    mut child: Child,
    event: Arc<Vec<u8>>,
    timeout: Duration,
    enough: Option<Enough<'_>>,
) -> (Result<ExitStatus, Trouble>, Vec<u8>, Vec<u8>) {
    let (sender, messages) = mpsc::channel();
    let (hold, held) = mpsc::channel::<()>();
    if let Some(mut stdin) = child.stdin.take() {
        // If the program does not read its input, this thread stays until we exit.
        thread::spawn(move || {
            drop(stdin.write_all(&event));
            // Nothing is ever sent: the sender is dropped when stdin may close.
            held.recv().unwrap_or_default();
        });
    }
    let stdout = collect(child.stdout.take(), MAX_STDOUT, Some(Message::TooMuchOutput), &sender);
    let stderr = collect(child.stderr.take(), MAX_STDERR, None, &sender);
    let id = child.id();
    thread::spawn(move || {
        let status = child.wait();
        drop(sender.send(Message::Exited(status)));
    });
    // Without `enough`, stdin closes as soon as everything is written.
    let held = enough.map(|enough| Held { enough, output: &stdout, _hold: hold });
    let ended = until_exit(&messages, timeout, held);
    if ended.is_err() {
        end_tree(id);
        // Give the last output a moment to arrive.
        drop(messages.recv_timeout(GRACE));
    }
    (ended, take(&stdout), take(&stderr))
}

/// A stdin that is held open.
struct Held<'h> {
    enough: Enough<'h>,
    output: &'h Buffer,
    /// Dropping it closes stdin.
    _hold: Sender<()>,
}

impl Held<'_> {
    fn may_end(&self) -> bool {
        (self.enough)(&self.output.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn until_exit(
    messages: &Receiver<Message>,
    timeout: Duration,
    mut held: Option<Held<'_>>,
) -> Result<ExitStatus, Trouble> {
    let deadline = Instant::now() + timeout;
    let mut drained = 0;
    let status = loop {
        if held.as_ref().is_some_and(Held::may_end) {
            held = None;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let patience = if held.is_some() { left.min(TICK) } else { left };
        match messages.recv_timeout(patience) {
            Ok(Message::Exited(status)) => break status.map_err(Trouble::System)?,
            Ok(Message::Drained) => drained += 1,
            Ok(Message::TooMuchOutput) => return Err(Trouble::TooMuchOutput),
            Err(_) if patience < left => {}
            Err(_) => return Err(Trouble::TimedOut),
        }
    };
    let deadline = Instant::now() + DRAIN;
    while drained < 2 {
        match messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(Message::Drained) => drained += 1,
            Ok(Message::TooMuchOutput) => return Err(Trouble::TooMuchOutput),
            Ok(Message::Exited(_)) => {}
            // A grandchild holds the pipe; the program's own output is complete.
            Err(_) => break,
        }
    }
    Ok(status)
}

fn end_tree(id: u32) {
    // Full path: a bare name could run a file of the working directory.
    #[expect(clippy::disallowed_methods, reason = "where the system itself is")]
    let root = std::env::var_os("SystemRoot").unwrap_or_else(|| r"C:\Windows".into());
    let taskkill = PathBuf::from(root).join("System32").join("taskkill.exe");
    #[expect(clippy::disallowed_methods, reason = "part of the runner")]
    let mut command = Command::new(taskkill);
    let ended = command
        .args(["/T", "/F", "/PID", &id.to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    drop(ended);
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
