//! `tenter prune`, and the reminder by readers.
#![cfg(unix)]

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;
use tenter_audit::{Record, Spool};
use tenter_testkit::{Ran, Tenter};

use crate::common::Machine;

const DAY: u64 = 24 * 60 * 60 * 1000;
const STATE: &str = "home/.local/state/tenterhook";

fn now() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

struct Recorded {
    machine: Machine,
    spool: Spool,
}

impl Recorded {
    /// A machine with one call a day, from `days` days ago until today.
    fn new(days: u64) -> Self {
        let machine = Machine::with(&[]);
        let spool = Spool::of_state(&machine.path(STATE)).with_segments_of(900);
        let now = now();
        for day in (0..days).rev() {
            let at = now - day * DAY;
            let body = format!(
                "{{\"v\":1,\"at\":{at},\"level\":\"standard\",\"host\":\"claude\",\"event\":\"Stop\"}}"
            );
            spool.append(body, false).unwrap();
        }
        Self { machine, spool }
    }

    fn run(&self, line: &str) -> Ran {
        let mut command = self.machine.command(line);
        command.env("TZ", "UTC");
        Tenter::finish(command, "")
    }

    fn json(&self, line: &str) -> Value {
        let ran = self.run(line);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        let value: Value = serde_json::from_str(&ran.stdout).unwrap();
        let command = line.split(' ').next().unwrap();
        let schema: Value =
            serde_json::from_str(&self.run(&format!("schema {command}")).stdout).unwrap();
        let schema = jsonschema::validator_for(&schema).unwrap();
        assert!(schema.is_valid(&value), "{:?}: {value}", schema.validate(&value));
        value
    }

    /// Ages in days of the remaining calls, oldest first.
    fn left(&self) -> Vec<u64> {
        let now = now();
        let mut found = Vec::new();
        for segment in self.spool.segments().unwrap() {
            for line in fs::read_to_string(segment.path).unwrap().lines() {
                let record = Record::parse(line).unwrap();
                if record.host == "claude" {
                    found.push((now - record.at) / DAY);
                }
            }
        }
        found
    }

    /// Sets the time of the last reminder.
    fn stamp(&self, ms_ago: u64) {
        fs::write(self.spool.folder().join("reminded"), (now() - ms_ago).to_string()).unwrap();
    }

    fn policy(&self, text: &str) {
        self.machine.write("home/.config/tenterhook/policy.toml", &format!("version = 1\n{text}"));
    }
}

#[test]
fn a_dry_run_says_what_the_real_one_does() {
    let recorded = Recorded::new(100);
    let told = recorded.json("prune --older-than 30d --dry-run --json");
    assert_eq!(recorded.left().len(), 100);
    assert_eq!((&told["dry_run"], &told["checkpoint"]), (&true.into(), &Value::Null));
    let done = recorded.json("prune --older-than 30d --yes --json");
    assert_eq!((&done["dry_run"], &done["gone"]), (&false.into(), &told["gone"]));
    assert!(done["checkpoint"].is_number());
    let left = recorded.left();
    assert!(left.len() >= 30 && left.len() < 36, "{left:?}");
    assert_eq!(done["gone"]["through"].as_u64().unwrap() + 1, done["stays"]["first"]);
    let checked = recorded.json("verify --json");
    assert_eq!(checked["cleared"]["through"], done["gone"]["through"]);
    assert_eq!(checked["incidents"], Value::Array(Vec::new()));
    // Readers do not find deleted records.
    let log = recorded.run("log --json --since 400d");
    assert_eq!((log.exit, log.stdout.lines().count()), (0, left.len()), "{}", log.stderr);
}

#[test]
fn the_next_run_finishes_what_one_that_was_ended_has_begun() {
    let recorded = Recorded::new(40);
    let events = || recorded.json("stats --since 400d --json")["events"].clone();
    assert_eq!(events(), 40);
    let index = recorded.spool.folder().join("index.sqlite");
    let before = fs::read(&index).unwrap();
    recorded.json("prune --older-than 10d --yes --json");
    let left = recorded.left().len();
    assert_eq!(events(), left);
    // As if killed after the files were deleted, before the index was updated.
    for end in ["-wal", "-shm"] {
        drop(fs::remove_file(recorded.spool.folder().join(format!("index.sqlite{end}"))));
    }
    fs::write(&index, before).unwrap();
    assert_eq!(events(), left, "an index that is older than the record is made again");
    assert_eq!(recorded.json("prune --older-than 10d --yes --json")["gone"], Value::Null);
    assert_eq!(events(), left);
}

#[test]
fn people_are_told_what_goes_and_what_stays() {
    let recorded = Recorded::new(20);
    let ran = recorded.run("prune --older-than 10d --dry-run");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert!(lines[0].starts_with("would go: ") && lines[0].contains(" records in "), "{lines:?}");
    assert!(lines[1].starts_with("stays: ") && lines[1].contains("from record "), "{lines:?}");
    assert!(
        lines[2].starts_with("index: ") && lines[2].ends_with("; it shrinks with the record"),
        "{lines:?}"
    );
    let ran = recorded.run("prune --older-than 300d --yes");
    assert!(ran.stdout.starts_with("nothing to clear away: no file of the record is older than "));
    let ran = Recorded::new(0).run("prune --yes");
    assert_eq!((ran.exit, ran.stdout.lines().last()), (0, Some("stays: nothing")));
}

#[test]
fn nobody_to_ask_means_nothing_goes() {
    let recorded = Recorded::new(20);
    let ran = recorded.run("prune --older-than 10d");
    assert_eq!((ran.exit, recorded.left().len()), (2, 20));
    assert!(ran.stderr.contains("--dry-run"), "{}", ran.stderr);
}

#[test]
fn an_agent_clears_nothing_away() {
    let recorded = Recorded::new(20);
    recorded.stamp(2 * DAY);
    recorded.policy("[record]\nkeep = \"5d\"\n");
    for line in ["prune --older-than 10d --yes", "log"] {
        let mut command = recorded.machine.command(line);
        command.env("CLAUDECODE", "1");
        let ran = Tenter::finish(command, "");
        assert_eq!(ran.exit, i32::from(line != "log"), "{}", ran.stderr);
        assert_eq!(ran.stderr.contains("an agent is asking"), line != "log");
    }
    assert_eq!(recorded.left().len(), 20);
    assert_eq!(recorded.run("prune --older-than 10d --yes").exit, 0);
    assert!(recorded.left().len() < 20, "the same for a human");
}

#[test]
fn without_an_age_the_policy_says_it() {
    let recorded = Recorded::new(100);
    let told = recorded.json("prune --dry-run --json");
    let days = (now() - told["before"].as_u64().unwrap() + DAY / 2) / DAY;
    assert_eq!(days, 90);
    recorded.policy("[record]\nkeep = \"2w\"\n");
    let told = recorded.json("prune --dry-run --json");
    assert_eq!((now() - told["before"].as_u64().unwrap() + DAY / 2) / DAY, 14);
    recorded.policy("[record]\nkeep = \"forever\"\n");
    let ran = recorded.run("prune --yes");
    assert!(ran.exit == 2 && ran.stderr.contains("--older-than"), "{}", ran.stderr);
    recorded.policy("[record]\nkeep = \"sometimes\"\n");
    assert_eq!(recorded.run("prune --yes").exit, 2, "a broken policy may have meant for ever");
    assert_eq!(recorded.left().len(), 100);
}

#[test]
fn readers_clear_nothing_away_and_say_once_a_day_what_is_too_old() {
    let recorded = Recorded::new(100);
    recorded.stamp(DAY - 60_000);
    assert_eq!(recorded.run("log").stderr, "", "not twice a day");
    recorded.stamp(DAY + 60_000);
    let files = recorded.machine.files();
    let ran = recorded.run("log");
    assert!(ran.stderr.contains("records are older than 90 days"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("clear them away: `tenter prune`\n"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1);
    for line in ["log", "show", "stats", "sessions", "replay"] {
        assert!(!recorded.run(line).stderr.contains("older than"), "{line}");
    }
    assert_eq!(recorded.left().len(), 100);
    assert_eq!(recorded.machine.files().len(), files.len());
    assert_eq!(recorded.run("prune --yes").exit, 0);
    let left = recorded.left();
    assert!(left.len() >= 90 && left.len() < 96, "{left:?}");
    recorded.stamp(2 * DAY);
    assert_eq!(recorded.run("log").stderr, "");
    assert_eq!(recorded.run("verify").exit, 0);
}

#[test]
fn what_is_kept_for_ever_is_not_too_old_and_neither_is_what_a_broken_policy_meant() {
    for keep in ["[record]\nkeep = \"forever\"\n", "[record]\nkeep = 5\n"] {
        let recorded = Recorded::new(100);
        recorded.policy(keep);
        let ran = recorded.run("log");
        assert!(!ran.stderr.contains("older than"), "{keep}: {}", ran.stderr);
    }
    // A project cannot set the retention.
    let recorded = Recorded::new(100);
    recorded.machine.write("repo/tenter.toml", "version = 1\n[record]\nkeep = \"1d\"\n");
    let ran = recorded.run("log");
    assert!(ran.stderr.contains("older than 90 days"), "{}", ran.stderr);
}

#[test]
fn evidence_is_not_cleared_away() {
    let recorded = Recorded::new(100);
    let first = recorded.spool.segments().unwrap().remove(0).path;
    let text = fs::read_to_string(&first).unwrap();
    fs::write(&first, text.replacen("Stop", "Halt", 1)).unwrap();
    recorded.run("log");
    let ran = recorded.run("prune --yes");
    assert!(ran.exit == 1 && ran.stderr.contains("--broken"), "{}", ran.stderr);
    assert_eq!(recorded.left().len(), 100);
    assert_eq!(recorded.run("prune --yes --broken").exit, 0);
    assert_eq!(recorded.run("verify").exit, 0);
}

#[test]
fn the_index_shrinks_with_the_record_and_that_is_said() {
    let recorded = Recorded::new(0);
    let now = now();
    for call in 0..3_000_u64 {
        let at = now - if call < 2_990 { 60 * DAY } else { 0 };
        recorded
            .spool
            .append(
                format!(
                    "{{\"v\":1,\"at\":{at},\"level\":\"standard\",\"host\":\"claude\",\"event\":\"PreToolUse\",\"session_id\":\"s{call}\",\"actions\":[{{\"do\":\"read\",\"path\":\"/srv/shop/{call}.rs\"}}]}}"
                ),
                false,
            )
            .unwrap();
    }
    let ran = recorded.run("prune --older-than 30d --yes");
    let line = ran.stdout.lines().find(|line| line.starts_with("index: ")).unwrap();
    assert!(line.ends_with(" less than before; there is no VACUUM to run"), "{}", ran.stdout);
    let done = recorded.json("prune --older-than 30d --yes --json");
    assert_eq!(done["index"], done["index_before"], "nothing more to give back");
    let bytes = fs::metadata(recorded.spool.folder().join("index.sqlite")).unwrap().len();
    assert!(bytes < 200_000, "{bytes}");
}

#[test]
fn policies_go_with_the_last_record_that_mentions_them() {
    let recorded = Recorded::new(20);
    let append = |days: u64, policy: &str| {
        let at = now() - days * DAY;
        let body = format!(
            "{{\"v\":1,\"at\":{at},\"level\":\"standard\",\"host\":\"claude\",\"event\":\"Stop\",\"policy\":\"{policy}\"}}"
        );
        recorded.spool.append(body, false).unwrap();
    };
    append(0, "00000000000000aa");
    let folder = recorded.machine.path(STATE).join("policies");
    fs::create_dir_all(&folder).unwrap();
    let keep = |name: &str, days: u64| {
        let file = fs::File::create(folder.join(name)).unwrap();
        file.set_modified(SystemTime::now() - std::time::Duration::from_hours(days * 24)).unwrap();
    };
    // One referred to, one not, one that a call may be about to use, and an invalid one.
    for (name, days) in [
        ("00000000000000aa.image", 400),
        ("00000000000000bb.image", 400),
        ("00000000000000cc.image", 0),
        ("notes.txt", 400),
    ] {
        keep(name, days);
    }
    assert_eq!(recorded.json("prune --older-than 10d --dry-run --json")["policies"], 0);
    let left = || {
        let entries = fs::read_dir(&folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(left().len(), 4);
    let ran = recorded.run("prune --older-than 10d --yes");
    assert!(
        ran.stdout.contains("also gone: 1 policy that no record mentions any more"),
        "{}",
        ran.stdout
    );
    assert_eq!(left(), ["00000000000000aa.image", "00000000000000cc.image", "notes.txt"]);
    // Readers delete nothing.
    keep("00000000000000dd.image", 400);
    recorded.run("log");
    assert_eq!(left().len(), 4);
}

#[test]
fn what_sessions_left_behind_goes_too() {
    let recorded = Recorded::new(1);
    let old = recorded.machine.path(STATE).join("sessions/claude-x");
    fs::create_dir_all(old.parent().unwrap()).unwrap();
    let file = fs::File::create(&old).unwrap();
    file.set_modified(SystemTime::now() - std::time::Duration::from_hours(31 * 24)).unwrap();
    let ran = recorded.run("prune --dry-run");
    assert!(old.exists(), "{}", ran.stdout);
    let ran = recorded.run("prune --yes");
    assert!(
        ran.stdout.ends_with("also gone: 1 file of sessions that are over\n"),
        "{}",
        ran.stdout
    );
    assert!(!old.exists());
}
