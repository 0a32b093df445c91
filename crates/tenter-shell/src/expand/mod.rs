//! Expands words to fields: quotes, braces, tildes, parameters, substitutions and globs.
//!
//! The expander has no state of its own. It asks a [`Scope`] for variables, directories and substitutions, so
//! that it can be tested alone and run inside the walker.

mod arithmetic;
mod braces;
mod build;
mod globs;
mod matching;
mod operations;
mod parameter;
mod tilde;
mod word;

use crate::budget::Budget;
use crate::flow::Stream;
use crate::span::Span;
use crate::syntax::ast::{Script, Text, Word, WordPart};
use crate::value::{Field, Part};
use build::Style;
use word::Expander;

pub(crate) use braces::padded;
pub(crate) use matching::class_of;

/// Why an expansion is cut short.
pub(crate) const TOO_MANY_FIELDS: &str = "a word becomes too many fields";
pub(crate) const TOO_MANY_WORDS: &str = "braces make too many words";

/// Value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// Not set, and that is known.
    Unset,
    /// Set to this. The parts may still be unknown.
    Scalar(Field),
    /// Keys and values in order; keys of an indexed array are numbers in decimal.
    Array(Vec<(String, Field)>),
    /// Set or not, with unknown value: an environment variable that was not passed in.
    Unknown,
}

impl Variable {
    /// Approximate cost of a copy, in units of work.
    pub fn weight(&self) -> usize {
        match self {
            Self::Scalar(field) => field.weight(),
            Self::Array(items) => items.iter().map(|(_, field)| 1 + field.weight()).sum(),
            Self::Unset | Self::Unknown => 0,
        }
    }
}

/// Positional parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Positional {
    Known(Vec<Field>),
    Unknown,
}

impl Positional {
    /// Approximate cost of a copy, in units of work.
    pub fn weight(&self) -> usize {
        match self {
            Self::Known(items) => items.iter().map(Field::weight).sum(),
            Self::Unknown => 0,
        }
    }
}

/// Shell state for expanding a word.
pub trait Scope {
    fn variable(&mut self, name: &str) -> Variable;
    /// For `${x:=y}`, `$((x++))`.
    fn assign(&mut self, name: &str, value: Variable);
    fn positional(&mut self) -> Positional;
    /// `$0`
    fn shell_name(&mut self) -> Field;
    /// Runs a command substitution and returns its output, before trailing newlines are removed.
    fn substitute(&mut self, script: &Script, span: Span) -> Stream;
    /// The path that `<(...)` or `>(...)` becomes: a field the walker knows again.
    fn process(&mut self, script: &Script, output: bool, span: Span) -> Field;
    /// Home of the user, or of `name`.
    fn home(&mut self, name: Option<&str>) -> Option<String>;
    fn directory(&mut self) -> Option<String>;
    fn previous_directory(&mut self) -> Option<String>;
    fn names_with_prefix(&mut self, prefix: &str) -> Option<Vec<String>>;
    fn budget(&mut self) -> &mut Budget;
    /// Notes that something was cut short, so that the result may be incomplete.
    fn gave_up(&mut self, why: &'static str, span: Span);
    /// Whether globs are expanded: false after `set -f`.
    fn globs(&self) -> bool;
    /// Maps a span of this tree to the command.
    fn map(&self, span: Span) -> Span;
    /// Position in the command of a byte of this tree's text; `None` for computed text.
    fn place(&self, at: u32) -> Option<u32>;
}

/// All fields of a word: none, one or many.
pub fn fields(word: &Word, scope: &mut dyn Scope) -> Vec<Field> {
    if let Some(field) = plain(word, scope) {
        return vec![field];
    }
    Expander::new(scope, Style::Fields, word.span).fields(word)
}

/// A word that stays one: the value of an assignment, a here-string, the subject of a `case`, the
/// body of a here-document, an operand of `[[`.
pub fn single(word: &Word, scope: &mut dyn Scope) -> Field {
    if let Some(field) = plain(word, scope) {
        return field;
    }
    Expander::new(scope, Style::Single, word.span).single(word)
}

/// A word that is a pattern: unquoted globs are [`Part::Glob`], quoted ones are text.
pub fn pattern(word: &Word, scope: &mut dyn Scope) -> Field {
    if let Some(field) = plain(word, scope) {
        return field;
    }
    Expander::new(scope, Style::Pattern, word.span).single(word)
}

/// The value of an arithmetic expression; its assignments are made in the scope.
pub fn arithmetic(word: &Word, scope: &mut dyn Scope) -> Option<i64> {
    let text = Expander::new(scope, Style::Raw, word.span).single(word);
    arithmetic::evaluate(&text, scope)
}

/// Whether the whole text matches the pattern; `None` if that depends on something unknown.
pub fn pattern_matches(pattern: &Field, text: &str) -> Option<bool> {
    match pattern.exact() {
        Some(exact) => Some(exact == text),
        None => matching::Pattern::new(pattern).matches(text),
    }
}

/// The common word: one piece of text in which nothing has to be done.
fn plain(word: &Word, scope: &mut dyn Scope) -> Option<Field> {
    let text = match word.parts.as_slice() {
        [WordPart::Literal(text)] if !special(&text.text) => text,
        [WordPart::Quoted(text)] => text,
        [WordPart::DoubleQuoted(parts)] => match parts.as_slice() {
            [WordPart::Quoted(text)] => text,
            _ => return None,
        },
        _ => return None,
    };
    scope.budget().spend(1 + text.text.len() / 16).then(|| field_of(text, word.span, scope))
}

fn field_of(text: &Text, span: Span, scope: &dyn Scope) -> Field {
    let mut field = Field { span: scope.map(span), ..Field::default() };
    if !text.text.is_empty() {
        let at = text.at.and_then(|at| scope.place(at));
        field.parts.push(Part::Text { text: text.text.clone(), at });
    }
    field
}

/// Whether unquoted text may be more than itself.
fn special(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'{' | b'*' | b'?' | b'[' | b'(' | b'~' | b'\\'))
}
