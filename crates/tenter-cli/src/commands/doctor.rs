//! `tenter doctor`: diagnoses hooks that do not work.

pub(super) mod gather;
mod heartbeat;
mod render;

use std::process::ExitCode;

use tenter_setup::doctor::{self, Diagnosis, Exam, Facts, Mended, Repair, Selection};
use tenter_setup::survey::Survey;
use tenter_setup::{Places, files};

use super::which::{self, Hosts, Which};
use super::{Style, fit};
use crate::error::CommandError;
use crate::guard::human;
use crate::table::Table;

/// Diagnose hooks that are not running
///
/// Looks at the hook files of all hosts, the program they name, what switches hooks off, what Codex trusts, signs of
/// life, the policy and our own folders. Every finding says what it means and what to do. Exit 0: something is wired,
/// every guard protects and nothing is wrong; 1: otherwise. docs/doctor.md explains every check.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(crate) struct Args {
    #[command(flatten)]
    which: Which,
    /// Only this scope
    #[arg(long, value_enum)]
    scope: Option<which::Scope>,
    /// Fix what is safe to fix, and print the fixes
    #[arg(long)]
    fix: bool,
    /// With --fix, at a terminal: also take out entries of other tools whose program is gone
    #[arg(long, short, requires = "fix")]
    yes: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print the checks instead
    #[arg(long, conflicts_with_all = ["fix", "json", "scope"])]
    list_checks: bool,
    /// With --list-checks: the page that is in docs/doctor.md
    #[arg(long, requires = "list_checks")]
    markdown: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    if args.list_checks {
        let text = if args.markdown { doctor::markdown() } else { checks_table() };
        return Ok(super::print(&text));
    }
    examine(args, &args.which.places()?)
}

fn examine(args: &Args, places: &Places) -> Result<ExitCode, CommandError> {
    // Hold the lock from before the checks until after the fixes.
    let _lock = if args.fix {
        human::no_agent()?;
        if args.yes {
            human::present()?;
            human::may_loosen()?;
        }
        Some(files::lock(places).map_err(CommandError::failed)?)
    } else {
        None
    };
    let selection = selection(args);
    let mut sight = Sight::new(&args.which, places)?;
    let mut diagnosis = sight.diagnose(places, &selection);
    let mut mended = Vec::new();
    if args.fix {
        let exam = Exam::new(places, &sight.survey, &sight.facts);
        mended = doctor::mend(&exam, &diagnosis.findings, args.yes);
        sight = Sight::new(&args.which, places)?;
        diagnosis = sight.diagnose(places, &selection);
    }
    let view = render::View { diagnosis: &diagnosis, mended: &mended, facts: &sight.facts, places };
    let text = if args.json {
        format!("{:#}", view.json())
    } else {
        fit::for_stdout(&view.human(Style::of_stdout()))
    };
    let printed = super::print(&text);
    if printed != ExitCode::SUCCESS {
        return Ok(printed);
    }
    Ok(if is_well(&diagnosis, &mended) { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn is_well(diagnosis: &Diagnosis, mended: &[Mended]) -> bool {
    diagnosis.is_well() && mended.iter().all(|mended| mended.result.is_ok())
}

fn selection(args: &Args) -> Selection {
    let hosts = match &args.which.hosts {
        Hosts::Auto => Vec::new(),
        Hosts::Listed(hosts) => hosts.clone(),
    };
    Selection { hosts, scopes: args.scope.map(Into::into).into_iter().collect() }
}

/// Input of the report.
struct Sight {
    survey: Survey,
    facts: Facts,
}

impl Sight {
    fn new(which: &Which, places: &Places) -> Result<Self, CommandError> {
        let survey = which::look(places);
        let mut facts = gather::facts(which.folder().as_deref(), places, &survey)?;
        gather::send_canaries(&mut facts, places, &survey);
        Ok(Self { survey, facts })
    }

    fn diagnose(&self, places: &Places, selection: &Selection) -> Diagnosis {
        doctor::diagnose(&Exam::new(places, &self.survey, &self.facts), selection)
    }
}

fn checks_table() -> String {
    let mut table = Table::compact(&["check", "severity", "--fix", "what"]);
    for row in doctor::table_rows() {
        table.row(row.into());
    }
    table.render()
}

/// Whether `--fix` applies the repair, and whether it needs `--yes`.
fn by_itself(repair: Option<&Repair>) -> &'static str {
    match repair {
        None => "",
        Some(repair) if repair.is_safe() => "  # --fix does it",
        Some(_) => "  # --fix --yes takes the entry out",
    }
}
