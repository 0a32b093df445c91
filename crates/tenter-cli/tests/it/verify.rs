//! `tenter verify`: a machine's record, exported files, signatures.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::Value;
use tenter_audit::Spool;

use crate::common::Machine;

/// 2026-11-16 14:00:00 UTC.
const BEGIN: u64 = 1_794_837_600_000;

struct Recorded {
    machine: Machine,
    spool: Spool,
}

impl Recorded {
    /// A machine with this many records, a minute apart.
    fn new(calls: u64) -> Self {
        let machine = Machine::with(&[]);
        let spool = Spool::of_state(&machine.path("home/.local/state/tenterhook"));
        for number in 0..calls {
            let at = BEGIN + number * 60_000;
            let body = format!(
                "{{\"v\":1,\"at\":{at},\"level\":\"standard\",\"host\":\"claude\",\"event\":\"Stop\"}}"
            );
            spool.append(body, false).unwrap();
        }
        Self { machine, spool }
    }

    fn file(&self) -> PathBuf {
        self.spool.folder().join("current.jsonl")
    }

    fn run(&self, line: &str) -> (i32, String) {
        let mut command = self.machine.command(line);
        command.env("TZ", "UTC");
        let ran = tenter_testkit::Tenter::finish(command, "");
        let here = self.machine.top().display().to_string();
        (ran.exit, format!("{}{}", ran.stdout, ran.stderr).replace(&here, "@"))
    }

    fn json(&self, line: &str) -> (i32, Value) {
        let (exit, text) = self.run(line);
        let value: Value = serde_json::from_str(&text).unwrap();
        let schema: Value = serde_json::from_str(&self.run("schema verify").1).unwrap();
        let schema = jsonschema::validator_for(&schema).unwrap();
        assert!(schema.is_valid(&value), "{:?}: {text}", schema.validate(&value));
        (exit, value)
    }

    /// Changes the text of the record.
    fn change(&self, change: impl Fn(String) -> String) {
        let text = fs::read_to_string(self.file()).unwrap();
        fs::write(self.file(), change(text)).unwrap();
    }
}

/// A text without its hashes.
fn without_hashes(text: &str) -> String {
    let word = |word: &str| {
        let is_hash = word.len() == 64 && word.bytes().all(|it| it.is_ascii_hexdigit());
        if is_hash { "HASH".to_owned() } else { word.to_owned() }
    };
    text.split(' ')
        .map(|part| part.split('\n').map(word).collect::<Vec<_>>().join("\n"))
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn an_intact_record_is_said_to_be_so() {
    let recorded = Recorded::new(5);
    let (exit, text) = recorded.run("verify");
    assert_eq!(exit, 0);
    assert_eq!(
        without_hashes(&text),
        "the record is intact: 5 records (1 to 5) in 1 file, 2026-11-16 14:00:00 to 2026-11-16 14:04:00\n\
         \x20 last: record 5 HASH\n"
    );
    let (exit, json) = recorded.json("verify --json");
    assert_eq!((exit, &json["intact"], &json["records"]), (0, &true.into(), &5.into()));
    assert_eq!(json["first"]["at"], BEGIN);
    assert_eq!(json["last"]["hash"].as_str().unwrap().len(), 64);
    assert_eq!(json["broken"], Value::Null);
}

#[test]
fn without_a_record_it_says_what_makes_one() {
    let (exit, text) = Recorded::new(0).run("verify");
    assert_eq!(exit, 0);
    assert!(text.contains("no record yet") && text.contains("tenter init"), "{text}");
}

#[test]
fn a_changed_record_is_named_with_its_time() {
    let recorded = Recorded::new(5);
    recorded.change(|text| {
        let lines = text.lines().enumerate();
        let changed = |(at, line): (usize, &str)| match at {
            2 => line.replace("Stop", "Halt") + "\n",
            _ => line.to_owned() + "\n",
        };
        lines.map(changed).collect()
    });
    let (exit, text) = recorded.run("verify");
    assert_eq!(exit, 1);
    assert_eq!(
        without_hashes(&text),
        "the record is broken at record 3: the line was changed: its hash is not the one of its text\n\
         \x20 where: @/home/.local/state/tenterhook/audit/current.jsonl, line 3\n\
         \x20 when: between 2026-11-16 14:01:00 and 2026-11-16 14:03:00\n\
         \x20 after it: 2 lines, which are in order\n\
         \x20 checked: 5 records (1 to 5) in 1 file, 2026-11-16 14:00:00 to 2026-11-16 14:04:00\n\
         \x20 last: record 5 HASH\n"
    );
    let (exit, json) = recorded.json("verify --json");
    assert_eq!(exit, 1);
    assert_eq!((&json["broken"]["seq"], &json["broken"]["line"]), (&3.into(), &3.into()));
    assert_eq!(json["broken"]["why"], "changed");
    assert_eq!(json["broken"]["after"], BEGIN + 60_000);
    assert_eq!(json["broken"]["before"], BEGIN + 3 * 60_000);
}

#[test]
fn torn_and_lost_records_are_told_but_break_nothing() {
    let recorded = Recorded::new(2);
    recorded.change(|text| text + "{\"v\":1,\"at\"");
    let (exit, text) = recorded.run("verify");
    assert!(exit == 0 && text.contains("unfinished: a last line of 11 bytes"), "{text}");
    fs::write(recorded.machine.path("home/.local/state/tenterhook/lost"), "3\n").unwrap();
    recorded.spool.append("{\"v\":1,\"at\":1794837800000}".to_owned(), false).unwrap();
    let (exit, text) = recorded.run("verify");
    assert_eq!(exit, 0);
    assert!(text.contains("torn: 1 place where a hook was ended while it wrote, before record 3"));
    assert!(text.contains("lost: 3 calls left no record"), "{text}");
}

#[test]
fn what_was_cut_off_at_the_end_is_missed_by_the_index() {
    let recorded = Recorded::new(5);
    assert_eq!(recorded.run("verify").0, 0);
    let cut = |text: String| text.lines().take(3).flat_map(|line| [line, "\n"]).collect::<String>();
    recorded.change(cut);
    for _ in 0..2 {
        // The chain itself is valid; an earlier incident is not forgotten by reading.
        let (exit, json) = recorded.json("verify --json");
        assert_eq!((exit, &json["breaks"], &json["intact"]), (1, &0.into(), &false.into()));
        let incident = json["incidents"][0]["text"].as_str().unwrap();
        assert!(incident.contains("record 5"), "{incident}");
    }
    let (_, text) = recorded.run("verify");
    assert!(text.contains("an earlier reader has seen records that are gone:\n"), "{text}");
    let head = "records are gone from the record; what is left fits together: 3 records (1 to 3)";
    assert!(text.starts_with(head), "{text}");
}

/// Leaves a sign of life like a hook right before its record.
fn leave_sign(recorded: &Recorded, at: u64) {
    let sign = format!("{at} - none claude");
    recorded
        .machine
        .write("home/.local/state/tenterhook/seen/claude.Stop", &format!("{sign:<63}\n"));
}

#[test]
fn a_record_that_is_gone_altogether_is_missed_by_the_signs_of_hooks() {
    let recorded = Recorded::new(0);
    let (exit, text) = recorded.run("verify");
    assert!(exit == 0 && text.starts_with("there is no record yet"), "{text}");
    leave_sign(&recorded, BEGIN);
    let (exit, text) = recorded.run("verify");
    assert_eq!(exit, 1);
    assert_eq!(
        text,
        "the record is gone: hooks have run until 2026-11-16 14:00:00 (`tenter status`), and nothing is recorded\n"
    );
    let (exit, json) = recorded.json("verify --json");
    assert_eq!((exit, &json["intact"], &json["last_sign"]), (1, &false.into(), &BEGIN.into()));
    // An unrecorded call is different.
    recorded.machine.write("home/.local/state/tenterhook/lost", "00000000000000000002\n");
    let (exit, text) = recorded.run("verify");
    assert_eq!(exit, 0, "{text}");
    assert!(text.contains("lost: 2 calls since then left no record, because it cannot"), "{text}");
}

#[test]
fn a_hook_that_ran_after_the_last_record_is_told() {
    let recorded = Recorded::new(5);
    let last = BEGIN + 4 * 60_000;
    for (at, is_told) in [(last + 60_000, false), (last + 60_001, true)] {
        leave_sign(&recorded, at);
        let (exit, text) = recorded.run("verify");
        assert_eq!(exit, 0);
        let told = text.contains("after it: a hook ran at 2026-11-16 14:05:00 and left no record");
        assert_eq!(told, is_told, "{text}");
    }
}

#[test]
fn an_exported_file_is_checked_line_by_line() {
    let recorded = Recorded::new(5);
    let text = fs::read_to_string(recorded.file()).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    recorded.machine.write("repo/some.jsonl", &format!("{}\n{}\n", lines[1], lines[3]));
    assert_eq!(
        recorded.run("verify some.jsonl"),
        (
            0,
            "some.jsonl is intact: 2 records (2 to 4) in 1 file, 2026-11-16 14:01:00 to 2026-11-16 14:03:00\n"
                .to_owned()
        )
    );
    recorded.machine.write("repo/some.jsonl", &lines[3].replace("Stop", "Halt"));
    assert_eq!(recorded.run("verify some.jsonl").0, 1);
    assert_eq!(recorded.run("verify missing.jsonl").0, 3);
    // A file's name is escaped on the terminal.
    recorded.machine.write("repo/a\u{1b}[31m.jsonl", &format!("{}\n", lines[0]));
    let mut command = recorded.machine.command("verify");
    command.arg("a\u{1b}[31m.jsonl");
    let ran = tenter_testkit::Tenter::finish(command, "");
    assert!(ran.exit == 0 && !ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
}

#[test]
fn a_signature_holds_for_the_file_and_the_key_only() {
    let recorded = Recorded::new(1);
    let machine = &recorded.machine;
    for key in ["one", "two"] {
        assert_eq!(recorded.run(&format!("verify --new-key {key}")).0, 0);
        let mode = fs::metadata(machine.path(&format!("repo/{key}"))).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert_ne!(machine.read("repo/one"), machine.read("repo/two"));
    let kept = machine.read("repo/one");
    assert_eq!(recorded.run("verify --new-key one").0, 3, "a key is never written over");
    assert_eq!(machine.read("repo/one"), kept);

    machine.write("repo/export.jsonl", "what was exported\n");
    assert_eq!(recorded.run("verify --check one.pub export.jsonl").0, 3, "no signature yet");
    assert_eq!(
        recorded.run("verify --sign one export.jsonl"),
        (0, "signed: export.jsonl.sig\n".to_owned())
    );
    let check = |key: &str| recorded.run(&format!("verify --check {key} export.jsonl"));
    assert_eq!(check("one.pub"), (0, "export.jsonl is as it was signed\n".to_owned()));
    assert_eq!(check("two.pub").0, 1);
    let (exit, text) = check("one");
    assert!(exit == 3 && text.contains("this is a secret key"), "{text}");
    let (exit, text) = recorded.run("verify --sign one.pub export.jsonl");
    assert!(exit == 3 && text.contains("this is a public key"), "{text}");

    machine.write("repo/export.jsonl", "what was exported \n");
    let (exit, text) = check("one.pub");
    assert!(exit == 1 && text.contains("is not the signature of this file by this key"), "{text}");
    machine.write("repo/export.jsonl", "what was exported\n");
    assert_eq!(check("one.pub").0, 0);
    let signature = machine.path("repo/export.jsonl.sig");
    let mut bytes = fs::read(&signature).unwrap();
    assert_eq!(bytes.len(), 64);
    for at in [0, 31, 32, 63] {
        bytes[at] ^= 1;
        fs::write(&signature, &bytes).unwrap();
        assert_eq!(check("one.pub").0, 1, "{at}");
        bytes[at] ^= 1;
    }
    fs::write(&signature, "").unwrap();
    assert_eq!(check("one.pub").0, 1);
}

// Other systems have another `openssl` with fewer features.
#[cfg(target_os = "linux")]
#[test]
fn openssl_agrees_about_keys_and_signatures() {
    let recorded = Recorded::new(1);
    let machine = &recorded.machine;
    let openssl = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = std::process::Command::new("openssl");
        command.args(words).current_dir(machine.path("repo"));
        command.output().unwrap().status.success()
    };
    machine.write("repo/export.jsonl", &"what was exported\n".repeat(50_000));
    assert_eq!(recorded.run("verify --new-key ours").0, 0);
    let verify = "pkeyutl -verify -pubin -rawin -in export.jsonl -sigfile export.jsonl.sig -inkey";
    // Signatures differ each time, so check several.
    for _ in 0..8 {
        assert_eq!(recorded.run("verify --sign ours export.jsonl").0, 0);
        assert!(openssl(&format!("{verify} ours.pub")));
    }
    assert!(openssl("genpkey -algorithm ed25519 -out theirs"));
    assert!(openssl("pkey -in theirs -pubout -out theirs.pub"));
    assert!(!openssl(&format!("{verify} theirs.pub")));
    let sign = "pkeyutl -sign -rawin -in export.jsonl -out export.jsonl.sig -inkey theirs";
    assert!(openssl(sign));
    assert_eq!(recorded.run("verify --check theirs.pub export.jsonl").0, 0);
    assert_eq!(recorded.run("verify --check ours.pub export.jsonl").0, 1);
    assert_eq!(recorded.run("verify --sign theirs export.jsonl").0, 0);
    assert!(openssl(&format!("{verify} theirs.pub")));
}

#[test]
fn options_that_make_no_sense_together_are_refused() {
    let recorded = Recorded::new(0);
    for line in [
        "verify --sign key",
        "verify --check key",
        "verify --sign a --check b file",
        "verify --new-key a file",
        "verify --json --sign key file",
    ] {
        assert_eq!(recorded.run(line).0, 2, "{line}");
    }
}
