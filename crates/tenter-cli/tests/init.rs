//! `init` in a home of its own: one step in, one step out.
#![cfg(unix)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use common::Machine;

const POLICY: &str = "home/.config/tenterhook/policy.toml";

#[test]
fn one_step_protects_and_one_step_undoes() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", "{ \"model\": \"opus\" }");
    let untouched = machine.files();
    let ran = machine.run("init --yes");
    // Codex has not been told to trust the hooks, and so not every host is protected.
    assert_eq!(ran.exit, 1, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(ran.stdout.matches("RED").count(), 1, "{}", ran.stdout);
    for file in ["home/.claude/settings.json", "home/.cursor/hooks.json", "home/.codex/hooks.json"]
    {
        assert!(machine.read(file).contains(" hook "), "{file}");
    }
    assert!(machine.read(POLICY).contains("extends = [\"recommended\"]"));
    let checked = machine.run("policy check");
    assert_eq!(checked.exit, 0, "{}{}", checked.stdout, checked.stderr);
    let tested = machine.run("test");
    assert_eq!((tested.exit, tested.stdout.trim()), (0, "4 passed"), "{}", tested.stderr);

    let wired = machine.files();
    let again = machine.run("init --yes --hosts cursor,claude");
    assert_eq!(again.exit, 0, "{}", again.stderr);
    assert_eq!(again.stdout.matches("already so").count(), 2, "{}", again.stdout);
    assert_eq!(machine.files(), wired, "a second run changes nothing");

    assert_eq!(machine.run("uninstall --yes --purge").exit, 0);
    assert_eq!(machine.files(), untouched);
}

#[test]
fn a_policy_that_is_there_is_kept() {
    let machine = Machine::new();
    machine.write(POLICY, "version = 1\nextends = [\"strict\"] # mine\n");
    let ran = machine.run("init --yes --hosts claude --preset minimal");
    assert_eq!(ran.exit, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert_eq!(machine.read(POLICY), "version = 1\nextends = [\"strict\"] # mine\n");
    let said = "policy.toml is there already and is not changed; for this preset write extends = [\"minimal\"]";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    let ran = machine.run("init --yes --hosts claude --preset strict");
    assert!(!ran.stderr.contains("is not changed"), "{}", ran.stderr);
    machine.write(POLICY, "version = 1\nextends = [\"stirct\"]\n");
    let ran = machine.run("init --yes --hosts codex");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("policy.toml:2"), "{}", ran.stderr);
    assert!(!machine.path("home/.codex").exists(), "nothing is wired under a broken policy");
}

#[test]
fn the_preset_and_the_scope_can_be_chosen() {
    let machine = Machine::new();
    let ran = machine.run("init --yes --hosts claude --scope project --preset strict");
    assert_eq!(ran.exit, 0, "{}\n{}", ran.stdout, ran.stderr);
    assert!(machine.read("repo/tenter.toml").contains("extends = [\"strict\"]"));
    assert!(machine.path("repo/.claude/settings.json").exists());
    assert!(!machine.path("home/.claude").exists());
}

#[test]
fn hooks_that_are_there_can_run_on_the_other_hosts() {
    let machine = Machine::new();
    let script = machine.path("home/no-tabs.sh");
    machine.write("home/no-tabs.sh", "#!/bin/sh\necho 'no make today' >&2\nexit 2\n");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let settings = format!(
        r#"{{ "hooks": {{ "PreToolUse": [{{ "matcher": "Bash", "hooks": [{{ "type": "command", "command": "{}" }}] }}] }} }}"#,
        script.display()
    );
    machine.write("home/.claude/settings.json", &settings);
    let ran = machine.run("init --yes --import");
    assert!(ran.exit <= 1, "{}", ran.stderr);
    assert!(machine.read(POLICY).contains("speaks = \"claude\""), "{}", machine.read(POLICY));
    let payload = r#"{"session_id":"s","turn_id":"t","cwd":"/","hook_event_name":"PreToolUse","model":"gpt","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"c"}"#;
    let answer = tenter_testkit::Tenter::finish(machine.command("hook codex"), payload);
    assert!(answer.stdout.contains("no make today"), "{} {}", answer.stdout, answer.stderr);
    let before = machine.read(POLICY);
    machine.run("init --yes --import");
    assert_eq!(machine.read(POLICY), before, "nothing is imported twice");
}
