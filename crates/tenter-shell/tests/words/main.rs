//! Words and the text programs in them.
#![expect(
    clippy::disallowed_methods,
    reason = "only the crate itself is pure; these tests ask the real bash"
)]

mod against_bash;
mod filters;
mod hostile;
mod puzzles;
mod shell;
mod units;
