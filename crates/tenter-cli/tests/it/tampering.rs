//! Hooks changed by others: the next call of any host reports it, and `doctor --fix` restores them.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use tenter_testkit::{Ran, Tenter};

use crate::common::Machine;

const CURSOR: &str = r#"{"hook_event_name":"preToolUse","conversation_id":"c","generation_id":"g","cursor_version":"3.4.5","workspace_roots":["/"],"tool_name":"Read","tool_input":{"file_path":"/etc/hostname"},"tool_use_id":"t","cwd":"/"}"#;
const CLAUDE: &str = r#"{"hook_event_name":"PreToolUse","session_id":"s","transcript_path":"","cwd":"/","permission_mode":"default","tool_name":"Read","tool_input":{"file_path":"/etc/hostname"},"tool_use_id":"t"}"#;
const SETTINGS: &str = "home/.claude/settings.json";
const SAID: &str = "the guard's wiring was changed";

fn installed() -> Machine {
    let machine = Machine::new();
    let ran = machine.run("install --hosts all --yes");
    assert_eq!(ran.exit, 0, "{ran:?}");
    machine
}

fn call(machine: &Machine, host: &str) -> Ran {
    let payload = if host == "cursor" { CURSOR } else { CLAUDE };
    Tenter::finish(machine.command(&format!("hook {host}")), payload)
}

/// Whether a call's answer mentions the change.
fn told(ran: &Ran) -> bool {
    assert_eq!(ran.exit, 0, "{ran:?}");
    ran.stdout.contains(SAID) || ran.stderr.contains(SAID)
}

/// Number of records about a change, and the last of them.
fn recorded(machine: &Machine) -> (usize, String) {
    let ran = machine.run("log --json");
    let lines: Vec<&str> =
        ran.stdout.lines().filter(|line| line.contains("self-protection/tampering")).collect();
    (lines.len(), lines.last().copied().unwrap_or_default().to_owned())
}

type Tamper = (&'static str, fn(&Machine), &'static str);

fn edit(machine: &Machine, from: &str, to: &str) {
    let text = machine.read(SETTINGS);
    assert!(text.contains(from), "{from} is not in {text}");
    machine.write(SETTINGS, &text.replace(from, to));
}

/// Adds a foreign entry to our host's file.
fn foreign(machine: &Machine, handler: &str) {
    edit(machine, "\"PreToolUse\": [", &format!(r#""PreToolUse": [{{"hooks": [{handler}]}},"#));
}

const TAMPERS: &[Tamper] = &[
    ("entries", |it| machine_hooks(it, "{}\n"), "has lost the entries of tenter at PreToolUse"),
    ("event", |it| edit(it, "\"PreToolUse\"", "\"PreToolUsed\""), "at PreToolUse"),
    (
        "matcher",
        |it| {
            let text = it.read(SETTINGS);
            let at = text.find("\"PreToolUse\": [").unwrap();
            let (head, tail) = text.split_at(at);
            let tail = tail.replacen("\"hooks\": [", "\"matcher\": \"Nope\", \"hooks\": [", 1);
            it.write(SETTINGS, &format!("{head}{tail}"));
        },
        "has other entries of tenter at PreToolUse",
    ),
    ("timeout", |it| edit(it, "\"timeout\": 30", "\"timeout\": 1"), "has other entries"),
    (
        "switch",
        |it| {
            let text = it.read(SETTINGS);
            it.write(SETTINGS, &text.replacen('{', "{\"disableAllHooks\": true,", 1));
        },
        "switches hooks off (`disableAllHooks = true`)",
    ),
    (
        "foreign type",
        |it| foreign(it, r#"{"type": "zzz", "command": "x"}"#),
        "may drop the whole file (`type = \\\"zzz\\\"`)",
    ),
    (
        "foreign timeout",
        |it| foreign(it, r#"{"type": "command", "command": "x", "timeout": "5"}"#),
        "may drop the whole file (`timeout = \\\"5\\\"`)",
    ),
    ("deleted", |it| fs::remove_file(it.path(SETTINGS)).unwrap(), "is gone, and with it"),
    ("broken", |it| machine_hooks(it, "{"), "entries of tenter"),
    (
        "link",
        |it| {
            fs::rename(it.path(SETTINGS), it.path("home/elsewhere.json")).unwrap();
            symlink(it.path("home/elsewhere.json"), it.path(SETTINGS)).unwrap();
        },
        "was replaced by a link",
    ),
    (
        "dangling link",
        |it| {
            fs::remove_file(it.path(SETTINGS)).unwrap();
            symlink("/nowhere/at/all", it.path(SETTINGS)).unwrap();
        },
        "is gone, and with it",
    ),
];

fn machine_hooks(machine: &Machine, text: &str) {
    machine.write(SETTINGS, text);
}

#[test]
fn the_next_call_of_another_host_tells_once_and_the_doctor_puts_it_back() {
    for (name, tamper, expected) in TAMPERS {
        let machine = installed();
        let before = machine.read(SETTINGS);
        assert!(!told(&call(&machine, "cursor")), "{name}");
        tamper(&machine);
        let ran = call(&machine, "cursor");
        assert!(told(&ran), "{name}: {ran:?}");
        assert!(!told(&call(&machine, "cursor")), "{name}: said once");
        let (count, line) = recorded(&machine);
        assert_eq!(count, 1, "{name}: {line}");
        assert!(
            line.contains(expected) && line.contains(".claude/settings.json"),
            "{name}: {line}"
        );
        let human = machine.run("log");
        assert!(human.stdout.contains("tampering"), "{name}: {human:?}");
        if matches!(*name, "entries" | "event" | "matcher" | "timeout" | "deleted") {
            let ran = machine.run("doctor --fix");
            assert!(ran.stdout.contains("entries of tenter back"), "{name}: {ran:?}");
            let text = machine.read(SETTINGS);
            if *name != "event" {
                assert_eq!(text, before, "{name}");
            }
            assert!(text.contains("\"PreToolUse\"") && text.contains("\"timeout\": 30"), "{name}");
            assert!(!told(&call(&machine, "cursor")), "{name}: mended by us");
        }
    }
}

const BESIDE: &[Tamper] = &[
    (
        "local settings of the home",
        |it| drop(it.write("home/.claude/settings.local.json", r#"{"disableAllHooks": true}"#)),
        "switches hooks off (`disableAllHooks = true`)",
    ),
    (
        "local settings of the project",
        |it| drop(it.write("repo/.claude/settings.local.json", r#"{"disableAllHooks": true}"#)),
        "switches hooks off (`disableAllHooks = true`)",
    ),
    (
        "mod",
        |it| {
            let hooks = r#"{"modules": ["./register.js"]}"#;
            it.write("home/.claude/skills/x/hooks/hooks.json", hooks);
            it.write("home/.claude/skills/x/hooks/register.js", "mod.on('classic.PreToolUse')");
        },
        "holds a mod that can keep hooks from being called",
    ),
];

#[test]
fn files_that_come_beside_the_wiring_are_told_once() {
    for (name, tamper, expected) in BESIDE {
        let machine = installed();
        machine.write("home/.claude/skills/review/SKILL.md", "hi");
        machine.write("repo/.claude/settings.json", r#"{"model": "opus"}"#);
        assert!(!told(&call(&machine, "cursor")), "{name}");
        tamper(&machine);
        let ran = call(&machine, "cursor");
        assert!(told(&ran), "{name}: {ran:?}");
        assert!(!told(&call(&machine, "cursor")), "{name}: said once");
        let (count, line) = recorded(&machine);
        assert_eq!(count, 1, "{name}: {line}");
        assert!(line.contains(expected) && line.contains(".claude/s"), "{name}: {line}");
    }
}

#[test]
fn an_edit_elsewhere_in_the_file_and_our_own_changes_are_no_news() {
    let machine = installed();
    call(&machine, "cursor");
    let text = machine.read(SETTINGS);
    machine.write(SETTINGS, &text.replacen('{', "{\"model\": \"opus\",", 1));
    assert!(!told(&call(&machine, "cursor")));
    // The file rewritten with another inode.
    fs::copy(machine.path(SETTINGS), machine.path("home/copy")).unwrap();
    fs::rename(machine.path("home/copy"), machine.path(SETTINGS)).unwrap();
    assert!(!told(&call(&machine, "claude")));
    assert_eq!(machine.run("install --hosts all --yes").exit, 0);
    assert!(!told(&call(&machine, "cursor")));
    assert_eq!(machine.run("uninstall --hosts codex --yes").exit, 0);
    assert!(!told(&call(&machine, "cursor")));
    assert_eq!(recorded(&machine).0, 0);
    assert_eq!(machine.run("uninstall --yes").exit, 0);
    assert!(!machine.path("home/.local/state/tenterhook/wiring").exists());
    assert!(!told(&call(&machine, "cursor")));
}

#[test]
fn files_of_projects_programs_and_policies_are_watched_too() {
    let machine = installed();
    assert_eq!(machine.run("install --hosts cursor --scope project --yes").exit, 0);
    assert!(!told(&call(&machine, "claude")));
    machine.write("repo/.cursor/hooks.json", "{\"version\": 1, \"hooks\": {}}\n");
    assert!(told(&call(&machine, "claude")));
    assert!(recorded(&machine).1.contains("repo/.cursor/hooks.json"));
    // A policy belongs to its user: its change is recorded without an alarm.
    machine.write("home/.config/tenterhook/policy.toml", "version = 1\nextends = [\"minimal\"]\n");
    assert!(!told(&call(&machine, "claude")));
    let (count, line) = recorded(&machine);
    assert_eq!(count, 2, "{line}");
    assert!(line.contains("policy.toml is new since the last call"), "{line}");
    fs::remove_file(machine.path("home/.config/tenterhook/policy.toml")).unwrap();
    assert!(!told(&call(&machine, "claude")));
    assert!(recorded(&machine).1.contains("policy.toml is gone since the last call"));
    // A program that another host runs.
    let other = machine.path("tools/tenter");
    fs::create_dir_all(other.parent().unwrap()).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_tenter"), &other).unwrap();
    let line = format!("install --hosts codex --yes --binary {}", other.display());
    assert_eq!(machine.run(&line).exit, 0);
    assert!(!told(&call(&machine, "claude")));
    fs::remove_file(&other).unwrap();
    fs::write(&other, "#!/bin/sh\n").unwrap();
    let ran = call(&machine, "claude");
    assert!(told(&ran), "{ran:?}");
    assert!(recorded(&machine).1.contains("tools/tenter was replaced"));
}

#[test]
fn of_many_calls_at_once_one_tells() {
    let machine = installed();
    call(&machine, "cursor");
    machine.write(SETTINGS, "{}\n");
    let told: usize = std::thread::scope(|scope| {
        let calls: Vec<_> =
            (0..8).map(|_| scope.spawn(|| usize::from(told(&call(&machine, "cursor"))))).collect();
        calls.into_iter().map(|call| call.join().unwrap()).sum()
    });
    assert_eq!(told, 1);
}
