//! The failure matrix: effect of each way to end, at each kind of event.

use serde_json::{Value, json};
use tenter_engine::Generation::{G1, G2, G3};
use tenter_engine::{Generation, HookOutcome, Outcome};

use crate::support::{
    PERMISSION, POWERLESS, Workspace, answer, file_of, group, printing, runs, says, stdout, warns,
};

const PROMPT: &str = "beforeSubmitPrompt";
const GENERATIONS: [Generation; 3] = [G1, G2, G3];

/// Fires one hook that runs `command`, at one event, in one generation of the documentation.
fn cell(event: &str, command: &str, closed: bool, generation: Generation) -> Outcome {
    let entry = json!({ "command": command, "failClosed": closed, "timeout": 5 });
    fired(event, &entry, generation)
}

fn fired(event: &str, entry: &Value, generation: Generation) -> Outcome {
    let workspace =
        Workspace::with(event, &json!([entry])).acting(|settings| settings.generation = generation);
    let payload = workspace.sample(event);
    workspace.fire(event, payload)
}

/// Checks that the hook blocks.
fn blocks(outcome: &Outcome, why: &str) {
    let run = &outcome.hooks[0];
    let event = outcome.event;
    assert!(outcome.blocked, "{event} must be blocked: {}", run.diagnosis);
    assert_eq!(run.outcome, HookOutcome::Deny, "{event}");
    assert!(run.diagnosis.contains(why), "{event}: `{why}` is not in {}", run.diagnosis);
    let decision = answer(outcome);
    if event.name() == PROMPT {
        assert_eq!(decision["continue"], json!(false));
    } else {
        assert_eq!(decision["permission"], json!("deny"));
    }
}

/// Checks that the action goes on, the hook counts as failed and its output is ignored.
fn fails_open(outcome: &Outcome, why: &str) {
    let run = &outcome.hooks[0];
    let event = outcome.event;
    assert!(!outcome.blocked && !outcome.asks && outcome.followup.is_none(), "{event}");
    assert_eq!(run.outcome, HookOutcome::Failed, "{event}: {}", run.diagnosis);
    assert!(run.diagnosis.contains(why), "{event}: `{why}` is not in {}", run.diagnosis);
    assert_eq!(answer(outcome), json!({}), "{event}");
}

/// Checks an ordinary failure: goes on, unless the hook fails closed at an event that can be blocked.
fn fails_as_told(command: &str, why: &str) {
    for event in PERMISSION.into_iter().chain([PROMPT]) {
        for generation in [G1, G3] {
            fails_open(&cell(event, command, false, generation), why);
            blocks(&cell(event, command, true, generation), why);
        }
    }
}

fn never_blocks(command: &str, why: &str) {
    for event in POWERLESS {
        for closed in [false, true] {
            fails_open(&cell(event, command, closed, G3), why);
        }
    }
}

// Exit 0 with a valid answer.

#[test]
fn exit_0_with_a_valid_allow_goes_on_at_every_permission_event() {
    for event in PERMISSION {
        let outcome = fired(event, &says(&json!({ "permission": "allow" })), G3);
        assert!(!outcome.blocked, "{event}");
        assert_eq!(answer(&outcome), json!({ "permission": "allow" }), "{event}");
        assert_eq!(outcome.hooks[0].outcome, HookOutcome::Allow, "{event}");
        assert_eq!(outcome.hooks[0].exit, Some(0), "{event}");
    }
}

#[test]
fn exit_0_with_a_valid_deny_blocks_at_every_permission_event() {
    for event in PERMISSION {
        for generation in GENERATIONS {
            let outcome = fired(event, &says(&json!({ "permission": "deny" })), generation);
            assert!(outcome.blocked, "{event}");
            assert_eq!(outcome.hooks[0].outcome, HookOutcome::Deny, "{event}");
        }
    }
}

#[test]
fn exit_0_with_a_valid_answer_is_applied_at_before_submit_prompt() {
    let outcome = fired(PROMPT, &says(&json!({ "continue": false, "user_message": "no" })), G3);
    assert!(outcome.blocked);
    assert_eq!(answer(&outcome), json!({ "continue": false, "user_message": "no" }));
    let outcome = fired(PROMPT, &says(&json!({ "continue": true })), G3);
    assert!(!outcome.blocked);
    assert_eq!(outcome.hooks[0].outcome, HookOutcome::Allow);
    let outcome = fired(PROMPT, &says(&json!({})), G3);
    assert!(!outcome.blocked, "`continue` may be left out");
    assert_eq!(outcome.hooks[0].outcome, HookOutcome::NoAnswer);
}

#[test]
fn exit_0_with_a_valid_answer_is_applied_at_context_and_stop_events() {
    let outcome = fired("sessionStart", &says(&json!({ "additional_context": "c" })), G3);
    assert_eq!(answer(&outcome), json!({ "additional_context": "c" }));
    let outcome = fired("stop", &says(&json!({ "followup_message": "more" })), G3);
    assert_eq!(outcome.followup.as_deref(), Some("more"));
    assert!(!outcome.blocked);
}

#[test]
fn exit_0_with_an_empty_object_is_fine_at_events_that_cannot_block() {
    for event in POWERLESS {
        let outcome = fired(event, &says(&json!({})), G3);
        assert_eq!(outcome.hooks[0].outcome, HookOutcome::NoAnswer, "{event}");
        assert!(outcome.warnings.is_empty(), "{event}");
    }
}

// Exit 0 with invalid JSON, or off-schema.

const NOT_JSON: [&str; 5] = [
    "all good",
    "{",
    r#"{"permission":"allow"} done"#,
    r#"{"permission":"allow"}{"permission":"allow"}"#,
    r#"note: {"permission":"allow"}"#,
];

#[test]
fn exit_0_with_invalid_json_blocks_every_permission_event_in_the_newest_text() {
    for event in PERMISSION {
        for closed in [false, true] {
            blocks(&cell(event, "echo hello", closed, G3), "invalid JSON");
        }
    }
    for text in NOT_JSON {
        blocks(&cell("preToolUse", &printing(text), false, G3), "invalid JSON");
    }
}

#[test]
fn exit_0_with_invalid_json_is_a_plain_failure_of_permission_events_in_older_texts() {
    for event in PERMISSION {
        for generation in [G1, G2] {
            fails_open(&cell(event, "echo hello", false, generation), "invalid JSON");
            blocks(&cell(event, "echo hello", true, generation), "invalid JSON");
        }
    }
}

#[test]
fn exit_0_with_invalid_json_is_a_plain_failure_at_before_submit_prompt() {
    for generation in GENERATIONS {
        fails_open(&cell(PROMPT, "echo hello", false, generation), "invalid JSON");
        blocks(&cell(PROMPT, "echo hello", true, generation), "invalid JSON");
    }
}

#[test]
fn exit_0_with_invalid_json_fails_and_goes_on_at_events_that_cannot_block() {
    never_blocks("echo hello", "invalid JSON");
}

const OFF_SCHEMA: [&str; 10] = [
    "{}",
    "[]",
    "null",
    "\"allow\"",
    r#"{"user_message":"no permission in here"}"#,
    r#"{"permission":"maybe"}"#,
    r#"{"permission":"Allow"}"#,
    r#"{"permission":null}"#,
    r#"{"permission":true}"#,
    r#"{"continue":true}"#,
];

#[test]
fn exit_0_off_schema_blocks_every_permission_event_in_the_newest_text() {
    for event in PERMISSION {
        for text in OFF_SCHEMA {
            blocks(&cell(event, &printing(text), false, G3), "off-schema");
        }
        blocks(&cell(event, &printing("{}"), true, G3), "off-schema");
    }
}

#[test]
fn exit_0_off_schema_is_a_plain_failure_of_permission_events_in_older_texts() {
    for event in PERMISSION {
        for generation in [G1, G2] {
            fails_open(&cell(event, &printing("{}"), false, generation), "off-schema");
            blocks(&cell(event, &printing("{}"), true, generation), "off-schema");
        }
    }
    for text in OFF_SCHEMA {
        fails_open(&cell("preToolUse", &printing(text), false, G1), "off-schema");
    }
}

#[test]
fn exit_0_with_a_field_of_the_wrong_kind_blocks_permission_events() {
    let bad = [
        ("preToolUse", json!({ "permission": "allow", "updated_input": "text" })),
        ("preToolUse", json!({ "permission": "allow", "updated_input": [] })),
        ("beforeShellExecution", json!({ "permission": "allow", "user_message": 3 })),
        ("beforeMCPExecution", json!({ "permission": "allow", "agent_message": {} })),
    ];
    for (event, bad) in bad {
        blocks(&cell(event, &printing(&bad.to_string()), false, G3), "off-schema");
    }
}

#[test]
fn exit_0_with_ask_is_off_schema_where_only_allow_and_deny_are_known() {
    for event in ["beforeReadFile", "beforeTabFileRead"] {
        let ask = printing(r#"{"permission":"ask"}"#);
        blocks(&cell(event, &ask, false, G3), "off-schema");
        fails_open(&cell(event, &ask, false, G1), "off-schema");
    }
}

#[test]
fn exit_0_off_schema_is_a_plain_failure_at_before_submit_prompt() {
    for text in ["[]", "3", r#"{"continue":"no"}"#, r#"{"continue":0}"#, r#"{"user_message":3}"#] {
        fails_open(&cell(PROMPT, &printing(text), false, G3), "off-schema");
        blocks(&cell(PROMPT, &printing(text), true, G3), "off-schema");
    }
}

#[test]
fn exit_0_off_schema_fails_and_goes_on_at_events_that_cannot_block() {
    never_blocks(&printing("[]"), "off-schema");
    for (event, bad) in [
        ("stop", json!({ "followup_message": ["more"] })),
        ("subagentStop", json!({ "followup_message": 3 })),
        ("sessionStart", json!({ "env": { "A": 1 } })),
        ("sessionStart", json!({ "additional_context": {} })),
        ("postToolUse", json!({ "updated_mcp_tool_output": "text" })),
        ("preCompact", json!({ "user_message": false })),
        ("workspaceOpen", json!({ "pluginPaths": "/p" })),
    ] {
        fails_open(&cell(event, &printing(&bad.to_string()), true, G3), "off-schema");
    }
}

// Exit 0 and nothing printed.

#[test]
fn exit_0_without_output_is_a_plain_failure_at_permission_events() {
    for event in PERMISSION {
        for command in ["true", "echo", "printf ' \\n\\t '", "echo hello >&2"] {
            fails_open(&cell(event, command, false, G3), "no output");
        }
        for generation in GENERATIONS {
            fails_open(&cell(event, "true", false, generation), "no output");
            blocks(&cell(event, "true", true, generation), "no output");
        }
    }
}

#[test]
fn exit_0_without_output_is_no_answer_everywhere_else() {
    for event in POWERLESS.into_iter().chain([PROMPT]) {
        for closed in [false, true] {
            let outcome = cell(event, "true", closed, G3);
            assert!(!outcome.blocked, "{event}");
            assert_eq!(outcome.hooks[0].outcome, HookOutcome::NoAnswer, "{event}");
        }
    }
}

// Exit 2.

#[test]
fn exit_2_in_silence_blocks_every_permission_event_and_before_submit_prompt() {
    for event in PERMISSION.into_iter().chain([PROMPT]) {
        for generation in GENERATIONS {
            let outcome = cell(event, "exit 2", false, generation);
            blocks(&outcome, "exit 2 blocks");
            assert_eq!(answer(&outcome).as_object().unwrap().len(), 1, "{event}: no message");
            assert_eq!(outcome.hooks[0].exit, Some(2), "{event}");
        }
    }
}

#[test]
fn exit_2_has_no_effect_at_events_that_cannot_block() {
    let command = format!("{}; echo why >&2; exit 2", printing(r#"{"followup_message":"x"}"#));
    for event in POWERLESS {
        for closed in [false, true] {
            let outcome = cell(event, &command, closed, G3);
            assert!(!outcome.blocked && outcome.followup.is_none(), "{event}");
            assert_eq!(answer(&outcome), json!({}), "{event}");
        }
    }
}

#[test]
fn exit_2_tells_the_agent_what_stands_on_stderr() {
    let command = "echo '  rm is not for you  ' >&2; exit 2";
    for event in ["preToolUse", "beforeShellExecution", "beforeMCPExecution"] {
        let expected = json!({ "permission": "deny", "agent_message": "rm is not for you" });
        assert_eq!(answer(&cell(event, command, false, G3)), expected, "{event}");
    }
}

#[test]
fn exit_2_tells_the_human_where_the_agent_cannot_be_told() {
    let command = "echo no >&2; exit 2";
    for event in ["beforeReadFile", "subagentStart"] {
        let expected = json!({ "permission": "deny", "user_message": "no" });
        assert_eq!(answer(&cell(event, command, false, G3)), expected, "{event}");
    }
    let expected = json!({ "continue": false, "user_message": "no" });
    assert_eq!(answer(&cell(PROMPT, command, false, G3)), expected);
    let expected = json!({ "permission": "deny" });
    assert_eq!(answer(&cell("beforeTabFileRead", command, false, G3)), expected);
}

#[test]
fn exit_2_with_an_answer_keeps_its_messages_and_not_its_permission() {
    let said = json!({ "permission": "allow", "user_message": "u", "agent_message": "a" });
    let command = format!("{}; echo ignored >&2; exit 2", printing(&said.to_string()));
    let outcome = cell("beforeShellExecution", &command, false, G3);
    blocks(&outcome, "exit 2");
    let expected = json!({ "permission": "deny", "user_message": "u", "agent_message": "a" });
    assert_eq!(answer(&outcome), expected);
}

#[test]
fn exit_2_with_messages_and_no_permission_keeps_the_messages() {
    let said = json!({ "user_message": "u", "agent_message": "a" });
    let command = format!("{}; exit 2", printing(&said.to_string()));
    let outcome = cell("beforeShellExecution", &command, false, G3);
    let expected = json!({ "permission": "deny", "user_message": "u", "agent_message": "a" });
    assert_eq!(answer(&outcome), expected, "the exit code is the permission");
}

#[test]
fn exit_2_with_garbage_on_stdout_takes_stderr() {
    let outcome = cell("preToolUse", "echo garbage; echo why >&2; exit 2", false, G3);
    let expected = json!({ "permission": "deny", "agent_message": "why" });
    assert_eq!(answer(&outcome), expected);
}

// Any other exit.

#[test]
fn another_exit_is_a_plain_failure_where_something_can_be_blocked() {
    fails_as_told("exit 1", "exit 1");
    for (command, why) in [
        ("exit 3", "exit 3"),
        ("exit 255", "exit 255"),
        ("./no-such-program", "exit 127 (the command was not found)"),
        ("echo x > f; ./f", "exit 126 (the command is not executable)"),
        ("echo why >&2; exit 1", "exit 1: why"),
    ] {
        fails_open(&cell("beforeMCPExecution", command, false, G3), why);
        blocks(&cell("beforeMCPExecution", command, true, G3), why);
    }
}

#[test]
fn another_exit_fails_and_goes_on_at_events_that_cannot_block() {
    never_blocks("exit 1", "exit 1");
}

#[test]
fn another_exit_discards_the_deny_that_was_printed_and_says_so() {
    let deny = json!({ "permission": "deny", "user_message": "no" }).to_string();
    for event in PERMISSION {
        let outcome = cell(event, &format!("{}; exit 1", printing(&deny)), false, G3);
        fails_open(&outcome, "exit 1");
        assert!(warns(&outcome, "it printed a deny"), "{event}");
    }
    let outcome =
        cell(PROMPT, &format!("{}; exit 1", printing(r#"{"continue":false}"#)), false, G3);
    fails_open(&outcome, "exit 1");
    assert!(warns(&outcome, "it printed a deny"));
}

#[test]
fn another_exit_discards_every_answer() {
    let command = format!("{}; exit 1", printing(r#"{"followup_message":"more"}"#));
    fails_open(&cell("stop", &command, false, G3), "exit 1");
    let command = format!("{}; exit 1", printing(r#"{"permission":"allow"}"#));
    let outcome = cell("preToolUse", &command, false, G3);
    fails_open(&outcome, "exit 1");
    assert!(!warns(&outcome, "deny"));
}

// A crash.

#[test]
fn a_crash_is_a_plain_failure_where_something_can_be_blocked() {
    fails_as_told("kill -SEGV $$", "killed by signal 11");
}

#[test]
fn a_crash_fails_and_goes_on_at_events_that_cannot_block() {
    never_blocks("kill -KILL $$", "killed by signal 9");
}

#[test]
fn a_crash_after_a_deny_is_a_failure_all_the_same() {
    let deny = printing(r#"{"permission":"deny"}"#);
    let outcome = cell("preToolUse", &format!("{deny}; kill -KILL $$"), false, G3);
    fails_open(&outcome, "killed by signal 9");
    assert!(warns(&outcome, "it printed a deny"));
    assert_eq!(outcome.hooks[0].exit, None);
}

// A hook that cannot be started: no system accepts a command of this length.

#[test]
fn a_spawn_error_is_a_plain_failure_where_something_can_be_blocked() {
    let command = format!(": {}", "x".repeat(1_100_000));
    for event in PERMISSION.into_iter().chain([PROMPT]) {
        fails_open(&cell(event, &command, false, G3), "it cannot be started");
        blocks(&cell(event, &command, true, G3), "it cannot be started");
    }
}

#[test]
fn a_spawn_error_fails_and_goes_on_at_events_that_cannot_block() {
    let command = format!(": {}", "x".repeat(1_100_000));
    for event in ["stop", "sessionStart", "afterFileEdit"] {
        fails_open(&cell(event, &command, true, G3), "it cannot be started");
    }
}

#[test]
fn a_missing_working_directory_is_named() {
    let mut workspace = Workspace::new();
    workspace.layers.roots = vec![workspace.path("gone")];
    workspace.claude(file_of("claude-user"), "PreToolUse", &group("*", "true"));
    let outcome = workspace.fire("preToolUse", json!({ "tool_name": "Shell" }));
    fails_open(&outcome, "does not exist");
    assert!(outcome.hooks[0].diagnosis.contains("/gone`"), "{}", outcome.hooks[0].diagnosis);
}

// A hook that times out.

fn slow(event: &str, closed: bool) -> Outcome {
    let command = format!("{}; sleep 9", printing(r#"{"permission":"allow"}"#));
    fired(event, &json!({ "command": command, "failClosed": closed, "timeout": 0.2 }), G3)
}

#[test]
fn a_timeout_is_a_plain_failure_where_something_can_be_blocked() {
    for event in PERMISSION.into_iter().chain([PROMPT]) {
        fails_open(&slow(event, false), "did not end within 0.2 s");
        blocks(&slow(event, true), "did not end within 0.2 s");
    }
}

#[test]
fn a_timeout_fails_and_goes_on_at_events_that_cannot_block() {
    for event in ["stop", "sessionStart", "afterShellExecution", "preCompact"] {
        fails_open(&slow(event, true), "did not end within 0.2 s");
    }
}

#[test]
fn a_hook_without_a_timeout_of_its_own_gets_the_default() {
    let workspace = Workspace::with("preToolUse", &json!([runs("sleep 9")]))
        .acting(|settings| settings.default_timeout = std::time::Duration::from_millis(200));
    fails_open(&workspace.fire("preToolUse", json!({})), "did not end within 0.2 s");
}

// Messages for user and agent.

#[test]
fn a_block_by_failure_says_so_to_those_who_can_be_told() {
    let told = |event| answer(&cell(event, "exit 1", true, G3));
    let text = "Blocked because a hook failed: exit 1";
    let both = json!({ "permission": "deny", "user_message": text, "agent_message": text });
    assert_eq!(told("beforeShellExecution"), both);
    assert_eq!(told("beforeReadFile"), json!({ "permission": "deny", "user_message": text }));
    assert_eq!(told("beforeTabFileRead"), json!({ "permission": "deny" }));
    assert_eq!(told(PROMPT), json!({ "continue": false, "user_message": text }));
}

#[test]
fn a_failed_hook_does_not_keep_the_others_from_deciding() {
    let entries = json!([runs("exit 1"), says(&json!({ "permission": "deny" })), runs("exit 1")]);
    let outcome = Workspace::with("preToolUse", &entries).fire("preToolUse", json!({}));
    assert!(outcome.blocked);
    let entries = json!([runs("exit 1"), says(&json!({ "permission": "allow" }))]);
    let outcome = Workspace::with("preToolUse", &entries).fire("preToolUse", json!({}));
    assert_eq!(answer(&outcome), json!({ "permission": "allow" }));
}

#[test]
fn what_a_failed_hook_printed_can_be_looked_at() {
    let outcome = cell("preToolUse", "echo out; echo err >&2; exit 1", false, G3);
    assert_eq!(stdout(&outcome, 0), "out\n");
    assert_eq!(outcome.hooks[0].stderr, b"err\n");
}
