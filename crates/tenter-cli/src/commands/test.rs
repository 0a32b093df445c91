//! `tenter test`: runs the tests in policies and test files.

mod cases;
mod junit;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use tenter_engine::diagnostic::printable;

use self::cases::{CaseResult, Suite};
use super::{Style, verdict};
use crate::error::{CommandError, ErrorKind};
use crate::guard::LocalMachine;
use crate::output_file;

/// Run the tests of policies and case files
///
/// Without files: the tests in the policies that hold here, each policy judged alone, and every `*.tenter-test.toml` in
/// this folder and below it. Exit 0 if all pass, 1 if one fails. docs/policy.md tells how to write them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Policies (judged alone) and case files
    files: Vec<PathBuf>,
    /// Also write the result as `JUnit` XML
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Also run the handlers of the policy; those of a project only if they are trusted
    #[arg(long)]
    handlers: bool,
    /// Also show the tests that pass
    #[arg(long, short)]
    verbose: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let machine = LocalMachine::read();
    let gathered =
        if args.files.is_empty() { cases::here(&machine) } else { cases::of_files(&args.files) };
    let suites = match gathered {
        Ok(suites) => suites,
        Err(faults) => return Err(CommandError::usage(faults.join("\ntenter test: "))),
    };
    let results: Vec<(&Suite, Vec<CaseResult>)> =
        suites.iter().map(|suite| (suite, suite.run(&machine, args.handlers))).collect();
    if let Some(file) = &args.junit {
        output_file::write(file, junit::render(&results).as_bytes())
            .map_err(|error| error.of_kind(ErrorKind::Usage))?;
    }
    let failed =
        results.iter().flat_map(|(_, outcomes)| outcomes).filter(|it| it.failure.is_some());
    let failed = failed.count();
    let printed = super::print(&report(&results, failed, args.verbose, Style::of_stdout()));
    Ok(if printed == ExitCode::SUCCESS && failed > 0 { ExitCode::from(1) } else { printed })
}

fn report(
    results: &[(&Suite, Vec<CaseResult>)],
    failed: usize,
    verbose: bool,
    style: Style,
) -> String {
    let mut text = String::new();
    let mut passed = 0usize;
    for outcome in results.iter().flat_map(|(_, outcomes)| outcomes) {
        let title = printable(&outcome.title);
        match &outcome.failure {
            None => {
                passed = passed.saturating_add(1);
                if verbose {
                    let ok = style.paint("32", "ok  ");
                    let _ = writeln!(text, "{ok}  {}  {title}", outcome.place);
                }
            }
            Some(failure) => {
                let word = style.paint("1;31", "FAIL");
                let _ = writeln!(text, "{word}  {}  {title}", outcome.place);
                for line in failure.lines() {
                    let _ = writeln!(text, "      {}", printable(line));
                }
            }
        }
    }
    let fails = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    let _ = writeln!(text, "{passed} passed{fails}");
    let mut left: Vec<String> =
        results.iter().flat_map(|(_, all)| all).flat_map(|it| it.not_run.clone()).collect();
    left.sort_unstable();
    left.dedup();
    text.push_str(&verdict::not_run(&left));
    if passed + failed == 0 {
        text.push_str("there are no tests here: write `test = [...]` in a rule, or a case file\n");
    }
    text
}
