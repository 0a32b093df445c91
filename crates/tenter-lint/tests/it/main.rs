//! The integration tests of this crate, in one program: a module for each subject.
#![expect(clippy::indexing_slicing, reason = "a test fails by panicking, in its helpers too")]

mod properties;
