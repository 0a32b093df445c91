//! Everything but the hook path. A command is one file with its arguments and its `run`.

mod demo;
mod hook;
mod matrix;
mod run;
mod schema;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// One program that puts every coding agent on the same hooks.
#[derive(Debug, Parser)]
#[command(name = "tenter", version, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Hook(hook::Args),
    Run(run::Args),
    Demo(demo::Args),
    Matrix(matrix::Args),
    Schema(schema::Args),
}

pub(crate) fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Printing can only fail where there is nobody to read it.
            drop(error.print());
            return ExitCode::from(usage_exit(&error));
        }
    };
    match cli.command {
        Command::Hook(args) => hook::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Demo(args) => demo::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Schema(args) => schema::run(&args),
    }
}

/// Usage errors exit with 2, but not those of `hook` and `run`: a host would take that for a deny, and at `Stop`
/// for the wish to go on.
fn usage_exit(error: &clap::Error) -> u8 {
    let is_wired = std::env::args_os().nth(1).is_some_and(|name| name == "run" || name == "hook");
    match error.exit_code() {
        0 => 0,
        _ if is_wired => 1,
        _ => 2,
    }
}

/// Prints a result. A reader that has seen enough, such as `head`, is not an error.
fn print(text: &str) -> ExitCode {
    let mut stdout = std::io::stdout().lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(newline.as_bytes()))
        .and_then(|()| stdout.flush());
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            let text = format!("tenter: cannot write to stdout: {error}\n");
            drop(std::io::stderr().write_all(text.as_bytes()));
            ExitCode::from(3)
        }
    }
}

/// Reads the name of a host for clap.
fn host_id(name: &str) -> Result<tenter_model::HostId, tenter_model::UnknownHost> {
    name.parse()
}
