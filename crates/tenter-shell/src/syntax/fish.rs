//! Parser for fish, with the same tree.

use std::rc::Rc;

use super::ast::{
    Arm, ArmEnd, AssignedValue, Assignment, Command, CommandKind, Connector, Item, Pipeline,
    Script, Simple, Word,
};
use super::cursor::Parser;
use super::keyword::{Keyword, PAREN};

impl Parser<'_, '_> {
    /// Commands up to a token that the enclosing block expects.
    pub(super) fn fish_script(&mut self) -> Script {
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.skip_newlines();
            if self.eat(b';') || self.eat(b'&') {
                continue;
            }
            if self.at_end() {
                break;
            }
            let start = self.pos;
            if let Some((bit, end)) = self.fish_closer() {
                if self.open & bit != 0 {
                    break;
                }
                self.pos = end;
                self.error("this ends nothing that is open", start);
                continue;
            }
            let joined = self.fish_connector();
            let item = self.fish_item();
            match (joined, items.last_mut()) {
                (Some(connector), Some(last)) => {
                    last.rest.push((connector, item.first));
                    last.rest.extend(item.rest);
                    last.background |= item.background;
                }
                _ => items.push(item),
            }
            if self.pos == start {
                self.unexpected("unexpected character");
                self.pos += self.char_len().max(1);
            }
        }
        Script { items }
    }

    /// The plain word at the cursor and the byte after it.
    fn fish_plain(&self) -> (&'_ [u8], usize) {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        let ends = |&byte: &u8| super::cursor::is_delimiter(byte) || byte == b'\r';
        let len = rest.iter().position(ends).unwrap_or(rest.len());
        (rest.get(..len).unwrap_or_default(), self.pos + len)
    }

    fn fish_eat(&mut self, word: &[u8]) -> bool {
        let (found, end) = self.fish_plain();
        let there = found == word;
        if there {
            self.pos = end;
            self.skip_blanks();
        }
        there
    }

    fn fish_closer(&self) -> Option<(u32, usize)> {
        if self.peek() == Some(b')') {
            return Some((PAREN, self.pos + 1));
        }
        let (word, end) = self.fish_plain();
        let keyword = match word {
            b"end" => Keyword::End,
            b"else" => Keyword::Else,
            b"case" => Keyword::Case,
            b"}" => Keyword::RightBrace,
            _ => return None,
        };
        Some((keyword.bit(), end))
    }

    /// `and` or `or` before a command.
    fn fish_connector(&mut self) -> Option<Connector> {
        if self.fish_eat(b"and") {
            Some(Connector::And)
        } else if self.fish_eat(b"or") {
            Some(Connector::Or)
        } else {
            None
        }
    }

    fn fish_item(&mut self) -> Item {
        let first = self.fish_pipeline();
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let connector = match (self.peek(), self.peek_at(1)) {
                (Some(b'&'), Some(b'&')) => Connector::And,
                (Some(b'|'), Some(b'|')) => Connector::Or,
                _ => break,
            };
            self.pos += 2;
            self.skip_newlines();
            rest.push((connector, self.fish_pipeline()));
        }
        Item { first, rest, background: self.eat(b'&') }
    }

    fn fish_pipeline(&mut self) -> Pipeline {
        let start = self.pos;
        let mut negated = false;
        let mut timed = false;
        loop {
            if self.fish_eat(b"not") || self.fish_eat(b"!") {
                negated = !negated;
            } else if self.fish_eat(b"time") {
                timed = true;
            } else {
                break;
            }
        }
        let mut commands = vec![self.fish_command()];
        let mut with_errors = Vec::new();
        let mut end = self.pos;
        loop {
            self.skip_blanks();
            let (len, errors) = match (self.peek(), self.peek_at(1), self.peek_at(2)) {
                (Some(b'|'), next, _) if next != Some(b'|') => (1, false),
                (Some(b'&' | b'>'), Some(b'|'), _) => (2, true),
                (Some(b'0'..=b'9'), Some(b'>'), Some(b'|')) => (3, true),
                _ => break,
            };
            self.pos += len;
            self.skip_newlines();
            with_errors.push(errors);
            commands.push(self.fish_command());
            end = self.pos;
        }
        let span = self.span_to(start, end);
        Pipeline { negated, timed, commands, with_errors, span }
    }

    fn fish_command(&mut self) -> Command {
        let start = self.pos;
        let (word, end) = self.fish_plain();
        let read: fn(&mut Self) -> CommandKind = match word {
            b"if" => Self::fish_if,
            b"while" => Self::fish_while,
            b"for" => Self::fish_for,
            b"switch" => Self::fish_switch,
            b"function" => Self::fish_function,
            b"begin" => |parser| CommandKind::Group(parser.fish_block(Keyword::End)),
            b"{" => |parser| CommandKind::Group(parser.fish_block(Keyword::RightBrace)),
            _ => return self.fish_simple(),
        };
        if !self.enter() {
            return self.nothing();
        }
        self.pos = end;
        self.skip_blanks();
        let kind = read(self);
        self.leave();
        let mut redirects = Vec::new();
        let mut end = self.pos;
        self.skip_blanks();
        while !self.at_fish_pipe()
            && let Some(redirect) = self.redirect()
        {
            redirects.push(redirect);
            end = self.pos;
            self.skip_blanks();
        }
        let span = self.span_to(start, end);
        Command { kind, redirects, span }
    }

    /// `2>|` and `>|`
    fn at_fish_pipe(&self) -> bool {
        let digit = self.peek().is_some_and(|byte| byte.is_ascii_digit());
        let sign = usize::from(digit);
        self.peek_at(sign) == Some(b'>') && self.peek_at(sign + 1) == Some(b'|')
    }

    /// The commands of a block, and the word that ends it.
    fn fish_block(&mut self, end: Keyword) -> Script {
        let body = self.fish_until(end.bit());
        self.fish_end(end);
        body
    }

    fn fish_until(&mut self, closers: u32) -> Script {
        let around = std::mem::replace(&mut self.open, closers);
        let body = self.fish_script();
        self.open = around;
        body
    }

    fn fish_end(&mut self, end: Keyword) {
        match self.fish_closer() {
            Some((bit, after)) if bit == end.bit() => self.pos = after,
            _ => self.unexpected("`end` is missing"),
        }
    }

    /// A condition: one command line, and those that `and` or `or` join to it.
    fn fish_condition(&mut self) -> Script {
        let mut item = self.fish_item();
        loop {
            let start = self.pos;
            self.skip_newlines();
            while self.eat(b';') {
                self.skip_newlines();
            }
            let Some(connector) = self.fish_connector() else {
                self.pos = start;
                break;
            };
            let next = self.fish_item();
            item.rest.push((connector, next.first));
            item.rest.extend(next.rest);
        }
        Script { items: vec![item] }
    }

    fn fish_if(&mut self) -> CommandKind {
        let mut branches = Vec::new();
        let mut otherwise = None;
        let parts = Keyword::Else.bit() | Keyword::End.bit();
        loop {
            let condition = self.fish_condition();
            branches.push((condition, self.fish_until(parts)));
            if !self.fish_eat(b"else") {
                break;
            }
            if !self.fish_eat(b"if") {
                otherwise = Some(self.fish_until(Keyword::End.bit()));
                break;
            }
        }
        self.fish_end(Keyword::End);
        CommandKind::If { branches, otherwise }
    }

    fn fish_while(&mut self) -> CommandKind {
        let condition = self.fish_condition();
        let body = self.fish_block(Keyword::End);
        CommandKind::While { condition, body, until: false }
    }

    fn fish_words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        while self.at_word() {
            words.push(self.word());
            self.skip_blanks();
        }
        words
    }

    fn fish_for(&mut self) -> CommandKind {
        let variable = self.plain_name("a variable is missing here");
        self.skip_blanks();
        if !self.fish_eat(b"in") {
            self.unexpected("`in` is missing");
        }
        let words = Some(self.fish_words());
        let body = self.fish_block(Keyword::End);
        CommandKind::For { variable, words, body, select: false }
    }

    fn fish_switch(&mut self) -> CommandKind {
        let subject = self.expect_word("a word is missing here");
        let mut arms = Vec::new();
        let parts = Keyword::Case.bit() | Keyword::End.bit();
        // Nothing may stand before the first case, but what does is kept.
        let before = self.fish_until(parts);
        if !before.items.is_empty() {
            self.unexpected("`case` is missing before this");
            arms.push(Arm { patterns: Vec::new(), body: before, then: ArmEnd::Stop });
        }
        while self.fish_eat(b"case") {
            let patterns = self.fish_words();
            let body = self.fish_until(parts);
            arms.push(Arm { patterns, body, then: ArmEnd::Stop });
        }
        self.fish_end(Keyword::End);
        CommandKind::Case { subject, arms }
    }

    fn fish_function(&mut self) -> CommandKind {
        let start = self.pos;
        let name = self.plain_name("a name is missing here");
        self.skip_blanks();
        // Options; none of them runs anything by itself.
        self.fish_words();
        let body = self.fish_block(Keyword::End);
        let span = self.span(start);
        let body = Command { kind: CommandKind::Group(body), redirects: Vec::new(), span };
        CommandKind::Function { name, body: Rc::new(body) }
    }

    fn fish_simple(&mut self) -> Command {
        let start = self.pos;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut end = start;
        loop {
            if self.at_fish_pipe() {
                break;
            }
            if let Some(redirect) = self.redirect() {
                redirects.push(redirect);
            } else if !self.at_word() {
                break;
            } else if simple.words.is_empty() && self.fish_assigns() {
                let name_end = self.name_end(self.pos);
                simple.assignments.push(self.fish_assignment(name_end));
            } else {
                simple.words.push(self.word());
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

    fn fish_assigns(&self) -> bool {
        let end = self.name_end(self.pos);
        end > self.pos && self.bytes.get(end) == Some(&b'=')
    }

    fn fish_assignment(&mut self, name_end: usize) -> Assignment {
        let start = self.pos;
        let name = self.slice(start, name_end).to_owned();
        self.pos = name_end + 1;
        let value = AssignedValue::Scalar(self.word());
        Assignment { name, index: None, append: false, value, span: self.span(start) }
    }
}
