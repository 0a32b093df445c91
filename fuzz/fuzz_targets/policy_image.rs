#![no_main]

use tenter_policy::policy::image;

// The image lies in a folder that anybody may have written to: any bytes must be refused in peace.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    drop(image::decode_any(bytes));
});
