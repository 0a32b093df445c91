//! Code in other languages, given inline: what it spawns, deletes, writes and sends. The text is
//! scanned for calls, not parsed: one evaluator for all languages, and what is special about each in
//! its file in `languages/`.

mod acts;
mod database;
pub(crate) mod decode;
mod expr;
mod fold;
mod functions;
mod holes;
mod items;
mod languages;
mod lex;
mod library;
mod member;
mod network;
mod open;
mod postfix;
mod primary;
mod scan;
mod spawn;
mod strings;
mod value;

#[cfg(test)]
mod tests;

pub(crate) use holes::{is_script, takes_values};

use self::languages::Definition;
use crate::call::Call;
use crate::flow::Stream;
use crate::span::{Origin, Span};
use crate::value::{Field, Part};
use crate::world::Language;

/// A piece of code and where in the command it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'t> {
    pub text: &'t str,
    pub origin: Origin,
}

impl Code<'_> {
    /// Where bytes `start..end` of the code stand in the command. Readers step past the end over
    /// what is not closed; the span never does.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let end = end.min(self.text.len());
        self.origin.map(Span::new(start.min(end), end))
    }

    /// A literal found in the code as an argument: verbatim at `start`, or decoded from
    /// `start..end`.
    pub(crate) fn field(&self, text: &str, start: usize, end: usize) -> Field {
        let verbatim = self.text.get(start..end) == Some(text);
        let at = match self.origin {
            Origin::Verbatim(base) if verbatim => {
                Some(base.saturating_add(u32::try_from(start).unwrap_or(u32::MAX)))
            }
            _ => None,
        };
        Field {
            parts: vec![Part::Text { text: text.to_owned(), at }],
            span: self.span(start, end),
            ..Field::default()
        }
    }
}

/// What surrounds a piece of code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context<'t> {
    /// What the script gets as arguments.
    pub arguments: &'t [Field],
    /// Variables that are set for the interpreter alone.
    pub variables: &'t [(String, Field)],
    /// Modules that options open: `perl -MFile::Path`.
    pub modules: &'t [String],
    /// The value of the code is printed: `node -p`.
    pub prints: bool,
}

/// Reads `code` and says what it would do. Returns what it prints, as far as that is known.
pub(crate) fn judge(call: &mut Call<'_, '_>, language: Language, code: Code<'_>) -> Stream {
    judge_in(call, language, code, Context::default())
}

/// The same with what the interpreter was told.
pub(crate) fn judge_in(
    call: &mut Call<'_, '_>,
    language: Language,
    code: Code<'_>,
    context: Context<'_>,
) -> Stream {
    if !call.machine.budget.spend(code.text.len()) {
        call.unverified(crate::Reason::TooMuchWork, code.span(0, code.text.len()));
        return Stream::default();
    }
    match languages::definition(language) {
        Some(Definition { judge: Some(judge), .. }) => judge(call, code, context),
        Some(language) => scan(call, language, code, context),
        // Data that is queried, not run: databases judge it themselves.
        None => Stream::default(),
    }
}

fn scan(
    call: &mut Call<'_, '_>,
    language: &'static Definition,
    code: Code<'_>,
    context: Context<'_>,
) -> Stream {
    // What the code does to its own directory ends with it.
    let cwd = call.machine.shell.cwd.clone();
    let stdin = call.stdin.flow.clone();
    let mut scan = scan::Scan::new(call, language, code, context);
    scan.program();
    if context.prints {
        scan.print_last();
    }
    let mut out = scan.finish();
    call.machine.shell.cwd = cwd;
    if out.text.is_none() {
        out.flow.join(&stdin);
    }
    out
}
