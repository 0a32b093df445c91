//! Writes an answer to the host, in its dialect and nothing else.

use std::io::Write;
use std::process::ExitCode;

use tenter_hosts::{FailMode, Outcome};
use tenter_model::Decision;

/// A mistake in the wiring, told to the person who made it. Exit 1: a host takes 2 for a deny.
pub(crate) fn wiring_error(command: &str, message: &str) -> ExitCode {
    let text = format!("tenter: {message}; see tenter {command} --help\n");
    drop(std::io::stderr().write_all(text.as_bytes()));
    ExitCode::from(1)
}

/// Prints the answer. `passed_on` is a handler's own stderr, shown where the host does not read it.
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
        // A closed stderr leaves nobody to tell; the answer itself matters more.
        drop(std::io::stderr().write_all(&stderr));
    }
    if answer.stdout.is_empty() {
        return ExitCode::from(answer.exit);
    }
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(answer.stdout.as_bytes()).and_then(|()| stdout.flush());
    match written {
        Ok(()) => ExitCode::from(answer.exit),
        Err(error) => {
            // The JSON did not arrive. Only the exit code can still stop what must be stopped.
            let must_stop = answer.decision == Some(Decision::Deny) || on_failure != FailMode::Open;
            let text = format!("tenter: cannot write the answer: {error}\n");
            drop(std::io::stderr().write_all(text.as_bytes()));
            ExitCode::from(if must_stop { 2 } else { answer.exit })
        }
    }
}
