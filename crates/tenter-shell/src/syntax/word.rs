//! Words before expansion.

use super::ast::{Text, Word, WordPart};
use super::cursor::Parser;
use super::dialect::Dialect;

impl Parser<'_, '_> {
    /// The word at the cursor; empty when none starts here.
    pub(super) fn word(&mut self) -> Word {
        if self.dialect == Dialect::Fish {
            return self.fish_word();
        }
        self.word_from(Vec::new(), self.pos, false)
    }

    /// The rest of a word of which `parts` have been read. In a regular expression of `[[`,
    /// parentheses and bars belong to the word.
    pub(super) fn word_from(
        &mut self,
        mut parts: Vec<WordPart>,
        start: usize,
        regex: bool,
    ) -> Word {
        // Parentheses of patterns that are open.
        let mut open = 0_usize;
        let mut run = self.pos;
        while let Some(byte) = self.peek() {
            match byte {
                b'<' | b'>' if self.at_process() => {
                    self.push_run(&mut parts, true, run, self.pos);
                    self.process(&mut parts);
                    run = self.pos;
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'<' | b'>' if open == 0 => break,
                b'|' if open == 0 && !regex => break,
                b'\r' if open == 0 && self.at_carriage_return() => break,
                b'(' => {
                    if open == 0 && !regex && !self.opens_pattern(start) {
                        break;
                    }
                    if self.dialect == Dialect::Zsh && self.pos == start + 1 && self.after(b'=') {
                        self.process(&mut parts);
                        run = self.pos;
                        continue;
                    }
                    open += 1;
                    self.pos += 1;
                }
                b')' => {
                    if open == 0 {
                        break;
                    }
                    open -= 1;
                    self.pos += 1;
                }
                b'\\' | b'\'' | b'"' | b'`' | b'$' => {
                    self.push_run(&mut parts, true, run, self.pos);
                    let special = self.pos;
                    self.special(&mut parts, byte);
                    if open > 0 {
                        self.check_balance(special, (b'(', b')'));
                    }
                    run = self.pos;
                }
                _ => self.pos += 1,
            }
        }
        self.push_run(&mut parts, true, run, self.pos);
        if open > 0 {
            self.error("`(` is not closed", start);
        }
        Word { parts, span: self.span(start) }
    }

    /// Whether the byte before the cursor is this one.
    fn after(&self, byte: u8) -> bool {
        self.pos.checked_sub(1).and_then(|before| self.bytes.get(before)) == Some(&byte)
    }

    /// Whether the parenthesis at the cursor belongs to the word: `@(`, `?(`, `*(`, `+(`, `!(`; in
    /// zsh also groups and qualifiers.
    fn opens_pattern(&self, start: usize) -> bool {
        match self.dialect {
            // `name()` defines a function, whatever the name.
            Dialect::Zsh => self.peek_at(1) != Some(b')') || self.pos == start,
            Dialect::Bash if self.pos > start => {
                [b'@', b'?', b'*', b'+', b'!'].iter().any(|&prefix| self.after(prefix))
                    && !self.escaped()
            }
            _ => false,
        }
    }

    /// Whether the byte before the cursor is quoted by a backslash.
    fn escaped(&self) -> bool {
        let before = self.bytes.get(..self.pos.saturating_sub(1)).unwrap_or_default();
        before.iter().rev().take(2).take_while(|&&byte| byte == b'\\').count() == 1
    }

    /// A quote, a backslash or an expansion, outside of double quotes.
    pub(super) fn special(&mut self, parts: &mut Vec<WordPart>, byte: u8) {
        match byte {
            b'\\' => self.backslash(parts),
            b'\'' => self.single_quotes(parts),
            b'"' => self.double_quotes(parts),
            b'`' => self.backquotes(parts, false),
            _ => self.dollar(parts, false, true),
        }
    }

    /// Adds the text between two bytes of the source.
    pub(super) fn push_run(
        &self,
        parts: &mut Vec<WordPart>,
        literal: bool,
        start: usize,
        end: usize,
    ) {
        if start < end {
            let text = self.slice(start, end);
            push_text(parts, literal, text, self.place(start));
        }
    }
}

/// Adds text, to the part before it where that is of the same kind.
fn push_text(parts: &mut Vec<WordPart>, literal: bool, text: &str, at: Option<u32>) {
    match parts.last_mut() {
        Some(WordPart::Literal(last)) if literal => {
            if !follows(last, at) {
                last.at = None;
            }
            last.text.push_str(text);
        }
        Some(WordPart::Quoted(last)) if !literal && follows(last, at) => last.text.push_str(text),
        _ => {
            let text = Text { text: text.to_owned(), at };
            parts.push(if literal { WordPart::Literal(text) } else { WordPart::Quoted(text) });
        }
    }
}

/// Whether text from `at` stands right behind `before`.
fn follows(before: &Text, at: Option<u32>) -> bool {
    matches!((before.at, at), (Some(old), Some(new)) if old as usize + before.text.len() == new as usize)
}

/// Adds a part, joining text.
pub(super) fn push_part(parts: &mut Vec<WordPart>, part: WordPart) {
    match part {
        WordPart::Literal(text) => push_text(parts, true, &text.text, text.at),
        WordPart::Quoted(text) => push_text(parts, false, &text.text, text.at),
        part => parts.push(part),
    }
}
