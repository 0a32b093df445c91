//! `tenter policy`: shows the effective policy, and checks policy files.

mod guards;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::json;
use tenter_engine::diagnostic::printable;
use tenter_policy::policy::{Problem, Severity, show};

use super::Style;
use crate::error::CommandError;
use crate::guard::policies::{self, PolicyFile};
use crate::guard::{LocalMachine, folders};

/// Show the policy in force, check its files, list the guards
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print the values of the policy in force here that differ from the presets, with their origin
    Show {
        /// The folder whose policies are looked for [default: this one]
        #[arg(long, value_name = "DIR")]
        cwd: Option<String>,
        /// Also every value that a preset or the program chose
        #[arg(long)]
        all: bool,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Check policy files for mistakes; exit 1 if one is invalid
    Check {
        /// The files [default: those that hold here]
        files: Vec<PathBuf>,
        /// Take a warning for a mistake
        #[arg(long)]
        strict: bool,
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// List the guards and checks, with their level in each preset
    Guards {
        /// Only this one, with its page
        guard: Option<String>,
        /// As docs/guards.md
        #[arg(long)]
        markdown: bool,
    },
    /// Print the level of each weight in each preset
    Presets {
        /// As the table in docs/policy.md
        #[arg(long)]
        markdown: bool,
    },
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    Ok(match &args.what {
        What::Show { cwd, all, json } => {
            show_policy(&LocalMachine::at(cwd.as_deref())?, *all, *json)
        }
        What::Check { files, strict, json } => check(&LocalMachine::read(), files, *strict, *json),
        What::Guards { guard, markdown } => {
            super::print(&guards::list(guard.as_deref(), *markdown)?)
        }
        What::Presets { markdown } => super::print(&guards::presets(*markdown)),
    })
}

fn found(machine: &LocalMachine) -> Vec<PolicyFile> {
    policies::find(&machine.folders, &machine.here())
}

fn show_policy(machine: &LocalMachine, all: bool, as_json: bool) -> ExitCode {
    let found = found(machine);
    let policy = policies::compile(&found);
    let lines = show::show(&policy);
    if as_json {
        let lines: Vec<_> = lines
            .iter()
            .map(|line| json!({ "section": line.section, "key": line.key, "value": line.value, "origin": line.origin }))
            .collect();
        return super::print(&format!("{:#}", json!(lines)));
    }
    let style = Style::of_stdout();
    let mut text = String::new();
    if found.is_empty() {
        text.push_str("no policy file; the preset `recommended` applies. Looked for:\n");
        for file in looked_for(machine) {
            let _ = writeln!(text, "  {}", printable(&file));
        }
    }
    for file in &found {
        let _ = writeln!(
            text,
            "{:8} {}",
            file.layer.as_str(),
            printable(&file.path.display().to_string())
        );
    }
    for told in found.iter().filter_map(PolicyFile::passed_over) {
        let _ = writeln!(text, "{}", style.paint("1;31", &printable(&told)));
    }
    for problem in &policy.broken {
        let _ = writeln!(
            text,
            "{} {}",
            style.paint("1;31", "not used:"),
            printable(&problem.to_string())
        );
    }
    let own = lines.iter().filter(|line| line.is_own);
    let (mut section, mut rest) = ("", Vec::new());
    if all {
        rest.extend(lines.iter().filter(|line| !line.is_own));
    }
    for line in own.chain(rest) {
        if line.section != section {
            section = line.section;
            let _ = writeln!(text, "\n{}", style.paint("1", &format!("[{section}]")));
        }
        let origin = style.paint("2", &printable(&line.origin));
        let _ =
            writeln!(text, "{:42} {:10}  {origin}", printable(&line.key), printable(&line.value));
    }
    if !all {
        text.push_str(&by_presets(&lines));
    }
    super::print(&text)
}

/// How many values no line of a file sets, by their origin.
fn by_presets(lines: &[show::Line]) -> String {
    let mut origins: Vec<(&str, usize)> = Vec::new();
    for line in lines.iter().filter(|line| !line.is_own) {
        match origins.iter_mut().find(|(origin, _)| *origin == line.origin) {
            Some((_, count)) => *count += 1,
            None => origins.push((&line.origin, 1)),
        }
    }
    let said: Vec<String> =
        origins.iter().map(|(origin, count)| format!("{count} by {}", printable(origin))).collect();
    format!("\nother values: {}; --all shows them\n", said.join(", "))
}

fn looked_for(machine: &LocalMachine) -> Vec<String> {
    let folders::Folders { config, managed, .. } = &machine.folders;
    let mut files = vec![managed.join(policies::FILE)];
    if let Some(config) = config {
        files.push(config.join("team").join(policies::FILE));
        files.push(config.join(policies::FILE));
    }
    if let Some(cwd) = &machine.cwd {
        files.extend(policies::PROJECT_FILES.map(|name| PathBuf::from(cwd).join(name)));
    }
    files.iter().map(|file| file.display().to_string()).collect()
}

fn check(machine: &LocalMachine, files: &[PathBuf], strict: bool, as_json: bool) -> ExitCode {
    let found = if files.is_empty() {
        found(machine)
    } else {
        files.iter().map(|file| policies::named_file(file)).collect()
    };
    // Named files are checked separately: they may be for different machines.
    let problems_of = |files: &[PolicyFile]| {
        let policy = policies::compile(files);
        let expired = show::expired(&policy, machine.now);
        policy.problems.into_iter().chain(expired)
    };
    let problems: Vec<Problem> = if files.is_empty() {
        problems_of(&found).collect()
    } else {
        found.iter().flat_map(|file| problems_of(std::slice::from_ref(file))).collect()
    };
    let wrong = problems.iter().any(|it| strict || it.severity == Severity::Error);
    let printed = if as_json {
        let list: Vec<_> = problems
            .iter()
            .map(|it| {
                let severity = if it.severity == Severity::Error { "error" } else { "warning" };
                json!({ "severity": severity, "layer": it.layer.as_str(), "file": it.file, "line": it.line, "column": it.column, "key": it.key, "message": it.message })
            })
            .collect();
        super::print(&format!("{:#}", json!(list)))
    } else {
        super::print(&report(&found, &problems, Style::of_stdout()))
    };
    if printed == ExitCode::SUCCESS && wrong { ExitCode::from(1) } else { printed }
}

fn report(found: &[PolicyFile], problems: &[Problem], style: Style) -> String {
    let mut text = String::new();
    for problem in problems {
        let word = match problem.severity {
            Severity::Error => style.paint("1;31", "error"),
            Severity::Warning => style.paint("1;33", "warning"),
        };
        let _ = writeln!(text, "{word}: {}", printable(&problem.to_string()));
    }
    if found.is_empty() {
        text.push_str("no policy file; the preset `recommended` applies\n");
    } else if problems.is_empty() {
        let _ = writeln!(
            text,
            "{} fine",
            if found.len() == 1 {
                "1 file is".to_owned()
            } else {
                format!("{} files are", found.len())
            }
        );
    }
    text
}
