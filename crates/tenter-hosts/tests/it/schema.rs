//! Unified documents against their published schemas.

use serde_json::{Value, json};
use tenter_hosts::{Payload, host};
use tenter_model::{HostId, Verdict, schema};
use tenter_testkit::fixtures;

fn unified(id: HostId, text: &str) -> Value {
    let payload = Payload::from_bytes(text.as_bytes().to_vec());
    let object = payload.object().unwrap();
    serde_json::from_str(&serde_json::to_string(&host(id).decode(&object)).unwrap()).unwrap()
}

#[test]
fn every_unified_event_validates() {
    let validator = jsonschema::validator_for(&schema::event()).unwrap();
    for fixture in fixtures() {
        let event = unified(fixture.host.parse().unwrap(), &fixture.text);
        let errors: Vec<String> =
            validator.iter_errors(&event).map(|error| format!("{error}")).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", fixture.name);
    }
}

#[test]
fn the_event_schema_rejects_what_we_do_not_send() {
    let validator = jsonschema::validator_for(&schema::event()).unwrap();
    let fixture = &fixtures()[0];
    let mut event = unified(fixture.host.parse().unwrap(), &fixture.text);
    assert!(validator.is_valid(&event));
    event["surprise"] = json!(1);
    assert!(!validator.is_valid(&event));
}

#[test]
fn responses_validate_exactly_when_they_are_read() {
    let validator = jsonschema::validator_for(&schema::response()).unwrap();
    let cases = [
        ("{}", true),
        (
            r#"{"decision":"deny","reason":"r","user_message":"u","modified_input":{},"additional_context":"c"}"#,
            true,
        ),
        (r#"{"decision":null,"reason":null}"#, true),
        (r#"{"decision":"block"}"#, false),
        (r#"{"reason":7}"#, false),
        (r#"{"modified_input":[]}"#, false),
        (r#"{"extra":1}"#, true),
        ("[]", false),
    ];
    for (text, good) in cases {
        let value: Value = serde_json::from_str(text).unwrap();
        assert_eq!(validator.is_valid(&value), good, "{text}");
        assert_eq!(Verdict::from_json(text).is_ok(), good, "{text}");
    }
}
