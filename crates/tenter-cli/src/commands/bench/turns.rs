//! Starts programs by turns and measures them.

use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use tenter_files::Whose;
use tenter_hosts::trial::Output;
use tenter_model::HostId;

use super::contenders::Contender;
use crate::commands::scratch::Scratch;
use crate::error::CommandError;

/// Of which rounds a slow program takes part in one.
const SLOW: u32 = 10;

/// Times in microseconds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Summary {
    pub(super) runs: usize,
    pub(super) median: f64,
    pub(super) p95: f64,
    pub(super) p99: f64,
    /// Median of page faults, where the system tells them.
    pub(super) faults: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    micros: f64,
    faults: Option<u64>,
}

/// Runs every program `runs` times.
pub(super) fn take(
    contenders: &[Contender],
    scratch: &Scratch,
    host: HostId,
    runs: u32,
) -> Result<Vec<Summary>, CommandError> {
    let environment = scratch.environment(None);
    for contender in contenders {
        evict(&contender.program);
        // Twice: the first call reads the file and creates our own files.
        for _ in 0..2 {
            check(contender, scratch, host, &environment)?;
        }
    }
    let mut samples: Vec<Vec<Sample>> = contenders.iter().map(|_| Vec::new()).collect();
    for round in 0..runs {
        for (contender, samples) in contenders.iter().zip(&mut samples) {
            if !contender.is_slow || round % SLOW == 0 {
                samples.push(start(contender, scratch, &environment)?);
            }
        }
    }
    Ok(samples.iter().map(|samples| summary(samples)).collect())
}

/// Drops a file from the page cache. Where that fails, the figures are those of a file written some time ago.
fn evict(path: &Path) {
    #[cfg(target_os = "linux")]
    if let Ok(file) = tenter_files::open(path, Whose::Anyone) {
        // A dirty page is not dropped.
        drop(file.sync_all());
        let _ = rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = path;
}

fn command(
    contender: &Contender,
    scratch: &Scratch,
    environment: &[(String, Option<OsString>)],
) -> Result<Command, CommandError> {
    let input: File = tenter_files::open(&contender.input, Whose::Anyone).map_err(|error| {
        CommandError::failed(format!("cannot open {}: {error}", contender.input.display()))
    })?;
    let mut command = Command::new(&contender.program);
    command.args(&contender.arguments).current_dir(scratch.project());
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(input).stderr(Stdio::null());
    Ok(command)
}

fn failed(contender: &Contender, why: impl std::fmt::Display) -> CommandError {
    CommandError::failed(format!("{}: {why}", contender.title))
}

/// A program that answers wrongly is not worth timing.
fn check(
    contender: &Contender,
    scratch: &Scratch,
    host: HostId,
    environment: &[(String, Option<OsString>)],
) -> Result<(), CommandError> {
    let output = command(contender, scratch, environment)?
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .map_err(|error| failed(contender, error))?;
    let Some(expected) = &contender.reply else { return Ok(()) };
    let host = tenter_hosts::host(host);
    let (stdout, stderr) = (&output.stdout, &output.stderr);
    let answer = Output { exit: output.status.code(), stdout, stderr };
    if host.conclude(host.trial().shell_event, &answer) == *expected {
        return Ok(());
    }
    let said = String::from_utf8_lossy(stdout);
    Err(failed(contender, format!("answered `{}` ({})", said.trim(), output.status)))
}

fn start(
    contender: &Contender,
    scratch: &Scratch,
    environment: &[(String, Option<OsString>)],
) -> Result<Sample, CommandError> {
    let mut command = command(contender, scratch, environment)?;
    command.stdout(Stdio::null());
    let before = faults();
    let begun = Instant::now();
    command.status().map_err(|error| failed(contender, error))?;
    let micros = begun.elapsed().as_secs_f64() * 1e6;
    let faults = faults().zip(before).map(|(after, before)| after.saturating_sub(before));
    Ok(Sample { micros, faults })
}

/// Page faults of all children that have ended: the eleventh field of `/proc/self/stat`.
fn faults() -> Option<u64> {
    let path = Path::new("/proc/self/stat");
    let text = tenter_files::read_text(path, 4096, Whose::Anyone).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    fields.split_ascii_whitespace().nth(8)?.parse().ok()
}

fn summary(samples: &[Sample]) -> Summary {
    let mut times: Vec<f64> = samples.iter().map(|sample| sample.micros).collect();
    times.sort_by(f64::total_cmp);
    let mut faults: Vec<u64> = samples.iter().filter_map(|sample| sample.faults).collect();
    faults.sort_unstable();
    let of_hundred = |percent: usize| {
        let rank = times.len().saturating_mul(percent).div_ceil(100).saturating_sub(1);
        times.get(rank).copied().unwrap_or_default()
    };
    Summary {
        runs: times.len(),
        median: of_hundred(50),
        p95: of_hundred(95),
        p99: of_hundred(99),
        faults: faults.get(faults.len() / 2).copied(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_of_runs() {
        let samples: Vec<Sample> =
            (1..=200_u32).map(|it| Sample { micros: it.into(), faults: Some(7) }).collect();
        let summary = summary(&samples);
        assert_eq!((summary.median, summary.p95, summary.p99), (100.0, 190.0, 198.0));
        assert_eq!((summary.runs, summary.faults), (200, Some(7)));
    }
}
