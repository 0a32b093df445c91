//! Claude Code's settings as Cursor runs them.

use serde_json::{Value, json};
use tenter_engine::diagnostic::Severity;
use tenter_engine::{HookOutcome, Outcome};

use crate::support::{
    Workspace, answer, complaint, file_of, fire, group, printing, ran, runs, says, stdout, warns,
};

const USER: &str = "home/.claude/settings.json";

/// The outcome of a handler in Claude's settings that runs `command`.
fn handled(claude: &str, cursor: &str, command: &str) -> Outcome {
    let workspace = Workspace::new();
    workspace.claude(USER, claude, &group("", command));
    workspace.fire(cursor, workspace.sample(cursor))
}

/// The outcome of a handler in Claude's settings that prints `text`.
fn said(claude: &str, cursor: &str, text: &Value) -> Outcome {
    handled(claude, cursor, &printing(&text.to_string()))
}

fn before_tool(text: &Value) -> Outcome {
    said("PreToolUse", "preToolUse", text)
}

// Events

const EVENTS: [(&str, &str); 8] = [
    ("PreToolUse", "preToolUse"),
    ("PostToolUse", "postToolUse"),
    ("UserPromptSubmit", "beforeSubmitPrompt"),
    ("Stop", "stop"),
    ("SubagentStop", "subagentStop"),
    ("SessionStart", "sessionStart"),
    ("SessionEnd", "sessionEnd"),
    ("PreCompact", "preCompact"),
];

#[test]
fn each_of_claudes_events_runs_at_cursors() {
    for (claude, cursor) in EVENTS {
        assert_eq!(ran(&handled(claude, cursor, "true")), 1, "{claude}");
    }
}

#[test]
fn claudes_events_run_at_no_other() {
    for (claude, cursor) in EVENTS {
        let workspace = Workspace::new();
        workspace.claude(USER, claude, &group("", "true"));
        let engine = workspace.engine();
        for event in tenter_engine::CursorEvent::ALL.iter().filter(|one| one.name() != cursor) {
            assert!(fire(&engine, event.name(), json!({})).hooks.is_empty(), "{claude} {event}");
        }
    }
}

#[test]
fn events_that_cursor_does_not_know_are_noted_and_never_run() {
    for claude in [
        "Notification",
        "PermissionRequest",
        "SubagentStart",
        "PostToolUseFailure",
        "ConfigChange",
        "preToolUse",
    ] {
        let workspace = Workspace::new();
        workspace.claude(USER, claude, &group("", "true"));
        let engine = workspace.engine();
        assert!(engine.config().hooks.is_empty(), "{claude}");
        assert_eq!(complaint(&engine, claude).severity, Severity::Note);
    }
}

#[test]
fn a_claude_hook_reads_cursors_payload() {
    let outcome = handled("PreToolUse", "preToolUse", "cat");
    let seen: Value = serde_json::from_str(&stdout(&outcome, 0)).unwrap();
    assert_eq!(seen["hook_event_name"], json!("preToolUse"));
    assert_eq!(seen["tool_name"], json!("Shell"));
    assert!(seen["cursor_version"].is_string());
}

// Answers

#[test]
fn a_permission_decision_is_the_permission_and_its_reason_is_for_the_human() {
    for decision in ["allow", "deny", "ask"] {
        let outcome = before_tool(&json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": decision,
            "permissionDecisionReason": "because" } }));
        let expected = json!({ "permission": decision, "user_message": "because" });
        assert_eq!(answer(&outcome), expected, "{decision}");
        assert_eq!(outcome.blocked, decision == "deny", "{decision}");
    }
}

#[test]
fn an_updated_input_is_passed_on() {
    let outcome = before_tool(&json!({ "hookSpecificOutput": {
        "permissionDecision": "allow", "updatedInput": { "command": "ls" } } }));
    let expected = json!({ "permission": "allow", "updated_input": { "command": "ls" } });
    assert_eq!(answer(&outcome), expected);
}

#[test]
fn an_updated_input_that_is_no_object_is_refused() {
    let outcome = before_tool(&json!({ "hookSpecificOutput": {
        "permissionDecision": "allow", "updatedInput": "ls" } }));
    assert!(outcome.blocked, "off-schema: {}", answer(&outcome));
}

#[test]
fn a_block_at_the_end_is_a_followup_flat_or_nested() {
    for (claude, cursor) in [("Stop", "stop"), ("SubagentStop", "subagentStop")] {
        let block = json!({ "decision": "block", "reason": "go on" });
        for text in [block.clone(), json!({ "hookSpecificOutput": block })] {
            let outcome = said(claude, cursor, &text);
            assert_eq!(outcome.followup.as_deref(), Some("go on"), "{claude} {text}");
            assert_eq!(answer(&outcome), json!({ "followup_message": "go on" }));
            assert!(!outcome.blocked);
        }
    }
}

#[test]
fn a_block_before_a_tool_is_a_deny() {
    let outcome = before_tool(&json!({ "decision": "block", "reason": "no" }));
    assert_eq!(answer(&outcome), json!({ "permission": "deny", "user_message": "no" }));
    let outcome = before_tool(&json!({ "decision": "approve" }));
    assert_eq!(answer(&outcome), json!({ "permission": "allow" }));
}

#[test]
fn a_block_of_a_prompt_stops_it() {
    let text = json!({ "decision": "block", "reason": "no" });
    let outcome = said("UserPromptSubmit", "beforeSubmitPrompt", &text);
    assert!(outcome.blocked);
    assert_eq!(answer(&outcome), json!({ "continue": false, "user_message": "no" }));
    let text = json!({ "continue": false, "stopReason": "enough" });
    let outcome = said("UserPromptSubmit", "beforeSubmitPrompt", &text);
    assert_eq!(answer(&outcome), json!({ "continue": false, "user_message": "enough" }));
}

#[test]
fn context_is_passed_on_where_cursor_takes_it() {
    let text = json!({ "hookSpecificOutput": { "additionalContext": "c" } });
    for (claude, cursor) in [("SessionStart", "sessionStart"), ("PostToolUse", "postToolUse")] {
        assert_eq!(answer(&said(claude, cursor, &text)), json!({ "additional_context": "c" }));
    }
    let outcome = said("UserPromptSubmit", "beforeSubmitPrompt", &text);
    assert_eq!(answer(&outcome), json!({}));
    assert!(warns(&outcome, "`additionalContext` has no effect"));
}

#[test]
fn a_decision_nobody_knows_is_off_schema() {
    for text in [
        json!({ "decision": "maybe" }),
        json!({ "hookSpecificOutput": { "permissionDecision": "maybe" } }),
        json!({ "hookSpecificOutput": [] }),
        json!({ "hookSpecificOutput": { "permissionDecision": 3 } }),
    ] {
        let outcome = before_tool(&text);
        assert!(outcome.blocked, "{text}");
        assert!(outcome.hooks[0].diagnosis.contains("off-schema"), "{text}");
    }
}

#[test]
fn cursors_own_words_count_too() {
    let outcome = before_tool(&json!({ "permission": "deny", "agent_message": "no" }));
    assert_eq!(answer(&outcome), json!({ "permission": "deny", "agent_message": "no" }));
    let outcome = said("Stop", "stop", &json!({ "followup_message": "more" }));
    assert_eq!(outcome.followup.as_deref(), Some("more"));
}

#[test]
fn a_deny_in_cursors_words_is_not_lost_beside_claudes() {
    let both =
        json!({ "permission": "deny", "hookSpecificOutput": { "hookEventName": "PreToolUse" } });
    assert!(before_tool(&both).blocked, "one hook for both hosts");
    let workspace = Workspace::with("preToolUse", &json!([says(&both)]))
        .acting(|settings| settings.cursor_version = "2026.09.23-86fc751".to_owned());
    assert!(workspace.fire("preToolUse", json!({})).blocked, "in Cursor's own file");
}

#[test]
fn silence_of_a_claude_hook_before_a_tool_is_a_failure_that_goes_on() {
    let outcome = handled("PreToolUse", "preToolUse", "true");
    assert!(!outcome.blocked);
    assert_eq!(outcome.hooks[0].outcome, HookOutcome::Failed);
    assert!(outcome.hooks[0].diagnosis.contains("no output"));
}

#[test]
fn garbage_of_a_claude_hook_before_a_tool_blocks() {
    assert!(handled("PreToolUse", "preToolUse", "echo fine").blocked);
}

#[test]
fn the_command_line_client_reads_claudes_words_from_cursors_files_and_the_editor_does_not() {
    let text = json!({ "hookSpecificOutput": { "permissionDecision": "allow" } });
    for (version, read) in
        [("2026.09.23-86fc751", true), ("2026.03.01-abc", false), ("3.21.16", false)]
    {
        let workspace = Workspace::with("preToolUse", &json!([says(&text)]))
            .acting(|settings| settings.cursor_version = version.to_owned());
        let outcome = workspace.fire("preToolUse", json!({ "cursor_version": version }));
        assert_eq!(!outcome.blocked, read, "{version}");
    }
}

// Exit codes

#[test]
fn exit_2_of_a_claude_hook_blocks_a_tool_and_a_prompt() {
    let command = "echo no >&2; exit 2";
    let outcome = handled("PreToolUse", "preToolUse", command);
    assert_eq!(answer(&outcome), json!({ "permission": "deny", "agent_message": "no" }));
    let outcome = handled("UserPromptSubmit", "beforeSubmitPrompt", command);
    assert_eq!(answer(&outcome), json!({ "continue": false, "user_message": "no" }));
}

#[test]
fn exit_2_of_a_claude_hook_at_the_end_goes_on() {
    for (claude, cursor) in [("Stop", "stop"), ("SubagentStop", "subagentStop")] {
        let outcome = handled(claude, cursor, "echo go on >&2; exit 2");
        assert_eq!(outcome.followup.as_deref(), Some("go on"), "{claude}");
        assert_eq!(handled(claude, cursor, "exit 2").followup, None, "{claude}: nothing to say");
    }
}

#[test]
fn exit_2_of_a_claude_hook_elsewhere_has_no_effect() {
    for (claude, cursor) in [("PostToolUse", "postToolUse"), ("SessionStart", "sessionStart")] {
        let outcome = handled(claude, cursor, "echo no >&2; exit 2");
        assert!(!outcome.blocked && outcome.answer.is_empty(), "{claude}");
    }
}

#[test]
fn another_exit_of_a_claude_hook_fails_open() {
    let deny = printing(r#"{"decision":"block","reason":"no"}"#);
    let outcome = handled("PreToolUse", "preToolUse", &format!("{deny}; exit 1"));
    assert!(!outcome.blocked);
    assert!(warns(&outcome, "it printed a deny"));
}

// Handlers

#[test]
fn the_timeout_of_a_handler_is_in_seconds() {
    let workspace = Workspace::new();
    let handler = json!({ "type": "command", "command": "sleep 9", "timeout": 0.2 });
    workspace.claude(USER, "PreToolUse", &json!({ "hooks": [handler] }));
    let outcome = workspace.fire("preToolUse", json!({}));
    assert!(outcome.hooks[0].diagnosis.contains("within 0.2 s"), "{}", outcome.hooks[0].diagnosis);
}

#[test]
fn handlers_that_are_not_understood_are_skipped_with_a_warning() {
    let handlers = [
        json!({ "type": "command", "command": "true", "if": "Bash(rm *)" }),
        json!({ "type": "command", "command": "true", "async": true }),
        json!({ "type": "command", "command": "true", "asyncRewake": true }),
        json!({ "type": "http", "url": "http://localhost" }),
        json!({ "type": "mcp_tool", "server": "s", "tool": "t" }),
        json!({ "type": "agent", "prompt": "p" }),
        json!({ "command": "true" }),
    ];
    for handler in handlers {
        let workspace = Workspace::new();
        let group = json!({ "hooks": [handler, { "type": "command", "command": "true" }] });
        workspace.claude(USER, "Stop", &group);
        let engine = workspace.engine();
        let found = engine.diagnostics();
        assert_eq!(found.len(), 1, "{handler}: {found:?}");
        assert_eq!(found[0].severity, Severity::Warning, "{handler}");
        assert_eq!(engine.config().hooks.len(), 1, "{handler}: the other one runs");
    }
}

#[test]
fn a_handler_that_says_it_is_not_in_the_background_runs() {
    let workspace = Workspace::new();
    let handler = json!({ "type": "command", "command": "true", "async": false });
    workspace.claude(USER, "Stop", &json!({ "hooks": [handler] }));
    assert_eq!(ran(&workspace.fire("stop", json!({}))), 1);
}

#[test]
fn settings_of_other_kinds_are_reported_and_the_rest_runs() {
    let workspace = Workspace::new();
    let settings = json!({ "model": "opus", "permissions": {}, "hooks": {
        "PreToolUse": {}, "PostToolUse": [3, {}, { "hooks": [4, { "type": "command" }] }],
        "Stop": [group("", "true")] } });
    workspace.write(USER, &settings.to_string());
    let engine = workspace.engine();
    for part in [
        "`PreToolUse` must be a list",
        "a group must be an object",
        "without `hooks`",
        "a handler must be an object",
        "without `command`",
    ] {
        assert_eq!(complaint(&engine, part).severity, Severity::Error, "{part}");
    }
    assert_eq!(engine.diagnostics().len(), 5, "the rest is Claude's own business");
    assert_eq!(ran(&fire(&engine, "stop", json!({}))), 1);
}

#[test]
fn a_broken_settings_file_costs_itself_alone() {
    let workspace = Workspace::with("stop", &json!([runs("true")]));
    workspace.write(USER, "{ oops");
    let engine = workspace.engine();
    assert_eq!(complaint(&engine, "settings.json").severity, Severity::Error);
    assert_eq!(ran(&fire(&engine, "stop", json!({}))), 1);
}

// Several files

const FILES: [&str; 3] = ["claude-local", "claude-project", "claude-user"];

#[test]
fn the_same_handler_in_all_three_files_runs_once() {
    let workspace = Workspace::new();
    for file in FILES {
        workspace.claude(file_of(file), "PreToolUse", &group("Bash", "true"));
    }
    let outcome = workspace.fire("preToolUse", json!({ "tool_name": "Shell" }));
    assert_eq!(crate::support::order(&outcome), ["claude-local"]);
}

#[test]
fn handlers_that_differ_in_anything_all_run() {
    let workspace = Workspace::new();
    workspace.claude(file_of("claude-local"), "PreToolUse", &group("Bash", "true"));
    workspace.claude(file_of("claude-project"), "PreToolUse", &group("", "true"));
    workspace.claude(file_of("claude-user"), "PreToolUse", &group("Bash", "true "));
    assert_eq!(ran(&workspace.fire("preToolUse", json!({ "tool_name": "Shell" }))), 3);
}

#[test]
fn the_same_command_in_cursors_and_claudes_file_runs_twice() {
    let workspace = Workspace::with("stop", &json!([runs("true")]));
    workspace.claude(USER, "Stop", &group("", "true"));
    assert_eq!(ran(&workspace.fire("stop", json!({}))), 2);
}

#[test]
fn a_file_that_disables_its_hooks_runs_none_of_them() {
    let workspace = Workspace::new();
    let settings = json!({ "disableAllHooks": true, "hooks": { "Stop": [group("", "true")] } });
    workspace.write(USER, &settings.to_string());
    let outcome = workspace.fire("stop", json!({}));
    assert_eq!((outcome.hooks.len(), ran(&outcome)), (1, 0));
    assert_eq!(outcome.hooks[0].outcome, HookOutcome::Disabled);
}

#[test]
fn a_disabled_handler_does_not_hide_the_same_handler_of_another_file() {
    let workspace = Workspace::new();
    let settings = json!({ "disableAllHooks": true, "hooks": { "Stop": [group("", "true")] } });
    workspace.write(file_of("claude-local"), &settings.to_string());
    workspace.claude(USER, "Stop", &group("", "true"));
    assert_eq!(ran(&workspace.fire("stop", json!({}))), 1);
}
