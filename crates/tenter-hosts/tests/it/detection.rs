//! Host detection: right on every payload, and never wrong on a damaged one.

use serde_json::Value;
use tenter_hosts::{Payload, detect};
use tenter_model::HostId;
use tenter_testkit::{fixtures, foreign};

fn detected(text: &str) -> Option<HostId> {
    detect(&Payload::from_bytes(text.as_bytes().to_vec()).object().unwrap()).host
}

/// The payload with each of its fields removed in turn.
fn mutants(text: &str) -> Vec<(String, String)> {
    let payload: serde_json::Map<String, Value> = serde_json::from_str(text).unwrap();
    payload
        .keys()
        .map(|key| {
            let mut mutant = payload.clone();
            mutant.remove(key);
            (key.clone(), Value::Object(mutant).to_string())
        })
        .collect()
}

#[test]
fn every_fixture_is_told_rightly() {
    for fixture in fixtures() {
        let host = detected(&fixture.text).map(HostId::as_str);
        assert_eq!(host, Some(fixture.host.as_str()), "{}", fixture.name);
    }
}

#[test]
fn a_damaged_payload_is_never_given_to_the_wrong_host() {
    let (mut right, mut all) = (0, 0);
    for fixture in fixtures() {
        for (field, mutant) in mutants(&fixture.text) {
            let host = detected(&mutant).map(HostId::as_str);
            assert!(
                host.is_none_or(|host| host == fixture.host),
                "{} without `{field}` was taken for {host:?}",
                fixture.name
            );
            right += usize::from(host.is_some());
            all += 1;
        }
    }
    // Caution must not mean never answering.
    assert!(right * 100 >= all * 97, "only {right} of {all} damaged payloads were told");
}

#[test]
fn other_clients_are_left_alone_even_when_damaged() {
    for fixture in foreign() {
        assert_eq!(detected(&fixture.text), None, "{}", fixture.name);
        for (field, mutant) in mutants(&fixture.text) {
            assert_eq!(detected(&mutant), None, "{} without `{field}`", fixture.name);
        }
    }
}

#[test]
fn present_claude_payloads_are_not_taken_for_codex() {
    let common =
        r#""session_id":"s","transcript_path":"/t/x.jsonl","cwd":"/w","permission_mode":"default""#;
    for rest in [
        r#""hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_01""#,
        r#""hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done""#,
    ] {
        assert_eq!(detected(&format!("{{{common},{rest}}}")), Some(HostId::Claude), "{rest}");
    }
}

#[test]
fn cursor_is_told_by_its_version_first() {
    let payload = r#"{"cursor_version":"3.21.16","hook_event_name":"PreToolUse","session_id":"s",
        "transcript_path":"/home/ana/.claude/x.jsonl","cwd":"","tool_use_id":"t"}"#;
    assert_eq!(detected(payload), Some(HostId::Cursor));
    let payload =
        r#"{"cursor_version":"3.21.16","hook_event_name":"stop","timestamp":"2026-11-15"}"#;
    assert_eq!(detected(payload), Some(HostId::Cursor), "even with the mark of another host");
}

#[test]
fn nothing_is_named_without_evidence() {
    for payload in
        ["{}", r#"{"hook_event_name":"PreToolUse"}"#, r#"{"hello":"world","session_id":"x"}"#]
    {
        let payload = Payload::from_bytes(payload.as_bytes().to_vec());
        let detection = detect(&payload.object().unwrap());
        assert_eq!(detection.host, None);
        assert!(detection.explain().contains("--host"), "{}", detection.explain());
    }
}
