//! `tenter show`: sessions as stories.
#![cfg(unix)]

mod desk;
mod long;
mod tokens;

use std::borrow::Cow;

use desk::{Desk, bash, denied, done, prompt, read, record, whole};
use serde_json::{Value, json};
use tenter_audit::record::{Change, Deed, FindingRecord, Gap, Kept, Record, VerdictRecord};
use tenter_testkit::fixtures_of;

/// The payload of a recorded call, with some fields changed.
fn recorded(host: &str, name: &str, changes: &[(&str, Value)]) -> Value {
    let fixture = fixtures_of(host).into_iter().find(|it| it.name.ends_with(name));
    let mut payload: Value = serde_json::from_str(&fixture.expect(name).text).unwrap();
    for (key, value) in changes {
        payload[*key] = value.clone();
    }
    payload
}

#[test]
fn a_session_of_claude_code_is_told_from_its_hook_calls() {
    let desk = Desk::new();
    let call = |event: &str, more: &[(&str, Value)]| {
        let mut payload = json!({
            "session_id": "5e1f-77", "transcript_path": "/home/ana/.claude/projects/shop/5e1f.jsonl",
            "cwd": "/home/ana/shop", "prompt_id": "p1", "hook_event_name": event,
        });
        for (key, value) in more {
            payload[*key] = value.clone();
        }
        desk.hook("claude", &payload);
    };
    let tool =
        |id: &str, name: &str, input: Value, agent: &[(&str, Value)], after: &[(&str, Value)]| {
            let about =
                [("tool_use_id", json!(id)), ("tool_name", json!(name)), ("tool_input", input)];
            call("PreToolUse", &[&about, agent].concat());
            if let Some((event, _)) = after.first() {
                call(event, &[&about, agent, &after[1..]].concat());
            }
        };
    let ran = |ms: u64| [("PostToolUse", Value::Null), ("duration_ms", json!(ms))];
    let pay = "/home/ana/shop/src/pay.ts";
    call("SessionStart", &[("source", json!("startup")), ("model", json!("claude-opus-5"))]);
    call(
        "UserPromptSubmit",
        &[("prompt", json!("Add a retry to the payment client.\n\nThen push it."))],
    );
    tool("t1", "Read", json!({"file_path": pay}), &[], &ran(12));
    let edit = json!({
        "file_path": pay,
        "old_string": "const a = 1;\nconst retry = 0;\n",
        "new_string": "const a = 1;\nconst retry = 3;\n",
    });
    tool("t2", "Edit", edit, &[], &ran(25));
    let failed = [
        ("PostToolUseFailure", Value::Null),
        ("error", json!("Exit code 1\n2 failing\n1) retries\n2) waits")),
        ("duration_ms", json!(4187)),
    ];
    tool("t3", "Bash", json!({"command": "npm test"}), &[], &failed);
    let explore = [("agent_id", json!("a1")), ("agent_type", json!("Explore"))];
    let general = [("agent_id", json!("b2")), ("agent_type", json!("general-purpose"))];
    let task = |kind: &str| json!({"prompt": "Map the auth flow", "subagent_type": kind});
    tool("t4", "Agent", task("Explore"), &[], &[]);
    call("SubagentStart", &explore);
    tool("t5", "Read", json!({"file_path": "/home/ana/shop/src/auth.ts"}), &explore, &ran(3));
    tool("t6", "Agent", task("general-purpose"), &explore, &[]);
    call("SubagentStart", &general);
    tool("t7", "Bash", json!({"command": "rg -n refresh src"}), &general, &ran(88));
    call("SubagentStop", &general);
    tool("t8", "Bash", json!({"command": "cat .env"}), &explore, &[]);
    call("SubagentStop", &explore);
    tool("t9", "Bash", json!({"command": "git push --force origin main"}), &[], &[]);
    tool("t10", "Bash", json!({"command": "git push origin retry"}), &[], &ran(2100));
    call("PreCompact", &[("trigger", json!("auto"))]);
    call("PostCompact", &[("trigger", json!("auto"))]);
    call("PostToolBatch", &[]);
    call("Stop", &[("stop_hook_active", json!(false))]);
    call("SessionEnd", &[("reason", json!("prompt_input_exit"))]);
    desk.set_clock();
    insta::assert_snapshot!(desk.show("5e1f"));
}

#[test]
fn the_events_of_cursor_about_one_call_are_one_step() {
    let desk = Desk::new();
    let example = |number: usize, more: &[(&str, Value)]| {
        let common = [("generation_id", json!("g-02")), ("model", json!("claude-4.5-sonnet"))];
        let name = format!("examples.jsonl:{number}");
        desk.hook("cursor", &recorded("cursor", &name, &[&common, more].concat()));
    };
    let shell = |id: &str, command: &str, exit: Option<i64>| {
        let input = json!({"command": command, "cwd": "", "timeout": 30000});
        let id = ("tool_use_id", json!(id));
        example(4, &[id.clone(), ("tool_input", input.clone())]);
        example(7, &[("command", json!(command))]);
        if let Some(exit) = exit {
            example(8, &[("command", json!(command))]);
            let output = json!({"output": "", "exitCode": exit}).to_string();
            example(5, &[id, ("tool_input", input), ("tool_output", json!(output))]);
        }
    };
    let pay = json!({"file_path": "/home/ana/shop/src/pay.ts", "content": "retry: 3"});
    desk.hook("cursor", &recorded("cursor", "examples.jsonl:1", &[]));
    example(3, &[]);
    example(
        4,
        &[("tool_use_id", json!("t-1")), ("tool_name", json!("Write")), ("tool_input", pay)],
    );
    example(12, &[]);
    shell("t-2", "npm test", Some(1));
    shell("t-3", "npm test", Some(0));
    shell("t-4", "git push --force origin main", None);
    let query = [("tool_input", json!({"query": "SELECT 1"}))];
    example(
        4,
        &[&query[..], &[("tool_name", json!("MCP:run_sql")), ("tool_use_id", json!("t-5"))]]
            .concat(),
    );
    example(9, &[("tool_input", json!(r#"{"query":"SELECT 1"}"#))]);
    example(10, &[]);
    example(
        4,
        &[
            ("tool_name", json!("Task")),
            ("tool_input", json!({"prompt": "Map the auth flow", "subagent_type": "explore"})),
            ("tool_use_id", json!("tc-9")),
        ],
    );
    example(15, &[]);
    example(8, &[("conversation_id", json!("s-5")), ("generation_id", json!("g-9"))]);
    example(16, &[]);
    example(17, &[]);
    example(18, &[]);
    desk.hook("cursor", &recorded("cursor", "examples.jsonl:2", &[]));
    desk.set_clock();
    insta::assert_snapshot!(desk.show("c-81"));
}

#[test]
fn a_session_of_codex_is_told_from_recorded_calls() {
    let desk = Desk::new();
    for name in [
        "SessionStart.json:1",
        "UserPromptSubmit.json:1",
        "PreToolUse.apply_patch.json:1",
        "PostToolUse.apply_patch.json:1",
        "PreToolUse.spawn_agent.json:1",
        "SubagentStart.json:1",
        "UserPromptSubmit.subagent.json:1",
        "PostToolUse.spawn_agent.json:1",
        "SubagentStop.json:1",
        "PreCompact.json:1",
        "PostCompact.json:1",
        "SessionStart.compact.json:1",
        "Stop.active.json:1",
        "SessionEnd.json:1",
    ] {
        // They were recorded in several sessions.
        let mut payload = recorded("codex", &format!("codex/{name}"), &[]);
        payload["session_id"] = json!("01a1e0d8");
        if payload.get("turn_id").is_some() && payload.get("agent_id").is_none() {
            payload["turn_id"] = json!("turn-1");
        }
        desk.hook("codex", &payload);
    }
    desk.set_clock();
    insta::assert_snapshot!(desk.show("last"));
}

#[test]
fn of_a_patch_every_file_says_what_became_of_it() {
    let desk = Desk::new();
    let patch = "*** Begin Patch\n*** Update File: a.rs\n@@\n-old();\n+new();\n*** Add File: b.rs\n+hello\n\
                 *** Delete File: c.rs\n*** End Patch\n";
    desk.hook(
        "codex",
        &json!({
            "session_id": "s", "turn_id": "t", "cwd": "/w", "hook_event_name": "PreToolUse",
            "tool_name": "apply_patch", "tool_use_id": "1", "tool_input": { "command": patch },
        }),
    );
    let told = desk.show("s");
    let below: Vec<&str> = told.lines().map(str::trim).collect();
    let wanted = ["a.rs", "- old();", "+ new();", "b.rs  written, 6 B", "c.rs  deleted"];
    assert!(below.windows(5).any(|lines| lines == wanted), "{told}");
    let edits = &desk.json("s")[1]["edits"];
    assert_eq!((&edits[1]["bytes"], &edits[2]["deleted"]), (&json!(6), &json!(true)), "{edits}");
}

#[test]
fn what_was_changed_lost_allowed_and_not_obeyed_is_shown() {
    let desk = Desk::new();
    desk.write(0, &prompt("Install it"));
    let rewritten = Record {
        verdict: VerdictRecord {
            modified_input: vec![("command".into(), whole(r#""npm install --ignore-scripts x""#))],
            ..VerdictRecord::default()
        },
        losses: vec!["user_message: the host has no place for it".into()],
        ..bash("t1", "npm install x")
    };
    desk.write(5, &rewritten);
    desk.write(9, &done(&rewritten, 3900));
    let edit = Deed::Edit {
        path: Some("/home/ana/shop/a.md".into()),
        edits: vec![Change { old: whole("one\n"), new: whole("two\n"), all: false }],
        more: 0,
        moved_to: None,
    };
    let noted = FindingRecord {
        rule: "project/notes".into(),
        level: "log".into(),
        what: Some("writes notes".into()),
        ..FindingRecord::default()
    };
    let edit = Record { tool: Some("Edit".into()), actions: vec![edit], ..bash("t2", "") };
    desk.write(10, &Record { findings: vec![noted], ..edit });
    let slipped = denied(bash("t3", "npm publish"), "ask the user");
    desk.write(11, &slipped);
    desk.write(12, &done(&slipped, 40));
    desk.write(13, &denied(bash("t4", "git push"), "open a pull request"));
    desk.write(20, &Record { allowed_once: true, ..bash("t5", "git push") });
    let asked = Record { decision: Some("ask".into()), ..bash("t6", "terraform apply") };
    desk.write(21, &asked);
    desk.write(30, &done(&asked, 9000));
    let told_off = Record { decision: Some("deny".into()), ..done(&bash("t7", "make"), 70) };
    desk.write(31, &bash("t7", "make"));
    let request = Record { call_id: None, ..bash("", "make") };
    let (event, native_event) = ("PermissionRequest".into(), "PermissionRequest".into());
    desk.write(31, &Record { event, native_event, ..request });
    let reason =
        VerdictRecord { reason: Some(whole("the build left files")), ..VerdictRecord::default() };
    desk.write(32, &Record { verdict: reason, ..told_off });
    let go_on =
        VerdictRecord { reason: Some(whole("run the tests first")), ..VerdictRecord::default() };
    let stop =
        Record { detail: Some("completed".into()), loop_count: Some(2.into()), ..record("Stop") };
    desk.write(33, &Record { decision: Some("deny".into()), verdict: go_on, ..stop });
    desk.write(9000, &prompt("Go on tomorrow"));
    insta::assert_snapshot!(desk.show("s-1 --no-transcript"));
}

#[test]
fn calls_without_a_record_stand_where_they_are_missing() {
    let desk = Desk::new();
    desk.write(0, &prompt("Go"));
    let path = desk.spool().folder().join("current.jsonl");
    let before = std::fs::read(&path).unwrap();
    // A torn line, as left by a killed writer; then calls that could not be recorded.
    std::fs::write(&path, [before.as_slice(), br#"{"v":1,"at":17"#].concat()).unwrap();
    std::fs::write(
        desk.machine.path("home/.local/state/tenterhook/lost"),
        "00000000000000000002\n",
    )
    .unwrap();
    desk.write(4, &bash("t1", "ls"));
    let line = std::fs::read_to_string(&path).unwrap();
    let record = Record::parse(line.lines().last().unwrap()).unwrap();
    assert_eq!((record.lost, record.gap), (2, Some(Gap { torn: 14 })), "{line}");
    let shown = desk.show("last --no-transcript");
    assert!(shown.contains("! 2 calls before this left no record\n"), "{shown}");
    assert!(shown.contains("! a torn record of 14 B is before this\n"), "{shown}");
}

#[test]
fn what_an_agent_did_after_a_denial_is_told() {
    let instead = "push to a branch: `git push --set-upstream origin work`";
    let push = || denied(bash("d", "git push origin main"), instead);
    let ran = |command: &'static str| bash("n", command);
    let env = || denied(read("d", "/home/ana/shop/.env"), "");
    let cases: Vec<(&str, Vec<Record<'_>>, Value)> = vec![
        ("gave up", vec![push(), ran("ls"), record("Stop")], json!({"what": "gave_up"})),
        ("the story ends", vec![push()], Value::Null),
        (
            "another way",
            vec![push(), ran("cd pay && git -C . push origin HEAD:main")],
            json!({"what": "another_way", "record": 3}),
        ),
        (
            "what was proposed",
            vec![push(), ran("git push --set-upstream origin work")],
            json!({"what": "safe_alternative", "record": 3}),
        ),
        (
            "again and again",
            vec![push(), denied(ran("cd x && git push -f"), ""), record("Stop")],
            json!({"what": "tried_again", "denied_again": 1}),
        ),
        (
            "allowed",
            vec![push(), push(), Record { allowed_once: true, ..ran("git push origin main") }],
            json!({"what": "allowed_once", "record": 4, "denied_again": 1}),
        ),
        (
            "the same file by a command",
            vec![env(), ran("cat ./.env | head")],
            json!({"what": "another_way", "record": 3}),
        ),
        (
            "another file",
            vec![env(), ran("cat .env.sample"), record("Stop")],
            json!({"what": "gave_up"}),
        ),
        (
            "in another turn",
            vec![push(), prompt("do it"), ran("git push")],
            json!({"what": "gave_up"}),
        ),
        (
            "a question nobody answered",
            vec![
                push(),
                Record { decision: Some("ask".into()), ..ran("git push origin x") },
                record("Stop"),
            ],
            json!({"what": "tried_again", "asked": 1}),
        ),
    ];
    told_after(cases);
}

#[test]
fn only_the_denied_effect_is_another_way() {
    let push = || denied(bash("d", "git push origin main"), "");
    let ran = |command: &'static str| bash("n", command);
    let env = || denied(read("d", "/home/ana/shop/.env"), "");
    told_after(vec![
        (
            "another command of the same program",
            vec![push(), ran("git add -A"), ran("git commit -m x"), record("Stop")],
            json!({"what": "gave_up"}),
        ),
        (
            "the same file, but only its name",
            vec![env(), ran("ls -l .env"), record("Stop")],
            json!({"what": "gave_up"}),
        ),
    ]);
}

/// Tells each session and compares what came after the first denial.
fn told_after(cases: Vec<(&str, Vec<Record<'_>>, Value)>) {
    for (name, records, expected) in cases {
        let desk = Desk::new();
        desk.write(0, &prompt("Go"));
        for (second, mut record) in (1..).zip(records) {
            record.call_id = record.call_id.map(|_| Cow::Owned(format!("t{second}")));
            desk.write(second, &record);
        }
        let lines = desk.json("last");
        let then = &lines[2]["then"];
        let Value::Object(wanted) = &expected else {
            assert_eq!(*then, Value::Null, "{name}");
            continue;
        };
        for (key, value) in wanted {
            assert_eq!(then[key], *value, "{name}: {then}");
        }
        assert!(
            wanted.contains_key("denied_again") || then["denied_again"] == json!(0),
            "{name}: {then}"
        );
        assert!(wanted.contains_key("asked") || then["asked"] == json!(0), "{name}: {then}");
    }
}

#[test]
fn programs_are_told_nothing_where_there_is_nothing() {
    let ran = Desk::new().run("show --json");
    assert_eq!((ran.exit, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

#[test]
fn nothing_that_an_agent_says_reaches_the_terminal_as_an_order() {
    let desk = Desk::new();
    let evil = "a\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{200b}";
    desk.write(0, &prompt(evil));
    desk.write(1, &denied(bash("t1", evil), evil));
    let edit = Deed::Edit {
        path: Some(evil.into()),
        edits: vec![Change {
            old: whole(evil),
            new: Kept::Part { text: Some("x\u{1b}[2J".into()), bytes: 9 },
            all: false,
        }],
        more: 0,
        moved_to: None,
    };
    let edit =
        Record { tool: Some(evil.into()), actions: vec![edit.clone(), edit], ..bash("t2", "") };
    desk.write(2, &Record { model: Some(evil.into()), error: Some(whole(evil)), ..edit });
    let agent = tenter_audit::record::Agent {
        id: Some(evil.into()),
        kind: Some(evil.into()),
        parent: None,
    };
    desk.write(
        3,
        &Record {
            agent,
            detail: Some(evil.into()),
            text: Some(whole(evil)),
            ..record("SubagentStart")
        },
    );
    for arguments in ["last", "last --full", "last --json"] {
        let shown = desk.show(arguments);
        let acts = |letter: char| {
            letter.is_control() && letter != '\n' || matches!(letter, '\u{202e}' | '\u{200b}')
        };
        assert!(!shown.contains(acts), "{arguments}: {shown:?}");
    }
    // Escaped text has the same value.
    assert_eq!(desk.json("last")[1]["text"], json!(evil));
}

#[test]
fn a_read_and_an_edit_of_one_file_are_two_steps() {
    let desk = Desk::new();
    let example = |number: usize, more: &[(&str, Value)]| {
        let name = format!("examples.jsonl:{number}");
        let common = [("generation_id", json!("g-02"))];
        desk.hook("cursor", &recorded("cursor", &name, &[&common, more].concat()));
    };
    let file = ("file_path", json!("/home/ana/shop/src/pay.ts"));
    example(11, &[file.clone(), ("content", json!("retry: 0"))]);
    example(12, &[file]);
    let steps = desk.json("c-81");
    let told =
        |step: &Value| (step["tool"].clone(), step["records"].clone(), step["edits"].is_null());
    assert_eq!(told(&steps[1]), (json!("Read"), json!([1]), true));
    assert_eq!(told(&steps[2]), (json!("Edit"), json!([2]), false));
}

#[test]
fn a_subagent_lasts_as_long_as_the_host_says() {
    let desk = Desk::new();
    for number in [15, 16] {
        desk.hook("cursor", &recorded("cursor", &format!("examples.jsonl:{number}"), &[]));
    }
    let stop = &desk.json("c-81")[2];
    assert_eq!(
        (&stop["duration_ms"], &stop["duration_from_records"]),
        (&json!(45_012), &Value::Null)
    );
}

#[test]
fn what_a_human_allows_later_is_said_where_it_was_stopped() {
    let desk = Desk::new();
    let asked = |call| Record { decision: Some("ask".into()), ..bash(call, "terraform apply") };
    desk.write(0, &prompt("Ship it"));
    desk.write(1, &denied(bash("t1", "git push --force"), "open a pull request"));
    desk.write(2, &denied(bash("t2", "npm publish"), "ask the user"));
    desk.write(3, &asked("t3"));
    desk.write(4, &asked("t4"));
    desk.write(5, &record("Stop"));
    desk.write(9, &prompt("Try again"));
    desk.write(10, &Record { allowed_once: true, ..bash("t5", "git push --force") });
    desk.write(11, &Record { allowed_once: true, ..bash("t6", "terraform apply") });
    let then = |seq: u64| {
        let step = desk.json("s-1").into_iter().find(|step| step["records"][0] == seq).unwrap();
        (step["then"]["what"].clone(), step["then"]["record"].clone())
    };
    assert_eq!(then(2), (json!("allowed_once"), json!(8)));
    assert_eq!(then(3), (json!("gave_up"), Value::Null));
    assert_eq!(then(4), (json!("allowed_once"), json!(9)));
    assert!(desk.show("s-1").contains("then: a human allowed it once (8)"));
}

#[test]
fn a_command_of_several_lines_is_shown_over_several_lines() {
    let desk = Desk::new();
    desk.write(0, &bash("t1", "cat <<'E' > a.txt\none\n  two\n\nthree\nfour\nE"));
    let told = desk.show("s-1");
    let wanted = "Bash    cat <<'E' > a.txt …
                     one
                       two

                     three …
";
    assert!(told.contains(wanted), "{told}");
    assert!(
        desk.show("s-1 --full").contains("\n                     four\n                     E\n")
    );
}

#[test]
fn of_what_is_not_kept_nobody_says_that_the_agent_gave_up() {
    let desk = Desk::new();
    let left_out = || Kept::Part { text: None, bytes: 28 };
    let hidden = |call| {
        let actions = vec![Deed::Shell { command: left_out(), cwd: None }];
        Record { actions, ..bash(call, "") }
    };
    desk.write(0, &prompt("Ship it"));
    desk.write(1, &denied(hidden("t1"), ""));
    desk.write(2, &hidden("t2"));
    desk.write(3, &denied(hidden("t3"), ""));
    desk.write(4, &record("Stop"));
    let told = desk.show("s-1");
    assert!(told.contains("DENIED") && !told.contains("then:"), "{told}");
}
