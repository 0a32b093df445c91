//! Commands with the programs, effects and doubts they must come to; the files in `table/` hold
//! them, by construct and by tool.
//!
//! ```text
//! # anything
//! $ sudo rm -rf build
//! > second line of the command
//!   runs rm -rf build via sudo
//!   delete rm /shop/build certain recursive force
//! ```
//! After a command stand exactly its effects: kind, action, target (or `-`), certainty, then
//! `recursive`, `force`, `elsewhere` and `from KIND:NAME` for each source, and `unverified REASON`; `nothing`
//! where there are none. Lines that begin with `runs` give all programs, or are left out.
#![expect(clippy::disallowed_methods, reason = "the tables are files")]

use std::fmt::Write;
use std::path::Path;

use tenter_shell::{Analysis, Effect, Ran, Source, Surroundings, analyze};

struct Case {
    place: String,
    command: String,
    expected: Vec<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/table");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of tables")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let mut cases: Vec<Case> = Vec::new();
    for path in paths {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("a table");
        for (number, line) in text.lines().enumerate() {
            let place = format!("{name}:{}", number + 1);
            if let Some(command) = line.strip_prefix("$ ") {
                cases.push(Case { place, command: command.to_owned(), expected: Vec::new() });
            } else if let Some(more) = line.strip_prefix('>') {
                let case = cases.last_mut().unwrap_or_else(|| panic!("{place}: no command before"));
                case.command.push('\n');
                case.command.push_str(more.strip_prefix(' ').unwrap_or(more));
            } else if let Some(expected) = line.strip_prefix("  ") {
                let case = cases.last_mut().unwrap_or_else(|| panic!("{place}: no command before"));
                case.expected.push(expected.trim_end().to_owned());
            } else {
                assert!(
                    line.is_empty() || line.starts_with('#'),
                    "{place}: not understood: {line}"
                );
            }
        }
    }
    cases
}

fn runs(ran: &Ran) -> String {
    let mut line = String::from("runs");
    for field in &ran.argv {
        let shown = field.shown().replace('\n', "\\n");
        let quoted =
            if shown.is_empty() || shown.contains(' ') { format!("'{shown}'") } else { shown };
        write!(line, " {quoted}").expect("text");
    }
    if !ran.via.is_empty() {
        let names: Vec<&str> = ran.via.iter().map(|via| &*via.name).collect();
        write!(line, " via {}", names.join(" ")).expect("text");
    }
    match ran.cwd.as_deref() {
        Some("/shop") => {}
        Some(cwd) => write!(line, " in {cwd}").expect("text"),
        None => line.push_str(" in ?"),
    }
    line
}

fn effect(effect: &Effect) -> String {
    let target = effect.target.shown();
    let target = if target.is_empty() { "-".into() } else { target.replace('\n', "\\n") };
    let mut line =
        format!("{} {} {target} {}", effect.kind.name(), effect.action, effect.certainty.name());
    if effect.recursive {
        line.push_str(" recursive");
    }
    if effect.force {
        line.push_str(" force");
    }
    if effect.elsewhere {
        line.push_str(" elsewhere");
    }
    for source in effect.sources.sources() {
        match source {
            Source::Network(name) => write!(line, " from network:{name}"),
            Source::File(name) => write!(line, " from file:{name}"),
            Source::Variable(name) => write!(line, " from variable:{name}"),
            Source::Store(name) => write!(line, " from store:{name}"),
            Source::Program(name) => write!(line, " from program:{name}"),
            Source::Environment => write!(line, " from environment"),
            Source::Decoded => write!(line, " from decoded"),
            Source::Stdin => write!(line, " from stdin"),
        }
        .expect("text");
    }
    line
}

fn actual(analysis: &Analysis, with_runs: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if with_runs {
        lines.extend(analysis.commands.iter().map(runs));
    }
    lines.extend(analysis.effects.iter().map(effect));
    lines.extend(
        analysis.unverified.iter().map(|entry| format!("unverified {}", entry.reason.name())),
    );
    lines.sort();
    lines.dedup();
    lines
}

#[test]
fn every_command_of_the_table_does_what_the_table_says() {
    let world = Surroundings {
        cwd: Some("/shop"),
        home: Some("/home/me"),
        user: Some("me"),
        ..Surroundings::default()
    };
    let cases = cases();
    assert!(cases.len() >= 600, "only {} commands in the table", cases.len());
    let mut failures = String::new();
    let mut failed = 0;
    for case in &cases {
        assert!(
            !case.expected.is_empty(),
            "{}: nothing expected of `{}`",
            case.place,
            case.command
        );
        let with_runs = case.expected.iter().any(|line| line.starts_with("runs "));
        let analysis = analyze(&case.command, &world);
        let actual = actual(&analysis, with_runs);
        let mut expected: Vec<String> =
            case.expected.iter().filter(|line| *line != "nothing").cloned().collect();
        expected.sort();
        expected.dedup();
        if actual != expected {
            failed += 1;
            writeln!(failures, "{}: {}", case.place, case.command).expect("text");
            for line in expected.iter().filter(|line| !actual.contains(line)) {
                writeln!(failures, "    missing  {line}").expect("text");
            }
            for line in actual.iter().filter(|line| !expected.contains(line)) {
                writeln!(failures, "    too much {line}").expect("text");
            }
        }
    }
    assert!(failed == 0, "{failed} of {} commands differ:\n{failures}", cases.len());
}

#[test]
fn every_effect_is_said_by_words_of_the_command() {
    let world =
        Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
    for case in cases() {
        let analysis = analyze(&case.command, &world);
        for effect in &analysis.effects {
            let words = case.command.get(effect.span.range());
            assert!(
                words.is_some_and(|words| !words.trim().is_empty()),
                "{}: `{}`: {effect:?} has no words",
                case.place,
                case.command
            );
        }
    }
}
