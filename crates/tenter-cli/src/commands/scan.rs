//! `tenter scan`: lists everything in a folder that agents would run or obey.

mod baseline;
mod human;
mod json;
mod judged;
mod sarif;
mod stray;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::ValueEnum;
use tenter_setup::scan::{self, Options, Severity};

use super::{Style, fit};
use crate::guard::{LocalMachine, trust};

pub(super) use self::human::list;
use self::human::verdict_of;
pub(super) use self::judged::{Judged, Trust, look};
use crate::error::CommandError;

/// List what a folder would make agents, editors and git run or obey, before one of them opens it
///
/// Hooks of every agent, MCP servers, editor tasks, settings that run commands or take questions away, git hooks,
/// instructions with hidden characters; each with its scripts, what the guard says to it and whether you have
/// trusted it. Nothing of the folder is run and nothing outside it is followed. Exit 0: nothing that is not
/// trusted; 1: findings; 2: wrong use; 3: something went wrong. docs/scan.md tells more.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder [default: this one]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// How the findings are printed
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Also show what is trusted and has not changed
    #[arg(long)]
    all: bool,
    /// Also look into folders of dependencies, such as `node_modules`
    #[arg(long)]
    deep: bool,
    /// Exit 1 only for findings at least as grave as this
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "note")]
    fail_on: FailOn,
    /// Take what this file lists for trusted; `--write-baseline` writes it
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write what is found now, with its hashes, to this file
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    write_baseline: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people, file by file
    Human,
    /// One object
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    Note,
    Warning,
    Danger,
}

impl FailOn {
    const fn severity(self) -> Severity {
        match self {
            Self::Note => Severity::Note,
            Self::Warning => Severity::Warning,
            Self::Danger => Severity::Danger,
        }
    }
}

/// A folder with its findings.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) root: PathBuf,
    pub(super) items: Vec<Judged>,
    pub(super) skipped: Vec<String>,
    /// Number of files, and of those that instruct agents.
    pub(super) files: usize,
    pub(super) passages: usize,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let folder = args.path.clone().unwrap_or_else(|| PathBuf::from("."));
    let accepted = args.baseline.as_deref().map(baseline::read).transpose()?.unwrap_or_default();
    let machine = machine(&folder)?;
    let options = Options { deep: args.deep, shallow: false };
    let report = scan::scan(&folder, options)
        .map_err(|error| CommandError::usage(format!("{}: {error}", folder.display())))?;
    let mut seen = look(report, &machine, &trust::all(&machine.folders));
    for item in &mut seen.items {
        let known = item.fingerprint.as_ref().is_some_and(|it| accepted.contains(it));
        if known && item.trust != Trust::Trusted {
            item.trust = Trust::Baseline;
        }
    }
    if let Some(file) = &args.write_baseline {
        let text = baseline::write(file, &seen)?;
        return Ok(super::print(&text));
    }
    let text = match args.format {
        Format::Human => fit::for_stdout(&human::render(&seen, args.all, Style::of_stdout())),
        Format::Json => format!("{:#}", json::render(&seen)),
        Format::Sarif => format!("{:#}", sarif::render(&seen)),
    };
    let printed = super::print(&text);
    let fails = |item: &Judged| !item.trust.is_given() && item.severity >= args.fail_on.severity();
    if printed == ExitCode::SUCCESS && seen.items.iter().any(fails) {
        return Ok(ExitCode::from(1));
    }
    Ok(printed)
}

/// The machine as seen from the folder.
pub(super) fn machine(folder: &Path) -> Result<LocalMachine, CommandError> {
    let text = folder
        .to_str()
        .ok_or_else(|| CommandError::usage(format!("{} is not UTF-8", folder.display())))?;
    LocalMachine::at(Some(text))
}
