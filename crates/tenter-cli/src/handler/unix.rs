//! One thread and `poll`: a handler costs us no more than its own process.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::{GRACE, MAX_STDERR, MAX_STDOUT, Trouble};

/// How often we look for the exit where the system cannot wake us for it.
const TICK: Duration = Duration::from_millis(5);

/// The most that is read after the handler's exit, in chunks: a grandchild may print without end.
const LAST_CHUNKS: usize = 1024;

/// Listening for signals, from before there is a handler to pass them on to.
pub(super) type Prepared = Option<Signals>;

/// Puts the handler into a group of its own, so that its children can be reached too.
pub(super) fn prepare(command: &mut Command) -> Prepared {
    command.process_group(0);
    Signals::listen()
}

/// Feeds the handler, collects what it prints and waits for its exit.
pub(super) fn attend(
    mut child: Child,
    event: Vec<u8>,
    timeout: Duration,
    signals: Prepared,
) -> (Result<ExitStatus, Trouble>, Vec<u8>, Vec<u8>) {
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(group) = group else {
        let error = io::Error::other("the handler has no process id");
        return (Err(Trouble::System(error)), Vec::new(), Vec::new());
    };
    let mut attendant = Attendant {
        group,
        exit: exit_descriptor(group),
        input: child.stdin.take().map(|pipe| Input::new(pipe, event)),
        stdout: Output::new(child.stdout.take().map(Into::into), MAX_STDOUT),
        stderr: Output::new(child.stderr.take().map(Into::into), MAX_STDERR),
        signals,
    };
    let watched = attendant.until_exit(timeout);
    match &watched {
        Ok(()) => attendant.drain(),
        // It has been told already, in the words of whoever told us.
        Err(Trouble::Signalled(_)) => attendant.end(None),
        Err(_) => attendant.end(Some(Signal::TERM)),
    }
    let overflow = attendant.stdout.overflowed && watched.is_ok();
    let ended = match watched {
        Err(trouble) => Err(trouble),
        Ok(()) if overflow => Err(Trouble::TooMuchOutput),
        Ok(()) => child.wait().map_err(Trouble::System),
    };
    (ended, attendant.stdout.kept, attendant.stderr.kept)
}

struct Attendant {
    group: Pid,
    /// Becomes readable when the handler exits, where the system offers that.
    exit: Option<OwnedFd>,
    input: Option<Input>,
    stdout: Output,
    stderr: Output,
    signals: Option<Signals>,
}

impl Attendant {
    fn until_exit(&mut self, timeout: Duration) -> Result<(), Trouble> {
        let deadline = Instant::now() + timeout;
        while !self.has_exited() {
            if let Some(name) =
                self.signals.as_ref().and_then(|signals| signals.pass_on(self.group))
            {
                return Err(Trouble::Signalled(name));
            }
            if self.stdout.overflowed {
                return Err(Trouble::TooMuchOutput);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Trouble::TimedOut);
            }
            self.wait(left).map_err(|error| Trouble::System(error.into()))?;
        }
        Ok(())
    }

    /// True once the handler has exited. It is not reaped: its id, and with it the group's, stays
    /// taken until we are done with the group.
    fn has_exited(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.group), look) {
            Ok(status) => status.is_some(),
            // Somebody else reaped it, so it is gone.
            Err(_) => true,
        }
    }

    /// Takes what is already in the pipes. Everything the handler wrote is there by now; a pipe that
    /// is still open belongs to a grandchild, whose output is none of ours.
    fn drain(&mut self) {
        for _ in 0..LAST_CHUNKS {
            let open = self.stdout.is_open() || self.stderr.is_open();
            if !open || !matches!(self.wait(Duration::ZERO), Ok(true)) {
                break;
            }
        }
    }

    /// Asks the whole group to end, then makes it.
    fn end(&mut self, ask: Option<Signal>) {
        // A signal that has come would wake us over and over; further ones change nothing.
        let _muted = self.signals.take();
        if let Some(signal) = ask {
            self.send(signal);
        }
        let deadline = Instant::now() + GRACE;
        while !self.has_exited() && Instant::now() < deadline {
            // Keep the pipes flowing: a handler that cannot write cannot end either.
            if self.wait(TICK).is_err() {
                break;
            }
        }
        // Also after the handler's own exit: its children may still be there.
        self.send(Signal::KILL);
    }

    fn send(&self, signal: Signal) {
        // The group may be gone by now, which is what we want.
        kill_process_group(self.group, signal).unwrap_or_default();
    }

    /// Waits for something to happen and deals with the pipes. False when nothing did.
    fn wait(&mut self, at_most: Duration) -> Result<bool, Errno> {
        let at_most = if self.exit.is_some() { at_most } else { at_most.min(TICK) };
        let timeout = Timespec {
            tv_sec: at_most.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: at_most.subsec_nanos().into(),
        };
        let watched = [
            self.stdout.descriptor().map(|fd| (fd, PollFlags::IN)),
            self.stderr.descriptor().map(|fd| (fd, PollFlags::IN)),
            self.input.as_ref().map(|input| (input.pipe.as_fd(), PollFlags::OUT)),
            self.exit.as_ref().map(|exit| (exit.as_fd(), PollFlags::IN)),
            self.signals.as_ref().map(|signals| (signals.wake.as_fd(), PollFlags::IN)),
        ];
        let mut polled: Vec<PollFd<'_>> = watched
            .iter()
            .flatten()
            .map(|(fd, flags)| PollFd::from_borrowed_fd(*fd, *flags))
            .collect();
        match poll(&mut polled, Some(&timeout)) {
            Ok(0) => return Ok(false),
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(true),
            Err(error) => return Err(error),
        }
        let mut happened = polled.iter().map(|fd| !fd.revents().is_empty());
        let ready = watched.map(|fd| fd.is_some() && happened.next().unwrap_or(false));
        let [stdout, stderr, input, _exit, _signals] = ready;
        if stdout {
            self.stdout.read();
        }
        if stderr {
            self.stderr.read();
        }
        if input && self.input.as_mut().is_some_and(Input::write) {
            self.input = None;
        }
        Ok(stdout || stderr)
    }
}

/// What the handler reads, as far as it has not been written yet.
struct Input {
    pipe: ChildStdin,
    event: Vec<u8>,
    written: usize,
}

impl Input {
    fn new(pipe: ChildStdin, event: Vec<u8>) -> Self {
        // A handler that does not read must not be able to hold us in a write.
        rustix::io::ioctl_fionbio(&pipe, true).unwrap_or_default();
        Self { pipe, event, written: 0 }
    }

    /// Writes what fits. True when there is nothing left to do: all is written, or nobody reads.
    fn write(&mut self) -> bool {
        let rest = self.event.get(self.written..).unwrap_or_default();
        match rustix::io::write(&self.pipe, rest) {
            Ok(length) => {
                self.written += length;
                self.written >= self.event.len()
            }
            Err(Errno::AGAIN | Errno::INTR) => false,
            Err(_) => true,
        }
    }
}

/// One of the handler's outputs, kept up to a limit and read to its end.
struct Output {
    pipe: Option<OwnedFd>,
    kept: Vec<u8>,
    limit: usize,
    overflowed: bool,
}

impl Output {
    fn new(pipe: Option<OwnedFd>, limit: usize) -> Self {
        Self { pipe, kept: Vec::new(), limit, overflowed: false }
    }

    fn is_open(&self) -> bool {
        self.pipe.is_some()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    fn read(&mut self) {
        let Some(pipe) = &self.pipe else { return };
        let mut chunk = [0; 8 * 1024];
        match rustix::io::read(pipe, &mut chunk) {
            Ok(0) => self.pipe = None,
            Ok(length) => {
                let room = self.limit.saturating_sub(self.kept.len());
                self.kept.extend(chunk.iter().take(length.min(room)));
                self.overflowed |= length > room;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.pipe = None,
        }
    }
}

/// Signals sent to us. The handler is in a group of its own and would not hear them.
pub(super) struct Signals {
    /// Becomes readable when a signal has come.
    wake: UnixStream,
    last: Arc<AtomicUsize>,
}

impl Signals {
    /// `None` if the system refuses; signals then do what they do by default.
    fn listen() -> Option<Self> {
        // A parent that ignores SIGCHLD passes that on, and nobody's exit could be waited for then.
        let child_signal = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGCHLD, child_signal).ok()?;
        let (wake, waker) = UnixStream::pair().ok()?;
        let last = Arc::new(AtomicUsize::new(0));
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
            let number = usize::try_from(signal).ok()?;
            signal_hook::flag::register_usize(signal, Arc::clone(&last), number).ok()?;
            signal_hook::low_level::pipe::register(signal, waker.try_clone().ok()?).ok()?;
        }
        Some(Self { wake, last })
    }

    /// Passes a signal on to the group and tells its name.
    fn pass_on(&self, group: Pid) -> Option<&'static str> {
        let (name, signal) = match i32::try_from(self.last.load(Ordering::SeqCst)).ok()? {
            SIGTERM => ("SIGTERM", Signal::TERM),
            SIGINT => ("SIGINT", Signal::INT),
            SIGHUP => ("SIGHUP", Signal::HUP),
            SIGQUIT => ("SIGQUIT", Signal::QUIT),
            _ => return None,
        };
        kill_process_group(group, signal).unwrap_or_default();
        Some(name)
    }
}

#[cfg(target_os = "linux")]
fn exit_descriptor(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_descriptor(_pid: Pid) -> Option<OwnedFd> {
    None
}
