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

/// List what a folder would make agents, editors and git run, before you open it
///
/// Agent hooks, MCP servers, editor tasks, settings that run commands or skip permission prompts, git
/// hooks, and instructions with hidden characters; each with its scripts, the guard's findings and whether
/// you trust it. Runs nothing from the folder and follows nothing outside it. Exit 0: everything is
/// trusted; 1: findings; 2: usage error; 3: internal error. See docs/scan.md.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder [default: this one]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: Format,
    /// Also show trusted, unchanged items
    #[arg(long)]
    all: bool,
    /// Also scan dependency folders such as `node_modules`
    #[arg(long)]
    deep: bool,
    /// Minimum severity for exit 1
    #[arg(long, value_enum, value_name = "SEVERITY", default_value = "note")]
    fail_on: FailOn,
    /// Treat the items in this file as trusted; create it with `--write-baseline`
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the current findings, with their hashes, to this file
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
