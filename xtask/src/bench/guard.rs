//! What the guard costs: instructions of whole hook calls against the committed ones, and the
//! secret scanner from within a program of its own.

use std::process::Command;

use super::engine::row;
use super::measure::instructions;
use super::programs::{self, Group};
use super::report::Row;
use crate::error::{Context, Error, Result};
use crate::process;
use crate::workspace::{Workspace, program};

/// The instructions of one hook call when they were last looked at. They repeat to within a few
/// hundred on one toolchain; `cargo xtask bench` shows the new ones.
pub(super) const COMMITTED: &[(&str, u64)] =
    &[("hook", 261_598), ("hook-rules", 627_650), ("hook-read", 473_522)];

/// More than this over the committed count is a step back that somebody must agree to.
pub(super) const DRIFT: f64 = 1.05;

/// What is measured in the scanner, by the names that the program prints.
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
    if worse.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!(
        "{} took more than {DRIFT} of the committed instructions; find out why, or renew the counts in \
         xtask/src/bench/guard.rs",
        worse.join(", ")
    )))
}

fn find<'g>(groups: &'g [Group], key: &str) -> Result<(&'g programs::Program, &'g str)> {
    let all = groups.iter().flat_map(|group| group.programs.iter().map(|it| (it, &*group.payload)));
    let mut found = all.filter(|(program, _)| program.key == key);
    found.next().ok_or_else(|| Error::new(format!("`{key}` is not a program of the benchmark")))
}
