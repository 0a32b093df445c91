//! The integration tests of this crate, in one program: a module for each subject.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod contract;
mod damage;
mod file;
mod model;
mod readers;
