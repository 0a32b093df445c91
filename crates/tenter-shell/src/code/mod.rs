//! Code in other languages, given inline: what it spawns, deletes, writes and sends. The text is
//! scanned for calls, not parsed.

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
    /// Where bytes `start..end` of the code stand in the command.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        self.origin.map(Span::new(start, end))
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

/// Reads `code` and says what it would do. Returns what it prints, as far as that is known.
pub(crate) fn judge(call: &mut Call<'_, '_>, language: Language, code: Code<'_>) -> Stream {
    let _ = (language, code.text);
    Stream::unknown(call.stdin.flow.clone())
}
