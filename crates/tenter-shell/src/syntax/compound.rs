//! Compound commands.

use std::rc::Rc;

use super::ast::{Arm, ArmEnd, Command, CommandKind, Script, Simple, Word};
use super::cursor::Parser;
use super::dialect::Dialect;
use super::keyword::{ARM_END, Keyword, PAREN};

impl Parser<'_, '_> {
    /// The compound command at the cursor, without its redirections.
    pub(super) fn compound(&mut self) -> Option<CommandKind> {
        if self.peek() == Some(b'(') {
            return Some(self.nested(Self::parenthesis));
        }
        let (keyword, end) = self.keyword()?;
        let read: fn(&mut Self) -> CommandKind = match keyword {
            Keyword::If => Self::if_command,
            Keyword::While => |parser| parser.while_command(false),
            Keyword::Until => |parser| parser.while_command(true),
            Keyword::For => |parser| parser.for_command(false),
            Keyword::Foreach => Self::foreach,
            Keyword::Select => |parser| parser.for_command(true),
            Keyword::Case => Self::case_command,
            Keyword::LeftBrace => Self::group,
            Keyword::Function => Self::function,
            Keyword::Coproc => Self::coprocess,
            Keyword::Test => Self::test_command,
            Keyword::Repeat => Self::repeat,
            _ if keyword.closes() => {
                self.unexpected("a command is missing before this");
                return Some(CommandKind::Simple(Simple::default()));
            }
            _ => return None,
        };
        self.pos = end;
        Some(self.nested(read))
    }

    fn nested(&mut self, read: fn(&mut Self) -> CommandKind) -> CommandKind {
        if !self.enter() {
            return CommandKind::Group(Script::default());
        }
        let kind = read(self);
        self.leave();
        kind
    }

    /// A list of commands that one of `closers` ends.
    pub(super) fn list_until(&mut self, closers: u32) -> Script {
        let around = self.open;
        self.open |= closers;
        let script = self.script();
        self.open = around;
        if script.items.is_empty() && self.dialect != Dialect::Zsh {
            self.unexpected("a command is missing before this");
        }
        script
    }

    /// A list of commands in parentheses, the first of which has been read.
    pub(super) fn list_in_parentheses(&mut self, start: usize) -> Script {
        let around = std::mem::replace(&mut self.open, PAREN);
        let script = self.script();
        self.open = around;
        if !self.eat(b')') {
            self.error("`(` is not closed", start);
        }
        script
    }

    fn expect_keyword(&mut self, keyword: Keyword, missing: &'static str) {
        self.skip_newlines();
        if !self.eat_keyword(keyword) {
            self.unexpected(missing);
        }
    }

    fn parenthesis(&mut self) -> CommandKind {
        let start = self.pos;
        let (second, at) = self.look(start + 1);
        if second == Some(b'(')
            && self.dialect.extended()
            && let Some(expression) = self.arithmetic(start, at)
        {
            return CommandKind::Arithmetic(expression);
        }
        self.pos += 1;
        if self.dialect == Dialect::Zsh && self.eat(b')') {
            self.skip_newlines();
            return CommandKind::Group(self.single_command());
        }
        let empty = self.errors.len();
        let script = self.list_in_parentheses(start);
        if script.items.is_empty() && self.errors.len() == empty {
            self.error("a command is missing between parentheses", start);
        }
        CommandKind::Subshell(script)
    }

    fn group(&mut self) -> CommandKind {
        let script = self.list_until(Keyword::RightBrace.bit());
        self.expect_keyword(Keyword::RightBrace, "`}` is missing");
        if self.dialect == Dialect::Zsh {
            return self.always(script);
        }
        CommandKind::Group(script)
    }

    fn if_command(&mut self) -> CommandKind {
        const PARTS: u32 = (1 << Keyword::Then as u8)
            | (1 << Keyword::Elif as u8)
            | (1 << Keyword::Else as u8)
            | (1 << Keyword::Fi as u8);
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.condition(PARTS);
            if self.dialect == Dialect::Zsh && self.at_keyword(Keyword::LeftBrace) {
                branches.push((condition, self.braced_body()));
                if self.eat_keyword(Keyword::Elif) {
                    continue;
                }
                if self.eat_keyword(Keyword::Else) {
                    self.skip_blanks();
                    otherwise = Some(self.braced_body());
                }
                return CommandKind::If { branches, otherwise };
            }
            self.expect_keyword(Keyword::Then, "`then` is missing");
            branches.push((condition, self.list_until(PARTS)));
            if !self.eat_keyword(Keyword::Elif) {
                break;
            }
        }
        if self.eat_keyword(Keyword::Else) {
            otherwise = Some(self.list_until(PARTS));
        }
        self.expect_keyword(Keyword::Fi, "`fi` is missing");
        CommandKind::If { branches, otherwise }
    }

    /// A condition; in zsh a body in braces may follow it.
    fn condition(&mut self, closers: u32) -> Script {
        let brace = if self.dialect == Dialect::Zsh { Keyword::LeftBrace.bit() } else { 0 };
        self.list_until(closers | brace)
    }

    fn while_command(&mut self, until: bool) -> CommandKind {
        let condition = self.condition(Keyword::Do.bit() | Keyword::Done.bit());
        let body = self.body();
        CommandKind::While { condition, body, until }
    }

    /// `do ... done`, or the same in braces.
    fn body(&mut self) -> Script {
        self.skip_newlines();
        if self.at_keyword(Keyword::LeftBrace) {
            return self.braced_body();
        }
        self.expect_keyword(Keyword::Do, "`do` is missing");
        let body = self.list_until(Keyword::Done.bit());
        self.expect_keyword(Keyword::Done, "`done` is missing");
        body
    }

    pub(super) fn braced_body(&mut self) -> Script {
        if !self.eat_keyword(Keyword::LeftBrace) {
            self.unexpected("`{` is missing");
        }
        let body = self.list_until(Keyword::RightBrace.bit());
        self.expect_keyword(Keyword::RightBrace, "`}` is missing");
        self.skip_blanks();
        body
    }

    fn for_command(&mut self, select: bool) -> CommandKind {
        self.skip_blanks();
        if self.at(b"((") && self.dialect.extended() {
            return self.for_arithmetic();
        }
        let variable = self.plain_name("a variable is missing here");
        if self.dialect == Dialect::Zsh {
            self.more_names();
        }
        self.skip_newlines();
        let mut words = None;
        if self.eat_keyword(Keyword::In) {
            words = Some(self.words_of_line());
            if !self.eat(b';') && self.peek() != Some(b'\n') {
                self.unexpected("`;` is missing before this");
            }
        } else if self.dialect == Dialect::Zsh && self.peek() == Some(b'(') {
            let words = Some(self.words_in_parentheses());
            let body = self.short_body();
            return CommandKind::For { variable, words, body, select };
        } else {
            self.eat(b';');
        }
        let body = if self.dialect == Dialect::Zsh { self.short_body() } else { self.body() };
        CommandKind::For { variable, words, body, select }
    }

    fn words_of_line(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        self.skip_blanks();
        while self.at_word() {
            words.push(self.word());
            self.skip_blanks();
        }
        words
    }

    fn for_arithmetic(&mut self) -> CommandKind {
        let start = self.pos;
        self.pos += 2;
        let mut header = vec![self.arithmetic_clause()];
        while self.eat(b';') {
            header.push(self.arithmetic_clause());
        }
        if !(self.eat(b')') && self.eat_joined(b')')) {
            self.error("`((` is not closed", start);
        }
        if header.len() != 3 {
            self.error("three expressions are needed here", start);
        }
        self.skip_blanks();
        self.eat(b';');
        let body = if self.dialect == Dialect::Zsh { self.short_body() } else { self.body() };
        CommandKind::ForArithmetic { header, body }
    }

    fn case_command(&mut self) -> CommandKind {
        self.skip_blanks();
        let subject = self.expect_word("a word is missing here");
        self.skip_newlines();
        let braces = self.dialect == Dialect::Zsh && self.eat_keyword(Keyword::LeftBrace);
        let end = if braces { Keyword::RightBrace } else { Keyword::Esac };
        if !braces {
            self.expect_keyword(Keyword::In, "`in` is missing");
        }
        let mut arms = Vec::new();
        loop {
            self.skip_newlines();
            let start = self.pos;
            if self.at_end() || self.at_keyword(end) {
                break;
            }
            arms.push(self.arm(end));
            if self.closer().is_some_and(|(bit, _)| bit != end.bit()) || self.pos == start {
                break;
            }
        }
        self.expect_keyword(end, "`esac` is missing");
        CommandKind::Case { subject, arms }
    }

    fn arm(&mut self, end: Keyword) -> Arm {
        if self.eat(b'(') {
            self.skip_blanks();
        }
        let mut patterns = vec![self.expect_word("a pattern is missing here")];
        self.skip_blanks();
        while self.eat(b'|') {
            self.skip_blanks();
            patterns.push(self.expect_word("a pattern is missing here"));
            self.skip_blanks();
        }
        if !self.eat(b')') {
            self.unexpected("`)` is missing after a pattern");
        }
        let around = self.open;
        self.open |= ARM_END | end.bit();
        let body = self.script();
        self.open = around;
        let mut then = ArmEnd::Stop;
        if let Some((ARM_END, end)) = self.closer() {
            then = match (self.look(self.pos + 1).0, self.look(end.saturating_sub(1)).0) {
                (Some(b'&'), _) => ArmEnd::Next,
                (Some(b'|'), _) | (Some(b';'), Some(b'&')) => ArmEnd::Try,
                _ => ArmEnd::Stop,
            };
            self.pos = end;
            self.skip_newlines();
        }
        Arm { patterns, body, then }
    }

    /// `function name`, with or without `()`.
    fn function(&mut self) -> CommandKind {
        self.skip_blanks();
        let name = self.plain_name("a name is missing here");
        if self.dialect == Dialect::Zsh {
            self.more_names();
        }
        self.skip_blanks();
        if self.peek() == Some(b'(') {
            // Nothing is read when they are the body.
            self.eat_empty_parentheses();
        }
        self.function_body(name)
    }

    /// `()`, with blanks between; false, and nothing read, when it is something else.
    pub(super) fn eat_empty_parentheses(&mut self) -> bool {
        let start = self.pos;
        self.pos += 1;
        self.skip_blanks();
        if self.eat(b')') {
            return true;
        }
        self.pos = start;
        false
    }

    pub(super) fn function_body(&mut self, name: String) -> CommandKind {
        self.skip_newlines();
        let body = if self.enter() {
            let body = self.command();
            self.leave();
            body
        } else {
            self.nothing()
        };
        if self.dialect == Dialect::Bash
            && matches!(
                body.kind,
                CommandKind::Simple(_)
                    | CommandKind::Function { .. }
                    | CommandKind::Coprocess { .. }
            )
        {
            self.error("a function's body must be a compound command", body.span.start as usize);
        }
        CommandKind::Function { name, body: Rc::new(body) }
    }

    fn coprocess(&mut self) -> CommandKind {
        self.skip_blanks();
        let start = self.pos;
        let mut name = None;
        if !self.at_compound() {
            let word = self.name_end(start);
            self.pos = word;
            self.skip_blanks();
            if word > start && self.pos > word && self.at_compound() {
                name = Some(self.slice(start, word).to_owned());
            } else {
                self.pos = start;
            }
        }
        let body: Command = self.command();
        CommandKind::Coprocess { name, body: Box::new(body) }
    }

    fn at_compound(&self) -> bool {
        use Keyword::{Case, For, If, LeftBrace, Select, Test, Until, While};
        self.peek() == Some(b'(')
            || self.keyword().is_some_and(|(keyword, _)| {
                matches!(keyword, Case | For | If | LeftBrace | Select | Test | Until | While)
            })
    }
}
