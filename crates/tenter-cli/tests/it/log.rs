//! `tenter log` from outside: lines, filters, formats, one record in full, and following.
#![cfg(unix)]

mod calls;
mod window;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_audit::Spool;
use tenter_testkit::Tenter;

use crate::common::Machine;

/// 2026-11-16 13:48:14 UTC.
const NOON: u64 = 1_794_836_894_000;
const CLAUDE: &str = "9f0c1d2e-1111-4222-8333-444455556666";
const CODEX: &str = "019a8f3e-1b2c-7abc-8333-444455556666";

fn spool(machine: &Machine) -> Spool {
    Spool::of_state(&machine.path("home/.local/state/tenterhook"))
}

fn append(machine: &Machine, record: &Value) -> u64 {
    spool(machine).append(record.to_string(), false).unwrap().seq
}

/// A record with some fields set.
fn record(at: u64, more: &Value) -> Value {
    let mut record = json!({
        "v": 1, "at": at, "level": "standard", "host": "claude", "event": "PreToolUse",
        "native_event": "PreToolUse", "session_id": CLAUDE, "enforcement": "none",
    });
    let fields = record.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    record
}

fn shell(at: u64, command: &str, more: &Value) -> Value {
    let mut with = json!({
        "tool": "Bash", "call_id": format!("call {command}"),
        "actions": [{ "do": "shell", "command": command }],
    });
    with.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record(at, &with)
}

fn denied(at: u64, command: &str, words: (u64, u64)) -> Value {
    shell(
        at,
        command,
        &json!({
            "decision": "deny", "enforcement": "hard", "code": "ABCD-EFGH", "cwd": "/code/x",
            "verdict": { "decision": "deny", "reason": "git reset would lose work" },
            "findings": [{
                "rule": "destructive-git/discard-changes", "level": "deny", "what": "loses work",
                "span": words, "instead": "git stash",
            }],
            "us": { "policy": 120, "read": 80, "judge": 310, "answer": 40, "total": 560 },
        }),
    )
}

/// A day and a half of two agents.
fn filled() -> Machine {
    let machine = Machine::with(&[]);
    let day = 24 * 60 * 60 * 1000;
    let codex = json!({ "host": "codex", "session_id": CODEX });
    let codex_with = |more: Value| {
        let mut all = codex.clone();
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    };
    let prompt = json!({ "event": "UserPromptSubmit", "native_event": "UserPromptSubmit", "prompt": "tidy\nup" });
    for record in [
        record(NOON - day, &prompt),
        shell(NOON - day + 1000, "ls -la", &json!({})),
        denied(NOON, "cd x && git reset --hard HEAD~3", (8, 24)),
        shell(
            NOON + 1500,
            "git status",
            &json!({ "event": "PostToolUse", "native_event": "PostToolUse", "exit_code": 1 }),
        ),
        record(
            NOON + 2000,
            &codex_with(json!({
                "tool": "Edit", "native_tool": "apply_patch", "decision": "deny", "enforcement": "advisory",
                "verdict": { "decision": "deny" },
                "actions": [{ "do": "edit", "path": "/code/x/.env", "edits": [{ "old": "a", "new": "b" }] }],
                "findings": [
                    { "rule": "secrets/file", "level": "deny", "subject": "/code/x/.env" },
                    { "rule": "secrets/file", "level": "log" },
                    { "rule": "house-rule", "level": "log" },
                ],
            })),
        ),
        record(NOON + 3000, &codex_with(json!({ "event": "Other", "native_event": "Späher" }))),
    ] {
        append(&machine, &record);
    }
    machine
}

fn command(machine: &Machine, arguments: &[&str]) -> Command {
    let mut command = machine.command("log");
    command.args(arguments).env("TZ", "UTC");
    command
}

fn run(machine: &Machine, arguments: &[&str]) -> String {
    let ran = Tenter::finish(command(machine, arguments), "");
    assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0), "{arguments:?}");
    ran.stdout
}

/// The message for wrong arguments.
fn refused(machine: &Machine, arguments: &[&str]) -> String {
    let ran = Tenter::finish(command(machine, arguments), "");
    assert_eq!((ran.stdout.as_str(), ran.exit), ("", 2), "{arguments:?}");
    ran.stderr
}

/// The numbers of the records shown.
fn numbers(machine: &Machine, arguments: &[&str]) -> Vec<u64> {
    let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let text = run(machine, &all);
    text.lines().map(number).collect()
}

fn number(line: &str) -> u64 {
    let value: Value = serde_json::from_str(line).unwrap();
    value.get("seq").and_then(Value::as_u64).unwrap()
}

#[test]
fn lines_are_aligned_under_their_day_and_uncut_without_a_terminal() {
    let wanted = "\
2026-11-15
1  13:48:14  claude  9f0c1d2e       prompt     none             tidy\\nup
2  13:48:15  claude  9f0c1d2e       pre Bash   none             ls -la
2026-11-16
3  13:48:14  claude  9f0c1d2e       pre Bash   deny             cd x && git reset --hard HEAD~3  destructive-git/discard-changes
4  13:48:15  claude  9f0c1d2e       post Bash  none             git status  [exit 1]
5  13:48:16  codex   019a8f3e-1b2c  pre Edit   deny (advisory)  /code/x/.env  secrets/file house-rule
6  13:48:17  codex   019a8f3e-1b2c  Späher     none
";
    assert_eq!(run(&filled(), &[]), wanted);
}

#[test]
fn the_time_is_that_of_the_reader() {
    let machine = filled();
    let mut command =
        machine.command("log --since 2026-11-16T22:48:16 --until 2026-11-16T13:48:17Z");
    command.env("TZ", "JST-9");
    let ran = Tenter::finish(command, "");
    let wanted = "2026-11-16\n5  22:48:16  codex   019a8f3e-1b2c  pre Edit  deny (advisory)  \
                  /code/x/.env  secrets/file house-rule\n";
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.exit), (wanted, "", 0));
}

#[test]
fn the_latest_are_shown_and_the_others_mentioned() {
    let machine = filled();
    let text = run(&machine, &["-n", "1"]);
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap(), "earlier records are left out; `-n` shows more");
    assert_eq!(lines.count(), 2);
    assert_eq!(numbers(&machine, &["-n", "2"]), [5, 6]);
    assert_eq!(numbers(&machine, &["-n", "6"]), [1, 2, 3, 4, 5, 6]);
    assert!(!run(&machine, &["-n", "6"]).contains("left out"));
    assert_eq!(numbers(&machine, &["-n", "all"]), [1, 2, 3, 4, 5, 6]);
    assert_eq!(run(&machine, &["-n", "0", "--json"]), "");
    assert!(refused(&machine, &["-n", "some"]).contains("expected a number or `all`"));
}

#[test]
fn every_filter_keeps_what_fits() {
    let machine = filled();
    for (arguments, wanted) in [
        (vec!["--host", "codex"], vec![5, 6]),
        (vec!["--session", "9f"], vec![1, 2, 3, 4]),
        (vec!["--session", CODEX], vec![5, 6]),
        (vec!["--event", "PreToolUse"], vec![2, 3, 5]),
        (vec!["--event", "pre"], vec![2, 3, 5]),
        (vec!["--event", "posttooluse"], vec![4]),
        (vec!["--event", "Späher"], vec![6]),
        (vec!["--tool", "bash"], vec![2, 3, 4]),
        (vec!["--tool", "apply_patch"], vec![5]),
        (vec!["--decision", "deny"], vec![3, 5]),
        (vec!["--decision", "none"], vec![1, 2, 4, 6]),
        (vec!["--decision", "allow"], vec![]),
        (vec!["--rule", "destructive-git"], vec![3]),
        (vec!["--rule", "destructive-git/discard-changes"], vec![3]),
        (vec!["--rule", "destructive"], vec![]),
        (vec!["--rule", "*-git/*"], vec![3]),
        (vec!["--rule", "destructive-*"], vec![3]),
        (vec!["--rule", "*"], vec![3, 5]),
        (vec!["--rule", "house-rule"], vec![5]),
        (vec!["--path", "*.env"], vec![5]),
        (vec!["--path", "/code/**"], vec![5]),
        (vec!["--path", "other/**"], vec![]),
        (vec!["--command", "git"], vec![3, 4]),
        (vec!["--command", "--hard"], vec![3]),
        (vec!["--command", "\"git\" NEAR("], vec![]),
        (vec!["--command", "GIT res"], vec![3]),
        (vec!["--command", "tidy"], vec![1]),
        (vec!["--since", "2026-11-16"], vec![3, 4, 5, 6]),
        (vec!["--until", "2026-11-16"], vec![1, 2]),
        (vec!["--since", "2026-11-16T13:48:15.400Z"], vec![4, 5, 6]),
        (vec!["--since", "2026-11-16T15:48:16.001+02:00"], vec![6]),
        (vec!["--since", "2026-11-16T13:48:16", "--until", "2026-11-16T13:48:17"], vec![5]),
        (vec!["--tool", "Bash", "--decision", "none", "--command", "git"], vec![4]),
    ] {
        assert_eq!(numbers(&machine, &arguments), wanted, "{arguments:?}");
        let all: Vec<&str> = arguments.iter().copied().chain(["-n", "all"]).collect();
        assert_eq!(numbers(&machine, &all), wanted, "{all:?}");
    }
    assert_eq!(run(&machine, &["--decision", "allow"]), "no record fits; the last one is 6\n");
}

#[test]
fn a_path_may_begin_at_home_as_we_show_it() {
    let machine = filled();
    let path = machine.path("home/notes/a.md").display().to_string();
    append(&machine, &record(NOON, &json!({ "actions": [{ "do": "read", "path": path }] })));
    assert_eq!(numbers(&machine, &["--path", "~/notes/*"]), [7]);
    assert_eq!(numbers(&machine, &["--path", "~/other/*"]), [0; 0]);
}

#[test]
fn a_session_is_named_by_a_beginning_that_no_other_has() {
    let machine = filled();
    append(&machine, &record(NOON, &json!({ "session_id": "9f0c1d2e-2" })));
    append(&machine, &record(NOON, &json!({ "session_id": "9f0c1d2e-22" })));
    assert_eq!(
        refused(&machine, &["--session", "9f"]),
        format!(
            "tenter log: more than one session begins with `9f`: {CLAUDE}, 9f0c1d2e-2, 9f0c1d2e-22\n"
        )
    );
    assert_eq!(numbers(&machine, &["--session", "9f0c1d2e-2"]), [7], "the id of one");
    assert_eq!(
        refused(&machine, &["--session", "x\u{1b}[2J"]),
        "tenter log: no session begins with `x\\u{1b}[2J`\nhint: tenter sessions\n"
    );
}

#[test]
fn wrong_arguments_are_answered_with_the_right_ones() {
    let machine = filled();
    for text in ["\"", "*", " ", "->"] {
        let said = refused(&machine, &["--command", text]);
        assert_eq!(said, format!("tenter log: there is no word in `{text}` to look for\n"));
    }
    let said = refused(&machine, &["--since", "last week"]);
    assert!(said.contains("90s, 30m, 2h, 7d, 2w") && said.contains("2026-11-16T13:48"), "{said}");
    assert!(refused(&machine, &["--decision", "no"]).contains("allow, deny, ask, none"));
    assert!(refused(&machine, &["3", "--host", "codex"]).contains("cannot be used with"));
    assert!(refused(&machine, &["--json", "--csv"]).contains("cannot be used with"));
    assert!(refused(&machine, &["-f", "--until", "1h"]).contains("cannot be used with"));
}

#[test]
fn an_empty_record_says_what_would_fill_it() {
    let machine = Machine::with(&[]);
    let said = run(&machine, &[]);
    assert!(said.contains("tenter init") && said.contains("tenter status"), "{said}");
    assert_eq!(run(&machine, &["--json"]), "");
    assert_eq!(run(&machine, &["--csv"]).lines().count(), 1);
}

#[test]
fn json_is_the_record_as_it_is_stored() {
    let machine = filled();
    let stored = machine.read("home/.local/state/tenterhook/audit/current.jsonl");
    assert_eq!(run(&machine, &["--json"]), stored);
    let one: Value = serde_json::from_str(&run(&machine, &["3", "--json"])).unwrap();
    let line: Value = serde_json::from_str(stored.lines().nth(2).unwrap()).unwrap();
    assert_eq!(one, line);
}

#[test]
fn values_are_quoted_and_no_formula_is_left() {
    let machine = filled();
    append(&machine, &shell(NOON, "=HYPERLINK(\"http://x\",1)", &json!({})));
    let text = run(&machine, &["--csv", "-n", "1"]);
    assert_eq!(
        text,
        format!(
            "id,time,host,session,turn,agent,event,native_event,tool,decision,enforcement,rules,subject,folder,model,exit_code,duration_ms,policy\n\
             7,2026-11-16T13:48:14.000Z,claude,{CLAUDE},,,PreToolUse,PreToolUse,Bash,none,none,,\
             \"'=HYPERLINK(\"\"http://x\"\",1)\",,,,,\n"
        )
    );
}

#[test]
fn a_payload_that_is_no_event_is_known_by_what_went_wrong() {
    let machine = Machine::with(&[]);
    let record = json!({
        "v": 1, "at": NOON, "level": "standard", "host": "claude", "event": "Other",
        "decision": "deny", "enforcement": "hard", "notes": ["stdin is not one JSON object"],
    });
    append(&machine, &record);
    let wanted = "2026-11-16\n1  13:48:14  claude  -         ?         deny   stdin is not one JSON object\n";
    assert_eq!(run(&machine, &[]), wanted);
}

#[test]
fn nothing_from_a_payload_reaches_the_terminal_as_a_command_to_it() {
    let machine = Machine::with(&[]);
    let evil = "x\u{1b}]0;owned\u{7}\u{202e}\u{9b}2J\r\ny";
    let fields = json!({
        "host": evil, "session_id": evil, "event": "Other", "native_event": evil, "tool": evil,
        "cwd": evil, "model": evil, "call_id": evil, "prompt": evil, "detail": evil,
        "decision": "deny", "enforcement": evil, "notes": [evil], "losses": [evil],
        "verdict": { "reason": evil, "modified_input": [[evil, evil]] },
        "findings": [{ "rule": evil, "level": evil, "what": evil, "subject": evil, "instead": evil, "excepted": evil }],
        "code": evil, "user": evil, "policy": evil, "attachments": [evil],
        "actions": [{ "do": "mcp", "server": evil, "tool": evil, "url": evil }],
    });
    append(&machine, &record(NOON, &fields));
    for arguments in [vec![], vec!["1"], vec!["--csv"]] {
        let text = run(&machine, &arguments);
        let acts = |letter: char| (letter.is_control() && letter != '\n') || letter == '\u{202e}';
        assert_eq!(text.find(acts), None, "{arguments:?}: {text:?}");
    }
    assert_eq!(run(&machine, &[]).lines().count(), 2, "the day and one line");
}

#[test]
fn one_record_is_told_in_full() {
    let machine = filled();
    append(
        &machine,
        &shell(
            NOON + 4000,
            "cd x && git reset --hard HEAD~3",
            &json!({
                "event": "PostToolUse", "native_event": "PostToolUse", "allowed_once": true,
            }),
        ),
    );
    let text = run(&machine, &["3"]);
    let is_hash = |word: &str| {
        word.trim_end().len() == 64 && word.trim_end().bytes().all(|it| it.is_ascii_hexdigit())
    };
    let plain = |word: &str| if is_hash(word) { "HASH".to_owned() } else { word.to_owned() };
    let shown: Vec<String> = text.split(' ').map(plain).collect();
    insta::assert_snapshot!(shown.join(" "));
    assert!(text.contains("fits this record\n"), "{text}");
    assert!(!text.contains("DOES NOT FIT"));
}

#[test]
fn a_stopped_call_that_still_waits_can_be_allowed() {
    let machine = filled();
    assert!(run(&machine, &["3"]).contains("the code ABCD-EFGH no longer waits"));
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let stopped = json!({
        "code": "ABCD-EFGH", "at": now, "host": "claude", "cwd": "/code/x", "call": "c", "why": "w",
    });
    machine.write("home/.local/state/tenterhook/stopped/ABCD-EFGH", &stopped.to_string());
    let text = run(&machine, &["3"]);
    assert!(text.contains("tenter allow once ABCD-EFGH   (it waits until 2"), "{text}");
    assert!(text.contains("tenter allow rule destructive-git/discard-changes --reason"), "{text}");
}

#[test]
fn a_record_that_was_changed_is_told_as_such() {
    let machine = filled();
    let file = "home/.local/state/tenterhook/audit/current.jsonl";
    let text = machine.read(file).replace("\"command\":\"ls -la\"", "\"command\":\"ls -lb\"");
    machine.write(file, &text);
    assert!(run(&machine, &["2"]).contains("DOES NOT FIT"));
    assert!(!run(&machine, &["1"]).contains("DOES NOT FIT"));
}

#[test]
fn a_number_without_a_record_is_answered_with_those_there_are() {
    assert_eq!(refused(&filled(), &["99"]), "tenter log: no record 99; there are 1 to 6\n");
    let said = refused(&Machine::with(&[]), &["1"]);
    assert!(said.starts_with("tenter log: no record 1; no records yet"), "{said}");
}

/// A follower with its output by lines.
struct Follower {
    child: Child,
    lines: Receiver<String>,
}

impl Follower {
    fn start(machine: &Machine, arguments: &[&str]) -> Self {
        let mut command = command(machine, &["-f"]);
        command.args(arguments).stdin(Stdio::null());
        let mut child = command.spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines() {
                if sender.send(line.unwrap()).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    fn next(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(20)).unwrap()
    }

    /// Checks that no more output comes for a while.
    fn rests(&self) {
        let more = self.lines.recv_timeout(Duration::from_millis(600));
        assert!(more.is_err(), "{more:?}");
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn following_shows_the_last_and_then_each_new_record_that_fits() {
    let machine = filled();
    let follower = Follower::start(&machine, &["-n", "1", "--tool", "bash"]);
    assert_eq!(follower.next(), "earlier records are left out; `-n` shows more");
    assert_eq!(follower.next(), "2026-11-16");
    assert!(follower.next().starts_with("4  13:48:15  claude"));
    append(&machine, &shell(NOON + 10_000, "make", &json!({})));
    assert_eq!(follower.next(), "7  13:48:24  claude  9f0c1d2e  pre Bash   none   make");
    append(&machine, &record(NOON, &json!({ "tool": "Read" })));
    append(&machine, &shell(NOON + 86_400_000, "true", &json!({})));
    assert_eq!(follower.next(), "2026-11-17");
    assert_eq!(follower.next(), "9  13:48:14  claude  9f0c1d2e  pre Bash   none   true");
    follower.rests();
}

#[test]
fn a_follower_may_come_before_the_first_record() {
    let machine = Machine::with(&[]);
    let follower = Follower::start(&machine, &["--json"]);
    follower.rests();
    append(&machine, &shell(NOON, "first", &json!({})));
    assert_eq!(number(&follower.next()), 1);
}

#[test]
fn a_follower_sees_each_of_many_writers_records_once_and_in_order() {
    const WRITERS: u64 = 8;
    const EACH: u64 = 150;
    let machine = filled();
    let follower = Follower::start(&machine, &["-n", "1", "--json"]);
    // Records from now on are new.
    assert_eq!(number(&follower.next()), 6);
    let state = machine.path("home/.local/state/tenterhook");
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let state = &state;
            scope.spawn(move || {
                // Small segments, so that the follower must switch often.
                let spool = Spool::of_state(state).with_segments_of(4096);
                for number in 0..EACH {
                    let record = shell(NOON, &format!("echo {writer}.{number}"), &json!({}));
                    spool.append(record.to_string(), false).unwrap();
                }
            });
        }
    });
    let mut seen = Vec::new();
    let mut commands = Vec::new();
    for _ in 0..WRITERS * EACH {
        let line = follower.next();
        let value: Value = serde_json::from_str(&line).unwrap();
        commands.push(value.pointer("/actions/0/command").unwrap().to_string());
        seen.push(number(&line));
    }
    follower.rests();
    assert!(seen.is_sorted_by(|one, next| one < next), "{seen:?}");
    commands.sort_unstable();
    commands.dedup();
    assert_eq!(commands.len() as u64, WRITERS * EACH);
    let files = std::fs::read_dir(state.join("audit")).unwrap().count();
    assert!(files > 20, "{files} files");
}

#[test]
fn hook_calls_in_parallel_are_each_followed_once() {
    const CALLS: usize = 24;
    let machine = filled();
    let follower = Follower::start(&machine, &["-n", "1", "--json", "--host", "claude"]);
    assert_eq!(number(&follower.next()), 4);
    std::thread::scope(|scope| {
        for lane in 0..4 {
            let machine = &machine;
            scope.spawn(move || {
                for call in (lane..CALLS).step_by(4) {
                    let payload = json!({
                        "session_id": CLAUDE, "hook_event_name": "PreToolUse", "cwd": "/code",
                        "tool_name": "Bash", "tool_use_id": format!("toolu_{call}"),
                        "tool_input": { "command": format!("echo {call}") },
                    });
                    let ran = Tenter::finish(machine.command("hook claude"), payload.to_string());
                    assert_eq!(ran.exit, 0, "{}", ran.stderr);
                }
            });
        }
    });
    let mut last = 6;
    let mut calls = Vec::new();
    for _ in 0..CALLS {
        let line = follower.next();
        assert!(number(&line) > last, "{line}");
        last = number(&line);
        let value: Value = serde_json::from_str(&line).unwrap();
        calls.push(value.get("call_id").and_then(Value::as_str).unwrap().to_owned());
    }
    follower.rests();
    calls.sort_unstable();
    calls.dedup();
    assert_eq!(calls.len(), CALLS);
}

#[test]
fn a_follower_outlives_torn_lines_clearing_and_a_new_spool() {
    let machine = filled();
    let audit = machine.path("home/.local/state/tenterhook/audit");
    let follower = Follower::start(&machine, &["-n", "1", "--json"]);
    // Records from now on are new.
    assert_eq!(number(&follower.next()), 6);
    append(&machine, &shell(NOON, "seven", &json!({})));
    assert_eq!(number(&follower.next()), 7);
    // A writer is killed in the middle of its line.
    let current = audit.join("current.jsonl");
    let torn = std::fs::read_to_string(&current).unwrap() + "{\"v\":1,\"at\":17";
    std::fs::write(&current, torn).unwrap();
    follower.rests();
    append(&machine, &shell(NOON, "eight", &json!({})));
    assert_eq!(number(&follower.next()), 8);
    // The segment is closed, and then pruned.
    spool(&machine).turn().unwrap();
    append(&machine, &shell(NOON, "ten", &json!({})));
    assert_eq!(number(&follower.next()), 10);
    std::fs::remove_file(audit.join("000000000001.jsonl")).unwrap();
    append(&machine, &shell(NOON, "eleven", &json!({})));
    assert_eq!(number(&follower.next()), 11);
    // Everything is deleted, and the record starts anew.
    std::fs::remove_dir_all(&audit).unwrap();
    append(&machine, &shell(NOON, "one", &json!({})));
    assert_eq!(number(&follower.next()), 1);
    append(&machine, &shell(NOON, "two", &json!({})));
    assert_eq!(number(&follower.next()), 2);
    follower.rests();
}

#[test]
fn a_follower_ends_when_nobody_reads_any_more() {
    let machine = filled();
    let mut child =
        command(&machine, &["-f", "-n", "1", "--json"]).stdin(Stdio::null()).spawn().unwrap();
    let mut out = child.stdout.take().unwrap();
    let mut byte = [0];
    out.read_exact(&mut byte).unwrap();
    drop(out);
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(begun.elapsed() < Duration::from_mins(1), "still there");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_record_that_cannot_be_read_is_not_taken_for_an_empty_one() {
    let machine = Machine::with(&[]);
    std::fs::create_dir_all(spool(&machine).folder().join("current.jsonl")).unwrap();
    for line in ["log", "log --json", "sessions", "show", "stats", "stats --json"] {
        let ran = machine.run(line);
        assert_eq!((ran.exit, ran.stdout.as_str()), (3, ""), "{line}");
        assert_eq!(ran.stderr.lines().count(), 1, "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("tenterhook/audit: "), "{line}: {}", ran.stderr);
    }
}

#[test]
fn who_asks_for_none_is_told_nothing() {
    let machine = Machine::with(&[]);
    append(&machine, &shell(NOON, "ls", &json!({})));
    let ran = machine.run("log -n 0");
    assert_eq!((ran.exit, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}
