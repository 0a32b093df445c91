//! The integration tests of this crate, in one program: a module for each subject.
#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, in its helpers too"
)]

mod answers;
mod claude_layers;
mod config;
mod converse;
mod environment;
mod failures;
mod followups;
mod hostile;
mod layers;
mod matchers;
mod merge;
mod processes;
mod prompt_hooks;
mod reload;
mod support;
