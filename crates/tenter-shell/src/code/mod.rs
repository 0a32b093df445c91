//! Inline code in other languages: what it spawns, deletes, writes and sends. The text is scanned for calls,
//! not fully parsed: one evaluator serves all languages, and differences are in `languages/`.

mod acts;
mod calls;
mod compiled;
mod database;
pub(crate) mod decode;
mod expr;
mod fold;
mod forms;
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
pub(crate) mod shapes;
mod spawn;
mod strings;
mod value;

#[cfg(test)]
mod tests;

pub(crate) use holes::{is_script, takes_values};

use self::languages::Definition;
use crate::act::Act;
use crate::call::Call;
use crate::effect::Kind;
use crate::flow::Stream;
use crate::span::{Origin, Span};
use crate::target::Target;
use crate::value::{Field, Part};
use crate::world::Language;

/// A piece of code and its position in the command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'t> {
    pub text: &'t str,
    pub origin: Origin,
}

impl Code<'_> {
    /// The span in the command of bytes `start..end` of the code. Unclosed constructs may be read past the
    /// end; the span never exceeds it.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let end = end.min(self.text.len());
        self.origin.map(Span::new(start.min(end), end))
    }

    /// A literal in the code as an argument: verbatim at `start`, or decoded from `start..end`.
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

/// Context of a piece of code.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Context<'t> {
    /// Arguments of the script.
    pub arguments: &'t [Field],
    /// Variables set for the interpreter only.
    pub variables: &'t [(String, Field)],
    /// Modules loaded by options: `perl -MFile::Path`.
    pub modules: &'t [String],
    /// Whether the code's value is printed: `node -p`.
    pub prints: bool,
}

/// Judges `code` and returns its output as far as known.
pub(crate) fn judge(call: &mut Call<'_, '_>, language: Language, code: Code<'_>) -> Stream {
    judge_in(call, language, code, Context::default())
}

/// The same with the interpreter's context.
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
    let definition = languages::definition(language);
    let before = call.machine.effects().len();
    let out = match definition {
        Some(Definition { judge: Some(judge), .. }) => judge(call, code, context),
        Some(language) => scan(call, language, code, context),
        // Queries, not code: databases judge them.
        None => return Stream::default(),
    };
    if language == Language::Other {
        call.machine.text_mentions(code.text, code.span(0, code.text.len()));
    }
    let found = call.machine.effects().iter().skip(before);
    if !found.into_iter().any(|effect| effect.action == Act::NetworkShell)
        && shapes::is_network_shell(code.text)
    {
        let span = code.span(0, code.text.len());
        let target = Target::Host(String::new());
        call.effect_at(Kind::Execute, Act::NetworkShell, target, span);
    }
    out
}

fn scan(
    call: &mut Call<'_, '_>,
    language: &'static Definition,
    code: Code<'_>,
    context: Context<'_>,
) -> Stream {
    // A changed directory affects only the code itself.
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
