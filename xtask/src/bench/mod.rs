//! `cargo xtask bench`: cost of a hook call, overhead of the engine and cost of analysing a command, compared
//! with the project's targets.
//!
//! Ratios are judged, not milliseconds: all programs of a group run alternately, so that a slow or busy
//! machine affects all of them. Instruction counts are listed beside times because they repeat exactly; they
//! exclude the kernel. Benchmarks are not part of `cargo xtask test`: a shared CI machine would fail them by
//! chance.

mod engine;
mod guard;
mod measure;
mod programs;
mod report;
mod shell;
mod stats;

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::error::{Context, Error, Result};
use crate::workspace::Workspace;
use crate::{payload, tools};

pub(crate) use self::guard::{COMMITTED, check as check_counts};
use self::programs::Group;
use self::report::{Results, Row};

/// The hidden task that measures one child's memory in a process of its own.
pub(crate) const PROBE: &str = "peak-memory";

/// Default number of runs; fewer are not significant. Medians of slow programs settle sooner.
const RUNS: usize = 300;
const SLOW_RUNS: usize = 60;

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    let runs: usize = args.number("--runs", RUNS)?;
    let as_json = args.flag("--json");
    let must_meet = args.flag("--check");
    args.finish()?;
    if cfg!(not(unix)) {
        return Err(Error::new("the yardsticks are Unix programs: run this on Linux or macOS"));
    }
    let groups = programs::groups(workspace)?;
    let counts_instructions = has_valgrind();
    announce(runs, counts_instructions);
    let mut results = Results::default();
    for group in &groups {
        results.0.extend(measure(workspace, group, runs, counts_instructions)?);
    }
    results.0.extend(engine::measure(workspace, runs)?);
    results.0.extend(shell::measure(workspace, counts_instructions)?);
    results.0.extend(guard::measure(workspace)?);
    let targets = results.targets();
    if as_json {
        println!("{:#}", results.json(&targets));
    } else {
        results.print(&targets);
    }
    let missed = targets.iter().filter(|target| !target.is_met()).count();
    if must_meet && missed > 0 {
        return Err(Error::new(format!("{missed} target(s) not met")));
    }
    Ok(())
}

/// Prints the peak memory in bytes of the command after `--`, fed from the file `--payload`.
pub(crate) fn probe(args: &mut Args) -> Result<()> {
    let command = args.command();
    let payload = args.value("--payload")?;
    args.finish()?;
    let payload = payload.ok_or_else(|| Error::new("the probe needs `--payload FILE`"))?;
    println!("{}", measure::probe(Path::new(&payload), &command)?);
    Ok(())
}

fn measure(
    workspace: &Workspace,
    group: &Group,
    runs: usize,
    counts_instructions: bool,
) -> Result<Vec<(&'static str, Row)>> {
    let times = measure::take_turns(group, runs, slow_runs(runs))?;
    let payload = group.payload.len();
    let file = write_payload(workspace, &group.payload)?;
    let mut rows = Vec::new();
    for (program, time) in group.programs.iter().zip(times) {
        let mut row =
            Row { what: program.what, payload, time, instructions: None, peak_memory: None };
        if counts_instructions && !program.is_slow {
            row.instructions = Some(measure::instructions(program, &group.payload)?);
        }
        // Below this only the memory of the probe itself would be measured.
        if payload >= payload::LARGE {
            row.peak_memory = measure::peak_memory(program, &file)?;
        }
        rows.push((program.key, row));
    }
    Ok(rows)
}

fn write_payload(workspace: &Workspace, payload: &str) -> Result<PathBuf> {
    let path = workspace.target.join("dist").join(format!("payload-{}.json", payload.len()));
    std::fs::write(&path, payload).context(format!("writing {}", path.display()))?;
    Ok(path)
}

fn slow_runs(runs: usize) -> usize {
    (runs * SLOW_RUNS / RUNS).max(SLOW_RUNS).min(runs)
}

fn has_valgrind() -> bool {
    match tools::package("valgrind", "valgrind") {
        Ok(()) => true,
        Err(why) => {
            eprintln!("instructions are not counted: {why}");
            false
        }
    }
}

/// On stderr, so that `--json` can be piped.
fn announce(runs: usize, counts_instructions: bool) {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    let also = if counts_instructions { ", then instruction counts" } else { "" };
    eprintln!(
        "{runs} interleaved runs each ({} of python3 and node){also}; {cores} cores, load {load}",
        slow_runs(runs)
    );
    if runs < RUNS {
        eprintln!("fewer than {RUNS} runs: good for a first look, not for a verdict");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_runs_are_shared_by_all() {
        assert_eq!(slow_runs(300), 60);
        assert_eq!(slow_runs(1000), 200);
        assert_eq!(slow_runs(100), 60);
        assert_eq!(slow_runs(10), 10);
    }

    #[cfg(unix)]
    #[test]
    fn the_probe_sees_the_memory_of_its_child() {
        let payload = std::env::temp_dir().join(format!("xtask-probe-{}", std::process::id()));
        // Larger than a pipe buffer, so that the child must read while it is fed.
        std::fs::write(&payload, vec![b'x'; 200_000]).unwrap();
        let peak = measure::probe(&payload, &["cat".to_owned()]).unwrap();
        std::fs::remove_file(&payload).unwrap();
        assert!(peak > 100_000);
    }
}
