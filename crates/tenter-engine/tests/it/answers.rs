//! Which fields of an answer each event honours, accepts and ignores.

use proptest::prelude::*;
use serde_json::{Value, json};
use tenter_engine::{CursorEvent, Generation, HookOutcome, Outcome, Payload};

use crate::support::{PERMISSION, POWERLESS, Workspace, answer, printing, runs, says, warns};

/// The outcome of one hook that prints `text`.
fn said(event: &str, text: &str) -> Outcome {
    said_to(&Workspace::new(), event, text)
}

fn said_to(workspace: &Workspace, event: &str, text: &str) -> Outcome {
    workspace.hooks("project", event, &json!([runs(&printing(text))]));
    let mut payload = workspace.sample(event);
    if event == "postToolUse" {
        payload["tool_name"] = json!("MCP:x");
    }
    workspace.fire(event, payload)
}

fn strict() -> Workspace {
    Workspace::new().acting(|settings| settings.strict = true)
}

/// An answer with every known field.
fn everything() -> Value {
    json!({
        "permission": "allow", "continue": true, "user_message": "u", "agent_message": "a",
        "updated_input": { "x": 1 }, "updated_mcp_tool_output": { "y": 2 },
        "additional_context": "c", "followup_message": "f", "env": { "E": "1" },
        "pluginPaths": ["/p"],
    })
}

/// Checks that an event honours exactly these fields of an answer with all of them.
fn honours(event: &str, fields: &[&str]) {
    let outcome = said(event, &everything().to_string());
    let everything = everything();
    let expected: serde_json::Map<String, Value> =
        fields.iter().map(|field| ((*field).to_owned(), everything[*field].clone())).collect();
    assert_eq!(answer(&outcome), Value::Object(expected), "{event}");
}

#[test]
fn session_start_takes_variables_and_context() {
    honours("sessionStart", &["env", "additional_context"]);
}

#[test]
fn session_start_lets_continue_and_a_message_pass_without_enforcing_them() {
    let outcome = said("sessionStart", r#"{"continue":false,"user_message":"no"}"#);
    assert!(!outcome.blocked);
    assert!(outcome.all_warnings().concat().contains("it does not block"), "and says so");
    assert_eq!(answer(&outcome), json!({}));
    let outcome = said_to(&strict(), "sessionStart", r#"{"continue":false,"user_message":"no"}"#);
    assert_ne!(outcome.hooks[0].outcome, HookOutcome::Failed, "the schema knows them");
}

#[test]
fn before_submit_prompt_takes_continue_and_a_message() {
    honours("beforeSubmitPrompt", &["continue", "user_message"]);
    let outcome = said("beforeSubmitPrompt", r#"{"additional_context":"c"}"#);
    assert!(warns(&outcome, "`additional_context` has no effect at beforeSubmitPrompt"));
}

#[test]
fn pre_tool_use_takes_a_permission_messages_and_an_input() {
    honours("preToolUse", &["permission", "user_message", "agent_message", "updated_input"]);
}

#[test]
fn shell_and_mcp_events_take_a_permission_and_messages() {
    for event in ["beforeShellExecution", "beforeMCPExecution"] {
        honours(event, &["permission", "user_message", "agent_message"]);
    }
}

#[test]
fn reading_a_file_and_starting_a_subagent_take_a_permission_and_a_message_to_the_human() {
    for event in ["beforeReadFile", "subagentStart"] {
        honours(event, &["permission", "user_message"]);
    }
}

#[test]
fn reading_a_file_for_tab_takes_a_permission_alone() {
    honours("beforeTabFileRead", &["permission"]);
}

#[test]
fn permission_events_let_continue_pass_without_enforcing_it() {
    for event in PERMISSION {
        let outcome = said(event, r#"{"permission":"allow","continue":true}"#);
        assert!(!outcome.blocked && outcome.all_warnings().is_empty(), "{event}");
        let outcome = said(event, r#"{"permission":"allow","continue":false}"#);
        assert!(!outcome.blocked, "{event}");
        assert!(outcome.all_warnings().concat().contains("it does not block"), "{event}");
    }
}

#[test]
fn post_tool_use_takes_context_and_the_output_of_an_mcp_tool() {
    honours("postToolUse", &["additional_context", "updated_mcp_tool_output"]);
}

#[test]
fn post_tool_use_takes_no_output_for_a_tool_that_is_not_mcp() {
    let said = json!({ "updated_mcp_tool_output": { "y": 2 } });
    let workspace = Workspace::with("postToolUse", &json!([says(&said)]));
    let outcome = workspace.fire("postToolUse", json!({ "tool_name": "Shell" }));
    assert_eq!(answer(&outcome), json!({}), "it is for MCP tools only");
}

#[test]
fn post_tool_use_failure_takes_context_in_the_newest_text_only() {
    honours("postToolUseFailure", &["additional_context"]);
    for generation in [Generation::G1, Generation::G2] {
        let workspace = Workspace::new().acting(|settings| settings.generation = generation);
        let outcome = said_to(&workspace, "postToolUseFailure", r#"{"additional_context":"c"}"#);
        assert_eq!(answer(&outcome), json!({}), "{generation}");
        assert!(warns(&outcome, "has no effect at postToolUseFailure"));
    }
}

#[test]
fn ends_of_loops_take_a_followup() {
    for event in ["stop", "subagentStop"] {
        honours(event, &["followup_message"]);
    }
}

#[test]
fn stop_ignores_a_permission() {
    let outcome = said("stop", r#"{"permission":"deny"}"#);
    assert!(!outcome.blocked && outcome.followup.is_none());
    assert!(warns(&outcome, "`permission` has no effect at stop"));
}

#[test]
fn pre_compact_takes_a_message() {
    honours("preCompact", &["user_message"]);
}

#[test]
fn workspace_open_takes_plugin_paths() {
    honours("workspaceOpen", &["pluginPaths"]);
}

#[test]
fn observers_take_nothing_and_say_so() {
    for event in [
        "sessionEnd",
        "afterShellExecution",
        "afterMCPExecution",
        "afterFileEdit",
        "afterTabFileEdit",
        "afterAgentResponse",
        "afterAgentThought",
    ] {
        honours(event, &[]);
        let outcome = said(event, r#"{"permission":"deny"}"#);
        assert!(warns(&outcome, &format!("`permission` has no effect at {event}")));
        assert!(!outcome.blocked);
    }
}

#[test]
fn no_event_but_those_that_can_block_blocks() {
    let no = json!({ "permission": "deny", "continue": false }).to_string();
    for event in POWERLESS {
        assert!(!said(event, &no).blocked, "{event}");
    }
}

#[test]
fn the_agent_waits_for_all_but_the_session_events() {
    let unwaited: Vec<&str> =
        CursorEvent::ALL.iter().filter(|e| !e.spec().waits).map(|e| e.name()).collect();
    assert_eq!(unwaited, ["sessionStart", "sessionEnd"]);
}

// Spellings

#[test]
fn camel_case_spellings_are_taken_with_a_warning() {
    let text = r#"{"permission":"deny","userMessage":"u","agentMessage":"a"}"#;
    let outcome = said("beforeShellExecution", text);
    let expected = json!({ "permission": "deny", "user_message": "u", "agent_message": "a" });
    assert_eq!(answer(&outcome), expected);
    assert!(warns(&outcome, "`userMessage` should be `user_message`"));
    assert!(warns(&outcome, "`agentMessage` should be `agent_message`"));
    for (event, text, key) in [
        ("preToolUse", r#"{"permission":"allow","updatedInput":{}}"#, "updated_input"),
        ("sessionStart", r#"{"additionalContext":"c"}"#, "additional_context"),
        ("stop", r#"{"followupMessage":"f"}"#, "followup_message"),
        ("postToolUse", r#"{"updatedMcpToolOutput":{}}"#, "updated_mcp_tool_output"),
    ] {
        let outcome = said(event, text);
        assert!(answer(&outcome).get(key).is_some(), "{event}");
        assert!(warns(&outcome, key), "{event}");
    }
}

#[test]
fn camel_case_spellings_are_refused_by_a_strict_cursor() {
    let text = r#"{"permission":"allow","userMessage":"u"}"#;
    let outcome = said_to(&strict(), "beforeShellExecution", text);
    assert!(outcome.blocked);
    assert!(outcome.hooks[0].diagnosis.contains("write `user_message`"));
    let outcome = said_to(&strict(), "stop", r#"{"followupMessage":"f"}"#);
    assert_eq!((outcome.followup, outcome.hooks[0].outcome), (None, HookOutcome::Failed));
}

#[test]
fn of_two_spellings_cursors_own_counts() {
    for text in [
        r#"{"permission":"deny","userMessage":"camel","user_message":"snake"}"#,
        r#"{"permission":"deny","user_message":"snake","userMessage":"camel"}"#,
    ] {
        let outcome = said("preToolUse", text);
        assert_eq!(answer(&outcome)["user_message"], json!("snake"));
    }
}

#[test]
fn unknown_keys_are_overlooked_with_a_warning_and_refused_by_a_strict_cursor() {
    let text = r#"{"permission":"allow","question":"?"}"#;
    let outcome = said("preToolUse", text);
    assert_eq!(answer(&outcome), json!({ "permission": "allow" }));
    assert!(warns(&outcome, "unknown key `question`"));
    assert!(said_to(&strict(), "preToolUse", text).blocked);
}

#[test]
fn a_key_of_another_event_is_overlooked_with_a_warning() {
    let outcome = said("beforeShellExecution", r#"{"permission":"allow","updated_input":{}}"#);
    assert_eq!(answer(&outcome), json!({ "permission": "allow" }));
    assert!(warns(&outcome, "`updated_input` has no effect at beforeShellExecution"));
}

#[test]
fn null_is_as_good_as_left_out_unless_cursor_is_strict() {
    let text = r#"{"permission":"allow","user_message":null}"#;
    let outcome = said("preToolUse", text);
    assert!(!outcome.blocked && warns(&outcome, "`user_message` is null"));
    assert!(said_to(&strict(), "preToolUse", text).blocked);
}

#[test]
fn white_space_and_a_byte_order_mark_around_the_answer_are_fine() {
    for text in ["\u{feff}{\"permission\":\"deny\"}", "\n\n  {\"permission\":\n\"deny\"}\r\n\n"] {
        assert_eq!(said("preToolUse", text).hooks[0].outcome, HookOutcome::Deny, "{text:?}");
        assert_eq!(answer(&said("preToolUse", text)), json!({ "permission": "deny" }), "{text:?}");
    }
}

#[test]
fn half_a_surrogate_pair_in_a_message_does_not_turn_an_allow_into_a_block() {
    let text = r#"{"permission":"allow","user_message":"cut \ud83d"}"#;
    assert!(!said("preToolUse", text).blocked, "JSON.parse takes it");
}

// Values are passed on unchanged

#[test]
fn numbers_that_no_float_can_hold_pass_to_the_byte() {
    let input = r#"{"big":123456789012345678901234567890,"e":1e400,"z":-0.10,"s":"\u00e4"}"#;
    let outcome =
        said("preToolUse", &format!(r#"{{"permission":"allow","updated_input":{input}}}"#));
    let passed = serde_json::to_string(&outcome.answer).unwrap();
    assert_eq!(passed, format!(r#"{{"permission":"allow","updated_input":{input}}}"#));
}

#[test]
fn a_payload_reaches_the_hook_as_it_came() {
    let workspace = Workspace::with("afterAgentResponse", &json!([runs("cat")]));
    let text = r#"{"hook_event_name":"afterAgentResponse","cursor_version":"9.9.9","workspace_roots":[],"text":"a\u0001ä","n":1e400,"deep":[[{"b":1,"a":2}]]}"#;
    let engine = workspace.engine();
    let outcome = engine.fire(CursorEvent::AfterAgentResponse, Payload::parse(text).unwrap());
    assert_eq!(crate::support::stdout(&outcome, 0), format!("{text}\n"));
}

#[test]
fn what_the_payload_lacks_and_the_engine_knows_is_added() {
    let workspace = Workspace::with("stop", &json!([runs("cat")]));
    let outcome = workspace.fire("stop", json!({ "status": "completed" }));
    let seen: Value = serde_json::from_str(&crate::support::stdout(&outcome, 0)).unwrap();
    let roots = json!([workspace.path("project")]);
    let expected = json!({ "status": "completed", "hook_event_name": "stop",
        "cursor_version": "3.21.16", "workspace_roots": roots });
    assert_eq!(seen, expected);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_payload_leaves_as_it_was_parsed(
        fields in prop::collection::btree_map(any::<String>(), any_json(), 0..8)
    ) {
        let text = serde_json::to_string(&fields).unwrap();
        let payload = Payload::parse(&text).unwrap();
        prop_assert_eq!(payload.to_json(), text);
    }

    #[test]
    fn what_is_no_object_is_no_payload(value in any_json()) {
        prop_assert_eq!(Payload::parse(&value.to_string()).is_ok(), value.is_object());
    }

    #[test]
    fn any_text_is_a_payload_or_an_error(text in any::<String>()) {
        prop_assert_eq!(Payload::parse(&text).is_ok(),
            serde_json::from_str::<serde_json::Map<String, Value>>(
                text.trim_start_matches('\u{feff}')).is_ok());
    }
}
