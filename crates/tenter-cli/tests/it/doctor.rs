//! `tenter doctor` from outside: output, fixes, exit code.
#![cfg(unix)]

use std::fs;

use serde_json::Value;

use crate::machine::{HOSTS, Machine};

fn doctor(machine: &Machine, arguments: &[&str]) -> (String, i32) {
    let ran = machine.run("doctor", arguments);
    assert_eq!(ran.stderr, "");
    (machine.plain(&ran.stdout), ran.exit)
}

fn ids(report: &Value) -> Vec<&str> {
    report["findings"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

/// The test program is in a build folder; that is the only finding.
#[test]
fn a_healthy_machine() {
    let machine = Machine::new();
    machine.wire("cursor", "user");
    let (text, exit) = doctor(&machine, &[]);
    let wanted = "warning[program-in-passing]: `TOP/target/debug/tenter` lies in a build folder\n --> \
                  TOP/home/.cursor/hooks.json:2\n  means: when it is cleared away, the guard is gone and nothing \
                  says so\n  fix: mkdir -p ~/.local/bin && cp TOP/target/debug/tenter ~/.local/bin/ && ~/.local/bin/tenter \
                  install --hosts cursor --scope user\n\n guard   scope  state      last fired  why\n Cursor  user   protected  never\n\n1 \
                  warning\n";
    assert_eq!(text, wanted);
    assert_eq!(exit, 0);
}

#[test]
fn a_sick_machine() {
    let machine = Machine::new();
    machine.wire("cursor", "user");
    machine.change("home/.cursor/hooks.json", "TOP/target/debug/tenter", "/opt/gone/tenter");
    machine.wire("claude", "user");
    machine.change(
        "home/.claude/settings.json",
        "{\"hooks\": {\n",
        "{\"disableAllHooks\": true,\n\"hooks\": {\n",
    );
    machine.write("home/.codex/hooks.json", "{\"hooks\": {\n  oops }}");
    machine.write(
        "home/.config/tenterhook/policy.toml",
        "version = 1\n[guards]\nsecrets = \"loud\"\n",
    );
    let (text, exit) = doctor(&machine, &["--scope", "user"]);
    let wanted = include_str!("doctor/sick.txt");
    assert_eq!(text, wanted);
    assert_eq!(exit, 1);
}

#[test]
fn nothing_wired_is_not_well() {
    let machine = Machine::new();
    let (text, exit) = doctor(&machine, &[]);
    assert_eq!(
        text,
        "error[nothing-wired]: no hook of any host runs tenter\n  means: nothing is judged and nothing is \
         recorded\n  fix: tenter init\n\n1 error\n"
    );
    assert_eq!(exit, 1);
}

#[test]
fn what_is_safe_is_mended_and_said() {
    let machine = Machine::new();
    machine.wire("cursor", "user");
    machine.change("home/.cursor/hooks.json", "TOP/target/debug/tenter", "/opt/gone/tenter");
    machine.write("home/.local/state/tenterhook/trusted", "x");
    machine.set_mode("home/.local/state/tenterhook", 0o755);
    machine.write("home/.cache/tenterhook/policy-0.image", "no image");
    let (before, exit) = doctor(&machine, &["--json"]);
    assert_eq!(exit, 1);
    let before: Value = serde_json::from_str(&before).unwrap();
    assert_eq!(
        ids(&before),
        ["program-missing", "cache-damaged", "state-exposed", "state-exposed"],
        "{before:#}"
    );
    assert!(before["findings"].as_array().unwrap().iter().all(|it| it["fixable"] == true));
    let (after, exit) = doctor(&machine, &["--fix", "--json"]);
    let after: Value = serde_json::from_str(&after).unwrap();
    assert_eq!(ids(&after), ["program-in-passing"], "{after:#}");
    let fixed = after["fixed"].as_array().unwrap();
    assert_eq!(fixed.len(), 4, "{after:#}");
    assert!(fixed.iter().all(|it| it["done"].is_string() && it["failed"].is_null()));
    assert_eq!((&after["well"], exit), (&Value::Bool(true), 0));
    let text = machine.read("home/.cursor/hooks.json");
    assert!(!text.contains("/opt/gone"), "{text}");
    let program = fs::canonicalize(env!("CARGO_BIN_EXE_tenter")).unwrap();
    assert!(text.contains(program.to_str().unwrap()), "{text}");
}

#[test]
fn an_agent_may_look_and_not_mend() {
    let machine = Machine::new();
    machine.wire("cursor", "user");
    machine.write("home/.local/state/tenterhook/trusted", "x");
    machine.set_mode("home/.local/state/tenterhook", 0o755);
    let as_agent = |arguments: &[&str]| {
        let mut command = machine.command("doctor", arguments);
        command.env("CLAUDECODE", "1");
        crate::machine::finish(command)
    };
    assert_eq!(as_agent(&[]).exit, 0);
    let refused = as_agent(&["--fix"]);
    assert_eq!((refused.stdout.as_str(), refused.exit), ("", 1));
    assert!(
        refused.stderr.contains("CLAUDECODE is set, so an agent is asking"),
        "{}",
        refused.stderr
    );
    assert_eq!(machine.mode("home/.local/state/tenterhook"), 0o755, "nothing has changed");
}

#[test]
fn entries_of_others_go_only_with_a_human_at_a_terminal() {
    let machine = Machine::new();
    machine.wire("cursor", "user");
    let orphan = "\"stop\": [{\"command\": \"/opt/gone/notify\"}, ";
    machine.change("home/.cursor/hooks.json", "\"stop\": [", orphan);
    let before = machine.read("home/.cursor/hooks.json");
    let (text, exit) = doctor(&machine, &["--fix"]);
    assert!(text.contains("# --fix --yes takes the entry out"), "{text}");
    assert_eq!(exit, 0, "it is not our guard that is broken");
    let ran = machine.run("doctor", &["--fix", "--yes"]);
    assert!(ran.stderr.contains("there is no terminal, so no human is asking"), "{}", ran.stderr);
    assert_eq!(ran.exit, 1);
    assert_eq!(machine.read("home/.cursor/hooks.json"), before);
}

#[test]
fn only_what_is_asked_about_is_said() {
    let machine = Machine::new();
    for host in HOSTS {
        machine.wire(host, "user");
    }
    machine.wire("claude", "project");
    machine.change("home/.cursor/hooks.json", "TOP/target/debug/tenter", "/opt/gone/tenter");
    let report = |arguments: &[&str]| -> Value {
        let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        serde_json::from_str(&doctor(&machine, &all).0).unwrap()
    };
    let guards = |report: &Value| -> Vec<String> {
        let guard = |it: &Value| format!("{} {}", it["host"], it["scope"]).replace('"', "");
        report["guards"].as_array().unwrap().iter().map(guard).collect()
    };
    let all = report(&[]);
    assert_eq!(guards(&all), ["cursor user", "claude project", "claude user", "codex user"]);
    assert_eq!(all["well"], false);
    let claude = report(&["--hosts", "claude", "--scope", "user"]);
    assert_eq!(guards(&claude), ["claude user"]);
    assert_eq!(claude["well"], true, "{claude:#}");
    let managed = report(&["--scope", "managed"]);
    assert_eq!((ids(&managed), &managed["well"]), (vec!["nothing-wired"], &Value::Bool(false)));
    let codex = report(&["--hosts", "codex"]);
    assert_eq!(ids(&codex), ["codex-untrusted", "program-in-passing"], "{codex:#}");
}

#[test]
fn managed_files_are_looked_for_below_the_given_root() {
    let machine = Machine::new();
    machine.wire("claude", "user");
    machine
        .write("root/etc/claude-code/managed-settings.json", "{\"allowManagedHooksOnly\": true}");
    let (text, exit) = doctor(&machine, &[]);
    assert!(text.contains("error[switched-off]: `allowManagedHooksOnly = true`"), "{text}");
    assert!(text.contains(" --> TOP/root/etc/claude-code/managed-settings.json:1\n"), "{text}");
    assert_eq!(exit, 1);
}

#[test]
fn a_hook_that_fires_is_seen() {
    let machine = Machine::new();
    machine.wire("claude", "user");
    let payload =
        r#"{"session_id":"s","cwd":"/w","hook_event_name":"SessionStart","source":"startup"}"#;
    let command = machine.bare(&["hook", "claude"]);
    assert_eq!(tenter_testkit::Tenter::finish(command, payload).exit, 0);
    let (text, exit) = doctor(&machine, &[]);
    assert!(text.contains(" Claude Code  user   protected  just now\n"), "{text}");
    assert_eq!(exit, 0);
}

#[test]
fn the_home_folder_is_nobodys_project() {
    let machine = Machine::new();
    machine.wire("cursor", "user");
    let home = machine.path("home");
    let (text, _) = doctor(&machine, &["--cwd", home.to_str().unwrap()]);
    assert!(!text.contains("wired-twice"), "{text}");
    assert_eq!(text.matches("Cursor  ").count(), 1, "{text}");
}

#[test]
fn a_folder_that_is_not_there_is_wrong_use() {
    let ran = Machine::new().run("doctor", &["--cwd", "/no/such/folder"]);
    assert_eq!((ran.stdout.as_str(), ran.exit), ("", 2));
}

#[test]
fn what_is_wrong_with_many_events_alike_is_said_once() {
    let machine = Machine::new();
    machine.wire("cursor", "user");
    let entry = "{ \"command\": \"/opt/gone/notify\" }";
    for event in ["postToolUse", "sessionStart", "stop"] {
        let list = format!("\"{event}\": [");
        machine.change("home/.cursor/hooks.json", &list, &format!("{list}{entry}, "));
    }
    let (text, _) = doctor(&machine, &[]);
    assert_eq!(text.matches("warning[other-entry]").count(), 1, "{text}");
    assert!(text.contains("`postToolUse`, `sessionStart`, `stop`: `/opt/gone/notify`"), "{text}");
    let (json, _) = doctor(&machine, &["--json"]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let others = ids(&report).iter().filter(|id| **id == "other-entry").count();
    assert_eq!(others, 3, "programs get each");
}
