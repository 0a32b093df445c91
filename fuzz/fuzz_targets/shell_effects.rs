#![no_main]

use tenter_shell::budget::MAX_WORK;
use tenter_shell::{Surroundings, analyze};

// Any text may be a command. Every effect has a position inside it, and the work is bounded.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let world =
        Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
    let analysis = analyze(text, &world);
    // A single step may exceed the budget, but never by more than the text's length.
    assert!(analysis.work <= MAX_WORK + 4 * MAX_WORK / 100 + 16 * text.len() as u64);
    for effect in &analysis.effects {
        let span = effect.span.range();
        assert!(span.start <= span.end && span.end <= text.len(), "{effect:?}");
        if let Some(command) = effect.command {
            assert!((command as usize) < analysis.commands.len(), "{effect:?}");
        }
    }
    for ran in &analysis.commands {
        assert!(ran.span.range().end <= text.len(), "{ran:?}");
    }
    assert_eq!(analysis, analyze(text, &world));
});
