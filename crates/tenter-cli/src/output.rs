//! Writes an answer in the host's format.

use std::io::{self, Write};
use std::process::ExitCode;

use tenter_hosts::{Answer, FailMode, Outcome, host};
use tenter_model::Decision;

/// Reports a mistake in the hook's command line to the user. Exit 1: a host treats 2 as a deny.
pub(crate) fn wiring_error(command: &str, message: &str) -> ExitCode {
    let text = format!("tenter: {message}; see tenter {command} --help\n");
    drop(std::io::stderr().write_all(text.as_bytes()));
    ExitCode::from(1)
}

/// Prints the answer. `passed_on` is a handler's stderr, shown where the host does not read it.
pub(crate) fn answer(outcome: &Outcome, on_failure: FailMode, passed_on: &[u8]) -> ExitCode {
    let answer = &outcome.answer;
    let mut stderr = Vec::new();
    if answer.stderr_is_free() {
        stderr.extend_from_slice(passed_on);
        if !passed_on.is_empty() && !passed_on.ends_with(b"\n") {
            stderr.push(b'\n');
        }
    }
    stderr.extend_from_slice(outcome.stderr().as_bytes());
    if !stderr.is_empty() {
        // Ignore a closed stderr; the answer matters more.
        drop(std::io::stderr().write_all(&stderr));
    }
    if answer.stdout.is_empty() {
        return leave(answer.exit);
    }
    let mut stdout = std::io::stdout().lock();
    let written = if nowhere(answer) {
        Err(io::Error::other("stdout is closed"))
    } else {
        stdout.write_all(answer.stdout.as_bytes()).and_then(|()| stdout.flush())
    };
    match written {
        Ok(()) => leave(answer.exit),
        Err(error) => {
            // The JSON could not be written. Only the exit code can still block.
            let may_wait = outcome.host.is_none_or(|it| host(it).spec(&outcome.native_event).gate);
            let must_stop = answer.decision == Some(Decision::Deny) || on_failure != FailMode::Open;
            let text = format!("tenter: cannot write the answer: {error}\n");
            drop(std::io::stderr().write_all(text.as_bytes()));
            leave(if may_wait && must_stop { 2 } else { answer.exit })
        }
    }
}

/// The answer is written: a later death must not change it.
fn leave(exit: u8) -> ExitCode {
    tenter_signals::answered(exit);
    ExitCode::from(exit)
}

/// Whether a blocking answer would be lost: a closed stdout is replaced by the null device at start, where
/// every write succeeds.
#[cfg(unix)]
fn nowhere(answer: &Answer) -> bool {
    use rustix::fs::{FileType, fstat, stat};
    let stops = answer.decision.is_some_and(|decision| decision != Decision::Allow);
    let same = || {
        let (there, null) = (fstat(io::stdout()).ok()?, stat("/dev/null").ok()?);
        let is_device = FileType::from_raw_mode(there.st_mode) == FileType::CharacterDevice;
        Some(is_device && there.st_rdev == null.st_rdev)
    };
    stops && same().unwrap_or(true)
}

#[cfg(not(unix))]
fn nowhere(_answer: &Answer) -> bool {
    false
}
