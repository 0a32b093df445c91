//! The integration tests of this crate, in one program: a module for each subject.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

mod decode;
mod detection;
mod encode;
mod gemini;
mod properties;
mod qwen;
mod reasons;
mod schema;
