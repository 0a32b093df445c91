//! Signal handlers, the stack they run on, and the timer.

use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use libc::{c_int, sigset_t};

use crate::{Cause, Line};

/// Signals caused by our own faults, and by the CPU limit.
const FAULTS: &[c_int] = &[
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGTRAP,
    libc::SIGABRT,
    libc::SIGSYS,
    libc::SIGXCPU,
];

/// Signals of our timers. The same signal from another process is ignored while the timer runs.
const TIMERS: &[(c_int, Timer)] = &[
    (libc::SIGALRM, Timer { which: libc::ITIMER_REAL, is_set: &DEADLINE_SET }),
    (libc::SIGPROF, Timer { which: libc::ITIMER_PROF, is_set: &CPU_LIMIT_SET }),
];

struct Timer {
    which: c_int,
    is_set: &'static AtomicBool,
}

static DEADLINE_SET: AtomicBool = AtomicBool::new(false);
static CPU_LIMIT_SET: AtomicBool = AtomicBool::new(false);

/// How long before the hard CPU limit the call ends; with less time left, a quarter of it.
const BEFORE_KILL: Duration = Duration::from_millis(500);

/// Signals from other processes that end or stop a process by default; real-time signals come on top.
const SENT: &[c_int] = &[
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGFPE,
    libc::SIGVTALRM,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    // When blocked, a write beyond the file size limit fails like any other write.
    libc::SIGXFSZ,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    libc::SIGSTKFLT,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    libc::SIGIO,
    #[cfg(any(target_os = "linux", target_os = "android"))]
    libc::SIGPWR,
];

/// Signals of [`SENT`] that a process running other programs handles itself, to forward them.
const PASSED_ON: &[c_int] = &[libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];

/// Alternate stack size. The kernel needs up to 11 KB of it for registers.
const ROOM: usize = 64 * 1024;

#[repr(align(4096))]
struct Stack(UnsafeCell<[u8; ROOM]>);

// SAFETY: only the kernel hands it out, to one handler at a time: all other signals wait meanwhile.
unsafe impl Sync for Stack {}

static STACK: Stack = Stack(UnsafeCell::new([0; ROOM]));

/// Installs fault handlers and blocks the signals that others send. Call it first: an earlier fault has no
/// answer.
pub fn arm() {
    let stack = libc::stack_t { ss_sp: STACK.0.get().cast(), ss_flags: 0, ss_size: ROOM };
    // SAFETY: the stack is static and large enough, and nothing else uses it. If this fails, handlers run on
    // the current stack.
    unsafe { libc::sigaltstack(&raw const stack, std::ptr::null_mut()) };
    for signal in FAULTS {
        catch(*signal, on_signal);
    }
    for (signal, _) in TIMERS {
        catch(*signal, on_signal);
    }
    cpu_limit();
    let mut held = none();
    for signal in SENT.iter().copied().chain(real_time()) {
        // SAFETY: `held` is a set of signals.
        unsafe { libc::sigaddset(&raw mut held, signal) };
    }
    hold(&held);
}

/// Prepares for starting other programs, which would inherit the signal mask: unblocks signals and catches
/// those that would end us; handlers are not inherited.
pub fn release() {
    for signal in SENT.iter().copied().chain(real_time()) {
        match signal {
            libc::SIGXFSZ => catch(signal, ignore),
            libc::SIGTSTP | libc::SIGTTIN | libc::SIGTTOU => {}
            _ if PASSED_ON.contains(&signal) => {}
            _ => catch(signal, on_signal),
        }
    }
    hold(&none());
}

/// Ends the process with its last words after `within`, unless another deadline is set before.
pub fn deadline(within: Duration) {
    DEADLINE_SET.store(true, Ordering::Relaxed);
    start(libc::ITIMER_REAL, within);
}

/// At a hard CPU limit the kernel kills without a catchable signal, and `ulimit -t` sets soft and hard limit
/// equal. So a timer ends the call before. Child programs do not inherit the timer.
fn cpu_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: there is room for the answer.
    let failed = unsafe { libc::getrlimit(libc::RLIMIT_CPU, &raw mut limit) } != 0;
    if failed || limit.rlim_max == libc::RLIM_INFINITY {
        return;
    }
    // SAFETY: a time is numbers, which may be zero; there is room for the answer.
    let mut used: libc::timespec = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: as above.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut used) };
    let nanos = u32::try_from(used.tv_nsec).unwrap_or_default();
    let used = Duration::new(u64::try_from(used.tv_sec).unwrap_or_default(), nanos);
    // The kernel treats 0 seconds as 1.
    let left = Duration::from_secs(limit.rlim_max.max(1)).saturating_sub(used);
    let within = left.saturating_sub(BEFORE_KILL.min(left / 4)).max(Duration::from_millis(1));
    CPU_LIMIT_SET.store(true, Ordering::Relaxed);
    start(libc::ITIMER_PROF, within);
}

fn start(which: c_int, within: Duration) {
    let seconds = i32::try_from(within.as_secs()).unwrap_or(i32::MAX);
    let micros = i32::try_from(within.subsec_micros()).unwrap_or_default();
    let timer = libc::itimerval {
        it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
        it_value: libc::timeval { tv_sec: seconds.into(), tv_usec: micros.into() },
    };
    // SAFETY: the timer is a valid one; it is not inherited by programs that are started.
    unsafe { libc::setitimer(which, &raw const timer, std::ptr::null_mut()) };
}

/// Whether a timer has expired. If not, its signal came from another process. The sender in the signal's own
/// data is no proof: of two signals that arrive together only one is delivered.
fn has_run_out(timer: &Timer) -> bool {
    if !timer.is_set.load(Ordering::Relaxed) {
        return false;
    }
    // SAFETY: a timer is numbers, which may be zero.
    let mut left: libc::itimerval = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: there is room for the answer.
    let failed = unsafe { libc::getitimer(timer.which, &raw mut left) } != 0;
    failed || (left.it_value.tv_sec == 0 && left.it_value.tv_usec == 0)
}

fn none() -> sigset_t {
    // SAFETY: a set is bits, all of which may be zero.
    let mut set: sigset_t = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: `set` is a set of signals.
    unsafe { libc::sigemptyset(&raw mut set) };
    set
}

/// Sets the signal mask to exactly these signals, whatever the parent blocked.
fn hold(set: &sigset_t) {
    // SAFETY: the set is valid.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, set, std::ptr::null_mut()) };
}

fn catch(signal: c_int, handler: extern "C" fn(c_int)) {
    let mut all = none();
    // SAFETY: `all` is a set of signals.
    unsafe { libc::sigfillset(&raw mut all) };
    // SAFETY: an action is numbers and pointers, all of which may be zero.
    let mut action: libc::sigaction = unsafe { MaybeUninit::zeroed().assume_init() };
    action.sa_sigaction = handler as *const () as usize;
    action.sa_mask = all;
    action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: the action is complete, and its handler does nothing that a signal handler must not do.
    unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn real_time() -> std::ops::RangeInclusive<c_int> {
    libc::SIGRTMIN()..=libc::SIGRTMAX()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn real_time() -> std::ops::Range<c_int> {
    0..0
}

extern "C" fn ignore(_signal: c_int) {}

extern "C" fn on_signal(signal: c_int) {
    let timer = TIMERS.iter().find(|(its, _)| *its == signal);
    if timer.is_some_and(|(_, timer)| !has_run_out(timer)) {
        return;
    }
    let digit = |number: c_int| b'0' + u8::try_from(number % 10).unwrap_or_default();
    let tens = Some(digit(signal / 10)).filter(|_| signal >= 10);
    let name = Line::of(b"signal ".iter().copied().chain(tens).chain([digit(signal)]));
    let short = std::str::from_utf8(name.bytes()).unwrap_or("signal");
    let (short, long) = match signal {
        libc::SIGALRM => ("deadline", "no verdict within the time limit"),
        libc::SIGSEGV | libc::SIGBUS => (short, "crashed on a memory access or a full stack"),
        libc::SIGABRT => (short, "aborted: out of memory, or an internal error"),
        libc::SIGXCPU | libc::SIGPROF => (short, "reached the CPU time limit of this process"),
        libc::SIGSYS => (short, "a system call is forbidden here (seccomp)"),
        _ => (short, "ended by a signal"),
    };
    crate::leave(Cause { short, long })
}

/// Writes if that does not block: a host that does not read must not keep us from exiting.
pub(crate) fn write(file: c_int, bytes: &[u8]) {
    let mut ready = libc::pollfd { fd: file, events: libc::POLLOUT, revents: 0 };
    // SAFETY: one entry, as many as there are.
    let count = unsafe { libc::poll(&raw mut ready, 1, 0) };
    if count == 1 && ready.revents & libc::POLLOUT != 0 {
        // SAFETY: the bytes are there, and the length is theirs.
        unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
    }
}

pub(crate) fn exit(code: c_int) -> ! {
    // SAFETY: it does not return, and runs nothing of ours.
    unsafe { libc::_exit(code) }
}
