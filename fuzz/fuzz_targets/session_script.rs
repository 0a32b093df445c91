#![no_main]

use tenter_engine::Script;
use tenter_engine::document::Source;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let _ = Script::parse(&Source::new("session.json", text));
});
