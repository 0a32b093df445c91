//! Syntax of zsh that bash lacks.

use super::ast::{
    CommandKind, Index, Item, Operation, Parameter, ParameterName, Pipeline, Script, Word, WordPart,
};
use super::cursor::Parser;
use super::dialect::Dialect;
use super::keyword::Keyword;
use super::text::{FALLBACK, INDEX, QUOTED_FALLBACK};

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

    pub(super) fn single_command(&mut self) -> Script {
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

    /// In zsh a brace that closes needs no `;` before it.
    pub(super) fn at_zsh_brace(&self) -> bool {
        self.dialect == Dialect::Zsh
            && self.open & Keyword::RightBrace.bit() != 0
            && self.at_keyword(Keyword::RightBrace)
    }

    /// `foreach x (a b) ... end`
    pub(super) fn foreach(&mut self) -> CommandKind {
        self.skip_blanks();
        let variable = self.plain_name("a variable is missing here");
        self.skip_blanks();
        let words = (self.peek() == Some(b'(')).then(|| self.words_in_parentheses());
        let body = self.list_until(Keyword::End.bit());
        if !self.eat_keyword(Keyword::End) {
            self.unexpected("`end` is missing");
        }
        CommandKind::For { variable, words, body, select: false }
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
        parameter.index = Some(self.inner_index(bracket, &INDEX));
        if let Some(Index::Word(word)) = &parameter.index
            && word.parts.is_empty()
        {
            parameter.index = None;
        }
        parameter.span = self.span(start);
    }

    /// `(flags)` and the signs before a name in `${...}`; true when they change the value.
    pub(super) fn zsh_flags(&mut self) -> bool {
        let start = self.pos;
        if self.peek() == Some(b'(') {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            let ends = rest.iter().position(|&byte| matches!(byte, b')' | b'\n' | b'}'));
            self.pos += ends.map_or(0, |len| len + 1);
        }
        let mut changes = self.pos > start;
        while let Some(sign @ (b'=' | b'~' | b'^' | b'+')) = self.peek() {
            changes |= sign == b'+';
            self.pos += 1;
        }
        changes
    }

    /// Placeholder for a value changed in a way that the tree cannot represent.
    pub(super) fn zsh_unknown(&self, start: usize) -> WordPart {
        WordPart::Parameter(Box::new(Parameter {
            name: ParameterName::Special('-'),
            index: None,
            indirect: false,
            operation: Operation::Transform('('),
            span: self.span(start),
        }))
    }

    /// `${${x}...}`, `${$(cmd)...}`, `${"..."...}`; false when a name follows as in bash. What is
    /// done to the inner value is not kept, but that it is not known is, and so is what it runs.
    pub(super) fn zsh_nested(
        &mut self,
        parts: &mut Vec<WordPart>,
        quoted: bool,
        start: usize,
    ) -> bool {
        let quotes = self.peek() == Some(b'"');
        if !(quotes || self.at(b"${") || self.at(b"$(")) {
            return false;
        }
        parts.push(self.zsh_unknown(start));
        if quotes {
            self.double_quotes(parts);
        } else {
            self.dollar(parts, quoted, !quoted);
        }
        let rule = if quoted { &QUOTED_FALLBACK } else { &FALLBACK };
        for part in self.enclosed(rule) {
            if !matches!(part, WordPart::Literal(_) | WordPart::Quoted(_)) {
                parts.push(part);
            }
        }
        if !self.eat(b'}') {
            self.error("`${` is not closed", start);
        }
        true
    }
}
