//! `tenter-server`: the companion of `tenter` that may use the network.
//!
//! A subcommand is one file or folder with its `Args` and its `run`; here it has a `mod` line, a variant and
//! an arm.

mod address;
mod export;
mod judge;
mod model;
mod text;

use std::io::Write;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

/// The part of Tenterhook that talks to the network; `tenter` starts it when it needs it.
#[derive(Debug, Parser)]
#[command(name = "tenter-server", version, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Export(export::Args),
    Judge(judge::Args),
    Model(model::Args),
}

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(Cli { command: Command::Export(args) }) => export::run(&args),
        Ok(Cli { command: Command::Judge(args) }) => judge::run(&args),
        Ok(Cli { command: Command::Model(args) }) => model::run(&args),
        Err(error) => refuse(&error),
    }
}

/// Prints help as clap formats it. A wrong argument becomes one line, since stderr is mostly read by the
/// engine.
fn refuse(error: &clap::Error) -> ExitCode {
    let is_help = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if is_help || !error.use_stderr() {
        drop(error.print());
        return ExitCode::from(if is_help { 2 } else { 0 });
    }
    let first = std::env::args().nth(1).unwrap_or_default();
    let place = match Cli::command().find_subcommand(&first) {
        Some(command) => format!("tenter-server {}", command.get_name()),
        None => "tenter-server".to_owned(),
    };
    let whole = error.to_string();
    let line = whole.lines().next().unwrap_or_default();
    let line = text::one_line(line.strip_prefix("error: ").unwrap_or(line));
    complain(&format!("{place}: {line}; see `{place} --help`"));
    ExitCode::from(2)
}

/// Prints one line on stderr, ignoring write errors.
fn complain(line: &str) {
    drop(writeln!(std::io::stderr().lock(), "{line}"));
}
