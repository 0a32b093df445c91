//! What becomes of the answers of a policy's handlers under `tenter hook`: nothing vanishes without a word,
//! edits are edits on every host, and no handler keeps an agent going without end.
#![cfg(unix)]

use serde_json::{Value, json};
use tenter_testkit::{Ran, fixtures_of};

use crate::user::User;

impl User {
    /// A policy with one handler that prints this answer.
    fn answering(&self, on: &str, answer: &str) {
        self.policy(&format!(
            "[[handler]]\nid = 'h'\non = '{on}'\nrun = ['sh', '-c', 'cat >/dev/null; printf %s \"$1\"', 'sh', '{answer}']\n"
        ));
    }

    /// A recorded payload of a host, as of the project.
    fn sent(&self, host: &str, event: &str) -> Value {
        let fixture = fixtures_of(host).into_iter().find(|fixture| fixture.event() == event);
        let mut payload: Value = serde_json::from_str(&fixture.unwrap().text).unwrap();
        payload["cwd"] = json!(self.shop());
        payload["workspace_roots"] = json!([self.shop()]);
        payload
    }

    fn hooked(&self, host: &str, payload: &Value) -> Ran {
        self.run(&["hook", host], &payload.to_string())
    }

    fn last_record(&self) -> Value {
        let ran = self.run(&["log", "--json"], "");
        let lines: Vec<&str> = ran.stdout.lines().collect();
        let parsed = |line: &&str| serde_json::from_str::<Value>(line).ok();
        lines.iter().filter_map(parsed).max_by_key(|it| it["seq"].as_u64()).unwrap()
    }
}

#[test]
fn a_reason_without_a_decision_is_context_or_a_loss() {
    let user = User::new();
    let told = "told to the model as context";
    for (host, event, on, stdout) in [
        ("claude", "SessionStart", "SessionStart", r#""additionalContext":"use tabs""#),
        ("claude", "UserPromptSubmit", "UserPromptSubmit", r#""additionalContext":"use tabs""#),
        ("claude", "PostToolUse", "PostToolUse", r#""additionalContext":"use tabs""#),
        ("codex", "UserPromptSubmit", "UserPromptSubmit", r#""additionalContext":"use tabs""#),
        ("codex", "PostToolUse", "PostToolUse", r#""additionalContext":"use tabs""#),
        ("cursor", "sessionStart", "SessionStart", r#""additional_context":"use tabs""#),
        ("cursor", "postToolUse", "PostToolUse", r#""additional_context":"use tabs""#),
    ] {
        user.answering(on, r#"{"reason":"use tabs"}"#);
        let ran = user.hooked(host, &user.sent(host, event));
        assert!(ran.stdout.contains(stdout), "{host} {event}: {} {}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains("`reason` downgraded: "), "{host} {event}: {}", ran.stderr);
        assert!(ran.stderr.contains(told), "{host} {event}: {}", ran.stderr);
        let losses = user.last_record()["losses"].to_string();
        assert!(losses.contains(told), "{host} {event}: {losses}");
    }
    user.answering("UserPromptSubmit", r#"{"reason":"use tabs"}"#);
    let ran = user.hooked("cursor", &user.sent("cursor", "beforeSubmitPrompt"));
    assert_eq!(ran.stdout, r#"{"continue":true}"#);
    assert!(ran.stderr.contains("`reason` dropped"), "{}", ran.stderr);
    assert!(user.last_record()["losses"].to_string().contains("`reason` dropped"));
}

#[test]
fn a_reason_beside_the_guards_decision_is_context() {
    let user = User::new();
    user.answering("PreToolUse", r#"{"reason":"see CONTRIBUTING"}"#);
    let payload = user.payload("Bash", &json!({ "command": "git reset --hard HEAD~2" }));
    let ran = user.run(&["hook", "claude"], &payload);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "ask");
    assert_eq!(output["additionalContext"], "see CONTRIBUTING");
    assert!(!output["permissionDecisionReason"].to_string().contains("CONTRIBUTING"));
}

#[test]
fn at_a_stop_a_reason_alone_makes_every_host_go_on() {
    let user = User::new();
    user.answering("Stop", r#"{"reason":"go on"}"#);
    for (host, event, expected) in [
        ("claude", "Stop", r#"{"decision":"block","reason":"go on"}"#),
        ("codex", "Stop", r#"{"decision":"block","reason":"go on"}"#),
        ("cursor", "stop", r#"{"followup_message":"go on"}"#),
    ] {
        let mut payload = user.sent(host, event);
        payload["loop_count"] = json!(0);
        let ran = user.hooked(host, &payload);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (expected, ""), "{host}");
    }
}

#[test]
fn an_edit_is_an_edit_on_every_host() {
    let user = User::new();
    for on in ["PostToolUse:Edit", "PostToolUse:Edit|Write", "PostToolUse:Task|Edit"] {
        user.policy(&format!(
            "[[handler]]\nid = 'format'\non = '{on}'\nrun = ['sh', '-c', 'cat >/dev/null; echo \"$1\" >> edited', 'sh', '{{path}}']\n"
        ));
        let write = json!({ "file_path": "/w/a.ts", "content": "x" });
        let mut cursor = user.sent("cursor", "postToolUse");
        cursor["tool_name"] = json!("Write");
        cursor["tool_input"] = write.clone();
        let mut claude = user.sent("claude", "PostToolUse");
        claude["tool_name"] = json!("Edit");
        claude["tool_input"] =
            json!({ "file_path": "/w/a.ts", "old_string": "a", "new_string": "b" });
        let mut codex = user.sent("codex", "PostToolUse");
        codex["tool_name"] = json!("apply_patch");
        let patch = "*** Begin Patch\n*** Add File: /w/a.ts\n+x\n*** End Patch\n";
        codex["tool_input"] = json!({ "command": patch });
        for (host, mut payload) in [("cursor", cursor), ("claude", claude), ("codex", codex)] {
            let ran = user.hooked(host, &payload);
            let edited = user.shop().join("edited");
            let text = std::fs::read_to_string(&edited).unwrap_or_default();
            assert_eq!(text, "/w/a.ts\n", "{on} {host}: {}", ran.stderr);
            std::fs::remove_file(&edited).unwrap();
            // A read is none.
            payload["tool_name"] = json!("Read");
            payload["tool_input"] = json!({ "file_path": "/w/a.ts" });
            user.hooked(host, &payload);
            assert!(!edited.exists(), "{on} {host}");
        }
    }
}

#[test]
fn what_can_match_nothing_is_refused_with_a_suggestion() {
    let user = User::new();
    for (on, meant) in [
        ("PostToolUse:(Edit|Write)", "write `PostToolUse:Edit|Write`"),
        ("PostToolUse:^Edit$", "write `PostToolUse:Edit`"),
        ("PreToolUse:mcp__github__.*", "write `PreToolUse:mcp__github__*`"),
        ("PostToolUse:Edit, Write", "write `PostToolUse:Edit|Write`"),
        ("PostToolUse: Edit", "write `PostToolUse:Edit`"),
        ("PostToolUse:", "write `PostToolUse`"),
        ("PostToolUse:Edit|", "write `PostToolUse:Edit`"),
        ("Stop:Edit", "write `Stop`"),
    ] {
        let text = format!("[[handler]]\nid = 'h'\non = '{on}'\nrun = ['true']\n");
        user.policy(&text);
        let ran = user.run(&["policy", "check"], "");
        assert_eq!(ran.exit, 1, "{on}: {}", ran.stdout);
        assert!((ran.stdout + &ran.stderr).contains(meant), "{on}");
    }
    for on in ["PostToolUse:Edit|Write", "PreToolUse:mcp__github__*", "PreToolUse:MCP:x", "Stop"] {
        user.policy(&format!("[[handler]]\nid = 'h'\non = '{on}'\nrun = ['true']\n"));
        let ran = user.run(&["policy", "check"], "");
        assert_eq!(ran.exit, 0, "{on}: {}{}", ran.stdout, ran.stderr);
    }
}

#[test]
fn a_handler_that_answers_in_a_hosts_format_fails_and_says_how_to_wire_it() {
    let user = User::new();
    for (speaks, answer) in
        [("cursor", r#"{"permission":"deny"}"#), ("claude", r#"{"decision":"block"}"#)]
    {
        user.answering("PreToolUse", answer);
        let payload = user.payload("Bash", &json!({ "command": "ls" }));
        let ran = user.run(&["hook", "claude"], &payload);
        let hint = format!("`speaks = \"{speaks}\"` in its [[handler]]");
        assert!(ran.stderr.contains(&hint), "{}", ran.stderr);
        let notes = user.last_record()["notes"].as_array().unwrap().clone();
        assert!(notes.iter().any(|note| note.as_str().unwrap().contains(&hint)), "{notes:?}");
    }
}

/// How often an agent goes on whose stops are always denied; the last answer.
fn rounds(user: &User, host: &str, first: &Value, again: &Value) -> (usize, Ran) {
    let mut ran = user.hooked(host, first);
    for round in 0..40 {
        let goes_on = ran.stdout.contains("go on") && !ran.stdout.contains("lets the agent stop");
        if !goes_on {
            return (round, ran);
        }
        let mut payload = again.clone();
        payload["last_assistant_message"] = json!(round);
        payload["loop_count"] = json!(round + 1);
        ran = user.hooked(host, &payload);
    }
    panic!("without end: {}", ran.stdout)
}

#[test]
fn a_handler_that_always_denies_at_a_stop_is_bounded_on_every_host() {
    for (host, event) in
        [("codex", "Stop"), ("claude", "Stop"), ("cursor", "stop"), ("codex", "SubagentStop")]
    {
        let user = User::new();
        let on = if event == "SubagentStop" { event } else { "Stop" };
        user.answering(on, r#"{"decision":"deny","reason":"go on"}"#);
        let (mut first, mut again) = (user.sent(host, event), user.sent(host, event));
        first["stop_hook_active"] = json!(false);
        first["loop_count"] = json!(0);
        again["stop_hook_active"] = json!(true);
        let (count, last) = rounds(&user, host, &first, &again);
        assert_eq!(count, 8, "{host} {event}: {}", last.stdout);
        let told = "tenter lets the agent stop: hooks made it go on 8 times in a row";
        assert!(last.stderr.contains(told), "{host}: {}", last.stderr);
        let record = user.last_record();
        assert!(record["notes"].to_string().contains(told), "{host}: {record}");
        if host != "cursor" {
            assert!(
                last.stdout.contains(&format!(r#"{{"systemMessage":"{told}"#)),
                "{}",
                last.stdout
            );
        }
        // A human has spoken since: the next stop is the first of another row.
        if host != "cursor" {
            assert_eq!(rounds(&user, host, &first, &again).0, 8, "{host}");
        }
    }
}

#[test]
fn the_model_is_told_before_its_last_round() {
    let user = User::new();
    let policy = user.path(".config/tenterhook/policy.toml");
    user.answering("Stop", r#"{"decision":"deny","reason":"go on"}"#);
    let text = std::fs::read_to_string(&policy).unwrap();
    user.policy(&format!("[stop]\nmost = 2\n{text}"));
    let mut payload = user.sent("codex", "Stop");
    payload["stop_hook_active"] = json!(true);
    let answers: Vec<String> = (0..3).map(|_| user.hooked("codex", &payload).stdout).collect();
    assert_eq!(answers[0], r#"{"decision":"block","reason":"go on"}"#);
    assert!(answers[1].contains("the last of 2 times in a row"), "{}", answers[1]);
    assert!(!answers[2].contains("block"), "{}", answers[2]);
}

#[test]
fn a_host_that_reports_every_stop_as_the_first_is_bounded_too() {
    let user = User::new();
    user.answering("Stop", r#"{"decision":"deny","reason":"go on"}"#);
    let mut payload = user.sent("codex", "Stop");
    payload["stop_hook_active"] = json!(false);
    let session = payload["session_id"].as_str().unwrap().to_owned();
    user.hooked("codex", &payload);
    let file = user.state("sessions").join(format!("codex-{session}"));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("\t1\t1\t"), "{text}");
    std::fs::write(&file, text.replace("\t1\t1\t", "\t1\t200\t")).unwrap();
    let ran = user.hooked("codex", &payload);
    assert!(ran.stderr.contains("200 times in this session"), "{}", ran.stderr);
}

#[test]
fn no_policy_can_write_infinite() {
    let user = User::new();
    for (most, wrong) in
        [("100", false), ("0", false), ("101", true), ("-1", true), ("'inf'", true)]
    {
        user.policy(&format!("[stop]\nmost = {most}\n"));
        let ran = user.run(&["policy", "check"], "");
        assert_eq!(ran.exit, i32::from(wrong), "{most}: {}{}", ran.stdout, ran.stderr);
    }
    user.policy("[stop]\nmost = 3\n");
    user.write("shop/tenter.toml", "[stop]\nmost = 9\n");
    let shown = user.run(&["policy", "show", "--json"], "").stdout;
    let lines: Value = serde_json::from_str(&shown).unwrap();
    let text = lines.to_string();
    assert!(text.contains(r#""key":"most""#) && text.contains(r#""value":"3""#), "{text}");
}

#[test]
fn run_is_bounded_too() {
    let user = User::new();
    let mut payload = user.sent("codex", "Stop");
    let run = |payload: &Value| {
        let script = r#"cat >/dev/null; echo '{"decision":"deny","reason":"go on"}'"#;
        user.run(&["run", "--", "sh", "-c", script], &payload.to_string()).stdout
    };
    payload["stop_hook_active"] = json!(false);
    assert!(run(&payload).contains("block"));
    payload["stop_hook_active"] = json!(true);
    let goes_on = (0..30).take_while(|_| run(&payload).contains("block")).count();
    assert_eq!(goes_on, 7);
}
