//! Quotes and backslashes.

use super::ast::{Text, WordPart};
use super::cursor::Parser;
use super::text::DOUBLE;
use crate::filters::ansi_c;

impl Parser<'_, '_> {
    /// A backslash outside of quotes: the character after it counts for nothing.
    pub(super) fn backslash(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.pos;
        self.pos += 1;
        match self.char_len() {
            // The last character of all is a backslash: it stands for itself.
            0 => self.push_run(parts, true, start, self.pos),
            _ if self.eat(b'\n') => {}
            len => {
                self.pos += len;
                self.push_run(parts, false, start + 1, self.pos);
            }
        }
    }

    pub(super) fn single_quotes(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.pos;
        let rest = self.bytes.get(start + 1..).unwrap_or_default();
        let len = rest.iter().position(|&byte| byte == b'\'');
        let end = start + 1 + len.unwrap_or(rest.len());
        parts.push(WordPart::Quoted(Text {
            text: self.slice(start + 1, end).to_owned(),
            at: self.place(start + 1),
        }));
        self.pos = end;
        if len.is_some() {
            self.pos += 1;
        } else {
            self.error("`'` is not closed", start);
        }
    }

    pub(super) fn double_quotes(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.pos;
        self.pos += 1;
        if !self.enter() {
            return;
        }
        let inner = self.enclosed(&DOUBLE);
        self.leave();
        if !self.eat(b'"') {
            self.error("`\"` is not closed", start);
        }
        parts.push(WordPart::DoubleQuoted(inner));
    }

    /// `$'...'`, at its quote.
    pub(super) fn ansi_quotes(&mut self, parts: &mut Vec<WordPart>, dollar: usize) {
        self.pos += 1;
        let start = self.pos;
        let mut escapes = false;
        loop {
            match self.peek() {
                None => {
                    self.error("`$'` is not closed", dollar);
                    break;
                }
                Some(b'\'') => break,
                Some(b'\\') => {
                    escapes = true;
                    self.pos = (self.pos + 2).min(self.bytes.len());
                }
                Some(_) => self.pos += 1,
            }
        }
        let raw = self.slice(start, self.pos);
        let text = if escapes {
            Text { text: decode(raw), at: None }
        } else {
            Text { text: raw.to_owned(), at: self.place(start) }
        };
        parts.push(WordPart::Quoted(text));
        self.eat(b'\'');
    }
}

/// The value of the escapes in `$'...'`. Invalid bytes become U+FFFD.
fn decode(raw: &str) -> String {
    ansi_c(raw).unwrap_or_else(|| char::REPLACEMENT_CHARACTER.to_string())
}

/// The value and length of the fish escape at the start of `raw`.
pub(super) fn decode_fish(raw: &str) -> (String, usize) {
    let digits = |radix: u32, most: usize, skip: usize| {
        let rest = raw.chars().skip(skip).take(most);
        skip + rest.take_while(|letter| letter.is_digit(radix)).count()
    };
    let len = match raw.as_bytes().get(1) {
        Some(b'x' | b'X') => digits(16, 2, 2),
        Some(b'u') => digits(16, 4, 2),
        Some(b'U') => digits(16, 8, 2),
        Some(b'0'..=b'7') => digits(8, 3, 1),
        Some(b'c') => 3,
        _ => 2,
    };
    let escape = raw.get(..len).unwrap_or(raw);
    let decoded = decode(escape);
    // No escape: the backslash quotes the letter.
    let text = decoded.strip_prefix('\\').map_or(decoded.clone(), str::to_owned);
    (text, escape.len())
}
