//! Sessions for tests: records with fixed times, from real hook calls or written by hand.

use std::borrow::Cow;
use std::fs;

use serde_json::{Value, json};
use tenter_audit::record::{Deed, FindingRecord, Kept, Record};
use tenter_audit::spool::Spool;
use tenter_testkit::{Ran, Tenter};

use crate::common::Machine;

/// The 16th of November 2026, 9 o'clock.
pub(crate) const NINE: u64 = 1_794_819_600_000;

/// A machine with records of its hosts.
pub(crate) struct Desk {
    pub(crate) machine: Machine,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { machine: Machine::new() }
    }

    pub(crate) fn spool(&self) -> Spool {
        Spool::of_state(&self.machine.path("home/.local/state/tenterhook"))
    }

    /// Writes a record `second` seconds after nine.
    pub(crate) fn write(&self, second: u64, record: &Record<'_>) {
        let mut body = serde_json::to_value(record).unwrap();
        body["at"] = json!(NINE + second * 1000);
        self.spool().append(body.to_string(), false).unwrap();
    }

    /// Sends a payload through the real hook.
    pub(crate) fn hook(&self, host: &str, payload: &Value) {
        let ran = Tenter::finish(self.command(&format!("hook {host}")), payload.to_string());
        assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""), "{payload}");
    }

    /// Gives all records consecutive seconds, from nine on.
    pub(crate) fn set_clock(&self) {
        let folder = self.spool().folder().to_owned();
        let text = fs::read_to_string(folder.join("current.jsonl")).unwrap();
        fs::remove_dir_all(folder).unwrap();
        for (second, line) in text.lines().enumerate() {
            self.write(second as u64, &Record::parse(line).unwrap());
        }
    }

    fn command(&self, line: &str) -> std::process::Command {
        let mut command = self.machine.command(line);
        command.env("TZ", "UTC").env("COLUMNS", "80");
        command
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        let ran = Tenter::finish(self.command(line), "");
        let here = self.machine.top().display().to_string();
        let clean = |text: &str| text.replace(&here, "@");
        Ran { stdout: clean(&ran.stdout), stderr: clean(&ran.stderr), exit: ran.exit }
    }

    /// Output of `tenter show`; also validates its JSON against the schema.
    pub(crate) fn show(&self, arguments: &str) -> String {
        if !arguments.contains("--json") {
            self.json(arguments);
        }
        let text = self.told(arguments);
        assert!(!text.lines().any(|line| line.ends_with(' ')), "{text}");
        text
    }

    fn told(&self, arguments: &str) -> String {
        let ran = self.run(&format!("show {arguments}"));
        assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""), "{arguments}");
        ran.stdout
    }

    /// Output of `tenter show --json`, by lines.
    pub(crate) fn json(&self, arguments: &str) -> Vec<Value> {
        let schema: Value = serde_json::from_str(&self.run("schema show").stdout).unwrap();
        let schema = jsonschema::validator_for(&schema).unwrap();
        let text = self.told(&format!("--json {arguments}"));
        let line = |line: &str| {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(schema.is_valid(&value), "{:?}: {line}", schema.validate(&value));
            value
        };
        text.lines().map(line).collect()
    }
}

/// A record of one session.
pub(crate) fn record(event: &'static str) -> Record<'static> {
    Record {
        v: 1,
        host: Cow::Borrowed("claude"),
        event: Cow::Borrowed(event),
        native_event: Cow::Borrowed(event),
        session_id: Some(Cow::Borrowed("s-1")),
        cwd: Some(Cow::Borrowed("/home/ana/shop")),
        ..Record::default()
    }
}

pub(crate) fn whole(text: &'static str) -> Kept<'static> {
    Kept::Whole(Cow::Borrowed(text))
}

pub(crate) fn prompt(text: &'static str) -> Record<'static> {
    Record { prompt: Some(whole(text)), ..record("UserPromptSubmit") }
}

/// A command before it runs.
pub(crate) fn bash(call: &'static str, command: &'static str) -> Record<'static> {
    Record {
        call_id: Some(Cow::Borrowed(call)),
        tool: Some(Cow::Borrowed("Bash")),
        actions: vec![Deed::Shell { command: whole(command), cwd: None }],
        ..record("PreToolUse")
    }
}

/// A read before it happens.
pub(crate) fn read(call: &'static str, path: &'static str) -> Record<'static> {
    Record {
        tool: Some(Cow::Borrowed("Read")),
        actions: vec![Deed::Read { path: Some(Cow::Borrowed(path)), content: None }],
        ..bash(call, "")
    }
}

/// The same call after it finished.
pub(crate) fn done(before: &Record<'static>, ms: u64) -> Record<'static> {
    Record {
        event: Cow::Borrowed("PostToolUse"),
        native_event: Cow::Borrowed("PostToolUse"),
        duration_ms: Some(ms.into()),
        decision: None,
        findings: Vec::new(),
        ..before.clone()
    }
}

/// The same call, denied by a rule.
pub(crate) fn denied(before: Record<'static>, instead: &'static str) -> Record<'static> {
    let finding = FindingRecord {
        rule: Cow::Borrowed("team/no-push"),
        level: Cow::Borrowed("deny"),
        what: Some(Cow::Borrowed("publishes the work")),
        instead: Some(Cow::Borrowed(instead)),
        ..FindingRecord::default()
    };
    Record {
        decision: Some(Cow::Borrowed("deny")),
        enforcement: Cow::Borrowed("hard"),
        findings: vec![finding],
        ..before
    }
}
