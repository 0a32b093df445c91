//! Functions that the code defines and calls: the body is read at each call, with what it is
//! given. One that is never seen called is read with nothing known, as it most likely is called.

use super::languages::Blocks;
use super::lex::{Token, TokenKind};
use super::scan::Scan;
use super::value::{Arguments, Value};

/// Functions that are remembered; further ones are read where they stand.
const MAX_FUNCTIONS: usize = 64;
/// Calls inside each other.
const MAX_CALLS: usize = 4;
/// Names of its own that a body is let have.
const MAX_OWN: usize = 16;
/// Calls of a function inside itself, with other texts, that are read.
const MAX_AGAIN: usize = 4;
/// What a name that means such a function is worth.
const LOCAL: &str = "local function ";

#[derive(Debug)]
pub(super) struct Function<'s> {
    name: &'s str,
    parameters: Vec<Parameter<'s>>,
    /// The tokens of its body, from and to.
    body: (usize, usize),
    /// It belongs to a class: `thing.name(...)` may call it.
    method: bool,
    seen: Seen,
    active: bool,
    /// What it has called itself with, to be read when it is over.
    again: Vec<Arguments>,
    /// How often that has been noted.
    noted: usize,
}

/// What is known of its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// There is one, further on.
    Ahead,
    Called,
    /// It is also named without being called: who knows what it is called with.
    HandedOn,
}

#[derive(Debug)]
struct Parameter<'s> {
    name: &'s str,
    takes_rest: bool,
    default: Option<Value>,
}

impl<'s> Scan<'s, '_, '_, '_> {
    /// A function with this name is defined here, at its parameters. Steps over it if its body can
    /// wait for a call; false, and nothing read, if not.
    pub(super) fn define(&mut self, name: &'s str, column: usize) -> bool {
        let start = self.at;
        let known = self.language.syntax.functions.followed;
        if !known || name.is_empty() || self.functions.len() >= MAX_FUNCTIONS {
            return false;
        }
        // Its end and its calls are looked for in all that follows.
        let _enough = self.call.machine.budget.spend(self.limit / 8);
        let Some(body) = self.body_ahead(column) else { return false };
        let Some(seen) = self.uses(name, (start, body.1)) else { return false };
        let mut parameters = self.parameters();
        let method = parameters.first().is_some_and(|first| matches!(first.name, "self" | "cls"));
        if method {
            parameters.remove(0);
        }
        self.functions.retain(|function| function.name != name || function.active);
        let (again, noted) = (Vec::new(), 0);
        let function =
            Function { name, parameters, body, method, seen, active: false, again, noted };
        self.functions.push(function);
        self.assign(name, Value::Name(format!("{LOCAL}{name}").into()));
        self.found.branches = true;
        self.at = body.1;
        true
    }

    /// `(x) => ...`, `x => ...` or `function (x) { ... }` is given a name here.
    pub(super) fn define_arrow(&mut self, name: &'s str) -> bool {
        let start = self.at;
        if !self.language.syntax.arrows {
            return false;
        }
        if self.name_ahead(0) == "async" {
            self.at += 1;
        }
        let function = self.name_ahead(0) == "function";
        if function {
            self.at += if self.name_ahead(1).is_empty() { 1 } else { 2 };
        }
        let short = !function && !self.name_ahead(0).is_empty() && self.mark_ahead(1) == "=>";
        let defined =
            (function || short || self.is_mark("(") && self.is_arrow()) && self.define(name, 0);
        if !defined {
            self.at = start;
        }
        defined
    }

    /// Where the body of the function stands whose parameters are next.
    fn body_ahead(&self, column: usize) -> Option<(usize, usize)> {
        let mut at = if self.is_mark("(") { self.past_group(self.at)? } else { self.at + 1 };
        let mark = |at: usize| self.tokens.get(at).filter(|_| at < self.limit);
        let blocks = self.language.syntax.blocks;
        if blocks == Blocks::Indented {
            while !is_mark(mark(at)?, ":") {
                at += 1;
            }
            let start = at + 1;
            let short = mark(start)?.kind != TokenKind::Line;
            return Some((start, self.block_end(start, column, short)));
        }
        // `def sh(c) = ...`, or all up to an `end` that stands below the `def`.
        if blocks == Blocks::Words && !is_mark(mark(at)?, "=") {
            let ends = |at: &usize| {
                let end = self.tokens.get(*at).filter(|token| token.text == "end");
                end.is_some_and(|token| self.column_of(token) == Some(column))
            };
            return Some((at, (at..self.limit).find(ends)?));
        }
        if is_mark(mark(at)?, "=>") || is_mark(mark(at)?, "=") {
            at += 1;
        }
        if is_mark(mark(at)?, "{") {
            let end = self.past_group(at)?;
            return Some((at + 1, end.saturating_sub(1)));
        }
        let start = at;
        while let Some(token) = mark(at) {
            if token.kind == TokenKind::Line || is_mark(token, ";") || is_mark(token, ",") {
                break;
            }
            let opens = token.kind == TokenKind::Mark && matches!(token.text, "(" | "[" | "{");
            at = if opens { self.past_group(at)? } else { at + 1 };
        }
        Some((start, at))
    }

    /// Where the lines that are indented further than `column` end; a short body ends with its line.
    fn block_end(&self, start: usize, column: usize, short: bool) -> usize {
        // The end of the line before, if nothing has followed it yet.
        let mut line = None;
        for (at, token) in self.tokens.iter().enumerate().take(self.limit).skip(start) {
            if token.kind == TokenKind::Line {
                line = line.or(Some(at));
                if short {
                    break;
                }
            } else if let Some(line) = line.take()
                && self.column_of(token).is_none_or(|next| next <= column)
            {
                return line;
            }
        }
        line.unwrap_or(self.limit)
    }

    /// The token after the bracket that closes the one at `open`.
    fn past_group(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.get(open..self.limit)?.iter().enumerate() {
            if token.kind != TokenKind::Mark {
                continue;
            }
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Some(open + index + 1);
            }
        }
        None
    }

    /// How a function is used, if it is called anywhere but in itself.
    fn uses(&self, name: &str, (from, to): (usize, usize)) -> Option<Seen> {
        let bare = self.language.syntax.functions.bare;
        let (mut called, mut handed_on) = (false, false);
        for (index, token) in self.tokens.iter().enumerate().take(self.limit) {
            let outside = !(from.saturating_sub(1)..to).contains(&index);
            if outside && token.kind == TokenKind::Name && token.text == name {
                match self.tokens.get(index + 1) {
                    Some(next) if is_mark(next, "(") => called = true,
                    Some(next) if bare && next.kind == TokenKind::Text => called = true,
                    Some(next) if is_mark(next, "=") => {}
                    _ => handed_on = true,
                }
            }
        }
        called.then_some(if handed_on { Seen::HandedOn } else { Seen::Ahead })
    }

    /// `(a, b=1, *rest)` or `a`
    fn parameters(&mut self) -> Vec<Parameter<'s>> {
        let mut parameters = Vec::new();
        if !self.take_mark("(") {
            let name = self.name_ahead(0);
            return vec![Parameter { name, takes_rest: false, default: None }];
        }
        let mut takes_rest = false;
        while let Some(token) = self.token() {
            let before = self.at;
            match (token.kind, token.text) {
                (TokenKind::Mark, ")") => break,
                (TokenKind::Mark, "*" | "**" | "...") => takes_rest = true,
                // `*` alone: only names after it.
                (TokenKind::Mark, ",") => takes_rest = false,
                (TokenKind::Mark, "(" | "[" | "{") => {
                    self.skip_group();
                    parameters.push(Parameter { name: "", takes_rest: false, default: None });
                }
                (TokenKind::Mark, ":") => self.skip_annotation(),
                (TokenKind::Mark, "=") => {
                    self.at += 1;
                    let value = self.assignment();
                    if let Some(last) = parameters.last_mut() {
                        last.default = Some(value);
                    }
                }
                (TokenKind::Name, name) => {
                    parameters.push(Parameter { name, takes_rest, default: None });
                    takes_rest = false;
                }
                _ => {}
            }
            if self.at == before {
                self.at += 1;
            }
        }
        parameters
    }

    fn skip_annotation(&mut self) {
        self.at += 1;
        while let Some(token) = self.token() {
            match (token.kind, token.text) {
                (TokenKind::Mark, "," | ")" | "=") => return,
                (TokenKind::Mark, "(" | "[" | "{") => self.skip_group(),
                _ => self.at += 1,
            }
        }
    }

    /// Whether a name means a function of the code.
    pub(super) fn is_local(name: &str) -> bool {
        name.starts_with(LOCAL)
    }

    /// A function of the code is called, if the name is that of one.
    pub(super) fn call_local(&mut self, name: &str, arguments: &Arguments) -> Option<Value> {
        let name = name.strip_prefix(LOCAL)?;
        self.call_function(name, arguments)
    }

    /// The same for `thing.name(arguments)`.
    pub(super) fn call_method(&mut self, name: &str, arguments: &Arguments) {
        if self.functions.iter().any(|function| function.method && function.name == name) {
            self.call_function(name, arguments);
        }
    }

    fn call_function(&mut self, name: &str, arguments: &Arguments) -> Option<Value> {
        let index = self.functions.iter().rposition(|function| function.name == name)?;
        let unknown = Value::unknown_from(arguments.flow(), arguments.span);
        let active = self.functions.iter().filter(|function| function.active).count();
        // What is reached only from far inside others is read by itself.
        let deep = active >= MAX_CALLS || self.call.machine.is_deep();
        if self.functions.get(index)?.active {
            self.note(index, arguments);
            return Some(unknown);
        }
        let function = self.functions.get_mut(index)?;
        if deep {
            function.seen = Seen::HandedOn;
            return Some(unknown);
        }
        function.active = true;
        if function.seen == Seen::Ahead {
            function.seen = Seen::Called;
        }
        let body = function.body;
        let bound: Vec<(&'s str, Value)> = bind(&function.parameters, arguments).collect();
        let depth = self.start_anew();
        let value = self.run_body(body, bound);
        self.go_on(depth);
        let ended = |function: &&mut Function<'_>| function.name == name && function.active;
        if let Some(function) = self.functions.iter_mut().find(ended) {
            function.active = false;
        }
        Some(value.unwrap_or(unknown))
    }

    /// A function calls itself: with other texts than it has now, it may do something else.
    fn note(&mut self, index: usize, arguments: &Arguments) {
        let Some(function) = self.functions.get(index) else { return };
        let differs = bind(&function.parameters, arguments).any(|(name, value)| {
            value.exact().is_some() && self.variable(name).and_then(Value::exact) != value.exact()
        });
        if let Some(function) = self.functions.get_mut(index).filter(|_| differs) {
            function.noted += 1;
            match function.noted {
                ..=MAX_AGAIN => function.again.push(arguments.clone()),
                _ => function.seen = Seen::HandedOn,
            }
        }
    }

    /// Names that the body has for itself: outside of it they stay what they were.
    fn own_names(&self, (from, to): (usize, usize)) -> Vec<&'s str> {
        let body = self.tokens.get(from..to).unwrap_or_default();
        let mut own = Vec::new();
        let mut shared: Vec<&str> = Vec::new();
        let mut shares = false;
        let mut before = "";
        for (index, token) in body.iter().enumerate() {
            if token.kind == TokenKind::Name {
                let is_set = body.get(index + 1).is_some_and(|next| is_mark(next, "="));
                let is_own = match self.language.syntax.functions.own {
                    [] => (is_set && before != ".") || before == "for",
                    words => words.contains(&before),
                };
                shares |= matches!(token.text, "global" | "nonlocal");
                if shares {
                    shared.push(token.text);
                } else if is_own && own.len() < MAX_OWN && !token.text.starts_with(['$', '@']) {
                    own.push(token.text);
                }
            }
            shares &= token.kind != TokenKind::Line && token.text != ";";
            before = token.text;
        }
        own.retain(|name| !shared.contains(name));
        own
    }

    /// What it returns, if there is only one thing that it can return.
    fn run_body(
        &mut self,
        (from, to): (usize, usize),
        bound: Vec<(&'s str, Value)>,
    ) -> Option<Value> {
        let mut shadowed: Vec<_> =
            bound.iter().map(|(name, _)| (*name, self.variable(name).cloned())).collect();
        for name in self.own_names((from, to)) {
            // In front: what a parameter was before comes last.
            let outside = self.variable(name).cloned();
            shadowed.splice(..0, outside.map(|value| (name, Some(value))));
        }
        for (name, value) in bound {
            self.assign(name, value);
        }
        let place = (self.at, self.limit, self.last.take());
        let branch = self.leave_branch();
        (self.at, self.limit) = (from, to);
        let mut returned = None;
        while self.at < self.limit && !self.call.machine.budget.is_spent() {
            let before = self.at;
            if self.name_ahead(0) == "return" {
                self.last = None;
                self.statement();
                self.statement();
                returned = self.last.take();
            } else {
                self.statement();
            }
            if self.at == before {
                self.at += 1;
            }
        }
        let short = self.language.syntax.functions.last_is_value && returned.is_none();
        let value = if short { self.last.take() } else { returned };
        (self.at, self.limit, self.last) = place;
        self.enter_branch(branch);
        for (name, value) in shadowed {
            match value {
                Some(value) => self.assign(name, value),
                None => self.forget(name),
            }
        }
        let returns = |token: &&Token<'_>| token.kind == TokenKind::Name && token.text == "return";
        let body = self.tokens.get(from..to).unwrap_or_default();
        value.filter(|_| body.iter().filter(returns).count() <= 1)
    }

    /// Reads what was never called, or may be called with anything.
    pub(super) fn uncalled(&mut self) {
        for index in 0..self.functions.len() {
            let waits = |function: &&Function<'_>| function.seen != Seen::Called;
            let waiting = self.functions.get(index).filter(waits);
            if let Some(name) = waiting.map(|function| function.name) {
                let span = self.span_from(self.at.saturating_sub(1));
                let nothing = Arguments { list: Vec::new(), named: Vec::new(), span };
                self.call_function(name, &nothing);
            }
        }
        let again = |function: &mut Function<'s>| Some((function.name, function.again.pop()?));
        while let Some((name, arguments)) = self.functions.iter_mut().find_map(again) {
            self.call_function(name, &arguments);
        }
    }
}

fn is_mark(token: &Token<'_>, mark: &str) -> bool {
    token.kind == TokenKind::Mark && token.text == mark
}

/// What each parameter is given.
fn bind<'s: 'p, 'p>(
    parameters: &'p [Parameter<'s>],
    arguments: &'p Arguments,
) -> impl Iterator<Item = (&'s str, Value)> + 'p {
    parameters.iter().enumerate().filter(|(_, parameter)| !parameter.name.is_empty()).map(
        |(index, parameter)| {
            let rest = || Value::List(arguments.list.get(index..).unwrap_or_default().to_vec());
            let named = || arguments.option(parameter.name).or(arguments.get(index)).cloned();
            let value = if parameter.takes_rest { Some(rest()) } else { named() };
            let value = value.or_else(|| parameter.default.clone());
            let unknown = || Value::unknown(parameter.name, arguments.span);
            (parameter.name, value.unwrap_or_else(unknown))
        },
    )
}

#[cfg(test)]
mod tests {
    use crate::run::testing::effects;

    fn python(code: &str) -> Vec<String> {
        effects(&["python3", "-c", code])
    }

    fn node(code: &str) -> Vec<String> {
        effects(&["node", "-e", code])
    }

    #[test]
    fn a_body_is_read_with_what_each_call_gives() {
        let found = python(
            "import shutil\ndef clean(path, keep=None):\n    shutil.rmtree(path)\nclean('dist')\nclean(path='/etc')",
        );
        assert_eq!(found, ["delete remove /shop/dist certain -r", "delete remove /etc certain -r"]);
        let found = node("const rm = d => require('fs').rmSync(d, {recursive: true}); rm('dist')");
        assert_eq!(found, ["delete remove /shop/dist certain -r"]);
        let found = python("import os\ndef where():\n    return '/etc'\nos.remove(where())");
        assert_eq!(found, ["delete remove /etc certain"]);
    }

    #[test]
    fn defaults_and_the_rest_are_bound() {
        let found = python("import shutil\ndef f(a, d='/etc'):\n  shutil.rmtree(d)\nf(1)");
        assert_eq!(found, ["delete remove /etc certain -r"]);
        let found = python("import shutil\ndef f(*, d):\n  shutil.rmtree(d)\nf(d='/etc')");
        assert_eq!(found, ["delete remove /etc certain -r"]);
    }

    #[test]
    fn a_body_that_may_get_anything_is_read_with_nothing_known() {
        for code in [
            "import shutil\ndef f(d):\n    shutil.rmtree(d)",
            "import shutil\ndef f(d):\n    shutil.rmtree(d)\nf('dist')\npool.submit(f, x)",
        ] {
            assert_eq!(
                python(code).last().map(String::as_str),
                Some("delete remove d possible -r")
            );
        }
    }

    #[test]
    fn one_that_calls_itself_ends() {
        let found = python("import os\ndef f(n):\n    os.remove('/etc/x')\n    f(n - 1)\nf(3)");
        assert_eq!(found, ["delete remove /etc/x certain"]);
    }

    #[test]
    fn one_that_calls_itself_with_something_else_is_read_again() {
        let found = python(
            "import shutil\ndef f(d, n):\n  if n:\n    shutil.rmtree(d)\n  else:\n    f('/etc', 1)\nf('dist', 0)",
        );
        assert_eq!(
            found,
            ["delete remove /shop/dist possible -r", "delete remove /etc possible -r"]
        );
    }

    #[test]
    fn what_a_body_assigns_is_its_own() {
        for (body, gone) in [
            ("d = 'dist'", "/etc"),
            ("for d in ['dist']: print(d)", "/etc"),
            ("global d; d = 'dist'", "/shop/dist"),
        ] {
            let code =
                format!("import shutil\nd = '/etc'\ndef f():\n    {body}\nf()\nshutil.rmtree(d)");
            assert_eq!(python(&code), [format!("delete remove {gone} certain -r")], "{body}");
        }
        let found = node(
            "let d = '/etc'; const f = () => { const d = 'dist'; return d }; f(); fs.rmSync(d, {recursive: true})",
        );
        assert_eq!(found, ["delete remove /etc certain -r"]);
    }

    #[test]
    fn a_comma_between_brackets_does_not_assign() {
        let found = python("import shutil\nd = '/etc'\nshutil.rmtree(d, ignore_errors=True)");
        assert_eq!(found, ["delete remove /etc certain -r -f"]);
    }
}
