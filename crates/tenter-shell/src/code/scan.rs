//! Scans code statement by statement: imports, assignments, loops. Unknown syntax is skipped, token by token.

use std::rc::Rc;

use super::acts::Writing;
use super::functions::Function;
use super::languages::{Blocks, Definition, Syntax};
use super::lex::{self, Piece, Token, TokenKind};
use super::value::{Arguments, Value};
use super::{Code, Context};
use crate::act::Act;
use crate::call::Call;
use crate::effect::Certainty;
use crate::flow::{Flow, Stream};
use crate::span::Span;
use crate::value::Field;

/// Maximum nesting of expressions; deeper ones are skipped.
const MAX_DEPTH: usize = 20;
/// Maximum number of variables tracked.
const MAX_VARIABLES: usize = 512;

/// Data sent to a host. Reported at the end, when everything read is known.
#[derive(Debug)]
pub(super) struct Sent {
    pub action: Act,
    pub host: Field,
    pub data: Flow,
}

/// Facts that matter only in combination.
#[derive(Debug, Default)]
pub(super) struct Combined {
    /// Sources of everything read.
    pub reads: Flow,
    pub sends: Vec<Sent>,
    /// Host of an open connection.
    pub host: Option<Field>,
    /// Whether a program was started.
    pub spawned: bool,
    /// Cached properties of the whole text: whether it has a loop, enumerates processes, multiplies itself,
    /// or starts others endlessly.
    pub loops: Option<bool>,
    pub lists: Option<bool>,
    pub multiplies: Option<bool>,
    pub floods: Option<bool>,
    /// A program that will be started and its arguments, as they were set one by one.
    pub program: Option<Value>,
    pub words: Option<Value>,
    /// Whether a shell was started, or standard descriptors were replaced.
    pub shell: bool,
    /// Whether there is a branch or loop, so that output is unknown.
    pub branches: bool,
}

pub(super) struct Scan<'s, 'a, 'c, 'w> {
    pub call: &'a mut Call<'c, 'w>,
    pub code: Code<'s>,
    pub language: &'static Definition,
    /// Arguments of the script.
    pub arguments: &'s [Field],
    /// Variables set for the interpreter only.
    pub(super) variables_given: &'s [(String, Field)],
    pub(super) writing: Vec<Writing>,
    pub(super) tokens: Vec<Token<'s>>,
    pub(super) pieces: Vec<Piece>,
    pub(super) at: usize,
    pub(super) limit: usize,
    /// Number of tokens of the program itself; those of code inside strings follow.
    pub(super) whole: usize,
    /// A loop behind its statement that was read before it: its first token, and the one after it.
    pub(super) read_loop: Option<(usize, usize)>,
    depth: usize,
    variables: Vec<(Rc<str>, Value)>,
    pub(super) functions: Vec<Function<'s>>,
    /// Modules whose names are used unqualified.
    opened: Vec<Rc<str>>,
    /// Argument for the function passed next.
    pub(super) element: Option<Value>,
    /// The value of the last statement.
    pub(super) last: Option<Value>,
    pub out: Stream,
    pub found: Combined,
    /// In Python, lines indented deeper than this are in a branch.
    branch_column: Option<usize>,
    /// Certainty allowed by the context.
    certainty: Certainty,
}

impl<'s, 'a, 'c, 'w> Scan<'s, 'a, 'c, 'w> {
    pub(super) fn new(
        call: &'a mut Call<'c, 'w>,
        language: &'static Definition,
        code: Code<'s>,
        context: Context<'s>,
    ) -> Self {
        let certainty = call.machine.certainty;
        let mut scan = Self {
            call,
            code,
            language,
            arguments: context.arguments,
            variables_given: context.variables,
            writing: Vec::new(),
            tokens: Vec::new(),
            pieces: Vec::new(),
            at: 0,
            limit: 0,
            whole: 0,
            read_loop: None,
            depth: 0,
            variables: Vec::new(),
            functions: Vec::new(),
            opened: context.modules.iter().map(|module| module.as_str().into()).collect(),
            element: None,
            last: None,
            out: Stream::empty(),
            found: Combined::default(),
            branch_column: None,
            certainty,
        };
        lex::lex(code.text, (0, code.text.len()), language, &mut scan.tokens, &mut scan.pieces);
        scan.limit = scan.tokens.len();
        scan.whole = scan.limit;
        scan
    }

    pub(super) fn program(&mut self) {
        self.hoist();
        while self.at < self.limit && !self.call.machine.budget.is_spent() {
            let before = self.at;
            self.statement();
            if self.at == before {
                self.at += 1;
            }
        }
        self.call.machine.certainty = self.certainty;
        self.uncalled();
        self.call.machine.certainty = self.certainty;
        // The budget may have been exhausted elsewhere.
        if self.call.machine.budget.is_spent() {
            let span = self.code.span(0, self.code.text.len());
            self.call.unverified(crate::Reason::TooMuchWork, span);
        }
    }

    /// The value of the code itself is printed.
    pub(super) fn print_last(&mut self) {
        if let Some(value) = self.last.take() {
            let span = self.span_from(0);
            self.print(&Arguments { list: vec![value], named: Vec::new(), span }, true);
        }
    }

    /// Enters a nesting level; false when a limit is reached.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH || !self.call.machine.budget.spend(1) {
            let spent = self.call.machine.budget.is_spent();
            let reason = if spent { crate::Reason::TooMuchWork } else { crate::Reason::TooDeep };
            let span = self.code.span(0, self.code.text.len());
            self.call.unverified(reason, span);
            self.at += 1;
            return false;
        }
        if !self.call.machine.enter_depth() {
            self.at += 1;
            return false;
        }
        self.depth += 1;
        true
    }

    /// Reads the following at top level, until `go_on`.
    pub(super) fn start_anew(&mut self) -> usize {
        std::mem::take(&mut self.depth)
    }

    pub(super) fn go_on(&mut self, depth: usize) {
        self.depth = depth;
    }

    pub(super) fn leave(&mut self) {
        self.call.machine.leave_depth();
        self.depth -= 1;
    }

    pub(super) fn token(&self) -> Option<Token<'s>> {
        self.ahead(0)
    }

    pub(super) fn ahead(&self, count: usize) -> Option<Token<'s>> {
        let at = self.at.saturating_add(count);
        if at >= self.limit { None } else { self.tokens.get(at).copied() }
    }

    pub(super) fn is_mark(&self, mark: &str) -> bool {
        self.mark_ahead(0) == mark
    }

    pub(super) fn mark_ahead(&self, count: usize) -> &'s str {
        match self.ahead(count) {
            Some(token) if token.kind == TokenKind::Mark => token.text,
            _ => "",
        }
    }

    pub(super) fn name_ahead(&self, count: usize) -> &'s str {
        match self.ahead(count) {
            Some(token) if token.kind == TokenKind::Name => token.text,
            _ => "",
        }
    }

    pub(super) fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.at += 1;
        }
        found
    }

    pub(super) fn skip_lines(&mut self) {
        while self.token().is_some_and(|token| token.kind == TokenKind::Line) {
            self.at += 1;
        }
    }

    /// Span in the command of the tokens from `first` up to here.
    pub(super) fn span_from(&self, first: usize) -> Span {
        let start = self.tokens.get(first).map_or(0, |token| token.start);
        let end = self.tokens.get(self.at.saturating_sub(1)).map_or(start, |token| token.end);
        self.code.span(start, end.max(start))
    }

    pub(super) fn assign(&mut self, name: &str, value: Value) {
        if let Some((_, old)) = self.variables.iter_mut().rev().find(|(known, _)| &**known == name)
        {
            *old = value;
        } else if self.variables.len() < MAX_VARIABLES {
            self.variables.push((name.into(), value));
        }
    }

    pub(super) fn variable(&self, name: &str) -> Option<&Value> {
        self.variables.iter().rev().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.variables.retain(|(known, _)| &**known != name);
    }

    /// Code from another place follows; then call `enter_branch`.
    pub(super) fn leave_branch(&mut self) -> (Option<usize>, Certainty) {
        (self.branch_column.take(), self.call.machine.certainty)
    }

    pub(super) fn enter_branch(&mut self, (column, certainty): (Option<usize>, Certainty)) {
        self.branch_column = column;
        self.call.machine.certainty = certainty;
    }

    /// Uses a module's names unqualified from here on.
    pub(super) fn open_module(&mut self, module: &str) {
        self.opened.push(module.into());
    }

    /// A module that was opened and has this function.
    pub(super) fn opened(&self, name: &str) -> Option<String> {
        self.opened.iter().rev().find_map(|module| {
            let path = format!("{module}.{name}");
            self.language.find(&path).map(|_| path)
        })
    }

    pub(super) fn statement(&mut self) {
        let Some(token) = self.token() else {
            return;
        };
        self.loop_behind();
        match token.kind {
            TokenKind::Line => {
                self.at += 1;
                self.new_line();
            }
            TokenKind::Mark if matches!(token.text, ";" | "}" | ")" | "]" | "," | ":") => {
                self.at += 1;
            }
            // Blocks of compiled languages are read in a row: they nest deeply.
            TokenKind::Mark if token.text == "{" && self.is_compiled() => self.at += 1,
            TokenKind::Name if self.is_compiled() && self.compiled_keyword(token.text) => {}
            TokenKind::Name if self.keyword(token.text) => {}
            _ => {
                let value = self.assignment_statement();
                self.last = Some(value);
            }
        }
    }

    /// `unlink for glob("*")`: reads the list of a trailing loop first.
    fn loop_behind(&mut self) {
        let Some(topic) = self.language.syntax.topic else { return };
        if self.read_loop.is_some_and(|(first, _)| self.at <= first) {
            return;
        }
        let start = self.at;
        let mut depth = 0_usize;
        // Statements of this sort are short.
        for ahead in 0..64 {
            let Some(token) = self.ahead(ahead) else { return };
            match (token.kind, token.text) {
                (TokenKind::Mark, "(" | "[" | "{") => depth += 1,
                (TokenKind::Mark, ")" | "]" | "}") if depth > 0 => depth -= 1,
                (TokenKind::Mark, ")" | "]" | "}" | ";") if depth == 0 => return,
                (TokenKind::Name, "for" | "foreach") if ahead == 0 => return,
                (TokenKind::Name, "for" | "foreach") if depth == 0 => {
                    self.at = start + ahead + 1;
                    let values = self.expression();
                    self.bind(&[topic], &values);
                    self.read_loop = Some((start + ahead, self.at));
                    self.found.branches = true;
                    self.at = start;
                    return;
                }
                _ => {}
            }
        }
    }

    /// In Python a line that is not indented deeper ends a branch.
    fn new_line(&mut self) {
        if self.language.syntax.blocks != Blocks::Indented || self.branch_column.is_none() {
            return;
        }
        let column = self.column();
        if column.is_some_and(|column| self.branch_column.is_some_and(|branch| column <= branch)) {
            self.branch_column = None;
            self.call.machine.certainty = self.certainty;
        }
    }

    /// How far the line of this token is indented.
    fn column(&self) -> Option<usize> {
        let token = self.token().filter(|token| token.kind != TokenKind::Line)?;
        self.column_of(&token)
    }

    pub(super) fn column_of(&self, token: &Token<'_>) -> Option<usize> {
        let before = self.code.text.as_bytes().get(..token.start)?;
        // A line that is longer than this is not looked back through again and again.
        let back = before.iter().rev().take(512).position(|byte| *byte == b'\n');
        let line = before.get(before.len() - back.unwrap_or(before.len().min(512))..)?;
        Some(line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count())
    }

    /// Reads a statement that starts with a keyword. False if the word is none.
    fn keyword(&mut self, word: &str) -> bool {
        if let Some(read) = (self.language.syntax.keyword)(self, word) {
            return read;
        }
        match word {
            "for" | "foreach" if self.read_loop.is_some_and(|(first, _)| first == self.at) => {
                self.at = self.read_loop.take().map_or(self.at + 1, |(_, end)| end);
            }
            "for" | "foreach" | "while" | "until" | "loop" => {
                self.found.branches = true;
                self.at += 1;
                if word.starts_with("for") {
                    self.loop_head();
                }
            }
            "if" | "elif" | "elsif" | "elseif" | "else" | "unless" | "except" | "catch"
            | "rescue" | "case" | "switch" => {
                self.branch();
            }
            "end" if self.language.syntax.blocks == Blocks::Words => {
                self.at += 1;
                if self.branch_column.take().is_some() {
                    self.call.machine.certainty = self.certainty;
                }
            }
            "def" | "function" | "sub" | "func" if self.is_definition() => self.definition(),
            "class" | "struct" | "interface" if !self.name_ahead(1).is_empty() => self.at += 2,
            "return" | "await" | "async" | "yield" | "throw" | "raise" | "with" | "const"
            | "let" | "var" | "my" | "our" | "local" | "then" | "do" | "try" | "begin"
            | "finally" | "ensure" | "pass" | "global" | "nonlocal" | "export" | "static"
            | "public" | "private" | "BEGIN" | "END" | "assert"
                if !matches!(self.mark_ahead(1), "." | "=") =>
            {
                self.at += 1;
            }
            _ => return false,
        }
        true
    }

    /// After `for` or `foreach`: binds the loop variable.
    fn loop_head(&mut self) {
        if self.name_ahead(0) == "await" {
            self.at += 1;
        }
        let parenthesis = self.take_mark("(");
        while matches!(self.name_ahead(0), "my" | "our" | "const" | "let" | "var") {
            self.at += 1;
        }
        let mut names: Vec<&str> = Vec::new();
        let mut ahead = 0;
        while ahead < 16 {
            let name = self.name_ahead(ahead);
            match name {
                "" if matches!(self.mark_ahead(ahead), "," | "(" | ")" | "[" | "]")
                    && self.mark_ahead(ahead) != "(" => {}
                "" | "in" | "of" => break,
                name => names.push(name),
            }
            ahead += 1;
        }
        let key = self.name_ahead(ahead);
        let topic = self.language.syntax.topic;
        if matches!(key, "in" | "of") && !names.is_empty() {
            self.at += ahead + 1;
        } else if topic.is_some() && !parenthesis && names.len() == 1 && self.mark_ahead(1) == "(" {
            self.at += 1;
        } else if let Some(topic) = topic.filter(|_| parenthesis) {
            self.at -= 1;
            names = vec![topic];
        } else {
            // `for (;;)`, `foreach (list as $x)`: read as it comes.
            self.at -= usize::from(parenthesis);
            return;
        }
        let value = self.expression();
        self.bind(&names, &value);
        if parenthesis {
            self.take_mark(")");
        }
    }

    /// Binds names to the elements of `value`.
    pub(super) fn bind(&mut self, names: &[&str], value: &Value) {
        let span = self.span_from(self.at.saturating_sub(1));
        let element = value.element(span);
        for (index, name) in names.iter().enumerate() {
            let item = match (&element, names.len()) {
                (_, 1) => element.clone(),
                (Value::Any(values), _) => Value::Any(
                    values
                        .iter()
                        .map(|value| match value {
                            Value::List(parts) => parts.get(index).cloned(),
                            _ => None,
                        })
                        .map(|part| part.unwrap_or_else(|| Value::unknown("…", span)))
                        .collect(),
                ),
                _ => Value::unknown_from(element.flow(), span),
            };
            self.assign(name, item);
        }
    }

    /// Reads a conditional part.
    fn branch(&mut self) {
        self.found.branches = true;
        let Syntax { blocks, trailing_conditions, .. } = self.language.syntax;
        let column = if blocks == Blocks::Indented { self.column() } else { Some(0) };
        self.at += 1;
        match blocks {
            Blocks::Indented | Blocks::Words => {
                // The condition itself is always looked at.
                let _condition = self.expression();
                self.branch_column = match self.branch_column {
                    Some(old) => Some(old.min(column.unwrap_or(0))),
                    None => column,
                };
                self.call.machine.certainty = Certainty::Possible;
            }
            Blocks::Braces => {
                if self.is_mark("(") {
                    let _condition = self.primary();
                } else if !self.is_mark("{") && self.name_ahead(0) != "if" {
                    let _condition = self.expression();
                }
                self.skip_lines();
                if self.is_mark("{") || (!trailing_conditions && !self.is_mark(";")) {
                    self.possibly(Self::statement);
                }
            }
        }
    }

    /// Runs `step` as possible, not certain.
    pub(super) fn possibly(&mut self, step: fn(&mut Self)) {
        let before = std::mem::replace(&mut self.call.machine.certainty, Certainty::Possible);
        if self.enter() {
            step(self);
            self.leave();
        }
        self.call.machine.certainty = before;
    }

    fn is_definition(&self) -> bool {
        let closures = self.language.syntax.functions.hoisted;
        !self.name_ahead(1).is_empty() || !closures && matches!(self.mark_ahead(1), "(" | "{" | "*")
    }

    /// A function is defined: its name no longer means what the language says. Its body is read
    /// in place, since it is most likely called.
    fn definition(&mut self) {
        self.found.branches = true;
        let column = self.column().unwrap_or(0);
        self.at += 1;
        self.take_mark("*");
        let name = self.name_ahead(0);
        if !name.is_empty() {
            self.at += 1;
            if matches!(self.mark_ahead(0), "(" | "{") && self.define(name, column) {
                return;
            }
            if !matches!(self.mark_ahead(0), "." | "::" | ":") {
                self.assign(name, Value::Name("local function".into()));
            }
        }
        if self.is_mark("(") {
            self.skip_group();
        }
    }

    /// Steps over brackets and all in them.
    pub(super) fn skip_group(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.token() {
            if token.kind == TokenKind::Mark {
                match token.text {
                    "(" | "[" | "{" => depth += 1,
                    ")" | "]" | "}" => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}
