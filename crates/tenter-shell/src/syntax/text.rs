//! Text up to a closing byte: double quotes, heredocs, arithmetic, the words inside `${...}`.

use super::ast::{Word, WordPart};
use super::cursor::Parser;
use super::dialect::Dialect;
use super::word::push_part;

/// Meaning of a double quote.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Double {
    /// Nothing: it is a letter.
    Plain,
    /// It opens a quoted part.
    Opens,
    /// It opens a quoted part, of which only the inside is kept.
    Vanishes,
}

/// Meaning of a single quote.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Single {
    /// Nothing: it is a letter.
    Plain,
    /// It opens a quoted part.
    Opens,
    /// In bash it is a letter, but up to the next one nothing can end the text.
    Shields,
}

/// Rules for reading a piece of text.
pub(super) struct Rule {
    /// Bytes that end it, outside of the parentheses that it counts.
    stops: &'static [u8],
    /// Stands directly in `${...}`: the first `}` ends it, whatever is open.
    braced: bool,
    /// Parentheses to count.
    counts: Option<(u8, u8)>,
    double: Double,
    single: Single,
    /// Characters that a backslash quotes: all, or only these.
    escapes: Option<&'static [u8]>,
    /// Text is unquoted.
    literal: bool,
    /// Tabs at the start of lines go away.
    tabs: bool,
}

const QUOTED: Rule = Rule {
    stops: b"\"",
    braced: false,
    counts: None,
    double: Double::Plain,
    single: Single::Plain,
    escapes: Some(b"$`\"\\"),
    literal: false,
    tabs: false,
};
const UNQUOTED: Rule = Rule {
    stops: b"",
    braced: true,
    counts: None,
    double: Double::Opens,
    single: Single::Opens,
    escapes: None,
    literal: true,
    tabs: false,
};

/// Between double quotes.
pub(super) const DOUBLE: Rule = QUOTED;
/// The body of a heredoc.
pub(super) const HEREDOC: Rule = Rule { stops: b"", escapes: Some(b"$`\\"), ..QUOTED };
/// The body of a heredoc after `<<-`.
pub(super) const HEREDOC_TABS: Rule = Rule { tabs: true, ..HEREDOC };
/// `((...))`
pub(super) const ARITHMETIC: Rule = Rule {
    stops: b")",
    counts: Some((b'(', b')')),
    double: Double::Vanishes,
    single: Single::Opens,
    ..QUOTED
};
/// One part of `for ((a; b; c))`.
pub(super) const CLAUSE: Rule = Rule { stops: b";)", ..ARITHMETIC };
/// `$[...]`
pub(super) const BRACKET: Rule = Rule { stops: b"]", counts: Some((b'[', b']')), ..ARITHMETIC };
/// A number in `${x:offset:length}`.
pub(super) const OFFSET: Rule = Rule { stops: b":", braced: true, ..ARITHMETIC };
/// The word of `${x:-word}`.
pub(super) const FALLBACK: Rule = UNQUOTED;
/// The same inside double quotes.
pub(super) const QUOTED_FALLBACK: Rule = Rule {
    stops: b"",
    braced: true,
    double: Double::Opens,
    single: Single::Shields,
    escapes: Some(b"$`\"\\}"),
    ..QUOTED
};
/// Text between single quotes that shield.
const SHIELDED: Rule = Rule { stops: b"", ..QUOTED };
/// A pattern in `${x#pattern}`: quotes count even inside double quotes.
pub(super) const PATTERN: Rule = UNQUOTED;
/// The pattern in `${x/pattern/with}`.
pub(super) const REPLACED: Rule = Rule { stops: b"/", ..UNQUOTED };
/// `[...]` after a name in `${...}`.
pub(super) const BRACED_INDEX: Rule = Rule { stops: b"]", counts: Some((b'[', b']')), ..UNQUOTED };
/// `[...]` after a name elsewhere.
pub(super) const INDEX: Rule = Rule { braced: false, ..BRACED_INDEX };

impl Parser<'_, '_> {
    /// Reads up to the byte that ends the text, which stays.
    pub(super) fn enclosed(&mut self, rule: &Rule) -> Vec<WordPart> {
        let mut parts = Vec::new();
        let mut open = 0_usize;
        let mut run = self.pos;
        while let Some(byte) = self.peek() {
            if !may_count(byte) {
                self.pos += 1;
                continue;
            }
            if (byte == b'}' && rule.braced) || (open == 0 && rule.stops.contains(&byte)) {
                break;
            }
            match byte {
                b'$' | b'`' => {
                    self.push_run(&mut parts, rule.literal, run, self.pos);
                    if byte == b'$' {
                        self.expansion_inside(rule, &mut parts);
                    } else {
                        self.backquotes(&mut parts, !rule.literal);
                    }
                    run = self.pos;
                }
                b'\\' => run = self.enclosed_backslash(rule, &mut parts, run),
                b'\'' if rule.single == Single::Opens => {
                    self.push_run(&mut parts, rule.literal, run, self.pos);
                    self.single_quotes(&mut parts);
                    run = self.pos;
                }
                b'\'' if rule.single == Single::Shields && self.dialect == Dialect::Bash => {
                    self.pos += 1;
                    self.push_run(&mut parts, rule.literal, run, self.pos);
                    self.shielded(&mut parts);
                    run = self.pos;
                    self.pos += usize::from(!self.at_end());
                }
                b'"' if rule.double != Double::Plain => {
                    self.push_run(&mut parts, rule.literal, run, self.pos);
                    let before = parts.len();
                    self.double_quotes(&mut parts);
                    if rule.double == Double::Vanishes && parts.len() > before {
                        unwrap_last(&mut parts);
                    }
                    run = self.pos;
                }
                b'<' | b'>' if (rule.braced || rule.literal) && self.at_process() => {
                    run = self.process_inside(rule, &mut parts, run);
                }
                b'\n' if rule.tabs => {
                    self.pos += 1;
                    self.push_run(&mut parts, rule.literal, run, self.pos);
                    self.skip_tabs();
                    run = self.pos;
                }
                _ => {
                    if let Some((opens, closes)) = rule.counts {
                        open += usize::from(byte == opens);
                        open = open.saturating_sub(usize::from(byte == closes));
                    }
                    self.pos += 1;
                }
            }
        }
        self.push_run(&mut parts, rule.literal, run, self.pos);
        parts
    }

    pub(super) fn enclosed_word(&mut self, rule: &Rule) -> Word {
        let start = self.pos;
        let parts = self.enclosed(rule);
        Word { parts, span: self.span(start) }
    }

    /// Up to the single quote that ends what one shields.
    fn shielded(&mut self, parts: &mut Vec<WordPart>) {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let Some(len) = rest.iter().position(|&byte| byte == b'\'') else {
            self.error("`'` is not closed", self.pos.saturating_sub(1));
            return;
        };
        let end = self.pos + len;
        let whole = self.limit(end);
        for part in self.enclosed(&SHIELDED) {
            push_part(parts, part);
        }
        self.unlimit(whole);
        self.pos = end;
    }

    /// `<(...)` inside of `${...}`; gives the start of the run of text that goes on. In quotes it
    /// is only text, but nothing in it ends the braces.
    fn process_inside(&mut self, rule: &Rule, parts: &mut Vec<WordPart>, run: usize) -> usize {
        if rule.literal {
            self.push_run(parts, rule.literal, run, self.pos);
            self.process(parts);
            return self.pos;
        }
        self.process(&mut Vec::new());
        run
    }

    /// A dollar sign inside of text. Shells that count parentheses do not look into `${...}`.
    fn expansion_inside(&mut self, rule: &Rule, parts: &mut Vec<WordPart>) {
        let start = self.pos;
        self.dollar(parts, !rule.literal, rule.single != Single::Plain);
        if let Some(counts) = rule.counts
            && !(rule.literal || rule.braced)
        {
            self.check_balance(start, counts);
        }
    }

    /// Tells when the `${...}` from `start` to here holds a parenthesis that has no partner in it.
    pub(super) fn check_balance(&mut self, start: usize, (opens, closes): (u8, u8)) {
        let text = self.bytes.get(start..self.pos).unwrap_or_default();
        if !text.starts_with(b"${") || self.at_end() || !self.charge(text.len()) {
            return;
        }
        let mut open = 0_usize;
        for &byte in text {
            if byte == opens {
                open += 1;
            } else if byte == closes {
                let Some(left) = open.checked_sub(1) else {
                    open = 1;
                    break;
                };
                open = left;
            }
        }
        if open > 0 {
            self.error("this has no partner inside of the braces", start);
        }
    }

    pub(super) fn skip_tabs(&mut self) {
        while self.eat(b'\t') {}
    }

    /// A backslash inside of text; gives the start of the run of text that goes on.
    fn enclosed_backslash(&mut self, rule: &Rule, parts: &mut Vec<WordPart>, run: usize) -> usize {
        let next = self.peek_at(1);
        if next == Some(b'\n') {
            self.push_run(parts, rule.literal, run, self.pos);
            self.pos += 2;
            if rule.tabs {
                self.skip_tabs();
            }
            return self.pos;
        }
        let Some(escapes) = rule.escapes else {
            self.push_run(parts, rule.literal, run, self.pos);
            self.backslash(parts);
            return self.pos;
        };
        if next.is_some_and(|next| escapes.contains(&next)) {
            self.push_run(parts, rule.literal, run, self.pos);
            let start = self.pos + 1;
            self.pos += 2;
            return start;
        }
        // Both stand for themselves, and the second one does nothing else.
        self.pos += if next.is_some() { 2 } else { 1 };
        run
    }
}

/// Puts what is between the double quotes of the last part in its place.
fn unwrap_last(parts: &mut Vec<WordPart>) {
    match parts.pop() {
        Some(WordPart::DoubleQuoted(inner)) => parts.extend(inner),
        Some(other) => parts.push(other),
        None => {}
    }
}

/// Whether any rule could stop or turn at this byte.
fn may_count(byte: u8) -> bool {
    matches!(
        byte,
        b'"' | b'\''
            | b'\\'
            | b'$'
            | b'`'
            | b'}'
            | b'/'
            | b':'
            | b';'
            | b'('
            | b')'
            | b'['
            | b']'
            | b'<'
            | b'>'
            | b'\n'
    )
}
