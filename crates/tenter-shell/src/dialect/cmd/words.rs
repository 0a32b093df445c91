//! Words of cmd.exe: quotes, `^`, `%VAR%`, redirections.

use super::super::path_field;
use super::Shell;
use crate::act::Act;
use crate::flow::Stream;
use crate::value::{Field, Part, Unknown};

impl Shell<'_, '_, '_, '_> {
    /// Words and redirections up to the end of the command.
    pub(super) fn words(&mut self, stdin: &Stream) -> (Vec<Field>, Vec<(Field, bool)>, Stream) {
        let mut words = Vec::new();
        let mut outputs = Vec::new();
        let mut input = stdin.clone();
        loop {
            self.blanks();
            if self.ended() || matches!(self.byte(0), b'\n' | b'&' | b'|' | b')') {
                break;
            }
            let before = self.at;
            let digit = usize::from(self.byte(0).is_ascii_digit() && matches!(self.byte(1), b'>'));
            match self.byte(digit) {
                b'>' => {
                    let append = self.byte(digit + 1) == b'>';
                    let errors = digit == 1 && self.byte(0) == b'2';
                    self.at += digit + 1 + usize::from(append);
                    self.blanks();
                    if self.byte(0) == b'&' {
                        self.at += 2;
                        continue;
                    }
                    let file = self.word();
                    if !errors || !file.exact().is_some_and(|name| name.eq_ignore_ascii_case("nul"))
                    {
                        outputs.push((file, append));
                    }
                }
                b'<' => {
                    self.at += 1;
                    self.blanks();
                    let file = self.word();
                    input = self.call.read(Act::Redirect, &path_field(&file));
                }
                _ => words.push(self.word()),
            }
            if self.at == before {
                self.at += 1;
            }
            if words.len() > 256 {
                break;
            }
        }
        (words, outputs, input)
    }

    /// One word: quotes removed, `^` undone, variables filled in.
    pub(super) fn word(&mut self) -> Field {
        let start = self.at;
        let mut field = Field::default();
        let mut quoted = false;
        while !self.ended() {
            let at = self.at;
            let byte = self.byte(0);
            match byte {
                b'"' => {
                    quoted = !quoted;
                    self.at += 1;
                    if field.parts.is_empty() {
                        field.push_text("", None);
                    }
                }
                b' ' | b'\t' | b'\r' | b'&' | b'|' | b'<' | b'>' | b')' if !quoted => break,
                b'\n' => break,
                b'^' if !quoted => {
                    let letter = self.rest().chars().nth(1);
                    self.at += 1 + letter.map_or(0, char::len_utf8);
                    if let Some(letter) = letter {
                        field.push_text(letter.encode_utf8(&mut [0; 4]), None);
                    }
                }
                b'%' => self.variable(&mut field),
                b'!' => self.delayed(&mut field),
                b'*' | b'?' => {
                    self.at += 1;
                    let glob = if byte == b'*' { "*" } else { "?" };
                    field.parts.push(Part::Glob(glob.to_owned()));
                }
                _ => {
                    let length = self
                        .rest()
                        .find([
                            '"', ' ', '\t', '\r', '\n', '&', '|', '<', '>', ')', '^', '%', '!',
                            '*', '?',
                        ])
                        .unwrap_or(self.rest().len());
                    let length = length.max(self.rest().chars().next().map_or(1, char::len_utf8));
                    let text = self.rest().get(..length).unwrap_or_default();
                    self.at += length;
                    let place = self.code.field(text, at, self.at);
                    for part in place.parts {
                        field.push(part);
                    }
                }
            }
            if field.parts.len() > 64 {
                break;
            }
        }
        field.span = self.code.span(start, self.at);
        field
    }

    /// `!NAME!`, where values are filled in late; of a name that nothing sets it is text.
    fn delayed(&mut self, field: &mut Field) {
        let rest = self.rest().get(1..).unwrap_or_default();
        let length =
            rest.bytes().take_while(|byte| *byte == b'_' || byte.is_ascii_alphanumeric()).count();
        let closed = length > 0 && rest.as_bytes().get(length) == Some(&b'!');
        match self.known(rest.get(..length).unwrap_or_default()).filter(|_| closed) {
            Some(value) => {
                self.at += length + 2;
                super::super::append(field, value, &mut self.call.machine.budget);
            }
            None => {
                self.at += 1;
                field.push_text("!", None);
            }
        }
    }

    /// The value of a variable that was set here or by what started this.
    fn known(&self, name: &str) -> Option<Field> {
        let own = self.variables.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name));
        own.map(|(_, value)| value).or_else(|| self.call.machine.shell.exported(name)).cloned()
    }

    /// `%NAME%`, `%i`, `%%i`, `%1`
    fn variable(&mut self, field: &mut Field) {
        self.at += 1;
        while self.byte(0) == b'%' {
            self.at += 1;
        }
        let rest = self.rest();
        let length =
            rest.bytes().take_while(|byte| *byte == b'_' || byte.is_ascii_alphanumeric()).count();
        let name = rest.get(..length).unwrap_or_default();
        let closed = rest.as_bytes().get(length) == Some(&b'%');
        // The variable of a loop has one letter.
        let name = if closed { name } else { name.get(..1).unwrap_or_default() };
        self.at += name.len() + usize::from(closed);
        if let Some(value) = self.known(name) {
            super::super::append(field, value, &mut self.call.machine.budget);
            return;
        }
        let lower = name.to_ascii_lowercase();
        let text = match lower.as_str() {
            "cd" => self.call.machine.shell.cwd.as_deref().map(str::to_owned),
            _ if closed => super::super::setting(self.call.machine.world, &lower),
            _ => None,
        };
        match text {
            Some(text) => field.push_text(&text, None),
            None if name.is_empty() => field.push_text("%", None),
            None => field
                .push(Part::Unknown(Unknown { name: format!("${name}").into(), splits: false })),
        }
    }
}
