//! Builds fields: joins pieces, splits, and keeps patterns apart.

use std::rc::Rc;

use super::globs::{self, Piece};
use crate::budget::{MAX_FIELDS, MAX_VALUE};
use crate::flow::Flow;
use crate::span::Span;
use crate::value::{Field, Part, Unknown};

/// Purpose of expanding a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Arguments: results are split, patterns are kept apart.
    Fields,
    /// One value, tildes count at its start and after `:`.
    Single,
    /// One pattern.
    Pattern,
    /// One value, tildes do not count.
    Raw,
}

#[derive(Debug)]
pub(super) struct Builder {
    style: Style,
    globs: bool,
    span: Span,
    /// The characters of `IFS`, once they were asked for.
    pub(super) separators: Option<String>,
    done: Vec<Field>,
    current: Field,
    /// Everything of the current field from its first pattern on.
    pieces: Vec<Piece>,
    /// The current field will be one, even if it stays empty.
    open: bool,
    /// The field before was ended by blanks; one separator after them belongs to the same end.
    after_blanks: bool,
    /// Bytes of the current field.
    bytes: usize,
    /// Why something was omitted.
    pub(super) cut: Option<&'static str>,
}

impl Builder {
    pub(super) fn new(style: Style, globs: bool, span: Span) -> Self {
        Self {
            style,
            globs: match style {
                Style::Fields => globs,
                Style::Pattern => true,
                Style::Single | Style::Raw => false,
            },
            span,
            separators: None,
            done: Vec::new(),
            current: Field { span, ..Field::default() },
            pieces: Vec::new(),
            open: false,
            after_blanks: false,
            bytes: 0,
            cut: None,
        }
    }

    pub(super) fn style(&self) -> Style {
        self.style
    }

    /// Progress marker: changes whenever something is added.
    pub(super) fn mark(&self) -> (usize, usize, usize, usize) {
        (self.done.len(), self.bytes, self.current.parts.len(), self.pieces.len())
    }

    /// From here on there is a field, even an empty one.
    pub(super) fn open(&mut self) {
        self.open = true;
        self.after_blanks = false;
    }

    /// Undoes [`Self::open`].
    pub(super) fn close(&mut self) {
        self.open = false;
    }

    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    pub(super) fn flow(&mut self, flow: &Flow) {
        if !flow.is_empty() {
            self.current.flow.join(flow);
        }
    }

    /// Adds literal text.
    pub(super) fn quoted(&mut self, text: &str, at: Option<u32>) {
        self.open();
        if !self.fits(text.len()) {
            return;
        }
        if self.pieces.is_empty() {
            self.current.push_text(text, at);
        } else {
            self.pieces.push(Piece::Quoted(text.to_owned(), at));
        }
    }

    /// Text whose patterns count. `written` tells the text of the command from that of a variable.
    pub(super) fn active(&mut self, text: &str, at: Option<u32>, written: bool) {
        if !self.globs {
            return self.quoted(text, at);
        }
        self.open();
        if !self.fits(text.len()) {
            return;
        }
        if self.pieces.is_empty() && !globs::may_be_pattern(text) {
            self.current.push_text(text, at);
        } else {
            self.pieces.push(Piece::Active { text: text.to_owned(), at, written });
        }
    }

    pub(super) fn part(&mut self, part: Part) {
        self.open();
        // Unknown parts have no length, but their number is limited too.
        if !self.fits(16) {
            return;
        }
        if self.pieces.is_empty() {
            self.current.push(part);
        } else {
            self.pieces.push(Piece::Other(part));
        }
    }

    pub(super) fn unknown(&mut self, name: &str, splits: bool) {
        let splits = splits && self.style == Style::Fields;
        self.part(Part::Unknown(Unknown { name: Rc::from(name), splits }));
    }

    /// Text that came out of an unquoted expansion: split, where this style splits.
    pub(super) fn unquoted(&mut self, text: &str, at: Option<u32>, flow: &Flow, written: bool) {
        match self.style {
            Style::Fields => self.split(text, at, flow, written),
            Style::Pattern => self.active(text, at, written),
            Style::Single | Style::Raw => self.quoted(text, at),
        }
    }

    fn split(&mut self, text: &str, at: Option<u32>, flow: &Flow, written: bool) {
        let separators = self.separators.take().unwrap_or_else(|| " \t\n".to_owned());
        let mut rest = text;
        let mut offset = 0_usize;
        while !rest.is_empty() && self.cut.is_none() {
            let length = rest.find(|ch| separators.contains(ch)).unwrap_or(rest.len());
            let (run, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
            if !run.is_empty() {
                self.flow(flow);
                let moved = u32::try_from(offset).unwrap_or(u32::MAX);
                self.active(run, at.map(|at| at.saturating_add(moved)), written);
            }
            let mut chars = tail.chars();
            let Some(separator) = chars.next() else { break };
            self.end_at(separator);
            rest = chars.as_str();
            offset = text.len() - rest.len();
        }
        self.separators = Some(separators);
    }

    fn end_at(&mut self, separator: char) {
        if matches!(separator, ' ' | '\t' | '\n') {
            if self.open {
                self.end_field();
                self.after_blanks = true;
            }
        } else if self.after_blanks {
            self.after_blanks = false;
        } else {
            self.end_field();
        }
    }

    /// Ends the current field, even if it is empty, and begins the next.
    pub(super) fn end_field(&mut self) {
        let field = self.take();
        if self.done.len() < MAX_FIELDS {
            self.done.push(field);
        } else {
            self.cut = Some(super::TOO_MANY_FIELDS);
        }
    }

    fn take(&mut self) -> Field {
        let fresh = Field { span: self.span, ..Field::default() };
        let mut field = std::mem::replace(&mut self.current, fresh);
        if !self.pieces.is_empty() {
            let pieces = std::mem::take(&mut self.pieces);
            globs::resolve(pieces, self.style == Style::Pattern, &mut field);
        }
        if self.bytes > MAX_VALUE {
            let name = Rc::from("…");
            field.parts = vec![Part::Unknown(Unknown { name, splits: false })];
        }
        self.open = false;
        self.after_blanks = false;
        self.bytes = 0;
        field
    }

    fn fits(&mut self, more: usize) -> bool {
        self.bytes = self.bytes.saturating_add(more);
        if self.bytes > MAX_VALUE {
            self.cut = Some("a value becomes too long");
        }
        self.bytes <= MAX_VALUE
    }

    /// Ends the word. The splitting of one word does not reach into the next.
    pub(super) fn end_word(&mut self) {
        if self.open {
            self.end_field();
        }
        self.current.flow = Flow::default();
        self.after_blanks = false;
    }

    pub(super) fn finish(self) -> Vec<Field> {
        self.done
    }

    pub(super) fn finish_one(mut self) -> Field {
        self.take()
    }
}
