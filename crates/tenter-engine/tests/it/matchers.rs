//! The subject that each event's matcher is tested against.

use serde_json::{Value, json};
use tenter_engine::HookOutcome;

use crate::support::{Workspace, file_of, fire, ran, warns};

/// Whether a native hook with this matcher runs.
fn selects(matcher: &str, event: &str, payload: &Value) -> bool {
    let entry = json!({ "command": "true", "matcher": matcher });
    let outcome = Workspace::with(event, &json!([entry])).fire(event, payload.clone());
    assert_eq!(outcome.hooks[0].matched, outcome.hooks[0].ran);
    outcome.hooks[0].ran
}

/// Checks that this is exactly the subject, including case.
fn subject(event: &str, payload: &Value, subject: &str) {
    assert!(selects(&format!("^{subject}$"), event, payload), "{event} is matched as {subject}");
    assert!(!selects(&format!("^{}$", subject.to_lowercase()), event, payload), "{event}: case");
    assert!(!selects("^$", event, payload), "{event}");
    assert!(!selects("nothing like it", event, payload), "{event}");
}

/// Checks that this is exactly the subject for a group of Claude's settings.
fn claude_selects(matcher: &str, payload: &Value) -> bool {
    let workspace = Workspace::new();
    let group = crate::support::group(matcher, "true");
    workspace.claude(file_of("claude-user"), "PostToolUse", &group);
    ran(&workspace.fire("postToolUse", payload.clone())) == 1
}

#[test]
fn pre_tool_use_is_matched_by_tool() {
    subject("preToolUse", &json!({ "tool_name": "Shell", "command": "x" }), "Shell");
    subject("preToolUse", &json!({ "tool_name": "Task" }), "Task");
}

#[test]
fn post_tool_use_is_matched_by_tool() {
    subject("postToolUse", &json!({ "tool_name": "Grep" }), "Grep");
}

#[test]
fn post_tool_use_failure_is_matched_by_tool() {
    subject("postToolUseFailure", &json!({ "tool_name": "Delete" }), "Delete");
}

#[test]
fn an_mcp_tool_is_matched_with_its_prefix_at_tool_events() {
    for event in ["preToolUse", "postToolUse", "postToolUseFailure"] {
        subject(event, &json!({ "tool_name": "MCP:Run_sql" }), "MCP:Run_sql");
    }
}

#[test]
fn subagent_start_is_matched_by_the_type_of_agent() {
    subject("subagentStart", &json!({ "subagent_type": "generalPurpose" }), "generalPurpose");
}

#[test]
fn subagent_stop_is_matched_by_the_type_of_agent() {
    subject("subagentStop", &json!({ "subagent_type": "generalPurpose" }), "generalPurpose");
}

#[test]
fn before_shell_execution_is_matched_by_the_whole_command() {
    let payload = json!({ "command": "cd /X && curl y" });
    subject("beforeShellExecution", &payload, "cd /X && curl y");
    assert!(selects("curl|wget|nc ", "beforeShellExecution", &payload), "searched anywhere");
}

#[test]
fn after_shell_execution_is_matched_by_the_whole_command() {
    subject("afterShellExecution", &json!({ "command": "Ls -1", "output": "a" }), "Ls -1");
}

#[test]
fn before_read_file_is_matched_as_read() {
    subject("beforeReadFile", &json!({ "file_path": "/a", "content": "b" }), "Read");
}

#[test]
fn before_tab_file_read_is_matched_as_tab_read() {
    subject("beforeTabFileRead", &json!({ "file_path": "/a", "content": "b" }), "TabRead");
}

#[test]
fn after_file_edit_is_matched_as_write() {
    subject("afterFileEdit", &json!({ "file_path": "/a", "edits": [] }), "Write");
}

#[test]
fn after_tab_file_edit_is_matched_as_tab_write() {
    subject("afterTabFileEdit", &json!({ "file_path": "/a", "edits": [] }), "TabWrite");
}

#[test]
fn before_submit_prompt_is_matched_as_user_prompt_submit() {
    subject("beforeSubmitPrompt", &json!({ "prompt": "hello" }), "UserPromptSubmit");
}

#[test]
fn stop_is_matched_as_stop() {
    subject("stop", &json!({ "status": "completed" }), "Stop");
}

#[test]
fn after_agent_response_is_matched_as_agent_response() {
    subject("afterAgentResponse", &json!({ "text": "hello" }), "AgentResponse");
}

#[test]
fn after_agent_thought_is_matched_as_agent_thought() {
    subject("afterAgentThought", &json!({ "text": "hello" }), "AgentThought");
}

#[test]
fn mcp_events_are_matched_by_tool_with_the_prefix() {
    for event in ["beforeMCPExecution", "afterMCPExecution"] {
        subject(event, &json!({ "tool_name": "Run_sql", "command": "npx" }), "MCP:Run_sql");
        subject(event, &json!({ "tool_name": "MCP:Run_sql" }), "MCP:Run_sql");
    }
}

#[test]
fn events_without_a_subject_ignore_the_matcher() {
    for event in ["sessionStart", "sessionEnd", "preCompact", "workspaceOpen"] {
        assert!(selects("^no such thing$", event, &json!({})), "{event}");
    }
}

#[test]
fn a_star_matches_all() {
    assert!(selects("*", "beforeShellExecution", &json!({ "command": "ls" })));
}

#[test]
fn an_empty_matcher_matches_all() {
    assert!(selects("", "beforeShellExecution", &json!({ "command": "ls" })));
}

#[test]
fn an_absent_matcher_matches_all() {
    let workspace = Workspace::with("beforeShellExecution", &json!([{ "command": "true" }]));
    assert_eq!(ran(&workspace.fire("beforeShellExecution", json!({ "command": "ls" }))), 1);
}

#[test]
fn an_invalid_matcher_runs_the_hook_and_warns_each_time() {
    let entry = json!({ "command": "true", "matcher": "rm(" });
    let workspace = Workspace::with("afterShellExecution", &json!([entry]));
    let engine = workspace.engine();
    for _ in 0..2 {
        let outcome = fire(&engine, "afterShellExecution", json!({ "command": "ls" }));
        assert_eq!(ran(&outcome), 1);
        assert!(warns(&outcome, "`rm(` is invalid"), "{:?}", outcome.all_warnings());
    }
}

#[test]
fn an_invalid_matcher_of_a_claude_group_runs_the_hook_and_warns() {
    let workspace = Workspace::new();
    workspace.claude(
        file_of("claude-user"),
        "PostToolUse",
        &crate::support::group("Bash(", "true"),
    );
    let outcome = workspace.fire("postToolUse", json!({ "tool_name": "Read" }));
    assert_eq!(ran(&outcome), 1);
    assert!(warns(&outcome, "`Bash(` is invalid"));
}

#[test]
fn a_hook_that_is_not_selected_says_why() {
    let entry = json!({ "command": "true", "matcher": "^rm" });
    let workspace = Workspace::with("beforeShellExecution", &json!([entry]));
    let outcome = workspace.fire("beforeShellExecution", json!({ "command": "ls" }));
    let run = &outcome.hooks[0];
    assert_eq!((run.outcome, run.matched, run.exit), (HookOutcome::NotMatched, false, None));
    assert!(run.diagnosis.contains("^rm") && run.diagnosis.contains("ls"), "{}", run.diagnosis);
    assert!(!outcome.blocked);
}

#[test]
fn a_command_of_many_lines_is_searched_whole() {
    let payload = json!({ "command": "echo a\nrm -rf /\n" });
    assert!(selects("rm -rf", "beforeShellExecution", &payload));
    assert!(!selects("^rm", "beforeShellExecution", &payload), "`^` is the beginning of the text");
}

#[test]
fn a_very_long_command_is_searched_whole() {
    let payload = json!({ "command": format!("{}curl", "x".repeat(1_000_000)) });
    assert!(selects("curl$", "beforeShellExecution", &payload));
}

#[test]
fn a_command_with_half_a_surrogate_pair_is_still_searched() {
    let entry = json!({ "command": "true", "matcher": "^rm " });
    let workspace = Workspace::with("beforeShellExecution", &json!([entry]));
    let engine = workspace.engine();
    let payload = tenter_engine::Payload::parse(r#"{"command": "rm -rf / # \ud83d"}"#).unwrap();
    let outcome = engine.fire(tenter_engine::CursorEvent::BeforeShellExecution, payload);
    assert_eq!(ran(&outcome), 1, "a cut emoji must not switch a guard off");
}

#[test]
fn a_matcher_in_cursors_file_does_not_know_claudes_names() {
    assert!(!selects("^Bash$", "preToolUse", &json!({ "tool_name": "Shell" })));
    assert!(!selects("^Edit$", "preToolUse", &json!({ "tool_name": "Write" })));
}

#[test]
fn claudes_bash_is_cursors_shell() {
    let shell = json!({ "tool_name": "Shell" });
    assert!(claude_selects("^Bash$", &shell));
    assert!(claude_selects("^Shell$", &shell));
    assert!(!claude_selects("Read|Write|Edit", &shell));
}

#[test]
fn claudes_edit_and_write_are_cursors_write() {
    let write = json!({ "tool_name": "Write" });
    assert!(claude_selects("^Edit$", &write));
    assert!(claude_selects("^Write$", &write));
    assert!(claude_selects("Edit|MultiEdit", &write));
    assert!(!claude_selects("^Read$", &write));
}

#[test]
fn other_tools_have_the_same_name_in_claudes_settings() {
    for tool in ["Read", "Grep", "Task", "WebFetch", "WebSearch"] {
        assert!(claude_selects(&format!("^{tool}$"), &json!({ "tool_name": tool })), "{tool}");
        assert!(!claude_selects("^Glob$", &json!({ "tool_name": tool })), "{tool}");
    }
}

#[test]
fn claudes_name_of_an_mcp_tool_is_made_of_server_and_tool() {
    let payload = json!({ "tool_name": "MCP:run_sql", "mcp_server_name": "pg" });
    assert!(claude_selects("^mcp__pg__run_sql$", &payload));
    assert!(claude_selects("mcp__.*", &payload));
    assert!(claude_selects("^MCP:run_sql$", &payload), "Cursor's own name does as well");
    assert!(!claude_selects("mcp__github__.*", &payload));
}

#[test]
fn an_mcp_tool_of_a_server_without_a_name_runs_what_might_be_meant() {
    let workspace = Workspace::new();
    workspace.claude(
        file_of("claude-user"),
        "PostToolUse",
        &crate::support::group("mcp__pg__x", "true"),
    );
    let outcome = workspace.fire("postToolUse", json!({ "tool_name": "MCP:x" }));
    assert_eq!(ran(&outcome), 1);
    assert!(warns(&outcome, "names no MCP server"));
    assert!(!claude_selects("Bash", &json!({ "tool_name": "MCP:x" })), "only those");
}

#[test]
fn claudes_star_and_empty_and_absent_matchers_match_all() {
    for matcher in ["*", ""] {
        assert!(claude_selects(matcher, &json!({ "tool_name": "Shell" })));
    }
    let workspace = Workspace::new();
    let group = json!({ "hooks": [{ "type": "command", "command": "true" }] });
    workspace.claude(file_of("claude-user"), "PostToolUse", &group);
    assert_eq!(ran(&workspace.fire("postToolUse", json!({ "tool_name": "Shell" }))), 1);
}
