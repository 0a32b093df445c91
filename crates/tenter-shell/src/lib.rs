//! From a command line to what it would really do.
//!
//! [`analyze`] reads a command as a shell would and follows it: words are expanded as far as the
//! text and the given facts tell, wrappers are taken off, code inside code is read, and each
//! program that is left is asked what it would do with these arguments. The result is data: which
//! programs run, with which effects, how sure that is, and which part of the text says so. Text
//! that is only data, such as a commit message, has no effect.
//!
//! The crate touches nothing outside memory, and does a bounded amount of work for any input.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod act;
pub mod budget;
mod call;
mod code;
mod dialect;
pub mod effect;
pub mod expand;
pub mod filters;
pub mod flow;
mod glob;
mod lookup;
mod options;
mod run;
pub mod span;
pub mod syntax;
pub mod target;
mod tools;
pub mod value;
pub mod world;
mod wrappers;

pub use act::Act;
pub use analysis::{Analysis, Ran, Reason, Script, Unverified, Via};
pub use effect::{Certainty, Effect, Kind};
pub use flow::{Flow, Source};
pub use run::{MOVERS, is_agent};
pub use span::Span;
pub use target::{PathTarget, Target};
pub use value::Field;
pub use world::{Facts, FileText, Language, NoFacts, PathKind, Transparent, Use, World};

mod analysis;

/// Whether there is a judge for this program, so that its effects say what it does.
pub fn is_known(program: &str) -> bool {
    wrappers::find(program).or_else(|| tools::find(program)).is_some()
}

/// What `command` would do in this world.
pub fn analyze(command: &str, world: &World<'_>) -> Analysis {
    run::analyze(command, world)
}
