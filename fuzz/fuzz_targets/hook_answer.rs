#![no_main]

use tenter_engine::answer::{Reading, Said, read};
use tenter_engine::{Class, CursorEvent};

// Whatever a hook prints is read at every event without a panic, and what is accepted can be written
// again and still decides the same.
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
                // Claude's hooks may leave the permission out.
                other => assert!(
                    event.spec().class == Class::Permission && answer.permission().is_none(),
                    "{other:?}"
                ),
            }
        }
    }
});
