//! The result: programs that would run, and their effects.

use std::rc::Rc;

use crate::effect::{Certainty, Effect};
use crate::span::Span;
use crate::value::Field;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Programs in execution order, without wrappers.
    pub commands: Vec<Ran>,
    pub effects: Vec<Effect>,
    /// Scripts on disk that would run, and were read.
    pub scripts: Vec<Script>,
    /// Why the result may be incomplete; empty if it is complete.
    pub unverified: Vec<Unverified>,
    /// Misleading or invisible characters.
    pub oddities: Vec<Oddity>,
    /// Units of work spent.
    pub work: u64,
}

impl Analysis {
    /// Appends the analysis of another text that starts `at` bytes after this one.
    pub fn append(&mut self, mut other: Self, at: usize) {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let before = u32::try_from(self.commands.len()).unwrap_or(u32::MAX);
        let scripts = u16::try_from(self.scripts.len()).unwrap_or(u16::MAX);
        for ran in &mut other.commands {
            ran.shift(at);
            ran.script = ran.script.map(|index| index.saturating_add(scripts));
        }
        for script in &mut other.scripts {
            script.span.shift(at);
        }
        for effect in &mut other.effects {
            effect.span.shift(at);
            effect.command = effect.command.map(|index| index.saturating_add(before));
            effect.script = effect.script.map(|index| index.saturating_add(scripts));
        }
        for doubt in &mut other.unverified {
            doubt.span.shift(at);
        }
        for oddity in &mut other.oddities {
            oddity.span.shift(at);
        }
        self.commands.append(&mut other.commands);
        self.effects.append(&mut other.effects);
        self.scripts.append(&mut other.scripts);
        self.unverified.append(&mut other.unverified);
        self.oddities.append(&mut other.oddities);
        self.work = self.work.saturating_add(other.work);
    }
}

/// One program that would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Plain name: `rm` for `/bin/rm`.
    pub program: String,
    /// As written, program included.
    pub argv: Vec<Field>,
    /// Its working directory; `None` if unknown.
    pub cwd: Option<Rc<str>>,
    /// Variables set for it only; for a coding agent also those of [`crate::MOVERS`] that were changed
    /// before.
    pub assignments: Vec<(String, Field)>,
    /// Wrappers around it, outermost first: `sudo`, `bash`, `xargs`.
    pub via: Vec<Via>,
    pub certainty: Certainty,
    /// Whether its standard input is the caller's, neither piped nor redirected.
    pub typed: bool,
    pub span: Span,
    /// Index of the script on disk that runs it.
    pub script: Option<u16>,
}

/// A file on disk that would run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub path: String,
    /// Whether the agent's session created or changed it.
    pub of_session: bool,
    /// Whether it is only near the running program, so that it may not run at all.
    pub is_near: bool,
    /// The words that run it; all its effects have this span.
    pub span: Span,
}

impl Ran {
    fn shift(&mut self, at: u32) {
        self.span.shift(at);
        self.via.iter_mut().for_each(|via| via.span.shift(at));
        self.argv.iter_mut().for_each(|field| field.shift(at));
        self.assignments.iter_mut().for_each(|(_, field)| field.shift(at));
    }
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
    /// Nested too deep.
    TooDeep,
    /// The work limit was reached.
    TooMuchWork,
    /// The limit for questions about files was reached.
    TooManyFiles,
    /// A value or a list was cut short.
    CutShort(&'static str),
    /// The program depends on something unknown.
    DynamicProgram,
    /// The code depends on something unknown.
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
            Self::TooManyFiles => "too-many-files",
            Self::CutShort(_) => "cut-short",
            Self::DynamicProgram => "dynamic-program",
            Self::DynamicCode => "dynamic-code",
        }
    }

    /// The reason in words.
    pub fn message(self) -> &'static str {
        match self {
            Self::Syntax(message) | Self::CutShort(message) => message,
            Self::TooLong => "is too long to check",
            Self::TooDeep => "is nested too deeply to check",
            Self::TooMuchWork => "is too complex to check",
            Self::TooManyFiles => "names too many files to check",
            Self::DynamicProgram => "runs a program tenter cannot see",
            Self::DynamicCode => "runs code tenter cannot see",
        }
    }
}

/// A misleading or invisible character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oddity {
    pub name: &'static str,
    pub span: Span,
}
