//! Every event of every host with every kind of verdict, through the built binary: payload in, exact
//! stdout, stderr and exit code out.
#![cfg(unix)]

use std::fmt::Write;

use tenter_testkit::{Ran, Tenter, fixtures_of};

const VERDICTS: [(&str, &str); 7] = [
    ("none", ""),
    ("reason", r#"{"reason":"REASON"}"#),
    ("allow", r#"{"decision":"allow","reason":"REASON","user_message":"MESSAGE"}"#),
    ("deny", r#"{"decision":"deny","reason":"REASON","user_message":"MESSAGE"}"#),
    ("ask", r#"{"decision":"ask","reason":"REASON"}"#),
    ("modified_input", r#"{"modified_input":{"command":"REWRITTEN"}}"#),
    ("additional_context", r#"{"additional_context":"CONTEXT"}"#),
];

/// A handler that prints its argument as the verdict.
const HANDLER: [&str; 4] = ["sh", "-c", "cat >/dev/null; printf %s \"$1\"", "sh"];

fn story(host: &str) -> String {
    let tenter = Tenter::new(env!("CARGO_BIN_EXE_tenter"));
    // Where stops are counted.
    let home = tempfile::tempdir().unwrap();
    let mut story = String::new();
    let mut seen: Vec<String> = Vec::new();
    for fixture in fixtures_of(host) {
        // The first fixture of an event is a recorded one, if there is any.
        let event = fixture.event();
        if seen.contains(&event) {
            continue;
        }
        writeln!(story, "== {event} ({})", fixture.name).unwrap();
        for (name, verdict) in VERDICTS {
            let mut arguments = vec!["run", "--host", host, "--"];
            arguments.extend(HANDLER);
            arguments.push(verdict);
            let mut command = tenter.command(&arguments);
            command.env("HOME", home.path());
            let Ran { stdout, stderr, exit } = Tenter::finish(command, fixture.text.as_str());
            writeln!(story, "-- {name}: exit {exit}\n   {stdout}").unwrap();
            for line in stderr.lines() {
                writeln!(story, "   ! {line}").unwrap();
            }
        }
        seen.push(event);
    }
    story
}

#[test]
fn cursor() {
    insta::assert_snapshot!(story("cursor"));
}

#[test]
fn claude() {
    insta::assert_snapshot!(story("claude"));
}

#[test]
fn codex() {
    insta::assert_snapshot!(story("codex"));
}

#[test]
fn gemini() {
    insta::assert_snapshot!(story("gemini"));
}

#[test]
fn qwen() {
    insta::assert_snapshot!(story("qwen"));
}
