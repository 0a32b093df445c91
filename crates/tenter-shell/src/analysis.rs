//! The answer: what would run and what it would do.

use std::rc::Rc;

use crate::effect::{Certainty, Effect};
use crate::span::Span;
use crate::value::Field;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Programs in the order they would run, wrappers taken off.
    pub commands: Vec<Ran>,
    pub effects: Vec<Effect>,
    /// Why the answer may not be whole; empty if it is.
    pub unverified: Vec<Unverified>,
    /// Characters that look like something else or like nothing.
    pub oddities: Vec<Oddity>,
    /// Units of work this took.
    pub work: u64,
}

/// One program that would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its plain name: `rm` for `/bin/rm`.
    pub program: String,
    /// As written, program included.
    pub argv: Vec<Field>,
    /// The directory it runs in; none if that cannot be told.
    pub cwd: Option<Rc<str>>,
    /// Variables set for it alone.
    pub assignments: Vec<(String, Field)>,
    /// What it is wrapped in, from the outside: `sudo`, `bash`, `xargs`.
    pub via: Vec<Via>,
    pub certainty: Certainty,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Via {
    pub name: Rc<str>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unverified {
    pub reason: Reason,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The text does not follow the grammar.
    Syntax(&'static str),
    /// Longer than [`crate::budget::MAX_BYTES`].
    TooLong,
    /// Nested deeper than is followed.
    TooDeep,
    /// More work than is done for one command.
    TooMuchWork,
    /// A value or a list was cut short.
    CutShort(&'static str),
    /// Which program runs depends on something unknown.
    DynamicProgram,
    /// Which code runs depends on something unknown.
    DynamicCode,
}

impl Reason {
    /// A stable name for `--json` and for policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syntax(_) => "syntax",
            Self::TooLong => "too-long",
            Self::TooDeep => "too-deep",
            Self::TooMuchWork => "too-much-work",
            Self::CutShort(_) => "cut-short",
            Self::DynamicProgram => "dynamic-program",
            Self::DynamicCode => "dynamic-code",
        }
    }

    /// The reason in words.
    pub fn message(self) -> &'static str {
        match self {
            Self::Syntax(message) | Self::CutShort(message) => message,
            Self::TooLong => "is longer than is read",
            Self::TooDeep => "is nested deeper than is followed",
            Self::TooMuchWork => "takes more work to follow than is done",
            Self::DynamicProgram => "runs a program that cannot be told from the text",
            Self::DynamicCode => "runs code that cannot be told from the text",
        }
    }
}

/// A character that hides what the text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oddity {
    pub name: &'static str,
    pub span: Span,
}
