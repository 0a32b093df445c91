//! Benchmarks of the guard: instructions of hook calls compared with the committed counts, and the secret
//! scanner in a separate program.

use std::process::Command;

use super::engine::row;
use super::measure::{instructions, page_faults, system_calls};
use super::programs::{self, Group};
use super::report::Row;
use crate::error::{Context, Error, Result};
use crate::workspace::{Workspace, program};
use crate::{order, process};

/// Committed instruction counts of one hook call. They repeat to within a few hundred on one toolchain;
/// `cargo xtask bench` prints the current ones.
pub(crate) const COMMITTED: &[(&str, u64)] =
    &[("hook", 435_647), ("hook-rules", 663_215), ("hook-read", 616_892)];

/// Committed number of system calls of one hook call, including record and sign of life. About forty occur
/// only in an agent's first call, which every run under strace is: storing the agent and dropping those that
/// are gone.
pub(super) const CALLS: (&str, usize) = ("hook", 131);

/// Committed number of page faults of one hook call. The order of the image (`xtask/src/order.rs`) keeps it
/// independent of the image's size.
pub(super) const FAULTS: (&str, u64) = ("hook", 72);

/// Tolerated factor over the committed count; more fails until the count is raised.
pub(super) const DRIFT: f64 = 1.05;

/// Measurements of the scanner, by the names that the program prints.
const SCANNER: &[(&str, &str)] =
    &[("clean-5k", "5 KB scanned for secrets"), ("clean-1m", "1 MB scanned for secrets")];

pub(super) fn measure(workspace: &Workspace) -> Result<Vec<(&'static str, Row)>> {
    let mut build = workspace.cargo();
    build.args(["build", "--locked", "--release", "--package", "tenter-policy"]);
    process::run(build.args(["--example", "secrets_bench"]))?;
    let path = workspace.target.join("release/examples").join(program("secrets_bench"));
    let printed = process::output(&mut Command::new(path))?;
    let printed = serde_json::from_str(&printed).context("reading what secrets_bench printed")?;
    SCANNER.iter().map(|(key, what)| Ok((*key, row(key, what, &printed)?))).collect()
}

/// Fails when a hook call takes more instructions than it did.
#[expect(clippy::cast_precision_loss, reason = "shown with two digits")]
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let groups = programs::guard_groups(workspace)?;
    let mut worse = Vec::new();
    for (key, committed) in COMMITTED {
        let (program, payload) = find(&groups, key)?;
        // The first call compiles what the others find ready.
        instructions(program, payload)?;
        let count = instructions(program, payload)?;
        let ratio = count as f64 / *committed as f64;
        println!("{key:<12} {count:>9} instructions, {ratio:.3} of the committed {committed}");
        if ratio > DRIFT {
            worse.push(*key);
        }
    }
    check_faults(workspace, &groups)?;
    check_calls(&groups)?;
    if worse.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!(
        "{} took more than {DRIFT} of the committed instructions; find out why, or renew the counts in \
         xtask/src/bench/guard.rs",
        worse.join(", ")
    )))
}

/// Fails when a hook call takes more page faults than committed.
#[expect(clippy::cast_precision_loss, reason = "two digits")]
fn check_faults(workspace: &Workspace, groups: &[Group]) -> Result<()> {
    let (key, committed) = FAULTS;
    let (program, payload) = find(groups, key)?;
    let count = page_faults(program, payload)?;
    println!("{key:<12} {count:>9} page faults, committed {committed}");
    if count as f64 <= committed as f64 * DRIFT {
        return Ok(());
    }
    Err(Error::new(format!(
        "{count} page faults instead of {committed}; the image is {}",
        order::said(workspace)
    )))
}

/// Fails when a hook call makes more system calls than committed, or uses a database.
fn check_calls(groups: &[Group]) -> Result<()> {
    let (key, committed) = CALLS;
    let (program, payload) = find(groups, key)?;
    let mut calls = system_calls(program, payload)?;
    // One per folder above the home, which depends on where this runs.
    calls.retain(|call| !(call.starts_with("readlink(") && call.contains("EINVAL")));
    println!("{key:<12} {:>9} system calls, committed {committed}", calls.len());
    if let Some(call) = calls.iter().find(|call| call.contains("sqlite")) {
        return Err(Error::new(format!("a hook call opens the index: {call}")));
    }
    if !calls.iter().any(|call| call.starts_with("write(") && call.contains("{\\\"v\\\":1")) {
        return Err(Error::new("a hook call writes no record"));
    }
    if calls.len() > committed {
        return Err(Error::new(format!(
            "{} system calls instead of {committed}; find out why, or renew the number in \
             xtask/src/bench/guard.rs:\n{}",
            calls.len(),
            calls.join("\n")
        )));
    }
    Ok(())
}

fn find<'g>(groups: &'g [Group], key: &str) -> Result<(&'g programs::Program, &'g str)> {
    let all = groups.iter().flat_map(|group| group.programs.iter().map(|it| (it, &*group.payload)));
    let mut found = all.filter(|(program, _)| program.key == key);
    found.next().ok_or_else(|| Error::new(format!("`{key}` is not a program of the benchmark")))
}
