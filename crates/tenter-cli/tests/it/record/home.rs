//! A home with its own record.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;
use tenter_audit::Spool;
use tenter_audit::chain::{End, NOTHING};
use tenter_audit::spool::Entry;
use tenter_testkit::{Ran, Tenter};

pub(crate) struct Home(pub(crate) TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.0.path().join(".local/state/tenterhook")
    }

    pub(crate) fn spool(&self) -> Spool {
        Spool::of_state(&self.state())
    }

    pub(crate) fn command(&self, words: &[&str]) -> std::process::Command {
        let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(words);
        command.env("HOME", self.0.path()).current_dir(self.0.path());
        command
    }

    pub(crate) fn hook(&self, host: &str, payload: &str) -> Ran {
        Tenter::finish(self.command(&["hook", host]), payload)
    }

    pub(crate) fn run(&self, words: &[&str]) -> Ran {
        Tenter::finish(self.command(words), "")
    }

    pub(crate) fn write(&self, folder: &str, name: &str, text: &str) {
        let folder = self.0.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), text).unwrap();
    }

    pub(crate) fn policy(&self, text: &str) {
        self.write(".config/tenterhook", "policy.toml", text);
    }

    /// Every line of the spool, after verifying the chain.
    pub(crate) fn chain(&self) -> Vec<String> {
        self.spool().join().unwrap();
        let (mut before, mut number, mut lines) = (NOTHING.to_owned(), 0, Vec::new());
        for segment in self.spool().segments().unwrap() {
            for entry in segment.lines(0).unwrap() {
                let Entry::Line { text, .. } = entry.unwrap() else { continue };
                let end = End::of(&text).unwrap();
                assert!(end.is_true_of(&text), "{text}");
                assert_eq!((end.prev, end.seq), (before.as_str(), number + 1), "{text}");
                (before, number) = (end.hash.to_owned(), end.seq);
                lines.push(text);
            }
        }
        lines
    }

    /// Every record of a call.
    pub(crate) fn records(&self) -> Vec<Value> {
        let all = self.chain().into_iter().map(|line| serde_json::from_str(&line).unwrap());
        all.filter(|record: &Value| record.get("kind").is_none()).collect()
    }
}
