//! Qwen Code: what was recorded, and its traps.

use serde_json::{Value, json};
use tenter_hosts::model::{Body, Decision, Enforcement, HostId, Verdict};
use tenter_hosts::trial::{Output, Reply};
use tenter_hosts::{Answer, Payload, host};
use tenter_testkit::{fixtures_of, outcomes};

use crate::encode::{encode, fixture};

const QWEN: HostId = HostId::Qwen;

#[test]
fn our_answers_are_among_those_it_obeyed() {
    let outcomes = outcomes("qwen", "qwen-code-0.24.4");
    let cases: [(&str, &str, Verdict, Option<&str>); 8] = [
        ("deny-json", "PreToolUse", Verdict::deny("DENIED-BY-HOOK"), Some("DENIED-BY-HOOK")),
        ("ask-json", "PreToolUse", Verdict::ask("ASK-BY-HOOK"), Some("ASK-BY-HOOK")),
        ("empty-object", "PreToolUse", Verdict::none(), None),
        ("stop-block", "Stop", Verdict::deny("KEEP-GOING"), Some("KEEP-GOING")),
        ("prompt-block", "UserPromptSubmit", Verdict::deny("PROMPT-BLOCKED"), None),
        (
            "prompt-context",
            "UserPromptSubmit",
            Verdict::context("CONTEXT-FROM-HOOK"),
            Some("CONTEXT-FROM-HOOK"),
        ),
        (
            "start-context",
            "SessionStart",
            Verdict::context("CONTEXT-FROM-HOOK"),
            Some("CONTEXT-FROM-HOOK"),
        ),
        (
            "post-context",
            "PostToolUse",
            Verdict::context("CONTEXT-FROM-HOOK"),
            Some("CONTEXT-FROM-HOOK"),
        ),
    ];
    for (case, event, verdict, seen) in cases {
        let answer = encode(QWEN, &fixture("qwen", event), &verdict);
        let recorded = outcomes[case]["reply"][event]["stdout"].as_str().unwrap();
        let ours: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(ours, serde_json::from_str::<Value>(recorded).unwrap(), "{case}");
        assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""), "{case}");
        let saw = outcomes[case]["model_saw"].as_array().unwrap();
        assert_eq!(saw.first().and_then(Value::as_str), seen, "{case}");
    }
    // The last resort blocks, also with an object beside it.
    let last = Answer::blocked("DENIED-BY-HOOK");
    for case in ["exit2", "exit2-empty-object"] {
        let recorded = &outcomes[case]["reply"]["PreToolUse"];
        assert_eq!(recorded["stderr"].as_str(), Some(last.stderr.as_str()));
        assert_eq!(recorded["exit"].as_u64(), Some(last.exit.into()));
        assert_eq!(outcomes[case]["tool_ran"], false, "{case}");
    }
}

/// Each recorded reply is read as the client took it.
#[test]
fn replies_are_read_as_it_took_them() {
    let mut told = 0;
    for client in ["qwen-code-0.24.4", "qwen-code-0.15.10"] {
        for (case, outcome) in outcomes("qwen", client) {
            let reply = &outcome["reply"]["PreToolUse"];
            // A hook that does not end is not read at all.
            if !reply.is_object() || reply.get("sleep").is_some() {
                continue;
            }
            let text = |key: &str| reply[key].as_str().unwrap_or_default().to_owned();
            let (stdout, stderr) = (text("stdout"), text("stderr"));
            let exit = reply["exit"].as_i64().unwrap_or_default();
            let output = Output {
                exit: i32::try_from(exit).ok(),
                stdout: stdout.as_bytes(),
                stderr: stderr.as_bytes(),
            };
            let replied = host(QWEN).conclude("PreToolUse", &output);
            let ran = outcome["tool_ran"] == true || case.starts_with("rewrite");
            let stops = matches!(replied, Reply::Stopped | Reply::Asked);
            assert_eq!(stops, !ran, "{client} {case}: {replied:?}");
            told += 1;
        }
    }
    assert!(told > 30, "{told}");
}

/// Stderr would become the answer if stdout were empty.
#[test]
fn an_answer_that_lets_pass_is_never_silent() {
    for fixture in fixtures_of("qwen") {
        for verdict in [Verdict::none(), Verdict::allow(), Verdict::deny("no"), Verdict::ask("why")]
        {
            let answer = encode(QWEN, &fixture.text, &verdict);
            assert!(answer.exit != 0 || answer.stdout.starts_with('{'), "{}", fixture.name);
        }
    }
}

#[test]
fn what_it_does_not_do_is_said() {
    let payload = fixture("qwen", "PreToolUse");
    let rewrite = Verdict::none().with_input("command", &"echo other");
    let answer = encode(QWEN, &payload, &rewrite);
    assert_eq!((answer.stdout.as_str(), answer.losses.len()), ("{}", 1));
    let answer = encode(QWEN, &payload, &Verdict::context("said"));
    assert_eq!((answer.stdout.as_str(), answer.losses.len()), ("{}", 1));
    // After the call the model sees context only.
    let answer = encode(QWEN, &fixture("qwen", "PostToolUse"), &Verdict::deny("no"));
    assert_eq!((answer.decision, answer.enforcement), (None, Enforcement::Advisory));
    assert!(answer.stdout.contains(r#""additionalContext":"no""#), "{}", answer.stdout);
    let asked = encode(QWEN, &payload, &Verdict::ask("why"));
    assert_eq!((asked.decision, asked.enforcement), (Some(Decision::Ask), Enforcement::Prompt));
}

/// It also fires for the results of tools, and 0.15.10 calls the very first stop an active one.
#[test]
fn odd_payloads_are_ordinary_events() {
    let with = |payload: &str, look: &dyn Fn(&Body<'_>)| {
        let payload = Payload::from_bytes(payload.as_bytes().to_vec());
        let object = payload.object().unwrap();
        look(&host(QWEN).decode(&object).body);
    };
    let empty = json!({"hook_event_name": "UserPromptSubmit", "prompt": "", "session_id": "s"});
    with(&empty.to_string(), &|body| {
        assert!(matches!(body, Body::UserPromptSubmit { prompt, .. } if prompt == ""));
    });
    let first = fixtures_of("qwen");
    let first = first.iter().find(|it| it.text.contains("\"stop_hook_active\":true")).unwrap();
    with(&first.text, &|body| assert!(matches!(body, Body::Stop(_))));
}
