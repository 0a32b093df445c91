//! Words of a command: barewords, strings with variables, parameters, script blocks.

use super::{Shell, append};
use crate::span::Span;
use crate::value::{Field, Part};

/// One word after a command.
#[derive(Clone, Debug)]
pub(super) enum Word {
    /// `@name`: the entries of a hashtable as parameters.
    Splat(super::Table, Span),
    /// `-Name`, in lower case without the dash, and what follows its colon.
    Parameter(String, Option<Field>, Span),
    Values(Vec<Field>),
    /// A script block that starts at this byte.
    Block(usize),
}

impl Shell<'_, '_, '_, '_> {
    pub(super) fn span(&self, start: usize) -> Span {
        self.code.span(start, self.at.max(start))
    }

    /// Whether the command ends here.
    pub(super) fn at_end(&self) -> bool {
        self.ended()
            || matches!(self.byte(0), b'\n' | b';' | b'|' | b')' | b'}' | b']')
            || self.byte(0) == b'&' && (self.byte(1) == b'&' || self.byte(1) == b' ')
    }

    /// The next word. The caller has stepped over blanks.
    pub(super) fn word(&mut self) -> Word {
        let start = self.at;
        if self.byte(0) == b'{' {
            self.at += 1;
            let block = self.at;
            self.skip_block();
            return Word::Block(block);
        }
        let dash =
            self.byte(0) == b'-' && (self.byte(1).is_ascii_alphabetic() || self.byte(1) == b'?');
        if dash {
            self.at += 1;
            let length = self
                .rest()
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count();
            let name = self.rest().get(..length).unwrap_or_default().to_ascii_lowercase();
            self.at += length;
            let span = self.span(start);
            let value = if self.byte(0) == b':' {
                self.at += 1;
                self.blanks();
                Some(self.value())
            } else {
                None
            };
            return Word::Parameter(name, value.and_then(|fields| fields.into_iter().next()), span);
        }
        if self.byte(0) == b'@' && self.byte(1).is_ascii_alphabetic() && self.is_splat() {
            return self.splat();
        }
        Word::Values(self.value())
    }

    /// Whether the word ends with the name: `@types/node` is a package.
    fn is_splat(&self) -> bool {
        let name = self.rest().bytes().skip(1);
        let length = name.take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        matches!(
            self.byte(length + 1),
            0 | b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b')' | b'}' | b'>'
        )
    }

    /// `@name`, where the variable holds a hashtable or a list.
    fn splat(&mut self) -> Word {
        let start = self.at;
        self.at += 1;
        let name =
            self.rest().bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let length = name.count();
        let name = self.rest().get(..length).unwrap_or_default();
        self.at += length;
        let span = self.span(start);
        if let Some(table) = self.table_of(name) {
            return Word::Splat(table.clone(), span);
        }
        match self.get(name) {
            Some(list) if !list.paths.is_empty() => Word::Values(list.paths.clone()),
            _ => Word::Values(vec![self.named(name, span)]),
        }
    }

    /// One value, or several separated by commas.
    pub(super) fn value(&mut self) -> Vec<Field> {
        let mut fields = self.single();
        loop {
            let back = self.at;
            self.blanks();
            if self.byte(0) != b',' {
                self.at = back;
                return fields;
            }
            self.at += 1;
            self.blanks();
            let before = self.at;
            fields.extend(self.single());
            fields.truncate(64);
            if self.at == before {
                return fields;
            }
        }
    }

    fn single(&mut self) -> Vec<Field> {
        let start = self.at;
        // `$x.Member` is an expression, `$x\file` is not.
        let expression = matches!(self.byte(0), b'(' | b'[')
            || self.byte(0) == b'@' && matches!(self.byte(1), b'(' | b'{' | b'\'' | b'"')
            || self.byte(0) == b'$' && (self.byte(1) == b'(' || self.is_expression());
        if !expression {
            return vec![self.bareword()];
        }
        let value = self.operand();
        if value.paths.is_empty() {
            // An unknown variable keeps its name: `$PROFILE`.
            let text = self.code.text.get(start..self.at).unwrap_or_default();
            let name =
                text.strip_prefix('$').and_then(|text| text.split('.').next()).unwrap_or_default();
            let plain = !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let span = self.span(start);
            if plain && value.stream.text.is_none() && name != "_" && self.get(name).is_none() {
                return vec![self.named(name, span)];
            }
            return vec![value.field(span)];
        }
        value.paths
    }

    fn is_expression(&self) -> bool {
        let name = self
            .rest()
            .bytes()
            .skip(1)
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(byte))
            .count();
        let after = self.byte(name + 1);
        after == b'.' && self.byte(name + 2).is_ascii_alphabetic() && !self.is_file_ending(name + 1)
            || matches!(after, b' ' | b')' | b';' | b'|' | b'}' | b'\n' | b',' | 0)
            || after == b'['
    }

    /// `$name.txt` with a slash before or no parenthesis after is a file.
    fn is_file_ending(&self, dot: usize) -> bool {
        let ending = self.rest().get(dot + 1..).unwrap_or_default();
        let length = ending.bytes().take_while(u8::is_ascii_alphanumeric).count();
        matches!(
            ending.get(..length),
            Some("txt" | "exe" | "ps1" | "log" | "json" | "zip" | "bat" | "tmp" | "bak")
        )
    }

    /// Text up to a blank or a mark, with quotes and variables in it.
    fn bareword(&mut self) -> Field {
        let start = self.at;
        let mut field = Field::default();
        while !self.ended() {
            let at = self.at;
            match self.byte(0) {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' | b'&' | b')' | b'}' | b',' | b'('
                | b'{' | b'<' | b'>' => break,
                b'\'' => self.single_quoted(&mut field),
                b'"' => self.double_quoted(&mut field),
                b'`' => {
                    let letter = self.rest().chars().nth(1);
                    self.at += 1 + letter.map_or(0, char::len_utf8);
                    if let Some(letter) = letter {
                        field.push_text(letter.encode_utf8(&mut [0; 4]), None);
                    }
                }
                b'$' => self.variable(&mut field),
                b'*' | b'?' => {
                    let glob = if self.byte(0) == b'*' { "*" } else { "?" };
                    self.at += 1;
                    field.parts.push(Part::Glob(glob.to_owned()));
                }
                _ => {
                    let length = self
                        .rest()
                        .find([
                            ' ', '\t', '\r', '\n', ';', '|', '&', ')', '}', ',', '(', '{', '<',
                            '>', '\'', '"', '`', '$', '*', '?',
                        ])
                        .unwrap_or(self.rest().len());
                    let text = self.rest().get(..length).unwrap_or_default();
                    self.at += length;
                    let place = self.code.field(text, at, self.at);
                    for part in place.parts {
                        field.push(part);
                    }
                }
            }
            if self.at == at {
                self.at += 1;
            }
            if field.parts.len() > 64 {
                break;
            }
        }
        self.home(&mut field);
        field.span = self.span(start);
        field
    }

    /// `~` and `~\x`
    fn home(&self, field: &mut Field) {
        let tilde = matches!(field.prefix().as_bytes(), [b'~'] | [b'~', b'/' | b'\\', ..]);
        let Some(home) = self.call.machine.world.home.filter(|_| tilde) else {
            return;
        };
        if let Some(Part::Text { text, at }) = field.parts.first_mut() {
            text.replace_range(..1, home);
            *at = None;
        }
    }

    /// `'...'`, in which `''` is a quote.
    pub(super) fn single_quoted(&mut self, field: &mut Field) {
        self.at += 1;
        loop {
            let rest = self.rest();
            let Some(end) = rest.find('\'') else {
                field.push_text(rest, None);
                self.at = self.code.text.len();
                return;
            };
            let text = rest.get(..end).unwrap_or_default();
            let place = self.code.field(text, self.at, self.at + end);
            for part in place.parts {
                field.push(part);
            }
            self.at += end + 1;
            if self.byte(0) != b'\'' {
                return;
            }
            field.push_text("'", None);
            self.at += 1;
        }
    }

    /// `"..."` with variables, `$(...)` and backquotes.
    pub(super) fn double_quoted(&mut self, field: &mut Field) {
        self.at += 1;
        if field.parts.is_empty() {
            field.push_text("", None);
        }
        loop {
            self.expanded(field, self.code.text.len());
            if self.byte(0) != b'"' || self.byte(1) != b'"' || field.parts.len() > 128 {
                self.at += usize::from(!self.ended());
                return;
            }
            field.push_text("\"", None);
            self.at += 2;
        }
    }

    /// Text with values in it, up to this place or to a quote before it.
    pub(super) fn expanded(&mut self, field: &mut Field, end: usize) {
        let quoted = end == self.code.text.len();
        while self.at < end && field.parts.len() <= 128 {
            let at = self.at;
            match self.byte(0) {
                b'"' if quoted => return,
                b'`' => {
                    let letter = self.rest().chars().nth(1);
                    self.at += 1 + letter.map_or(0, char::len_utf8);
                    let letter = match letter {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some('r') => '\r',
                        Some('0') => '\0',
                        Some(other) => other,
                        None => return,
                    };
                    field.push_text(letter.encode_utf8(&mut [0; 4]), None);
                }
                b'$' => self.variable(field),
                _ => {
                    let rest = self.code.text.get(self.at..end).unwrap_or_default();
                    // The first may be a quote that ends nothing.
                    let first = rest.chars().next().map_or(1, char::len_utf8);
                    let found = rest.get(first..).and_then(|rest| rest.find(['"', '`', '$']));
                    let length = found.map_or(rest.len(), |found| found + first);
                    let text = rest.get(..length).unwrap_or(rest);
                    let place = self.code.field(text, at, at + text.len());
                    self.at += text.len();
                    for part in place.parts {
                        field.push(part);
                    }
                }
            }
            if self.at == at {
                self.at += 1;
            }
        }
    }

    /// `$x`, `${x}`, `$env:X`, `$(...)`, `$_`
    pub(super) fn variable(&mut self, field: &mut Field) {
        let start = self.at;
        self.at += 1;
        if self.byte(0) == b'(' {
            self.at += 1;
            let value = self.script(Some(b')'));
            let span = self.span(start);
            append(field, value.field(span), &mut self.call.machine.budget);
            return;
        }
        let braces = self.byte(0) == b'{';
        self.at += usize::from(braces);
        let length = self
            .rest()
            .bytes()
            .take_while(|byte| {
                byte.is_ascii_alphanumeric() || b"_:".contains(byte) || (braces && *byte != b'}')
            })
            .count();
        let name = self.rest().get(..length).unwrap_or_default();
        // A colon belongs to the name only between letters: `$env:X`, not `$x:`.
        let name = if braces { name } else { name.trim_end_matches(':') };
        self.at += name.len() + usize::from(braces);
        if name.is_empty() {
            field.push_text("$", None);
            return;
        }
        let span = self.span(start);
        let value = self.named(name, span);
        append(field, value, &mut self.call.machine.budget);
    }

    /// The value of a variable.
    pub(super) fn named(&self, name: &str, span: Span) -> Field {
        if matches!(name, "_" | "PSItem" | "input") {
            return self.input.field(span);
        }
        if let Some(value) = self.get(name) {
            return value.field(span);
        }
        let world = self.call.machine.world;
        let lower = name.to_ascii_lowercase();
        let given =
            lower.strip_prefix("env:").and_then(|name| self.call.machine.shell.exported(name));
        if let Some(value) = given {
            return Field { span, ..value.clone() };
        }
        let known = match lower.as_str() {
            "home" => world.home.map(str::to_owned),
            "pwd" | "psscriptroot" => self.call.machine.shell.cwd.as_deref().map(str::to_owned),
            "profile" => return Field::unknown("$PROFILE", span),
            "null" => Some(String::new()),
            "true" => Some("True".to_owned()),
            "false" => Some("False".to_owned()),
            _ => lower.strip_prefix("env:").and_then(|name| super::super::setting(world, name)),
        };
        match known {
            Some(text) => Field::text(text, span),
            None => {
                let shown =
                    if lower.starts_with("env:") { name.get(4..).unwrap_or(name) } else { name };
                Field::unknown(&format!("${shown}"), span)
            }
        }
    }

    /// Steps over a block, past its closing brace.
    pub(super) fn skip_block(&mut self) {
        let mut depth = 1_usize;
        while !self.ended() {
            let byte = self.byte(0);
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'\'' | b'"' => {
                    self.at += 1;
                    while !self.ended() && self.byte(0) != byte {
                        self.at += if self.byte(0) == b'`' { 2 } else { 1 };
                    }
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
        self.at = self.code.text.len();
    }
}
