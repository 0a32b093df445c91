#![no_main]

use tenter_policy::secrets::{Known, redact, scan};

// Any text may contain secrets. Findings are inside the text and in order, and none is left after redaction,
// which also removes values that are not findings, such as the password in an URL.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let known = Known { values: &[("TOKEN", "hunter2hunter2"), ("KEY", "x9")] };
    let leaks = scan(text, &known, 1000);
    for leak in &leaks {
        assert!(leak.start < leak.end && text.get(leak.start..leak.end).is_some(), "{leak:?}");
    }
    let clean = redact(text, &known);
    assert!(leaks.is_empty() || clean != text);
    assert!(!clean.contains("hunter2hunter2"));
});
