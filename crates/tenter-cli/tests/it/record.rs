//! The record of every hook call: its content, omissions, and write failures.
#![cfg(unix)]

mod deaths;
mod faults;
mod home;
mod planted;
mod privacy;

use home::Home;
use serde_json::Value;

const PUSH: &str = r#"{"session_id":"s1","cwd":"/srv/shop","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push --force origin main","description":"x"},"tool_use_id":"t1"}"#;

/// A record without variable fields.
fn shown(mut record: Value) -> String {
    let fields = record.as_object_mut().unwrap();
    let masks = [
        ("at", "now"),
        ("us", "times"),
        ("fingerprint", "key"),
        ("prev", "hash"),
        ("hash", "hash"),
    ];
    for (key, word) in masks {
        if fields.contains_key(key) {
            fields.insert(key.to_owned(), Value::String(format!("<{word}>")));
        }
    }
    serde_json::to_string_pretty(&record).unwrap()
}

#[test]
fn a_stopped_command_is_recorded_with_what_was_found_and_answered() {
    let home = Home::new();
    home.hook("claude", PUSH);
    insta::assert_snapshot!(shown(home.records().pop().unwrap()));
}

#[test]
fn an_edit_is_recorded_with_its_small_difference_and_no_address() {
    let home = Home::new();
    home.hook("cursor", r#"{"hook_event_name":"afterFileEdit","conversation_id":"c1","generation_id":"g1","model":"default","cursor_version":"3.21.16","workspace_roots":["/srv/shop"],"user_email":"Ana@Example.com","transcript_path":null,"file_path":"/srv/shop/src/pay.ts","edits":[{"old_string":"retry: 0","new_string":"retry: 3"}]}"#);
    insta::assert_snapshot!(shown(home.records().pop().unwrap()));
}

#[test]
fn a_patch_is_recorded_as_the_files_it_touches() {
    let home = Home::new();
    let patch = "*** Begin Patch\\n*** Add File: a.txt\\n+hello\\n*** Update File: b.txt\\n@@\\n-old\\n+new\\n*** Delete File: c.txt\\n*** End Patch";
    home.hook("codex", &format!(r#"{{"session_id":"s2","turn_id":"t","cwd":"/srv/shop","hook_event_name":"PreToolUse","model":"gpt-5.5","permission_mode":"default","tool_name":"apply_patch","tool_input":{{"command":"{patch}"}},"tool_use_id":"call_1"}}"#));
    insta::assert_snapshot!(shown(home.records().pop().unwrap()));
}

#[test]
fn the_end_of_a_turn_is_recorded_with_its_tokens() {
    let home = Home::new();
    home.hook("cursor", r#"{"hook_event_name":"stop","conversation_id":"c1","generation_id":"g5","model":"default","cursor_version":"2026.09.23-86fc751","workspace_roots":["/srv/shop"],"user_email":null,"session_id":"c1","status":"completed","loop_count":1,"input_tokens":9120,"output_tokens":811,"cache_read_tokens":8000,"cache_write_tokens":400}"#);
    insta::assert_snapshot!(shown(home.records().pop().unwrap()));
}

#[test]
fn every_payload_leaves_one_record_that_reads_back_the_same() {
    let home = Home::new();
    let fixtures = tenter_testkit::fixtures();
    for fixture in &fixtures {
        home.hook(&fixture.host, &fixture.text);
    }
    let records = home.records();
    assert_eq!(records.len(), fixtures.len());
    let schema = serde_json::from_str(&home.run(&["schema", "record"]).stdout).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let printed = home.run(&["log", "--json", "-n", "all"]).stdout;
    let printed: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(printed, records, "`log --json` prints what is stored");
    let one: Value = serde_json::from_str(&home.run(&["log", "1", "--json"]).stdout).unwrap();
    assert_eq!(Some(&one), records.first());
    for record in &records {
        let faults: Vec<String> = schema.iter_errors(record).map(|it| it.to_string()).collect();
        assert_eq!(faults, Vec::<String>::new(), "{record}");
        // The parsed type round-trips: no field is forgotten on either side.
        let read: tenter_audit::Record<'static> = serde_json::from_value(record.clone()).unwrap();
        let mut again = serde_json::to_value(&read).unwrap();
        let sealed = ["lost", "gap", "prev", "seq", "hash"];
        let again = again.as_object_mut().unwrap();
        for (key, value) in record.as_object().unwrap() {
            if !sealed.contains(&key.as_str()) {
                assert_eq!(again.remove(key).as_ref(), Some(value), "{key} in {record}");
            }
        }
        assert!(again.is_empty(), "{again:?}");
    }
    home.chain();
}

#[test]
fn what_is_no_event_is_recorded_with_the_reason() {
    let home = Home::new();
    home.hook("cursor", "{\"hook_event_name\":\"preToolUse\",\"x\":");
    let record = home.records().pop().unwrap();
    assert_eq!(record["native_event"], "preToolUse");
    assert_eq!(record["decision"], "deny");
    let notes = record["notes"].to_string();
    assert!(notes.contains("stdin is not one JSON object"), "{notes}");
}

#[test]
fn what_a_host_cannot_obey_is_recorded() {
    let home = Home::new();
    home.policy("version = 1\nextends = [\"recommended\"]\n\n[[rule]]\nid = \"look\"\non = \"shell\"\nwhen = { program = \"ls\" }\ndecide = \"ask\"\nreason = \"looks\"\n");
    home.hook("codex", r#"{"session_id":"s","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c"}"#);
    let record = home.records().pop().unwrap();
    assert_eq!(
        (&record["verdict"]["decision"], &record["decision"]),
        (&"ask".into(), &"deny".into())
    );
    let losses = record["losses"].to_string();
    assert!(losses.contains("`decision` downgraded"), "{losses}");
    assert_ne!(record["policy"], "recommended");
}

#[test]
fn an_exception_made_by_a_human_is_in_the_record() {
    let home = Home::new();
    home.hook("claude", PUSH);
    let code = home.records().pop().unwrap()["code"].as_str().unwrap().to_owned();
    // The state left by `tenter allow once`.
    home.write(".local/state/tenterhook/once", &code, "99999999999");
    home.hook("claude", &PUSH.replace("\"t1\"", "\"t2\""));
    let record = home.records().pop().unwrap();
    assert_eq!(record["allowed_once"], true);
    assert_eq!(record.get("decision"), None);
    assert_eq!(record["findings"][0]["rule"], "destructive-git/force-push-shared");
}

#[test]
fn a_payload_that_comes_through_the_settings_of_another_host_says_so() {
    let home = Home::new();
    let payload = r#"{"hook_event_name":"stop","conversation_id":"c","cursor_version":"3.21.16","workspace_roots":["/w"],"status":"completed","loop_count":0}"#;
    home.hook("cursor", payload);
    home.hook("claude", payload);
    let wired: Vec<Value> = home.records().iter().map(|it| it["wired_as"].clone()).collect();
    assert_eq!(wired, [Value::Null, "claude".into()]);
}

#[test]
fn a_second_copy_of_a_call_is_marked() {
    let home = Home::new();
    home.hook("claude", PUSH);
    home.hook("claude", PUSH);
    let again: Vec<bool> = home.records().iter().map(|it| it["again"] == true).collect();
    assert_eq!(again, [false, true]);
}

#[test]
fn canaries_that_prove_makes_up_leave_no_record() {
    let home = Home::new();
    home.hook("claude", r#"{"session_id":"tenter-canary-deny-0123456789abcdef","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"true"},"tool_use_id":"c"}"#);
    home.hook("claude", PUSH);
    let sessions: Vec<Value> = home.records().iter().map(|it| it["session_id"].clone()).collect();
    assert!(sessions.contains(&"s1".into()));
    assert!(sessions.len() <= 2);
}

#[test]
fn what_a_record_does_not_list_is_counted() {
    let home = Home::new();
    let files: Vec<String> = (0..70).map(|at| format!("*** Delete File: {at}.txt\\n")).collect();
    let patch = format!("*** Begin Patch\\n{}*** End Patch", files.concat());
    home.hook("codex", &format!(r#"{{"session_id":"s2","turn_id":"t","cwd":"/srv/shop","hook_event_name":"PreToolUse","model":"gpt-5.5","permission_mode":"default","tool_name":"apply_patch","tool_input":{{"command":"{patch}"}},"tool_use_id":"call_1"}}"#));
    let record = home.records().pop().unwrap();
    assert_eq!(record["actions"].as_array().unwrap().len(), 64);
    assert_eq!(record["more_actions"], 6);
    for (words, told) in [
        (&["log"][..], "  [6 more]\n"),
        (&["log", "1"], "and 6 further actions, not kept\n"),
        (&["show"], "6 more actions"),
        (&["show", "--json"], "\"more_actions\":6"),
    ] {
        let text = home.run(words).stdout;
        assert!(text.contains(told), "{words:?}: {text}");
    }
}
