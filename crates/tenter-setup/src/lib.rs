//! Set-up: detects hosts, examines and changes their hook files.
//!
//! The format of a host's files is defined in `tenter_hosts::install`. This crate edits texts ([`edit`],
//! pure), writes them without data loss ([`files`]), and reads the present state ([`survey`]). Environment
//! and clock are passed in as [`Places`].
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod canary;
pub mod codex_trust;
pub mod command;
pub mod detect;
pub mod doctor;
pub mod edit;
pub mod files;
pub mod harden;
pub mod import;
mod judged;
pub mod mods;
pub mod places;
pub mod plan;
pub mod scan;
mod settings;
pub mod survey;
pub mod unsupported;
pub mod void;
pub mod wiring;

pub use places::Places;
