//! All commands except the hook path. A command is one file with its `Args` and its `run`.

mod allow;
mod apply;
mod bench;
mod check;
mod demo;
mod doctor;
mod explain;
mod export;
mod fire;
mod fit;
mod harden;
mod hook;
mod host_options;
mod init;
mod install;
mod lint;
mod log;
mod matrix;
mod mcp;
mod policy;
mod protection;
mod prove;
mod prune;
mod replay;
mod run;
mod scan;
mod schema;
mod scratch;
mod serve;
mod sessions;
mod show;
mod stats;
mod status;
mod test;
mod trust;
mod uninstall;
mod verdict;
mod verify;
mod which;

use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use tenter_engine::diagnostic::printable;

/// One program that puts every coding agent on the same hooks.
#[derive(Debug, Parser)]
#[command(name = "tenter", version, arg_required_else_help = true, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Args),
    Install(install::Args),
    Uninstall(uninstall::Args),
    Status(status::Args),
    Doctor(doctor::Args),
    Prove(prove::Args),
    Scan(scan::Args),
    Trust(trust::Args),
    Harden(harden::Args),
    Hook(hook::Args),
    Run(run::Args),
    Fire(fire::Args),
    Serve(serve::Args),
    Check(check::Args),
    Explain(explain::Args),
    Test(test::Args),
    Policy(policy::Args),
    Allow(allow::Args),
    Log(log::Args),
    Sessions(sessions::Args),
    Show(show::Args),
    Stats(stats::Args),
    Mcp(mcp::Args),
    Replay(replay::Args),
    Export(export::Args),
    Verify(verify::Args),
    Prune(prune::Args),
    Lint(lint::Args),
    Bench(bench::Args),
    Demo(demo::Args),
    Matrix(matrix::Args),
    Schema(schema::Args),
}

/// Warns about environment variables that are ignored, since another record or policy than the user meant is
/// shown.
fn tell_of_roots() {
    let cwd = std::env::current_dir().ok();
    let (_, warnings) = crate::guard::folders::Folders::here(cwd.as_deref());
    for warning in warnings {
        drop(writeln!(std::io::stderr(), "tenter: {}", printable(&warning)));
    }
}

pub(crate) fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            // It quotes the command line, which may contain anything.
            let text = error.to_string();
            drop(std::io::stderr().write_all(printable(&text).as_bytes()));
            return ExitCode::from(2);
        }
        // Help and version.
        Err(asked) => return print(&asked.to_string()),
    };
    tell_of_roots();
    let (command, done) = match cli.command {
        // Dispatched before clap; only their help is made here.
        Command::Hook(_) | Command::Run(_) => return ExitCode::SUCCESS,
        Command::Init(args) => ("init", init::run(&args)),
        Command::Install(args) => ("install", install::run(&args)),
        Command::Uninstall(args) => ("uninstall", uninstall::run(&args)),
        Command::Status(args) => ("status", status::run(&args)),
        Command::Doctor(args) => ("doctor", doctor::run(&args)),
        Command::Prove(args) => ("prove", prove::run(&args)),
        Command::Scan(args) => ("scan", scan::run(&args)),
        Command::Fire(args) => ("fire", fire::run(&args)),
        Command::Serve(args) => ("serve", serve::run(&args)),
        Command::Check(args) => ("check", check::run(&args)),
        Command::Explain(args) => ("explain", explain::run(&args)),
        Command::Test(args) => ("test", test::run(&args)),
        Command::Policy(args) => ("policy", policy::run(&args)),
        Command::Allow(args) => ("allow", allow::run(&args)),
        Command::Trust(args) => ("trust", trust::run(&args)),
        Command::Harden(args) => ("harden", harden::run(&args)),
        Command::Log(args) => ("log", log::run(&args)),
        Command::Sessions(args) => ("sessions", sessions::run(&args)),
        Command::Show(args) => ("show", show::run(&args)),
        Command::Stats(args) => ("stats", stats::run(&args)),
        Command::Mcp(args) => ("mcp", mcp::run(&args)),
        Command::Replay(args) => ("replay", replay::run(&args)),
        Command::Export(args) => ("export", export::run(&args)),
        Command::Verify(args) => ("verify", verify::run(&args)),
        Command::Prune(args) => ("prune", prune::run(&args)),
        Command::Lint(args) => ("lint", lint::run(&args)),
        Command::Bench(args) => ("bench", bench::run(&args)),
        Command::Demo(args) => ("demo", demo::run(&args)),
        Command::Matrix(args) => ("matrix", Ok(matrix::run(&args))),
        Command::Schema(args) => ("schema", Ok(schema::run(&args))),
    };
    done.unwrap_or_else(|error| error.report(command))
}

/// Prints a result. A reader that closed the pipe, such as `head`, is not an error.
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

/// Whether stdout is a terminal with colours, and they are not disabled.
fn wants_colour() -> bool {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
    std::io::stdout().is_terminal() && !unwanted
}

/// Escape sequences, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Colour,
}

impl Style {
    fn of_stdout() -> Self {
        if wants_colour() { Self::Colour } else { Self::Plain }
    }

    fn paint(self, code: &str, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

/// Parses a host's name.
fn host_id(name: &str) -> Result<tenter_model::HostId, tenter_model::UnknownHost> {
    name.parse()
}

/// Options of a command with defaults.
#[cfg(test)]
pub(crate) fn options_of(command: &str) -> Vec<(String, Option<String>)> {
    let cli = <Cli as clap::CommandFactory>::command();
    let command = cli.find_subcommand(command).expect("a command of ours");
    let option = |argument: &clap::Arg| {
        let name = argument.get_long().filter(|name| *name != "help")?.to_owned();
        let default = argument.get_default_values().first();
        Some((name, default.map(|value| value.to_string_lossy().into_owned())))
    };
    command.get_arguments().filter_map(option).collect()
}
