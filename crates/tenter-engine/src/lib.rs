//! Cursor's hook system, embeddable: loads `hooks.json` from every layer, selects the hooks of an event, runs
//! them, parses their answers strictly and merges them.
//!
//! Start with [`Engine`]: fire an event and get an [`Outcome`] that says what the agent has to do and what
//! every hook did. The engine uses threads and no async runtime; only [`runner`] starts processes, and models
//! are asked through [`Judge`].
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod conclude;
pub mod config;
pub mod diagnostic;
pub mod document;
mod effect;
mod engine;
mod environment;
mod guard;
mod judge;
pub mod layer;
mod matcher;
mod merge;
mod outcome;
mod payload;
pub mod report;
pub mod report_schema;
pub mod runner;
mod sample;
mod script;
mod select;
mod session;
mod settings;

pub use conclude::HookOutcome;
pub use engine::{Dispatched, Engine};
pub use guard::Guard;
pub use judge::{Judge, Judgement, NoJudgement, ProgramJudge, Question};
pub use matcher::{Match, Matcher};
pub use outcome::{HookRun, Outcome};
pub use payload::Payload;
pub use sample::{BadChange, Sample};
pub use script::{Played, Script};
pub use settings::{Ask, Generation, Precedence, RunMode, Settings, UnknownChoice};
pub use tenter_hosts::cursor::answer::{self, Answer, Given};
pub use tenter_hosts::cursor::{
    AnswerField, Class, CursorEvent, Spec, Subject, UnknownEvent, nearest,
};
