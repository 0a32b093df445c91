//! Merging of answers, and the effect of `ask` in each emulated Cursor.

use proptest::prelude::*;
use serde_json::{Value, json};
use tenter_engine::Generation::{G1, G2, G3};
use tenter_engine::{AnswerField, Generation, Outcome, Precedence, RunMode};

use crate::support::{Workspace, answer, printing, runs, says, stdout, warns};

/// Fires at hooks with these answers, one per layer, the highest first.
fn merged_as(generation: Generation, event: &str, answers: &[Value]) -> Outcome {
    let workspace = Workspace::new().acting(|settings| settings.generation = generation);
    for (layer, said) in ["enterprise", "team", "project", "user"].iter().zip(answers) {
        workspace.hooks(layer, event, &json!([says(said)]));
    }
    workspace.fire(event, workspace.sample(event))
}

fn merged(event: &str, answers: &[Value]) -> Outcome {
    merged_as(G3, event, answers)
}

/// The winning permission when the layers answer `said`.
fn wins(generation: Generation, said: &[&str]) -> String {
    let answers: Vec<Value> = said.iter().map(|one| json!({ "permission": one })).collect();
    let outcome = merged_as(generation, "beforeShellExecution", &answers);
    outcome.answer.permission().unwrap().to_owned()
}

fn from(outcome: &Outcome, field: AnswerField) -> &[usize] {
    outcome.provenance.get(&field).map_or(&[], Vec::as_slice)
}

// `permission`

#[test]
fn deny_beats_ask_beats_allow_whatever_the_layer() {
    for (said, winner) in [
        (["deny", "ask", "allow"], "deny"),
        (["allow", "ask", "deny"], "deny"),
        (["ask", "deny", "allow"], "deny"),
        (["allow", "allow", "ask"], "ask"),
        (["ask", "allow", "allow"], "ask"),
        (["allow", "allow", "allow"], "allow"),
    ] {
        assert_eq!(wins(G3, &said), winner, "{said:?}");
    }
}

#[test]
fn in_older_texts_the_higher_layer_has_its_way() {
    for generation in [G1, G2] {
        assert_eq!(wins(generation, &["allow", "deny"]), "allow");
        assert_eq!(wins(generation, &["ask", "deny"]), "ask");
        assert_eq!(wins(generation, &["deny", "allow"]), "deny");
    }
}

#[test]
fn in_older_texts_a_layer_that_failed_has_no_way() {
    let workspace = Workspace::new().acting(|settings| settings.generation = G1);
    let event = "beforeShellExecution";
    workspace.hooks("enterprise", event, &json!([runs("exit 1")]));
    workspace.hooks("user", event, &json!([says(&json!({ "permission": "deny" }))]));
    assert!(workspace.fire(event, json!({ "command": "ls" })).blocked);
}

#[test]
fn a_permission_comes_from_all_who_gave_it() {
    let answers = ["deny", "allow", "deny"].map(|one| json!({ "permission": one }));
    let outcome = merged("preToolUse", &answers);
    assert_eq!(from(&outcome, AnswerField::Permission), [0, 2]);
}

// `continue`

#[test]
fn continue_false_wins() {
    for answers in [[true, false], [false, true]] {
        let answers = answers.map(|one| json!({ "continue": one }));
        let outcome = merged("beforeSubmitPrompt", &answers);
        assert!(outcome.blocked);
        assert_eq!(answer(&outcome), json!({ "continue": false }));
    }
    let outcome = merged("beforeSubmitPrompt", &[json!({ "continue": true }), json!({})]);
    assert_eq!((outcome.blocked, answer(&outcome)), (false, json!({ "continue": true })));
}

// Messages

#[test]
fn messages_of_the_winning_side_stand_one_below_the_other() {
    let said = |permission, text| json!({ "permission": permission, "user_message": text, "agent_message": text });
    let outcome = merged(
        "beforeShellExecution",
        &[said("deny", "one"), said("allow", "two"), said("deny", "three"), said("ask", "four")],
    );
    let expected = json!({ "permission": "deny", "user_message": "one\nthree", "agent_message": "one\nthree" });
    assert_eq!(answer(&outcome), expected);
    assert_eq!(from(&outcome, AnswerField::UserMessage), [0, 2]);
    assert_eq!(from(&outcome, AnswerField::AgentMessage), [0, 2]);
}

#[test]
fn a_message_comes_from_those_who_gave_one() {
    let answers = [
        json!({ "permission": "deny", "user_message": "" }),
        json!({ "permission": "deny" }),
        json!({ "permission": "deny", "user_message": "no" }),
    ];
    let outcome = merged("preToolUse", &answers);
    assert_eq!(answer(&outcome), json!({ "permission": "deny", "user_message": "no" }));
    assert_eq!(from(&outcome, AnswerField::UserMessage), [2]);
    assert_eq!(from(&outcome, AnswerField::Permission), [0, 1, 2]);
}

#[test]
fn messages_of_a_prompt_are_those_of_the_side_that_stopped_it() {
    let answers = [
        json!({ "continue": true, "user_message": "fine" }),
        json!({ "continue": false, "user_message": "not fine" }),
    ];
    let outcome = merged("beforeSubmitPrompt", &answers);
    assert_eq!(answer(&outcome), json!({ "continue": false, "user_message": "not fine" }));
}

#[test]
fn messages_where_nothing_is_decided_all_count() {
    let answers = [json!({ "user_message": "one" }), json!({ "user_message": "two" })];
    assert_eq!(answer(&merged("preCompact", &answers)), json!({ "user_message": "one\ntwo" }));
}

#[test]
fn in_older_texts_messages_are_those_of_the_higher_layer_and_who_agrees() {
    let said = |permission, text| json!({ "permission": permission, "user_message": text });
    let answers = [said("allow", "one"), said("deny", "two"), said("allow", "three")];
    let outcome = merged_as(G2, "beforeShellExecution", &answers);
    assert_eq!(answer(&outcome), json!({ "permission": "allow", "user_message": "one\nthree" }));
}

// Fields that take one value

#[test]
fn of_several_updated_inputs_the_last_counts() {
    let said = |text| json!({ "permission": "allow", "updated_input": { "command": text } });
    let outcome = merged("preToolUse", &[said("one"), said("two")]);
    assert_eq!(answer(&outcome)["updated_input"], json!({ "command": "two" }));
    assert_eq!(from(&outcome, AnswerField::UpdatedInput), [1]);
    assert!(warns(&outcome, "2 hooks gave `updated_input`"));
}

#[test]
fn of_several_followups_the_last_counts() {
    let answers = [json!({ "followup_message": "one" }), json!({ "followup_message": "two" })];
    let outcome = merged("stop", &answers);
    assert_eq!(outcome.followup.as_deref(), Some("two"));
    assert_eq!(from(&outcome, AnswerField::FollowupMessage), [1]);
}

#[test]
fn of_several_mcp_outputs_the_last_counts() {
    let workspace = Workspace::new();
    for (layer, number) in [("enterprise", 1), ("user", 2)] {
        let said = json!({ "updated_mcp_tool_output": { "n": number } });
        workspace.hooks(layer, "postToolUse", &json!([says(&said)]));
    }
    let outcome = workspace.fire("postToolUse", json!({ "tool_name": "MCP:x" }));
    assert_eq!(answer(&outcome), json!({ "updated_mcp_tool_output": { "n": 2 } }));
}

#[test]
fn an_empty_followup_does_not_count() {
    let answers = [json!({ "followup_message": "one" }), json!({ "followup_message": "" })];
    assert_eq!(merged("stop", &answers).followup.as_deref(), Some("one"));
}

#[test]
fn in_older_texts_the_higher_layer_counts() {
    for generation in [G1, G2] {
        let answers = [json!({ "followup_message": "one" }), json!({ "followup_message": "two" })];
        let outcome = merged_as(generation, "stop", &answers);
        assert_eq!(outcome.followup.as_deref(), Some("one"));
        let said = |text| json!({ "permission": "allow", "updated_input": { "command": text } });
        let outcome = merged_as(generation, "preToolUse", &[said("one"), said("two")]);
        assert_eq!(answer(&outcome)["updated_input"], json!({ "command": "one" }));
    }
}

fn with_precedence(generation: Generation, precedence: Precedence) -> Option<String> {
    let workspace = Workspace::new().acting(|settings| {
        settings.generation = generation;
        settings.precedence = Some(precedence);
    });
    workspace.hooks("project", "stop", &json!([says(&json!({ "followup_message": "one" }))]));
    workspace.hooks("user", "stop", &json!([says(&json!({ "followup_message": "two" }))]));
    workspace.fire("stop", json!({ "status": "completed" })).followup
}

#[test]
fn the_precedence_can_be_chosen_apart_from_the_text() {
    assert_eq!(with_precedence(G3, Precedence::Higher).as_deref(), Some("one"));
    assert_eq!(with_precedence(G3, Precedence::Last).as_deref(), Some("two"));
    assert_eq!(with_precedence(G1, Precedence::Last).as_deref(), Some("two"));
}

#[test]
fn the_precedence_does_not_touch_the_permission() {
    let workspace = Workspace::new().acting(|s| s.precedence = Some(Precedence::Higher));
    let event = "preToolUse";
    workspace.hooks("project", event, &json!([says(&json!({ "permission": "allow" }))]));
    workspace.hooks("user", event, &json!([says(&json!({ "permission": "deny" }))]));
    assert!(workspace.fire(event, json!({})).blocked);
}

// Fields that are concatenated

#[test]
fn context_of_all_is_joined_with_a_blank_line() {
    for generation in [G1, G3] {
        let answers = ["a", "", "b"].map(|one| json!({ "additional_context": one }));
        let outcome = merged_as(generation, "sessionStart", &answers);
        assert_eq!(answer(&outcome), json!({ "additional_context": "a\n\nb" }));
        assert_eq!(from(&outcome, AnswerField::AdditionalContext), [0, 2]);
    }
}

#[test]
fn variables_are_joined_and_the_higher_layer_wins_a_name() {
    let answers = [
        json!({ "env": { "A": "enterprise", "B": "enterprise" } }),
        json!({ "env": { "B": "team", "C": "team" } }),
    ];
    let outcome = merged("sessionStart", &answers);
    let expected = json!({ "env": { "A": "enterprise", "B": "enterprise", "C": "team" } });
    assert_eq!(answer(&outcome), expected);
    assert_eq!(from(&outcome, AnswerField::Env), [0, 1]);
}

#[test]
fn plugin_paths_are_joined_in_order_without_repetition() {
    let answers =
        [json!({ "pluginPaths": ["/b", "/a"] }), json!({ "pluginPaths": ["/a", "/c", "/b"] })];
    let outcome = merged("workspaceOpen", &answers);
    assert_eq!(answer(&outcome), json!({ "pluginPaths": ["/b", "/a", "/c"] }));
    assert_eq!(from(&outcome, AnswerField::PluginPaths), [0, 1]);
}

// `updated_input`

#[test]
fn a_changed_input_is_not_seen_by_later_hooks() {
    let workspace = Workspace::new();
    let changed = json!({ "permission": "allow", "updated_input": { "command": "changed" } });
    workspace.hooks("enterprise", "preToolUse", &json!([says(&changed)]));
    workspace.hooks("user", "preToolUse", &json!([runs("sleep 0.2; cat")]));
    let payload = json!({ "tool_name": "Shell", "tool_input": { "command": "original" } });
    let outcome = workspace.fire("preToolUse", payload);
    let seen: Value = serde_json::from_str(&stdout(&outcome, 1)).unwrap();
    assert_eq!(seen["tool_input"], json!({ "command": "original" }));
}

#[test]
fn a_changed_input_is_dropped_with_ask_and_kept_with_allow_and_deny() {
    for (permission, kept) in [("allow", true), ("deny", true), ("ask", false)] {
        let said = json!({ "permission": permission, "updated_input": { "command": "x" } });
        let outcome = merged("preToolUse", &[said]);
        assert_eq!(answer(&outcome).get("updated_input").is_some(), kept, "{permission}");
        assert_eq!(outcome.provenance.contains_key(&AnswerField::UpdatedInput), kept);
        assert_eq!(warns(&outcome, "`updated_input` is dropped"), !kept, "{permission}");
    }
}

#[test]
fn a_changed_input_is_dropped_when_another_hook_asks() {
    let answers = [
        json!({ "permission": "allow", "updated_input": { "command": "x" } }),
        json!({ "permission": "ask" }),
    ];
    assert_eq!(answer(&merged("preToolUse", &answers)), json!({ "permission": "ask" }));
}

#[test]
fn the_order_of_the_answers_is_not_the_order_of_the_clock() {
    let slow = format!("sleep 0.3; {}", printing(r#"{"additional_context":"slow"}"#));
    let quick = printing(r#"{"additional_context":"quick"}"#);
    let workspace = Workspace::with("sessionStart", &json!([runs(&slow), runs(&quick)]));
    let outcome = workspace.fire("sessionStart", json!({}));
    assert_eq!(answer(&outcome), json!({ "additional_context": "slow\n\nquick" }));
}

// `ask`

/// Whether an `ask` at this event blocks, and whether it asks.
fn ask(event: &str, version: &str, run_mode: RunMode) -> (bool, bool) {
    let workspace = Workspace::with(event, &json!([says(&json!({ "permission": "ask" }))]));
    let workspace = workspace.acting(|settings| {
        version.clone_into(&mut settings.cursor_version);
        settings.run_mode = run_mode;
    });
    let outcome = workspace.fire(event, workspace.sample(event));
    assert_eq!(answer(&outcome), json!({ "permission": "ask" }));
    assert_ne!(outcome.asks, warns(&outcome, "`ask`"), "what is not done is said");
    (outcome.blocked, outcome.asks)
}

const PROMPTS: (bool, bool) = (false, true);
const DENIES: (bool, bool) = (true, false);
const IGNORED: (bool, bool) = (false, false);

#[test]
fn an_ask_at_shell_and_mcp_events_goes_by_version_and_run_mode() {
    use RunMode::{Allowlist, AutoReview, Everything};
    for event in ["beforeShellExecution", "beforeMCPExecution"] {
        for (version, run_mode, expected) in [
            ("1.7.0", Allowlist, PROMPTS),
            ("2.4.20", Allowlist, PROMPTS),
            ("2.4.21", Allowlist, DENIES),
            ("2.6.0", Everything, DENIES),
            ("3.0.0", Allowlist, IGNORED),
            ("3.2.16", Allowlist, IGNORED),
            ("3.21.16", Allowlist, PROMPTS),
            ("3.21.16", Everything, PROMPTS),
            ("3.21.16", AutoReview, IGNORED),
            ("2026.07.23-abc", Allowlist, PROMPTS),
        ] {
            assert_eq!(ask(event, version, run_mode), expected, "{event} {version} {run_mode:?}");
        }
    }
}

#[test]
fn an_ask_at_pre_tool_use_is_not_heeded_in_any_version() {
    for version in ["2.4.20", "2.4.21", "3.2.16", "3.21.16", "2026.07.23-abc"] {
        assert_eq!(ask("preToolUse", version, RunMode::Allowlist), IGNORED, "{version}");
    }
}

#[test]
fn an_ask_at_subagent_start_is_a_deny_in_every_version() {
    for version in ["2.4.20", "3.2.16", "3.21.16", "2026.07.23-abc"] {
        assert_eq!(ask("subagentStart", version, RunMode::Everything), DENIES, "{version}");
    }
}

#[test]
fn a_deny_beside_an_ask_blocks_in_every_run_mode() {
    for run_mode in [RunMode::Allowlist, RunMode::Everything, RunMode::AutoReview] {
        let workspace = Workspace::new().acting(|settings| settings.run_mode = run_mode);
        let entries =
            json!([says(&json!({"permission":"ask"})), says(&json!({"permission":"deny"}))]);
        workspace.hooks("user", "beforeShellExecution", &entries);
        let outcome = workspace.fire("beforeShellExecution", json!({ "command": "ls" }));
        assert!(outcome.blocked && !outcome.asks);
    }
}

#[test]
fn any_deny_wins_and_the_result_is_the_same_every_time() {
    let one = prop::sample::select(vec!["allow", "ask", "deny", "nothing"]);
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) };
    proptest!(config, |(said in prop::collection::vec(one, 1..6))| {
        let entries: Vec<Value> = said.iter().enumerate().map(|(at, one)| match *one {
            "nothing" => runs("true"),
            one => says(&json!({ "permission": one, "user_message": at.to_string() })),
        }).collect();
        let workspace = Workspace::with("beforeShellExecution", &json!(entries));
        let engine = workspace.engine();
        let fire = || crate::support::fire(&engine, "beforeShellExecution", json!({ "command": "ls" }));
        let (outcome, again) = (fire(), fire());
        let strongest = ["deny", "ask", "allow"].into_iter().find(|one| said.contains(one));
        prop_assert_eq!(outcome.answer.permission(), strongest);
        prop_assert_eq!(outcome.blocked, said.contains(&"deny"));
        prop_assert_eq!(answer(&outcome), answer(&again));
        prop_assert_eq!(outcome.provenance, again.provenance);
    });
}
