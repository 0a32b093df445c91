//! Canaries on the hook path.

use serde_json::json;
use tenter_model::HostId;
use tenter_testkit::Tenter;

use super::machine::{Machine, gate};

#[test]
fn canaries_run_no_handlers_and_leave_no_memory() {
    let machine = Machine::wired(HostId::Claude);
    let mark = machine.path("home/mark");
    machine.write(
        "home/.config/tenterhook/policy.toml",
        &format!(
            "version = 1\nextends = [\"recommended\"]\n[[handler]]\nid = \"mark\"\non = \"PreToolUse:Bash\"\nrun = [\"touch\", \"{}\"]\n",
            mark.display()
        ),
    );
    let (rows, exit) = machine.rows();
    let events = rows[0]["events"].as_array().unwrap();
    let gate = events.iter().find(|event| event["event"] == "PreToolUse").unwrap();
    assert_eq!((&gate["sample"], exit), (&json!("denied"), 0), "{:#}", rows[0]);
    assert!(!mark.exists(), "no handler was run");
    let state = machine.path("home/.local/state/tenterhook");
    assert!(!state.exists(), "{:?}", std::fs::read_dir(&state).map(Iterator::count));
    // The same call in a real session runs.
    let event = r#"{"hook_event_name":"PreToolUse","session_id":"s-1","tool_name":"Bash","tool_input":{"command":": tenter-canary"},"tool_use_id":"t-1"}"#;
    let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&["hook", "claude"]);
    command.env_clear().env("HOME", machine.path("home")).env("PATH", "/usr/bin:/bin");
    Tenter::finish(command, event);
    assert!(mark.exists());
}

#[test]
fn nobody_gains_anything_by_posing_as_a_canary() {
    let answer = |host: &str, session: &str, command: &str| {
        let event = json!({ "hook_event_name": gate(host.parse().unwrap()), "session_id": session,
            "conversation_id": session, "cursor_version": "3.21.16",
            "tool_name": if host == "cursor" { "Shell" } else { "Bash" },
            "tool_input": { "command": command }, "tool_use_id": "t-1" });
        let ran = Tenter::new(env!("CARGO_BIN_EXE_tenter")).run(&["hook", host], event.to_string());
        ran.stdout.contains("\"deny\"")
    };
    for host in ["cursor", "claude", "codex"] {
        for session in ["tenter-canary-pass-1", "tenter-canary-sample-1", "tenter-canary-x-1", "s"]
        {
            for command in
                ["rm -rf /", ": tenter-canary; rm -rf /", "rm -rf / # tenter-canary-pass-1"]
            {
                assert!(answer(host, session, command), "{host} {session} {command}");
            }
        }
        // The forbidden word is blocked in every session; a mention of it is not.
        assert!(answer(host, "s", "tenter-canary-deny 00ff; echo ran > mark"), "{host}");
        assert!(!answer(host, "s", "echo tenter-canary-deny 00ff"), "{host}");
        assert!(!answer(host, "tenter-canary-pass-1", ": tenter-canary"), "{host}");
    }
}
