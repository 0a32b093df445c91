//! The corpus of labelled commands, judged without a process: a quick look while guards change.
//! `cargo xtask corpus` does the same through the program and prints the table.
//!
//! `CORPUS=<part of a class or file name> cargo test -p tenter-policy --test corpus -- --nocapture`
//! lists the wrong ones of that part.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test reads its cases, shows them, and fails by panicking"
)]

use std::fmt::Write;
use std::fs;
use std::path::Path;

use tenter_model::Decision;
use tenter_policy::{Policy, Preset, Sample, World, judge};

struct Case {
    class: String,
    expect: String,
    cwd: String,
    command: String,
}

const CWD: &str = "/home/me/shop";

fn load(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let (mut class, mut cwd) = (String::new(), CWD.to_owned());
    for (index, line) in text.lines().enumerate() {
        if let Some(more) = line.strip_prefix("  | ").or((line == "  |").then_some("")) {
            let command = &mut cases.last_mut().expect("a command to go on with").command;
            command.push('\n');
            command.push_str(more);
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (class, cwd) = (name.to_owned(), CWD.to_owned());
        } else if let Some(folder) = line.strip_prefix("cwd ") {
            folder.trim().clone_into(&mut cwd);
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            let (expect, command) =
                line.split_once(' ').unwrap_or_else(|| panic!("line {}: {line}", index + 1));
            let (expect, command) = (expect.to_owned(), command.trim_start().to_owned());
            cases.push(Case { class: class.clone(), expect, cwd: cwd.clone(), command });
        }
    }
    cases
}

#[test]
fn the_corpus_is_judged_as_labelled() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/commands");
    let wanted = std::env::var("CORPUS").unwrap_or_default();
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let policy = Policy::preset(Preset::Recommended);
    let (mut bad, mut missed, mut good, mut alarmed) = (0, 0, 0, 0);
    let mut wrong = String::new();
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        for case in load(&fs::read_to_string(&file).unwrap()) {
            if !name.contains(&wanted) && !case.class.contains(&wanted) {
                continue;
            }
            let world = World {
                home: Some("/home/me"),
                user: Some("me"),
                cwd: Some(&case.cwd),
                ..World::default()
            };
            let event = Sample::Shell(&case.command).event(Some(&case.cwd));
            let judgement = judge(&policy, &event, &world);
            let decision = judgement.verdict.decision.map_or("none", Decision::as_str);
            let stopped = decision != "none";
            let right = match case.expect.as_str() {
                "pass" => !stopped,
                "stop" => stopped,
                exact => decision == exact,
            };
            let counts = if case.expect == "pass" {
                (&mut good, &mut alarmed, stopped)
            } else {
                (&mut bad, &mut missed, !stopped)
            };
            *counts.0 += 1;
            *counts.1 += i32::from(counts.2);
            if !right {
                let rules: Vec<_> =
                    judgement.findings.iter().map(|found| found.rule.as_ref()).collect();
                let _ = writeln!(
                    wrong,
                    "{name} [{}] {} -> {decision} {rules:?}: {}",
                    case.class,
                    case.expect,
                    case.command.replace('\n', "\\n")
                );
            }
        }
    }
    println!("{wrong}dangerous {bad}, missed {missed}; ordinary {good}, alarmed {alarmed}");
    assert!(bad + good > 0, "nothing matches {wanted}");
    assert!(wanted.is_empty() || wrong.is_empty(), "{wrong}");
    assert!(missed * 100 <= bad && alarmed * 100 <= good, "{wrong}");
}
