#![no_main]

use tenter_model::Decision;
use tenter_policy::{Policy, Preset, Sample, World, judge};

// Any command can be judged: deterministically, with messages for model and user, and every finding lies
// inside the text.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let world = World { cwd: Some("/home/me/shop"), home: Some("/home/me"), ..World::default() };
    let event = Sample::Shell(text).event(world.cwd);
    let judgement = judge(&Policy::preset(Preset::Recommended), &event, &world);
    for found in &judgement.findings {
        let end = found.span.map_or(0, |span| span.range().end);
        assert!(end <= text.len(), "{found:?}");
    }
    let verdict = &judgement.verdict;
    assert_eq!(verdict.decision.is_some(), verdict.reason.is_some());
    // A stricter policy is never milder.
    let strict = judge(&Policy::preset(Preset::Strict), &event, &world).verdict.decision;
    assert!(strict >= verdict.decision.filter(|decision| *decision != Decision::Allow));
});
