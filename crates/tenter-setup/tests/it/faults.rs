//! Fault injection while files of others are changed: the user's data is never lost. Each test prints how
//! often it tried.
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
