//! `tenter sessions` from outside.
#![cfg(unix)]

use serde_json::{Value, json};
use tenter_audit::Spool;
use tenter_testkit::Tenter;

use crate::common::Machine;

/// 2026-11-16 13:48:14 UTC.
const NOON: u64 = 1_794_836_894_000;

fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

fn append(machine: &Machine, at: u64, session: &str, more: &Value) {
    let mut record = json!({
        "v": 1, "at": at, "level": "standard", "host": "claude", "event": "PreToolUse",
        "native_event": "PreToolUse", "session_id": session,
    });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let spool = Spool::of_state(&machine.path("home/.local/state/tenterhook"));
    spool.append(record.to_string(), false).unwrap();
}

fn filled() -> Machine {
    let machine = Machine::with(&[]);
    let home = machine.path("home").display().to_string();
    let folder = json!({ "cwd": format!("{home}/src/app"), "model": "opus-5" });
    append(&machine, NOON, "11111111-aaaa", &folder);
    append(
        &machine,
        NOON + 90_000,
        "11111111-aaaa",
        &json!({ "decision": "deny", "tool": "Bash" }),
    );
    let codex = json!({ "host": "codex", "cwd": "/srv", "decision": "ask" });
    append(&machine, NOON + 60_000, "11111111-bbbb", &codex);
    append(&machine, NOON + 95_000, "22222222-cccc", &json!({ "event": "Stop" }));
    machine
}

fn run(machine: &Machine, arguments: &[&str]) -> String {
    let mut command = machine.command("sessions");
    command.args(arguments).env("TZ", "UTC");
    let ran = Tenter::finish(command, "");
    assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0), "{arguments:?}");
    ran.stdout
}

#[test]
fn sessions_are_listed_by_a_prefix_of_their_own_the_latest_first() {
    let wanted = "  session       host    started           length    events  tools  deny  ask  model   folder
  22222222      claude  2026-11-16 13:49  -              1      0     0    0
  11111111-bbb  codex   2026-11-16 13:49  -              1      1     0    1          /srv
  11111111-aaa  claude  2026-11-16 13:48  1 m 30 s       2      2     1    0  opus-5  ~/src/app
";
    assert_eq!(run(&filled(), &[]), wanted);
}

#[test]
fn a_session_that_was_just_heard_is_marked_until_it_ends() {
    let machine = filled();
    append(&machine, now(), "33333333", &json!({}));
    append(&machine, now() - 299_000, "44444444", &json!({}));
    append(&machine, now() - 301_000, "55555555", &json!({}));
    append(&machine, now(), "66666666", &json!({}));
    append(&machine, now(), "66666666", &json!({ "event": "SessionEnd" }));
    let text = run(&machine, &["-n", "4"]);
    let marks: Vec<(&str, bool)> = text
        .lines()
        .skip(1)
        .map(|line| {
            (
                line.split_whitespace().find(|it| it.len() == 8).unwrap(),
                line.starts_with('\u{25cf}'),
            )
        })
        .collect();
    assert_eq!(
        marks,
        [("66666666", false), ("55555555", false), ("44444444", true), ("33333333", true)]
    );
}

#[test]
fn filters_and_json_say_the_same_sessions() {
    let machine = filled();
    let schema = Tenter::finish(machine.command("schema sessions"), "").stdout;
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let ids = |arguments: &[&str]| -> Vec<String> {
        let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        let text = run(&machine, &all);
        let id = |line: &str| -> String {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(schema.is_valid(&value), "{line}");
            value.get("id").and_then(Value::as_str).unwrap().to_owned()
        };
        text.lines().map(id).collect()
    };
    assert_eq!(ids(&[]), ["22222222-cccc", "11111111-bbbb", "11111111-aaaa"]);
    assert_eq!(ids(&["-n", "1"]), ["22222222-cccc"]);
    assert_eq!(ids(&["--host", "codex"]), ["11111111-bbbb"]);
    assert_eq!(ids(&["--since", "2026-11-16T13:49:44"]), ["22222222-cccc", "11111111-aaaa"]);
    assert_eq!(run(&machine, &["--host", "cursor"]), "no session fits\n");
    let text = run(&machine, &["--json", "--host", "codex"]);
    let value: Value = serde_json::from_str(&text).unwrap();
    let wanted = json!({
        "id": "11111111-bbbb", "host": "codex", "first_at": NOON + 60_000, "last_at": NOON + 60_000,
        "first_record": 3, "last_record": 3, "records": 1, "prompts": 0, "tools": 1, "denied": 0,
        "asked": 1, "model": null, "cwd": "/srv", "transcript_path": null, "live": false,
        "usage": { "input": 0, "output": 0, "cache_read": 0, "cache_write": 0 },
    });
    assert_eq!(value, wanted);
}

#[test]
fn an_empty_record_says_what_would_fill_it() {
    let machine = Machine::with(&[]);
    let said = run(&machine, &[]);
    assert!(said.contains("tenter init") && said.contains("tenter status"), "{said}");
    assert_eq!(run(&machine, &["--json"]), "");
}

#[test]
fn nothing_from_a_payload_reaches_the_terminal_as_a_command_to_it() {
    let machine = Machine::with(&[]);
    let evil = "x\u{1b}]0;owned\u{7}\u{202e}\u{9b}2J\r\ny";
    append(&machine, NOON, evil, &json!({ "host": evil, "cwd": evil, "model": evil }));
    let text = run(&machine, &[]);
    let acts = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
    assert_eq!(text.find(acts), None, "{text:?}");
    assert_eq!(text.lines().count(), 2);
}
