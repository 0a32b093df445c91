//! `tenter fire` from outside: a workspace, an event, exact results.
#![cfg(unix)]

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;
use tenter_testkit::{Ran, Tenter};

/// A workspace with these hooks and an empty home, isolated from this machine.
struct Workspace(TempDir);

impl Workspace {
    fn new(hooks: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("shop/.cursor")).unwrap();
        std::fs::create_dir_all(folder.path().join("home")).unwrap();
        let file = folder.path().join("shop/.cursor/hooks.json");
        std::fs::write(file, format!("{{\"version\": 1, \"hooks\": {hooks}}}")).unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn fire(&self, arguments: &[&str]) -> Ran {
        let tenter = Tenter::new(env!("CARGO_BIN_EXE_tenter"));
        let mut command = tenter.command(&["fire"]);
        command.args(arguments).args(["--project", "shop", "--home", "home"]);
        command.args(["--enterprise", "none", "--team", "none"]).current_dir(self.path());
        Tenter::finish(command, "")
    }

    fn json(&self, arguments: &[&str]) -> (Value, i32) {
        let arguments = [arguments, &["--trust", "--json"]].concat();
        let ran = self.fire(&arguments);
        (serde_json::from_str(&ran.stdout).unwrap(), ran.exit)
    }
}

const GUARD: &str = r#"{"beforeShellExecution": [
    {"command": "echo no >&2; exit 2", "matcher": "^rm "},
    {"command": "echo '{\"permission\":\"allow\"}'"}]}"#;

#[test]
fn a_blocked_action_leaves_with_exit_1_and_an_allowed_one_with_0() {
    let workspace = Workspace::new(GUARD);
    let (outcome, exit) = workspace.json(&["beforeShellExecution", "--set", "command=rm -rf /"]);
    assert_eq!((&outcome["blocked"], exit), (&json!(true), 1));
    assert_eq!(outcome["answer"], json!({ "permission": "deny", "agent_message": "no" }));
    assert_eq!(outcome["provenance"]["permission"], json!([0]));
    let (outcome, exit) = workspace.json(&["beforeShellExecution", "--set", "command=ls"]);
    assert_eq!((&outcome["blocked"], exit), (&json!(false), 0));
    assert_eq!(outcome["hooks"][0]["outcome"], "not matched");
    assert_eq!(outcome["hooks"][1]["outcome"], "allow");
}

#[test]
fn every_outcome_follows_the_schema() {
    let tenter = Tenter::new(env!("CARGO_BIN_EXE_tenter"));
    let schema = tenter.run(&["schema", "outcome"], "").stdout;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let events = tenter.run(&["fire", "--list", "--json"], "").stdout;
    let events: Value = serde_json::from_str(&events).unwrap();
    let answer = r#"{"permission":"allow","continue":true,"user_message":"u","agent_message":"a","updated_input":{},"additional_context":"c","followup_message":"f","env":{"A":"b"},"pluginPaths":["/p"]}"#;
    for event in events.as_array().unwrap() {
        let name = event["event"].as_str().unwrap();
        let command = format!("echo '{answer}'");
        let hooks = json!({ name: [{ "command": command }, { "type": "prompt", "prompt": "?" }] });
        let workspace = Workspace::new(&hooks.to_string());
        for trace in [&[name][..], &[name, "--trace"]] {
            let (outcome, _) = workspace.json(trace);
            let faults: Vec<_> = validator.iter_errors(&outcome).map(|e| e.to_string()).collect();
            assert!(faults.is_empty(), "{name}: {faults:?}");
            assert_eq!(outcome["hooks"].as_array().unwrap().len(), 2);
        }
    }
}

#[test]
fn without_trust_the_workspaces_hooks_do_not_run() {
    let ran = Workspace::new(GUARD).fire(&["beforeShellExecution", "--set", "command=rm -rf /"]);
    assert_eq!(ran.exit, 0);
    assert!(ran.stdout.contains("the workspace is not trusted"), "{}", ran.stdout);
    assert!(ran.stdout.contains("no hook is configured"), "{}", ran.stdout);
}

#[test]
fn a_session_carries_variables_on_and_follows_a_stop_to_its_limit() {
    let workspace = Workspace::new(
        r#"{"sessionStart": [{"command": "echo '{\"env\":{\"TICKET\":\"T-7\"}}'"}],
            "beforeSubmitPrompt": [{"command": "echo \"{\\\"continue\\\":true,\\\"user_message\\\":\\\"$TICKET\\\"}\""}],
            "stop": [{"command": "echo '{\"followup_message\":\"go on\"}'", "loop_limit": 2}]}"#,
    );
    let script = r#"[
        {"event": "sessionStart"},
        // the variable is there
        {"event": "beforeSubmitPrompt", "expect": {"answer": {"user_message": "T-7"}}},
        {"event": "stop", "expect": {"followup": "go on"}}]"#;
    std::fs::write(workspace.path().join("session.json"), script).unwrap();
    let (session, exit) = workspace.json(&["--session", "session.json"]);
    assert_eq!((&session["ok"], exit), (&json!(true), 0), "{session:#}");
    let rounds: Vec<&Value> = session["steps"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|step| step["event"] == "stop")
        .map(|step| &step["followup"])
        .collect();
    assert_eq!(rounds, [&json!("go on"), &json!("go on"), &Value::Null]);
    let wrong = script.replace("T-7", "T-8");
    std::fs::write(workspace.path().join("session.json"), wrong).unwrap();
    let (session, exit) = workspace.json(&["--session", "session.json"]);
    assert_eq!((&session["ok"], exit), (&json!(false), 1));
    assert!(session["steps"][1]["unmet"][0].as_str().unwrap().contains("should be \"T-8\""));
}

#[test]
fn what_is_called_wrongly_is_said_with_exit_2() {
    let workspace = Workspace::new("{}");
    std::fs::write(workspace.path().join("bad.json"), "[{\"event\": \"stopp\"}]").unwrap();
    std::fs::write(workspace.path().join("stop.json"), "{\"hook_event_name\": \"stop\"}").unwrap();
    for (arguments, said) in [
        (&["beforeShellExec"][..], "did you mean `beforeShellExecution`?"),
        (&["stop", "--set", "loop_count=x"], "takes JSON like 0"),
        (&["stop", "--set", "loop_count"], "not of the form key=value"),
        (&["stop", "--payload", "none.json"], "cannot read `none.json`"),
        (&["preToolUse", "--payload", "stop.json"], "the payload is one of `stop`"),
        (&["--session", "bad.json"], "bad.json:1:12: unknown event `stopp`; did you mean `stop`?"),
        (&["--session", "none.json"], "`none.json` does not exist"),
    ] {
        let ran = workspace.fire(arguments);
        assert_eq!(ran.exit, 2, "{arguments:?}");
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
}
