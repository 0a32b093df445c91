#![no_main]

use tenter_policy::Policy;
use tenter_policy::policy::{Layer, LayerText, image};

// Any text may be a policy file. A project's file never weakens anything that holds without it, and a
// compiled policy can be read again.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let layer = |layer| LayerText { layer, path: "policy.toml", text: Ok(text) };
    let above = Policy::load(&[]);
    let with = Policy::load(&[layer(Layer::Project)]);
    for (above, with) in above.settings.iter().zip(&with.settings) {
        for ((above, _), (with, _)) in above.levels.iter().zip(&with.levels) {
            assert!(with >= above);
        }
        assert!(with.allow.is_empty());
    }
    assert!(with.fail.guard >= above.fail.guard);
    for problem in &with.broken {
        let lines = text.split('\n').count();
        assert!(problem.line as usize <= lines.max(1), "{problem}");
    }
    let layers = [layer(Layer::User)];
    let mut policy = Policy::load(&layers);
    let sources = image::Sources::new(&layers);
    let image =
        image::decode(&image::encode(&policy, &sources), &sources).unwrap().policy.unpacked();
    // An image omits data that is only for people.
    policy.problems.clear();
    policy.tests.clear();
    policy.given.clear();
    assert_eq!(image, policy);
});
