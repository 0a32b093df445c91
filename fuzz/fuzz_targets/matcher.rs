#![no_main]

use tenter_engine::Matcher;

// Any text may be a matcher. Subjects are short: a slow pattern is no fault and would only slow the fuzzer.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let matcher = Matcher::new(text);
    if text.len() < 64 {
        let _ = matcher.test(["rm", "Shell", ""]);
    }
});
