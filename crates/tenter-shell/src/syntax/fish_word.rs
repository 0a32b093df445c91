//! Words of fish.

use super::ast::{Index, Operation, Parameter, ParameterName, Script, Text, Word, WordPart};
use super::cursor::Parser;
use super::keyword::PAREN;
use super::quote::decode_fish;
use super::simple::is_name;
use super::text::INDEX;

impl Parser<'_, '_> {
    pub(super) fn fish_word(&mut self) -> Word {
        let start = self.pos;
        let mut parts = Vec::new();
        let mut run = start;
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b')' => break,
                b'\r' if self.at_carriage_return() => break,
                b'\\' | b'\'' | b'"' | b'$' | b'(' => {
                    self.push_run(&mut parts, true, run, self.pos);
                    match byte {
                        b'\\' => self.fish_escape(&mut parts),
                        b'\'' => self.fish_single(&mut parts),
                        b'"' => self.fish_double(&mut parts),
                        b'$' => self.fish_dollar(&mut parts, false),
                        _ => self.fish_substitution(&mut parts, self.pos),
                    }
                    run = self.pos;
                }
                _ => self.pos += 1,
            }
        }
        self.push_run(&mut parts, true, run, self.pos);
        Word { parts, span: self.span(start) }
    }

    /// A backslash outside of quotes; letters after it mean what they mean in C.
    fn fish_escape(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.pos;
        let next = self.peek_at(1);
        if !next.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
            self.backslash(parts);
            return;
        }
        let (decoded, len) = decode_fish(self.slice(start, self.bytes.len()));
        self.pos += len.max(1);
        parts.push(WordPart::Quoted(Text { text: decoded, at: None }));
    }

    /// `'...'`, in which `\'` and `\\` are escapes.
    fn fish_single(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.pos;
        self.pos += 1;
        let before = parts.len();
        let mut run = self.pos;
        loop {
            match self.peek() {
                None => {
                    self.error("`'` is not closed", start);
                    break;
                }
                Some(b'\'') => break,
                Some(b'\\') if matches!(self.peek_at(1), Some(b'\'' | b'\\')) => {
                    self.push_run(parts, false, run, self.pos);
                    run = self.pos + 1;
                    self.pos += 2;
                }
                Some(_) => self.pos += 1,
            }
        }
        self.push_run(parts, false, run, self.pos);
        if parts.len() == before {
            parts.push(WordPart::Quoted(Text { text: String::new(), at: self.place(run) }));
        }
        self.eat(b'\'');
    }

    fn fish_double(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.pos;
        self.pos += 1;
        let mut inner = Vec::new();
        let mut run = self.pos;
        loop {
            match (self.peek(), self.peek_at(1)) {
                (None, _) => {
                    self.error("`\"` is not closed", start);
                    break;
                }
                (Some(b'"'), _) => break,
                (Some(b'$'), _) => {
                    self.push_run(&mut inner, false, run, self.pos);
                    self.fish_dollar(&mut inner, true);
                    run = self.pos;
                }
                (Some(b'\\'), Some(next)) if b"\"$\\\n".contains(&next) => {
                    self.push_run(&mut inner, false, run, self.pos);
                    run = self.pos + 1 + usize::from(next == b'\n');
                    self.pos += 2;
                }
                _ => self.pos += 1,
            }
        }
        self.push_run(&mut inner, false, run, self.pos);
        self.eat(b'"');
        parts.push(WordPart::DoubleQuoted(inner));
    }

    fn fish_dollar(&mut self, parts: &mut Vec<WordPart>, quoted: bool) {
        let start = self.pos;
        self.pos += 1;
        if self.eat(b'(') {
            self.pos -= 1;
            self.fish_substitution(parts, start);
            return;
        }
        let mut indirect = false;
        while self.peek() == Some(b'$') {
            indirect = true;
            self.pos += 1;
        }
        if !self.peek().is_some_and(is_name) {
            self.push_run(parts, !quoted, start, self.pos);
            return;
        }
        let name = ParameterName::Variable(self.joined_name());
        let index = self.fish_index();
        let span = self.span(start);
        let operation = Operation::None;
        parts.push(WordPart::Parameter(Box::new(Parameter {
            name,
            index,
            indirect,
            operation,
            span,
        })));
    }

    /// `[...]` right behind a variable or a substitution.
    fn fish_index(&mut self) -> Option<Index> {
        if self.peek() != Some(b'[') {
            return None;
        }
        let start = self.pos;
        self.pos += 1;
        Some(self.inner_index(start, &INDEX))
    }

    /// `(...)` and `$(...)`, at the parenthesis.
    fn fish_substitution(&mut self, parts: &mut Vec<WordPart>, start: usize) {
        self.pos += 1;
        let script = if self.enter() {
            let around = std::mem::replace(&mut self.open, PAREN);
            let script = self.fish_script();
            self.open = around;
            if !self.eat(b')') {
                self.error("`(` is not closed", start);
            }
            self.leave();
            script
        } else {
            Script::default()
        };
        self.fish_index();
        parts.push(WordPart::Command { script, span: self.span(start) });
    }
}
