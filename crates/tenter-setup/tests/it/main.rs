//! The integration tests of this crate, in one program: a module for each subject.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking, in its helpers too"
)]

mod codex_trust;
mod detect;
mod edit_json;
mod edit_properties;
mod edit_toml;
mod faults;
