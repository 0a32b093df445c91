//! Tokenizer for all scripting languages, with their different syntax of strings, comments and patterns.

use super::languages::{Backtick, Definition};
use super::strings::Style;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    /// A string; its pieces are listed separately.
    Text,
    /// A string that is run by the shell: backticks, `qx()`, `%x()`.
    Command,
    /// A list of words: `qw()`, `%w()`.
    Words,
    /// A regular expression.
    Pattern,
    /// An operator or a bracket.
    Mark,
    /// The end of a line.
    Line,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'t> {
    pub kind: TokenKind,
    /// As written: a name, a number or a mark.
    pub text: &'t str,
    pub start: usize,
    pub end: usize,
    /// Range of a string's pieces.
    pub pieces: (usize, usize),
}

/// A part of a string.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(String),
    /// Code whose value stands here: these bytes of the text.
    Code(usize, usize),
}

pub(super) struct Lexer<'t, 'v> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) end: usize,
    language: &'static Definition,
    /// The last token is a value, so that `/` divides.
    pub(super) after_value: bool,
    tokens: &'v mut Vec<Token<'t>>,
    pub(super) pieces: &'v mut Vec<Piece>,
    /// The bodies of here documents on this line end at this byte.
    skip: Option<usize>,
}

/// Adds the tokens of `text[start..end]` to `tokens`.
pub(super) fn lex<'t>(
    text: &'t str,
    (start, end): (usize, usize),
    language: &'static Definition,
    tokens: &mut Vec<Token<'t>>,
    pieces: &mut Vec<Piece>,
) {
    let mut lexer = Lexer {
        text,
        at: start,
        end: end.min(text.len()),
        language,
        after_value: false,
        tokens,
        pieces,
        skip: None,
    };
    while lexer.at < lexer.end {
        let before = lexer.at;
        lexer.token();
        if lexer.at <= before {
            lexer.at = before + 1;
        }
    }
}

/// Longest first.
const MARKS: &[&str] = &[
    "...", "===", "!==", "**=", "||=", "&&=", "??=", "<=>", ">>>", "=>", "->", "::", "..", "==",
    "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", ".=", ":=", "=~", "!~", "**", "//", "<<",
    ">>", "?.", "??", "|>", "++", "--",
];

impl<'t> Lexer<'t, '_> {
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        let at = self.at.saturating_add(ahead);
        if at >= self.end {
            return 0;
        }
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn push(&mut self, kind: TokenKind, start: usize, pieces: (usize, usize)) {
        let text = self.text.get(start..self.at).unwrap_or_default();
        self.after_value = match kind {
            TokenKind::Mark => matches!(text, ")" | "]" | "}"),
            TokenKind::Line => false,
            TokenKind::Name => !matches!(
                text,
                "return"
                    | "in"
                    | "of"
                    | "and"
                    | "or"
                    | "not"
                    | "if"
                    | "unless"
                    | "split"
                    | "grep"
                    | "case"
                    | "when"
                    | "while"
                    | "until"
                    | "typeof"
                    | "print"
                    | "puts"
            ),
            _ => true,
        };
        self.tokens.push(Token { kind, text, start, end: self.at, pieces });
    }

    fn token(&mut self) {
        let start = self.at;
        match self.byte(0) {
            b'\n' => {
                self.at = self.skip.take().unwrap_or(start + 1).max(start + 1);
                self.tokens.push(Token {
                    kind: TokenKind::Line,
                    text: "\n",
                    start,
                    end: start + 1,
                    pieces: (0, 0),
                });
                self.after_value = false;
            }
            b'\\' => {
                // A line that goes on, or the root namespace of PHP.
                self.at += if self.byte(1) == b'\n' { 2 } else { 1 };
            }
            byte if byte.is_ascii_whitespace() => self.at += 1,
            _ if self.comment() || self.string() => {}
            b'0'..=b'9' => self.number(start),
            byte if is_name(byte) => self.name(start),
            b'$' | b'@' if self.sigil() => {}
            _ => self.mark(start),
        }
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        let opens = |(open, _): &&(&str, &str)| {
            rest.starts_with(open) && (*open != "#" || self.hash_is_comment())
        };
        let opened = self.language.lexicon.comments.iter().find(opens).map(|(_, close)| *close);
        let first_line = self.at == 0
            && rest.starts_with(if self.language.syntax.declares.is_some() { "#!" } else { "#" });
        let Some(until) = opened.or(first_line.then_some("\n")) else {
            return false;
        };
        let length = rest.get(2..).and_then(|body| body.find(until)).map(|found| found + 2);
        self.at = match length {
            // An empty comment: `#` right before the end of the line.
            _ if until == "\n" && rest.as_bytes().get(1) == Some(&b'\n') => self.at + 1,
            Some(length) if until == "\n" => self.at + length,
            Some(length) => self.at + length + until.len(),
            None => self.end,
        };
        true
    }

    /// Tcl, R and others of the rest have `#` inside words.
    fn hash_is_comment(&self) -> bool {
        !self.language.lexicon.hash_in_words
            || self.at == 0
            || self.text.as_bytes().get(self.at.wrapping_sub(1)).is_none_or(u8::is_ascii_whitespace)
    }

    /// Reads a string of any sort, if one starts here.
    fn string(&mut self) -> bool {
        let start = self.at;
        let first = self.pieces.len();
        let Some(kind) = self.any_string() else {
            return false;
        };
        self.push(kind, start, (first, self.pieces.len()));
        true
    }

    fn any_string(&mut self) -> Option<TokenKind> {
        let lexicon = &self.language.lexicon;
        if let Some(kind) = (lexicon.string)(self) {
            return Some(kind);
        }
        let (close, style, kind) = match self.byte(0) {
            b'"' => ("\"", lexicon.double, TokenKind::Text),
            b'\'' => ("'", lexicon.single, TokenKind::Text),
            b'`' => match lexicon.backtick {
                Backtick::Nothing => return None,
                Backtick::Template => ("`", Style::TEMPLATE, TokenKind::Text),
                Backtick::Text => ("`", lexicon.double, TokenKind::Text),
                Backtick::Command => ("`", lexicon.double, TokenKind::Command),
            },
            b'/' if lexicon.patterns && (!self.after_value || self.starts_argument()) => {
                self.at += 1;
                self.pattern(b'/');
                return Some(TokenKind::Pattern);
            }
            b'<' if self.byte(1) == b'<' => return self.here_document(),
            _ => return None,
        };
        self.at += 1;
        self.body(close, None, style);
        Some(kind)
    }

    /// The word that starts here.
    pub(super) fn word(&self) -> Option<&'t str> {
        let rest = self.rest();
        rest.get(..rest.bytes().take_while(|byte| is_name(*byte)).count())
    }

    /// `puts %w[a b]`: after a name and a space, but not before one, a string starts in Ruby.
    pub(super) fn starts_argument(&self) -> bool {
        let named = self
            .tokens
            .last()
            .is_some_and(|last| last.kind == TokenKind::Name && last.end < self.at);
        named
            && self.language.lexicon.spaced_arguments
            && !self.byte(1).is_ascii_whitespace()
            && self.byte(1) != b'='
    }

    /// Skips a regular expression up to its end. A slash in brackets does not end it.
    fn pattern(&mut self, close: u8) {
        let mut bracket = false;
        while self.at < self.end {
            match self.byte(0) {
                b'\\' => self.at += 1,
                b'[' => bracket = true,
                b']' => bracket = false,
                b'\n' => return,
                byte if byte == close && !bracket => {
                    self.at += 1;
                    while self.language.lexicon.pattern_flags && self.byte(0).is_ascii_alphabetic()
                    {
                        self.at += 1;
                    }
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.end;
    }

    /// `<<EOT`, `<<~'EOT'`, `<<<EOT`: the body starts on the next line.
    fn here_document(&mut self) -> Option<TokenKind> {
        let lexicon = &self.language.lexicon;
        if self.after_value && !self.starts_argument() {
            return None;
        }
        let rest = self.rest().strip_prefix(lexicon.here_document?)?;
        let rest = rest.trim_start_matches(['~', '-']).trim_start_matches(' ');
        let quote = rest.bytes().next().filter(|byte| matches!(byte, b'"' | b'\''));
        let rest = rest.trim_start_matches(['"', '\'']);
        let length = rest.bytes().take_while(|byte| is_name(*byte)).count();
        let tag = rest.get(..length).filter(|tag| !tag.is_empty())?;
        self.at = self.end - rest.len() + length + usize::from(quote.is_some());
        let resume = self.at;
        let line_end = match self.skip {
            Some(skip) => skip,
            None => self.at + self.rest().find('\n')? + 1,
        };
        let body = self.text.get(line_end..self.end)?;
        let mut length = 0;
        let mut after = body.len();
        for line in body.split_inclusive('\n') {
            if line.trim().trim_end_matches(';') == tag {
                after = length + line.len();
                break;
            }
            length += line.len();
        }
        let style = if quote == Some(b'\'') { lexicon.single } else { lexicon.double };
        let end = std::mem::replace(&mut self.end, line_end + length);
        self.at = line_end;
        self.body("", None, style);
        self.end = end;
        self.at = resume.min(end);
        self.skip = Some((line_end + after).min(end));
        Some(TokenKind::Text)
    }

    /// The rest of a string that was opened by `open`.
    pub(super) fn delimited(&mut self, open: u8, style: Style) {
        let (close, nests) = match open {
            b'(' => (b')', true),
            b'[' => (b']', true),
            b'{' => (b'}', true),
            b'<' => (b'>', true),
            other => (other, false),
        };
        let buffer = [close];
        let close = std::str::from_utf8(&buffer).unwrap_or("/");
        self.body(close, nests.then_some(open), style);
    }

    fn number(&mut self, start: usize) {
        while is_name(self.byte(0)) || (self.byte(0) == b'.' && self.byte(1).is_ascii_digit()) {
            self.at += 1;
        }
        self.push(TokenKind::Number, start, (0, 0));
    }

    fn name(&mut self, start: usize) {
        let lexicon = &self.language.lexicon;
        while is_name(self.byte(0)) || (lexicon.dollar_is_letter && self.byte(0) == b'$') {
            self.at += 1;
        }
        while lexicon.hyphens && self.byte(0) == b'-' && is_name(self.byte(1)) {
            self.at += 1;
            while is_name(self.byte(0)) {
                self.at += 1;
            }
        }
        if lexicon.name_endings
            && matches!(self.byte(0), b'!' | b'?' | b'*')
            && matches!(self.byte(1), b'(' | b' ')
        {
            self.at += 1;
        }
        self.push(TokenKind::Name, start, (0, 0));
    }

    /// `$name`, `@name`, `$_`, `$0`, and in JavaScript a name that starts with `$`.
    fn sigil(&mut self) -> bool {
        let start = self.at;
        let lexicon = &self.language.lexicon;
        let letter = lexicon.dollar_is_letter;
        let next = self.byte(1);
        if !lexicon.sigils.contains(&self.byte(0))
            || !(is_name(next) || lexicon.special_variables.contains(&next) || letter)
        {
            return false;
        }
        self.at += if letter { 1 } else { 2 };
        while is_name(self.byte(0)) || (letter && self.byte(0) == b'$') {
            self.at += 1;
        }
        self.push(TokenKind::Name, start, (0, 0));
        true
    }

    fn mark(&mut self, start: usize) {
        let rest = self.rest();
        let length = match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => mark.len(),
            None => rest.chars().next().map_or(1, char::len_utf8),
        };
        self.at += length;
        self.push(TokenKind::Mark, start, (0, 0));
    }
}

pub(super) fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}
