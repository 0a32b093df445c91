//! `hook`, `check`, `explain` and `test` give the same verdict on every command of the corpus.

use std::fmt::Write;
use std::fs;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;
use tenter_testkit::{Case, Tenter, corpus};

fn run(arguments: &[&str], stdin: String) -> tenter_testkit::Ran {
    // The home of the cases does not exist and must not be created by the hook.
    static STATE: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
    let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(arguments);
    command.env("HOME", "/home/me").env("USER", "me").current_dir("/");
    command.env("XDG_STATE_HOME", STATE.path()).env("XDG_CACHE_HOME", STATE.path());
    Tenter::finish(command, stdin)
}

/// Output of `check --jsonl` for all of them.
fn checked(cases: &[Case]) -> Vec<String> {
    let mut lines = String::new();
    for (id, case) in cases.iter().enumerate() {
        let line = json!({ "id": id, "command": case.command, "cwd": case.cwd });
        writeln!(lines, "{line}").unwrap();
    }
    let ran = run(&["check", "--jsonl"], lines);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let answers: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), cases.len());
    answers
        .iter()
        .enumerate()
        .map(|(id, answer)| {
            assert_eq!(answer["id"], id);
            answer["decision"].as_str().unwrap().to_owned()
        })
        .collect()
}

fn hooked(case: &Case) -> String {
    let payload = json!({
        "hook_event_name": "PreToolUse", "session_id": "", "cwd": case.cwd, "tool_name": "Bash",
        "tool_input": { "command": case.command }, "tool_use_id": "toolu_1",
    });
    let ran = run(&["hook", "claude"], payload.to_string());
    assert_eq!(ran.exit, 0, "{}: {}", case.command, ran.stderr);
    if ran.stdout.is_empty() {
        return "none".to_owned();
    }
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap().to_owned()
}

fn explained(case: &Case) -> String {
    let ran = run(&["explain", "--json", "--stdin", "--cwd", &case.cwd], case.command.clone());
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    answer["verdict"]["decision"].as_str().unwrap().to_owned()
}

#[test]
fn hook_check_and_explain_agree_on_the_whole_corpus() {
    let cases = corpus();
    let checked = checked(&cases);
    assert!(checked.iter().any(|it| it == "deny") && checked.iter().any(|it| it == "none"));
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, std::num::NonZero::get) {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let index = cases.iter().position(|it| std::ptr::eq(it, case)).unwrap();
                    assert_eq!(hooked(case), checked[index], "hook: {}", case.command);
                    assert_eq!(explained(case), checked[index], "explain: {}", case.command);
                }
            });
        }
    });
}

#[test]
fn test_agrees_with_check_on_the_whole_corpus() {
    let cases = corpus();
    let checked = checked(&cases);
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("preset = \"recommended\"\n");
    for (case, decision) in cases.iter().zip(checked) {
        let (command, cwd) = (toml_string(&case.command), toml_string(&case.cwd));
        writeln!(text, "[[test]]\nshell = {command}\ncwd = {cwd}\nexpect = \"{decision}\"")
            .unwrap();
    }
    let file = folder.path().join("corpus.tenter-test.toml");
    fs::write(&file, text).unwrap();
    let ran = run(&["test", file.to_str().unwrap()], String::new());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains(&format!("{} passed", cases.len())), "{}", ran.stdout);
}

fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            character if character.is_control() => {
                write!(out, "\\u{:04X}", u32::from(character)).unwrap();
            }
            character => out.push(character),
        }
    }
    out + "\""
}
