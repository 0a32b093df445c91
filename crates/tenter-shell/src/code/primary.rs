//! Primary expressions: literals, names, brackets, functions.

use super::fold;
use super::lex::{self, Piece, Token, TokenKind};
use super::library::Output;
use super::scan::Scan;
use super::value::{Arguments, Value};
use crate::value::Field;

impl<'s> Scan<'s, '_, '_, '_> {
    pub(super) fn primary(&mut self) -> Value {
        let first = self.at;
        let value = match self.token() {
            Some(token) => self.head(token, first),
            None => self.nothing(),
        };
        self.postfix(value, first)
    }

    fn head(&mut self, token: Token<'s>, first: usize) -> Value {
        match token.kind {
            TokenKind::Text => {
                self.at += 1;
                let mut value = self.string(token);
                let adjacent = self.language.syntax.adjacent_strings;
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
        let syntax = &self.language.syntax;
        if let Some(value) = (syntax.primary)(self, token.text) {
            return value;
        }
        if syntax.function_words.contains(&token.text) && !self.is_call_of(token.text) {
            self.at += 1;
            return self.function_value();
        }
        self.at += 1;
        if syntax.arrows && self.is_mark("=>") {
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
        if self.language.syntax.functions.hoisted
            && let Some(value) = self.closure()
        {
            return value;
        }
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
        if self.name_ahead(0) == "use" {
            self.at += 1;
            self.skip_group();
        }
        if self.take_mark("=>") || self.is_mark("{") {
            return self.arrow_body();
        }
        self.nothing()
    }

    fn arrow_body(&mut self) -> Value {
        let assigns = !self.name_ahead(0).is_empty() && matches!(self.mark_ahead(1), "=" | "+=");
        if self.is_mark("{") {
            self.braces()
        } else if assigns {
            self.assignment()
        } else {
            self.expression()
        }
    }

    fn bracket(&mut self, token: Token<'s>) -> Value {
        match token.text {
            "(" if self.language.syntax.forms => self.form(),
            "(" if self.is_cast() => {
                self.skip_group();
                self.primary()
            }
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
                    0 if !inner.named.is_empty() => Value::Map(inner.named),
                    1 => inner.list.pop().unwrap_or_else(|| self.nothing()),
                    _ => Value::List(inner.list),
                }
            }
            "[" if self.language.syntax.messages => self.message(),
            "[" if self.is_compiled() && self.mark_ahead(1) == "]" => {
                self.at += 2;
                self.typed_list()
            }
            "[" => {
                self.at += 1;
                let inner = self.items("]");
                if inner.list.is_empty() && !inner.named.is_empty() {
                    return Value::Map(inner.named);
                }
                Value::List(inner.list)
            }
            "{" if self.is_compiled() => self.listed_braces(),
            "{" => self.braces(),
            "<" if self.language.syntax.sigil_elements => self.angle(),
            ")" | "]" | "}" | "," | ";" | ":" | "=" => self.nothing(),
            _ => {
                self.at += 1;
                self.nothing()
            }
        }
    }

    /// Whether the parenthesis here is the head of an arrow function.
    pub(super) fn is_arrow(&self) -> bool {
        if !self.language.syntax.arrows {
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
                    let whole = to - from == 1 && self.code.text.get(verbatim..end) == Some(&text);
                    let mut field = if whole {
                        self.code.field(&text, verbatim, end)
                    } else {
                        Field::text(text, span)
                    };
                    self.call.machine.without_placeholders(&mut field);
                    Value::Text(field)
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
                let bare = self.language.syntax.bare_names_in_strings;
                (bare && !token.text.starts_with('$')).then(|| format!("${}", token.text))
            }
            _ => None,
        };
        let value = match bare {
            Some(name) => self.resolve(&name),
            None => self.expression(),
        };
        let value = match value {
            Value::List(values) if self.language.syntax.sigil_elements => {
                let span = self.code.span(start, end);
                fold::join(&values, &Value::text(" ", span), span)
            }
            value => value,
        };
        self.tokens.truncate(tokens);
        self.pieces.truncate(pieces);
        (self.at, self.limit) = (at, limit);
        self.leave();
        value
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
