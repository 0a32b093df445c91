#![no_main]

use tenter_shell::budget::Budget;
use tenter_shell::syntax::{Dialect, parse};

// Any text may be a script. The same text gives the same tree, and all positions lie inside the text.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for dialect in [Dialect::Bash, Dialect::Posix, Dialect::Zsh, Dialect::Fish] {
        let parsed = parse(text, dialect, &mut Budget::default());
        for error in &parsed.errors {
            assert!(error.span.range().end <= text.len(), "{error:?}");
        }
        assert_eq!(parsed, parse(text, dialect, &mut Budget::default()));
    }
});
