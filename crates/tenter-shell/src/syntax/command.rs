//! Lists, pipelines, and the choice of what a command is.

use super::ast::{Command, CommandKind, Connector, Item, Pipeline, Script, Simple};
use super::cursor::Parser;
use super::dialect::Dialect;
use super::keyword::Keyword;

impl Parser<'_, '_> {
    /// Parses commands up to a token that an enclosing construct expects. Unexpected tokens are reported and
    /// skipped.
    pub(super) fn script(&mut self) -> Script {
        if self.dialect == Dialect::Fish {
            return self.fish_script();
        }
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            if self.at_end() {
                break;
            }
            let start = self.pos;
            if self.dialect == Dialect::Zsh && self.closer().is_none() && self.eat(b';') {
                continue;
            }
            if let Some((bit, end)) = self.closer() {
                if self.open & bit != 0 {
                    break;
                }
                self.pos = end;
                self.error("this ends nothing that is open", start);
                continue;
            }
            let item = self.item();
            let ended = item.background;
            if self.pos > start {
                items.push(item);
            }
            if self.ends_list(ended) {
                break;
            }
            if self.pos == start {
                self.unexpected("unexpected character");
                self.pos += self.char_len().max(1);
            }
        }
        Script { items }
    }

    /// Reads the separator of two commands; true when a body in braces follows instead.
    fn ends_list(&mut self, ended: bool) -> bool {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n') => {}
            _ if self.closer().is_some() => {}
            _ if ended => {}
            Some(b';') => self.pos += 1,
            Some(b'{') if self.open & Keyword::LeftBrace.bit() != 0 => return true,
            Some(_) => self.unexpected("the command before this has not ended"),
        }
        false
    }

    fn item(&mut self) -> Item {
        let first = self.pipeline();
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let (second, at) = self.look(self.pos + 1);
            let connector = match (self.peek(), second) {
                (Some(b'&'), Some(b'&')) => Connector::And,
                (Some(b'|'), Some(b'|')) => Connector::Or,
                _ => break,
            };
            self.pos = at + 1;
            self.skip_newlines();
            rest.push((connector, self.pipeline()));
        }
        let background = self.eat(b'&');
        if background && self.dialect == Dialect::Zsh && matches!(self.peek(), Some(b'|' | b'!')) {
            self.pos += 1;
        }
        Item { first, rest, background }
    }

    fn pipeline(&mut self) -> Pipeline {
        let start = self.pos;
        let (negated, timed) = self.pipeline_prefix();
        let mut commands = Vec::new();
        let mut with_errors = Vec::new();
        if (negated || timed) && self.at_pipeline_end() {
            commands.push(self.nothing());
        } else {
            commands.push(self.command());
        }
        let mut end = self.pos;
        loop {
            self.skip_blanks();
            let (second, at) = self.look(self.pos + 1);
            if self.peek() != Some(b'|') || second == Some(b'|') {
                break;
            }
            let errors = second == Some(b'&') && self.dialect != Dialect::Posix;
            self.pos = if errors { at + 1 } else { self.pos + 1 };
            self.skip_newlines();
            if self.eat_keyword(Keyword::Bang) {
                self.unexpected("`!` may only start a pipeline");
                self.skip_blanks();
            }
            with_errors.push(errors);
            commands.push(self.command());
            end = self.pos;
        }
        let span = self.span_to(start, end);
        Pipeline { negated, timed, commands, with_errors, span }
    }

    /// `!` and `time`, as often as they stand there.
    fn pipeline_prefix(&mut self) -> (bool, bool) {
        let mut negated = false;
        let mut timed = false;
        loop {
            // `!(` is an extended pattern only where those are on, and by default they are off.
            if self.eat_keyword(Keyword::Bang) {
                if negated && self.dialect == Dialect::Posix {
                    self.unexpected("a second `!`");
                }
                negated = !negated;
            } else if self.eat_keyword(Keyword::Time) {
                timed = true;
                self.time_option(b"-p");
                self.time_option(b"--");
            } else {
                return (negated, timed);
            }
            self.skip_blanks();
        }
    }

    fn time_option(&mut self, option: &[u8]) {
        self.skip_blanks();
        let start = self.pos;
        if self.at(option) {
            self.pos += option.len();
            if !self.at_delimiter() {
                self.pos = start;
            }
        }
    }

    fn at_pipeline_end(&self) -> bool {
        self.dialect.extended() && matches!(self.peek(), None | Some(b'\n' | b';'))
    }

    pub(super) fn nothing(&self) -> Command {
        let kind = CommandKind::Simple(Simple::default());
        Command { kind, redirects: Vec::new(), span: self.span(self.pos) }
    }

    /// One command with its redirections. If none starts here, reports that and returns an empty one.
    /// command is an empty one.
    pub(super) fn command(&mut self) -> Command {
        let start = self.pos;
        let Some(kind) = self.compound() else {
            return self.simple();
        };
        let mut redirects = Vec::new();
        let mut end = self.pos;
        self.skip_blanks();
        while let Some(redirect) = self.redirect() {
            redirects.push(redirect);
            end = self.pos;
            self.skip_blanks();
        }
        let span = self.span_to(start, end);
        Command { kind, redirects, span }
    }
}
