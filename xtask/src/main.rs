//! Developer tasks, one file or folder each. `cargo xtask help` lists them.
//!
//! Everything here runs on a developer's machine or in CI and is not shipped.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool talks to the terminal it was started from"
)]

mod args;
mod bench;
mod corpus;
mod diff;
mod dist;
mod error;
mod fuzz;
mod generate;
mod measure;
mod order;
mod payload;
mod process;
mod smoke;
#[cfg(unix)]
mod storm;
mod test;
mod tidy;
mod tools;
mod workspace;

use std::process::ExitCode;

use crate::args::Args;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

const HELP: &str = "\
Usage: cargo xtask <task> [options]

  test  [--only STEP]... [--list]           everything CI checks, in order
  gen   [--check]                           write the generated files, or say which of them drifted
  tidy                                      budgets, dependency rules, layout, forgotten things
  dist                                      the release binary, static on Linux, in target/dist
  bench [--runs N] [--json] [--check]       start time, memory, instructions and the engine against the targets
  corpus [--wrong] [--levels] [--binary P]  what the guard catches, misses and alarms at, against the targets
         [--seed N] [--count N]
  fuzz  [--seconds N] [--target T]...       libFuzzer over every target, 60 s each
  storm [--seconds N] [--seed N]            the release binary with hostile payloads, files, environments and limits
        [--binary P]
  order                                     traces hook calls and writes the order of the image for other builds
  measure                                   sizes of crates, files and functions, host names outside tenter-hosts, and
                                            the hops of a hook call in ARCHITECTURE.md against a trace of valgrind
";

fn main() -> ExitCode {
    if let Some(folder) = std::env::var_os(order::FOLDER) {
        return order::link(&folder);
    }
    let mut args = Args::from_env();
    match dispatch(&mut args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &mut Args) -> Result<()> {
    let task = args.subcommand();
    // The probe must be a small fresh process so as not to distort its measurement, so it is handled before
    // anything is loaded.
    if task.as_deref() == Some(bench::PROBE) {
        return bench::probe(args);
    }
    let asks_for_help = args.flag("--help") || args.flag("-h");
    let Some(task) = task.filter(|task| task != "help" && !asks_for_help) else {
        print!("{HELP}");
        return Ok(());
    };
    let workspace = Workspace::load()?;
    match task.as_str() {
        "test" => test::run(&workspace, args),
        "gen" => generate::run(&workspace, args),
        "tidy" => tidy::run(&workspace, args),
        "dist" => dist::run(&workspace, args),
        "bench" => bench::run(&workspace, args),
        "corpus" => corpus::run(&workspace, args),
        "fuzz" => fuzz::run(&workspace, args),
        "measure" => measure::run(&workspace, args),
        "order" => order::run(&workspace, args),
        #[cfg(unix)]
        "storm" => storm::run(&workspace, args),
        _ => Err(Error::new(format!("no task `{task}`; `cargo xtask help` lists them"))),
    }
}
