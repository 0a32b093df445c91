//! Everything that can go wrong while files of others are changed: whatever it is, nothing of the user's
//! is lost. Each test says how often it tried.
#![expect(clippy::print_stderr, reason = "what could not be tested must not go unnoticed")]
#![cfg(unix)]

mod crash;
mod disk;
mod kinds;
mod ledger;
mod links;
mod refused;
mod together;
mod world;
