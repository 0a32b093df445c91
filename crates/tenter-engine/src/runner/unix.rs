//! One thread and `poll`: a program costs us no more than its own process.

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

/// How often we look for the exit where the system cannot wake us for it.
const TICK: Duration = Duration::from_millis(5);

/// How long the system may take to end a killed program before we stop waiting for it.
const LAST_MOMENT: Duration = Duration::from_millis(500);

/// The most that is read after the program's exit, in chunks: a grandchild may print without end.
const LAST_CHUNKS: usize = 1024;

/// Starts programs and sees them through to their end.
#[derive(Debug)]
pub struct Runner {
    signals: Option<Signals>,
    /// Started with the first program.
    guardian: Option<OnceLock<Option<Arc<Guardian>>>>,
    lingering: Lingering,
    /// What processes that a program leaves behind get; `None` leaves them alone.
    linger: Option<Duration>,
}

impl Runner {
    /// For one program, whose background processes are none of ours. Passes on the signals we get.
    pub fn for_one_program() -> Self {
        Self {
            signals: Signals::listen(),
            guardian: None,
            lingering: Lingering::default(),
            linger: None,
        }
    }

    /// For many programs at a time. None of them outlives the runner, even if we are killed.
    ///
    /// `listen` takes over SIGTERM, SIGINT, SIGHUP and SIGQUIT to pass them on to the programs;
    /// without it that is left to the caller.
    pub fn supervising(linger: Duration, listen: bool) -> Self {
        Self {
            signals: if listen { Signals::listen() } else { None },
            guardian: Some(OnceLock::new()),
            lingering: Lingering::default(),
            linger: Some(linger),
        }
    }

    /// The name of the signal that told us to end, if one did.
    pub fn interrupted(&self) -> Option<&'static str> {
        Some(self.signals.as_ref()?.received()?.0)
    }

    /// How many groups of left processes there are.
    pub fn lingering(&self) -> usize {
        self.lingering.count()
    }

    /// Runs a program to its end.
    pub fn run(&self, job: Job<'_>) -> Ended {
        self.attend(job, None)
    }

    /// Runs a program that leaves when its input ends, whether or not it has answered: the input stays
    /// open until `enough` says so of what the program has printed.
    pub fn converse(&self, job: Job<'_>, enough: Enough<'_>) -> Ended {
        self.attend(job, Some(enough))
    }

    fn attend(&self, job: Job<'_>, enough: Option<Enough<'_>>) -> Ended {
        let mut command = job.command();
        // A group of its own, so that its children can be reached too.
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

    /// Reaps the program and deals with what it left.
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
                // Killed by now. Should even that take long, somebody else waits for it.
                if !matches!(child.try_wait(), Ok(Some(_))) {
                    self.lingering.take_over(group, Some(child), Duration::ZERO, guardian);
                    return (Err(trouble), false);
                }
                Err(trouble)
            }
        };
        let still_there = self.linger.is_some() && test_kill_process_group(group).is_ok();
        // What was killed may take a moment to be gone.
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
    /// Becomes readable when the program exits, where the system offers that.
    exit: Option<OwnedFd>,
    input: Option<Input>,
    enough: Option<Enough<'r>>,
    stdout: Output,
    stderr: Output,
    signals: Option<&'r Signals>,
}

impl Attendant<'_> {
    /// Feeds the program, collects what it prints and waits for its exit, or ends it.
    fn see_through(&mut self, timeout: Duration) -> Result<(), Trouble> {
        let watched = self.until_exit(timeout);
        match &watched {
            Ok(()) => self.drain(),
            // It has been told already, in the words of whoever told us.
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

    /// True once the program has exited. It is not reaped: its id, and with it the group's, stays
    /// taken until we are done with the group.
    fn has_exited(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.group), look) {
            Ok(status) => status.is_some(),
            // Somebody else reaped it, so it is gone.
            Err(_) => true,
        }
    }

    /// Takes what is already in the pipes. Everything the program wrote is there by now; a pipe that
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
        self.signals = None;
        if let Some(signal) = ask {
            self.send(signal);
        }
        let deadline = Instant::now() + GRACE;
        while !self.has_exited() && Instant::now() < deadline {
            // Keep the pipes flowing: a program that cannot write cannot end either.
            if self.wait(TICK).is_err() {
                break;
            }
        }
        // Also after the program's own exit: its children may still be there.
        self.send(Signal::KILL);
        let deadline = Instant::now() + LAST_MOMENT;
        while !self.has_exited() && Instant::now() < deadline && self.wait(TICK).is_ok() {}
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

    /// The input, unless it is only held open.
    fn to_write(&self) -> Option<&Input> {
        self.input.as_ref().filter(|input| !(input.held && input.is_written()))
    }

    /// Ends an input that was held open, once the program has said enough or will say no more.
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

/// What the program reads, as far as it has not been written yet.
struct Input {
    pipe: ChildStdin,
    event: Arc<Vec<u8>>,
    written: usize,
    /// Stays open when all is written.
    held: bool,
}

impl Input {
    fn new(pipe: ChildStdin, event: Arc<Vec<u8>>, held: bool) -> Self {
        // A program that does not read must not be able to hold us in a write.
        rustix::io::ioctl_fionbio(&pipe, true).unwrap_or_default();
        Self { pipe, event, written: 0, held }
    }

    fn is_written(&self) -> bool {
        self.written >= self.event.len()
    }

    /// Writes what fits. True when there is nothing left to do: all is written, or nobody reads.
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

/// One of the program's outputs, kept up to a limit and read to its end.
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

/// Signals sent to us. The programs are in groups of their own and would not hear them.
#[derive(Debug)]
struct Signals {
    /// Becomes readable when a signal has come, and stays so for every program that is running.
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

    fn received(&self) -> Option<(&'static str, Signal)> {
        match i32::try_from(self.last.load(Ordering::SeqCst)).ok()? {
            SIGTERM => Some(("SIGTERM", Signal::TERM)),
            SIGINT => Some(("SIGINT", Signal::INT)),
            SIGHUP => Some(("SIGHUP", Signal::HUP)),
            SIGQUIT => Some(("SIGQUIT", Signal::QUIT)),
            _ => None,
        }
    }

    /// Passes a signal on to the group and tells its name.
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
