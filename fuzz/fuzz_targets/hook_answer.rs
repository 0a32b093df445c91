#![no_main]

use tenter_engine::answer::{Reading, Said, read};
use tenter_engine::{Class, CursorEvent};

// Any output of a hook is parsed without a panic at every event; an accepted answer can be written again with
// the same decision.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for event in CursorEvent::ALL {
        for of_claude in [false, true] {
            let reading = Reading { of_claude, ..Reading::NEWEST };
            let Said::Answer(answer, _) = read(bytes, event.spec(), reading) else {
                continue;
            };
            let json = serde_json::to_vec(&answer).expect("an answer can be written");
            match read(&json, event.spec(), Reading::NEWEST) {
                Said::Answer(again, _) => assert_eq!(again.permission(), answer.permission()),
                // Claude's hooks may omit the permission.
                other => assert!(
                    event.spec().class == Class::Permission && answer.permission().is_none(),
                    "{other:?}"
                ),
            }
        }
    }
});
