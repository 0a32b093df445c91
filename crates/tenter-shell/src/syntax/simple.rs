//! Simple commands: assignments, words, redirections in any order.

use super::ast::{
    ArrayItem, AssignedValue, Assignment, Command, CommandKind, Simple, Word, WordPart,
};
use super::cursor::Parser;
use super::dialect::Dialect;
use super::text::INDEX;

impl Parser<'_, '_> {
    pub(super) fn simple(&mut self) -> Command {
        let start = self.pos;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut end = start;
        loop {
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
            } else if self.peek() == Some(b'(') {
                let alone = simple.assignments.is_empty() && redirects.is_empty();
                if alone && let Some(command) = self.function_after(&simple, start) {
                    return command;
                }
                if self.dialect == Dialect::Zsh && !simple.words.is_empty() {
                    simple.words.push(self.word());
                } else {
                    self.unexpected("unexpected `(`");
                    break;
                }
            } else if !self.at_word() || self.at_zsh_brace() {
                break;
            } else if simple.words.is_empty()
                && let Some(name_end) = self.assignment_name()
            {
                self.assignment(name_end, &mut simple);
            } else {
                let mut word = self.word();
                if self.peek() == Some(b'(') {
                    self.array_argument(&simple, &mut word);
                }
                simple.words.push(word);
            }
            end = self.pos;
            self.skip_blanks();
        }
        if end == start {
            self.unexpected("a command is missing before this");
        }
        let span = self.span_to(start, end);
        Command { kind: CommandKind::Simple(simple), redirects, span }
    }

    /// `name ()` and the body, when that is what was read so far.
    fn function_after(&mut self, simple: &Simple, start: usize) -> Option<Command> {
        let [Word { parts, .. }, more @ ..] = simple.words.as_slice() else {
            return None;
        };
        if !more.is_empty() && self.dialect != Dialect::Zsh {
            return None;
        }
        let end = self.pos;
        if !self.eat_empty_parentheses() {
            return None;
        }
        let name = match parts.as_slice() {
            [WordPart::Literal(text)] => text.text.clone(),
            _ => {
                self.error("a function's name must be plain text", start);
                self.slice(start, end).trim_end().to_owned()
            }
        };
        let kind = self.function_body(name);
        Some(Command { kind, redirects: Vec::new(), span: self.span(start) })
    }

    /// The end of the name that starts at `pos`, if one does.
    pub(super) fn name_end(&self, pos: usize) -> usize {
        let rest = self.bytes.get(pos..).unwrap_or_default();
        if rest.first().is_none_or(u8::is_ascii_digit) {
            return pos;
        }
        let len = rest.iter().position(|&byte| !is_name(byte)).unwrap_or(rest.len());
        pos + len
    }

    /// The end of the name before `=`, `+=` or `[`, if the word at the cursor starts that way.
    fn assignment_name(&self) -> Option<usize> {
        let mut end = self.name_end(self.pos);
        if end == self.pos {
            return None;
        }
        while self.bytes.get(end) == Some(&b'\\') && self.bytes.get(end + 1) == Some(&b'\n') {
            let rest = self.bytes.get(end + 2..).unwrap_or_default();
            end += 2 + rest.iter().position(|&byte| !is_name(byte)).unwrap_or(rest.len());
        }
        let found = match self.bytes.get(end)? {
            b'=' => true,
            b'+' => self.dialect.extended() && self.bytes.get(end + 1) == Some(&b'='),
            b'[' => self.dialect.extended(),
            _ => false,
        };
        found.then_some(end)
    }

    /// Reads an assignment; a word that only looked like one goes to the words.
    fn assignment(&mut self, name_end: usize, simple: &mut Simple) {
        let start = self.pos;
        let name = self.slice(start, name_end).replace("\\\n", "");
        self.pos = name_end;
        let mut index = None;
        if self.peek() == Some(b'[') {
            if !self.bracket_closes() {
                self.error("`[` is not closed", start);
                self.pos = start;
                simple.words.push(self.word());
                return;
            }
            self.pos += 1;
            let word = self.enclosed_word(&INDEX);
            let closing = self.pos;
            if !self.eat(b']') {
                self.error("`[` is not closed", name_end);
            }
            if self.peek() != Some(b'=') && !self.at(b"+=") {
                simple.words.push(self.word_with_index(start, (name_end, closing), word));
                return;
            }
            index = Some(word);
        }
        let append = self.eat(b'+');
        self.pos += 1;
        let value = if index.is_none() && self.peek() == Some(b'(') && self.dialect.extended() {
            let items = self.array();
            if !self.at_delimiter() {
                self.unexpected("text right behind an array");
            }
            AssignedValue::Array(items)
        } else {
            AssignedValue::Scalar(self.word())
        };
        let span = self.span(start);
        simple.assignments.push(Assignment { name, index, append, value, span });
    }

    /// `name[...]` that turned out to be a word with a pattern in it.
    fn word_with_index(&mut self, start: usize, brackets: (usize, usize), index: Word) -> Word {
        let mut parts = Vec::new();
        let mut run = start;
        while let Some(len) = self.slice(run, brackets.0).find("\\\n") {
            self.push_run(&mut parts, true, run, run + len);
            run += len + 2;
        }
        self.push_run(&mut parts, true, run, brackets.0 + 1);
        for part in index.parts {
            super::word::push_part(&mut parts, part);
        }
        self.push_run(&mut parts, true, brackets.1, self.pos);
        self.word_from(parts, start, false)
    }

    /// Whether a `]` comes on this line. Found once for all the brackets before it.
    fn bracket_closes(&mut self) -> bool {
        if self.pos < self.no_bracket {
            return false;
        }
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        for (ahead, &byte) in rest.iter().enumerate() {
            if byte == b']' {
                return true;
            }
            if byte == b'\n' {
                self.no_bracket = self.pos + ahead;
                return false;
            }
        }
        self.no_bracket = self.pos + rest.len();
        false
    }

    /// `(a b [key]=c)`, at its parenthesis.
    pub(super) fn array(&mut self) -> Vec<ArrayItem> {
        let start = self.pos;
        self.pos += 1;
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            if self.eat(b')') {
                break;
            }
            if !self.at_word() {
                self.error("the list of an array is not closed", start);
                break;
            }
            items.push(self.array_item());
        }
        items
    }

    /// `value` or `[key]=value`.
    fn array_item(&mut self) -> ArrayItem {
        let start = self.pos;
        if self.peek() != Some(b'[') || !self.bracket_closes() {
            return ArrayItem { key: None, value: self.word() };
        }
        self.pos += 1;
        let index = self.enclosed_word(&INDEX);
        let closing = self.pos;
        let closed = self.eat(b']');
        if closed && (self.eat(b'=') || (self.at(b"+=") && self.eat(b'+') && self.eat(b'='))) {
            return ArrayItem { key: Some(index), value: self.word() };
        }
        ArrayItem { key: None, value: self.word_with_index(start, (start, closing), index) }
    }

    /// `name=(...)` as an argument of a builtin that declares variables.
    fn array_argument(&mut self, simple: &Simple, word: &mut Word) {
        const DECLARES: &[&str] =
            &["declare", "local", "export", "readonly", "typeset", "eval", "let", "alias"];
        let [WordPart::Literal(text)] = word.parts.as_slice() else {
            return;
        };
        let name = text.text.strip_suffix('=');
        let name = name.map(|name| name.strip_suffix('+').unwrap_or(name));
        let declares = simple.words.first().is_some_and(|first| match first.parts.as_slice() {
            [WordPart::Literal(text)] => DECLARES.contains(&text.text.as_str()),
            _ => false,
        });
        if declares && name.is_some_and(|name| !name.is_empty()) && self.dialect.extended() {
            let items = self.array();
            word.parts.push(WordPart::Array(items));
            word.span = word.span.to(self.span(self.pos));
        }
    }

    /// The text of the word at the cursor, for where only a name can stand.
    pub(super) fn plain_name(&mut self, missing: &'static str) -> String {
        let start = self.pos;
        let word = self.expect_word(missing);
        match word.parts.as_slice() {
            [WordPart::Literal(text)] => text.text.clone(),
            _ => self.slice(start, self.pos).to_owned(),
        }
    }

    pub(super) fn expect_word(&mut self, missing: &'static str) -> Word {
        if self.at_word() {
            return self.word();
        }
        self.unexpected(missing);
        Word { parts: Vec::new(), span: self.span(self.pos) }
    }
}

pub(super) fn is_name(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}
