//! Words and signs of SQL.

use super::client::Client;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A keyword, a name or a number.
    Word,
    /// A quoted name; in some dialects a string.
    Name,
    Text,
    /// `$$ ... $$`, which is a string and often code.
    Block,
    Sign,
    End,
    /// A line for the client and not for the server: `\! ls`, `.shell ls`.
    Client,
}

/// Where it stands, quotes not included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub(super) fn text<'t>(&self, code: &'t str) -> &'t str {
        code.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn is(&self, code: &str, word: &str) -> bool {
        self.kind == Kind::Word && self.text(code).eq_ignore_ascii_case(word)
    }

    pub(super) fn is_any(&self, code: &str, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(code, word))
    }

    pub(super) fn is_sign(&self, code: &str, sign: &str) -> bool {
        self.kind == Kind::Sign && self.text(code) == sign
    }
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    client: Client,
    /// Nothing of a statement has been read yet.
    fresh: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, client: Client) -> Self {
        Self { text, bytes: text.as_bytes(), at: 0, client, fresh: true }
    }

    /// Starts at this byte.
    pub(super) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or_default()
    }

    /// The next token; none at the end.
    pub(super) fn next(&mut self) -> Option<Token> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            let ahead = self.peek(1);
            match byte {
                b if b.is_ascii_whitespace() => self.at += 1,
                b'-' if ahead == b'-' => self.at = self.line_end(),
                b'#' if self.client == Client::Mysql => self.at = self.line_end(),
                b'/' if ahead == b'*' && self.peek(2) == b'!' => {
                    // MySQL runs this. The version is a number of its own.
                    self.at += 3;
                    while self.peek(0).is_ascii_digit() {
                        self.at += 1;
                    }
                }
                b'/' if ahead == b'*' => {
                    let rest = self.text.get(self.at + 2..).unwrap_or_default();
                    self.at = rest.find("*/").map_or(self.bytes.len(), |end| self.at + end + 4);
                }
                b'*' if ahead == b'/' => self.at += 2,
                _ => break,
            }
        }
        let token = self.token();
        self.fresh = matches!(token.kind, Kind::End | Kind::Client);
        Some(token)
    }

    fn token(&mut self) -> Token {
        let start = self.at;
        let byte = self.peek(0);
        let client = match self.client {
            Client::Psql => byte == b'\\',
            Client::Mysql => byte == b'\\' || (self.fresh && self.mysql_word()),
            Client::Sqlite => self.fresh && byte == b'.',
            Client::None => false,
        };
        if client {
            self.at = self.line_end();
            return Token { kind: Kind::Client, start, end: self.at };
        }
        match byte {
            b'\'' => self.quoted(b'\'', Kind::Text),
            b'"' => self.quoted(b'"', Kind::Name),
            b'`' => self.quoted(b'`', Kind::Name),
            b'[' if self.peek(1).is_ascii_alphabetic() => self.quoted(b']', Kind::Name),
            b';' => self.one(Kind::End),
            b'$' => self.dollar(),
            b if is_word(b) => self.word(start),
            _ => self.one(Kind::Sign),
        }
    }

    fn one(&mut self, kind: Kind) -> Token {
        let start = self.at;
        self.at += 1;
        Token { kind, start, end: self.at }
    }

    fn word(&mut self, start: usize) -> Token {
        while is_word(self.peek(0)) {
            self.at += 1;
        }
        Token { kind: Kind::Word, start, end: self.at }
    }

    /// Up to the closing quote; a doubled one is part of the text.
    fn quoted(&mut self, quote: u8, kind: Kind) -> Token {
        // MySQL and `E'...'` have backslashes; a backslash before a quote is rare elsewhere.
        let escapes = self.client == Client::Mysql || self.is_escape_string();
        self.at += 1;
        let start = self.at;
        while let Some(byte) = self.bytes.get(self.at) {
            let doubled = *byte == quote && self.peek(1) == quote;
            if doubled || (*byte == b'\\' && escapes) {
                self.at += 2;
            } else if *byte == quote {
                break;
            } else {
                self.at += 1;
            }
        }
        let end = self.at.min(self.bytes.len());
        self.at = (end + 1).min(self.bytes.len());
        Token { kind, start, end }
    }

    fn is_escape_string(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        let further = self.at.checked_sub(2).and_then(|at| self.bytes.get(at));
        matches!(before, Some(b'e' | b'E')) && !further.is_some_and(|byte| is_word(*byte))
    }

    /// `$tag$ ... $tag$`, or a word such as `$1` or `$name`.
    fn dollar(&mut self) -> Token {
        let start = self.at;
        let rest = self.text.get(start + 1..).unwrap_or_default();
        let size = rest.bytes().take_while(|byte| is_word(*byte) && *byte != b'$').count();
        if rest.as_bytes().get(size) == Some(&b'$') {
            let tag = self.text.get(start..start + size + 2).unwrap_or_default();
            let inside = start + tag.len();
            let after = self.text.get(inside..).unwrap_or_default();
            let end = after.find(tag).map_or(self.bytes.len(), |end| inside + end);
            self.at = (end + tag.len()).min(self.bytes.len());
            return Token { kind: Kind::Block, start: inside.min(end), end };
        }
        self.at += 1;
        if self.peek(0) == b'{' {
            let end = rest.find('}').map_or(self.bytes.len(), |end| start + 1 + end + 1);
            self.at = end;
            return Token { kind: Kind::Word, start, end };
        }
        self.word(start)
    }

    /// Words of the mysql client at the start of a line.
    fn mysql_word(&self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let word = rest.split(|c: char| c.is_ascii_whitespace()).next().unwrap_or_default();
        ["system", "source", "tee"].iter().any(|known| known.eq_ignore_ascii_case(word))
    }

    fn line_end(&self) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.find('\n').map_or(self.bytes.len(), |end| self.at + end)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}
