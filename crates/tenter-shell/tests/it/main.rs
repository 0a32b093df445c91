//! The integration tests of this crate, in one program: a module for each subject.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, in its helpers too"
)]

mod bounds;
mod properties;
mod syntax;
mod table;
mod words;
