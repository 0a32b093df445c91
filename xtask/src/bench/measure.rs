//! Runs a program once and measures it.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::programs::{Group, Program};
use super::stats::{Sample, Summary};
use crate::error::{Context, Error, Result};
use crate::process;

/// Runs the programs of a group alternately, so that other load on the machine affects all alike. Slow ones
/// skip most rounds.
pub(super) fn take_turns(group: &Group, runs: usize, slow_runs: usize) -> Result<Vec<Summary>> {
    let mut samples: Vec<Vec<Sample>> = group.programs.iter().map(|_| Vec::new()).collect();
    for program in &group.programs {
        run_once(program, &group.payload)?;
    }
    for round in 0..runs {
        for (program, samples) in group.programs.iter().zip(&mut samples) {
            if !program.is_slow || takes_part(round, runs, slow_runs) {
                samples.push(run_once(program, &group.payload)?);
            }
        }
    }
    Ok(samples.iter().map(|samples| Summary::of(samples)).collect())
}

/// Whether this round is one of `chosen` evenly spread rounds.
fn takes_part(round: usize, rounds: usize, chosen: usize) -> bool {
    round * chosen / rounds != (round + 1) * chosen / rounds
}

/// Starts the program, pipes in the payload and reads the answer, as an agent does.
fn run_once(program: &Program, payload: &str) -> Result<Sample> {
    let mut command = command(program)?;
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let starting = || format!("measuring {}", program.key);
    let mut answer = String::new();
    let cpu_before = children_cpu();
    let start = Instant::now();
    let mut child = command.spawn().context(starting())?;
    if let Some(mut stdin) = child.stdin.take() {
        // `true` exits without reading, which breaks the pipe and is no error.
        stdin.write_all(payload.as_bytes()).ok();
    }
    if let Some(mut stdout) = child.stdout.take() {
        stdout.read_to_string(&mut answer).context(starting())?;
    }
    let status = child.wait().context(starting())?;
    let wall = start.elapsed();
    let cpu = children_cpu().zip(cpu_before).map(|(after, before)| after.saturating_sub(before));
    if status.success() && answer.trim_end() == program.answer {
        return Ok(Sample { wall, cpu });
    }
    Err(Error::new(format!(
        "{} answered `{}` ({status}) instead of `{}`: a wrong answer is not worth timing",
        process::spoken(&command),
        answer.trim_end(),
        program.answer
    )))
}

fn command(program: &Program) -> Result<Command> {
    let Some((path, args)) = program.command.split_first() else {
        return Err(Error::new(format!("{} has no command", program.key)));
    };
    let mut command = Command::new(path);
    command.args(args).env_clear().envs(program.environment.iter().cloned());
    Ok(command)
}

/// Working folder of counted runs: policies are searched in every parent folder, and the depth of this
/// repository must not count.
const NOWHERE: &str = "/";

/// Instructions the program runs in user space, from valgrind; repeatable where time is not.
pub(super) fn instructions(program: &Program, payload: &str) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--"]);
    valgrind.env_clear().envs(program.environment.iter().cloned()).current_dir(NOWHERE);
    let output = process::with_input(valgrind.args(&program.command), payload.as_bytes())?;
    let log = String::from_utf8_lossy(&output.stderr);
    collected(&log).ok_or_else(|| Error::new(format!("valgrind could not run {}", program.key)))
}

/// The system calls of one run, one line each as strace prints them, without those of starting the program.
pub(super) fn system_calls(program: &Program, payload: &str) -> Result<Vec<String>> {
    let mut strace = Command::new("strace");
    strace.env_clear().envs(program.environment.iter().cloned()).current_dir(NOWHERE);
    let output = process::with_input(strace.arg("-f").args(&program.command), payload.as_bytes())?;
    let log = String::from_utf8_lossy(&output.stderr);
    let calls = log.lines().filter(|line| line.contains('(') && !line.starts_with("execve("));
    let calls: Vec<String> = calls.map(str::to_owned).collect();
    if calls.is_empty() {
        return Err(Error::new(format!("strace could not run {}", program.key)));
    }
    Ok(calls)
}

/// Page faults of one run: the median, because where the system puts the stack adds or saves one.
pub(super) fn page_faults(program: &Program, payload: &str) -> Result<u64> {
    const RUNS: usize = 15;
    let mut counts = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let before = children_faults();
        run_once(program, payload)?;
        counts.extend(children_faults().zip(before).map(|(after, before)| after - before));
    }
    counts.sort_unstable();
    let median = counts.get(counts.len() / 2).copied();
    median.ok_or_else(|| Error::new("this system does not tell the page faults of a child"))
}

/// The total from callgrind's summary: `==1234== Collected : 126945`.
pub(super) fn collected(log: &str) -> Option<u64> {
    let total = log.lines().rev().find_map(|line| line.split_once("Collected : "))?.1;
    total.split_whitespace().next()?.parse().ok()
}

/// Peak memory of the program in bytes. `None` where the system does not report it.
///
/// The system keeps one maximum over all children of a process, so a fresh process is used.
pub(super) fn peak_memory(program: &Program, payload: &Path) -> Result<Option<u64>> {
    if cfg!(not(unix)) {
        return Ok(None);
    }
    let ourselves = std::env::current_exe().context("finding this program")?;
    let mut probe = Command::new(ourselves);
    probe.envs(program.environment.iter().cloned());
    probe.arg(super::PROBE).arg("--payload").arg(payload).arg("--").args(&program.command);
    let bytes = process::output(&mut probe)?;
    bytes.trim().parse().map(Some).context("reading what the probe printed")
}

/// The other half of `peak_memory`, in that fresh process.
pub(super) fn probe(payload: &Path, command: &[String]) -> Result<u64> {
    let Some((path, args)) = command.split_first() else {
        return Err(Error::new("the probe needs a command after `--`"));
    };
    let mut payload = File::open(payload).context(format!("opening {}", payload.display()))?;
    let mut command = Command::new(path);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().context(format!("starting {path}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // Copied in pieces: the memory of this process counts until the child has started.
        std::io::copy(&mut payload, &mut stdin).context(format!("feeding {path}"))?;
    }
    let status = child.wait().context(format!("waiting for {path}"))?;
    if !status.success() {
        return Err(Error::new(format!("{path} failed: {status}")));
    }
    children_peak().ok_or_else(|| Error::new("this system does not tell the memory of a child"))
}

#[cfg(unix)]
fn children() -> Option<nix::sys::resource::Usage> {
    use nix::sys::resource::{UsageWho, getrusage};
    getrusage(UsageWho::RUSAGE_CHILDREN).ok()
}

#[cfg(unix)]
fn children_cpu() -> Option<Duration> {
    let usage = children()?;
    let duration = |time: nix::sys::time::TimeVal| {
        let micros = u64::try_from(time.tv_usec()).ok()?;
        Some(
            Duration::from_secs(u64::try_from(time.tv_sec()).ok()?) + Duration::from_micros(micros),
        )
    };
    Some(duration(usage.user_time())? + duration(usage.system_time())?)
}

#[cfg(unix)]
fn children_faults() -> Option<u64> {
    u64::try_from(children()?.minor_page_faults()).ok()
}

#[cfg(unix)]
fn children_peak() -> Option<u64> {
    // Linux and the BSDs count in kilobytes, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    u64::try_from(children()?.max_rss()).ok().map(|peak| peak * unit)
}

#[cfg(not(unix))]
fn children_cpu() -> Option<Duration> {
    None
}

#[cfg(not(unix))]
fn children_faults() -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn children_peak() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_programs_are_spread_over_the_rounds() {
        let rounds: Vec<usize> = (0..300).filter(|round| takes_part(*round, 300, 60)).collect();
        assert_eq!(rounds.len(), 60);
        assert!(rounds.windows(2).all(|pair| pair[1] - pair[0] == 5));
        assert_eq!((0..10).filter(|round| takes_part(*round, 10, 10)).count(), 10);
        assert_eq!((0..7).filter(|round| takes_part(*round, 7, 3)).count(), 3);
    }

    #[test]
    fn the_total_is_read_from_valgrinds_words() {
        let log = "==7== Events    : Ir\n==7== Collected : 126945\n==7== \n";
        assert_eq!(collected(log), Some(126_945));
        assert_eq!(collected("==7== nothing"), None);
    }
}
