#![no_main]

use tenter_engine::document::Source;
use tenter_lint::{File, Layer, Options, fix};
use tenter_model::HostId;

// Fixing any text terminates without a panic and never makes a readable file unreadable.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for host in HostId::ALL {
        let file = File::new("/no/such/place/.x/hooks.json", host, Layer::Project, text);
        let mended = fix(&[file], &Options::default());
        let was_readable = Source::new("x", text).parse().is_ok();
        for file in mended.files {
            assert!(!was_readable || Source::new("x", &file.text).parse().is_ok());
        }
    }
});
