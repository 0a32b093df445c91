//! An install keeps earlier options, and fails closed by default.
#![cfg(unix)]

use serde_json::Value;

use crate::common::Machine;

fn install(machine: &Machine, options: &str) -> String {
    let root = machine.path("root");
    let fixed = "--yes --binary /opt/tenter/bin/tenter --root";
    let ran = machine.run(&format!("install {fixed} {} {options}", root.display()));
    assert_eq!(ran.exit, 0, "{options}: {}", ran.stderr);
    ran.stdout
}

fn settings(machine: &Machine, file: &str) -> Value {
    serde_json::from_str(&machine.read(file)).unwrap()
}

const CLAUDE: &str = "home/.claude/settings.json";
const CURSOR: &str = "home/.cursor/hooks.json";
const CODEX: &str = "home/.codex/hooks.json";

#[test]
fn gates_fail_closed_where_the_host_can_and_records_do_not() {
    let machine = Machine::new();
    let said = install(&machine, "");
    let cursor = settings(&machine, CURSOR);
    for gate in ["preToolUse", "beforeMCPExecution", "beforeSubmitPrompt", "subagentStart"] {
        assert_eq!(cursor["hooks"][gate][0]["failClosed"], true, "{gate}: {cursor:#}");
    }
    assert_eq!(cursor["hooks"]["postToolUse"][0].get("failClosed"), None);
    let claude = settings(&machine, CLAUDE);
    assert_eq!(claude["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block", "{claude:#}");
    assert_eq!(claude["hooks"]["Stop"][0]["hooks"][0].get("onFailure"), None);
    assert!(!machine.read(CODEX).contains("onFailure"));
    // The reason, the way out, and hosts that cannot do it.
    for words in [
        "fail-closed: calls stop while tenter is missing or crashes",
        "A guard that cannot run must not look like consent.",
        "delete the entries with `tenter hook` from these files",
        "--fail-open lets calls pass",
        "Codex lets calls pass while tenter is missing or crashes",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
}

#[test]
fn an_older_claude_is_not_told_what_it_does_not_know() {
    let machine = Machine::with(&[("claude", "2.1.290 (Claude Code)")]);
    let said = install(&machine, "--hosts claude");
    assert!(!machine.read(CLAUDE).contains("onFailure"));
    assert!(said.contains("only from 2.1.295 on can it be told to stop them"), "{said}");
}

#[test]
fn what_is_not_given_stays_as_it_was_wired() {
    let machine = Machine::new();
    install(&machine, "--events gates --matcher Bash --fail-open --hosts claude");
    let wired = machine.files();
    let said = install(&machine, "--hosts claude");
    assert_eq!(machine.files(), wired, "a plain install changes nothing");
    let kept = "kept from the earlier install: --events gates --matcher 'Bash' --fail-open";
    assert!(said.contains(kept), "{said}");
    // Each option changes only itself.
    let said = install(&machine, "--hosts claude --fail-closed");
    let claude = settings(&machine, CLAUDE);
    assert_eq!(claude["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
    assert_eq!(claude["hooks"]["PreToolUse"][0]["matcher"], "Bash");
    assert_eq!(claude["hooks"].get("Stop"), None);
    assert!(said.contains("--events gates --matcher 'Bash' ("), "{said}");
    install(&machine, "--hosts claude --matcher *");
    let claude = settings(&machine, CLAUDE);
    assert_eq!(claude["hooks"]["PreToolUse"][0].get("matcher"), None, "{claude:#}");
    install(&machine, "--hosts claude --events usual");
    assert!(settings(&machine, CLAUDE)["hooks"]["Stop"].is_array());
    let said = install(&machine, "--hosts claude");
    assert!(said.contains("already so") && !said.contains("kept from"), "{said}");
}

#[test]
fn a_file_that_somebody_narrowed_is_not_what_was_chosen() {
    let machine = Machine::new();
    install(&machine, "--hosts claude --events gates");
    let good = machine.read(CLAUDE);
    let bad = good.replacen("\"hooks\": [", "\"matcher\": \"Nope\", \"hooks\": [", 1);
    assert_ne!(bad, good);
    machine.write(CLAUDE, &bad);
    install(&machine, "--hosts claude");
    let claude = settings(&machine, CLAUDE);
    assert_eq!(claude["hooks"]["PreToolUse"][0].get("matcher"), None, "{claude:#}");
    assert_eq!(claude["hooks"].get("Stop"), None, "the choice of events is kept");
}

#[test]
fn what_an_older_version_wired_is_read_from_the_file() {
    let machine = Machine::new();
    install(&machine, "--hosts cursor --events gates");
    // An older ledger has no options.
    let ledger = "home/.local/state/tenterhook/installed.json";
    let mut old: Value = serde_json::from_str(&machine.read(ledger)).unwrap();
    old["files"][0].as_object_mut().unwrap().remove("choice").unwrap();
    machine.write(ledger, &old.to_string());
    let wired = machine.read(CURSOR);
    let said = install(&machine, "--hosts cursor");
    assert!(said.contains("kept from the earlier install: --events gates"), "{said}");
    assert_eq!(machine.read(CURSOR), wired);
}
