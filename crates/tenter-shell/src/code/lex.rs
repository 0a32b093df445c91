//! Tokens of scripting languages: one tokenizer for all of them, with their differences in how
//! strings, comments and patterns are written.

use super::strings::{self, Style};
use crate::world::Language;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    /// A string; its pieces say what is in it.
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
    /// Which pieces a string has, from and to.
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
    language: Language,
    /// The last token is a value, so that `/` divides.
    after_value: bool,
    tokens: &'v mut Vec<Token<'t>>,
    pub(super) pieces: &'v mut Vec<Piece>,
    /// The bodies of here documents on this line end at this byte.
    skip: Option<usize>,
}

/// Adds the tokens of `text[start..end]` to `tokens`.
pub(super) fn lex<'t>(
    text: &'t str,
    (start, end): (usize, usize),
    language: Language,
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
        let until = if self.language == Language::Lua || self.language == Language::AppleScript {
            if rest.starts_with("--[[") {
                Some("]]")
            } else if rest.starts_with("--") {
                Some("\n")
            } else if rest.starts_with("(*") && self.language == Language::AppleScript {
                Some("*)")
            } else {
                None
            }
        } else {
            None
        };
        let slashes =
            matches!(self.language, Language::JavaScript | Language::Php | Language::Other);
        let hash = !matches!(self.language, Language::JavaScript | Language::Lua);
        let until = until.or_else(|| {
            if slashes && rest.starts_with("//") {
                Some("\n")
            } else if slashes && rest.starts_with("/*") {
                Some("*/")
            } else if rest.starts_with('#') && (hash && self.hash_is_comment() || self.at == 0) {
                Some("\n")
            } else {
                None
            }
        });
        let Some(until) = until else {
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
        self.language != Language::Other
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
        let first = self.byte(0);
        match first {
            b'"' | b'\'' => {
                let style = strings::style(self.language, first, "");
                Some(self.quotes("", style))
            }
            b'`' => match self.language {
                Language::JavaScript => {
                    self.at += 1;
                    self.body("`", None, Style::TEMPLATE);
                    Some(TokenKind::Text)
                }
                Language::Python | Language::Lua | Language::AppleScript | Language::Awk => None,
                language => {
                    self.at += 1;
                    self.body("`", None, strings::style(language, b'"', ""));
                    // Julia only makes a command of it, which another function runs.
                    let runs = language != Language::Other;
                    Some(if runs { TokenKind::Command } else { TokenKind::Text })
                }
            },
            b'/' if self.has_patterns() && (!self.after_value || self.starts_argument()) => {
                self.at += 1;
                self.pattern(b'/');
                Some(TokenKind::Pattern)
            }
            b'[' if self.language == Language::Lua => self.long_bracket(),
            b'<' if self.byte(1) == b'<' => self.here_document(),
            b'%' if self.language == Language::Ruby
                && (!self.after_value || self.starts_argument()) =>
            {
                self.percent()
            }
            b':' if self.language == Language::Ruby => self.symbol(),
            byte if byte.is_ascii_alphabetic() => self.prefixed(),
            _ => None,
        }
    }

    /// `puts %w[a b]`: after a name and a space, but not before one, a string starts in Ruby.
    fn starts_argument(&self) -> bool {
        let named = self
            .tokens
            .last()
            .is_some_and(|last| last.kind == TokenKind::Name && last.end < self.at);
        named
            && self.language == Language::Ruby
            && !self.byte(1).is_ascii_whitespace()
            && self.byte(1) != b'='
    }

    fn has_patterns(&self) -> bool {
        matches!(
            self.language,
            Language::JavaScript | Language::Ruby | Language::Perl | Language::Awk
        )
    }

    /// `"..."`, `'...'` and, in Python, three of them.
    fn quotes(&mut self, prefix: &str, style: Style) -> TokenKind {
        self.at += prefix.len();
        let quote = self.byte(0);
        let three =
            self.language == Language::Python && self.byte(1) == quote && self.byte(2) == quote;
        let close = match (quote, three) {
            (b'"', true) => "\"\"\"",
            (b'"', false) => "\"",
            (_, true) => "'''",
            (_, false) => "'",
        };
        self.at += close.len();
        self.body(close, None, style);
        TokenKind::Text
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
                    while self.byte(0).is_ascii_alphabetic() && self.language != Language::Awk {
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

    /// `[[...]]`, `[==[...]==]`
    fn long_bracket(&mut self) -> Option<TokenKind> {
        let rest = self.rest().strip_prefix('[')?;
        let level = rest.len() - rest.trim_start_matches('=').len();
        if level > 8 || rest.as_bytes().get(level) != Some(&b'[') {
            return None;
        }
        let close = "]========]";
        let close = format!("{}]", close.get(..=level)?);
        self.at += level + 2;
        self.body(&close, None, Style::RAW);
        Some(TokenKind::Text)
    }

    /// `<<EOT`, `<<~'EOT'`, `<<<EOT`: the body starts on the next line.
    fn here_document(&mut self) -> Option<TokenKind> {
        let php = self.language == Language::Php;
        if (self.after_value && !self.starts_argument())
            || !(php || matches!(self.language, Language::Ruby | Language::Perl))
        {
            return None;
        }
        let rest = self.rest().strip_prefix(if php { "<<<" } else { "<<" })?;
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
        let style = strings::style(self.language, quote.unwrap_or(b'"'), "");
        let end = std::mem::replace(&mut self.end, line_end + length);
        self.at = line_end;
        self.body("", None, style);
        self.end = end;
        self.at = resume.min(end);
        self.skip = Some((line_end + after).min(end));
        Some(TokenKind::Text)
    }

    /// Ruby: `%w(a b)`, `%x(cmd)`, `%q(..)`, `%Q(..)`, `%(..)`.
    fn percent(&mut self) -> Option<TokenKind> {
        let letter = self.byte(1);
        let (open, skip) =
            if letter.is_ascii_alphabetic() { (self.byte(2), 3) } else { (letter, 2) };
        if !matches!(open, b'(' | b'[' | b'{' | b'<' | b'|' | b'!' | b'/') {
            return None;
        }
        let (kind, style) = match letter {
            b'x' => (TokenKind::Command, strings::style(self.language, b'"', "")),
            b'w' | b'W' | b'i' | b'I' => (TokenKind::Words, Style::SINGLE),
            b'q' => (TokenKind::Text, Style::SINGLE),
            b'r' => (TokenKind::Pattern, Style::RAW),
            _ => (TokenKind::Text, strings::style(self.language, b'"', "")),
        };
        self.at += skip;
        self.delimited(open, style);
        Some(kind)
    }

    /// The rest of a string that was opened by `open`.
    fn delimited(&mut self, open: u8, style: Style) {
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

    /// Ruby: `:name`
    fn symbol(&mut self) -> Option<TokenKind> {
        if !is_name(self.byte(1)) || self.byte(1).is_ascii_digit() || self.after_value {
            return None;
        }
        self.at += 1;
        let start = self.at;
        while is_name(self.byte(0)) {
            self.at += 1;
        }
        let name = self.text.get(start..self.at).unwrap_or_default();
        self.pieces.push(Piece::Text(name.to_owned()));
        Some(TokenKind::Text)
    }

    /// Strings that start with a letter: `r'...'`, `f"..."`, `q(...)`, `qx{...}`, `s/a/b/`.
    fn prefixed(&mut self) -> Option<TokenKind> {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| is_name(*byte)).count();
        let word = rest.get(..length)?;
        let next = self.byte(length);
        match self.language {
            Language::Python if length <= 2 && matches!(next, b'"' | b'\'') => {
                let known = word.bytes().all(|byte| b"rbfuRBFUtT".contains(&byte));
                let style = strings::style(self.language, next, word);
                known.then(|| self.quotes(word, style))
            }
            Language::Perl => self.perl_quote(word, next),
            _ => None,
        }
    }

    fn perl_quote(&mut self, word: &str, next: u8) -> Option<TokenKind> {
        if !matches!(word, "q" | "qq" | "qx" | "qw" | "qr" | "m" | "s" | "tr" | "y") {
            return None;
        }
        let spaces =
            self.rest().get(word.len()..)?.bytes().take_while(|byte| *byte == b' ').count();
        let open = self.byte(word.len() + spaces);
        let plain = open.is_ascii_punctuation() && !matches!(open, b',' | b';' | b')' | b'=')
            || open == b'='
                && next == b'='
                && self.byte(word.len() + 1) != b'='
                && self.byte(word.len() + 1) != b'>';
        if !plain || (spaces > 0 && !matches!(open, b'(' | b'{' | b'[' | b'/')) {
            return None;
        }
        self.at += word.len() + spaces + 1;
        let (kind, style) = match word {
            "q" => (TokenKind::Text, Style::SINGLE),
            "qx" => (TokenKind::Command, strings::style(self.language, b'"', "")),
            "qq" => (TokenKind::Text, strings::style(self.language, b'"', "")),
            "qw" => (TokenKind::Words, Style::SINGLE),
            _ => (TokenKind::Pattern, Style::RAW_ESCAPED),
        };
        self.delimited(open, style);
        if matches!(word, "s" | "tr" | "y") {
            if matches!(open, b'(' | b'{' | b'[' | b'<') {
                while self.byte(0).is_ascii_whitespace() {
                    self.at += 1;
                }
                let open = self.byte(0);
                self.at += 1;
                self.delimited(open, style);
            } else {
                self.delimited(open, style);
            }
        }
        if kind == TokenKind::Pattern {
            while self.byte(0).is_ascii_alphabetic() {
                self.at += 1;
            }
        }
        Some(kind)
    }

    fn number(&mut self, start: usize) {
        while is_name(self.byte(0)) || (self.byte(0) == b'.' && self.byte(1).is_ascii_digit()) {
            self.at += 1;
        }
        self.push(TokenKind::Number, start, (0, 0));
    }

    fn name(&mut self, start: usize) {
        while is_name(self.byte(0))
            || (self.byte(0) == b'$' && self.language == Language::JavaScript)
        {
            self.at += 1;
        }
        let lisp = self.language == Language::Other;
        while lisp && self.byte(0) == b'-' && is_name(self.byte(1)) {
            self.at += 1;
            while is_name(self.byte(0)) {
                self.at += 1;
            }
        }
        let marks = matches!(self.language, Language::Ruby | Language::Other);
        if marks
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
        let first = self.byte(0);
        let has = match self.language {
            Language::Perl | Language::Ruby => true,
            Language::Php | Language::JavaScript | Language::Other => first == b'$',
            _ => false,
        };
        let next = self.byte(1);
        let special = self.language == Language::Perl
            && matches!(next, b'_' | b'@' | b'!' | b'&' | b'0'..=b'9');
        let bare = self.language == Language::JavaScript;
        if !has || !(is_name(next) || special || bare) {
            return false;
        }
        self.at += if bare { 1 } else { 2 };
        while is_name(self.byte(0)) || (bare && self.byte(0) == b'$') {
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
