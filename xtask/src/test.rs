//! `cargo xtask test`: all CI steps in order, stopping at the first failure.

use std::time::Instant;

use crate::args::Args;
use crate::error::{Error, Result};
#[cfg(unix)]
use crate::storm;
use crate::workspace::Workspace;
use crate::{bench, corpus, dist, fuzz, generate, process, smoke, tidy, tools};

/// Result of a step that did not fail.
enum Outcome {
    Passed,
    /// Skipped, with the reason, which is reported so that it is not taken for a pass.
    NotDone(String),
}

struct Step {
    name: &'static str,
    what: &'static str,
    run: fn(&Workspace) -> Result<Outcome>,
}

const STEPS: &[Step] = &[
    Step { name: "tools", what: "what the tests need beside cargo", run: prepare },
    Step { name: "fmt", what: "formatting", run: fmt },
    Step { name: "clippy", what: "no warnings in any target", run: clippy },
    Step { name: "test", what: "every test, doctests included", run: test },
    Step { name: "host", what: "a host that does not exist, end to end", run: invented_host },
    Step { name: "doc", what: "documentation without warnings", run: doc },
    Step { name: "corpus", what: "misses and false alarms of the guard", run: corpus_check },
    Step { name: "gen", what: "generated files are current", run: gen_check },
    Step { name: "tidy", what: "budgets, dependency rules, layout", run: check_tidy },
    Step { name: "windows", what: "the Windows target compiles", run: windows },
    Step { name: "dist", what: "the release binary is static and answers", run: release },
    Step { name: "storm", what: "the release binary in a hostile world", run: storm },
    Step { name: "counts", what: "instructions of a hook call, within 5%", run: counts },
    Step { name: "fuzz", what: "a short run of every fuzz target", run: short_fuzz },
];

/// Long enough to replay every seed and find shallow faults, short enough for every push.
const FUZZ_SECONDS: u32 = 10;

/// Enough for some thousand calls; `cargo xtask storm` runs as long as requested.
#[cfg(unix)]
const STORM_SECONDS: u64 = 30;

/// Fixed random seed: the same commit gets the same result. `cargo test` and `cargo xtask fuzz` draw fresh
/// seeds.
const SEED: u32 = 20_261;

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    let only = args.values("--only")?;
    let list = args.flag("--list");
    args.finish()?;
    if list {
        for step in STEPS {
            println!("{:<8} {}", step.name, step.what);
        }
        return Ok(());
    }
    if let Some(unknown) = only.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        return Err(Error::new(format!(
            "no step `{unknown}`; `cargo xtask test --list` names them"
        )));
    }
    let chosen = |step: &&Step| only.is_empty() || only.iter().any(|name| name == step.name);
    run_steps(workspace, STEPS.iter().filter(chosen))
}

fn run_steps<'a>(workspace: &Workspace, steps: impl Iterator<Item = &'a Step>) -> Result<()> {
    let start = Instant::now();
    let mut passed = Vec::new();
    let mut not_done = Vec::new();
    for step in steps {
        println!("\n==> {}: {}", step.name, step.what);
        let begun = Instant::now();
        match (step.run)(workspace) {
            Ok(Outcome::Passed) => {
                println!("<== {} passed in {:.1} s", step.name, begun.elapsed().as_secs_f64());
                passed.push(step.name);
            }
            Ok(Outcome::NotDone(why)) => {
                println!("<== {} check not done: {why}", step.name);
                not_done.push(step.name);
            }
            Err(error) => {
                return Err(Error::new(format!(
                    "step `{0}` failed: {error}\nRun it alone with `cargo xtask test --only {0}`.",
                    step.name
                )));
            }
        }
    }
    println!("\n{}", summary(&passed, &not_done, start.elapsed().as_secs_f64()));
    Ok(())
}

fn summary(passed: &[&str], not_done: &[&str], seconds: f64) -> String {
    let mut line = format!("{} passed in {seconds:.1} s: {}", count(passed), passed.join(", "));
    if !not_done.is_empty() {
        line = format!("{line}; NOT done: {}", not_done.join(", "));
    }
    line
}

fn count(steps: &[&str]) -> String {
    if steps.len() == 1 { "1 step".to_owned() } else { format!("{} steps", steps.len()) }
}

/// A separate build: the invented host never ships.
fn invented_host(workspace: &Workspace) -> Result<Outcome> {
    let mut test = workspace.cargo();
    test.args(["test", "-p", "tenter-cli", "--features", "invented-host", "--test", "invented"]);
    process::run(&mut test).map(|()| Outcome::Passed)
}

fn prepare(workspace: &Workspace) -> Result<Outcome> {
    tools::prepare(workspace).map(|()| Outcome::Passed)
}

fn corpus_check(workspace: &Workspace) -> Result<Outcome> {
    corpus::check(workspace).map(|()| Outcome::Passed)
}

fn counts(workspace: &Workspace) -> Result<Outcome> {
    if cfg!(not(target_os = "linux")) {
        return Ok(Outcome::NotDone("the committed counts are of the Linux release".to_owned()));
    }
    bench::check_counts(workspace).map(|()| Outcome::Passed)
}

fn fmt(workspace: &Workspace) -> Result<Outcome> {
    process::run(workspace.cargo().args(["fmt", "--all", "--check"]))?;
    // The fuzz targets are a separate workspace, which `--all` does not include.
    let mut fuzz = workspace.cargo();
    fuzz.args(["fmt", "--manifest-path", fuzz::MANIFEST, "--check"]);
    process::run(&mut fuzz).map(|()| Outcome::Passed)
}

fn clippy(workspace: &Workspace) -> Result<Outcome> {
    let mut clippy = workspace.cargo();
    clippy.args(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]);
    clippy.env("CARGO_INCREMENTAL", "0");
    process::run(&mut clippy).map(|()| Outcome::Passed)
}

fn test(workspace: &Workspace) -> Result<Outcome> {
    let mut test = workspace.cargo();
    test.args(["test", "--workspace"]).env("PATH", tools::test_path(workspace)?);
    // A mismatching snapshot fails here and never creates a new file.
    test.env("INSTA_UPDATE", "no");
    test.env("PROPTEST_RNG_SEED", SEED.to_string());
    // Incremental data would only fill the disk of a CI machine.
    test.env("CARGO_INCREMENTAL", "0");
    process::run(&mut test).map(|()| Outcome::Passed)
}

fn doc(workspace: &Workspace) -> Result<Outcome> {
    let mut doc = workspace.cargo();
    doc.args(["doc", "--workspace", "--no-deps", "--document-private-items"]);
    process::run(doc.env("RUSTDOCFLAGS", "-D warnings")).map(|()| Outcome::Passed)
}

fn gen_check(workspace: &Workspace) -> Result<Outcome> {
    generate::check(workspace).map(|()| Outcome::Passed)
}

fn check_tidy(workspace: &Workspace) -> Result<Outcome> {
    tidy::check(workspace).map(|()| Outcome::Passed)
}

fn windows(workspace: &Workspace) -> Result<Outcome> {
    if let Err(why) = tools::target(workspace, tools::WINDOWS) {
        return Ok(Outcome::NotDone(why.to_string()));
    }
    let mut check = workspace.cargo();
    check.args(["check", "--workspace", "--all-targets", "--target", tools::WINDOWS]);
    // Warnings are errors here too: Windows-only code is compiled by no other step.
    check.env("RUSTFLAGS", "-D warnings");
    process::run(&mut check).map(|()| Outcome::Passed)
}

fn release(workspace: &Workspace) -> Result<Outcome> {
    let release = dist::build(workspace)?;
    println!("{}", release.description);
    smoke::check(workspace, &release.binary).map(|()| Outcome::Passed)
}

#[cfg(unix)]
fn storm(workspace: &Workspace) -> Result<Outcome> {
    let release = dist::build(workspace)?;
    storm::weather(&release.binary, STORM_SECONDS, SEED.into()).map(|()| Outcome::Passed)
}

#[cfg(not(unix))]
fn storm(_: &Workspace) -> Result<Outcome> {
    Ok(Outcome::NotDone("pipes, links and limits are set up for Unix only".to_owned()))
}

fn short_fuzz(workspace: &Workspace) -> Result<Outcome> {
    if cfg!(windows) {
        return Ok(Outcome::NotDone("libFuzzer is not set up for Windows hosts".to_owned()));
    }
    fuzz::fuzz(workspace, fuzz::TARGETS, FUZZ_SECONDS, Some(SEED)).map(|()| Outcome::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_does_not_hide_what_was_not_done() {
        assert_eq!(summary(&["fmt"], &[], 1.25), "1 step passed in 1.2 s: fmt");
        assert_eq!(
            summary(&["fmt", "test"], &["windows"], 60.0),
            "2 steps passed in 60.0 s: fmt, test; NOT done: windows"
        );
    }

    #[test]
    fn step_names_are_unique() {
        let mut names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), STEPS.len());
    }
}
