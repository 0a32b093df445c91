#![no_main]

use tenter_policy::policy::image;

// The image is in a folder that others may have written to: any bytes must be rejected cleanly.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    drop(image::decode_any(bytes));
});
