//! Statements that the reading as another shell settled: the reading as a Unix shell does not doubt them again.

use super::Machine;
use crate::analysis::{Reason, Unverified};
use crate::span::Span;
use crate::world::Language;

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

/// The reading of a command as another shell, when it is read as a Unix shell too.
pub(super) struct Reading<'r> {
    pub(super) command: &'r str,
    pub(super) language: Language,
    pub(super) settled: &'r [Span],
    /// Programs that the other shell starts.
    pub(super) judged: &'r [Span],
}

impl Reading<'_> {
    /// Whether a doubt of the Unix shell is news.
    pub(super) fn doubts(&self, entry: &Unverified) -> bool {
        let start = entry.span.range().start;
        let rest = self.command.get(start..).unwrap_or_default();
        match entry.reason {
            Reason::Syntax(_) => false,
            Reason::DynamicProgram | Reason::DynamicCode if is_in(self.settled, entry.span) => {
                false
            }
            Reason::DynamicProgram => {
                let before = self.command.get(..start).unwrap_or_default();
                // What is PowerShell's has a value only with arguments for a program.
                (self.language != Language::PowerShell || crate::dialect::has_arguments(rest))
                    && !crate::dialect::is_no_program(before, rest)
            }
            Reason::DynamicCode => {
                let builtin = ["eval", "source", ".", "exec", "command", "trap"];
                let word = rest.split_ascii_whitespace().next().unwrap_or_default();
                let within =
                    |span: &Span| span.start <= entry.span.start && entry.span.end <= span.end;
                builtin.contains(&word) || !self.judged.iter().any(within)
            }
            _ => true,
        }
    }
}

/// Whether the part begins in one of the statements.
fn is_in(settled: &[Span], part: Span) -> bool {
    settled.iter().any(|whole| whole.start <= part.start && part.start < whole.end)
}
