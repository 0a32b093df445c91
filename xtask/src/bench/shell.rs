//! Benchmarks of analysing a command: times within a separate program, instructions from outside.

use std::process::Command;

use serde_json::Value;

use super::engine::row;
use super::measure::collected;
use super::report::Row;
use crate::error::{Context, Error, Result};
use crate::process;
use crate::workspace::{Workspace, program};

/// Measurements, by the names that the program prints, and the committed instruction counts of one analysis.
/// They repeat exactly on one toolchain and machine type; `cargo xtask bench` prints the current ones.
pub(super) const MEASURED: &[(&str, &str, u64)] = &[
    ("shell-short", "git status", 22_797),
    ("shell-typical", "a command of 140 bytes", 132_165),
    ("shell-nested", "sudo env bash -c, a loop", 167_708),
    ("shell-1k", "a script of 1 KB", 2_122_542),
    ("shell-2k", "a script of 2 KB", 4_503_405),
    ("shell-4k", "a script of 4 KB", 9_064_307),
    ("shell-8k", "a script of 8 KB", 18_387_185),
    ("shell-16k", "a script of 16 KB", 36_785_691),
    ("shell-32k", "a script of 32 KB", 73_643_198),
    ("shell-64k", "a script of 64 KB", 147_595_133),
];

/// Number of analyses between the two counts that are subtracted.
const REPEATS: u64 = 10;

pub(super) fn measure(
    workspace: &Workspace,
    counts_instructions: bool,
) -> Result<Vec<(&'static str, Row)>> {
    let mut build = workspace.cargo();
    build.args(["build", "--locked", "--release", "--package", "tenter-shell"]);
    process::run(build.args(["--example", "shell_bench"]))?;
    let path = workspace.target.join("release/examples").join(program("shell_bench"));
    let printed = process::output(&mut Command::new(&path))?;
    let printed: Value =
        serde_json::from_str(&printed).context("reading what shell_bench printed")?;
    let mut rows = Vec::new();
    for (key, what, _) in MEASURED {
        let mut row = row(key, what, &printed)?;
        if counts_instructions {
            let count = |times: u64| -> Result<u64> {
                let mut valgrind = Command::new("valgrind");
                valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--"]);
                valgrind.arg(&path).arg(key).arg(times.to_string());
                let output = process::with_input(&mut valgrind, b"")?;
                let log = String::from_utf8_lossy(&output.stderr);
                collected(&log).ok_or_else(|| Error::new(format!("valgrind could not run `{key}`")))
            };
            let (one, many) = (count(1)?, count(1 + REPEATS)?);
            row.instructions = Some(many.saturating_sub(one) / REPEATS);
        }
        rows.push((*key, row));
    }
    Ok(rows)
}
