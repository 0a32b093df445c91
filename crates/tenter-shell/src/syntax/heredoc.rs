//! Heredocs: the operator stands on one line, the body on the next ones.

use super::ast::{Text, Word, WordPart};
use super::cursor::Parser;
use super::text::{HEREDOC, HEREDOC_TABS};
use crate::span::Span;

/// Pending heredocs and bodies already read. In the tree each heredoc has a number until the whole text is
/// read.
#[derive(Default)]
pub(super) struct Heredocs {
    waiting: Vec<Waiting>,
    pub(super) bodies: Vec<Word>,
}

pub(super) struct Waiting {
    number: usize,
    delimiter: String,
    quoted: bool,
    tabs: bool,
}

impl Heredocs {
    /// Sets those that wait aside: new lines inside a substitution do not start their bodies.
    pub(super) fn suspend(&mut self) -> Vec<Waiting> {
        std::mem::take(&mut self.waiting)
    }

    /// Those of the substitution whose bodies did not come wait behind the others.
    pub(super) fn resume(&mut self, mut waiting: Vec<Waiting>) {
        waiting.append(&mut self.waiting);
        self.waiting = waiting;
    }

    pub(super) fn mark(&self) -> (usize, usize) {
        (self.waiting.len(), self.bodies.len())
    }

    pub(super) fn take_back(&mut self, (waiting, bodies): (usize, usize)) {
        self.waiting.truncate(waiting);
        self.bodies.truncate(bodies);
    }

    pub(super) fn drop_waiting(&mut self) {
        self.waiting.clear();
    }
}

impl Parser<'_, '_> {
    /// The delimiter behind `<<`. Gives the word that stands for the body, and whether the
    /// delimiter is quoted.
    pub(super) fn heredoc(&mut self, tabs: bool) -> (Word, bool) {
        let start = self.pos;
        let (delimiter, quoted) = self.delimiter();
        let number = self.heredocs.bodies.len();
        self.heredocs.bodies.push(Word { parts: Vec::new(), span: self.span(self.pos) });
        if self.pos == start {
            self.unexpected("the delimiter of the heredoc is missing");
        } else {
            self.heredocs.waiting.push(Waiting { number, delimiter, quoted, tabs });
        }
        (Word { parts: Vec::new(), span: Span::new(number, usize::MAX) }, quoted)
    }

    /// A word with its quotes removed and nothing expanded.
    fn delimiter(&mut self) -> (String, bool) {
        let mut text = String::new();
        let mut quoted = false;
        while !self.at_delimiter() {
            let start = self.pos;
            match self.peek() {
                Some(b'\\') => {
                    self.pos += 1;
                    if self.eat(b'\n') {
                        continue;
                    }
                    quoted = true;
                    let start = self.pos;
                    self.pos += self.char_len();
                    text.push_str(self.slice(start, self.pos));
                }
                Some(b'\'' | b'"') => {
                    quoted = true;
                    let mut parts = Vec::new();
                    self.special(&mut parts, self.peek().unwrap_or_default());
                    let end = self.pos.saturating_sub(1).max(start + 1);
                    match parts.as_slice() {
                        [WordPart::Quoted(part)] => text.push_str(&part.text),
                        _ => text.push_str(&self.slice(start + 1, end).replace("\\\"", "\"")),
                    }
                }
                Some(b'$') if matches!(self.peek_at(1), Some(b'\'' | b'"')) => {
                    self.pos += usize::from(self.dialect.extended());
                    if !self.dialect.extended() {
                        text.push('$');
                        self.pos += 1;
                    }
                }
                Some(byte @ (b'$' | b'`')) => {
                    let waiting = self.heredocs.suspend();
                    self.special(&mut Vec::new(), byte);
                    self.heredocs.resume(waiting);
                    text.push_str(self.slice(start, self.pos));
                }
                _ => {
                    self.pos += self.char_len().max(1);
                    text.push_str(self.slice(start, self.pos));
                }
            }
        }
        (text, quoted)
    }

    /// At the start of a line: the bodies of the heredocs of the line before.
    pub(super) fn read_heredocs(&mut self) {
        if self.heredocs.waiting.is_empty() {
            return;
        }
        for waiting in self.heredocs.suspend() {
            let body = self.body_of(&waiting);
            if let Some(place) = self.heredocs.bodies.get_mut(waiting.number) {
                *place = body;
            }
        }
    }

    fn body_of(&mut self, waiting: &Waiting) -> Word {
        let start = self.pos;
        let (end, next) = self.find_delimiter(waiting);
        let whole = self.limit(end);
        let mut parts = Vec::new();
        if waiting.quoted {
            parts.push(WordPart::Quoted(self.quoted_body(start, end, waiting.tabs)));
            self.pos = end;
        } else {
            let substituted = std::mem::replace(&mut self.substituted, false);
            let rule = if waiting.tabs { &HEREDOC_TABS } else { &HEREDOC };
            if waiting.tabs {
                self.skip_tabs();
            }
            parts = self.enclosed(rule);
            self.substituted = substituted;
        }
        let span = self.span(start);
        self.unlimit(whole);
        self.pos = next;
        Word { parts, span }
    }

    fn quoted_body(&self, start: usize, end: usize, tabs: bool) -> Text {
        let raw = self.slice(start, end);
        if tabs && raw.contains('\t') {
            let lines = raw.split_inclusive('\n');
            let text = lines.map(|line| line.trim_start_matches('\t')).collect();
            return Text { text, at: None };
        }
        Text { text: raw.to_owned(), at: self.place(start) }
    }

    /// Where the body ends, and where the text goes on.
    fn find_delimiter(&self, waiting: &Waiting) -> (usize, usize) {
        let mut line = self.pos;
        let mut continued = false;
        let delimiter = waiting.delimiter.as_bytes();
        while let Some(rest) = self.bytes.get(line..)
            && !rest.is_empty()
        {
            let len = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
            let mut text = rest.get(..len).unwrap_or_default();
            if waiting.tabs {
                let tabs = text.iter().take_while(|&&byte| byte == b'\t').count();
                text = text.get(tabs..).unwrap_or_default();
            }
            let line_end = line + len;
            if let Some(after) = text.strip_prefix(delimiter)
                && !continued
            {
                if after.is_empty() || (self.crlf && after == b"\r") {
                    return (line, (line_end + 1).min(self.bytes.len()));
                }
                // As bash does it: `EOF)` ends a heredoc inside of `$(...)`.
                if self.substituted && after.contains(&b')') {
                    return (line, line_end - after.len());
                }
            }
            let slashes = text.iter().rev().take_while(|&&byte| byte == b'\\').count();
            continued = !waiting.quoted && slashes % 2 == 1;
            line = line_end + 1;
        }
        (self.bytes.len(), self.bytes.len())
    }
}
