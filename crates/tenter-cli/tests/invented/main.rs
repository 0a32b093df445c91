//! Runs a fictitious host through every command that knows hosts: a new host needs only one folder of data.
//!
//! A separate program, since it runs a `tenter` built with the feature `invented-host`.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::PathBuf;

use serde_json::{Value, json};
use tenter_hosts::detect;
use tenter_model::{EventKind, HostId, Object};
use tenter_testkit::{Ran, Tenter};

/// A machine with a home, a project, and the host's program.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let machine = Self(tempfile::tempdir().unwrap());
        for folder in ["home/shop/.git", "root", "bin"] {
            std::fs::create_dir_all(machine.path(folder)).unwrap();
        }
        let program = machine.path("bin/invented");
        std::fs::write(&program, "#!/bin/sh\necho 1.0.0\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        symlink(env!("CARGO_BIN_EXE_tenter"), machine.path("bin/tenter")).unwrap();
        machine
    }

    fn wired() -> Self {
        let machine = Self::new();
        let installed = machine.run(&["install", "--hosts", "invented", "--scope", "user", "-y"]);
        assert_eq!(installed.exit, 0, "{installed:?}");
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn file(&self) -> PathBuf {
        self.path("home/.invented/settings.json")
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.fed(arguments, "")
    }

    fn fed(&self, arguments: &[&str], stdin: &str) -> Ran {
        let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(arguments);
        for (name, _) in std::env::vars_os() {
            if name != "TMPDIR" && name != "LLVM_PROFILE_FILE" {
                command.env_remove(name);
            }
        }
        command.current_dir(self.path("home/shop")).env("HOME", self.path("home"));
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path("bin").display()));
        Tenter::finish(command, stdin)
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(arguments);
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }
}

fn payload(event: &str, command: &str) -> String {
    json!({
        "hook_event_name": event, "invented_version": "1.0", "session_id": "s-1", "cwd": "/w",
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t-1",
    })
    .to_string()
}

#[test]
fn install_wires_every_event_and_uninstall_leaves_nothing() {
    let machine = Machine::wired();
    let wired: Value = serde_json::from_slice(&std::fs::read(machine.file()).unwrap()).unwrap();
    let install = tenter_hosts::host(HostId::Invented).install();
    for wire in install.wires {
        let command = &wired["hooks"][wire.event][0]["hooks"][0]["command"];
        assert!(command.as_str().unwrap().ends_with("hook invented"), "{}: {wired}", wire.event);
    }
    let gone = machine.run(&["uninstall", "--hosts", "invented", "-y"]);
    assert_eq!(gone.exit, 0, "{gone:?}");
    assert!(!machine.file().exists());
}

#[test]
fn doctor_finds_no_fault_in_it_and_one_in_a_spoilt_file() {
    let machine = Machine::wired();
    let looked = machine.run(&["doctor"]);
    assert!(looked.stdout.contains("Invented Agent"), "{looked:?}");
    let text = std::fs::read_to_string(machine.file()).unwrap();
    std::fs::write(machine.file(), text.replace("hook invented", "hook cursor")).unwrap();
    let spoilt = machine.run(&["doctor"]);
    assert_eq!(spoilt.exit, 1, "{spoilt:?}");
    assert!(spoilt.stdout.contains("wrong-host"), "{spoilt:?}");
}

#[test]
fn prove_sends_canaries_through_both_gates() {
    let machine = Machine::wired();
    let proved = machine.json(&["prove", "--hosts", "invented", "--json"]);
    let text = proved.to_string();
    assert!(text.contains("BeforeDeploy") && text.contains("PreToolUse"), "{text}");
    assert!(!text.contains("\"red\""), "{text}");
}

#[test]
fn lint_knows_its_files_and_its_events() {
    let machine = Machine::new();
    let folder = machine.path("home/shop/.invented");
    std::fs::create_dir_all(&folder).unwrap();
    let group = "[{\"hooks\": [{\"type\": \"command\", \"command\": \"ls\"}]}]";
    let text = format!("{{\"hooks\": {{\"BeforeDeploy\": {group}, \"BeforeDeplay\": {group}}}}}");
    std::fs::write(folder.join("settings.json"), text).unwrap();
    let found = machine.run(&["lint"]);
    assert_eq!(found.exit, 1, "{found:?}");
    assert!(found.stdout.contains("Invented Agent has no event `BeforeDeplay`"), "{found:?}");
    assert!(found.stdout.contains("did you mean `BeforeDeploy`?"), "{found:?}");
}

#[test]
fn matrix_prints_its_table() {
    let printed = Machine::new().run(&["matrix", "--host", "invented", "--markdown"]);
    assert!(printed.stdout.contains("## Invented Agent"), "{printed:?}");
    assert!(printed.stdout.contains("| `BeforeDeploy` | PreToolUse |"), "{printed:?}");
}

#[test]
fn a_payload_tells_its_host_and_is_read() {
    let text = payload("BeforeDeploy", "ls");
    let object = Object::parse(&text).unwrap();
    assert_eq!(detect(&object).host, Some(HostId::Invented));
    let event = tenter_hosts::host(HostId::Invented).decode(&object);
    assert_eq!(event.kind(), EventKind::PreToolUse);
    assert_eq!(event.tool_call().and_then(|call| call.command()).as_deref(), Some("ls"));
}

#[test]
fn hook_answers_each_event_in_its_own_words() {
    let machine = Machine::new();
    let answer = |event: &str, command: &str| {
        let ran = machine.fed(&["hook", "invented"], &payload(event, command));
        assert_eq!(ran.exit, 0, "{ran:?}");
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_default()
    };
    let denied = answer("PreToolUse", "rm -rf /");
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny", "{denied}");
    let denied = answer("BeforeDeploy", "rm -rf /");
    assert_eq!(denied["verdict"], "stop", "{denied}");
    assert!(denied["because"].is_string(), "{denied}");
    assert_eq!(answer("BeforeDeploy", "ls"), Value::Null);
}
