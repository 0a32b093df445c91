//! What zsh has and bash has not.

use super::ast::{CommandKind, Index, Item, Parameter, Pipeline, Script, Word, WordPart};
use super::cursor::Parser;
use super::keyword::Keyword;

impl Parser<'_, '_> {
    /// `do ... done`, `{ ... }`, `... end`, or a single command.
    pub(super) fn short_body(&mut self) -> Script {
        self.skip_newlines();
        if self.eat(b';') {
            self.skip_newlines();
        }
        let (open, close) = match self.keyword() {
            Some((Keyword::LeftBrace, _)) => return self.braced_body(),
            Some((Keyword::Do, end)) => (end, Keyword::Done),
            _ => return self.single_command(),
        };
        self.pos = open;
        let body = self.list_until(close.bit());
        if !self.eat_keyword(close) {
            self.unexpected("`done` is missing");
        }
        body
    }

    fn single_command(&mut self) -> Script {
        let command = self.command();
        let first = Pipeline {
            negated: false,
            timed: false,
            span: command.span,
            commands: vec![command],
            with_errors: Vec::new(),
        };
        Script { items: vec![Item { first, rest: Vec::new(), background: false }] }
    }

    /// `repeat n body`
    pub(super) fn repeat(&mut self) -> CommandKind {
        self.skip_blanks();
        let count = self.expect_word("a number is missing here");
        self.skip_blanks();
        let body = self.short_body();
        CommandKind::For { variable: String::new(), words: Some(vec![count]), body, select: false }
    }

    /// `{ ... } always { ... }`: both run.
    pub(super) fn always(&mut self, mut script: Script) -> CommandKind {
        let start = self.pos;
        self.skip_blanks();
        if self.at(b"always") {
            self.pos += 6;
            if self.at_delimiter() {
                self.skip_blanks();
                script.items.extend(self.braced_body().items);
                return CommandKind::Group(script);
            }
        }
        self.pos = start;
        CommandKind::Group(script)
    }

    /// `for a b in`, `function f g`: the names behind the first are not kept.
    pub(super) fn more_names(&mut self) {
        loop {
            self.skip_blanks();
            if self.name_end(self.pos) == self.pos || self.keyword().is_some() {
                return;
            }
            self.pos = self.name_end(self.pos);
        }
    }

    /// `(a b c)` in `for x (a b c)`.
    pub(super) fn words_in_parentheses(&mut self) -> Vec<Word> {
        self.array().into_iter().map(|item| item.value).collect()
    }

    /// `$x[1]`
    pub(super) fn short_index(&mut self, parameter: &mut Parameter, start: usize) {
        let bracket = self.pos;
        self.pos += 1;
        parameter.index = Some(self.inner_index(bracket));
        if let Some(Index::Word(word)) = &parameter.index
            && word.parts.is_empty()
        {
            parameter.index = None;
        }
        parameter.span = self.span(start);
    }

    /// `${(flags)x}`, `${${x}...}`, `${$(cmd)...}`; false when it is like in bash.
    pub(super) fn zsh_braces(
        &mut self,
        parts: &mut Vec<WordPart>,
        quoted: bool,
        start: usize,
    ) -> bool {
        if self.peek() == Some(b'(') {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            let ends = rest.iter().position(|&byte| matches!(byte, b')' | b'\n' | b'}'));
            if let Some(len) = ends {
                self.pos += len + 1;
            }
        }
        while matches!(self.peek(), Some(b'=' | b'~' | b'^' | b'+')) {
            self.pos += 1;
        }
        if !(self.at(b"${") || self.at(b"$(") || self.peek() == Some(b'"')) {
            return false;
        }
        // What is done to the inner value is not kept, but what runs inside of it is.
        if self.peek() == Some(b'"') {
            self.double_quotes(parts);
        } else {
            self.dollar(parts, quoted);
        }
        if !self.eat(b'}') {
            parts.append(&mut self.enclosed(&super::text::FALLBACK));
            if !self.eat(b'}') {
                self.error("`${` is not closed", start);
            }
        }
        true
    }
}
