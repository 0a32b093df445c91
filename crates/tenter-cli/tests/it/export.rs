//! `tenter export` through the built binary. Traces are decoded with the official protobuf types.
#![cfg(unix)]

mod collector;
mod scratch;
mod traces;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use scratch::{HOUR, Scratch, line};
use tenter_testkit::{Tenter, fixtures_of};

const AT: u64 = 1_790_000_000_000;

/// Two sessions of two hosts, and a record without session.
fn filled() -> Scratch {
    let scratch = Scratch::new();
    let bash = r#","tool":"Bash","call_id":"c1","actions":[{"do":"shell","command":"=ls, \"x\""}]"#;
    for (host, session, at, event, more) in [
        ("claude", "s-one", AT, "UserPromptSubmit", r#","prompt":"go","model":"claude-x""#),
        ("claude", "s-one", AT + 1000, "PreToolUse", bash),
        ("cursor", "s-two", AT + HOUR, "Stop", r#","turn_id":"g","detail":"completed""#),
        ("claude", "s-one", AT + 2 * HOUR, "PostToolUse", bash),
        ("codex", "", AT + 3 * HOUR, "Notification", ""),
    ] {
        scratch.append(&line(host, session, at, event, more));
    }
    scratch
}

#[test]
fn jsonl_is_the_stored_lines_unchanged() {
    let scratch = filled();
    let stored = scratch.stored();
    assert_eq!(stored.lines().count(), 5);
    let ran = scratch.run("export");
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str(), ran.exit), (stored.as_str(), "", 0));

    let lines: Vec<&str> = stored.lines().collect();
    let picked = |numbers: &[usize]| -> String {
        numbers.iter().flat_map(|number| [lines[number - 1], "\n"]).collect()
    };
    assert_eq!(scratch.run("export --host claude").stdout, picked(&[1, 2, 4]));
    assert_eq!(scratch.run("export --session s-t").stdout, picked(&[3]));
    let since = "2026-09-21T14:13:21Z";
    assert_eq!(scratch.run(&format!("export --since {since}")).stdout, picked(&[2, 3, 4, 5]));
    assert_eq!(scratch.run(&format!("export --until {since}")).stdout, picked(&[1]));
    let both = format!("export --since {since} --until 2026-09-21T17:00:00Z --host claude");
    assert_eq!(scratch.run(&both).stdout, picked(&[2, 4]));
}

#[test]
fn a_copy_of_everything_has_closings_too_so_that_its_chain_holds() {
    let scratch = Scratch::new();
    let spool = scratch.spool().with_segments_of(600);
    for number in 0..20 {
        spool.append(line("claude", "s", AT + number, "Stop", ""), false).unwrap();
    }
    let copy = scratch.run("export").stdout;
    assert!(copy.lines().count() > 20, "no file was closed");
    let mut before = tenter_audit::chain::NOTHING;
    for line in copy.lines() {
        let end = tenter_audit::chain::End::of(line).unwrap();
        assert!(end.is_true_of(line));
        assert_eq!(end.prev, before);
        before = end.hash;
    }
}

#[test]
fn csv_has_a_row_for_every_record() {
    let ran = filled().run("export --format csv");
    assert_eq!(
        ran.stdout,
        "\
id,time,host,session,turn,agent,event,native_event,tool,decision,enforcement,rules,subject,folder,model,exit_code,duration_ms,policy
1,2026-09-21T14:13:20.000Z,claude,s-one,,,UserPromptSubmit,UserPromptSubmit,,none,,,go,,claude-x,,,
2,2026-09-21T14:13:21.000Z,claude,s-one,,,PreToolUse,PreToolUse,Bash,none,,,\"'=ls, \"\"x\"\"\",,,,,
3,2026-09-21T15:13:20.000Z,cursor,s-two,g,,Stop,Stop,,none,,,completed,,,,,
4,2026-09-21T16:13:20.000Z,claude,s-one,,,PostToolUse,PostToolUse,Bash,none,,,\"'=ls, \"\"x\"\"\",,,,,
5,2026-09-21T17:13:20.000Z,codex,,,,Notification,Notification,,none,,,,,,,,
"
    );
    assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0));
}

#[test]
fn a_file_is_whole_private_and_takes_the_place_of_an_older_one() {
    let scratch = filled();
    let file = scratch.path("out.csv");
    fs::write(&file, "old").unwrap();
    let ran = scratch.run(&format!("export --format csv --output {}", file.display()));
    assert_eq!(ran.stdout, format!("5 records in {}\n", file.display()));
    assert_eq!(fs::read_to_string(&file).unwrap(), scratch.run("export --format csv").stdout);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let ran =
        scratch.run(&format!("export --output {}/no/such/folder", scratch.path("").display()));
    assert_eq!(ran.exit, 3, "{ran:?}");
    assert!(ran.stderr.contains("cannot write to "), "{ran:?}");
    let parts = fs::read_dir(scratch.path("")).unwrap();
    let left: Vec<_> = parts
        .filter(|it| it.as_ref().unwrap().path().extension().is_some_and(|it| it == "part"))
        .collect();
    assert!(left.is_empty(), "{left:?}");

    let ran = scratch.run("export --output /dev/stdout");
    assert!(ran.stdout.starts_with(&scratch.stored()), "{ran:?}");
}

#[test]
fn an_empty_record_is_no_error() {
    let scratch = Scratch::new();
    for form in ["jsonl", "csv", "otlp-json"] {
        let ran = scratch.run(&format!("export --format {form}"));
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert!(ran.stderr.contains("nothing to export") && ran.stderr.contains("tenter init"));
        assert_eq!(ran.stdout.lines().count(), usize::from(form == "csv"), "{ran:?}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let scratch = Scratch::new();
    for number in 0..2000 {
        scratch.append(&line("claude", "s", AT + number, "Stop", ""));
    }
    let tenter = env!("CARGO_BIN_EXE_tenter");
    for form in ["jsonl", "csv", "otlp-json"] {
        let script = format!(
            "{tenter} export --format {form} | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
        );
        let mut command = std::process::Command::new("bash");
        command
            .args(["-c", &script])
            .env("HOME", scratch.path("home"))
            .env_remove("XDG_STATE_HOME");
        let output = command.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n", "{form}: {output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{form}");
    }
}

#[test]
fn what_cannot_be_meant_is_a_wrong_use() {
    let scratch = filled();
    scratch.append(&line("claude", "s-one-more", AT, "Stop", ""));
    for (arguments, why) in [
        ("export --format xml", "expected jsonl, csv, ecs, html or otlp-json"),
        ("export --session nope", "no session begins with `nope`"),
        ("export --session s-", "several sessions begin with `s-`: s-"),
        ("export --format csv --content", "--content is for traces"),
        ("export --format csv --otlp http://localhost", "otlp-json only"),
        ("export --header a=b", "--otlp"),
        ("export --resume", "--otlp"),
        ("export --resume --otlp http://localhost --since 2h", "--resume"),
        ("export --otlp http://localhost --header nothing", "NAME=VALUE"),
    ] {
        let ran = scratch.run(arguments);
        assert_eq!((ran.stdout.as_str(), ran.exit), ("", 2), "{arguments}: {ran:?}");
        assert!(ran.stderr.contains(why), "{arguments}: {ran:?}");
    }
    // A complete id, though another one begins with it.
    assert_eq!(scratch.run("export --session s-one").stdout.lines().count(), 3);
}

#[test]
fn real_calls_come_out_as_traces_with_a_span_for_each() {
    let scratch = Scratch::new();
    let mut calls = 0;
    for host in ["claude", "codex", "cursor"] {
        for fixture in fixtures_of(host) {
            let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&["hook", host]);
            command.env("HOME", scratch.path("home")).current_dir("/");
            Tenter::finish(command, fixture.text);
            calls += 1;
        }
    }
    assert!(calls > 60, "{calls}");
    for more in ["", " --content"] {
        let ran = scratch.run(&format!("export --format otlp-json{more}"));
        assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0));
        let spans = traces::read(&ran.stdout);
        traces::check(&spans);
        let mut records: Vec<i64> =
            spans.iter().filter_map(|span| traces::whole(span, "tenterhook.record.id")).collect();
        records.sort_unstable();
        assert_eq!(records, (1..=calls).collect::<Vec<i64>>());
    }
}
