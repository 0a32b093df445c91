//! Process runner for Unix: one thread and `poll`.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, test_kill_process_group, waitid,
};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::guardian::Guardian;
use super::lingering::Lingering;
use super::{Ended, Enough, GRACE, Job, LONGEST, MAX_STDERR, MAX_STDOUT, Trouble};

/// Polling interval for the exit where the system cannot notify us of it.
const TICK: Duration = Duration::from_millis(5);

/// How long to wait for a killed program to be reaped.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// Maximum number of chunks read after the program's exit: a grandchild may print without end.
const LAST_CHUNKS: usize = 1024;

/// Starts programs and waits for them.
#[derive(Debug)]
pub struct Runner {
    signals: Option<Signals>,
    /// Started with the first program.
    guardian: Option<OnceLock<Option<Arc<Guardian>>>>,
    lingering: Lingering,
    /// Grace period for background processes of a program; `None` leaves them alone.
    linger: Option<Duration>,
}

impl Runner {
    /// For a single program whose background processes are left alone. Forwards the signals we receive.
    pub fn for_one_program() -> Self {
        Self {
            signals: Signals::listen(),
            guardian: None,
            lingering: Lingering::default(),
            linger: None,
        }
    }

    /// For many concurrent programs, none of which outlives the runner, even if we are killed.
    ///
    /// `listen` installs handlers for SIGTERM, SIGINT, SIGHUP and SIGQUIT that forward them to the programs;
    /// without it the caller handles signals.
    pub fn supervising(linger: Duration, listen: bool) -> Self {
        Self {
            signals: if listen { Signals::listen() } else { None },
            guardian: Some(OnceLock::new()),
            lingering: Lingering::default(),
            linger: Some(linger),
        }
    }

    /// The name of the termination signal we received, if any.
    pub fn interrupted(&self) -> Option<&'static str> {
        Some(self.signals.as_ref()?.received()?.0)
    }

    /// Number of leftover process groups.
    pub fn lingering(&self) -> usize {
        self.lingering.count()
    }

    /// Runs a program to its end.
    pub fn run(&self, job: Job<'_>) -> Ended {
        self.attend(job, None)
    }

    /// Runs a program that exits when its stdin ends, whether or not it has answered: stdin stays open until
    /// `enough` accepts the output.
    pub fn converse(&self, job: Job<'_>, enough: Enough<'_>) -> Ended {
        self.attend(job, Some(enough))
    }

    fn attend(&self, job: Job<'_>, enough: Option<Enough<'_>>) -> Ended {
        let mut command = job.command();
        // An own process group, so that its children can be signalled too.
        command.process_group(0);
        let guardian = self.guardian();
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return Ended::not_started(error),
        };
        let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else {
            return Ended::not_started(io::Error::other("the program has no process id"));
        };
        if let Some(guardian) = &guardian {
            guardian.add(group);
        }
        let mut attendant = Attendant {
            group,
            exit: exit_descriptor(group),
            input: child.stdin.take().map(|pipe| Input::new(pipe, job.input, enough.is_some())),
            enough,
            stdout: Output::new(child.stdout.take().map(Into::into), MAX_STDOUT),
            stderr: Output::new(child.stderr.take().map(Into::into), MAX_STDERR),
            signals: self.signals.as_ref(),
        };
        let watched = attendant.see_through(job.timeout.min(LONGEST));
        let Attendant { stdout, stderr, .. } = attendant;
        let (status, left_behind) = self.conclude(watched, child, group, guardian);
        Ended { status, stdout: stdout.kept, stderr: stderr.kept, left_behind }
    }

    fn guardian(&self) -> Option<Arc<Guardian>> {
        self.guardian.as_ref()?.get_or_init(|| Guardian::start().map(Arc::new)).clone()
    }

    /// Reaps the program and ends leftover processes.
    fn conclude(
        &self,
        watched: Result<(), Trouble>,
        mut child: Child,
        group: Pid,
        guardian: Option<Arc<Guardian>>,
    ) -> (Result<ExitStatus, Trouble>, bool) {
        let status = match watched {
            Ok(()) => child.wait().map_err(Trouble::System),
            Err(trouble) => {
                // Killed by now. If reaping takes long, another thread waits for it.
                if !matches!(child.try_wait(), Ok(Some(_))) {
                    self.lingering.take_over(group, Some(child), Duration::ZERO, guardian);
                    return (Err(trouble), false);
                }
                Err(trouble)
            }
        };
        let still_there = self.linger.is_some() && test_kill_process_group(group).is_ok();
        // Killed processes may take a moment to disappear.
        let left_behind = still_there && status.is_ok();
        match self.linger {
            Some(linger) if still_there => {
                let linger = if status.is_ok() { linger } else { Duration::ZERO };
                self.lingering.take_over(group, None, linger, guardian);
            }
            _ => {
                if let Some(guardian) = guardian {
                    guardian.remove(group);
                }
            }
        }
        (status, left_behind)
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.lingering.end();
    }
}

struct Attendant<'r> {
    group: Pid,
    /// A pidfd that becomes readable on exit, where the system offers that.
    exit: Option<OwnedFd>,
    input: Option<Input>,
    enough: Option<Enough<'r>>,
    stdout: Output,
    stderr: Output,
    signals: Option<&'r Signals>,
}

impl Attendant<'_> {
    /// Feeds the program, collects its output and waits for its exit, or kills it on timeout.
    fn see_through(&mut self, timeout: Duration) -> Result<(), Trouble> {
        let watched = self.until_exit(timeout);
        match &watched {
            Ok(()) => self.drain(),
            // The signal was already forwarded.
            Err(Trouble::Signalled(_)) => self.end(None),
            Err(_) => self.end(Some(Signal::TERM)),
        }
        if watched.is_ok() && self.stdout.overflowed {
            return Err(Trouble::TooMuchOutput);
        }
        watched
    }

    fn until_exit(&mut self, timeout: Duration) -> Result<(), Trouble> {
        let deadline = Instant::now() + timeout;
        while !self.has_exited() {
            if let Some(name) = self.signals.and_then(|signals| signals.pass_on(self.group)) {
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

    /// Whether the program has exited. It is not reaped here: its pid, and so the group id, stays reserved
    /// until we are done with the group.
    fn has_exited(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.group), look) {
            Ok(status) => status.is_some(),
            // Somebody else reaped it, so it is gone.
            Err(_) => true,
        }
    }

    /// Reads what is left in the pipes. The program's own output is complete by now; a pipe that is still
    /// open belongs to a grandchild, whose output does not count.
    fn drain(&mut self) {
        for _ in 0..LAST_CHUNKS {
            let open = self.stdout.is_open() || self.stderr.is_open();
            if !open || !matches!(self.wait(Duration::ZERO), Ok(true)) {
                break;
            }
        }
    }

    /// Sends `ask` to the whole group, then SIGKILL after a grace period.
    fn end(&mut self, ask: Option<Signal>) {
        // A pending signal would wake us again and again; further ones change nothing.
        self.signals = None;
        if let Some(signal) = ask {
            self.send(signal);
        }
        let deadline = Instant::now() + GRACE;
        while !self.has_exited() && Instant::now() < deadline {
            // Keep reading: a program that blocks on a write cannot exit.
            if self.wait(TICK).is_err() {
                break;
            }
        }
        // Also after the program's own exit: its children may still run.
        self.send(Signal::KILL);
        let deadline = Instant::now() + LAST_MOMENT;
        while !self.has_exited() && Instant::now() < deadline && self.wait(TICK).is_ok() {}
    }

    fn send(&self, signal: Signal) {
        // The group may be gone already.
        kill_process_group(self.group, signal).unwrap_or_default();
    }

    /// Waits for activity and serves the pipes. False when nothing happened.
    fn wait(&mut self, at_most: Duration) -> Result<bool, Errno> {
        let at_most = if self.exit.is_some() { at_most } else { at_most.min(TICK) };
        let timeout = Timespec {
            tv_sec: at_most.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: at_most.subsec_nanos().into(),
        };
        let watched = [
            self.stdout.descriptor().map(|fd| (fd, PollFlags::IN)),
            self.stderr.descriptor().map(|fd| (fd, PollFlags::IN)),
            self.to_write().map(|input| (input.pipe.as_fd(), PollFlags::OUT)),
            self.exit.as_ref().map(|exit| (exit.as_fd(), PollFlags::IN)),
            self.signals.map(|signals| (signals.wake.as_fd(), PollFlags::IN)),
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
            self.let_go();
        }
        if stderr {
            self.stderr.read();
        }
        if input && self.input.as_mut().is_some_and(Input::write) {
            self.input = None;
        }
        Ok(stdout || stderr)
    }

    /// The remaining input, unless stdin is only held open.
    fn to_write(&self) -> Option<&Input> {
        self.input.as_ref().filter(|input| !(input.held && input.is_written()))
    }

    /// Closes a held stdin once the output is complete or closed.
    fn let_go(&mut self) {
        let (Some(input), Some(enough)) = (&mut self.input, self.enough) else { return };
        if !self.stdout.is_open() || enough(&self.stdout.kept) {
            input.held = false;
            if input.is_written() {
                self.input = None;
            }
        }
    }
}

/// The part of the program's input that is not written yet.
struct Input {
    pipe: ChildStdin,
    event: Arc<Vec<u8>>,
    written: usize,
    /// Stays open after everything is written.
    held: bool,
}

impl Input {
    fn new(pipe: ChildStdin, event: Arc<Vec<u8>>, held: bool) -> Self {
        // Non-blocking: a program that does not read must not block us.
        rustix::io::ioctl_fionbio(&pipe, true).unwrap_or_default();
        Self { pipe, event, written: 0, held }
    }

    fn is_written(&self) -> bool {
        self.written >= self.event.len()
    }

    /// Writes what fits. True when done: everything is written, or the reader is gone.
    fn write(&mut self) -> bool {
        let rest = self.event.get(self.written..).unwrap_or_default();
        match rustix::io::write(&self.pipe, rest) {
            Ok(length) => {
                self.written += length;
                self.is_written() && !self.held
            }
            Err(Errno::AGAIN | Errno::INTR) => false,
            Err(_) => true,
        }
    }
}

/// One output stream, kept up to a limit and read to its end.
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

/// Signals sent to us. The programs run in their own groups and would not receive them.
#[derive(Debug)]
struct Signals {
    /// Becomes readable when a signal arrived, and stays readable for all running programs.
    wake: UnixStream,
    last: Arc<AtomicUsize>,
}

impl Signals {
    /// `None` if the system refuses; signals then keep their default action.
    fn listen() -> Option<Self> {
        // A parent that ignores SIGCHLD passes that on, and exits could not be waited for.
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

    fn received(&self) -> Option<(&'static str, Signal)> {
        match i32::try_from(self.last.load(Ordering::SeqCst)).ok()? {
            SIGTERM => Some(("SIGTERM", Signal::TERM)),
            SIGINT => Some(("SIGINT", Signal::INT)),
            SIGHUP => Some(("SIGHUP", Signal::HUP)),
            SIGQUIT => Some(("SIGQUIT", Signal::QUIT)),
            _ => None,
        }
    }

    /// Forwards a signal to the group and returns its name.
    fn pass_on(&self, group: Pid) -> Option<&'static str> {
        let (name, signal) = self.received()?;
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
