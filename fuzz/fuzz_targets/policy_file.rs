#![no_main]

use tenter_policy::Policy;
use tenter_policy::policy::{Layer, LayerText, image};

// Any text may stand in a policy file. Whatever a project's file says, nothing that holds without it
// gets weaker; and what was compiled can be read again.
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
    // An image leaves out what only people read.
    policy.problems.clear();
    policy.tests.clear();
    policy.given.clear();
    assert_eq!(image, policy);
});
