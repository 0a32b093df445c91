//! `tenter hook`: the hot path as a host sees it.

use std::io::Write;
use std::time::{Duration, Instant};

use tenter_testkit::{Tenter, fixtures};

const SHELL: &str =
    r#"{"hook_event_name":"beforeShellExecution","cursor_version":"3.21.16","command":"ls"}"#;

const STOP: &str = r#"{"hook_event_name":"stop","cursor_version":"3.21.16","status":"completed"}"#;

fn tenter() -> Tenter {
    Tenter::new(env!("CARGO_BIN_EXE_tenter"))
}

/// The payloads with findings, and the expected part of the answer.
const STOPPED: &[(&str, &str)] = &[
    ("cursor/examples.jsonl:7", "destructive-git/force-push-shared"),
    ("cursor/examples.jsonl:9", "databases/all-rows"),
    // A `.env` file.
    ("cursor/examples.jsonl:11", "sensitive-files/environment-file"),
    ("claude/examples.jsonl:7", "destructive-git/force-push-shared"),
    ("codex/examples.jsonl:1", "infrastructure/publish"),
];

#[test]
fn every_recorded_payload_is_answered_neutrally_but_the_dangerous_ones() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        // A place for the record, so that stderr stays empty.
        let home = tempfile::tempdir().unwrap();
        let mut command = tenter().command(&["hook", &fixture.host]);
        command.env("HOME", home.path());
        let ran = Tenter::finish(command, fixture.text.as_str());
        let host = tenter_hosts::host(fixture.host.parse().unwrap());
        assert_eq!(ran.exit, 0, "{}", fixture.name);
        let right = match STOPPED.iter().find(|(name, _)| *name == fixture.name) {
            Some((_, rule)) => ran.stdout.contains(rule),
            None => ran.stdout == host.neutral(&fixture.event()) && ran.stderr.is_empty(),
        };
        if !right {
            wrong.push(format!("{}: {} {}", fixture.name, ran.stdout, ran.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn unknown_events_are_answered_neutrally() {
    for (host, neutral) in [("cursor", "{}"), ("claude", ""), ("codex", "")] {
        let ran =
            tenter().run(&["hook", host], r#"{"hook_event_name":"brandNew","x":[1,{"y":null}]}"#);
        assert_eq!((ran.stdout.as_str(), ran.exit), (neutral, 0), "{host}");
    }
}

#[test]
fn broken_input_fails_as_told() {
    for (host, event, neutral) in [
        ("cursor", "preToolUse", r#"{"permission":"allow"}"#),
        ("claude", "PreToolUse", ""),
        ("codex", "PreToolUse", ""),
    ] {
        let broken = format!(r#"{{"hook_event_name":"{event}","tool_input":"#);
        let open = tenter().run(&["hook", host, "--on-failure", "open"], broken.as_str());
        assert_eq!((open.stdout.as_str(), open.exit), (neutral, 0), "{host}");
        assert!(open.stderr.contains("line 1 column"), "{}", open.stderr);
        // The event's name was recognised, so it can be denied in the event's own format.
        let closed = tenter().run(&["hook", host, "--on-failure", "closed"], broken.as_str());
        assert_eq!(closed.exit, 0, "{host}");
        assert!(closed.stdout.contains(r#"":"deny""#), "{host}: {}", closed.stdout);
    }
    let request = r#"{"hook_event_name":"PermissionRequest","tool_input":"#;
    let closed = tenter().run(&["hook", "claude", "--on-failure", "closed"], request);
    assert!(closed.stdout.contains(r#""behavior":"deny""#), "exit 2 is ignored there");
    let hidden = r#"{"tool_input":{"hook_event_name":"stop","x":"cut"#;
    let closed = tenter().run(&["hook", "cursor", "--on-failure", "closed"], hidden);
    assert_eq!((closed.exit, closed.stdout.as_str()), (2, ""), "a nested name is somebody's text");
    let empty = tenter().run(&["hook", "codex", "--on-failure=closed"], "");
    assert_eq!(empty.exit, 2);
    assert!(empty.stderr.contains("stdin is empty"), "{}", empty.stderr);
}

#[test]
fn a_bug_of_ours_is_not_mistaken_for_approval() {
    let broken = |arguments: &[&str], payload: &str| {
        let mut command = tenter().command(arguments);
        command.env("TENTER_INJECT_FAULT", "panic");
        Tenter::finish(command, payload)
    };
    let closed = broken(&["hook", "cursor", "--on-failure", "closed"], SHELL);
    assert_eq!((closed.exit, closed.stdout.as_str()), (2, ""));
    assert!(closed.stderr.contains("internal error, please report it"), "{}", closed.stderr);
    let unsaid = broken(&["hook", "cursor"], SHELL);
    assert_eq!((unsaid.exit, unsaid.stdout.as_str()), (2, ""), "the policy's default is to ask");
    let open = broken(&["hook", "cursor", "--on-failure", "open"], SHELL);
    assert_eq!((open.exit, open.stdout.as_str()), (0, r#"{"permission":"allow"}"#));
    assert!(open.stderr.contains("internal error"));
    let stop = r#"{"hook_event_name":"stop","cursor_version":"3.21.16","status":"completed"}"#;
    let at_stop = broken(&["hook", "cursor", "--on-failure", "closed"], stop);
    assert_eq!((at_stop.exit, at_stop.stdout.as_str()), (0, "{}"));
}

#[test]
fn a_host_that_leaves_stdin_open_is_still_answered() {
    let mut child = tenter().command(&["hook", "cursor"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(SHELL.as_bytes()).unwrap();
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(String::from_utf8_lossy(&output.stdout), r#"{"permission":"allow"}"#);
    assert!(start.elapsed() < Duration::from_mins(1));
}

#[test]
fn codex_notify_comes_as_an_argument() {
    let note = r#"{"type":"agent-turn-complete","thread-id":"t","last-assistant-message":"bye"}"#;
    let home = tempfile::tempdir().unwrap();
    let mut command = tenter().command(&["hook", "codex", note]);
    command.env("HOME", home.path());
    let ran = Tenter::finish(command, "");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.exit), ("", "", 0));
    let ran = tenter().run(&["hook", "codex", r#"{"type":"something-new"}"#], "");
    assert_eq!((ran.stdout.as_str(), ran.exit), ("", 0));
}

#[test]
fn mistakes_in_the_wiring_are_told() {
    for (arguments, message) in [
        (
            vec!["hook", "emacs"],
            "unknown host `emacs`; known hosts: cursor, claude, codex, gemini, qwen",
        ),
        (vec!["hook", "--on-failure", "closed"], "the name of the host is missing"),
        (vec!["hook", "cursor", "--zzz"], "unknown option `--zzz`"),
        (vec!["hook", "cursor", "extra"], "unexpected argument `extra`"),
        (
            vec!["hook", "cursor", "--on-failure", "maybe"],
            "--on-failure: expected one of: open, closed, ask",
        ),
        (vec!["hook", "cursor", "--max-bytes"], "--max-bytes: a value is missing"),
    ] {
        // A misconfigured guard has failed, and must not look like approval.
        let ran = tenter().run(&arguments, SHELL);
        assert_eq!(ran.exit, 0, "{arguments:?}");
        assert!(ran.stdout.starts_with(r#"{"permission":"deny""#), "{arguments:?}: {}", ran.stdout);
        assert!(ran.stderr.contains(message), "{arguments:?}: {}", ran.stderr);
        let ran = tenter().run(&arguments, STOP);
        assert_eq!((ran.exit, ran.stdout.as_str()), (0, "{}"), "{arguments:?}");
        let ran = tenter().run(&arguments, "");
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{arguments:?}");
    }
    let nameless = tenter().run(&["hook", "emacs"], r#"{"hook_event_name":"PreToolUse"}"#);
    assert_eq!((nameless.exit, nameless.stdout.as_str()), (2, ""));
    assert!(nameless.stderr.contains("unknown host `emacs`"), "{}", nameless.stderr);
    let open = ["hook", "cursor", "--on-failure", "open", "--zzz"];
    let ran = tenter().run(&open, SHELL);
    assert_eq!((ran.exit, ran.stdout.as_str()), (0, r#"{"permission":"allow"}"#));
    let help = tenter().run(&["hook", "--help"], "");
    assert!(help.stdout.contains("Usage: tenter hook"), "{}", help.stdout);
}
