//! Calls that die before answering, and removed records.

use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::home::Home;

const LIST: &str = r#"{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"1"}"#;

/// Starts a call that waits for the rest of its payload.
fn waiting(home: &Home, host: &str) -> std::process::Child {
    let mut command = home.command(&["hook", host]);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(b"{\"session_id\"").unwrap();
    let begun = Instant::now();
    while taken(home) == 0 && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// Number of taken slots.
fn taken(home: &Home) -> usize {
    let slots = fs::read(home.state().join("open")).unwrap_or_default();
    slots.chunks(128).filter(|slot| slot.first() == Some(&b'1')).count()
}

#[test]
fn a_call_that_was_killed_is_seen_by_every_reader_and_once() {
    let home = Home::new();
    home.hook("claude", LIST);
    assert_eq!(taken(&home), 0, "a call that ends leaves nothing");
    let mut child = waiting(&home, "claude");
    assert_eq!(taken(&home), 1);
    // While it runs it is not dead.
    assert!(!home.run(&["log"]).stdout.contains("died"));
    assert_eq!(taken(&home), 1);
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    let readers: Vec<_> = (0..4)
        .map(|_| {
            let mut command = home.command(&["log", "--json"]);
            command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for reader in readers {
        reader.wait_with_output().unwrap();
    }
    assert_eq!(taken(&home), 0);
    let log = home.run(&["log"]).stdout;
    assert_eq!(log.matches("died before its record was written").count(), 1, "{log}");
    assert!(log.contains("claude") && log.contains("  died"), "{log}");
    let only = home.run(&["log", "--event", "died"]).stdout;
    assert_eq!(only.lines().count(), 2, "{only}");
    let verified = home.run(&["verify"]);
    assert_eq!(verified.exit, 0, "{verified:?}");
    assert!(verified.stdout.contains("  died: 1 call (tenter log"), "{verified:?}");
    let doctor = home.run(&["doctor"]).stdout;
    assert!(doctor.contains("calls-died"), "{doctor}");
    let status = home.run(&["status"]).stdout;
    assert!(status.contains("of the last week died"), "{status}");
    let one: Value = serde_json::from_str(&home.run(&["log", "2", "--json"]).stdout).unwrap();
    assert_eq!((&one["kind"], &one["host"]), (&"unfinished".into(), &"claude".into()));
}

/// Before the first call, and after the file was deleted.
#[test]
fn the_first_call_is_seen_to_die_where_our_folder_is() {
    let home = Home::new();
    fs::create_dir_all(home.state()).unwrap();
    for deaths in 1..=2 {
        drop(fs::remove_file(home.state().join("open")));
        let mut child = waiting(&home, "claude");
        assert_eq!(taken(&home), 1, "noted before the payload is read");
        child.kill().unwrap();
        child.wait().unwrap();
        let log = home.run(&["log", "--event", "died"]).stdout;
        assert_eq!(log.matches("died before its record").count(), deaths, "{log}");
    }
}

#[test]
fn a_call_that_crashes_says_what_it_died_of() {
    let home = Home::new();
    let mut command = home.command(&["hook", "claude"]);
    command.env("TENTER_INJECT_FAULT", "panic");
    let ran = tenter_testkit::Tenter::finish(command, LIST);
    assert_eq!(ran.exit, 2, "{ran:?}");
    let log = home.run(&["log"]).stdout;
    assert!(log.contains("died before its record was written: panic"), "{log}");
    // Its cause of death does not stick to the next call.
    home.hook("claude", LIST);
    assert_eq!(home.run(&["log", "--event", "died"]).stdout.lines().count(), 2);
}

#[test]
fn a_call_that_crashes_says_which_one_it_was() {
    let home = Home::new();
    for (fault, cause) in [("panic", "panic"), ("abort", "signal 6"), ("hang", "deadline")] {
        let mut command = home.command(&["hook", "claude"]);
        command.env("TENTER_INJECT_FAULT", fault).env("TENTER_INJECT_DEADLINE_MS", "300");
        let ran = tenter_testkit::Tenter::finish(command, LIST);
        assert_eq!(ran.exit, 2, "{ran:?}");
        let log = home.run(&["log", "--json"]).stdout;
        let last: Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
        assert_eq!(last["kind"], "unfinished", "{log}");
        assert!(last["notes"][0].as_str().unwrap().ends_with(cause), "{fault}: {last}");
        assert_eq!(last["session_id"], "s", "{last}");
        assert_eq!(last["native_event"], "PreToolUse", "{last}");
        assert_eq!(last["native_tool"], "Bash", "{last}");
    }
}

#[test]
fn a_call_that_can_write_nothing_is_reported_by_readers() {
    for calls_before in [0, 1] {
        let home = Home::new();
        (0..calls_before).for_each(|_| drop(home.hook("claude", LIST)));
        let mut command = std::process::Command::new("sh");
        let line = "ulimit -f 0; exec \"$0\" hook claude";
        command.args(["-c", line, env!("CARGO_BIN_EXE_tenter")]);
        let like = home.command(&["hook", "claude"]);
        for (name, value) in like.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        like.get_current_dir().map(|folder| command.current_dir(folder));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let ran = tenter_testkit::Tenter::finish(command, LIST);
        assert!(ran.stderr.contains("it could not be counted"), "{ran:?}");
        let verified = home.run(&["verify"]);
        assert!(verified.stdout.contains("  died: 1 call"), "{verified:?}");
        let log = home.run(&["log"]).stdout;
        assert_eq!(log.matches("left no record").count(), 1, "{log}");
        assert!(home.run(&["verify"]).stdout.contains("  died: 1 call"));
    }
}

#[test]
fn a_mark_that_cannot_be_left_costs_nothing() {
    let home = Home::new();
    fs::create_dir_all(home.state().join("open")).unwrap();
    let ran = home.hook("claude", LIST);
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
    assert_eq!(home.records().len(), 1);
    // A pipe in its place must not block.
    fs::remove_dir(home.state().join("open")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(home.state().join("open")).status();
    assert!(made.unwrap().success());
    let begun = Instant::now();
    assert_eq!(home.hook("claude", LIST).exit, 0);
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(home.records().len(), 2);
}

/// Deletes the record and the index.
fn take_away(home: &Home) {
    fs::remove_dir_all(home.state().join("audit")).unwrap();
}

#[test]
fn a_record_that_was_taken_away_and_begun_anew_is_missed() {
    let home = Home::new();
    for _ in 0..5 {
        home.hook("claude", LIST);
    }
    let kept = home.0.path().join(".local/share/tenterhook/anchors");
    assert_eq!(fs::read_to_string(&kept).unwrap().lines().count(), 3, "of 1, 2 and 4");
    take_away(&home);
    home.hook("claude", LIST);
    let ran = home.run(&["verify"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(
        ran.stdout.contains(
            "4 records at least are missing at the beginning: the record was started again"
        ),
        "{ran:?}"
    );
    assert!(ran.stdout.contains("it held record 4 "), "{ran:?}");
    // However long the new one gets.
    for _ in 0..8 {
        home.hook("claude", LIST);
    }
    assert_eq!(home.run(&["verify"]).exit, 1);
    fs::remove_file(&kept).unwrap();
    assert_eq!(home.run(&["verify"]).exit, 0);
}

#[test]
fn notes_that_were_taken_away_are_told() {
    let null = |kept: &std::path::Path| std::os::unix::fs::symlink("/dev/null", kept).unwrap();
    for (how, put) in [
        ("gone", &(|_: &std::path::Path| ()) as &dyn Fn(&std::path::Path)),
        ("empty", &|kept| fs::write(kept, "").unwrap()),
        ("linked to nothing", &null),
    ] {
        let home = Home::new();
        for _ in 0..5 {
            home.hook("claude", LIST);
        }
        assert!(!home.run(&["verify"]).stdout.contains("no notes in"), "all are there");
        let kept = home.0.path().join(".local/share/tenterhook/anchors");
        fs::remove_file(&kept).unwrap();
        put(&kept);
        let ran = home.run(&["verify"]);
        assert!(ran.stdout.contains("  no notes in "), "{how}: {ran:?}");
    }
}

#[test]
fn records_that_were_cut_off_are_missed_without_an_index() {
    let home = Home::new();
    for _ in 0..9 {
        home.hook("claude", LIST);
    }
    let current = home.state().join("audit/current.jsonl");
    let text = fs::read_to_string(&current).unwrap();
    let three: String = text.split_inclusive('\n').take(3).collect();
    fs::write(&current, three).unwrap();
    let ran = home.run(&["verify"]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("5 records at least are missing at the end, after number 3"),
        "{ran:?}"
    );
}

#[test]
fn an_anchor_from_elsewhere_is_held_against_the_record() {
    let home = Home::new();
    for _ in 0..3 {
        home.hook("claude", LIST);
    }
    let json: Value = serde_json::from_str(&home.run(&["verify", "--json"]).stdout).unwrap();
    let anchor = json["anchor"].as_str().unwrap().to_owned();
    assert!(anchor.starts_with("3:"), "{anchor}");
    home.hook("claude", LIST);
    assert_eq!(home.run(&["verify", "--anchor", &anchor]).exit, 0);
    take_away(&home);
    fs::remove_dir_all(home.0.path().join(".local/share/tenterhook")).unwrap();
    home.hook("claude", LIST);
    assert_eq!(home.run(&["verify"]).exit, 0, "nobody knows better");
    let ran = home.run(&["verify", "--anchor", &anchor, "--json"]);
    assert_eq!(ran.exit, 1);
    let json: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["missed"][0]["anchor"], anchor.as_str());
    assert_eq!(home.run(&["verify", "--anchor", "3:x"]).exit, 2);
}

#[test]
fn a_record_behind_a_link_is_refused() {
    let elsewhere = tempfile::tempdir().unwrap();
    let audit = elsewhere.path().join("audit");
    let shared = elsewhere.path().join("shared");
    fs::create_dir(&audit).unwrap();
    fs::create_dir(&shared).unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(&shared, open).unwrap();
    for (link, to) in [("audit", &audit), ("", &shared)] {
        let home = Home::new();
        fs::create_dir_all(home.state().parent().unwrap()).unwrap();
        if link.is_empty() {
            std::os::unix::fs::symlink(to, home.state()).unwrap();
        } else {
            fs::create_dir_all(home.state()).unwrap();
            std::os::unix::fs::symlink(to, home.state().join(link)).unwrap();
        }
        let ran = home.hook("claude", LIST);
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert!(ran.stderr.contains("is a link") && ran.stderr.contains("no record"), "{ran:?}");
        assert!(!to.join("current.jsonl").exists() && !to.join("audit").exists());
        for reader in [["log"].as_slice(), &["verify"], &["export", "--format", "jsonl"]] {
            let ran = home.run(reader);
            assert_ne!(ran.exit, 0, "{reader:?} {ran:?}");
            assert!(ran.stderr.contains("is a link"), "{reader:?} {ran:?}");
        }
    }
}

#[test]
fn a_link_in_place_of_the_spool_is_refused_by_readers() {
    let theirs = Home::new();
    assert_eq!(theirs.hook("claude", LIST).exit, 0);
    let home = Home::new();
    assert_eq!(home.hook("claude", LIST).exit, 0);
    let spool = |home: &Home| home.state().join("audit/current.jsonl");
    fs::remove_file(spool(&home)).unwrap();
    std::os::unix::fs::symlink(spool(&theirs), spool(&home)).unwrap();
    for reader in [["log"].as_slice(), &["verify"], &["replay"], &["export", "--format", "jsonl"]] {
        let ran = home.run(reader);
        assert_ne!(ran.exit, 0, "{reader:?} {ran:?}");
        assert!(ran.stderr.contains("current.jsonl"), "{reader:?} {ran:?}");
    }
}
