pub mod diagnostic;
pub mod document;
mod event;
pub mod runner;
mod settings;

pub use event::{AnswerField, Class, CursorEvent, Spec, Subject, nearest};
pub use settings::{Ask, Generation, Precedence, RunMode, Settings, UnknownChoice};
