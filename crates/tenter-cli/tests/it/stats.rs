//! `tenter stats` from outside.
#![cfg(unix)]

use serde_json::{Value, json};
use tenter_audit::Spool;
use tenter_testkit::{Ran, Tenter};

use crate::common::Machine;

/// 2026-11-16 00:00:00 UTC.
const TODAY: u64 = 1_794_787_200_000;
const DAY: u64 = 86_400_000;

fn append(machine: &Machine, at: u64, host: &str, more: &Value) {
    let mut record = json!({
        "v": 1, "at": at, "level": "standard", "host": host, "event": "PreToolUse",
        "native_event": "preToolUse", "session_id": format!("{host}-session"),
        "us": { "policy": 80, "read": 40, "judge": 210, "answer": 9, "total": 640 },
    });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let spool = Spool::of_state(&machine.path("home/.local/state/tenterhook"));
    spool.append(record.to_string(), false).unwrap();
}

fn shell(command: &str) -> Value {
    json!({ "tool": "Bash", "actions": [{ "do": "shell", "command": command }] })
}

fn read(machine: &Machine, file: &str) -> Value {
    let home = machine.path("home").display().to_string();
    json!({ "tool": "Read", "actions": [{ "do": "read", "path": format!("{home}/{file}") }] })
}

/// Two weeks of three hosts, one of which goes silent.
fn filled() -> Machine {
    let machine = Machine::with(&[]);
    for day in (0..14_u64).rev() {
        let at = TODAY - day * DAY;
        for n in 0..(14 - day) {
            append(&machine, at + n, "cursor", &shell("git status"));
        }
        if day > 8 {
            append(&machine, at + 50, "codex", &read(&machine, "src/main.rs"));
        }
        if day % 3 == 0 {
            let mut denied = shell("git push --force origin main");
            denied["decision"] = json!("deny");
            denied["findings"] = json!([{ "rule": "destructive-git", "level": "deny" }]);
            denied["us"] = json!({ "judge": 900, "handlers": 1_500_000, "total": 1_600_000 });
            append(&machine, at + 60, "claude", &denied);
        }
    }
    let mut once = shell("git push --force origin topic");
    once["decision"] = json!("allow");
    once["allowed_once"] = json!(true);
    once["findings"] = json!([{ "rule": "destructive-git", "level": "deny" }]);
    append(&machine, TODAY + 100, "claude", &once);
    let mut asked = json!({ "tool": "MCP", "decision": "ask" });
    asked["findings"] = json!([{ "rule": "mcp\u{1b}[2J", "level": "ask" }]);
    append(&machine, TODAY + 101, "claude", &asked);
    machine
}

fn ran(machine: &Machine, arguments: &[&str]) -> Ran {
    let mut command = machine.command("stats");
    command.args(arguments).env("TZ", "UTC");
    Tenter::finish(command, "")
}

fn run(machine: &Machine, arguments: &[&str]) -> String {
    let ran = ran(machine, arguments);
    assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0), "{arguments:?}");
    ran.stdout
}

const SPAN: [&str; 4] = ["--since", "2026-11-01", "--until", "2026-11-17"];

#[test]
fn the_page_says_what_happened_and_what_did_not() {
    let wanted = "2026-11-01 to 2026-11-16: 117 events, 5 denied, 1 asked, 1 allowed once

host    events  deny  ask  once  by day
cursor     105     0    0     0  ▁▂▂▃▃▄▄▅▆▆▇▇██
claude       7     5    1     1  ·▃··▃··▃··▃··█
codex        5     0    0     0  █████·········

hook latency  phase        p50     p95     p99
claude        total      1.6 s   1.6 s   1.6 s
              policy      0 µs   80 µs   80 µs
              read        0 µs   40 µs   40 µs
              judge     900 µs  900 µs  900 µs
              handlers   1.5 s   1.5 s   1.5 s
              answer      0 µs    9 µs    9 µs
codex         total     640 µs  640 µs  640 µs
              policy     80 µs   80 µs   80 µs
              read       40 µs   40 µs   40 µs
              judge     210 µs  210 µs  210 µs
              answer      9 µs    9 µs    9 µs
cursor        total     640 µs  640 µs  640 µs
              policy     80 µs   80 µs   80 µs
              read       40 µs   40 µs   40 µs
              judge     210 µs  210 µs  210 µs
              answer      9 µs    9 µs    9 µs

commands
     105  git status
       6  git push

files
    5  ~/src/main.rs

once  rule that stopped what was then allowed once: a false alarm?
   1  destructive-git

codex has gone silent: last heard on 2026-11-07, others for 9 d 0 h after it
  `tenter doctor` finds out why
";
    assert_eq!(run(&filled(), &SPAN), wanted);
}

/// Validates against `tenter schema stats`.
fn assert_valid(value: &Value) {
    let schema = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&["schema", "stats"]);
    let schema: Value = serde_json::from_str(&Tenter::finish(schema, "").stdout).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    assert!(schema.is_valid(value), "{:?}: {value}", schema.validate(value));
}

#[test]
fn events_are_counted_by_what_is_asked_for() {
    let machine = filled();
    let by = |key: &str| {
        let text = run(&machine, &[&SPAN[..], &["--by", key]].concat());
        text.split("\n\n").nth(1).unwrap().to_owned()
    };
    let rule = "rule             events  deny  ask  once  by day
destructive-git       6     5    0     1  ·▄··▄··▄··▄··█
mcp\\u{1b}[2J          1     0    1     0  ·············█";
    assert_eq!(by("rule"), rule);
    let tool = "tool  events  deny  ask  once  by day
Bash     111     5    0     1  ▁▂▂▂▃▃▄▅▅▅▆▆▇█
Read       5     0    0     0  █████·········
MCP        1     0    1     0  ·············█";
    assert_eq!(by("tool"), tool);
    let session = "session         events  deny  ask  once  by day
cursor-session     105     0    0     0  ▁▂▂▃▃▄▄▅▆▆▇▇██
claude-session       7     5    1     1  ·▃··▃··▃··▃··█
codex-session        5     0    0     0  █████·········";
    assert_eq!(by("session"), session);
    let day = by("day");
    let mut lines = day.lines();
    assert_eq!(lines.next(), Some("day         events  deny  ask  once  share"));
    let bar = "█".repeat(40);
    assert_eq!(lines.next(), Some(&*format!("2026-11-16      17     1    1     1  {bar}")));
    assert_eq!(lines.clone().count(), 13);
    assert!(lines.next().unwrap().starts_with("2026-11-15      13 "), "the latest comes first");
}

#[test]
fn programs_get_the_same_figures() {
    let text = run(&filled(), &[&SPAN[..], &["--json"]].concat());
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_valid(&value);
    assert_eq!(
        (&value["events"], &value["denied"], &value["asked"], &value["allowed_once"]),
        (&json!(117), &json!(5), &json!(1), &json!(1))
    );
    assert_eq!(value["groups"][0]["name"], "cursor");
    assert_eq!(value["groups"][0]["days"][13], 14);
    assert_eq!(value["days"][13]["day"], "2026-11-16");
    assert_eq!(value["commands"][0], json!({ "command": "git status", "count": 105 }));
    assert_eq!(value["false_alarms"], json!([{ "rule": "destructive-git", "count": 1 }]));
    assert_eq!(value["silent"][0]["host"], "codex");
    let total = value["latency"].as_array().unwrap().iter().find(|it| it["phase"] == "total");
    assert_eq!(total.unwrap()["p99_us"], 1_600_000);
}

#[test]
fn an_empty_record_says_how_it_is_filled() {
    let machine = Machine::with(&[]);
    let text = run(&machine, &[]);
    assert!(text.starts_with("no records yet") && text.contains("tenter init"), "{text}");
    // Reading leaves nothing behind.
    assert!(!machine.path("home/.local/state/tenterhook").exists());
    let value: Value = serde_json::from_str(&run(&machine, &["--json"])).unwrap();
    assert_valid(&value);
    assert_eq!((&value["events"], &value["groups"]), (&json!(0), &json!([])));
}

#[test]
fn a_time_without_events_says_when_the_latest_was() {
    let text = run(&filled(), &["--since", "2026-01-01", "--until", "2026-02-01"]);
    let first = text.lines().next().unwrap();
    assert_eq!(first, "no events from 2026-01-01 to 2026-01-31; the latest is of 2026-11-16");
}

#[test]
fn a_wrong_key_is_a_matter_of_usage() {
    let ran = ran(&filled(), &["--by", "colour"]);
    assert_eq!((ran.stdout.as_str(), ran.exit), ("", 2));
}

#[test]
fn lost_records_are_said() {
    let machine = filled();
    std::fs::write(machine.path("home/.local/state/tenterhook/lost"), "00000000000000000007\n")
        .unwrap();
    append(&machine, TODAY + 200, "claude", &json!({}));
    let text = run(&machine, &SPAN);
    let last = text.lines().last().unwrap();
    assert_eq!(last, "7 calls have left no record, because it could not be written");
}

#[test]
fn a_damaged_index_is_made_anew() {
    let machine = filled();
    let first = run(&machine, &SPAN);
    let index = machine.path("home/.local/state/tenterhook/audit/index.sqlite");
    std::fs::write(&index, "this is no database, but it is long enough to look at".repeat(99))
        .unwrap();
    let ran = ran(&machine, &SPAN);
    assert_eq!((ran.stdout, ran.exit), (first, 0));
    assert!(
        ran.stderr.contains("the index was changed or damaged and is made anew"),
        "{}",
        ran.stderr
    );
}

#[test]
fn one_file_is_counted_under_one_name() {
    let machine = Machine::with(&[]);
    let home = machine.path("home").display().to_string();
    for path in
        [format!("{home}/shop/src/pay.ts"), "src/pay.ts".to_owned(), "./src/pay.ts".to_owned()]
    {
        let actions = json!([{ "do": "edit", "path": path, "edits": [] }]);
        let folder = format!("{home}/shop");
        append(
            &machine,
            TODAY,
            "codex",
            &json!({ "tool": "Edit", "cwd": folder, "actions": actions }),
        );
    }
    let text = run(&machine, &SPAN);
    assert!(text.contains("files\n    3  ~/shop/src/pay.ts\n"), "{text}");
}

#[test]
fn a_rule_that_only_notes_something_is_no_false_alarm() {
    let machine = Machine::with(&[]);
    let findings = json!([
        { "rule": "a/notes", "level": "log" },
        { "rule": "b/stops", "level": "ask" },
        { "rule": "c/excepted", "level": "deny", "excepted": "by a human" },
    ]);
    let once = json!({ "allowed_once": true, "findings": findings });
    append(&machine, TODAY, "claude", &once);
    append(
        &machine,
        TODAY + 1,
        "claude",
        &json!({ "allowed_once": true, "findings": [{ "rule": "a/notes", "level": "log" }] }),
    );
    let text = run(&machine, &[&SPAN[..], &["--json", "--by", "rule"]].concat());
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["false_alarms"], json!([{ "rule": "b/stops", "count": 1 }]));
    assert_eq!((&value["allowed_once"], value["groups"].as_array().unwrap().len()), (&json!(2), 3));
}

#[test]
fn a_time_that_ends_before_it_begins_is_a_matter_of_usage() {
    for (arguments, said) in [
        (
            &["--since", "2026-11-03", "--until", "2026-11-02"][..],
            "--since must be the earlier one",
        ),
        (&["--since", "2999-01-01"], "--since lies in the future"),
    ] {
        let ran = ran(&filled(), arguments);
        assert_eq!((ran.stdout.as_str(), ran.exit), ("", 2), "{arguments:?}");
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
}
