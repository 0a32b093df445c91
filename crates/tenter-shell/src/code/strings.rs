//! String contents: escapes, and code inside strings.

use super::lex::{Lexer, Piece, is_name};

/// How a string is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    escapes: Escapes,
    inside: Inside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escapes {
    None,
    /// A backslash keeps the next character from ending the string, and stays.
    Kept,
    /// Only the quote and the backslash itself.
    Few,
    All,
    /// `\114` is decimal.
    Lua,
}

/// Code inside a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    None,
    /// `{x}`
    Braces,
    /// `${x}`
    Template,
    /// `#{x}`
    Hash,
    /// `$x`, `@{[ x ]}`
    Sigils,
    /// `$x` alone
    Dollars,
    /// `$x`, `${x}`, `$(x)`: the code is without the sign.
    Bare,
    /// `\(x)`
    Parentheses,
}

impl Style {
    pub(super) const PLAIN: Self = Self { escapes: Escapes::All, inside: Inside::None };
    pub(super) const RAW: Self = Self { escapes: Escapes::None, inside: Inside::None };
    pub(super) const RAW_ESCAPED: Self = Self { escapes: Escapes::Kept, inside: Inside::None };
    pub(super) const SINGLE: Self = Self { escapes: Escapes::Few, inside: Inside::None };
    pub(super) const LUA: Self = Self { escapes: Escapes::Lua, inside: Inside::None };
    pub(super) const TEMPLATE: Self = Self { escapes: Escapes::All, inside: Inside::Template };
    pub(super) const SIGILS: Self = Self { escapes: Escapes::All, inside: Inside::Sigils };
    pub(super) const DOLLARS: Self = Self { escapes: Escapes::All, inside: Inside::Dollars };
    pub(super) const BARE: Self = Self { escapes: Escapes::All, inside: Inside::Bare };
    pub(super) const SWIFT: Self = Self { escapes: Escapes::All, inside: Inside::Parentheses };
    pub(super) const HASH: Self = Self { escapes: Escapes::All, inside: Inside::Hash };

    /// `r"..."`, `f"..."`
    pub(super) const fn python(raw: bool, filled: bool) -> Self {
        Self {
            escapes: if raw { Escapes::Kept } else { Escapes::All },
            inside: if filled { Inside::Braces } else { Inside::None },
        }
    }
}

impl Lexer<'_, '_> {
    /// Reads up to `close` and past it; the pieces are added. With `nests`, that character opens
    /// another level. An empty `close` reads to the end.
    pub(super) fn body(&mut self, close: &str, nests: Option<u8>, style: Style) {
        let mut depth = 0_usize;
        let mut text = String::new();
        while self.at < self.end {
            let rest = self.rest();
            let Some(next) = rest.chars().next() else {
                break;
            };
            if !close.is_empty() && rest.starts_with(close) {
                if depth == 0 {
                    self.at += close.len();
                    self.flush(text);
                    return;
                }
                depth -= 1;
            } else if nests.is_some_and(|open| char::from(open) == next) {
                depth += 1;
            } else if next == '\\'
                && style.escapes != Escapes::None
                && !(style.inside == Inside::Parentheses && rest.starts_with("\\("))
            {
                self.escape(&mut text, close, style.escapes);
                continue;
            } else if let Some((start, end, after)) = self.inside(style.inside) {
                self.flush(std::mem::take(&mut text));
                self.pieces.push(Piece::Code(start, end));
                self.at = after.max(self.at + 1);
                continue;
            } else if style.inside == Inside::Braces && matches!(next, '{' | '}') {
                // Doubled: the brace itself.
                self.at += 1;
            }
            text.push(next);
            self.at += next.len_utf8();
        }
        self.at = self.end;
        self.flush(text);
    }

    fn flush(&mut self, text: String) {
        if !text.is_empty() {
            self.pieces.push(Piece::Text(text));
        }
    }

    /// Code that starts here: its bytes, and where the string goes on.
    fn inside(&self, inside: Inside) -> Option<(usize, usize, usize)> {
        let rest = self.rest();
        let skip = match inside {
            Inside::Braces if rest.starts_with('{') && !rest.starts_with("{{") => 1,
            Inside::Template if rest.starts_with("${") => 2,
            Inside::Hash if rest.starts_with("#{") => 2,
            Inside::Parentheses if rest.starts_with("\\(") => 2,
            Inside::Bare if rest.starts_with("${") || rest.starts_with("$(") => 2,
            Inside::Bare if rest.starts_with('$') && is_name(self.byte(1)) => {
                let name = rest.bytes().skip(1).take_while(|byte| is_name(*byte)).count();
                let end = (self.at + 1 + name).min(self.end);
                return Some((self.at + 1, end, end));
            }
            Inside::Dollars if rest.starts_with('@') => return None,
            // An address, in code that is not strict.
            Inside::Sigils if rest.starts_with('@') && self.follows_name() => return None,
            Inside::Sigils | Inside::Dollars => return self.variable(),
            _ => return None,
        };
        let start = self.at + skip;
        let close = self.closing(start);
        let end = if inside == Inside::Braces { self.before_format(start, close) } else { close };
        Some((start, end, close + 1))
    }

    /// Whether a letter or a digit stands right before: `u@host`.
    fn follows_name(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.text.as_bytes().get(at));
        before.is_some_and(|byte| is_name(*byte))
    }

    /// `$x`, `$x[1]`, `$h{k}`, `${x}`, `{$x}`, `@{[ code ]}`, `@x`
    fn variable(&self) -> Option<(usize, usize, usize)> {
        let rest = self.rest();
        if rest.starts_with("${") || rest.starts_with("@{") {
            let start = self.at + 2;
            let close = self.closing(start);
            return Some((start, close, close + 1));
        }
        if rest.starts_with("{$") {
            let start = self.at + 1;
            let close = self.closing(start);
            return Some((start, close, close + 1));
        }
        if !rest.starts_with(['$', '@']) || !is_name(self.byte(1)) {
            return None;
        }
        if rest.starts_with('@') && self.byte(1).is_ascii_digit() {
            return None;
        }
        let name = rest.bytes().skip(1).take_while(|byte| is_name(*byte)).count();
        let mut end = self.at + 1 + name;
        let arrow = self.text.get(end..).is_some_and(|rest| rest.starts_with("->"));
        let next = self.text.as_bytes().get(end + if arrow { 2 } else { 0 });
        if matches!(next, Some(b'[' | b'{')) && rest.starts_with('$') {
            end = self.closing(end + 1 + if arrow { 2 } else { 0 }) + 1;
        }
        Some((self.at, end.min(self.end), end))
    }

    /// The bracket that closes what was opened before `start`. Without one, the end: that keeps
    /// hostile text from being read again and again.
    fn closing(&self, start: usize) -> usize {
        let mut depth = 0_usize;
        let mut quote = 0_u8;
        let mut at = start;
        while at < self.end {
            let byte = self.text.as_bytes().get(at).copied().unwrap_or(0);
            match byte {
                b'\\' => at += 1,
                b'"' | b'\'' | b'`' if quote == byte => quote = 0,
                _ if quote != 0 => {}
                b'"' | b'\'' | b'`' => quote = byte,
                b'{' | b'[' | b'(' => depth += 1,
                b'}' | b']' | b')' if depth == 0 => return at,
                b'}' | b']' | b')' => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        self.end
    }

    /// Where `!r` or `:>10` starts in the braces of a Python string.
    fn before_format(&self, start: usize, end: usize) -> usize {
        let code = self.text.get(start..end).unwrap_or_default();
        let mut depth = 0_usize;
        let mut quote = 0_u8;
        for (at, byte) in code.bytes().enumerate() {
            match byte {
                b'"' | b'\'' if quote == byte => quote = 0,
                _ if quote != 0 => {}
                b'"' | b'\'' => quote = byte,
                b'{' | b'[' | b'(' => depth += 1,
                b'}' | b']' | b')' => depth = depth.saturating_sub(1),
                b':' if depth == 0 => return start + at,
                b'!' if depth == 0 && code.as_bytes().get(at + 1) != Some(&b'=') => {
                    return start + at;
                }
                _ => {}
            }
        }
        end
    }

    fn escape(&mut self, text: &mut String, close: &str, escapes: Escapes) {
        let mut rest = self.rest().chars();
        rest.next();
        let Some(letter) = rest.next() else {
            self.at = self.end;
            return;
        };
        let whole = 1 + letter.len_utf8();
        if escapes == Escapes::Kept {
            text.push('\\');
            text.push(letter);
            self.at += whole;
            return;
        }
        if escapes == Escapes::Few {
            if letter != '\\' && !close.starts_with(letter) {
                text.push('\\');
            }
            text.push(letter);
            self.at += whole;
            return;
        }
        self.at += whole;
        let found = match letter {
            '\n' => return,
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'a' => Some('\x07'),
            'b' => Some('\x08'),
            'f' => Some('\x0c'),
            'v' => Some('\x0b'),
            'e' => Some('\x1b'),
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='9' if escapes == Escapes::Lua => {
                self.at -= 1;
                self.digits(10, 3)
            }
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3)
            }
            other => Some(other),
        };
        text.extend(found);
    }

    /// Up to `most` digits, or any number in braces.
    fn digits(&mut self, radix: u32, most: usize) -> Option<char> {
        let braces = self.byte(0) == b'{';
        if braces {
            self.at += 1;
        }
        let mut value = 0_u32;
        let mut count = 0;
        while (braces || count < most)
            && let Some(digit) = char::from(self.byte(0)).to_digit(radix)
        {
            value = value.saturating_mul(radix).saturating_add(digit);
            count += 1;
            self.at += 1;
        }
        if braces && self.byte(0) == b'}' {
            self.at += 1;
        }
        char::from_u32(value)
    }
}
