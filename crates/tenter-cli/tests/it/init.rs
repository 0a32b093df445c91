//! `init` in a home of its own, and its complete removal.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::common::Machine;

const POLICY: &str = "home/.config/tenterhook/policy.toml";

#[test]
fn one_step_protects_and_one_step_undoes() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", "{ \"model\": \"opus\" }");
    let untouched = machine.files();
    let ran = machine.run("init --yes");
    // All was done that could be; Codex waits for its user.
    assert_eq!(ran.exit, 0, "{}\n{}", ran.stdout, ran.stderr);
    let said = ran.stdout.split("\n\n").last().unwrap();
    let lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("  ->")).collect();
    let wanted = [
        "Cursor       protected",
        "Claude Code  protected",
        "Codex        protected after you approve the hooks in Codex",
    ];
    assert_eq!(lines, wanted, "{}", ran.stdout);
    for file in ["home/.claude/settings.json", "home/.cursor/hooks.json", "home/.codex/hooks.json"]
    {
        assert!(machine.read(file).contains(" hook "), "{file}");
    }
    assert!(machine.read(POLICY).contains("extends = [\"recommended\"]"));
    let checked = machine.run("policy check");
    assert_eq!(checked.exit, 0, "{}{}", checked.stdout, checked.stderr);
    let tested = machine.run("test");
    assert_eq!((tested.exit, tested.stdout.trim()), (0, "3 passed"), "{}", tested.stderr);

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

const SETTINGS: &str = "home/.claude/settings.json";

/// A tool call as sent by Codex and Claude Code.
const CALL: &str = r#"{"session_id":"s","turn_id":"t","cwd":"/","hook_event_name":"PreToolUse","model":"gpt","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"c"}"#;

/// A machine whose Claude Code has a hook that blocks every command and counts in `ran`, and one that runs in
/// the background; and its settings.
fn with_a_hook() -> (Machine, String) {
    let machine = Machine::new();
    let script = machine.path("home/no-tabs.sh");
    let ran = machine.path("ran").display().to_string();
    let text = format!("#!/bin/sh\necho x >> {ran}\necho 'no make today' >&2\nexit 2\n");
    machine.write("home/no-tabs.sh", &text);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let settings = format!(
        "{{ // mine\n  \"hooks\": {{ \"PreToolUse\": [{{ \"matcher\": \"Bash\", \"hooks\": [\n    \
         {{ \"type\": \"command\", \"command\": \"{}\" }},\n    \
         {{ \"type\": \"command\", \"command\": \"true\", \"async\": true }},\n  ] }}] }},\n}}\n",
        script.display()
    );
    machine.write(SETTINGS, &settings);
    (machine, settings)
}

#[test]
fn hooks_that_are_there_can_be_moved_and_come_back() {
    let (machine, settings) = with_a_hook();
    let shown = machine.run("init --dry-run --import=move");
    assert!(shown.stdout.contains("that move to the policy: 1;"), "{}", shown.stdout);
    let ran = machine.run("init --yes --import=move");
    assert!(ran.exit <= 1, "{}", ran.stderr);
    let moved = machine.read(SETTINGS);
    assert!(!moved.contains("no-tabs.sh") && moved.contains("// mine"), "{moved}");
    assert!(moved.contains("\"async\": true"), "what cannot be a handler stays: {moved}");
    assert!(!machine.read(POLICY).contains("when = { host"), "{}", machine.read(POLICY));
    for host in ["claude", "codex"] {
        let line = format!("hook {host}");
        let answer = tenter_testkit::Tenter::finish(machine.command(&line), CALL);
        assert!(answer.stdout.contains("no make today"), "{host}: {}", answer.stdout);
    }
    assert_eq!(machine.read("ran"), "x\nx\n", "once for each host");
    let again = (machine.read(SETTINGS), machine.read(POLICY));
    machine.run("init --yes --import=move");
    assert_eq!(
        (machine.read(SETTINGS), machine.read(POLICY)),
        again,
        "a second run changes nothing"
    );

    assert_eq!(machine.run("uninstall --yes").exit, 0);
    assert_eq!(machine.read(SETTINGS), settings, "to the byte");
    let policy = machine.read(POLICY);
    assert!(
        policy.contains("when = { host = [\"cursor\", \"codex\", \"gemini\", \"qwen\"] }"),
        "{policy}"
    );
    // After reinstalling, its own host does not run it twice; and it can be moved again.
    machine.run("install --yes --hosts claude");
    let answer = tenter_testkit::Tenter::finish(machine.command("hook claude"), CALL);
    assert!(!answer.stdout.contains("no make today"), "{}", answer.stdout);
    machine.run("init --yes --import=move");
    assert_eq!((machine.read(SETTINGS), machine.read(POLICY)), again);
    assert_eq!(machine.run("uninstall --yes --purge").exit, 0);
    assert_eq!(machine.read(SETTINGS), settings);
    assert!(!machine.path(POLICY).exists());
}

#[test]
fn moved_hooks_come_back_into_a_file_that_was_changed_since() {
    let (machine, _) = with_a_hook();
    machine.run("init --yes --import=move");
    let changed = machine.read(SETTINGS).replace("// mine", "// mine\n  \"model\": \"opus\",");
    machine.write(SETTINGS, &changed);
    let ran = machine.run("uninstall --yes");
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let back = machine.read(SETTINGS);
    assert!(back.contains("no-tabs.sh") && back.contains("\"model\": \"opus\""), "{back}");
    assert!(back.contains("\"matcher\": \"Bash\"") && !back.contains(" hook claude"), "{back}");
    assert!(machine.read(POLICY).contains("when = { host"), "{}", machine.read(POLICY));
}

#[test]
fn a_hook_stays_where_nobody_else_would_run_it() {
    for line in [
        "init --yes --import",
        "init --yes --import=keep",
        "init --yes --import=move --matcher Write",
        "init --yes --import=move --events UserPromptSubmit --hosts claude",
        "init --yes --import=move --hosts codex",
    ] {
        let (machine, _) = with_a_hook();
        let ran = machine.run(line);
        assert!(machine.read(SETTINGS).contains("no-tabs.sh"), "{line}");
        let policy = machine.read(POLICY);
        assert!(
            policy.contains("when = { host = [\"cursor\", \"codex\", \"gemini\", \"qwen\"] }"),
            "{line}: {policy}"
        );
        let hint = ran.stderr.contains("run twice there; --import=move");
        assert_eq!(hint, line.ends_with("--import"), "{line}: {}", ran.stderr);
    }
    // A project's handler runs only where it is trusted.
    let (machine, settings) = with_a_hook();
    machine.write("repo/.claude/settings.json", &settings);
    machine.run("init --yes --import=move --scope project --hosts claude");
    assert!(machine.read("repo/.claude/settings.json").contains("no-tabs.sh"));
}

#[test]
fn hooks_that_are_there_can_run_on_the_other_hosts() {
    let (machine, _) = with_a_hook();
    let ran = machine.run("init --yes --import");
    assert!(ran.exit <= 1, "{}", ran.stderr);
    assert!(machine.read(POLICY).contains("speaks = \"claude\""), "{}", machine.read(POLICY));
    let answer = tenter_testkit::Tenter::finish(machine.command("hook codex"), CALL);
    assert!(answer.stdout.contains("no make today"), "{} {}", answer.stdout, answer.stderr);
    let before = machine.read(POLICY);
    machine.run("init --yes --import");
    assert_eq!(machine.read(POLICY), before, "nothing is imported twice");
}

#[test]
fn programs_get_the_proof_as_well() {
    let machine = Machine::new();
    let ran = machine.run("init --yes --json --hosts cursor,codex");
    let done: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let proof = done.get("proof").and_then(|proof| proof.as_array()).unwrap();
    let states: Vec<&str> =
        proof.iter().map(|row| row.get("state").and_then(|it| it.as_str()).unwrap()).collect();
    assert_eq!(
        (states.as_slice(), ran.exit),
        (["protected", "after-approval"].as_slice(), 0),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("9 hooks of ours wait"), "{}", ran.stderr);
    let ran = machine.run("init --yes --json --dry-run --hosts cursor");
    let shown: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((shown.get("proof"), ran.exit), (None, 0), "nothing was done");
}
