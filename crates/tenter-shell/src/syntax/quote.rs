//! Quotes and backslashes.

use super::ast::{Text, WordPart};
use super::cursor::Parser;
use super::text::DOUBLE;

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
            Text { text: decode_ansi(raw), at: None }
        } else {
            Text { text: raw.to_owned(), at: self.place(start) }
        };
        parts.push(WordPart::Quoted(text));
        self.eat(b'\'');
    }
}

/// What the escapes of `$'...'` come to. Bytes that are not UTF-8 become U+FFFD.
fn decode_ansi(raw: &str) -> String {
    let mut decoder = Decoder { raw: raw.as_bytes(), pos: 0, out: Vec::with_capacity(raw.len()) };
    while let Some(byte) = decoder.next() {
        if byte != b'\\' {
            decoder.out.push(byte);
        } else if !decoder.escape() {
            // A NUL ends the string.
            break;
        }
    }
    match String::from_utf8(decoder.out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

struct Decoder<'a> {
    raw: &'a [u8],
    pos: usize,
    out: Vec<u8>,
}

impl Decoder<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.raw.get(self.pos).copied()?;
        self.pos += 1;
        Some(byte)
    }

    /// The escape after a backslash; false when it is a NUL.
    fn escape(&mut self) -> bool {
        let Some(byte) = self.next() else {
            self.out.push(b'\\');
            return true;
        };
        let plain = match byte {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\\' | b'\'' | b'"' | b'?' => byte,
            b'0'..=b'7' => {
                self.pos -= 1;
                let (value, _) = self.digits(8, 3);
                return self.byte(value);
            }
            b'x' => return self.hex_byte(),
            b'u' => return self.character(byte, 4),
            b'U' => return self.character(byte, 8),
            b'c' => {
                let Some(control) = self.next() else {
                    self.out.extend_from_slice(b"\\c");
                    return true;
                };
                return self.byte(u32::from(control.to_ascii_uppercase() & 0x1f));
            }
            other => {
                self.out.push(b'\\');
                other
            }
        };
        self.out.push(plain);
        true
    }

    /// A number of at most `most` digits, and how many there were.
    fn digits(&mut self, radix: u32, most: usize) -> (u32, usize) {
        let mut value = 0_u32;
        let mut count = 0;
        while count < most
            && let Some(&byte) = self.raw.get(self.pos)
            && let Some(digit) = char::from(byte).to_digit(radix)
        {
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.pos += 1;
            count += 1;
        }
        (value, count)
    }

    /// The lowest byte of a number; false when it is 0.
    fn byte(&mut self, value: u32) -> bool {
        let [byte, ..] = value.to_le_bytes();
        if byte != 0 {
            self.out.push(byte);
        }
        byte != 0
    }

    /// `\xHH` and `\x{H...}`
    fn hex_byte(&mut self) -> bool {
        let braces = self.raw.get(self.pos) == Some(&b'{');
        self.pos += usize::from(braces);
        let (value, count) = self.digits(16, if braces { self.raw.len() } else { 2 });
        if braces {
            let closed = self.raw.get(self.pos) == Some(&b'}');
            self.pos += usize::from(closed);
        }
        if count == 0 {
            self.out.extend_from_slice(b"\\x");
            return true;
        }
        self.byte(value)
    }

    /// `\uHHHH` and `\UHHHHHHHH`
    fn character(&mut self, letter: u8, most: usize) -> bool {
        let (value, count) = self.digits(16, most);
        if count == 0 {
            self.out.extend_from_slice(&[b'\\', letter]);
            return true;
        }
        let decoded = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
        let mut buffer = [0; 4];
        self.out.extend_from_slice(decoded.encode_utf8(&mut buffer).as_bytes());
        value != 0
    }
}
