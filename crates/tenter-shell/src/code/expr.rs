//! Expressions, in the forms that scripting languages share.

use super::fold;
use super::lex::{self, Piece, Token, TokenKind};
use super::names::{self, Op, Output};
use super::scan::Scan;
use super::value::{Arguments, MAX_ITEMS, Value};
use crate::budget::MAX_ROUNDS;
use crate::value::Field;
use crate::world::Language;

impl<'s> Scan<'s, '_, '_, '_> {
    /// `name = value`, or just a value.
    pub(super) fn assignment(&mut self) -> Value {
        if !self.enter() {
            return self.nothing();
        }
        let value = self.assignment_inner();
        self.leave();
        value
    }

    fn assignment_inner(&mut self) -> Value {
        let name = self.name_ahead(0);
        if !name.is_empty() {
            let mut names = vec![name];
            let mut ahead = 1;
            while self.mark_ahead(ahead) == ","
                && !self.name_ahead(ahead + 1).is_empty()
                && names.len() < 8
            {
                names.push(self.name_ahead(ahead + 1));
                ahead += 2;
            }
            let mark = self.mark_ahead(ahead);
            if names.len() == 1 && mark == ":" && self.language == Language::JavaScript {
                ahead = self.past_type(ahead);
            }
            match self.mark_ahead(ahead) {
                "=" | ":=" | "||=" | "??=" => {
                    self.at += ahead + 1;
                    return self.assigned(&names);
                }
                "+=" | ".=" if names.len() == 1 => {
                    self.at += ahead + 1;
                    let more = self.assignment();
                    let span = self.span_from(self.at.saturating_sub(1));
                    let old = self.resolve(name);
                    let value = old.concat(more, span);
                    self.assign(name, value.clone());
                    return value;
                }
                _ => {}
            }
        }
        let target = self.expression();
        if !self.is_mark("=") {
            return target;
        }
        self.at += 1;
        let value = self.assignment();
        if let Value::Name(path) = target {
            self.assign(&path, value.clone());
        }
        value
    }

    /// `name: string = ...`: where the `=` stands.
    fn past_type(&self, colon: usize) -> usize {
        let plain =
            |ahead: usize| !self.name_ahead(ahead).is_empty() && self.mark_ahead(ahead + 1) == "=";
        if plain(colon + 1) { colon + 2 } else { colon }
    }

    fn assigned(&mut self, names: &[&'s str]) -> Value {
        let value = self.assignment();
        let [name] = names else {
            let mut values = match value {
                Value::List(values) => values,
                value => vec![value],
            };
            while self.take_mark(",") && values.len() < names.len() {
                values.push(self.assignment());
            }
            let span = self.span_from(self.at.saturating_sub(1));
            for (index, name) in names.iter().enumerate() {
                let value =
                    values.get(index).cloned().unwrap_or_else(|| Value::unknown(name, span));
                self.assign(name, value);
            }
            return Value::List(values);
        };
        self.assign(name, value.clone());
        value
    }

    pub(super) fn nothing(&self) -> Value {
        Value::unknown("…", self.span_from(self.at.saturating_sub(1)))
    }

    pub(super) fn expression(&mut self) -> Value {
        if !self.enter() {
            return self.nothing();
        }
        let mut left = self.sum();
        loop {
            let first = self.at.saturating_sub(1);
            match self.operator() {
                "" => break,
                "?" => {
                    let yes = self.expression();
                    if self.take_mark(":") {
                        let no = self.expression();
                        left = Value::Any(vec![yes, no]);
                    }
                }
                "if" => {
                    let _condition = self.expression();
                    if self.name_ahead(0) == "else" {
                        self.at += 1;
                        let other = self.expression();
                        left = Value::Any(vec![left, other]);
                    }
                }
                "||" | "or" | "??" => {
                    let right = self.sum();
                    if left.exact().is_none_or(str::is_empty) {
                        left = Value::Any(vec![left, right]);
                    }
                }
                "&&" | "and" => left = self.sum(),
                _ => {
                    let right = self.sum();
                    let mut flow = left.flow();
                    flow.join(&right.flow());
                    left = Value::unknown_from(flow, self.span_from(first));
                }
            }
        }
        self.leave();
        left
    }

    /// Steps over an operator that binds weaker than a sum, and names it.
    fn operator(&mut self) -> &'s str {
        let Some(token) = self.token() else {
            return "";
        };
        let found = match token.kind {
            TokenKind::Mark => match token.text {
                "?" => self.language != Language::Python && self.language != Language::Lua,
                "||" | "&&" | "??" | "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">="
                | "=~" | "!~" | "&" | "^" | "<=>" | "|>" => true,
                "|" => self.language != Language::Ruby,
                _ => false,
            },
            TokenKind::Name => match token.text {
                "and" | "or" => self.language != Language::JavaScript,
                "in" | "is" | "instanceof" | "eq" | "ne" | "not" => true,
                "if" => self.language == Language::Python,
                _ => false,
            },
            _ => false,
        };
        if !found {
            return "";
        }
        self.at += 1;
        self.skip_lines();
        token.text
    }

    fn sum(&mut self) -> Value {
        let mut left = self.term();
        loop {
            let first = self.at.saturating_sub(1);
            // A sum may go on in the next line if that starts with the operator.
            let mark = self.mark_ahead(0);
            let joins = match mark {
                "+" => true,
                "." => matches!(self.language, Language::Perl | Language::Php),
                ".." => self.language == Language::Lua,
                "<>" | "++" => self.language == Language::Other,
                "<<" => self.language == Language::Ruby,
                _ => false,
            };
            if joins {
                self.at += 1;
                self.skip_lines();
                let right = self.term();
                let span = self.span_from(first);
                if mark == "<<" && matches!(left, Value::Object(..)) {
                    let arguments = Arguments { list: vec![right], named: Vec::new(), span };
                    left = self.method(left, "write", &arguments);
                } else {
                    left = self.spent(left.concat(right, span));
                }
            } else if matches!(mark, "-" | ">>" | "<<") {
                self.at += 1;
                let right = self.term();
                left = match (left.number(), right.number()) {
                    (Some(left), Some(right)) => Value::Number(left.saturating_sub(right)),
                    _ => Value::unknown_from(left.flow(), self.span_from(first)),
                };
            } else {
                return left;
            }
        }
    }

    /// Counts the size of a value that was made.
    fn spent(&mut self, value: Value) -> Value {
        let size = match &value {
            Value::Text(field) => field.prefix().len() / 16,
            Value::List(values) => values.len(),
            _ => 4,
        };
        if self.call.machine.budget.spend(size) { value } else { self.nothing() }
    }

    fn term(&mut self) -> Value {
        let mut left = self.unary();
        loop {
            let first = self.at.saturating_sub(1);
            let mark = match self.token() {
                Some(token) if token.kind == TokenKind::Mark => token.text,
                Some(token) if token.text == "x" && self.language == Language::Perl => "*",
                _ => return left,
            };
            if !matches!(mark, "*" | "%" | "/" | "//" | "**") {
                return left;
            }
            self.at += 1;
            let right = self.unary();
            let span = self.span_from(first);
            let python = self.language == Language::Python;
            left = match (mark, &left) {
                ("*", _) => fold::repeat(&left, &right, span),
                ("%", Value::Text(_)) => {
                    let values = match right {
                        Value::List(values) => values,
                        value => vec![value],
                    };
                    fold::format(&left, &values, span)
                }
                ("/", Value::Text(_) | Value::Any(_)) if python => {
                    fold::path_join(left, right, span)
                }
                _ => Value::unknown_from(left.flow(), span),
            };
        }
    }

    fn unary(&mut self) -> Value {
        let mut negative = false;
        // Not recursive: a long row of signs must not go deep.
        loop {
            match self.mark_ahead(0) {
                "-" => negative = !negative,
                "!" | "+" | "~" | "*" | "**" | "&" | "..." | "\\" | "++" | "--" => {}
                "@" | "%" if self.language != Language::Ruby => {}
                _ => match self.name_ahead(0) {
                    "await" | "new" | "not" | "typeof" | "void" | "return" | "async" | "yield"
                    | "my" | "defined" | "lambda" | "throw"
                        if !matches!(self.mark_ahead(1), "." | "=" | ",") =>
                    {
                        if self.name_ahead(0) == "lambda" {
                            self.skip_lambda();
                            continue;
                        }
                    }
                    _ => break,
                },
            }
            self.at += 1;
        }
        let value = self.primary();
        match value {
            Value::Number(number) if negative => Value::Number(number.saturating_neg()),
            value => value,
        }
    }

    /// `lambda x, y:`
    fn skip_lambda(&mut self) {
        while let Some(token) = self.token() {
            self.at += 1;
            if token.text == ":" || token.kind == TokenKind::Line {
                break;
            }
        }
    }

    pub(super) fn primary(&mut self) -> Value {
        if !self.enter() {
            return self.nothing();
        }
        let first = self.at;
        let value = match self.token() {
            Some(token) => self.head(token, first),
            None => self.nothing(),
        };
        let value = self.postfix(value, first);
        self.leave();
        value
    }

    fn head(&mut self, token: Token<'s>, first: usize) -> Value {
        match token.kind {
            TokenKind::Text => {
                self.at += 1;
                let mut value = self.string(token);
                let adjacent = matches!(self.language, Language::Python | Language::Ruby);
                while adjacent
                    && let Some(next) = self.token().filter(|next| next.kind == TokenKind::Text)
                {
                    self.at += 1;
                    let more = self.string(next);
                    let span = self.span_from(first);
                    value = value.concat(more, span);
                }
                value
            }
            TokenKind::Command => {
                self.at += 1;
                let text = self.string(token);
                let span = self.span_from(first);
                let arguments = Arguments { list: vec![text], named: Vec::new(), span };
                self.shell(&arguments, Output::Returned)
            }
            TokenKind::Words => {
                self.at += 1;
                let text = self.string(token);
                fold::split(&text, None, self.span_from(first))
            }
            TokenKind::Number => {
                self.at += 1;
                number(token.text).map_or_else(|| self.nothing(), Value::Number)
            }
            TokenKind::Pattern => {
                self.at += 1;
                self.nothing()
            }
            TokenKind::Line => self.nothing(),
            TokenKind::Name => self.named(token),
            TokenKind::Mark => self.bracket(token),
        }
    }

    fn named(&mut self, token: Token<'s>) -> Value {
        if matches!(token.text, "function" | "fn" | "sub" | "proc") && !self.is_call_of(token.text)
        {
            self.at += 1;
            return self.function_value();
        }
        self.at += 1;
        if self.language == Language::JavaScript && self.is_mark("=>") {
            self.at += 1;
            let span = self.code.span(token.start, token.end);
            let value = self.element.take().unwrap_or_else(|| Value::unknown(token.text, span));
            self.assign(token.text, value);
            return self.arrow_body();
        }
        self.resolve(token.text)
    }

    fn is_call_of(&self, name: &str) -> bool {
        name == "proc" && !self.mark_ahead(1).starts_with('{')
    }

    /// `function (x) { ... }`: the body is read as if it were called.
    fn function_value(&mut self) -> Value {
        self.found.branches = true;
        let element = self.element.take();
        if !self.name_ahead(0).is_empty() {
            self.at += 1;
        }
        if self.is_mark("(") {
            let parameter = self.name_ahead(1);
            if !parameter.is_empty() {
                let value = element.unwrap_or_else(|| self.nothing());
                self.assign(parameter, value);
            }
            self.skip_group();
        }
        if self.language == Language::Php && self.name_ahead(0) == "use" {
            self.at += 1;
            self.skip_group();
        }
        if self.take_mark("=>") || self.is_mark("{") {
            return self.arrow_body();
        }
        self.nothing()
    }

    fn arrow_body(&mut self) -> Value {
        if self.is_mark("{") { self.braces() } else { self.expression() }
    }

    fn bracket(&mut self, token: Token<'s>) -> Value {
        match token.text {
            "(" if self.is_arrow() => {
                let parameter = self.name_ahead(1);
                let element = self.element.take();
                self.skip_group();
                self.take_mark("=>");
                if !parameter.is_empty() {
                    let value = element.unwrap_or_else(|| self.nothing());
                    self.assign(parameter, value);
                }
                self.arrow_body()
            }
            "(" => {
                self.at += 1;
                let mut inner = self.items(")");
                match inner.list.len() {
                    1 => inner.list.pop().unwrap_or_else(|| self.nothing()),
                    _ => Value::List(inner.list),
                }
            }
            "[" => {
                self.at += 1;
                let inner = self.items("]");
                if inner.list.is_empty() && !inner.named.is_empty() {
                    return Value::Map(inner.named);
                }
                Value::List(inner.list)
            }
            "{" => self.braces(),
            "<" if self.language == Language::Perl => self.angle(),
            ")" | "]" | "}" | "," | ";" | ":" | "=" => self.nothing(),
            _ => {
                self.at += 1;
                self.nothing()
            }
        }
    }

    /// Whether the parenthesis here is the head of an arrow function.
    fn is_arrow(&self) -> bool {
        if self.language != Language::JavaScript {
            return false;
        }
        let mut depth = 0_usize;
        // Heads of functions are short.
        for ahead in 0..40 {
            match self.mark_ahead(ahead) {
                "(" | "{" | "[" => depth += 1,
                ")" | "}" | "]" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return self.mark_ahead(ahead + 1) == "=>";
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// `<STDIN>`, `<$fh>`, `<*.txt>`
    fn angle(&mut self) -> Value {
        let first = self.at;
        let Some(open) = self.token() else {
            return self.nothing();
        };
        let rest = self.code.text.get(open.end..).unwrap_or_default();
        let Some(length) = rest.bytes().take(80).position(|byte| byte == b'>') else {
            self.at += 1;
            return self.nothing();
        };
        let inner = rest.get(..length).unwrap_or_default();
        let close = open.end + length;
        while self.token().is_some_and(|token| token.start <= close) {
            self.at += 1;
        }
        let span = self.span_from(first);
        if inner.is_empty() || inner.trim_start_matches('$').bytes().all(lex::is_name) {
            return match self.variable(inner) {
                Some(value) => value.clone(),
                None => Value::from_stream(self.call.stdin.clone(), span),
            };
        }
        super::member::pattern(&Value::text(inner, span), span)
    }

    /// A string with the code in it filled in.
    pub(super) fn string(&mut self, token: Token<'s>) -> Value {
        let span = self.code.span(token.start, token.end);
        let (from, to) = token.pieces;
        let verbatim = token.start.saturating_add(1);
        let mut value: Option<Value> = None;
        for index in from..to {
            let Some(piece) = self.pieces.get(index).cloned() else {
                break;
            };
            let next = match piece {
                Piece::Text(text) => {
                    let end = verbatim.saturating_add(text.len());
                    if to - from == 1 && self.code.text.get(verbatim..end) == Some(&text) {
                        Value::Text(self.code.field(&text, verbatim, end))
                    } else {
                        Value::text(text, span)
                    }
                }
                Piece::Code(start, end) => Value::Text(self.nested(start, end).field(span)),
            };
            value = Some(match value {
                Some(before) => before.concat(next, span),
                None => next,
            });
        }
        value.unwrap_or_else(|| Value::text("", span))
    }

    /// The value of code inside a string.
    fn nested(&mut self, start: usize, end: usize) -> Value {
        if !self.enter() {
            self.at = self.at.saturating_sub(1);
            return self.nothing();
        }
        let (tokens, pieces) = (self.tokens.len(), self.pieces.len());
        let (at, limit) = (self.at, self.limit);
        let _enough = self.call.machine.budget.spend(end.saturating_sub(start));
        lex::lex(self.code.text, (start, end), self.language, &mut self.tokens, &mut self.pieces);
        self.at = tokens;
        self.limit = self.tokens.len();
        // `${x}` in Perl and PHP is `$x`.
        let bare = match self.ahead(0) {
            Some(token) if self.limit - tokens == 1 && token.kind == TokenKind::Name => {
                let sigils = matches!(self.language, Language::Perl | Language::Php);
                (sigils && !token.text.starts_with('$')).then(|| format!("${}", token.text))
            }
            _ => None,
        };
        let value = match bare {
            Some(name) => self.resolve(&name),
            None => self.expression(),
        };
        self.tokens.truncate(tokens);
        self.pieces.truncate(pieces);
        (self.at, self.limit) = (at, limit);
        self.leave();
        value
    }

    /// What stands between brackets, up to and past `close`.
    pub(super) fn items(&mut self, close: &str) -> Arguments {
        let mut items = Arguments::default();
        let first = self.at.saturating_sub(1);
        while let Some(token) = self.token() {
            let before = self.at;
            if token.kind == TokenKind::Line
                || matches!(token.text, "," | ";") && token.kind == TokenKind::Mark
            {
                self.at += 1;
                continue;
            }
            if self.take_mark(close) {
                break;
            }
            self.item(&mut items);
            if self.at == before {
                self.at += 1;
            }
        }
        items.span = self.span_from(first);
        items
    }

    fn item(&mut self, items: &mut Arguments) {
        if let Some(key) = self.key() {
            let value = self.assignment();
            if items.named.len() < MAX_ITEMS {
                items.named.push((key, value));
            }
            return;
        }
        let value = match self.comprehension() {
            Some(value) => value,
            None => self.assignment(),
        };
        // `foreach (list as $x)`
        if self.name_ahead(0) == "as" && self.language == Language::Php {
            let name = if self.mark_ahead(2) == "=>" { 3 } else { 1 };
            let target = self.name_ahead(name);
            self.at += name + 1;
            self.bind(&[target], &value);
        }
        if items.list.len() < MAX_ITEMS {
            items.list.push(value);
        }
    }

    /// `name=`, `name:`, `'key' =>`: steps over it.
    fn key(&mut self) -> Option<String> {
        let token = self.token()?;
        let mark = self.mark_ahead(1);
        let named = token.kind == TokenKind::Name;
        let is_key = match mark {
            "=" => {
                named && matches!(self.language, Language::Python | Language::Other | Language::Lua)
            }
            ":" => (named || token.kind == TokenKind::Text) && self.language != Language::Lua,
            "=>" => self.language != Language::JavaScript,
            _ => false,
        };
        if !is_key {
            return None;
        }
        let key = match token.kind {
            TokenKind::Name => token.text.to_owned(),
            _ => self.string(token).exact().unwrap_or_default().to_owned(),
        };
        self.at += 2;
        Some(key)
    }

    /// `f(x) for x in values`, if that is what stands here: bound first, then evaluated for each.
    fn comprehension(&mut self) -> Option<Value> {
        if self.language != Language::Python {
            return None;
        }
        let body = self.at;
        let keyword = self.find_for()?;
        self.found.branches = true;
        self.at = body + keyword + 1;
        let mut names = Vec::new();
        while let Some(token) = self.token().filter(|token| token.text != "in") {
            if token.kind == TokenKind::Name {
                names.push(token.text);
            }
            self.at += 1;
        }
        self.at += 1;
        let values = self.sum();
        let after = self.at;
        let rounds = match (&values, names.as_slice()) {
            (Value::List(list), [_]) => list.clone(),
            (Value::Text(_), [_]) if values.exact().is_some() => {
                match fold::split(&values, Some(""), self.span_from(body)) {
                    Value::List(list) => list,
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        let mut results = Vec::new();
        if rounds.is_empty()
            || (rounds.len() > MAX_ROUNDS
                && !matches!(rounds.first(), Some(Value::Number(_) | Value::Text(_))))
        {
            self.bind(&names, &values);
            self.at = body;
            let value = self.assignment();
            results.push(value);
        }
        for round in rounds.iter().take(MAX_ITEMS) {
            if results.len() == rounds.len() || self.call.machine.budget.is_spent() {
                break;
            }
            if let [name] = names.as_slice() {
                self.assign(name, round.clone());
            }
            self.at = body;
            let value = self.assignment();
            results.push(value);
        }
        self.at = after;
        while self.name_ahead(0) == "if" {
            self.at += 1;
            let _condition = self.sum();
        }
        Some(Value::List(results))
    }

    /// How far ahead a `for` stands before the item ends.
    fn find_for(&self) -> Option<usize> {
        let mut depth = 0_usize;
        for ahead in 0..200 {
            let token = self.ahead(ahead)?;
            match (token.kind, token.text) {
                (TokenKind::Mark, "(" | "[" | "{") => depth += 1,
                (TokenKind::Mark, ")" | "]" | "}") if depth == 0 => return None,
                (TokenKind::Mark, ")" | "]" | "}") => depth -= 1,
                (TokenKind::Mark, ",") if depth == 0 => return None,
                (TokenKind::Name, "for") if depth == 0 && ahead > 0 => return Some(ahead),
                _ => {}
            }
        }
        None
    }

    /// A block or a map: its entries, and the values of its statements under no name.
    pub(super) fn braces(&mut self) -> Value {
        if !self.enter() {
            return self.nothing();
        }
        self.at += 1;
        if self.take_mark("|") {
            self.block_names();
        }
        let mut entries = Vec::new();
        while let Some(token) = self.token() {
            let before = self.at;
            if self.take_mark("}") {
                break;
            }
            let short = token.kind == TokenKind::Name
                && self.language == Language::JavaScript
                && matches!(self.mark_ahead(1), "," | "}");
            if short {
                self.at += 1;
                let value = self.resolve(token.text);
                entries.push((token.text.to_owned(), value));
            } else if let Some(key) = self.key() {
                let value = self.assignment();
                entries.push((key, value));
            } else {
                self.last = None;
                self.statement();
                entries.extend(self.last.take().map(|value| (String::new(), value)));
            }
            entries.truncate(MAX_ITEMS);
            if self.at == before {
                self.at += 1;
            }
        }
        self.leave();
        Value::Map(entries)
    }

    /// `|a, b|` of a Ruby block, after the first bar.
    pub(super) fn block_names(&mut self) {
        let element = self.element.take();
        let mut first = true;
        while let Some(token) = self.token() {
            self.at += 1;
            if token.kind == TokenKind::Mark && token.text == "|" {
                break;
            }
            if token.kind == TokenKind::Name {
                let value = match &element {
                    Some(element) if first => element.clone(),
                    _ => self.nothing(),
                };
                self.assign(token.text, value);
                first = false;
            }
        }
    }

    /// What follows a value: members, calls, indexes.
    fn postfix(&mut self, mut value: Value, first: usize) -> Value {
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
            return Err(value);
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
                self.after_dot(value, first)
            }
            "(" if adjacent || matches!(value, Value::Name(_)) => {
                self.at += 1;
                let mut arguments = self.items(")");
                arguments.span = self.span_from(first);
                let mut value = self.invoke(value, &arguments);
                if self.language == Language::Ruby {
                    value = self.ruby_block(value);
                }
                Ok(value)
            }
            "[" if adjacent => {
                self.at += 1;
                Ok(self.index(value, "]", first))
            }
            "{" if adjacent && self.language == Language::Perl => {
                self.at += 1;
                Ok(self.index(value, "}", first))
            }
            _ => self.bare_call(value, first),
        }
    }

    fn chain_goes_on(&self) -> bool {
        let dots = matches!(self.language, Language::JavaScript | Language::Ruby | Language::Php);
        let mut ahead = 0;
        while ahead < 4 && self.ahead(ahead).is_some_and(|token| token.kind == TokenKind::Line) {
            ahead += 1;
        }
        dots && matches!(self.mark_ahead(ahead), "." | "?." | "->")
            && (self.language != Language::Php || self.mark_ahead(ahead) == "->")
    }

    fn is_member(&self, mark: &str, adjacent: bool) -> bool {
        let name = !self.name_ahead(1).is_empty();
        match mark {
            "." => match self.language {
                Language::Perl | Language::Php => false,
                Language::Other => name || matches!(self.mark_ahead(1), "!"),
                _ => name || self.is_mark("."),
            },
            ":" => {
                let call = self.mark_ahead(2) == "("
                    || self.ahead(2).is_some_and(|next| next.kind == TokenKind::Text);
                adjacent && name && call && matches!(self.language, Language::Lua | Language::Other)
            }
            "->" => !matches!(self.language, Language::Other | Language::Ruby),
            _ => true,
        }
    }

    fn after_dot(&mut self, value: Value, first: usize) -> Result<Value, Value> {
        let name = self.name_ahead(0);
        if name.is_empty() {
            // Scala runs text by `.!`; `->[0]` and `?.(` go on as usual.
            if self.take_mark("!") {
                let arguments =
                    Arguments { list: vec![value], named: Vec::new(), span: self.span_from(first) };
                return Ok(self.shell(&arguments, Output::Printed));
            }
            return Ok(value);
        }
        self.at += 1;
        let span = self.span_from(first);
        if matches!(value, Value::Name(_)) && name != "then" {
            return Ok(self.member(value, name, span));
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
            return Ok(if self.language == Language::Ruby {
                self.ruby_block(changed)
            } else {
                changed
            });
        }
        if self.language != Language::Ruby {
            return Ok(self.attribute(value, name, span));
        }
        // In Ruby everything is a call.
        let arguments = if self.starts_argument() {
            self.bare_items()
        } else {
            Arguments { span, ..Arguments::default() }
        };
        let block = self.is_mark("{") || self.name_ahead(0) == "do";
        self.element = block.then(|| value.element(span));
        let result = self.method_on(value, name, &arguments, first);
        Ok(self.ruby_block(result))
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
    fn ruby_block(&mut self, value: Value) -> Value {
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
        if self.language == Language::JavaScript {
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
        if self.language == Language::Python && !matches!(path.as_ref(), "print" | "exec") {
            return Err(value);
        }
        self.bare_call(value, first)
    }

    /// `system "..."`, `unlink $file`: a call without parentheses, where the language has them.
    fn bare_call(&mut self, value: Value, first: usize) -> Result<Value, Value> {
        let Value::Name(path) = &value else {
            return Err(value);
        };
        let plain = names::plain(self.language, path);
        let Some(op) = names::find(self.language, &plain) else {
            return Err(value);
        };
        let has = match self.language {
            Language::Ruby | Language::Perl | Language::Other => true,
            Language::Php => matches!(op, Op::Print | Op::RunFile),
            Language::Python => matches!(op, Op::Print | Op::Eval(_)),
            Language::Lua => self.token().is_some_and(|token| token.kind == TokenKind::Text),
            _ => false,
        };
        if !has {
            return Err(value);
        }
        if self.starts_argument() {
            let mut arguments = self.bare_items();
            arguments.span = self.span_from(first);
            let value = self.invoke(value, &arguments);
            return Ok(if self.language == Language::Ruby {
                self.ruby_block(value)
            } else {
                value
            });
        }
        let alone = match self.language {
            Language::Perl => matches!(op, Op::DeleteAll | Op::DeleteDirectory | Op::Fork),
            Language::Ruby => {
                matches!(op, Op::Stdin | Op::Fork | Op::Home | Op::Cwd | Op::AllEnvironment)
            }
            _ => false,
        };
        if !alone {
            return Err(value);
        }
        let span = self.span_from(first);
        let mut arguments = Arguments { span, ..Arguments::default() };
        if op != Op::Fork && self.language == Language::Perl {
            let default =
                self.variable("$_").cloned().unwrap_or_else(|| Value::unknown("$_", span));
            arguments.list.push(default);
        }
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
            TokenKind::Mark => match token.text {
                "<" => self.language == Language::Perl,
                "[" => self.language == Language::Ruby && spaced,
                "(" => self.language == Language::Other,
                "@" | "\\" | "%" => self.language == Language::Perl,
                "*" | "&" | ":" => {
                    self.language == Language::Ruby && spaced && !self.next_is_spaced(token)
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn next_is_spaced(&self, token: Token<'s>) -> bool {
        self.ahead(1).is_none_or(|next| next.start > token.end)
    }

    /// Arguments up to the end of the statement.
    fn bare_items(&mut self) -> Arguments {
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
            let lisp = self.language == Language::Other;
            if self.take_mark(",") {
                self.skip_lines();
            } else if !lisp {
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
            && self.language == Language::Perl
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

fn number(text: &str) -> Option<i64> {
    let digits: String = text.chars().filter(|letter| *letter != '_').collect();
    let radix = |prefix: &str, radix: u32| {
        digits.strip_prefix(prefix).and_then(|rest| i64::from_str_radix(rest, radix).ok())
    };
    // `0777` is octal where it is allowed at all.
    let octal = radix("0", 8).filter(|_| digits.len() > 1);
    octal
        .or_else(|| digits.parse().ok())
        .or_else(|| radix("0x", 16))
        .or_else(|| radix("0o", 8))
        .or_else(|| radix("0b", 2))
}

/// A field for an argument that is not there.
pub(super) fn missing(arguments: &Arguments) -> Field {
    Field::unknown("…", arguments.span)
}
