//! Shell parser: from text to a tree.

mod arithmetic;
pub mod ast;
mod backquote;
mod command;
mod compound;
mod cursor;
mod dialect;
mod dollar;
mod fill;
mod fish;
mod fish_word;
mod heredoc;
mod keyword;
mod parameter;
mod quote;
mod redirect;
mod simple;
mod test;
mod text;
mod word;
mod zsh;

pub use dialect::Dialect;

use crate::budget::Budget;
use crate::span::Span;
use ast::Script;
use cursor::Parser;
use fill::Filler;

/// The tree, with all syntax errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    pub script: Script,
    pub errors: Vec<SyntaxError>,
}

/// A syntax error. Parsing continues after it, so that later commands are still seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub message: &'static str,
    pub span: Span,
    /// Nested too deep rather than wrong.
    pub too_deep: bool,
}

/// Parses a script. Spans and positions are bytes of `source`. For any text it returns what could be parsed;
/// the work is linear in its length and counted in `budget`.
pub fn parse(source: &str, dialect: Dialect, budget: &mut Budget) -> Parsed {
    Parser::new(source, dialect, budget).finish()
}

impl Parser<'_, '_> {
    /// Reads everything.
    fn finish(mut self) -> Parsed {
        if !self.charge(self.bytes.len()) {
            self.unexpected("too much work");
            return Parsed { script: Script::default(), errors: self.errors };
        }
        let mut script = self.script();
        if !self.heredocs.bodies.is_empty() {
            Filler { bodies: self.heredocs.bodies }.script(&mut script);
        }
        Parsed { script, errors: self.errors }
    }
}
