//! Statements that the reading as another shell settled: the reading as a Unix shell does not doubt them again.

use super::Machine;
use crate::span::Span;

/// Maximum number of statements noted as settled.
const MAX_SETTLED: usize = 512;

impl Machine<'_> {
    /// Whether the other shell's reading took what starts here for a value, or for a call of what is known.
    pub(crate) fn is_settled(&self, span: Span) -> bool {
        is_in(&self.settled, span)
    }

    /// Notes a statement that the other shell takes for a value, or for a call of what is known.
    pub(crate) fn settle(&mut self, span: Span) {
        if self.settled.len() < MAX_SETTLED {
            self.settled.push(span);
        }
    }
}

/// Whether the part begins in one of the statements.
pub(super) fn is_in(settled: &[Span], part: Span) -> bool {
    settled.iter().any(|whole| whole.start <= part.start && part.start < whole.end)
}
