//! `tenter prove`: a set-up that works is seen to work, and one that was tampered with is red and says
//! why.
#![cfg(unix)]

mod clients;
mod machine;
mod rule;
mod set_ups;
