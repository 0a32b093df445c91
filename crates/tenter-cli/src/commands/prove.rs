//! `tenter prove`: tests that hooks run and block.

mod page;
mod real;
mod rows;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use tenter_hosts::install;
use tenter_model::HostId;
use tenter_setup::Places;
use tenter_setup::survey::Survey;

use super::protection::Protection;
use super::which::{self, Hosts, Which};
use super::{Style, fit};
use crate::error::CommandError;
use rows::Row;

/// Show, host by host, that hooks fire and block
///
/// Sends canaries through the very command lines in the hosts' files, started as each host starts them: one call that
/// must be denied, one that must pass, failures, and a look at what the policy makes of `rm -rf /`, which is judged and
/// never run. Where Claude Code or Codex is installed and `tenter-server` lies beside this program, the real client is
/// driven too: in a folder of its own, without an account, against a scripted model on this machine. Exit 0: every wired
/// host is protected; 1: one is not, or only after you approve its hooks, or nothing is wired.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Only what is wired there
    #[arg(long, value_enum)]
    scope: Option<which::Scope>,
    /// Whether real clients are driven: where that can be done, never, or else it is an error
    #[arg(long, value_enum, default_value = "auto")]
    real: Real,
    /// The program of a client, such as `codex=/opt/codex/bin/codex`; else it is looked for
    #[arg(long, value_name = "HOST=PATH", value_parser = client)]
    client: Vec<(HostId, PathBuf)>,
    /// Print a JSON array, one object for each file that is wired
    #[arg(long)]
    json: bool,
}

/// Whether to drive real clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Real {
    Auto,
    Never,
    Always,
}

fn client(text: &str) -> Result<(HostId, PathBuf), CommandError> {
    let (host, path) =
        text.split_once('=').ok_or_else(|| CommandError::usage("write HOST=PATH"))?;
    let host = super::host_id(host).map_err(CommandError::usage)?;
    let path = std::path::absolute(path).map_err(CommandError::usage)?;
    Ok((host, path))
}

/// Selection of what to prove.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// The selected hosts; `None` for all.
    pub(crate) hosts: Option<Vec<HostId>>,
    pub(crate) scope: Option<install::Scope>,
    pub(crate) real: Real,
    pub(crate) clients: Vec<(HostId, PathBuf)>,
    /// Working folder of a client.
    pub(crate) cwd: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let places = args.which.places()?;
    let hosts = match &args.which.hosts {
        Hosts::Auto => None,
        Hosts::Listed(hosts) => Some(hosts.clone()),
    };
    let wanted = Wanted {
        hosts,
        scope: args.scope.map(Into::into),
        real: args.real,
        clients: args.client.clone(),
        cwd: args.which.folder(),
    };
    let survey = which::look(&places);
    let rows = rows::collect(&wanted, &survey, &places)?;
    let text = if args.json { page::json(&rows) } else { fit::for_stdout(&page::text(&rows)) };
    let printed = super::print(&text);
    if printed != ExitCode::SUCCESS {
        return Ok(printed);
    }
    Ok(ExitCode::from(u8::from(!holds(&rows))))
}

/// Whether something is installed and all of it protects.
fn holds(rows: &[Row]) -> bool {
    let counted = rows.iter().filter(|row| row.counts);
    rows.iter().any(|row| row.wired)
        && counted.map(|row| &row.state).all(|state| *state == Protection::Protected)
}

/// The proof as part of `tenter init`.
pub(crate) struct Summary {
    /// Text for people: one line for each host.
    pub(crate) text: String,
    pub(crate) json: serde_json::Value,
    /// Whether every host is protected, or will be once its user approves the hooks.
    pub(crate) is_done: bool,
}

pub(crate) fn summary(
    wanted: &Wanted,
    survey: &Survey,
    places: &Places,
) -> Result<Summary, CommandError> {
    let rows = rows::collect(wanted, survey, places)?;
    Ok(Summary {
        text: fit::for_stdout(&page::lines(&rows, Style::of_stdout())),
        json: serde_json::to_value(&rows).unwrap_or_default(),
        is_done: !rows.iter().any(|row| row.counts && matches!(row.state, Protection::No(_))),
    })
}
