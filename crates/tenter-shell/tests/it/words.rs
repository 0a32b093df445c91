//! Word expansion and text programs, compared with bash and the GNU tools on Linux.
#![expect(
    clippy::disallowed_methods,
    reason = "only the crate itself is pure; these tests ask the real bash"
)]
#![expect(clippy::format_push_string, reason = "a test fails by panicking, in its helpers too")]

#[cfg(target_os = "linux")]
mod against_bash;
#[cfg(target_os = "linux")]
mod filters;
mod hostile;
#[cfg(target_os = "linux")]
mod puzzles;
mod shell;
mod units;
