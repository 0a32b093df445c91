//! Fixtures, folders and a runner for the built binary. For tests only.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a test kit fails by panicking, with the reason"
)]

mod corpus;
mod fixtures;
mod forms;
mod node;
mod runner;
pub mod store;
mod tree;

pub use corpus::{Case, corpus};
pub use fixtures::{Fixture, fixtures, fixtures_of, foreign, outcomes};
pub use forms::base64;
pub use node::node;
pub use runner::{Ran, Tenter};
pub use tree::Tree;
