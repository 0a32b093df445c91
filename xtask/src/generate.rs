//! `cargo xtask gen`: regenerates committed files from the program's output.
//!
//! The tables and schemas in the repository are never edited by hand; CI fails when a committed copy differs
//! from the program's output.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::args::Args;
use crate::corpus;
use crate::diff::first_difference;
use crate::error::{Context, Error, Result};
use crate::process;
use crate::workspace::{Workspace, program};

/// A whole file that is the output of one command.
const FILES: &[(&str, &[&str])] = &[
    ("schemas/event.schema.json", &["schema", "event"]),
    ("schemas/response.schema.json", &["schema", "response"]),
    ("schemas/matrix.schema.json", &["schema", "matrix"]),
    ("schemas/outcome.schema.json", &["schema", "outcome"]),
    ("schemas/explain.schema.json", &["schema", "explain"]),
    ("schemas/check.schema.json", &["schema", "check"]),
    ("schemas/policy.schema.json", &["schema", "policy"]),
    ("schemas/record.schema.json", &["schema", "record"]),
    ("schemas/replay.schema.json", &["schema", "replay"]),
    ("schemas/sessions.schema.json", &["schema", "sessions"]),
    ("schemas/show.schema.json", &["schema", "show"]),
    ("schemas/stats.schema.json", &["schema", "stats"]),
    ("schemas/verify.schema.json", &["schema", "verify"]),
    ("schemas/prune.schema.json", &["schema", "prune"]),
    ("schemas/bench.schema.json", &["schema", "bench"]),
    ("schemas/mcp.schema.json", &["schema", "mcp"]),
    ("docs/effects.md", &["explain", "--effects", "--markdown"]),
    ("docs/guards.md", &["policy", "guards", "--markdown"]),
    ("docs/matrix.md", &["matrix", "--markdown"]),
    ("docs/lint.md", &["lint", "--list-rules", "--markdown"]),
    ("docs/doctor.md", &["doctor", "--list-checks", "--markdown"]),
];

/// A part of a file between `<!-- gen:NAME -->` and `<!-- /gen -->`.
const PARTS: &[(&str, &str, &[&str])] = &[
    ("README.md", "matrix", &["matrix", "--summary", "--markdown"]),
    ("docs/policy.md", "presets", &["policy", "presets", "--markdown"]),
];

const CLI_REFERENCE: &str = "docs/cli.md";

/// The subcommands in the order of the reference; the root command stands before them.
const COMMANDS: &[&str] = &[
    "init",
    "install",
    "uninstall",
    "status",
    "doctor",
    "prove",
    "scan",
    "trust",
    "harden",
    "hook",
    "check",
    "explain",
    "test",
    "policy",
    "allow",
    "log",
    "sessions",
    "show",
    "stats",
    "mcp",
    "replay",
    "export",
    "verify",
    "prune",
    "run",
    "fire",
    "serve",
    "lint",
    "bench",
    "demo",
    "matrix",
    "schema",
];

/// Width of help texts, independent of the terminal.
const WIDTH: &str = "100";

pub(crate) fn run(workspace: &Workspace, args: &mut Args) -> Result<()> {
    let only_check = args.flag("--check");
    args.finish()?;
    if only_check { check(workspace) } else { write(workspace) }
}

/// Fails when a committed file is not what the code prints.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let mut stale = Vec::new();
    let files = generate(workspace)?;
    for (path, wanted) in &files {
        let found = read(path).unwrap_or_default();
        if let Some(hint) = first_difference(&found, wanted) {
            println!("--- {0} (committed)\n+++ {0} (generated)\n{hint}", workspace.display(path));
            stale.push(workspace.display(path));
        }
    }
    if stale.is_empty() {
        println!("{} generated files are current", files.len());
        return Ok(());
    }
    Err(Error::new(format!("not current: {}; run `cargo xtask gen`", stale.join(", "))))
}

fn write(workspace: &Workspace) -> Result<()> {
    for (path, wanted) in generate(workspace)? {
        if read(&path).is_some_and(|found| found == wanted) {
            continue;
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).context(format!("making {}", folder.display()))?;
        }
        std::fs::write(&path, wanted).context(format!("writing {}", path.display()))?;
        println!("wrote {}", workspace.display(&path));
    }
    Ok(())
}

/// Every generated file with the text it should have.
fn generate(workspace: &Workspace) -> Result<Vec<(PathBuf, String)>> {
    process::run(workspace.cargo().args(["build", "--package", "tenter-cli"]))?;
    let binary = workspace.target.join("debug").join(program("tenter"));
    let mut files = Vec::new();
    for (path, args) in FILES {
        files.push((workspace.root.join(path), ending_in_newline(&capture(&binary, args)?)));
    }
    files.push((workspace.root.join(CLI_REFERENCE), cli_reference(&binary)?));
    files.push(detection(workspace, &binary)?);
    for (path, name, args) in PARTS {
        let path = workspace.root.join(path);
        let text = read(&path)
            .ok_or_else(|| Error::new(format!("{} is missing", workspace.display(&path))))?;
        let part = ending_in_newline(&capture(&binary, args)?);
        let text = replace_part(&text, name, &part).context(workspace.display(&path))?;
        files.push((path, text));
    }
    Ok(files)
}

/// The page on detection quality with the current table.
fn detection(workspace: &Workspace, binary: &Path) -> Result<(PathBuf, String)> {
    let path = workspace.root.join(corpus::PAGE);
    let text = read(&path)
        .ok_or_else(|| Error::new(format!("{} is missing", workspace.display(&path))))?;
    let page = corpus::between(&text, &corpus::markdown(workspace, binary)?)?;
    Ok((path, page))
}

fn cli_reference(binary: &Path) -> Result<String> {
    let mut parts = vec![String::from(
        "# Command line\n\n<!-- Printed by `tenter --help`; written by `cargo xtask gen`. -->\n",
    )];
    let root = std::iter::once(None);
    for command in root.chain(COMMANDS.iter().map(Some)) {
        let mut args: Vec<&str> = command.into_iter().copied().collect();
        let title = std::iter::once("tenter").chain(args.iter().copied());
        let title = title.collect::<Vec<_>>().join(" ");
        args.push("--help");
        let help = capture(binary, &args)?;
        parts.push(format!("## `{title}`\n\n```text\n{}\n```\n", help.trim_end()));
    }
    Ok(parts.join("\n"))
}

/// Runs the binary in an empty environment, so that the output is the same anywhere.
fn capture(binary: &Path, args: &[&str]) -> Result<String> {
    let mut command = Command::new(binary);
    command.args(args).env("COLUMNS", WIDTH).env("NO_COLOR", "1").stderr(Stdio::piped());
    // Trailing blanks belong to terminal layout, and editors remove them from files.
    let text = process::output(&mut command)?;
    Ok(text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"))
}

fn ending_in_newline(text: &str) -> String {
    format!("{}\n", text.trim_end())
}

/// A text file with Unix line endings, whatever the checkout did.
fn read(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.replace("\r\n", "\n"))
}

/// Replaces the text between the markers called `name`.
fn replace_part(text: &str, name: &str, part: &str) -> Result<String> {
    let open = format!("<!-- gen:{name} -->\n");
    let close = "<!-- /gen -->";
    let Some((before, rest)) = text.split_once(&open) else {
        return Err(Error::new(format!("no line `{}`", open.trim_end())));
    };
    if rest.contains(&open) {
        return Err(Error::new(format!("`{}` occurs twice", open.trim_end())));
    }
    let Some((_, after)) = rest.split_once(close) else {
        return Err(Error::new(format!("`{}` has no `{close}` after it", open.trim_end())));
    };
    Ok(format!("{before}{open}{part}{close}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "a\n<!-- gen:matrix -->\nold\n<!-- /gen -->\nz\n";

    #[test]
    fn only_the_part_between_the_markers_changes() {
        let page = replace_part(PAGE, "matrix", "| x |\n").unwrap();
        assert_eq!(page, "a\n<!-- gen:matrix -->\n| x |\n<!-- /gen -->\nz\n");
        assert_eq!(replace_part(&page, "matrix", "| x |\n").unwrap(), page);
    }

    #[test]
    fn each_part_keeps_to_its_own_markers() {
        let page = format!("<!-- gen:hosts -->\nh\n<!-- /gen -->\n{PAGE}");
        let page = replace_part(&page, "matrix", "m\n").unwrap();
        assert!(page.starts_with("<!-- gen:hosts -->\nh\n<!-- /gen -->\n"));
        assert!(page.contains("<!-- gen:matrix -->\nm\n<!-- /gen -->"));
    }

    #[test]
    fn broken_markers_are_named() {
        let fault = |text: &str| replace_part(text, "matrix", "x").unwrap_err().to_string();
        assert_eq!(fault("a"), "no line `<!-- gen:matrix -->`");
        assert!(fault("<!-- gen:matrix -->\nx").contains("has no `<!-- /gen -->`"));
        assert!(fault(&format!("{PAGE}{PAGE}")).contains("occurs twice"));
    }

    #[test]
    fn a_text_ends_in_exactly_one_newline() {
        assert_eq!(ending_in_newline("a"), "a\n");
        assert_eq!(ending_in_newline("a\n\n"), "a\n");
    }
}
