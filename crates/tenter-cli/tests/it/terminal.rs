//! Set-up at a terminal: output, questions, and effect of the answers.
#![cfg(unix)]

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::common::Machine;

/// Runs a command at its own terminal with these answers typed ahead; returns output and exit code.
fn at_terminal(machine: &Machine, line: &str, answers: &str) -> (String, i32) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    let mut command = machine.command(line);
    command
        .stdin(Stdio::from(theirs.try_clone().unwrap()))
        .stdout(Stdio::from(theirs.try_clone().unwrap()))
        .stderr(Stdio::from(theirs))
        .env_remove("NO_COLOR")
        .env("TERM", "xterm");
    let mut ours = File::from(ours);
    ours.write_all(answers.as_bytes()).unwrap();
    let mut child = command.spawn().unwrap();
    drop(command);
    let (mut said, mut part) = (Vec::new(), [0; 4096]);
    // Reading fails once the other end is closed.
    while let Ok(count) = ours.read(&mut part) {
        if count == 0 {
            break;
        }
        said.extend_from_slice(part.get(..count).unwrap());
    }
    let exit = child.wait().unwrap().code().unwrap();
    let said = String::from_utf8(said).unwrap().replace("\r\n", "\n");
    (said.replace(&machine.top().display().to_string(), "@"), exit)
}

const SETTINGS: &str = "home/.claude/settings.json";

#[test]
fn a_human_chooses_the_hosts_and_agrees() {
    let machine = Machine::new();
    let (said, exit) = at_terminal(&machine, "install", "claude\ny\n");
    assert_eq!(exit, 0, "{said}");
    assert!(
        said.contains("Found cursor, claude, codex. Press Enter for all, or list some"),
        "{said}"
    );
    assert!(machine.path(SETTINGS).exists());
    assert!(!machine.path("home/.cursor").exists() && !machine.path("home/.codex").exists());
    // Enter selects the detected hosts; the plan is short.
    let machine = Machine::new();
    let (said, exit) = at_terminal(&machine, "install", "\ny\n");
    assert_eq!(exit, 0, "{said}");
    for host in [".cursor/hooks.json", ".claude/settings.json", ".codex/hooks.json"] {
        assert!(machine.path("home").join(host).exists(), "{host}: {said}");
    }
    assert!(said.contains("tenter hook claude` at PreToolUse, UserPromptSubmit, "), "{said}");
    assert!(said.contains("Wire them? [y/N, d: the diff of "), "{said}");
    assert!(!said.contains("+++ ") && said.lines().count() < 36, "{said}");
}

#[test]
fn the_diff_is_there_for_who_wants_it() {
    let machine = Machine::new();
    let before = machine.files();
    let (said, exit) = at_terminal(&machine, "install --hosts claude", "d\nn\n");
    assert_eq!(exit, 1, "{said}");
    assert!(said.contains("\u{1b}[32m+++ @/home/.claude/settings.json"), "{said}");
    // Typed-ahead input is echoed at the top.
    assert!(said.ends_with("Wire them? [y/N] tenter install: nothing was changed\n"), "{said}");
    assert_eq!(machine.files(), before);
    // A short diff is shown at once.
    let (said, _) = at_terminal(&machine, "install --hosts claude --events PreToolUse", "n\n");
    assert!(said.contains("+++ @/home/.claude/settings.json"), "{said}");
    assert!(said.contains("Wire them? [y/N] "), "{said}");
}

#[test]
fn anything_but_a_yes_changes_nothing() {
    let machine = Machine::new();
    let before = machine.files();
    // The last one is the end of input.
    for answers in ["\n\n", "\nn\n", "\nyn\n", "\nq\n", "\u{4}\u{4}"] {
        let (said, exit) = at_terminal(&machine, "install", answers);
        assert_eq!((exit, machine.files()), (1, before.clone()), "{answers:?}: {said}");
        assert!(said.contains("nothing was changed"), "{answers:?}: {said}");
    }
    let (said, exit) = at_terminal(&machine, "install", "emacs\ny\n");
    assert_eq!((exit, machine.files()), (1, before), "{said}");
    assert!(said.contains("`emacs`"), "{said}");
}

#[test]
fn a_first_run_ends_with_a_proof_and_what_to_know_next() {
    let machine = Machine::with(&[("claude", "2.1.325 (Claude Code)")]);
    let (said, exit) = at_terminal(&machine, "init", "\ny\n");
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("Make these changes? [y/N, d: the diff of "), "{said}");
    let next = said.split("Next:").nth(1).unwrap();
    assert_eq!(next.matches("  tenter ").count(), 3, "{said}");
    assert!(
        next.contains("\nClaude Code  ") && next.contains("protected"),
        "init ends with the state: {said}"
    );
    assert!(said.lines().count() < 30, "{said}");
    let (said, exit) = at_terminal(&machine, "uninstall", "y\n");
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("Take tenter out of them? [y/N, d: "), "{said}");
    assert!(!machine.path(SETTINGS).exists());
}

#[test]
fn an_exception_of_ones_own_is_no_tampering() {
    let machine = Machine::with(&[("claude", "2.1.325 (Claude Code)")]);
    let (said, exit) = at_terminal(&machine, "init", "\ny\n");
    assert_eq!(exit, 0, "{said}");
    let allow = "allow rule destructive-git/drop-stash --reason mine";
    let (said, exit) = at_terminal(&machine, allow, "y\n");
    assert_eq!(exit, 0, "{said}");
    let call = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/srv","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_1"}"#;
    tenter_testkit::Tenter::finish(machine.command("hook claude"), call);
    let log = machine.run("log --json").stdout;
    assert!(log.contains("\"PreToolUse\"") && !log.contains("tampering"), "{log}");
    // A change by others is still noticed.
    let policy = machine.path("home/.config/tenterhook/policy.toml");
    let text = std::fs::read_to_string(&policy).unwrap();
    std::fs::write(&policy, format!("{text}\n# by hand\n")).unwrap();
    tenter_testkit::Tenter::finish(machine.command("hook claude"), call);
    assert!(machine.run("log --json").stdout.contains("tampering"));
}
