//! Postfix operators: members, calls with and without parentheses, indexes and slices.

use super::fold;
use super::languages::BareCalls;
use super::lex::{Token, TokenKind};
use super::library::{Op, Output};
use super::scan::Scan;
use super::value::{Arguments, Thing, Value};

impl<'s> Scan<'s, '_, '_, '_> {
    /// Applies postfix operators to a value.
    pub(super) fn postfix(&mut self, mut value: Value, first: usize) -> Value {
        loop {
            let next = match self.step(value, first) {
                Ok(next) => next,
                Err(last) => return last,
            };
            value = next;
            if self.call.machine.budget.is_spent() {
                return value;
            }
        }
    }

    /// One step; `Err` when there is none.
    fn step(&mut self, value: Value, first: usize) -> Result<Value, Value> {
        let Some(token) = self.token() else {
            let alone = self.language.syntax.topic.is_some();
            return if alone { self.bare_call(value, first) } else { Err(value) };
        };
        let adjacent = self
            .tokens
            .get(self.at.wrapping_sub(1))
            .is_some_and(|before| before.end == token.start);
        if token.kind == TokenKind::Text {
            return self.after_name(value, token, adjacent, first);
        }
        if token.kind == TokenKind::Line && self.chain_goes_on() {
            self.skip_lines();
            return Ok(value);
        }
        if token.kind != TokenKind::Mark {
            return self.bare_call(value, first);
        }
        match token.text {
            "." | "?." | "->" | "::" | ":" if self.is_member(token.text, adjacent) => {
                self.at += 1;
                Ok(self.after_dot(value, first))
            }
            "(" if adjacent || matches!(value, Value::Name(_)) => {
                self.at += 1;
                let mut arguments = self.items(")");
                arguments.span = self.span_from(first);
                let value = self.invoke(value, &arguments);
                Ok(self.block_behind(value))
            }
            "[" if adjacent && self.is_compiled() && self.mark_ahead(1) == "]" => {
                self.at += 2;
                Ok(if self.is_mark("{") { self.listed_braces() } else { value })
            }
            "[" if adjacent => {
                self.at += 1;
                Ok(self.index(value, "]", first))
            }
            // After a parenthesis it is a block: `while(1){fork}`.
            "{" if adjacent && self.language.syntax.sigil_elements && !self.follows(")") => {
                self.at += 1;
                Ok(self.index(value, "}", first))
            }
            _ => self.bare_call(value, first),
        }
    }

    fn follows(&self, mark: &str) -> bool {
        self.tokens.get(self.at.wrapping_sub(1)).is_some_and(|token| token.text == mark)
    }

    fn chain_goes_on(&self) -> bool {
        let mut ahead = 0;
        while ahead < 4 && self.ahead(ahead).is_some_and(|token| token.kind == TokenKind::Line) {
            ahead += 1;
        }
        self.language.syntax.chains.contains(&self.mark_ahead(ahead))
    }

    fn is_member(&self, mark: &str, adjacent: bool) -> bool {
        let call = || {
            self.mark_ahead(2) == "("
                || self.ahead(2).is_some_and(|next| next.kind == TokenKind::Text)
        };
        let fits = mark != ":" || adjacent && !self.name_ahead(1).is_empty() && call();
        fits && self.language.syntax.members.contains(&mark)
    }

    fn after_dot(&mut self, value: Value, first: usize) -> Value {
        let name = self.name_ahead(0);
        if name.is_empty() {
            // Scala runs text by `.!`; `->[0]` and `?.(` go on as usual.
            if self.take_mark("!") {
                let arguments =
                    Arguments { list: vec![value], named: Vec::new(), span: self.span_from(first) };
                return self.shell(&arguments, Output::Printed);
            }
            return value;
        }
        self.at += 1;
        let span = self.span_from(first);
        if matches!(value, Value::Name(_)) && name != "then" {
            let member = self.member(value, name, span);
            let calls = self.language.syntax.arrow_calls && !self.is_mark("(");
            return match &member {
                Value::Name(path) if calls && self.language.find(path).is_some() => {
                    self.invoke(member, &Arguments { span, ..Arguments::default() })
                }
                _ => member,
            };
        }
        if self.is_mark("(") {
            self.at += 1;
            self.element = matches!(
                name,
                "forEach" | "each" | "map" | "filter" | "flatMap" | "each_with_index" | "then"
            )
            .then(|| if name == "then" { value.clone() } else { value.element(span) });
            let mut arguments = self.items(")");
            arguments.span = self.span_from(first);
            let changed = self.method_on(value, name, &arguments, first);
            return self.block_behind(changed);
        }
        if !self.language.syntax.everything_is_a_call {
            return self.attribute(value, name, span);
        }
        let arguments = if self.starts_argument() {
            self.bare_items()
        } else {
            Arguments { span, ..Arguments::default() }
        };
        let block = self.is_mark("{") || self.name_ahead(0) == "do";
        self.element = block.then(|| value.element(span));
        let result = self.method_on(value, name, &arguments, first);
        self.block_behind(result)
    }

    /// A method that may change a variable: `list.append(x)`.
    fn method_on(
        &mut self,
        value: Value,
        name: &str,
        arguments: &Arguments,
        first: usize,
    ) -> Value {
        let changes =
            matches!(name, "append" | "push" | "extend") && matches!(value, Value::List(_));
        let pushes = name == "push" && self.language.syntax.joining.contains(&name);
        let adds = matches!(name, "arg" | "args") && matches!(value, Value::List(_));
        let changes = changes || self.is_compiled() && (pushes || adds);
        let result = self.method(value, name, arguments);
        if changes
            && let Some(token) = self.tokens.get(first).copied()
            && token.kind == TokenKind::Name
        {
            self.assign(token.text, result.clone());
        }
        result
    }

    /// `{ |x| ... }` or `do |x| ... end` after a call.
    fn block_behind(&mut self, value: Value) -> Value {
        if !self.language.syntax.bars {
            return value;
        }
        if self.name_ahead(0) == "do" {
            self.found.branches = true;
            self.at += 1;
            if self.take_mark("|") {
                self.block_names();
            }
        } else if self.is_mark("{") {
            self.found.branches = true;
            let _block = self.braces();
        }
        self.element = None;
        value
    }

    /// A string right after a name: a tagged template, or an argument without parentheses.
    fn after_name(
        &mut self,
        value: Value,
        token: Token<'s>,
        adjacent: bool,
        first: usize,
    ) -> Result<Value, Value> {
        let Value::Name(path) = &value else {
            return Err(value);
        };
        if matches!(self.language.syntax.bare_calls, BareCalls::Templates) {
            if !adjacent {
                return Err(value);
            }
            self.at += 1;
            let text = self.string(token);
            let arguments =
                Arguments { list: vec![text], named: Vec::new(), span: self.span_from(first) };
            return Ok(match path.as_ref() {
                "$" | "Bun.$" | "bun.$" | "zx.$" | "execa.$" => {
                    self.shell(&arguments, Output::Returned)
                }
                "String.raw" => arguments.list.into_iter().next().unwrap_or_else(|| self.nothing()),
                _ => self.nothing(),
            });
        }
        self.bare_call(value, first)
    }

    /// `system "..."`, `unlink $file`: a call without parentheses, where the language has them.
    fn bare_call(&mut self, value: Value, first: usize) -> Result<Value, Value> {
        let Value::Name(path) = &value else {
            return Err(value);
        };
        // Cheap first: most names are no calls of this sort.
        let syntax = &self.language.syntax;
        let possible = match syntax.bare_calls {
            BareCalls::All | BareCalls::Statements => true,
            BareCalls::Named(names) => names.contains(&path.as_ref()),
            BareCalls::BeforeText => {
                self.token().is_some_and(|token| token.kind == TokenKind::Text)
            }
            BareCalls::Templates => false,
        };
        if !possible {
            return Err(value);
        }
        // `sh "make"` with a function of one's own.
        if syntax.functions.bare && Self::is_local(path) {
            return self.local_call(value, first);
        }
        let plain = self.language.plain(path);
        let Some(op) = self.language.find(&plain) else {
            return Err(value);
        };
        let statement = matches!(op, Op::Echo | Op::RunFile);
        if matches!(syntax.bare_calls, BareCalls::Statements) && !statement {
            return Err(value);
        }
        if self.starts_argument() {
            let mut arguments = self.bare_items();
            arguments.span = self.span_from(first);
            let value = self.invoke(value, &arguments);
            return Ok(self.block_behind(value));
        }
        if !(syntax.alone)(op) {
            return Err(value);
        }
        let span = self.span_from(first);
        let mut arguments = Arguments { span, ..Arguments::default() };
        if let Some(topic) = syntax.topic.filter(|_| !matches!(op, Op::Fork)) {
            let default = self.variable(topic).cloned();
            let default = default.unwrap_or_else(|| Value::unknown(topic, span));
            arguments.list.push(default);
        }
        Ok(self.invoke(value, &arguments))
    }

    /// A function of the code, called without parentheses: `sh "make"`, `&f;`, `f;`.
    fn local_call(&mut self, value: Value, first: usize) -> Result<Value, Value> {
        let ampersand = self.language.syntax.functions.ampersand;
        let before = |back: usize| match first.checked_sub(back) {
            Some(at) if ampersand => self.tokens.get(at).map_or("", |token| token.text),
            _ => "",
        };
        let asked = |back: usize| matches!(before(back), "defined" | "exists");
        // Not a variable that holds it, nor `-f $file` or `defined f`.
        let named = !ampersand || self.is_name_of(first, &value) && before(1) != "-" && !asked(1);
        let span = self.span_from(first);
        let alone = Arguments { span, ..Arguments::default() };
        let arguments = match self.ampersand_before(first).filter(|_| ampersand) {
            // The function gets the arguments of the one that calls it.
            Some(false) if !asked(2) => match self.variable("@_") {
                Some(Value::List(list)) => Arguments { list: list.clone(), ..alone },
                _ => alone,
            },
            None if named && self.starts_argument() => {
                let mut arguments = self.bare_items();
                arguments.span = self.span_from(first);
                arguments
            }
            None if named && ampersand && matches!(self.mark_ahead(0), ";" | "}" | "") => alone,
            _ => return Err(value),
        };
        Ok(self.invoke(value, &arguments))
    }

    /// Whether an argument without parentheses stands here.
    fn starts_argument(&self) -> bool {
        let Some(token) = self.token() else {
            return false;
        };
        let spaced =
            self.tokens.get(self.at.wrapping_sub(1)).is_some_and(|before| before.end < token.start);
        match token.kind {
            TokenKind::Text | TokenKind::Command | TokenKind::Words | TokenKind::Number => true,
            TokenKind::Name => !matches!(
                token.text,
                "if" | "unless"
                    | "and"
                    | "or"
                    | "for"
                    | "foreach"
                    | "while"
                    | "until"
                    | "do"
                    | "then"
                    | "x"
                    | "eq"
                    | "ne"
                    | "in"
                    | "end"
                    | "else"
                    | "elsif"
            ),
            TokenKind::Mark => {
                let syntax = &self.language.syntax;
                let open = || token.text == "[" || !self.next_is_spaced(token);
                syntax.argument_marks.contains(&token.text)
                    || spaced && syntax.spaced_argument_marks.contains(&token.text) && open()
            }
            _ => false,
        }
    }

    fn next_is_spaced(&self, token: Token<'s>) -> bool {
        self.ahead(1).is_none_or(|next| next.start > token.end)
    }

    /// `print F "text"`: what goes to an open file stands right behind it.
    fn is_handle(&self, items: &Arguments) -> bool {
        self.language.syntax.handles
            && matches!(items.list.as_slice(), [Value::Object(Thing::Writer, _)])
            && self.token().is_some_and(|token| {
                token.kind == TokenKind::Text || token.text.starts_with(['$', '@'])
            })
    }

    /// Arguments up to the end of the statement.
    pub(super) fn bare_items(&mut self) -> Arguments {
        let mut items = Arguments::default();
        let first = self.at;
        while let Some(token) = self.token() {
            let before = self.at;
            let ends = match token.kind {
                TokenKind::Line => true,
                TokenKind::Mark => {
                    matches!(token.text, ";" | ")" | "}" | "]" | "||" | "&&" | "|" | "=>")
                }
                TokenKind::Name => matches!(
                    token.text,
                    "if" | "unless"
                        | "or"
                        | "and"
                        | "for"
                        | "foreach"
                        | "while"
                        | "until"
                        | "do"
                        | "end"
                        | "then"
                ),
                _ => false,
            };
            if ends || self.is_mark("{") && !items.list.is_empty() {
                break;
            }
            self.item(&mut items);
            if self.take_mark(",") {
                self.skip_lines();
            } else if !self.language.syntax.no_commas && !self.is_handle(&items) {
                break;
            }
            if self.at == before {
                self.at += 1;
            }
        }
        items.span = self.span_from(first);
        items
    }

    /// `value[...]`
    fn index(&mut self, value: Value, close: &str, first: usize) -> Value {
        if self.is_mark("::") || self.is_mark(":") {
            return self.slice(value, None, close, first);
        }
        // `$ENV{HOME}`: a bare word is a key.
        let bare = self.name_ahead(0);
        let key = if !bare.is_empty()
            && self.mark_ahead(1) == close
            && self.language.syntax.sigil_elements
            && !bare.starts_with('$')
        {
            self.at += 1;
            Value::text(bare, self.span_from(first))
        } else {
            self.expression()
        };
        if self.is_mark(":") {
            return self.slice(value, Some(key), close, first);
        }
        if self.is_mark(",") {
            let mut rest = self.items(close);
            rest.list.insert(0, key);
            rest.span = self.span_from(first);
            return self.indexed(value, &Value::List(rest.list), rest.span);
        }
        self.close(close);
        let span = self.span_from(first);
        self.indexed(value, &key, span)
    }

    fn close(&mut self, close: &str) {
        while self.token().is_some_and(|token| token.kind != TokenKind::Line) {
            if self.take_mark(close) {
                return;
            }
            self.at += 1;
        }
    }

    /// `[a:b:c]`, after the first number.
    fn slice(&mut self, value: Value, from: Option<Value>, close: &str, first: usize) -> Value {
        let mut numbers = vec![from.and_then(|value| value.number())];
        while !self.is_mark(close) && self.token().is_some() && numbers.len() < 4 {
            if self.take_mark("::") {
                numbers.push(None);
            } else if !self.take_mark(":") {
                break;
            }
            let number = if self.is_mark(":") || self.is_mark("::") || self.is_mark(close) {
                None
            } else {
                self.expression().number()
            };
            numbers.push(number);
        }
        self.close(close);
        let span = self.span_from(first);
        let at = |index: usize| numbers.get(index).copied().flatten();
        let flow = value.flow();
        match (at(0), at(1), at(2)) {
            (None, None, Some(-1)) => {
                fold::method(&value, "reverse", &Arguments { span, ..Arguments::default() })
                    .unwrap_or_else(|| Value::unknown_from(flow, span))
            }
            (from, to, None | Some(1)) => {
                let cut = |length: usize| {
                    let place = |number: i64| {
                        let size = i64::try_from(length).unwrap_or(i64::MAX);
                        let number = if number < 0 { size.saturating_add(number) } else { number };
                        usize::try_from(number.clamp(0, size)).unwrap_or(0)
                    };
                    (from.map_or(0, place), to.map_or(length, place))
                };
                match &value {
                    Value::List(values) => {
                        let (from, to) = cut(values.len());
                        Value::List(values.get(from..to.max(from)).unwrap_or_default().to_vec())
                    }
                    _ => value.map_text(&|text| {
                        let (from, to) = cut(text.chars().count());
                        Some(text.chars().skip(from).take(to.saturating_sub(from)).collect())
                    }),
                }
            }
            _ => Value::unknown_from(flow, span),
        }
    }
}
