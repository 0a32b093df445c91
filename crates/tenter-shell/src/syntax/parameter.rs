//! `${...}`

use super::ast::{
    CaseChange, Fallback, Index, Operation, Parameter, ParameterName, Which, Word, WordPart,
};
use super::cursor::Parser;
use super::dialect::Dialect;
use super::simple::is_name;
use super::text::{BRACED_INDEX, FALLBACK, OFFSET, PATTERN, QUOTED_FALLBACK, REPLACED, Rule};

impl Parser<'_, '_> {
    /// Parses the part after `${`.
    pub(super) fn braces(&mut self, parts: &mut Vec<WordPart>, quoted: bool, start: usize) {
        if self.dialect == Dialect::Bash && matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'|'))
        {
            self.brace_substitution(parts, start);
            return;
        }
        if self.peek() == Some(b'{') && self.workflow_expression() {
            parts.push(self.zsh_unknown(start));
            return;
        }
        if !self.enter() {
            return;
        }
        let flags = self.dialect == Dialect::Zsh && self.zsh_flags();
        if self.dialect == Dialect::Zsh && self.zsh_nested(parts, quoted, start) {
            self.leave();
            return;
        }
        let mut parameter = self.parameter(quoted);
        if flags && parameter.operation == Operation::None {
            parameter.operation = Operation::Transform('(');
        } else if flags {
            parts.push(self.zsh_unknown(start));
        }
        if !self.eat(b'}') {
            self.skip_bad_substitution(start);
        }
        self.leave();
        parameter.span = self.span(start);
        parts.push(WordPart::Parameter(Box::new(parameter)));
    }

    /// `${{ matrix.target }}`: replaced by a workflow runner before a shell sees it. Only a path of names;
    /// anything else may be for a shell.
    fn workflow_expression(&mut self) -> bool {
        let Some(rest) = self.source.get(self.pos..) else { return false };
        let Some((inside, _)) = rest.strip_prefix('{').and_then(|rest| rest.split_once("}}"))
        else {
            return false;
        };
        let name = inside.trim_matches(' ');
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let found = name.contains('.') && name.bytes().all(plain);
        if found {
            self.pos += inside.len() + 3;
        }
        found
    }

    /// Skips the rest of an invalid `${...}`.
    pub(super) fn skip_bad_substitution(&mut self, start: usize) {
        let message = if self.at_end() { "`${` is not closed" } else { "bad substitution" };
        self.error(message, start);
        self.enclosed(&FALLBACK);
        self.eat(b'}');
    }

    pub(super) fn parameter(&mut self, quoted: bool) -> Parameter {
        let mut parameter = Parameter {
            name: ParameterName::Special('#'),
            index: None,
            indirect: false,
            operation: Operation::None,
            span: self.span(self.pos),
        };
        self.pos = self.look(self.pos).1;
        if self.peek() == Some(b'#') && self.length(&mut parameter) {
            return parameter;
        }
        if self.peek() == Some(b'!') && self.follows_indirection() {
            self.pos += 1;
            parameter.indirect = true;
        }
        parameter.name = self.parameter_name();
        parameter.index = self.index();
        if parameter.indirect && self.names_or_keys(&mut parameter) {
            return parameter;
        }
        parameter.operation = self.operation(quoted);
        parameter
    }

    /// `${#name}`; false, and nothing read, when the `#` is the parameter itself.
    fn length(&mut self, parameter: &mut Parameter) -> bool {
        let start = self.pos;
        self.pos += 1;
        let named = match self.peek() {
            Some(byte) => is_name(byte) || is_special(byte),
            None => false,
        };
        if named {
            parameter.name = self.parameter_name();
            parameter.index = self.index();
            if self.peek() == Some(b'}') {
                parameter.operation = Operation::Length;
                return true;
            }
        }
        parameter.index = None;
        self.pos = start;
        false
    }

    /// Whether the `!` at the cursor starts an indirection.
    fn follows_indirection(&self) -> bool {
        match self.peek_at(1) {
            Some(b'#' | b'?' | b'-' | b'!') => self.peek_at(2) == Some(b'}'),
            Some(byte) => is_name(byte) || is_special(byte),
            None => false,
        }
    }

    fn parameter_name(&mut self) -> ParameterName {
        match self.peek() {
            Some(b'0'..=b'9') => {
                let start = self.pos;
                while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                    self.pos += 1;
                }
                match self.slice(start, self.pos).parse() {
                    Ok(0) => ParameterName::Special('0'),
                    number => ParameterName::Positional(number.unwrap_or(u32::MAX)),
                }
            }
            Some(byte) if is_name(byte) => ParameterName::Variable(self.joined_name()),
            Some(byte) if is_special(byte) => {
                self.pos += 1;
                ParameterName::Special(char::from(byte))
            }
            _ => ParameterName::Variable(String::new()),
        }
    }

    /// `[...]` after the name.
    fn index(&mut self) -> Option<Index> {
        if self.peek() != Some(b'[') {
            return None;
        }
        let start = self.pos;
        self.pos += 1;
        Some(self.inner_index(start, &BRACED_INDEX))
    }

    pub(super) fn inner_index(&mut self, start: usize, rule: &Rule) -> Index {
        for (sign, index) in [(&b"@]"[..], Index::At), (&b"*]"[..], Index::Star)] {
            if self.at(sign) {
                self.pos += 2;
                return index;
            }
        }
        let word = self.enclosed_word(rule);
        if !self.eat(b']') {
            self.error("`[` is not closed", start);
        }
        Index::Word(word)
    }

    /// `${!prefix*}`, `${!prefix@}`, `${!name[@]}`
    fn names_or_keys(&mut self, parameter: &mut Parameter) -> bool {
        let all = matches!(parameter.index, Some(Index::At | Index::Star));
        if all && self.peek() == Some(b'}') {
            parameter.operation = Operation::Keys;
        } else if parameter.index.is_none() && (self.at(b"@}") || self.at(b"*}")) {
            self.pos += 1;
            parameter.operation = Operation::NamesWithPrefix;
        } else {
            return false;
        }
        parameter.indirect = false;
        true
    }

    fn operation(&mut self, quoted: bool) -> Operation {
        self.pos = self.look(self.pos).1;
        let Some(byte) = self.peek() else {
            return Operation::None;
        };
        match byte {
            b':' => {
                self.pos += 1;
                match self.peek() {
                    Some(letter)
                        if self.dialect == Dialect::Zsh && letter.is_ascii_alphabetic() =>
                    {
                        // `${x:h}` and its kin.
                        self.enclosed(&FALLBACK);
                        Operation::Transform(char::from(letter))
                    }
                    sign => match sign.and_then(fallback) {
                        Some(kind) => self.fallback(kind, true, quoted),
                        None => self.substring(),
                    },
                }
            }
            b'-' | b'=' | b'?' | b'+' => match fallback(byte) {
                Some(kind) => self.fallback(kind, false, quoted),
                None => Operation::None,
            },
            b'#' | b'%' => {
                let longest = self.doubled(byte);
                let pattern = self.enclosed_word(&PATTERN);
                Operation::Strip { suffix: byte == b'%', longest, pattern }
            }
            b'/' => self.replace(),
            b'^' | b',' | b'~' => {
                let change = match byte {
                    b'^' => CaseChange::Upper,
                    b',' => CaseChange::Lower,
                    _ => CaseChange::Toggle,
                };
                let all = self.doubled(byte);
                let pattern = self.enclosed_word(&PATTERN);
                let pattern = (!pattern.parts.is_empty()).then_some(pattern);
                Operation::Case { change, all, pattern }
            }
            b'@' => match (self.peek_at(1), self.peek_at(2)) {
                (Some(letter), Some(b'}')) if letter.is_ascii_alphabetic() => {
                    self.pos += 2;
                    Operation::Transform(char::from(letter))
                }
                _ => Operation::None,
            },
            _ => Operation::None,
        }
    }

    /// Steps over a sign, and over the same sign once more.
    fn doubled(&mut self, sign: u8) -> bool {
        self.pos += 1;
        self.eat(sign)
    }

    fn fallback(&mut self, kind: Fallback, colon: bool, quoted: bool) -> Operation {
        self.pos += 1;
        let rule: &Rule = if quoted { &QUOTED_FALLBACK } else { &FALLBACK };
        Operation::Fallback { kind, colon, word: self.enclosed_word(rule) }
    }

    fn substring(&mut self) -> Operation {
        let offset = self.enclosed_word(&OFFSET);
        let length = self.eat(b':').then(|| self.enclosed_word(&OFFSET));
        Operation::Substring { offset, length }
    }

    fn replace(&mut self) -> Operation {
        self.pos += 1;
        let which = match self.peek() {
            Some(b'/') => Which::All,
            Some(b'#') => Which::Start,
            Some(b'%') => Which::End,
            _ => Which::First,
        };
        if which != Which::First {
            self.pos += 1;
        }
        let pattern = self.replaced_pattern(which);
        let with = self.eat(b'/').then(|| self.enclosed_word(&PATTERN));
        Operation::Replace { pattern, with, which }
    }

    /// A slash right behind `//` is the pattern's own: `${x////-}`.
    fn replaced_pattern(&mut self, which: Which) -> Word {
        let start = self.pos;
        if which != Which::All || self.peek() != Some(b'/') {
            return self.enclosed_word(&REPLACED);
        }
        self.pos += 1;
        let mut parts = Vec::new();
        self.push_run(&mut parts, true, start, self.pos);
        for part in self.enclosed(&REPLACED) {
            super::word::push_part(&mut parts, part);
        }
        Word { parts, span: self.span(start) }
    }
}

fn fallback(sign: u8) -> Option<Fallback> {
    Some(match sign {
        b'-' => Fallback::Use,
        b'=' => Fallback::Assign,
        b'?' => Fallback::Fail,
        b'+' => Fallback::Alternative,
        _ => return None,
    })
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}
