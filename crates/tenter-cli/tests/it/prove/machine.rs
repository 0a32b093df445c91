//! A test machine for set-ups.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tenter_hosts::install::{EntryOptions, Scope, Shape};
use tenter_model::HostId;
use tenter_testkit::{Ran, Tenter};

/// A machine with home, project, folder for managed files and our program, and nothing else.
pub(crate) struct Machine(TempDir);

impl Machine {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for below in ["home", "shop/.git", "root", "bin"] {
            std::fs::create_dir_all(folder.path().join(below)).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_tenter"), folder.path().join("bin/tenter")).unwrap();
        Self(folder)
    }

    /// A machine with one host installed for its user.
    pub(crate) fn wired(host: HostId) -> Self {
        let machine = Self::new();
        machine.wire(host, Scope::User);
        machine
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    pub(crate) fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn line(&self, host: HostId) -> String {
        format!("{} hook {host}", self.path("bin/tenter").display())
    }

    /// Writes a host's file like `tenter install`.
    pub(crate) fn wire(&self, host: HostId, scope: Scope) {
        let install = tenter_hosts::host(host).install();
        let command = self.line(host);
        let mut events = Map::new();
        for wire in install.wires {
            let draft = EntryOptions { wire, command: &command, version: None, fail_closed: false };
            let fields: Map<String, Value> = (install.handler)(&draft)
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect();
            let entry = match install.shape {
                Shape::Entries => Value::Object(fields),
                Shape::Groups => json!({ "hooks": [fields] }),
            };
            events.insert(wire.event.to_owned(), json!([entry]));
        }
        let mut top = Map::new();
        for (key, json) in install.required {
            top.insert((*key).to_owned(), serde_json::from_str(json).unwrap());
        }
        top.insert("hooks".to_owned(), Value::Object(events));
        self.write(file(host, scope), &format!("{:#}\n", Value::Object(top)));
        if host == HostId::Codex {
            self.approve(scope, install.wires.iter().map(|wire| wire.event));
        }
    }

    /// Writes Codex's approvals for our hooks.
    pub(crate) fn approve(&self, scope: Scope, events: impl Iterator<Item = &'static str>) {
        let source = self.path(file(HostId::Codex, scope));
        let mut text = String::new();
        for event in events {
            let snake: String = event
                .chars()
                .enumerate()
                .flat_map(|(at, letter)| {
                    let before = (letter.is_uppercase() && at > 0).then_some('_');
                    before.into_iter().chain(letter.to_lowercase())
                })
                .collect();
            let key = format!("{}:{snake}:0:0", source.display());
            let _ = write!(text, "[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:00\"\n");
        }
        self.write("home/.codex/config.toml", &text);
    }

    /// Changes the text of a host's file.
    pub(crate) fn change(&self, host: HostId, scope: Scope, change: impl FnOnce(String) -> String) {
        let path = self.path(file(host, scope));
        let before = std::fs::read_to_string(&path).unwrap();
        let after = change(before.clone());
        assert_ne!(before, after, "the change changes something");
        std::fs::write(path, after).unwrap();
    }

    /// Replaces the command at every event.
    pub(crate) fn command(&self, host: HostId, command: &str) {
        let line = self.line(host);
        self.change(host, Scope::User, |text| text.replace(&line, command));
    }

    /// Sets a key of the handler at the tool event.
    pub(crate) fn set(&self, host: HostId, key: &str, value: Value) {
        self.change(host, Scope::User, |text| {
            let mut all: Value = serde_json::from_str(&text).unwrap();
            let entry = &mut all["hooks"][gate(host)][0];
            let is_group = entry.get("hooks").is_some();
            let target = if is_group && key != "matcher" { &mut entry["hooks"][0] } else { entry };
            target[key] = value;
            format!("{all:#}")
        });
    }

    pub(crate) fn run(&self, arguments: &[&str], path: &str) -> Ran {
        let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&["prove"]);
        if !arguments.contains(&"--real") {
            command.args(["--real", "never"]);
        }
        let root = self.path("root");
        command.args(["--root", root.to_str().unwrap()]).args(arguments).env_clear();
        command.env("HOME", self.path("home")).env("PATH", path).current_dir(self.path("shop"));
        Tenter::finish(command, "")
    }

    pub(crate) fn rows(&self) -> (Vec<Value>, i32) {
        let ran = self.run(&["--json"], "/usr/bin:/bin");
        let rows: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        (rows.as_array().unwrap().clone(), ran.exit)
    }

    /// The only row, which must be red for this reason.
    pub(crate) fn is_red(&self, reason: &str) -> Value {
        let (rows, exit) = self.rows();
        assert_eq!(rows.len(), 1, "{rows:#?}");
        let row = &rows[0];
        assert_ne!(row["state"], "protected", "{reason}: {row:#}");
        assert_eq!(exit, 1, "{reason}: {row:#}");
        let reasons = row["reasons"].as_array().unwrap();
        let said = |it: &Value| {
            it["level"] == "error"
                && it["text"].as_str().unwrap().contains(reason)
                && !it["fix"].as_str().unwrap().is_empty()
        };
        assert!(reasons.iter().any(said), "{reason}: {row:#}");
        row.clone()
    }
}

pub(crate) fn file(host: HostId, scope: Scope) -> &'static str {
    match (host, scope) {
        (HostId::Cursor, Scope::Project) => "shop/.cursor/hooks.json",
        (HostId::Cursor, Scope::User) => "home/.cursor/hooks.json",
        (HostId::Cursor, Scope::Managed) => "root/etc/cursor/hooks.json",
        (HostId::Claude, Scope::Project) => "shop/.claude/settings.json",
        (HostId::Claude, Scope::User) => "home/.claude/settings.json",
        (HostId::Claude, Scope::Managed) => "root/etc/claude-code/managed-settings.json",
        (HostId::Codex, Scope::Project) => "shop/.codex/hooks.json",
        (HostId::Codex, Scope::User) => "home/.codex/hooks.json",
        (HostId::Codex, Scope::Managed) => "root/etc/codex/hooks.json",
        (HostId::Gemini, Scope::Project) => "shop/.gemini/settings.json",
        (HostId::Gemini, Scope::User) => "home/.gemini/settings.json",
        (HostId::Gemini, Scope::Managed) => "root/etc/gemini-cli/settings.json",
        (HostId::Qwen, Scope::Project) => "shop/.qwen/settings.json",
        (HostId::Qwen, Scope::User) => "home/.qwen/settings.json",
        (HostId::Qwen, Scope::Managed) => "root/etc/qwen-code/settings.json",
    }
}

/// The event that blocks tools.
pub(crate) fn gate(host: HostId) -> &'static str {
    match host {
        HostId::Cursor => "preToolUse",
        HostId::Claude | HostId::Codex | HostId::Qwen => "PreToolUse",
        HostId::Gemini => "BeforeTool",
    }
}
