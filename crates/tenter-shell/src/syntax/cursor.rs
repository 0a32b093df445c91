//! The parser's cursor, with its limits: depth, work, errors.

use super::SyntaxError;
use super::dialect::Dialect;
use super::heredoc::Heredocs;
use crate::budget::{Budget, MAX_NESTING};
use crate::span::Span;

/// Maximum number of errors reported.
const MAX_ERRORS: usize = 32;

pub(super) struct Parser<'s, 'b> {
    pub(super) source: &'s str,
    /// The source up to the end of the enclosing construct.
    pub(super) bytes: &'s [u8],
    pub(super) pos: usize,
    pub(super) dialect: Dialect,
    /// Every line ends with a carriage return, which then belongs to the line end.
    pub(super) crlf: bool,
    /// The text was computed from this span.
    pub(super) computed: Option<Span>,
    pub(super) depth: usize,
    /// Tokens expected by enclosing constructs: bits of [`super::keyword`].
    pub(super) open: u32,
    /// Directly inside `$(...)` or `<(...)`.
    pub(super) substituted: bool,
    pub(super) heredocs: Heredocs,
    /// `((` ahead that have been looked at, and whether each of them closes as `))`.
    pub(super) pairs: Vec<(usize, bool)>,
    /// The end of a text in which a `((` is not closed.
    pub(super) unclosed: Option<usize>,
    /// No `]` stands on this line before this byte.
    pub(super) no_bracket: usize,
    pub(super) errors: Vec<SyntaxError>,
    /// Errors before this byte are consequences of a reported one.
    quiet: usize,
    /// Number of bytes skipped because they are nested too deep.
    skipped: usize,
    pub(super) budget: &'b mut Budget,
}

/// A position with the state when it was reached.
pub(super) struct Mark {
    pos: usize,
    errors: usize,
    quiet: usize,
    skipped: usize,
    heredocs: (usize, usize),
}

impl<'s, 'b> Parser<'s, 'b> {
    pub(super) fn new(source: &'s str, dialect: Dialect, budget: &'b mut Budget) -> Self {
        Self {
            source,
            bytes: source.as_bytes(),
            pos: 0,
            dialect,
            crlf: only_crlf(source.as_bytes()),
            computed: None,
            depth: 0,
            open: 0,
            substituted: false,
            heredocs: Heredocs::default(),
            pairs: Vec::new(),
            unclosed: None,
            no_bracket: 0,
            errors: Vec::new(),
            quiet: 0,
            skipped: 0,
            budget,
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.pos).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.pos + ahead).copied()
    }

    pub(super) fn at(&self, text: &[u8]) -> bool {
        self.bytes.get(self.pos..).is_some_and(|rest| rest.starts_with(text))
    }

    /// The byte at `pos` or, if lines are continued there, after them, and its place.
    pub(super) fn look(&self, mut pos: usize) -> (Option<u8>, usize) {
        while self.bytes.get(pos) == Some(&b'\\') && self.bytes.get(pos + 1) == Some(&b'\n') {
            pos += 2;
        }
        (self.bytes.get(pos).copied(), pos)
    }

    /// Steps over `byte` if it is next, on this line or on those it is continued on.
    pub(super) fn eat_joined(&mut self, byte: u8) -> bool {
        let (next, pos) = self.look(self.pos);
        if next == Some(byte) {
            self.pos = pos + 1;
        }
        next == Some(byte)
    }

    /// Steps over `byte` if it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.pos += usize::from(there);
        there
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'s str {
        self.source.get(start..end).unwrap_or_default()
    }

    /// The length of the character at the cursor; at the end 0.
    pub(super) fn char_len(&self) -> usize {
        let rest = self.source.get(self.pos..self.bytes.len());
        rest.and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8)
    }

    pub(super) fn span(&self, start: usize) -> Span {
        self.span_to(start, self.pos)
    }

    /// The same up to `end`, where blanks were read after it.
    pub(super) fn span_to(&self, start: usize, end: usize) -> Span {
        self.computed.unwrap_or_else(|| Span::new(start, end))
    }

    /// Where text that starts at this byte stands.
    pub(super) fn place(&self, start: usize) -> Option<u32> {
        if self.computed.is_some() { None } else { u32::try_from(start).ok() }
    }

    pub(super) fn error(&mut self, message: &'static str, start: usize) {
        let told = self.pos < self.quiet;
        self.quiet = self.quiet.max(self.pos + 1);
        if told || self.errors.len() >= MAX_ERRORS {
            return;
        }
        let span = self.span(start);
        self.errors.push(SyntaxError { message, span, too_deep: false });
    }

    /// An error about what stands at the cursor: a reserved word or a character.
    pub(super) fn unexpected(&mut self, message: &'static str) {
        let start = self.pos;
        let character = start + self.char_len();
        self.pos = self.keyword().map_or(character, |(_, end)| end);
        let span = self.span(start);
        self.pos = start;
        if start >= self.quiet && self.errors.len() < MAX_ERRORS {
            self.errors.push(SyntaxError { message, span, too_deep: false });
        }
        self.quiet = self.quiet.max(start + 1);
    }

    /// Enters a nesting level. If none is left, the rest of the construct is skipped.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= MAX_NESTING {
            let start = self.pos;
            self.pos = self.bytes.len();
            self.skipped += self.pos - start;
            if self.pos >= self.quiet {
                let span = self.span(start);
                self.errors.push(SyntaxError { message: "nested too deep", span, too_deep: true });
            }
            self.quiet = self.pos + 1;
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Counts bytes that are looked at once more; false when there is no work left for that.
    pub(super) fn charge(&mut self, bytes: usize) -> bool {
        self.budget.spend(bytes)
    }

    /// State for [`Self::take_back`].
    pub(super) fn mark(&self) -> Mark {
        Mark {
            pos: self.pos,
            errors: self.errors.len(),
            quiet: self.quiet,
            skipped: self.skipped,
            heredocs: self.heredocs.mark(),
        }
    }

    /// Forgets everything that was read since, and counts the bytes from `start` on.
    pub(super) fn take_back(&mut self, mark: &Mark, start: usize) {
        let read = self.pos.saturating_sub(start);
        self.charge(read.saturating_sub(self.skipped.saturating_sub(mark.skipped)));
        self.pos = mark.pos;
        self.errors.truncate(mark.errors);
        self.quiet = mark.quiet;
        self.heredocs.take_back(mark.heredocs);
    }

    /// Makes the text end at `end`; gives back what to restore with [`Self::unlimit`].
    pub(super) fn limit(&mut self, end: usize) -> &'s [u8] {
        let whole = self.bytes;
        self.bytes = whole.get(..end).unwrap_or(whole);
        whole
    }

    pub(super) fn unlimit(&mut self, whole: &'s [u8]) {
        self.bytes = whole;
    }

    /// The carriage return of a line end.
    pub(super) fn at_carriage_return(&self) -> bool {
        self.crlf && self.peek() == Some(b'\r') && self.peek_at(1) == Some(b'\n')
    }

    /// Skips blanks, continued lines and a comment between two words of a line.
    pub(super) fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.pos += 1,
                b'\\' if self.peek_at(1) == Some(b'\n') => self.pos += 2,
                b'\r' if self.at_carriage_return() => self.pos += 1,
                b'#' => self.skip_line(),
                _ => break,
            }
        }
    }

    /// Blanks, comments and new lines; bodies of heredocs that start here are read.
    pub(super) fn skip_newlines(&mut self) {
        self.skip_blanks();
        while self.eat(b'\n') {
            self.read_heredocs();
            self.skip_blanks();
        }
    }

    fn skip_line(&mut self) {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        self.pos += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    }

    /// Whether a word written in plain letters would end here.
    pub(super) fn at_delimiter(&self) -> bool {
        match self.peek() {
            None => true,
            Some(b'\r') => self.at_carriage_return(),
            Some(byte) => is_delimiter(byte),
        }
    }

    /// Whether a word starts here, at a place where blanks have been skipped.
    pub(super) fn at_word(&self) -> bool {
        match self.peek() {
            None | Some(b'\n' | b';' | b'&' | b'|' | b')') => false,
            Some(b'(') => self.dialect == Dialect::Fish,
            Some(b'<' | b'>') => self.at_process(),
            Some(_) => true,
        }
    }

    /// `<(` or `>(`
    pub(super) fn at_process(&self) -> bool {
        self.dialect.extended() && self.peek_at(1) == Some(b'(')
    }
}

pub(super) fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

/// Mixed line ends are read as the shell reads them: there a carriage return is a letter, and
/// taking some for line ends would end heredocs where the shell does not.
fn only_crlf(bytes: &[u8]) -> bool {
    if !bytes.contains(&b'\r') {
        return false;
    }
    let mut before = 0;
    for &byte in bytes {
        if byte == b'\n' && before != b'\r' {
            return false;
        }
        before = byte;
    }
    true
}
