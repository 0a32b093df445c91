//! Set-up without harm: which hosts are here, how they are wired, and the change of their files.
//!
//! What a host's file looks like is the host's (`tenter_hosts::install`). This crate edits texts
//! ([`edit`], pure), writes them so that nothing of the user's can be lost ([`files`]), and looks at
//! what is there ([`survey`]). Environment and clock are passed in as [`Places`].
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod canary;
pub mod codex_trust;
pub mod command;
pub mod detect;
pub mod doctor;
pub mod edit;
pub mod files;
pub mod harden;
mod hash;
pub mod import;
mod judged;
pub mod mods;
pub mod places;
pub mod plan;
pub mod scan;
mod settings;
pub mod survey;
pub mod void;
pub mod wiring;

pub use places::Places;
