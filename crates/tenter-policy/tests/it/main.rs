//! The integration tests of this crate, in one program: a module for each subject.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test fails by panicking, in its helpers too"
)]

mod corpus;
mod guards;
mod hide;
mod merge;
mod policy;
mod secrets;
