//! `tenter prove`: a set-up that works is seen to work, and one that was tampered with is red and says
//! why.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, in its helpers too"
)]

mod clients;
mod machine;
mod rule;
mod set_ups;
