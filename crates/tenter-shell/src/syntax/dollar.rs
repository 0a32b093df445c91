//! Expansions that start with a dollar sign, and other substitutions.

use super::ast::{Operation, Parameter, ParameterName, Script, WordPart};
use super::cursor::Parser;
use super::dialect::Dialect;
use super::keyword::{BRACE, Keyword};
use super::simple::is_name;
use super::text::BRACKET;

impl Parser<'_, '_> {
    /// An expansion, or the dollar sign alone. `quoted`: inside double quotes; `ansi`: `$'...'`
    /// and `$"..."` count.
    pub(super) fn dollar(&mut self, parts: &mut Vec<WordPart>, quoted: bool, ansi: bool) {
        let start = self.pos;
        let (next, at) = self.look(start + 1);
        match next {
            Some(b'(') => {
                let (second, inner) = self.look(at + 1);
                if second == Some(b'(')
                    && let Some(expression) = self.arithmetic(at, inner)
                {
                    parts.push(WordPart::Arithmetic { expression, span: self.span(start) });
                } else {
                    self.pos = at + 1;
                    let script = self.substitution(start);
                    parts.push(WordPart::Command { script, span: self.span(start) });
                }
            }
            Some(b'{') => {
                self.pos = at + 1;
                self.braces(parts, quoted, start);
            }
            Some(b'[') if self.dialect.extended() => {
                self.pos = at + 1;
                self.bracket_arithmetic(parts, start);
            }
            Some(b'\'') if ansi && self.dialect != Dialect::Fish => {
                self.pos = at;
                self.ansi_quotes(parts, start);
            }
            Some(b'"') if ansi && self.dialect != Dialect::Fish => {
                self.pos = at;
                self.double_quotes(parts);
            }
            Some(byte) => self.short_parameter(parts, byte, at, quoted),
            None => {
                self.pos += 1;
                self.push_run(parts, !quoted, start, self.pos);
            }
        }
    }

    /// `$name`, `$1`, `$@`
    fn short_parameter(&mut self, parts: &mut Vec<WordPart>, first: u8, at: usize, quoted: bool) {
        let start = self.pos;
        let mut operation = Operation::None;
        let name = match first {
            b'#' if self.dialect == Dialect::Zsh
                && self.bytes.get(at + 1).is_some_and(|&byte| is_name(byte)) =>
            {
                self.pos = at + 1;
                operation = Operation::Length;
                ParameterName::Variable(self.joined_name())
            }
            b'0' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => {
                self.pos = at + 1;
                ParameterName::Special(char::from(first))
            }
            b'1'..=b'9' => {
                self.pos = at + 1;
                ParameterName::Positional(u32::from(first - b'0'))
            }
            _ if is_name(first) => {
                self.pos = at;
                ParameterName::Variable(self.joined_name())
            }
            _ => {
                self.pos += 1;
                self.push_run(parts, !quoted, start, self.pos);
                return;
            }
        };
        let mut parameter =
            Parameter { name, index: None, indirect: false, operation, span: self.span(start) };
        if self.dialect == Dialect::Zsh && self.peek() == Some(b'[') {
            self.short_index(&mut parameter, start);
        }
        parts.push(WordPart::Parameter(Box::new(parameter)));
    }

    /// A name, which may be continued on the next line.
    pub(super) fn joined_name(&mut self) -> String {
        let start = self.pos;
        let mut joined = false;
        loop {
            match self.peek() {
                Some(byte) if is_name(byte) => self.pos += 1,
                Some(b'\\')
                    if self.peek_at(1) == Some(b'\n')
                        && self.look(self.pos).0.is_some_and(is_name) =>
                {
                    joined = true;
                    self.pos = self.look(self.pos).1;
                }
                _ => break,
            }
        }
        let name = self.slice(start, self.pos);
        if joined { name.replace("\\\n", "") } else { name.to_owned() }
    }

    /// The commands of `$(...)` or `<(...)`, behind the parenthesis.
    fn substitution(&mut self, start: usize) -> Script {
        if !self.enter() {
            return Script::default();
        }
        let waiting = self.heredocs.suspend();
        let substituted = std::mem::replace(&mut self.substituted, true);
        let script = self.list_in_parentheses(start);
        self.substituted = substituted;
        self.heredocs.resume(waiting);
        self.leave();
        script
    }

    /// `<(...)`, `>(...)` and, in zsh, `=(...)` from its parenthesis.
    pub(super) fn process(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.pos;
        let output = self.peek() == Some(b'>');
        self.pos += if self.peek() == Some(b'(') { 1 } else { 2 };
        let script = self.substitution(start);
        parts.push(WordPart::Process { script, output, span: self.span(start) });
    }

    /// `${ ...; }`, behind the brace.
    pub(super) fn brace_substitution(&mut self, parts: &mut Vec<WordPart>, start: usize) {
        if !self.enter() {
            return;
        }
        self.eat(b'|');
        let waiting = self.heredocs.suspend();
        let around = std::mem::replace(&mut self.open, Keyword::RightBrace.bit() | BRACE);
        let script = self.script();
        self.open = around;
        if !self.eat(b'}') {
            self.error("`${` is not closed", start);
        }
        self.heredocs.resume(waiting);
        self.leave();
        parts.push(WordPart::Command { script, span: self.span(start) });
    }

    /// `$[...]`, behind the bracket.
    fn bracket_arithmetic(&mut self, parts: &mut Vec<WordPart>, start: usize) {
        if !self.enter() {
            return;
        }
        let expression = self.enclosed_word(&BRACKET);
        self.leave();
        if !self.eat(b']') {
            self.error("`$[` is not closed", start);
        }
        parts.push(WordPart::Arithmetic { expression, span: self.span(start) });
    }
}
