//! Functions defined and called by the code: the body is read at each call, with the arguments. One that is
//! never called is read with unknown arguments, as it most likely is called.

mod head;
#[cfg(test)]
mod tests;

use std::rc::Rc;

use self::head::{Parameter, bind, is_mark};
use super::languages::Scope;
use super::lex::{Token, TokenKind};
use super::scan::Scan;
use super::value::{Arguments, Value};

/// Maximum number of functions tracked; further ones are read in place.
const MAX_FUNCTIONS: usize = 64;
/// Maximum nesting of calls.
const MAX_CALLS: usize = 4;
/// Maximum number of local names of a body.
const MAX_OWN: usize = 16;
/// Maximum number of recursive calls with other arguments that are read.
const MAX_AGAIN: usize = 4;
/// Prefix of values that refer to such a function.
const LOCAL: &str = "local function ";

#[derive(Debug)]
pub(super) struct Function<'s> {
    name: Rc<str>,
    /// The token its parameters start at.
    start: usize,
    parameters: Vec<Parameter<'s>>,
    /// The tokens of its body, from and to.
    body: (usize, usize),
    /// It belongs to a class: `thing.name(...)` may call it.
    method: bool,
    seen: Seen,
    active: bool,
    /// Arguments of the current call.
    given: Vec<Value>,
    /// Arguments of recursive calls, to be read afterwards.
    again: Vec<Arguments>,
    /// How often that was noted.
    noted: usize,
}

/// Knowledge about a function's calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// There is one further on.
    Ahead,
    Called,
    /// It is passed as a value, so its arguments are unknown.
    HandedOn,
}

impl<'s> Scan<'s, '_, '_, '_> {
    /// Remembers the functions that may be called before they are defined.
    pub(super) fn hoist(&mut self) {
        if !self.language.syntax.functions.hoisted {
            return;
        }
        if self.is_compiled() {
            return self.hoist_compiled();
        }
        for at in 0..self.limit {
            self.at = at;
            if !matches!(self.name_ahead(0), "sub" | "function") {
                continue;
            }
            let name = self.name_ahead(1);
            let starts = !name.is_empty() && matches!(self.mark_ahead(2), "(" | "{");
            if starts {
                self.at += 2;
                self.define_here(name, 0);
            }
        }
        self.at = 0;
    }

    /// A function with this name is defined here, at its parameters. Steps over it if its body can
    /// wait for a call; false, and nothing read, if not.
    pub(super) fn define(&mut self, name: &'s str, column: usize) -> bool {
        if self.language.syntax.functions.hoisted {
            let known = self.known(name);
            return known.map(|value| self.assign(name, value)).is_some();
        }
        self.define_here(name, column)
    }

    pub(super) fn define_here(&mut self, name: &'s str, column: usize) -> bool {
        let start = self.at;
        if name.is_empty() || !self.may_define() {
            return false;
        }
        let Some(body) = self.body_ahead(column) else { return false };
        let Some(seen) = self.uses(name, (start, body.1)) else { return false };
        let value = self.remember(name.into(), body, seen);
        self.assign(name, value);
        self.at = self.past_body(body);
        true
    }

    /// A function without a name, at its parameters. What is not remembered is read in place.
    pub(super) fn closure(&mut self) -> Option<Value> {
        let name = format!("#{}", self.at);
        if let Some(value) = self.known(&name) {
            return Some(value);
        }
        if !self.may_define() {
            return None;
        }
        let body = self.body_ahead(0)?;
        let value = self.remember(name.into(), body, Seen::Ahead);
        self.at = self.past_body(body);
        Some(value)
    }

    /// Steps over a function that is remembered from this place.
    fn known(&mut self, name: &str) -> Option<Value> {
        let hoisted = self.language.syntax.functions.hoisted;
        let here = |known: &&Function<'_>| known.start == self.at && &*known.name == name;
        let body = self.functions.iter().filter(|_| hoisted).find(here)?.body;
        self.at = self.past_body(body);
        Some(Value::Name(format!("{LOCAL}{name}").into()))
    }

    /// The token after this body and its closing bracket.
    fn past_body(&self, (from, to): (usize, usize)) -> usize {
        let open = from.checked_sub(1).and_then(|at| self.tokens.get(at));
        to + usize::from(open.is_some_and(|token| is_mark(token, "{")))
    }

    fn may_define(&mut self) -> bool {
        let followed = self.language.syntax.functions.followed && self.at < self.whole;
        if !followed || self.functions.len() >= MAX_FUNCTIONS {
            return false;
        }
        // Its end and its calls are looked for in all that follows.
        self.call.machine.budget.spend(self.limit / 8)
    }

    fn remember(&mut self, name: Rc<str>, body: (usize, usize), seen: Seen) -> Value {
        let start = self.at;
        let mut parameters = self.parameters();
        let mut method = self.language.syntax.functions.any_is_method;
        if parameters.first().is_some_and(|first| matches!(first.name, "self" | "cls")) {
            method = true;
            parameters.remove(0);
        }
        self.functions.retain(|function| function.name != name || function.active);
        let value = Value::Name(format!("{LOCAL}{name}").into());
        self.functions.push(Function {
            name,
            start,
            parameters,
            body,
            method,
            seen,
            active: false,
            given: Vec::new(),
            again: Vec::new(),
            noted: 0,
        });
        self.found.branches = true;
        value
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

    /// Whether a name means a function of the code.
    pub(super) fn is_local(name: &str) -> bool {
        name.starts_with(LOCAL)
    }

    /// Whether the token here is this function's name.
    pub(super) fn is_name_of(&self, token: usize, function: &Value) -> bool {
        let text = self.tokens.get(token).map(|token| token.text);
        matches!(function, Value::Name(name) if name.strip_prefix(LOCAL) == text)
    }

    /// A function of the code is called, if the name is that of one.
    pub(super) fn call_local(&mut self, name: &str, arguments: &Arguments) -> Option<Value> {
        let name = name.strip_prefix(LOCAL)?;
        self.call_function(name, Some(arguments))
    }

    /// The same for `thing.name(arguments)`.
    pub(super) fn call_method(&mut self, name: &str, arguments: &Arguments) -> Option<Value> {
        let mut functions = self.functions.iter();
        let found = functions.rfind(|function| function.method && &*function.name == name)?;
        if !self.takes_itself(found) {
            return self.call_function(name, Some(arguments));
        }
        let mut arguments = arguments.clone();
        arguments.list.insert(0, Value::unknown("self", arguments.span));
        self.call_function(name, Some(&arguments))
    }

    /// Handles functions passed as arguments to something that may call them.
    pub(super) fn hand_on(&mut self, arguments: &Arguments) {
        if !self.language.syntax.functions.hoisted {
            return;
        }
        let values = arguments.list.iter().chain(arguments.named.iter().map(|(_, value)| value));
        for value in values {
            let name = match value {
                Value::Name(name) => name.strip_prefix(LOCAL),
                other => other.exact(),
            };
            let mut functions = self.functions.iter_mut();
            if let Some(function) = functions.find(|function| Some(&*function.name) == name) {
                function.seen = Seen::HandedOn;
            }
        }
    }

    /// Calls a function of the code; without arguments they are unknown.
    fn call_function(&mut self, name: &str, given: Option<&Arguments>) -> Option<Value> {
        let index = self.functions.iter().rposition(|function| &*function.name == name)?;
        let span = self.span_from(self.at.saturating_sub(1));
        let nothing = Arguments { span, ..Arguments::default() };
        let arguments = given.unwrap_or(&nothing);
        let unknown = Value::unknown_from(arguments.flow(), arguments.span);
        let active = self.functions.iter().filter(|function| function.active).count();
        // A function reached only from deep inside others is read separately.
        let deep = active >= MAX_CALLS || self.call.machine.is_deep();
        if self.functions.get(index)?.active {
            self.note(index, arguments);
            return Some(unknown);
        }
        let list = self.language.syntax.functions.arguments;
        let all = list.map(|_| arguments.all());
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
        let mut bound: Vec<(&'s str, Value)> = bind(&function.parameters, arguments).collect();
        if let (Some(list), Some(all)) = (list, all) {
            function.given.clone_from(&all);
            let known = given.is_some();
            bound.push((list, if known { Value::List(all) } else { unknown.clone() }));
        }
        let depth = self.start_anew();
        let value = self.run_body(body, bound);
        self.go_on(depth);
        let ended = |function: &&mut Function<'_>| &*function.name == name && function.active;
        if let Some(function) = self.functions.iter_mut().find(ended) {
            function.active = false;
        }
        Some(value.unwrap_or(unknown))
    }

    /// A function calls itself: with other texts than it has now, it may do something else.
    fn note(&mut self, index: usize, arguments: &Arguments) {
        let Some(function) = self.functions.get(index) else { return };
        let named = bind(&function.parameters, arguments).any(|(name, value)| {
            value.exact().is_some() && self.variable(name).and_then(Value::exact) != value.exact()
        });
        let mut given = arguments.list.iter().enumerate();
        let listed = self.language.syntax.functions.arguments.is_some()
            && given.any(|(index, value)| {
                let now = function.given.get(index).and_then(Value::exact);
                value.exact().is_some() && now != value.exact()
            });
        if let Some(function) = self.functions.get_mut(index).filter(|_| named || listed) {
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
        // `my ($a, $b)`: inside of these parentheses.
        let mut listed = false;
        let (mut before, mut earlier) = ("", "");
        for (index, token) in body.iter().enumerate() {
            if token.kind == TokenKind::Name {
                let is_set = body.get(index + 1).is_some_and(|next| is_mark(next, "="));
                let assigned = (is_set && before != ".") || matches!(before, "for" | "as");
                let is_own = match self.language.syntax.functions.own {
                    Scope::Assigned => assigned,
                    Scope::AssignedBare => assigned && !token.text.starts_with(['$', '@']),
                    Scope::Declared(words) => {
                        listed = before == "(" && words.contains(&earlier) || listed;
                        listed || words.contains(&before)
                    }
                };
                shares |= matches!(token.text, "global" | "nonlocal");
                if shares {
                    shared.push(token.text);
                } else if is_own && own.len() < MAX_OWN {
                    own.push(token.text);
                }
            }
            listed &= token.text != ")";
            shares &= token.kind != TokenKind::Line && token.text != ";";
            earlier = std::mem::replace(&mut before, token.text);
        }
        own.retain(|name| !shared.contains(name));
        own
    }

    /// The return value, if there is only one possible.
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
        let place = (self.at, self.limit, self.last.take(), self.read_loop.take());
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
        (self.at, self.limit, self.last, self.read_loop) = place;
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

    /// Reads functions never called, or possibly called with anything.
    pub(super) fn uncalled(&mut self) {
        // A function that is read here may make others.
        let mut index = 0;
        while let Some(function) = self.functions.get(index) {
            let waits = function.seen != Seen::Called;
            let name = waits.then(|| Rc::clone(&function.name));
            if let Some(name) = name {
                self.call_function(&name, None);
            }
            index += 1;
        }
        let again =
            |function: &mut Function<'s>| Some((Rc::clone(&function.name), function.again.pop()?));
        while let Some((name, arguments)) = self.functions.iter_mut().find_map(again) {
            self.call_function(&name, Some(&arguments));
        }
    }
}
