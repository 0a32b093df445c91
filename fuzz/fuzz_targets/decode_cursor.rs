#![no_main]

use tenter_model::HostId;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tenter_fuzz::round_trip(HostId::Cursor, bytes));
