//! Answers: the mapping, the quirks of versions and modes, and agreement of the published table with the
//! encoder.

use serde_json::{Value, json};
use tenter_hosts::{
    Answer, AskFallback, EncodeOptions, EventSpec, FailMode, Payload, Way, host, matrix,
};
use tenter_model::{Decision, Enforcement, EventKind, Field, HostId, LossKind, Verdict};
use tenter_testkit::{fixtures, fixtures_of, outcomes};

fn asking(id: HostId, value: AskFallback) -> EncodeOptions {
    let mut options = EncodeOptions::default();
    options.set_ask(id, value);
    options
}

fn encode_with(id: HostId, payload: &str, verdict: &Verdict, options: &EncodeOptions) -> Answer {
    let payload = Payload::from_bytes(payload.as_bytes().to_vec());
    let object = payload.object().unwrap();
    let host = host(id);
    host.encode(&host.decode(&object), verdict, options)
}

pub(crate) fn encode(id: HostId, payload: &str, verdict: &Verdict) -> Answer {
    encode_with(id, payload, verdict, &EncodeOptions::default())
}

pub(crate) fn fixture(host: &str, event: &str) -> String {
    let found = fixtures_of(host).into_iter().find(|fixture| fixture.event() == event);
    found.unwrap_or_else(|| panic!("no fixture for {host} {event}")).text
}

fn cursor_shell(version: &str) -> String {
    json!({"hook_event_name": "beforeShellExecution", "cursor_version": version, "command": "x"})
        .to_string()
}

#[test]
fn the_seeds_round_trip_is_exact() {
    let payload = r#"{"hook_event_name":"beforeShellExecution","conversation_id":"conv-xyz",
        "cursor_version":"0.46.0","command":"rm -rf /tmp/foo","cwd":"/Users/x/proj","sandbox":false}"#;
    let answer = encode(HostId::Cursor, payload, &Verdict::deny("rm -rf is blocked"));
    assert_eq!(answer.stdout, r#"{"permission":"deny","agent_message":"rm -rf is blocked"}"#);
    assert_eq!((answer.exit, answer.enforcement), (0, Enforcement::Hard));
    let options = EncodeOptions { deny_exit_2: true, ..EncodeOptions::default() };
    let answer =
        encode_with(HostId::Cursor, payload, &Verdict::deny("rm -rf is blocked"), &options);
    assert_eq!(answer.exit, 2);
    assert_eq!(answer.stdout, r#"{"permission":"deny","agent_message":"rm -rf is blocked"}"#);
}

#[test]
fn no_opinion_is_each_hosts_own_neutral() {
    for fixture in fixtures() {
        let id: HostId = fixture.host.parse().unwrap();
        let answer = encode(id, &fixture.text, &Verdict::none());
        let expected = match (id, fixture.event().as_str()) {
            (
                HostId::Cursor,
                "preToolUse"
                | "beforeShellExecution"
                | "beforeMCPExecution"
                | "beforeReadFile"
                | "beforeTabFileRead"
                | "subagentStart",
            ) => r#"{"permission":"allow"}"#,
            (HostId::Cursor, "beforeSubmitPrompt") => r#"{"continue":true}"#,
            (HostId::Cursor | HostId::Gemini | HostId::Qwen, _) => "{}",
            _ => "",
        };
        assert_eq!(answer, Answer::neutral(expected.to_owned()), "{}", fixture.name);
    }
}

/// One verdict per field, with the decision the field needs on this event.
fn probes(spec: &EventSpec) -> Vec<(Field, Verdict)> {
    let with = |field: Field| -> Verdict {
        let needs = match spec.field(field).way {
            Way::Text { when, .. } | Way::Instead { when, .. } => when.first().copied(),
            Way::Input { .. } => Some(Decision::Allow),
            _ => None,
        };
        Verdict { decision: needs, ..Verdict::none() }
    };
    vec![
        (Field::Reason, Verdict { reason: Some("the reason".into()), ..with(Field::Reason) }),
        (Field::UserMessage, with(Field::UserMessage).with_user_message("the message")),
        (Field::ModifiedInput, with(Field::ModifiedInput).with_input("new_key", &"the input")),
        (Field::AdditionalContext, with(Field::AdditionalContext).with_context("the context")),
    ]
}

#[test]
fn the_table_and_the_encoder_agree() {
    for id in HostId::ALL {
        for spec in host(id).events() {
            let payload = fixture(id.as_str(), spec.native);
            for (field, verdict) in probes(spec) {
                let answer = encode(id, &payload, &verdict);
                let text = match field {
                    Field::Reason => "the reason",
                    Field::UserMessage => "the message",
                    Field::ModifiedInput => "the input",
                    _ => "the context",
                };
                let cell = spec.field(field);
                let arrives = answer.stdout.contains(text) || answer.stderr.contains(text);
                let promised = !matches!(cell.way, Way::Nowhere);
                assert_eq!(arrives, promised, "{id} {} {field}: {answer:?}", spec.native);
                let lost = answer.losses.iter().any(|loss| loss.fields.contains(&field));
                assert_eq!(lost, !cell.why.is_empty(), "{id} {} {field}: {answer:?}", spec.native);
            }
        }
    }
}

#[test]
fn what_a_host_cannot_honour_is_always_said() {
    let full = Verdict::deny("THE-REASON")
        .with_user_message("THE-MESSAGE")
        .with_context("THE-CONTEXT")
        .with_input("new_key", &"THE-INPUT");
    for fixture in fixtures() {
        let id: HostId = fixture.host.parse().unwrap();
        for decision in [None, Some(Decision::Allow), Some(Decision::Deny), Some(Decision::Ask)] {
            let verdict = Verdict { decision, ..full.clone() };
            let answer = encode(id, &fixture.text, &verdict);
            for loss in &answer.losses {
                assert!(!loss.why.is_empty(), "{}: {loss:?}", fixture.name);
            }
            let said = |field| answer.losses.iter().any(|loss| loss.fields.contains(&field));
            for (field, text) in [
                (Field::UserMessage, "THE-MESSAGE"),
                (Field::AdditionalContext, "THE-CONTEXT"),
                (Field::Reason, "THE-REASON"),
                (Field::ModifiedInput, "THE-INPUT"),
            ] {
                let arrived = answer.stdout.contains(text) || answer.stderr.contains(text);
                assert!(
                    arrived || said(field),
                    "{} {decision:?}: {field} vanished: {answer:?}",
                    fixture.name
                );
            }
            let enforced = answer.enforcement != Enforcement::None;
            if matches!(decision, Some(Decision::Deny | Decision::Ask)) {
                assert!(enforced || said(Field::Decision), "{}: {answer:?}", fixture.name);
            }
        }
    }
}

#[test]
fn an_observer_warns_once_for_everything() {
    let verdict = Verdict::deny("r").with_user_message("u").with_context("c").with_input("k", &1);
    let answer = encode(HostId::Cursor, &fixture("cursor", "afterShellExecution"), &verdict);
    assert_eq!(answer.stdout, "{}");
    assert_eq!(answer.losses.len(), 1);
    assert_eq!(answer.losses[0].fields.len(), 5);
}

#[test]
fn cursor_asks_only_where_it_asks() {
    let ask = Verdict::ask("why");
    let permission = |version: &str, options: &EncodeOptions| {
        let answer = encode_with(HostId::Cursor, &cursor_shell(version), &ask, options);
        let json: Value = serde_json::from_str(&answer.stdout).unwrap();
        (json["permission"].as_str().unwrap().to_owned(), answer)
    };
    let default = EncodeOptions::default();
    let (sent, answer) = permission("2.4.20", &default);
    assert_eq!((sent.as_str(), answer.enforcement), ("ask", Enforcement::Prompt));
    assert!(answer.losses.is_empty());
    for version in ["2.4.21", "2.9.0", "3.2.16", "3.21.16", "2026.09.23-86fc751", "nightly"] {
        let (sent, answer) = permission(version, &default);
        assert_eq!((sent.as_str(), answer.enforcement), ("deny", Enforcement::Hard), "{version}");
        assert!(answer.stdout.contains("needs your OK"), "{version}: {}", answer.stdout);
        assert_eq!(answer.losses[0].kind, LossKind::Downgraded);
    }
    let (_, answer) = permission("2.9.0", &default);
    assert!(answer.losses[0].why.contains("into a deny"), "{}", answer.losses[0]);
    let (_, answer) = permission("3.2.16", &default);
    assert!(answer.losses[0].why.contains("into an allow"), "{}", answer.losses[0]);

    let pass = asking(HostId::Cursor, AskFallback::Ask);
    let (sent, answer) = permission("3.2.16", &pass);
    assert_eq!((sent.as_str(), answer.losses.len()), ("ask", 1), "sent, and said to be swallowed");
    assert_eq!(answer.enforcement, Enforcement::Advisory, "only the reason arrives for sure");
    let allow = asking(HostId::Cursor, AskFallback::Allow);
    assert_eq!(permission("3.2.16", &allow).0, "allow");
}

#[test]
fn ask_has_no_form_on_most_cursor_events() {
    let ask = Verdict::ask("why");
    for event in
        ["preToolUse", "beforeReadFile", "beforeTabFileRead", "subagentStart", "beforeSubmitPrompt"]
    {
        let answer = encode(HostId::Cursor, &fixture("cursor", event), &ask);
        assert_eq!(answer.decision, Some(Decision::Deny), "{event}");
        assert!(answer.stdout.contains("deny") || answer.stdout.contains("false"), "{event}");
        let allow = asking(HostId::Cursor, AskFallback::Allow);
        let answer = encode_with(HostId::Cursor, &fixture("cursor", event), &ask, &allow);
        assert_eq!(answer.decision, Some(Decision::Allow), "{event}");
    }
}

#[test]
fn a_rewrite_is_the_whole_input_and_goes_with_an_allow_where_it_must() {
    let rewrite = Verdict::none().with_input("command", &"echo rewritten-by-hook");
    let cursor = json!({"hook_event_name": "preToolUse", "tool_name": "Shell",
        "tool_input": {"command": "x", "timeout": 5}});
    assert_eq!(
        encode(HostId::Cursor, &cursor.to_string(), &rewrite).stdout,
        r#"{"permission":"allow","updated_input":{"command":"echo rewritten-by-hook","timeout":5}}"#
    );
    let pre = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": "x", "description": "d"}})
    .to_string();
    // Recorded: without a decision Claude applies it and asks the user as always.
    assert_eq!(
        encode(HostId::Claude, &pre, &rewrite).stdout,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo rewritten-by-hook","description":"d"}}}"#
    );
    // Recorded: without the allow Codex runs the original.
    assert_eq!(
        encode(HostId::Codex, &pre, &rewrite).stdout,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"echo rewritten-by-hook","description":"d"}}}"#
    );
    let deny = Verdict { decision: Some(Decision::Deny), ..rewrite.clone() };
    for id in HostId::ALL {
        let payload = if id == HostId::Cursor { cursor.to_string() } else { pre.clone() };
        let answer = encode(id, &payload, &deny);
        assert!(!answer.stdout.contains("rewritten"), "{id}");
        assert!(answer.losses.iter().any(|loss| loss.fields.contains(&Field::ModifiedInput)));
    }
    // An unrequested grant would be worse than no rewrite.
    let request = fixture("claude", "PermissionRequest");
    let answer = encode(HostId::Claude, &request, &rewrite);
    assert_eq!(answer.stdout, "");
    assert_eq!(answer.losses[0].kind, LossKind::Dropped);
}

#[test]
fn codex_never_gets_what_voids_its_answer() {
    let allowed_keys = [
        "hookSpecificOutput",
        "hookEventName",
        "permissionDecision",
        "permissionDecisionReason",
        "updatedInput",
        "additionalContext",
        "decision",
        "behavior",
        "message",
        "reason",
        "systemMessage",
        "continue",
        "stopReason",
    ];
    let texts = Verdict::none().with_user_message("u").with_context("c");
    for fixture in fixtures_of("codex") {
        for decision in [None, Some(Decision::Allow), Some(Decision::Deny), Some(Decision::Ask)] {
            for reason in [None, Some("  ".to_owned()), Some("why".to_owned())] {
                let verdict = Verdict { decision, reason, ..texts.clone() };
                let answer = encode(HostId::Codex, &fixture.text, &verdict);
                assert!(!answer.stdout.contains("\"ask\""), "{}", fixture.name);
                let Ok(json) = serde_json::from_str::<Value>(&answer.stdout) else {
                    assert_eq!(answer.stdout, "", "{}", fixture.name);
                    continue;
                };
                let mut keys = Vec::new();
                collect_keys(&json, &mut keys);
                for key in &keys {
                    assert!(allowed_keys.contains(&key.as_str()), "{}: {key}", fixture.name);
                }
                let output = &json["hookSpecificOutput"];
                if output["permissionDecision"] == "allow" {
                    assert!(output["updatedInput"].is_object(), "{}: a bare allow", fixture.name);
                }
                if output["permissionDecision"] == "deny" {
                    let why = output["permissionDecisionReason"].as_str().unwrap_or_default();
                    assert!(!why.trim().is_empty(), "{}: a deny without a reason", fixture.name);
                }
                if json["decision"] == "block" {
                    assert!(!json["reason"].as_str().unwrap_or_default().trim().is_empty());
                }
                if matches!(fixture.event().as_str(), "Stop" | "SubagentStop") {
                    assert!(output.is_null(), "{}: context voids a stop", fixture.name);
                }
            }
        }
    }
}

fn collect_keys(value: &Value, keys: &mut Vec<String>) {
    if let Value::Object(map) = value {
        for (key, below) in map {
            keys.push(key.clone());
            if key != "updatedInput" {
                collect_keys(below, keys);
            }
        }
    }
}

#[test]
fn claude_never_gets_an_allow_nobody_gave() {
    let context = Verdict::context("c").with_user_message("u");
    for fixture in fixtures_of("claude") {
        for verdict in [Verdict::none(), context.clone()] {
            let answer = encode(HostId::Claude, &fixture.text, &verdict);
            assert!(!answer.stdout.contains("allow"), "{}: {}", fixture.name, answer.stdout);
        }
    }
}

#[test]
fn a_blocked_claude_prompt_tells_the_human_everything() {
    let verdict = Verdict::deny("for the model").with_user_message("for the human");
    let answer = encode(HostId::Claude, &fixture("claude", "UserPromptSubmit"), &verdict);
    assert_eq!(answer.stdout, r#"{"decision":"block","reason":"for the human\n\nfor the model"}"#);
    // A text in both fields is printed once.
    let verdict = Verdict {
        user_message: Some("tenter blocked this prompt: a token.".into()),
        ..Verdict::deny("tenter blocked this: a token. Instead: leave it out.")
    };
    let answer = encode(HostId::Claude, &fixture("claude", "UserPromptSubmit"), &verdict);
    assert!(answer.stdout.contains(r"a token.\n\nInstead: leave it out."), "{}", answer.stdout);
}

#[test]
fn claude_events_that_obey_the_exit_code_get_it() {
    let answer =
        encode(HostId::Claude, &fixture("claude", "TaskCompleted"), &Verdict::deny("not yet"));
    assert_eq!(
        (answer.exit, answer.stdout.as_str(), answer.stderr.as_str()),
        (2, "{}", "not yet\n")
    );
    assert!(!answer.stderr_is_free());
}

#[test]
fn a_deny_exit_is_only_for_gates() {
    let options = EncodeOptions { deny_exit_2: true, ..EncodeOptions::default() };
    for (id, event, exit) in [
        (HostId::Codex, "SessionStart", 0),
        (HostId::Codex, "PreCompact", 0),
        (HostId::Codex, "PreToolUse", 2),
        (HostId::Claude, "PreToolUse", 2),
        (HostId::Cursor, "stop", 0),
        (HostId::Cursor, "beforeSubmitPrompt", 2),
    ] {
        let answer = encode_with(id, &fixture(id.as_str(), event), &Verdict::deny("why"), &options);
        assert_eq!(answer.exit, exit, "{id} {event}");
        assert_eq!(answer.stderr.trim() == "why", exit == 2, "{id} {event}");
    }
    let silent = Verdict { reason: None, ..Verdict::deny("").with_user_message("told") };
    let answer =
        encode_with(HostId::Cursor, &fixture("cursor", "beforeReadFile"), &silent, &options);
    assert_eq!(answer.stderr, "told\n", "a deny is not a failure");
}

#[test]
fn no_text_is_taken_for_said_because_it_occurs_somewhere() {
    let verdict = Verdict::deny("e").with_user_message("Kept you away");
    let answer = encode(HostId::Cursor, &fixture("cursor", "subagentStart"), &verdict);
    assert!(answer.losses.iter().any(|loss| loss.fields.contains(&Field::Reason)), "{answer:?}");
}

#[test]
fn after_the_fact_the_model_is_told_everything_there_is() {
    let payload = fixture("cursor", "postToolUse");
    let both = encode(HostId::Cursor, &payload, &Verdict::deny("why").with_context("more"));
    assert_eq!(both.stdout, r#"{"additional_context":"why\n\nmore"}"#);
    let bare = Verdict { decision: Some(Decision::Deny), ..Verdict::none() };
    assert!(encode(HostId::Cursor, &payload, &bare).stdout.contains("gave no reason"));
}

#[test]
fn a_bare_deny_at_stop_asks_to_go_on_everywhere() {
    let bare = Verdict { decision: Some(Decision::Deny), ..Verdict::none() };
    for (id, event) in [(HostId::Cursor, "stop"), (HostId::Claude, "Stop"), (HostId::Codex, "Stop")]
    {
        let payload = json!({"hook_event_name": event, "status": "completed"}).to_string();
        assert!(encode(id, &payload, &bare).stdout.contains("asks you to go on"), "{id}");
    }
}

#[test]
fn an_ask_can_be_waved_through_on_every_host() {
    let mut options = EncodeOptions::default();
    for id in HostId::ALL {
        options.set_ask(id, AskFallback::Allow);
    }
    for id in HostId::ALL {
        for spec in host(id).events() {
            let payload = fixture(id.as_str(), spec.native);
            let answer = encode_with(id, &payload, &Verdict::ask("why"), &options);
            assert_ne!(answer.decision, Some(Decision::Deny), "{id} {}", spec.native);
            let grants = id == HostId::Claude && answer.stdout.contains("allow");
            assert!(!grants, "{id} {}: {}", spec.native, answer.stdout);
        }
    }
}

#[test]
fn a_rewrite_the_host_would_choke_on_is_mended_or_refused() {
    let payload =
        r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"}}"#;
    let (verdict, _) = Verdict::from_json(r#"{"modified_input":{"command":"\ud800x"}}"#).unwrap();
    let answer = encode(HostId::Codex, payload, &verdict);
    assert!(answer.stdout.contains(r#""updatedInput":{"command":"\ufffdx"}"#), "{}", answer.stdout);
    assert_eq!(answer.losses.len(), 1);
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":"ls"}"#;
    let answer = encode(HostId::Codex, payload, &Verdict::none().with_input("command", &"x"));
    assert_eq!((answer.stdout.as_str(), answer.losses.len()), ("", 1));
}

#[test]
fn policy_settings_cannot_be_blocked_and_that_is_said() {
    let payload =
        json!({"hook_event_name": "ConfigChange", "source": "policy_settings"}).to_string();
    let answer = encode(HostId::Claude, &payload, &Verdict::deny("why"));
    assert_eq!((answer.stdout.as_str(), answer.decision), ("", None));
    assert!(!answer.losses.is_empty());
}

#[test]
fn a_cursor_event_under_claudes_name_is_answered_in_full() {
    let payload = r#"{"cursor_version":"3.21.16","hook_event_name":"PreToolUse","tool_name":"Shell","tool_input":{"command":"x"}}"#;
    let answer = encode(HostId::Cursor, payload, &Verdict::deny("why"));
    assert_eq!(answer.stdout, r#"{"permission":"deny","agent_message":"why"}"#);
}

#[test]
fn an_ask_that_claude_may_swallow_is_said() {
    let payload = |mode: &str| {
        json!({"hook_event_name": "PreToolUse", "permission_mode": mode, "tool_name": "Bash",
            "tool_input": {"command": "x"}})
        .to_string()
    };
    let plain = encode(HostId::Claude, &payload("default"), &Verdict::ask("why"));
    assert_eq!((plain.enforcement, plain.losses.len()), (Enforcement::Prompt, 0));
    let risky = encode(HostId::Claude, &payload("bypassPermissions"), &Verdict::ask("why"));
    assert!(risky.stdout.contains("\"ask\""));
    assert_eq!((risky.enforcement, risky.losses.len()), (Enforcement::Advisory, 1));
    let options = asking(HostId::Claude, AskFallback::Deny);
    let strict = encode_with(HostId::Claude, &payload("auto"), &Verdict::ask("why"), &options);
    assert_eq!(strict.decision, Some(Decision::Deny));
}

#[test]
fn a_failure_closes_gates_and_nothing_else() {
    for id in HostId::ALL {
        for spec in host(id).events() {
            let closed = spec.verdict_on_failure(FailMode::Closed, "it broke");
            assert_eq!(closed.decision == Some(Decision::Deny), spec.gate, "{id} {}", spec.native);
            assert_eq!(spec.verdict_on_failure(FailMode::Open, "it broke"), Verdict::none());
            if spec.gate {
                let answer = encode(id, &fixture(id.as_str(), spec.native), &closed);
                assert_eq!(answer.enforcement, Enforcement::Hard, "{id} {}", spec.native);
                let asked = encode(
                    id,
                    &fixture(id.as_str(), spec.native),
                    &spec.verdict_on_failure(FailMode::Ask, "x"),
                );
                assert!(asked.enforcement >= Enforcement::Prompt, "{id} {}", spec.native);
            }
            let stops = matches!(spec.kind, EventKind::Stop | EventKind::SubagentStop);
            assert!(!(stops && spec.gate), "a closed stop would loop: {id} {}", spec.native);
        }
    }
}

/// Our answers must be among those the real clients obeyed.
#[test]
fn our_answers_are_the_recorded_ones() {
    let deny = Verdict::deny("DENIED-BY-HOOK");
    let rewrite = Verdict::none().with_input("command", &"echo rewritten-by-hook");
    let cases: [(&str, &str, Verdict); 9] = [
        ("deny-json", "PreToolUse", deny),
        ("pre-context", "PreToolUse", Verdict::context("CONTEXT-FROM-HOOK")),
        ("rewrite-clean", "PreToolUse", Verdict { decision: Some(Decision::Allow), ..rewrite }),
        ("stop-block", "Stop", Verdict::deny("KEEP-GOING")),
        ("prompt-block", "UserPromptSubmit", Verdict::deny("PROMPT-BLOCKED")),
        ("prompt-context", "UserPromptSubmit", Verdict::context("CONTEXT-FROM-HOOK")),
        ("start-context", "SessionStart", Verdict::context("CONTEXT-FROM-HOOK")),
        ("post-block", "PostToolUse", Verdict::deny("POST-BLOCKED")),
        ("post-context", "PostToolUse", Verdict::context("CONTEXT-FROM-HOOK")),
    ];
    for (host, client) in [
        ("claude", "claude-code-2.1.325"),
        ("claude", "claude-code-2.1.197"),
        ("codex", "codex-cli-0.166.0"),
    ] {
        let outcomes = outcomes(host, client);
        for (case, event, verdict) in &cases {
            let payload = json!({"hook_event_name": event, "tool_name": "Bash", "tool_input": {"command": "x"}});
            let answer = encode(host.parse().unwrap(), &payload.to_string(), verdict);
            let recorded = outcomes[*case]["reply"][*event]["stdout"].as_str().unwrap();
            let ours: Value = serde_json::from_str(&answer.stdout).unwrap();
            let theirs: Value = serde_json::from_str(recorded).unwrap();
            assert_eq!(ours, theirs, "{client} {case}");
            let saw = outcomes[*case]["model_saw"].as_array().unwrap();
            let silent = *case == "prompt-block";
            assert_eq!(saw.is_empty(), silent, "{client} {case}");
        }
        // The fallback: exit 2, text on stderr, nothing on stdout.
        let last = Answer::blocked("DENIED-BY-HOOK");
        let recorded = &outcomes["exit2"];
        assert_eq!(recorded["reply"]["PreToolUse"]["stderr"].as_str(), Some(last.stderr.as_str()));
        assert_eq!(recorded["reply"]["PreToolUse"]["exit"], last.exit);
        assert_eq!(recorded["tool_ran"], false, "{client}");
    }
}

#[test]
fn the_matrix_follows_its_schema() {
    let validator = jsonschema::validator_for(&matrix::schema()).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&matrix::to_json(None)).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}
