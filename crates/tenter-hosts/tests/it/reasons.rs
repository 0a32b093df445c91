//! Reasons and messages: where each arrives, and what is said when it does not.

use serde_json::json;
use tenter_hosts::{Bridge, EncodeOptions, FailMode, Payload, spoken};
use tenter_model::{Decision, Enforcement, Field, HostId, LossKind, Verdict};

use crate::encode::{encode, fixture};

#[test]
fn only_a_subagent_that_did_not_complete_takes_no_follow_up() {
    for status in ["completed", "aborted", "error"] {
        for event in ["stop", "subagentStop"] {
            let payload =
                json!({"hook_event_name": event, "status": status, "loop_count": 0}).to_string();
            let goes_on = event == "stop" || status == "completed";
            let expected = if goes_on { r#"{"followup_message":"go on"}"# } else { "{}" };
            let verdicts =
                [Verdict::deny("go on"), Verdict { decision: None, ..Verdict::deny("go on") }];
            for verdict in verdicts {
                let answer = encode(HostId::Cursor, &payload, &verdict);
                assert_eq!(answer.stdout, expected, "{event} {status}");
                assert_eq!(answer.losses.is_empty(), goes_on, "{:?}", answer.losses);
            }
        }
    }
}

#[test]
fn a_reason_alone_goes_on_at_a_stop_and_is_context_elsewhere() {
    let reason = Verdict { reason: Some("the reason".into()), ..Verdict::none() };
    let stop =
        |host: &str, event: &str| encode(host.parse().unwrap(), &fixture(host, event), &reason);
    let block = r#"{"decision":"block","reason":"the reason"}"#;
    for (host, event) in [
        ("claude", "Stop"),
        ("claude", "SubagentStop"),
        ("codex", "Stop"),
        ("codex", "SubagentStop"),
    ] {
        let answer = stop(host, event);
        assert_eq!((answer.stdout.as_str(), answer.losses.len()), (block, 0), "{host} {event}");
        assert_eq!(answer.enforcement, Enforcement::Hard);
    }
    let answer = stop("cursor", "stop");
    assert_eq!(answer.stdout, r#"{"followup_message":"the reason"}"#);
    // A turn that has ended for good takes nothing.
    let answer = stop("codex", "agent-turn-complete");
    assert_eq!(
        (answer.stdout.as_str(), answer.losses[0].fields.as_slice()),
        ("", &[Field::Reason][..])
    );
    // With a decision, a reason is what it was.
    let answer = encode(
        HostId::Claude,
        &fixture("claude", "Stop"),
        &Verdict { decision: Some(Decision::Allow), ..reason.clone() },
    );
    assert_eq!((answer.stdout.as_str(), answer.losses.len()), ("", 1));
    let both = reason.clone().with_context("the context");
    let answer = encode(HostId::Claude, &fixture("claude", "SessionStart"), &both);
    assert!(
        answer.stdout.contains(r#""additionalContext":"the reason\n\nthe context""#),
        "{}",
        answer.stdout
    );
}

#[test]
fn a_denied_read_tells_the_human() {
    let payload = fixture("cursor", "beforeReadFile");
    let both = Verdict::deny("for the model").with_user_message("for the human");
    let answer = encode(HostId::Cursor, &payload, &both);
    assert_eq!(answer.stdout, r#"{"permission":"deny","user_message":"for the human"}"#);
    assert_eq!(answer.losses[0].fields, [Field::Reason]);
    let answer = encode(HostId::Cursor, &payload, &Verdict::deny("for the model"));
    assert_eq!(answer.stdout, r#"{"permission":"deny","user_message":"for the model"}"#);
    let answer = encode(HostId::Cursor, &fixture("cursor", "beforeTabFileRead"), &both);
    assert_eq!(answer.stdout, r#"{"permission":"deny"}"#);
    assert_eq!(answer.losses[0].fields, [Field::UserMessage, Field::Reason]);
}

#[test]
fn a_downgraded_ask_says_what_it_became() {
    for (host, event) in [
        ("cursor", "preToolUse"),
        ("cursor", "beforeShellExecution"),
        ("cursor", "beforeReadFile"),
        ("cursor", "subagentStart"),
        ("cursor", "beforeSubmitPrompt"),
        ("codex", "PreToolUse"),
        ("claude", "UserPromptSubmit"),
    ] {
        let answer = encode(host.parse().unwrap(), &fixture(host, event), &Verdict::ask("why"));
        let said = answer.losses[0].to_string();
        let wanted = "`decision` downgraded: `ask` becomes `deny`: ";
        assert!(said.starts_with(wanted), "{host} {event}: {said}");
    }
}

#[test]
fn a_handler_without_an_answer_is_a_loss_of_the_decision() {
    for (on_failure, decision) in [(FailMode::Open, None), (FailMode::Closed, Some(Decision::Deny))]
    {
        let bridge = Bridge { host: None, options: EncodeOptions::default(), on_failure };
        let payload = Payload::from_bytes(fixture("cursor", "preToolUse").into_bytes());
        let decoded = bridge.decode(&payload);
        let outcome = bridge.encode(&decoded, &Err("it answers in another format".to_owned()));
        assert_eq!(outcome.answer.decision, decision);
        let loss = outcome.answer.losses.last().unwrap();
        assert_eq!(
            (loss.fields.as_slice(), loss.kind),
            (&[Field::Decision][..], LossKind::Dropped)
        );
        assert_eq!(loss.why, "it answers in another format");
    }
}

#[test]
fn the_format_of_an_answer_is_recognised() {
    for (answer, host) in [
        (r#"{"permission":"deny"}"#, Some(HostId::Cursor)),
        (r#"{"continue":true}"#, Some(HostId::Cursor)),
        (r#"{"followup_message":"x"}"#, Some(HostId::Cursor)),
        (r#"{"hookSpecificOutput":{}}"#, Some(HostId::Claude)),
        (r#"{"decision":"block"}"#, Some(HostId::Claude)),
        (r#"{"continue":false,"stopReason":"x"}"#, Some(HostId::Claude)),
        (r#"{"decision":"deny"}"#, None),
        (r#"{"additional_context":"x","user_message":"x"}"#, None),
        ("text", None),
    ] {
        assert_eq!(spoken(answer), host, "{answer}");
    }
}
