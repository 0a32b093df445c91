#![no_main]

use tenter_engine::Generation;
use tenter_engine::config::read_text;
use tenter_engine::document::Source;
use tenter_engine::layer::{Layer, LayerKind};

// Every layer's parser gets the same text: none may panic, and every diagnostic has a position.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let source = Source::new("hooks.json", text);
    for kind in LayerKind::ALL {
        let layer =
            Layer { kind, file: "hooks.json".into(), directory: "/w".into(), project: None };
        match read_text(&source, &layer, Generation::G3, kind == LayerKind::Plugin) {
            Ok((_, complaints)) => complaints.iter().for_each(|one| drop(one.to_string())),
            Err(complaint) => assert!(complaint.position.is_some(), "{complaint}"),
        }
    }
});
