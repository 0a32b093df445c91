//! Analyses command lines: which programs would run, and with which effects.
//!
//! [`analyze`] parses a command like a shell and follows it: words are expanded as far as the text and the
//! given facts tell, wrappers are removed, nested code is analysed, and each remaining program's judge
//! reports its effects for these arguments. The result is data: programs, effects, their certainty, and the
//! part of the text that causes each. Text that is only data, such as a commit message, has no effect.
//!
//! The crate does no IO, and a bounded amount of work for any input.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod act;
pub mod budget;
mod call;
mod code;
mod dialect;
mod drive;
pub mod effect;
pub mod expand;
pub mod filters;
pub mod flow;
mod glob;
mod hides;
mod lookup;
mod options;
mod prompts;
mod role;
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
pub use glob::name_may_be;
pub use hides::is_hidden_by;
pub use role::Role;
pub use run::{MOVERS, is_agent, unattended_option};
pub use span::Span;
pub use target::{PathTarget, Target, is_absolute};
pub use value::Field;
pub use world::{FileFacts, FileText, Language, NoFacts, PathKind, Surroundings, Transparent, Use};

mod analysis;

/// Whether there is a judge for this program, so that its effects are known.
pub fn is_known(program: &str) -> bool {
    wrappers::find(program).or_else(|| tools::find(program)).is_some()
}

/// Analyses `command` in this world.
pub fn analyze(command: &str, world: &Surroundings<'_>) -> Analysis {
    run::analyze(command, world)
}
