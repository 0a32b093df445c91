//! Property tests for arbitrary input.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Value, json};
use tenter_hosts::{EncodeOptions, FailMode, Payload, codex, detect, host};
use tenter_model::{Decision, Enforcement, HostId, Verdict};

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(key(), inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Known keys, and some unknown ones.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "tool_name", "tool_input", "tool_output", "command", "cwd", "file_path", "content", "edits",
            "old_string", "new_string", "attachments", "prompt", "status", "workspace_roots",
            "cursor_version", "session_id", "conversation_id", "generation_id", "turn_id", "tool_use_id",
            "transcript_path", "permission_mode", "mcp_server", "mcp_server_name", "duration", "type",
        ]).prop_map(str::to_owned),
        1 => "[a-z_]{1,8}",
    ]
}

fn event_name() -> impl Strategy<Value = String> {
    let known: Vec<String> = HostId::ALL
        .into_iter()
        .flat_map(|id| host(id).events().iter().map(|spec| spec.native.to_owned()))
        .collect();
    prop_oneof![8 => prop::sample::select(known), 1 => ".*"]
}

fn payload() -> impl Strategy<Value = Value> {
    (event_name(), btree_map(key(), any_json(), 0..10)).prop_map(|(name, fields)| {
        let mut object: serde_json::Map<String, Value> = fields.into_iter().collect();
        object.insert("hook_event_name".to_owned(), name.into());
        Value::Object(object)
    })
}

fn any_verdict() -> impl Strategy<Value = Verdict> {
    let text = || proptest::option::of("[ -~]{0,20}");
    let decision = proptest::option::of(prop::sample::select(Decision::ALL.to_vec()));
    (decision, text(), text(), text(), any::<bool>()).prop_map(
        |(decision, reason, user, context, rewrite)| {
            let verdict = Verdict {
                decision,
                reason,
                user_message: user,
                additional_context: context,
                modified_input: None,
            };
            if rewrite { verdict.with_input("command", &"x") } else { verdict }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_neutral_verdict_is_the_hosts_neutral(payload in payload()) {
        let payload = Payload::from_bytes(payload.to_string().into_bytes());
        let object = payload.object().unwrap();
        for id in HostId::ALL {
            let event = host(id).decode(&object);
            let answer = host(id).encode(&event, &Verdict::none(), &EncodeOptions::default());
            prop_assert_eq!(&answer.stdout, &host(id).neutral(&event.native_event));
            prop_assert_eq!(answer.exit, 0);
            prop_assert!(answer.losses.is_empty());
            prop_assert!(serde_json::to_string(&event).is_ok());
            let _ = event.fingerprint();
        }
        drop(detect(&object));
    }

    #[test]
    fn any_answer_is_one_json_object_or_nothing(payload in payload(), verdict in any_verdict()) {
        let payload = Payload::from_bytes(payload.to_string().into_bytes());
        let object = payload.object().unwrap();
        for id in HostId::ALL {
            let event = host(id).decode(&object);
            let answer = host(id).encode(&event, &verdict, &EncodeOptions::default());
            if id == HostId::Cursor || !answer.stdout.is_empty() {
                let json: Value = serde_json::from_str(&answer.stdout).unwrap();
                prop_assert!(json.is_object());
            }
            // A deny is enforced, passed on, or reported as lost; it never just disappears.
            if verdict.decision == Some(Decision::Deny) {
                prop_assert!(answer.enforcement > Enforcement::None || !answer.losses.is_empty());
            }
        }
    }

    #[test]
    fn bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        let payload = Payload::from_bytes(bytes);
        if let Ok(object) = payload.object() {
            for id in HostId::ALL {
                drop(host(id).decode(&object));
            }
        }
        let bridge = tenter_hosts::Bridge {
            host: Some(HostId::Cursor),
            options: EncodeOptions::default(),
            on_failure: FailMode::Closed,
        };
        let outcome = bridge.encode(&bridge.decode(&payload), &Ok((Verdict::none(), Vec::new())));
        prop_assert!(outcome.answer.exit == 0 || outcome.answer.exit == 2);
    }

    #[test]
    fn a_patch_names_every_file_it_opens(paths in vec("[a-z]{1,6}(/[a-z]{1,6})?", 1..6), noise in ".*") {
        let mut text = String::from("*** Begin Patch\n");
        for (index, path) in paths.iter().enumerate() {
            let marker = ["Add", "Update", "Delete"][index % 3];
            let noise = noise.replace(['\n', '\r'], " ");
            text.extend(["*** ", marker, " File: ", path, "\n+", &noise, "\n"]);
        }
        text += "*** End Patch\n";
        let actions = codex::patch::parse(&text);
        let named: Vec<&str> = actions.iter().filter_map(tenter_model::Action::file).map(|file| file.path).collect();
        prop_assert_eq!(named, paths);
    }

    #[test]
    fn responses_never_panic(text in ".*") {
        drop(Verdict::from_json(&text));
    }
}
