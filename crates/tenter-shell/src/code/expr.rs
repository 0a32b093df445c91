//! Expressions in the forms shared by scripting languages.

use super::fold;
use super::languages::Conditional;
use super::lex::TokenKind;
use super::scan::Scan;
use super::value::{Arguments, Value};
use crate::value::Field;
use crate::world::Language;

impl<'s> Scan<'s, '_, '_, '_> {
    /// `name = value`, or just a value.
    pub(super) fn assignment(&mut self) -> Value {
        self.assignment_to(false)
    }

    /// The same as a statement of its own, where some languages take `a, b = values`. Between
    /// brackets a comma separates: `rmtree(path, ignore_errors=True)`.
    pub(super) fn assignment_statement(&mut self) -> Value {
        self.assignment_to(self.language.syntax.tuples)
    }

    fn assignment_to(&mut self, several: bool) -> Value {
        if !self.enter() {
            return self.nothing();
        }
        let value = self.assignment_inner(several);
        self.leave();
        value
    }

    fn assignment_inner(&mut self, several: bool) -> Value {
        if let Some(value) = self.set_element() {
            return value;
        }
        if let Some((name, value)) = self.declared() {
            self.at = value;
            return self.assigned(&[name]);
        }
        let name = self.name_ahead(0);
        if !name.is_empty() {
            let mut names = vec![name];
            let mut ahead = 1;
            while several
                && self.mark_ahead(ahead) == ","
                && !self.name_ahead(ahead + 1).is_empty()
                && names.len() < 8
            {
                names.push(self.name_ahead(ahead + 1));
                ahead += 2;
            }
            let mark = self.mark_ahead(ahead);
            if names.len() == 1 && mark == ":" && self.language.syntax.annotations {
                ahead = self.past_type(ahead);
            }
            // R: `name <- value`
            if mark == "<" && self.mark_ahead(2) == "-" && self.language.language == Language::Other
            {
                self.at += 3;
                return self.assigned(&names);
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
        if let Some((names, end)) = self.list_target() {
            self.at = end;
            return self.assigned_list(&names);
        }
        if let Some(name) = self.map_target() {
            self.at += 3;
            let value = match self.assignment() {
                Value::List(values) => pairs(&values),
                value => value,
            };
            self.assign(name, value.clone());
            return value;
        }
        let target = self.operators();
        if !self.is_mark("=") {
            return target;
        }
        let member = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let member = member.map_or("", |token| token.text);
        self.at += 1;
        let value = self.assignment();
        self.notice_member(member, &value);
        if let Value::Name(path) = target {
            self.assign(&path, value.clone());
        }
        value
    }

    /// `($a, $b) =`: the names, and the token after the `=`. One after `@` or `%` takes the rest.
    fn list_target(&self) -> Option<(Vec<&'s str>, usize)> {
        let targets = self.language.syntax.list_targets;
        let word = usize::from(self.name_ahead(0) == "list");
        let (_, close) = targets.iter().find(|(open, _)| *open == self.mark_ahead(word))?;
        let mut names = Vec::new();
        for ahead in word + 1..40 {
            match (self.name_ahead(ahead), self.mark_ahead(ahead)) {
                ("", mark) if mark == *close => {
                    let assigns = self.mark_ahead(ahead + 1) == "=";
                    return assigns.then_some((names, self.at + ahead + 2));
                }
                ("", "," | "%") | ("my", _) => {}
                ("", _) => return None,
                (name, _) => names.push(name),
            }
        }
        None
    }

    /// `%map =`: its name.
    fn map_target(&self) -> Option<&'s str> {
        let map = self.language.syntax.sigil_elements
            && self.is_mark("%")
            && !self.name_ahead(1).is_empty()
            && self.mark_ahead(2) == "=";
        map.then(|| self.name_ahead(1))
    }

    fn assigned_list(&mut self, names: &[&'s str]) -> Value {
        let value = self.assignment();
        let span = self.span_from(self.at.saturating_sub(1));
        for (index, name) in names.iter().enumerate() {
            let plain = name.trim_start_matches(['$', '@']);
            let item = match &value {
                Value::List(values) => {
                    let rest = values.get(index..).unwrap_or_default();
                    match name.chars().next() {
                        Some('@') => Value::List(rest.to_vec()),
                        Some('$') => rest.first().cloned().unwrap_or_else(|| Value::text("", span)),
                        _ => pairs(rest),
                    }
                }
                other => Value::Text(Field { flow: other.flow(), ..Field::unknown(plain, span) }),
            };
            self.assign(name, item);
        }
        value
    }

    /// `name: string = ...`: position of the `=`.
    fn past_type(&self, colon: usize) -> usize {
        let plain =
            |ahead: usize| !self.name_ahead(ahead).is_empty() && self.mark_ahead(ahead + 1) == "=";
        if plain(colon + 1) { colon + 2 } else { colon }
    }

    fn assigned(&mut self, names: &[&'s str]) -> Value {
        if let [name] = names
            && self.define_arrow(name)
        {
            return self.nothing();
        }
        if self.is_compiled() {
            self.skip_lines();
        }
        let value = self.assignment();
        if let [name] = names {
            self.notice_member(name, &value);
        }
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
        let value = self.operators();
        self.leave();
        value
    }

    /// Sums with what binds weaker between them.
    fn operators(&mut self) -> Value {
        let mut left = self.sum();
        loop {
            let first = self.at.saturating_sub(1);
            let operator = self.operator();
            match operator {
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
                "||" | "or" | "??" | "//" => {
                    let right = self.sum();
                    match left.exact() {
                        Some("") => left = right,
                        Some(_) => {}
                        None => left = Value::Any(vec![left, right]),
                    }
                }
                "&&" | "and" => left = self.sum(),
                _ => {
                    let right = self.sum();
                    if let (Value::Name(one), Value::Name(other)) = (&left, &right)
                        && operator == "|"
                        && one.len() + other.len() < 128
                    {
                        // Flags: `os.O_WRONLY | os.O_TRUNC`.
                        left = Value::Name(format!("{one}|{other}").into());
                        continue;
                    }
                    let mut flow = left.flow();
                    flow.join(&right.flow());
                    left = Value::unknown_from(flow, self.span_from(first));
                }
            }
        }
        left
    }

    /// Skips an operator that binds weaker than a sum, and returns it.
    fn operator(&mut self) -> &'s str {
        let Some(token) = self.token() else {
            return "";
        };
        let syntax = &self.language.syntax;
        let found = match token.kind {
            TokenKind::Mark => match token.text {
                "?" => syntax.conditional == Conditional::Mark,
                "||" | "&&" | "??" | "==" | "!=" | "===" | "!==" | "<" | ">" | "<=" | ">="
                | "=~" | "!~" | "&" | "^" | "<=>" | "|>" => true,
                "|" => !syntax.bars,
                "//" => syntax.defined_or,
                _ => false,
            },
            TokenKind::Name => match token.text {
                "and" | "or" => syntax.word_logic,
                "in" | "is" | "instanceof" | "eq" | "ne" | "not" => true,
                "if" => syntax.conditional == Conditional::Words,
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

    pub(super) fn sum(&mut self) -> Value {
        let mut left = self.term();
        loop {
            let first = self.at.saturating_sub(1);
            // A sum may go on in the next line if that starts with the operator.
            let mark = self.mark_ahead(0);
            let joins = mark == "+" || self.language.syntax.joins.contains(&mark);
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

    /// Charges for the size of a value.
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
                Some(token) if token.text == "x" && self.language.syntax.repeat_word => "*",
                _ => return left,
            };
            if !matches!(mark, "*" | "%" | "/" | "//" | "**")
                || mark == "//" && self.language.syntax.defined_or
            {
                return left;
            }
            self.at += 1;
            let right = self.unary();
            let span = self.span_from(first);
            left = match (mark, &left) {
                ("*", _) => fold::repeat(&left, &right, span),
                ("%", Value::Text(_)) => {
                    let values = match right {
                        Value::List(values) => values,
                        value => vec![value],
                    };
                    fold::format(&left, &values, span)
                }
                ("/", Value::Text(_) | Value::Any(_)) if self.language.syntax.slash_joins => {
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
                "!" | "+" | "~" | "*" | "**" | "&" | "..." | "\\" | "++" | "--" | "@" | "%" => {}
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
}

/// A map of names and values in a row; a map among them counts as its own entries.
pub(super) fn pairs(values: &[Value]) -> Value {
    let mut entries = Vec::with_capacity(values.len() / 2);
    let mut rest = values;
    loop {
        rest = match rest {
            [Value::Map(map), rest @ ..] => {
                entries.extend_from_slice(map);
                rest
            }
            [name, value, rest @ ..] => {
                entries.extend(name.exact().map(|name| (name.to_owned(), value.clone())));
                rest
            }
            _ => return Value::Map(entries),
        };
    }
}

/// A field for a missing argument.
pub(super) fn missing(arguments: &Arguments) -> Field {
    Field::unknown("…", arguments.span)
}
