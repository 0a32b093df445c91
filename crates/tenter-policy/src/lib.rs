//! The guard: what an agent is about to do, looked at by guards and rules, and one verdict.
//!
//! [`judge()`] takes an event, a policy and what is known of the machine. It asks every guard what it
//! finds, gives each finding the level the policy says, and folds them into one verdict with words
//! for the model and for the human. Hook, check, explain, test and replay all go through it, so they
//! cannot disagree. Nothing here touches anything outside memory.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod finding;
pub mod guard;
pub mod guards;
mod judge;
mod level;
mod memory;
mod once;
pub mod pattern;
pub mod places;
pub mod policy;
mod sample;
pub mod scene;
mod scripts;
pub mod secrets;
mod sensitive;
mod wording;
mod world;

pub use finding::Finding;
pub use judge::{Judgement, judge, judge_scene};
pub use level::{Level, Preset, Weight};
pub use memory::{Intent, Memo, Memory};
pub use policy::Policy;
pub use sample::Sample;
pub use world::{
    Exceptions, Facts, Listing, NoExceptions, NoFacts, NothingWritten, World, Written,
};
