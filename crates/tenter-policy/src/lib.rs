//! The guard: judges what an agent is about to do by guards and rules.
//!
//! [`judge()`] takes an event, a policy and facts about the machine. It runs every guard, sets each finding's
//! level by the policy, and folds the findings into one verdict with messages for model and user. Hook,
//! check, explain, test and replay all use it, so they cannot disagree. No IO happens here.
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod finding;
pub mod guard;
pub mod guards;
mod judge;
mod level;
mod memory;
mod once;
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
pub use judge::{Judgement, judge, judge_scene, reads_secret};
pub use level::{Level, Preset, Weight};
pub use memory::{Intent, Memo, Memory};
pub use policy::Policy;
pub use sample::Sample;
pub use tenter_model::pattern;
pub use tenter_shell::NoFacts;
pub use wording::describe;
pub use world::{Asking, Exceptions, Facts, Listing, NoExceptions, NothingWritten, World, Written};
