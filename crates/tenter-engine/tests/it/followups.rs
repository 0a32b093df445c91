//! Limits on follow-ups.

use serde_json::{Value, json};
use tenter_engine::{Engine, Generation, HookOutcome};

use crate::support::{Workspace, answer, file_of, fire, group, printing, says, warns};

/// An entry that always returns a follow-up, with this `loop_limit`.
fn again(text: &str, limit: Option<Value>) -> Value {
    let mut entry = says(&json!({ "followup_message": text }));
    if let Some(limit) = limit {
        entry["loop_limit"] = limit;
    }
    entry
}

fn stopping(limit: Option<Value>) -> (Workspace, Engine) {
    let workspace = Workspace::with("stop", &json!([again("more", limit)]));
    let engine = workspace.engine();
    (workspace, engine)
}

fn stop(engine: &Engine, conversation: &str) -> Option<String> {
    let payload = json!({ "conversation_id": conversation, "status": "completed" });
    fire(engine, "stop", payload).followup
}

/// Number of follow-ups before the agent stops, up to a limit of the test.
fn rounds(engine: &Engine, conversation: &str) -> usize {
    (0..20).take_while(|_| stop(engine, conversation).is_some()).count()
}

#[test]
fn five_times_by_default() {
    let (_workspace, engine) = stopping(None);
    assert_eq!(rounds(&engine, "c"), 5);
    let payload = json!({ "conversation_id": "c", "status": "completed" });
    let outcome = fire(&engine, "stop", payload);
    assert_eq!(answer(&outcome), json!({}));
    assert!(warns(&outcome, "reached its loop_limit of 5"), "{:?}", outcome.all_warnings());
    assert!(!outcome.blocked);
}

#[test]
fn as_often_as_the_loop_limit_says() {
    let (_workspace, engine) = stopping(Some(json!(2)));
    assert_eq!(rounds(&engine, "c"), 2);
}

#[test]
fn never_with_a_loop_limit_of_zero() {
    let (_workspace, engine) = stopping(Some(json!(0)));
    assert_eq!(rounds(&engine, "c"), 0);
}

#[test]
fn up_to_our_own_bound_with_a_loop_limit_of_null() {
    let (_workspace, engine) = stopping(Some(Value::Null));
    assert_eq!(rounds(&engine, "c"), 20);
    for (told, goes_on) in [(199, true), (200, false)] {
        let (_workspace, engine) = stopping(Some(Value::Null));
        let payload = json!({ "conversation_id": "c", "status": "completed", "loop_count": told });
        assert_eq!(fire(&engine, "stop", payload).followup.is_some(), goes_on, "{told}");
    }
}

#[test]
fn without_end_for_claudes_hooks() {
    let workspace = Workspace::new();
    let command = printing(r#"{"decision":"block","reason":"more"}"#);
    workspace.claude(file_of("claude-user"), "Stop", &group("", &command));
    assert_eq!(rounds(&workspace.engine(), "c"), 20);
}

#[test]
fn each_conversation_counts_for_itself() {
    let (_workspace, engine) = stopping(Some(json!(2)));
    assert_eq!(rounds(&engine, "one"), 2);
    assert_eq!(rounds(&engine, "two"), 2);
    assert_eq!(rounds(&engine, "one"), 0);
}

#[test]
fn each_script_counts_for_itself_and_only_what_is_used() {
    let entries = json!([again("a", Some(json!(1))), again("b", Some(json!(2)))]);
    let workspace = Workspace::with("stop", &entries);
    let engine = workspace.engine();
    let said: Vec<Option<String>> = (0..4).map(|_| stop(&engine, "c")).collect();
    let said: Vec<&str> = said.iter().map(|one| one.as_deref().unwrap_or("end")).collect();
    assert_eq!(said, ["b", "b", "a", "end"], "the last counts until it has reached its limit");
}

#[test]
fn a_hook_that_does_not_want_to_go_on_is_not_counted() {
    let command = "[ -f go ] && printf '{\"followup_message\":\"x\"}'; true";
    let entry = json!({ "command": command, "loop_limit": 1 });
    let workspace = Workspace::with("stop", &json!([entry]));
    let engine = workspace.engine();
    for _ in 0..3 {
        assert_eq!(stop(&engine, "c"), None);
    }
    workspace.write("project/go", "");
    assert_eq!(rounds(&engine, "c"), 1);
}

#[test]
fn an_empty_followup_is_none() {
    let workspace = Workspace::with("stop", &json!([again("", None)]));
    let engine = workspace.engine();
    assert_eq!(stop(&engine, "c"), None);
}

#[test]
fn an_engine_that_knows_nothing_believes_the_payload() {
    let payload =
        |count: u64| json!({ "conversation_id": "c", "status": "completed", "loop_count": count });
    let (_workspace, engine) = stopping(None);
    assert!(fire(&engine, "stop", payload(5)).followup.is_none());
    let (_workspace, engine) = stopping(None);
    assert!(fire(&engine, "stop", payload(4)).followup.is_some());
    assert!(fire(&engine, "stop", payload(5)).followup.is_none());
}

#[test]
fn an_engine_that_has_counted_does_not_ask_the_payload() {
    let (_workspace, engine) = stopping(Some(json!(2)));
    for (told, goes_on) in [(0, true), (0, true), (0, false)] {
        let payload = json!({ "conversation_id": "c", "status": "completed", "loop_count": told });
        assert_eq!(fire(&engine, "stop", payload).followup.is_some(), goes_on);
    }
}

#[test]
fn only_a_subagent_must_have_completed_to_go_on() {
    for generation in [Generation::G1, Generation::G2, Generation::G3] {
        let acting = |event: &str| {
            Workspace::with(event, &json!([again("more", None)]))
                .acting(|settings| settings.generation = generation)
        };
        let (stop, subagent) = (acting("stop"), acting("subagentStop"));
        for status in ["aborted", "error"] {
            let outcome = stop.fire("stop", json!({ "status": status }));
            assert_eq!(outcome.followup.as_deref(), Some("more"), "{generation} {status}");
            let outcome = subagent.fire("subagentStop", json!({ "status": status }));
            assert!(outcome.followup.is_none(), "{generation} {status}");
            assert_eq!(answer(&outcome), json!({}), "{generation} {status}");
            assert!(warns(&outcome, &format!("the status is `{status}`")));
            assert_eq!(outcome.hooks[0].outcome, HookOutcome::Answered);
        }
        let outcome = subagent.fire("subagentStop", json!({ "status": "completed" }));
        assert!(outcome.followup.is_some());
    }
}

#[test]
fn what_is_not_used_because_of_the_status_is_not_counted() {
    let workspace = Workspace::with("subagentStop", &json!([again("more", Some(json!(1)))]));
    let engine = workspace.engine();
    let stop = |status: &str| {
        let payload = json!({ "conversation_id": "c", "status": status });
        fire(&engine, "subagentStop", payload).followup.is_some()
    };
    assert_eq!(
        [stop("error"), stop("error"), stop("completed"), stop("completed")],
        [false, false, true, false]
    );
}

#[test]
fn a_subagents_followups_are_limited_for_each_task() {
    let entry = again("more", Some(json!(2)));
    let workspace = Workspace::with("subagentStop", &json!([entry]));
    let engine = workspace.engine();
    let goes_on = |task: &str| {
        let payload = json!({ "conversation_id": "c", "status": "completed", "task": task,
            "subagent_type": "explore" });
        fire(&engine, "subagentStop", payload).followup.is_some()
    };
    assert_eq!([goes_on("a"), goes_on("a"), goes_on("a")], [true, true, false]);
    assert!(goes_on("b"));
}

#[test]
fn the_end_of_the_session_forgets_the_count() {
    let (_workspace, engine) = stopping(Some(json!(1)));
    assert_eq!(rounds(&engine, "c"), 1);
    fire(&engine, "sessionEnd", json!({ "conversation_id": "other" }));
    assert_eq!(rounds(&engine, "c"), 0, "another session's end");
    fire(&engine, "sessionEnd", json!({ "conversation_id": "c" }));
    assert_eq!(rounds(&engine, "c"), 1);
}

#[test]
fn a_session_without_a_conversation_is_counted_by_its_session() {
    let (_workspace, engine) = stopping(Some(json!(1)));
    let goes_on = |session: &str| {
        let payload = json!({ "session_id": session, "status": "completed" });
        fire(&engine, "stop", payload).followup.is_some()
    };
    assert_eq!([goes_on("s"), goes_on("s"), goes_on("t")], [true, false, true]);
}

#[test]
fn the_count_outlives_an_edit_of_the_file() {
    let (workspace, engine) = stopping(Some(json!(2)));
    let told =
        |count: u64| json!({ "conversation_id": "c", "status": "completed", "loop_count": count });
    assert!(fire(&engine, "stop", told(0)).followup.is_some());
    assert!(fire(&engine, "stop", told(1)).followup.is_some());
    let file = json!({ "version": 1, "hooks": { "stop": [again("more", Some(json!(2)))] } });
    workspace.write(file_of("project"), &format!("\n\n\n{file}"));
    assert!(fire(&engine, "stop", told(2)).followup.is_none());
}
