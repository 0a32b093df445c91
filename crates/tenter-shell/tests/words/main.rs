//! Words and the text programs in them.
#![expect(
    clippy::disallowed_methods,
    reason = "only the crate itself is pure; these tests ask the real bash"
)]
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::format_push_string,
    reason = "a test fails by panicking, in its helpers too"
)]

mod against_bash;
mod filters;
mod hostile;
mod puzzles;
mod shell;
mod units;
