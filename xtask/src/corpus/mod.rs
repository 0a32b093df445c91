//! `cargo xtask corpus`: measures how many dangerous commands the guard stops, and how many ordinary ones it
//! leaves alone.
//!
//! The cases are in `crates/tenter-policy/corpus/commands`, written by hand; in addition, thousands of
//! ordinary commands are generated from templates. All go through `tenter check --jsonl` with the recommended
//! preset only, as for a fresh installation.

mod batch;
mod generate;
mod load;
mod report;
mod words;

use std::path::{Path, PathBuf};

use crate::args::Args;
use crate::error::{Context, Error, Result};
use crate::process;
use crate::workspace::{Workspace, program};

use self::batch::Answer;
use self::load::Case;
use self::report::{Alarms, Report};

const CASES: &str = "crates/tenter-policy/corpus/commands";

/// The page with the table, and its markers.
pub(crate) const PAGE: &str = "docs/detection.md";
const BEGIN: &str = "<!-- begin corpus -->\n";
const END: &str = "<!-- end corpus -->";

/// Number of generated commands, as stated in the target, and an arbitrary seed.
const COUNT: usize = 20_000;
const SEED: u64 = 1;

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    let all_wrong = args.flag("--wrong");
    let all_levels = args.flag("--levels");
    let seed = args.number("--seed", SEED)?;
    let count = args.number("--count", COUNT)?;
    let binary = args.value("--binary")?.map(PathBuf::from);
    args.finish()?;
    let binary = match binary {
        Some(binary) => absolute(&binary)?,
        None => build(workspace)?,
    };
    let (cases, answers) = written(workspace, &binary)?;
    let report = Report::new(&cases, &answers);
    print!("{}\n{}", report.table(), report.mistakes(all_wrong));
    print!("{}", report.levels(all_levels));
    let alarms = made(workspace, &binary, seed, count)?;
    print!("\n{}", alarms.text(all_wrong));
    let shortfalls: Vec<String> =
        report.shortfalls().into_iter().chain(alarms.shortfall()).collect();
    if shortfalls.is_empty() { Ok(()) } else { Err(Error::new(shortfalls.join("\n       "))) }
}

/// Fails when the guard is worse than promised; part of `cargo xtask test`.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    run(workspace, &mut Args::none())
}

/// The generated part of the page: the table, and a line about the generated commands.
pub(crate) fn markdown(workspace: &Workspace, binary: &Path) -> Result<String> {
    let (cases, answers) = written(workspace, binary)?;
    let alarms = made(workspace, binary, SEED, COUNT)?;
    Ok(format!("{}\n{}.\n", Report::new(&cases, &answers).markdown(), alarms.summary()))
}

/// The hand-written cases and their answers.
fn written(workspace: &Workspace, binary: &Path) -> Result<(Vec<Case>, Vec<Answer>)> {
    let cases = load::folder(&workspace.root.join(CASES))?;
    let questions: Vec<_> =
        cases.iter().map(|case| (case.command.as_str(), case.cwd.as_str())).collect();
    let answers = batch::ask(workspace, binary, &questions)?;
    Ok((cases, answers))
}

/// False alarms on generated ordinary commands.
fn made(workspace: &Workspace, binary: &Path, seed: u64, count: usize) -> Result<Alarms> {
    let templates = generate::templates()?;
    let made = generate::generate(&templates, seed, count)?;
    let folder = |it: &generate::Generated| {
        templates.get(it.template).map_or(load::WORKSPACE, |template| template.cwd.as_str())
    };
    let questions: Vec<_> = made.iter().map(|it| (it.command.as_str(), folder(it))).collect();
    let answers = batch::ask(workspace, binary, &questions)?;
    Ok(Alarms::new(templates, made.into_iter().zip(answers)))
}

/// The page with `part` between its markers.
pub(crate) fn between(page: &str, part: &str) -> Result<String> {
    let missing = |marker: &str| Error::new(format!("no line `{}`", marker.trim_end()));
    let (before, rest) = page.split_once(BEGIN).ok_or_else(|| missing(BEGIN))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    Ok(format!("{before}{BEGIN}{part}{END}{after}"))
}

fn build(workspace: &Workspace) -> Result<PathBuf> {
    let mut build = workspace.cargo();
    build.args(["build", "--locked", "--package", "tenter-cli"]);
    process::run(&mut build)?;
    Ok(workspace.target.join("debug").join(program("tenter")))
}

/// The batch runs in another folder, where a relative path would not work.
fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path).context(format!("`--binary {}`", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_between_the_markers_changes() {
        let page = format!("a\n{BEGIN}old\n{END}\nz\n");
        let new = between(&page, "| x |\n").unwrap();
        assert_eq!(new, format!("a\n{BEGIN}| x |\n{END}\nz\n"));
        assert_eq!(between(&new, "| x |\n").unwrap(), new);
        let fault = |page: &str| between(page, "x").unwrap_err().to_string();
        assert_eq!(fault("a"), "no line `<!-- begin corpus -->`");
        assert_eq!(fault(BEGIN), "no line `<!-- end corpus -->`");
    }
}
