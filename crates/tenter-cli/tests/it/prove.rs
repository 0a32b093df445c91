//! `tenter prove`: a working set-up is green, and a tampered one is red with the reason.
#![cfg(unix)]

mod clients;
mod machine;
mod rule;
mod set_ups;
