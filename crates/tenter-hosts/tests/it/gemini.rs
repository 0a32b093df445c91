//! Gemini CLI: what was recorded, and its traps.

use serde_json::{Value, json};
use tenter_hosts::model::{
    Action, Body, Decision, Enforcement, Event, EventKind, Field, HostId, Verdict,
};
use tenter_hosts::trial::{Output, Reply};
use tenter_hosts::{Answer, AskFallback, Bridge, EncodeOptions, FailMode, Payload, host};
use tenter_testkit::{fixtures_of, outcomes};

use crate::encode::{encode, fixture};

const GEMINI: HostId = HostId::Gemini;

fn with_event<T>(payload: &Value, look: impl FnOnce(&Event<'_>) -> T) -> T {
    let payload = Payload::from_bytes(payload.to_string().into_bytes());
    let object = payload.object().unwrap();
    look(&host(GEMINI).decode(&object))
}

fn before(tool: &str, input: &Value) -> Value {
    json!({"session_id": "s", "transcript_path": "/home/ana/.gemini/tmp/shop/chats/session-1.jsonl",
        "cwd": "/w", "hook_event_name": "BeforeTool", "timestamp": "2026-11-19T22:00:00.000Z",
        "tool_name": tool, "tool_input": input})
}

#[test]
fn our_answers_are_among_those_it_obeyed() {
    let outcomes = outcomes("gemini", "gemini-cli-0.61.0");
    let rewrite = Verdict::none()
        .with_input("command", &"echo rewritten-by-hook")
        .with_input("description", &"x");
    let cases: [(&str, &str, Verdict, Option<&str>); 9] = [
        ("deny-decision", "BeforeTool", Verdict::deny("DENIED-BY-HOOK"), Some("DENIED-BY-HOOK")),
        ("empty-object", "BeforeTool", Verdict::none(), None),
        ("rewrite-own", "BeforeTool", rewrite, Some("rewritten-by-hook")),
        ("stop-block", "AfterAgent", Verdict::deny("KEEP-GOING"), Some("KEEP-GOING")),
        ("prompt-block", "BeforeAgent", Verdict::deny("PROMPT-BLOCKED"), None),
        (
            "prompt-context",
            "BeforeAgent",
            Verdict::context("CONTEXT-FROM-HOOK"),
            Some("CONTEXT-FROM-HOOK"),
        ),
        (
            "start-context",
            "SessionStart",
            Verdict::context("CONTEXT-FROM-HOOK"),
            Some("CONTEXT-FROM-HOOK"),
        ),
        ("post-block", "AfterTool", Verdict::deny("POST-BLOCKED"), Some("POST-BLOCKED")),
        (
            "post-context",
            "AfterTool",
            Verdict::context("CONTEXT-FROM-HOOK"),
            Some("CONTEXT-FROM-HOOK"),
        ),
    ];
    for (case, event, verdict, seen) in cases {
        let mut payload: Value = serde_json::from_str(&fixture("gemini", event)).unwrap();
        payload["tool_name"] = json!("run_shell_command");
        payload["tool_input"] = json!({"command": "x", "description": "y", "is_background": false});
        let answer = encode(GEMINI, &payload.to_string(), &verdict);
        let recorded = outcomes[case]["reply"][event]["stdout"].as_str().unwrap();
        let ours: Value = serde_json::from_str(&answer.stdout).unwrap();
        assert_eq!(ours, serde_json::from_str::<Value>(recorded).unwrap(), "{case}");
        assert_eq!((answer.exit, answer.stderr.as_str()), (0, ""), "{case}");
        let saw = outcomes[case]["model_saw"].as_array().unwrap();
        assert_eq!(saw.first().and_then(Value::as_str), seen, "{case}");
    }
    // The last resort blocks, and with an empty object beside it, it does not.
    let last = Answer::blocked("DENIED-BY-HOOK");
    let recorded = &outcomes["exit2"]["reply"]["BeforeTool"];
    assert_eq!(recorded["stderr"].as_str(), Some(last.stderr.as_str()));
    assert_eq!((recorded["exit"].as_u64(), last.stdout.as_str()), (Some(last.exit.into()), ""));
    assert_eq!(outcomes["exit2"]["tool_ran"], false);
    assert_eq!(outcomes["exit2-empty-object"]["tool_ran"], true);
}

/// Each recorded reply is read as the client took it.
#[test]
fn replies_are_read_as_it_took_them() {
    let mut told = 0;
    for (case, outcome) in outcomes("gemini", "gemini-cli-0.61.0") {
        let reply = &outcome["reply"]["BeforeTool"];
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
        let replied = host(GEMINI).conclude("BeforeTool", &output);
        let ran = outcome["tool_ran"] == true || case.starts_with("rewrite");
        let stops = matches!(replied, Reply::Stopped | Reply::Asked);
        assert_eq!(stops, !ran, "{case}: {replied:?}");
        told += 1;
    }
    assert!(told > 20, "{told}");
}

#[test]
fn every_exit_code_above_one_blocks_with_a_text_and_none_without() {
    let conclude = |exit, stdout: &str, stderr: &str| {
        let output = Output { exit, stdout: stdout.as_bytes(), stderr: stderr.as_bytes() };
        host(GEMINI).conclude("BeforeTool", &output)
    };
    for exit in [2, 3, 127, 255] {
        assert_eq!(conclude(Some(exit), "", "no"), Reply::Stopped, "{exit}");
        assert_eq!(conclude(Some(exit), "no", ""), Reply::Stopped, "{exit}");
        assert!(matches!(conclude(Some(exit), "", " "), Reply::Useless(_)), "{exit}");
        assert!(matches!(conclude(Some(exit), "{}", "no"), Reply::Useless(_)), "{exit}");
    }
    assert!(matches!(conclude(Some(1), "", "no"), Reply::Useless(_)));
    // Killed by a signal counts as exit 0.
    assert_eq!(conclude(None, "", "no"), Reply::Passed);
    // Stderr is read where stdout is empty, and JSON in a string is unpacked.
    assert_eq!(conclude(Some(0), "", r#"{"decision":"deny"}"#), Reply::Stopped);
    assert_eq!(conclude(Some(0), r#""{\"decision\":\"deny\"}""#, ""), Reply::Stopped);
}

/// Stderr would become the answer if stdout were empty.
#[test]
fn an_answer_that_lets_pass_is_never_silent() {
    for fixture in fixtures_of("gemini") {
        for verdict in [
            Verdict::none(),
            Verdict::allow(),
            Verdict::deny("no"),
            Verdict::ask("why"),
            Verdict::context("said"),
        ] {
            let answer = encode(GEMINI, &fixture.text, &verdict);
            assert!(answer.exit != 0 || answer.stdout.starts_with('{'), "{}", fixture.name);
        }
    }
    let broken = |on_failure| {
        let bridge = Bridge { host: Some(GEMINI), options: EncodeOptions::default(), on_failure };
        let payload = Payload::from_bytes(b"no JSON".to_vec());
        let decoded = bridge.decode(&payload);
        bridge.encode(&decoded, &Ok((Verdict::none(), Vec::new()))).answer
    };
    let open = broken(FailMode::Open);
    assert_eq!((open.exit, open.stdout.as_str()), (0, "{}"));
    let closed = broken(FailMode::Closed);
    assert_eq!((closed.exit, closed.stdout.as_str()), (2, ""));
    assert!(!closed.stderr.trim().is_empty());
}

#[test]
fn a_call_under_an_unknown_event_is_blocked_by_the_exit_code_alone() {
    let mut payload = before("run_shell_command", &json!({"command": "x"}));
    payload["hook_event_name"] = json!("BeforeEverything");
    let answer = encode(GEMINI, &payload.to_string(), &Verdict::deny("no"));
    assert_eq!((answer.exit, answer.stdout.as_str(), answer.stderr.as_str()), (2, "", "no\n"));
    let output = Output {
        exit: Some(2),
        stdout: answer.stdout.as_bytes(),
        stderr: answer.stderr.as_bytes(),
    };
    assert_eq!(host(GEMINI).conclude("BeforeTool", &output), Reply::Stopped);
}

#[test]
fn an_ask_is_a_deny_that_says_so_unless_it_is_wanted() {
    let payload = before("run_shell_command", &json!({"command": "x"})).to_string();
    let answer = encode(GEMINI, &payload, &Verdict::ask("why"));
    assert_eq!((answer.decision, answer.enforcement), (Some(Decision::Deny), Enforcement::Hard));
    assert!(answer.stdout.starts_with(r#"{"decision":"deny""#), "{}", answer.stdout);
    assert!(answer.stdout.contains("Blocked: needs the user's OK"), "{}", answer.stdout);
    assert!(answer.losses[0].why.contains("waits for the answer forever"), "{:?}", answer.losses);

    let with = |value| {
        let payload = Payload::from_bytes(payload.clone().into_bytes());
        let object = payload.object().unwrap();
        let mut options = EncodeOptions::default();
        options.set_ask(GEMINI, value);
        host(GEMINI).encode(&host(GEMINI).decode(&object), &Verdict::ask("why"), &options)
    };
    let asked = with(AskFallback::Ask);
    assert_eq!(asked.stdout, r#"{"decision":"ask","systemMessage":"why"}"#);
    assert_eq!(asked.enforcement, Enforcement::Prompt);
    let allowed = with(AskFallback::Allow);
    assert_eq!((allowed.stdout.as_str(), allowed.decision), ("{}", Some(Decision::Allow)));
}

#[test]
fn a_denied_result_keeps_its_context_in_the_reason() {
    let payload = fixture("gemini", "AfterTool");
    let answer = encode(GEMINI, &payload, &Verdict::deny("no").with_context("but"));
    assert_eq!(answer.stdout, r#"{"decision":"block","reason":"no\n\nbut"}"#);
    assert_eq!(answer.losses[0].fields, [Field::AdditionalContext]);
}

#[test]
fn pre_compress_is_no_compaction() {
    let payload: Value = serde_json::from_str(&fixture("gemini", "PreCompress")).unwrap();
    with_event(&payload, |event| assert_eq!(event.kind(), EventKind::Other));
    let install = host(GEMINI).install();
    assert!(install.wires.iter().all(|wire| wire.event != "PreCompress"));
}

#[test]
fn its_tools_are_understood() {
    let actions = |tool: &str, input: Value| {
        with_event(&before(tool, &input), |event| {
            assert!(event.notes.is_empty(), "{tool}: {:?}", event.notes);
            format!("{:?}", event.tool_call().unwrap().actions)
        })
    };
    let shell =
        json!({"command": "ls", "description": "d", "dir_path": "sub", "is_background": false});
    let said = actions("run_shell_command", shell);
    assert!(said.contains("Shell") && said.contains("sub"), "{said}");
    let fetch = json!({"prompt": "Summarize https://a.example/x?y=1, and (http://b.example)."});
    let said = actions("web_fetch", fetch);
    assert!(said.contains("\"https://a.example/x?y=1\""), "{said}");
    assert!(said.contains("\"http://b.example\""), "{said}");
    let said = actions("read_many_files", json!({"include": ["a", "b/**"]}));
    assert!(said.matches("Read").count() == 2, "{said}");
    let edit =
        json!({"file_path": "/w/a", "instruction": "i", "old_string": "a", "new_string": "b"});
    assert!(actions("replace", edit).contains("Edit"));
    assert!(actions("list_directory", json!({"dir_path": "/w"})).contains("/w"));
    let task = json!({"agent_name": "generalist", "prompt": "go"});
    assert!(actions("invoke_agent", task).contains("generalist"));
}

#[test]
fn an_mcp_tool_is_named_by_its_context_first() {
    let identity = |name: &str, context: Option<Value>| {
        let mut payload = before(name, &json!({"q": 1}));
        if let Some(context) = context {
            payload["mcp_context"] = context;
        }
        with_event(&payload, |event| match event.tool_call().unwrap().actions.as_slice() {
            [Action::Mcp(identity)] => {
                (identity.canonical(), identity.command.clone().map(String::from))
            }
            other => (format!("{other:?}"), None),
        })
    };
    let context =
        json!({"server_name": "my_db", "tool_name": "run_sql", "command": "npx", "args": ["pg"]});
    assert_eq!(
        identity("mcp_my_db_run_sql", Some(context)),
        ("my_db/run_sql".to_owned(), Some("npx".to_owned()))
    );
    assert_eq!(identity("mcp_github_create_issue", None).0, "github/create_issue");
    assert_eq!(identity("mcp__github__create_issue", None).0, "github/create_issue");
    assert!(identity("mcp_", None).0.contains("Other"));
}

#[test]
fn the_last_message_is_the_answer_to_the_prompt() {
    let payload: Value = serde_json::from_str(&fixture("gemini", "AfterAgent")).unwrap();
    with_event(&payload, |event| {
        let Body::Stop(stop) = &event.body else { panic!("{:?}", event.body) };
        assert_eq!(
            stop.last_assistant_message.as_ref().map(|it| it.get().into_owned()).as_deref(),
            payload["prompt_response"].as_str()
        );
        assert!(stop.stop_hook_active.is_some());
    });
}
