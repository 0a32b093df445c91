//! Attempts to disable a guard: odd payloads, greedy hooks, contradictory answers.

use serde_json::{Value, json};
use tenter_engine::document::Source;
use tenter_engine::{CursorEvent, Generation, HookOutcome, Payload, Script};

use crate::support::{Workspace, answer, complaint, fire, group, printing, runs, warns};

const SHELL: &str = "beforeShellExecution";

/// A workspace whose guard denies every command.
fn guarded() -> Workspace {
    Workspace::with(SHELL, &json!([runs("exit 2")]))
}

#[test]
fn variables_that_are_too_long_do_not_keep_later_hooks_from_starting() {
    let workspace = guarded();
    let greedy = r#"printf '{"env":{"BIG":"%0200000d","B=D":"1","OK":"1"}}' 0"#;
    workspace.hooks("user", "sessionStart", &json!([runs(greedy)]));
    let engine = workspace.engine();
    let start = fire(&engine, "sessionStart", json!({ "conversation_id": "c" }));
    assert_eq!(answer(&start), json!({ "env": { "OK": "1" } }));
    assert!(warns(&start, "`BIG` is not set") && warns(&start, "`B=D` is not set"));
    let many: Value = (0..100).map(|n| (format!("V{n}"), json!("x".repeat(60_000)))).collect();
    let many = json!({ "env": many }).to_string();
    workspace.write("many.json", &many);
    let file = workspace.path("many.json");
    workspace.hooks("user", "sessionStart", &json!([runs(&format!("cat {}", file.display()))]));
    fire(&engine, "sessionStart", json!({ "conversation_id": "c" }));
    assert!(fire(&engine, SHELL, json!({ "conversation_id": "c", "command": "rm" })).blocked);
}

#[test]
fn a_nul_in_the_payload_does_not_keep_a_hook_from_starting() {
    let payload = r#"{"command":"rm","transcript_path":"a\u0000b","user_email":"\u0000",
        "cursor_version":"\u0000","workspace_roots":["\u0000"]}"#;
    let workspace = guarded();
    let payload = Payload::parse(payload).unwrap();
    assert!(workspace.engine().fire(CursorEvent::BeforeShellExecution, payload).blocked);
}

#[test]
fn a_subject_that_is_missing_or_no_text_runs_the_hook() {
    let entry = json!([{ "command": "exit 2", "matcher": "^rm " }]);
    let workspace = Workspace::with(SHELL, &entry);
    for payload in [json!({}), json!({ "command": ["rm", "-rf"] }), json!({ "command": null })] {
        let outcome = workspace.fire(SHELL, payload.clone());
        assert!(outcome.blocked && warns(&outcome, "no text in `command`"), "{payload}");
    }
    assert!(!workspace.fire(SHELL, json!({ "command": "" })).blocked, "an empty one is a subject");
    let workspace = Workspace::with("beforeMCPExecution", &entry);
    assert!(workspace.fire("beforeMCPExecution", json!({})).blocked);
}

#[test]
fn claudes_deny_is_not_lifted_by_its_own_approve() {
    for (decision, permission, blocked) in [
        ("approve", "deny", true),
        ("block", "allow", true),
        ("approve", "ask", false),
        ("approve", "allow", false),
    ] {
        let text = json!({ "decision": decision,
            "hookSpecificOutput": { "permissionDecision": permission } });
        let workspace = Workspace::new();
        let handler = group("", &printing(&text.to_string()));
        workspace.claude("home/.claude/settings.json", "PreToolUse", &handler);
        let outcome = workspace.fire("preToolUse", workspace.sample("preToolUse"));
        assert_eq!(outcome.blocked, blocked, "{text}");
    }
}

#[test]
fn claudes_stop_before_a_tool_is_a_deny() {
    let workspace = Workspace::new();
    let text = r#"{"continue":false,"stopReason":"enough"}"#;
    workspace.claude("home/.claude/settings.json", "PreToolUse", &group("", &printing(text)));
    let outcome = workspace.fire("preToolUse", workspace.sample("preToolUse"));
    assert!(outcome.blocked);
    assert_eq!(answer(&outcome)["user_message"], "enough");
}

#[test]
fn within_one_layer_a_deny_counts_also_in_the_older_texts() {
    let entries = json!([runs(&printing(r#"{"permission":"allow"}"#)), runs("exit 2")]);
    let workspace =
        Workspace::with(SHELL, &entries).acting(|acted| acted.generation = Generation::G1);
    assert!(workspace.fire(SHELL, json!({ "command": "rm" })).blocked);
}

#[test]
fn an_answer_on_many_lines_leaves_on_one() {
    let text =
        "{\n  \"permission\": \"allow\",\n  \"updated_input\": {\n    \"a b\": 1e999\n  }\n}";
    let workspace = Workspace::with("preToolUse", &json!([runs(&printing(text))]));
    let outcome = workspace.fire("preToolUse", workspace.sample("preToolUse"));
    let json = serde_json::to_string(&outcome.answer).unwrap();
    assert_eq!(json, r#"{"permission":"allow","updated_input":{"a b":1e999}}"#);
    let payload = Payload::parse("{\"tool_input\": {\n \"a\": 1\n}}").unwrap();
    assert_eq!(payload.to_json(), r#"{"tool_input":{"a":1}}"#);
}

#[test]
fn a_hook_that_cannot_be_started_has_not_run() {
    let long = "x".repeat(3_000_000);
    let workspace = Workspace::with(SHELL, &json!([runs(&format!(": {long}"))]));
    let outcome = workspace.fire(SHELL, json!({ "command": "ls" }));
    assert_eq!((outcome.hooks[0].ran, outcome.hooks[0].outcome), (false, HookOutcome::Failed));
}

#[test]
fn a_hooks_file_that_is_no_file_is_reported_and_not_waited_for() {
    let workspace = Workspace::new();
    workspace.write("project/.cursor/keep", "");
    let file = workspace.path("project/.cursor/hooks.json");
    std::os::unix::fs::symlink("nowhere", &file).unwrap();
    complaint(&workspace.engine(), "it is a link to nothing");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    complaint(&workspace.engine(), "it is not a file");
}

#[test]
fn a_change_that_keeps_time_and_length_is_seen() {
    let workspace = Workspace::new();
    let write = |command: &str| {
        let text = json!({ "version": 1, "hooks": { SHELL: [runs(command)] } }).to_string();
        workspace.write("project/.cursor/hooks.json", &text);
        let file = std::fs::File::open(workspace.path("project/.cursor/hooks.json")).unwrap();
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        file.set_modified(long_ago).unwrap();
    };
    write("exit 0");
    let engine = workspace.engine();
    assert!(!fire(&engine, SHELL, json!({ "command": "rm" })).blocked);
    write("exit 2");
    assert!(fire(&engine, SHELL, json!({ "command": "rm" })).blocked);
}

#[test]
fn a_session_with_a_mistake_is_no_session() {
    for (script, fault) in [
        ("[]", "without steps"),
        (r#"{"evnts": 1, "events": [{"event": "stop"}]}"#, "nothing else"),
        (r#"[{"event": "stop", "payload": ["x"]}]"#, "`payload` must be an object"),
        (r#"[{"event": "stop", "set": "status=x"}]"#, "`set` must be an object"),
        (r#"[{"event": "stop", "expect": ["x"]}]"#, "`expect` must be an object"),
        (r#"[{"event": "stop", "expect": {"answer": "deny"}}]"#, "`answer` must be an object"),
        (r#"[{"event": "stop", "expect": {"blocked": "no"}}]"#, "must be true or false"),
        (r#"[{"event": "stop", "expect": {"bloked": true}}]"#, "did you mean `blocked`?"),
        (r#"[{"event": "stop", "sett": {}}]"#, "did you mean `set`?"),
    ] {
        let found = Script::parse(&Source::new("session.json", script)).unwrap_err();
        assert!(found.message.contains(fault), "{script}: {found}");
        assert!(found.position.is_some(), "{script}");
    }
}
