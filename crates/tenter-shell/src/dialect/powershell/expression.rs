//! Expressions: types and their methods, text that is put together, downloads and decoders.

use std::rc::Rc;

use super::super::shape;
use super::{Piped, Shell, append};
use crate::act::Act;
use crate::budget::{Budget, MAX_VALUE};
use crate::effect::Kind;
use crate::flow::{Source, Stream};
use crate::span::Span;
use crate::target::Target;
use crate::value::Field;

#[derive(Clone, Copy)]
pub(super) enum Operator {
    /// Text is made of both sides.
    Join(&'static str),
    /// A value that is not followed comes of it.
    Other,
    Assign,
    /// `++`
    Step,
    /// `?` and what follows, up to the colon and behind it.
    Ternary,
    /// `??`
    Coalesce,
}

impl Shell<'_, '_, '_, '_> {
    /// A value with the operators that follow it.
    pub(super) fn expression(&mut self) -> Piped {
        let start = self.at;
        let mut left = self.operand();
        loop {
            self.blanks();
            if self.byte(0) == b',' {
                left = self.rest_of_list(left, start);
                continue;
            }
            let Some((operator, length)) = self.operator() else {
                return left;
            };
            self.at += length;
            let join = match operator {
                Operator::Assign => {
                    self.assigned();
                    return Piped { stream: Stream::empty(), paths: Vec::new() };
                }
                Operator::Step => {
                    left.stream.text = None;
                    continue;
                }
                Operator::Ternary | Operator::Coalesce => {
                    left = self.alternatives(left, &operator, start);
                    continue;
                }
                Operator::Join(join) => join,
                Operator::Other => {
                    // `-is [int]`
                    self.blanks();
                    if self.byte(0) == b'[' {
                        self.attribute();
                    }
                    let right = self.operand();
                    left.stream.flow.join(&right.stream.flow);
                    left.stream.text = None;
                    left.paths.clear();
                    continue;
                }
            };
            self.blanks();
            let mut values = vec![self.operand()];
            loop {
                let back = self.at;
                self.blanks();
                if self.byte(0) != b',' {
                    self.at = back;
                    break;
                }
                self.at += 1;
                self.blanks();
                values.push(self.operand());
            }
            let span = self.span(start);
            left = combine(join, &left, &values, span, &mut self.call.machine.budget);
        }
    }

    /// The rest of a list, from its first comma.
    fn rest_of_list(&mut self, first: Piped, start: usize) -> Piped {
        let mut all = Piped { paths: vec![first.field(self.span(start))], stream: first.stream };
        while self.byte(0) == b',' && all.paths.len() < 64 {
            self.at += 1;
            self.blanks();
            let at = self.at;
            let next = self.operand();
            all.stream.flow.join(&next.stream.flow);
            all.stream.text = None;
            all.paths.push(next.field(self.span(at)));
            self.blanks();
        }
        all
    }

    /// The operator at this place, and its length.
    fn operator(&self) -> Option<(Operator, usize)> {
        let (first, second) = (self.byte(0), self.byte(1));
        Some(match (first, second) {
            (b'=', b'=') => return None,
            (b'=', _) => (Operator::Assign, 1),
            (b'+' | b'-' | b'*' | b'/' | b'%', b'=') => (Operator::Assign, 2),
            (b'?', b'?') if self.byte(2) == b'=' => (Operator::Assign, 3),
            (b'+', b'+') | (b'-', b'-') => (Operator::Step, 2),
            (b'+', _) => (Operator::Join(""), 1),
            (b'.', b'.') => (Operator::Other, 2),
            (b'?', b'?') => (Operator::Coalesce, 2),
            (b'?', _) => (Operator::Ternary, 1),
            (b'-', letter) if letter.is_ascii_alphabetic() => {
                let (length, name) = shape::operator(self.rest())?;
                let joins = matches!(name, "join" | "f" | "replace" | "split");
                (if joins { Operator::Join(name) } else { Operator::Other }, length)
            }
            (b'-' | b'*' | b'/' | b'%', _) => (Operator::Other, 1),
            _ => return None,
        })
    }

    /// One value with its members.
    pub(super) fn operand(&mut self) -> Piped {
        if !self.enter() {
            return Piped::default();
        }
        self.blanks();
        let start = self.at;
        let mut value = self.primary();
        let mut owner = String::new();
        if matches!(self.byte(0), b'[' | b'.') {
            self.element_of(start, &mut value);
        }
        loop {
            match self.byte(0) {
                b'.' if self.byte(1).is_ascii_alphabetic()
                    || matches!(self.byte(1), b'\'' | b'"') =>
                {
                    self.at += 1;
                    value = self.member(value, &mut owner, start);
                }
                b':' if self.byte(1) == b':' => {
                    self.at += 2;
                    value = self.member(value, &mut owner, start);
                }
                b'[' => {
                    self.at += 1;
                    let _index = self.script(Some(b']'));
                    value.stream.text = None;
                }
                _ => break,
            }
        }
        self.leave();
        value
    }

    fn primary(&mut self) -> Piped {
        let start = self.at;
        match self.byte(0) {
            b'(' => {
                self.at += 1;
                self.script(Some(b')'))
            }
            b'@' if matches!(self.byte(1), b'(' | b'{') => {
                let list = self.byte(1) == b'(';
                self.at += 2;
                if list { self.script(Some(b')')) } else { self.hashtable() }
            }
            b'@' if matches!(self.byte(1), b'\'' | b'"') => self.here_string(),
            b'[' => self.type_name(),
            b'\'' | b'"' => {
                let mut field = Field::default();
                if self.byte(0) == b'"' {
                    self.double_quoted(&mut field);
                } else {
                    self.single_quoted(&mut field);
                }
                as_piped(&field)
            }
            b'$' => {
                let name = self
                    .rest()
                    .bytes()
                    .skip(1)
                    .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                    .count();
                let text = self.rest().get(1..=name).unwrap_or_default();
                let whole = matches!(self.byte(name + 1), b':').then_some(()).is_none();
                let known =
                    if matches!(text, "_" | "PSItem") { Some(&self.input) } else { self.get(text) };
                if let Some(value) = known.filter(|_| whole && name > 0) {
                    let value = value.clone();
                    self.at += name + 1;
                    return value;
                }
                let mut field = Field::default();
                self.variable(&mut field);
                as_piped(&field)
            }
            b'{' => {
                // It is judged where it stands, so that whoever calls it runs nothing new.
                self.at += 1;
                self.script(Some(b'}'));
                Piped::text(BLOCK)
            }
            b'!' | b'+' | b'-' => {
                let name = shape::operator(self.rest()).map_or(0, |(length, _)| length);
                let not = usize::from(
                    self.rest().get(..4).is_some_and(|it| it.eq_ignore_ascii_case("-not")),
                ) * 4;
                self.at += name.max(not).max(1);
                let mut value = self.operand();
                value.stream.text = None;
                value
            }
            b'0'..=b'9' => {
                let digits =
                    |text: &str| text.bytes().take_while(u8::is_ascii_alphanumeric).count();
                let mut length = digits(self.rest());
                if self.byte(length) == b'.' && self.byte(length + 1).is_ascii_digit() {
                    length += 1 + digits(self.rest().get(length + 1..).unwrap_or_default());
                }
                let text = self.rest().get(..length).unwrap_or_default();
                self.at += length;
                Piped::text(text)
            }
            _ => {
                let length = self
                    .rest()
                    .bytes()
                    .take_while(|byte| byte.is_ascii_alphanumeric() || b"_".contains(byte))
                    .count();
                let text = self.rest().get(..length).unwrap_or_default();
                self.at = (self.at + length).max(start + 1);
                Piped::text(text)
            }
        }
    }

    /// `@'` to `'@`, on lines of their own; values stand in one with double quotes.
    fn here_string(&mut self) -> Piped {
        let expands = self.byte(1) == b'"';
        let close = if expands { "\n\"@" } else { "\n'@" };
        let rest = self.rest();
        let body = rest.find('\n').map_or(rest.len(), |line| line + 1);
        let inner = rest.get(body..).unwrap_or_default();
        let length = inner.find(close).unwrap_or(inner.len());
        let start = self.at + body;
        let end = start + length;
        let value = if expands {
            let mut field = Field::text("", self.span(start));
            self.at = start;
            self.expanded(&mut field, end);
            as_piped(&field)
        } else {
            Piped::text(inner.get(..length).unwrap_or_default())
        };
        self.at = (end + close.len()).min(self.code.text.len());
        value
    }

    /// `@{ Name = value; 'other' = value }`, from behind the brace.
    fn hashtable(&mut self) -> Piped {
        let mut pairs: Vec<(String, Vec<Field>)> = Vec::new();
        let mut out = Piped::default();
        if !self.enter() {
            return out;
        }
        loop {
            self.blank_lines();
            if self.ended() || self.byte(0) == b'}' {
                self.at += 1;
                break;
            }
            let start = self.at;
            let bare = self
                .rest()
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(byte));
            let bare = bare.count();
            let name = if bare > 0 {
                self.at += bare;
                self.code.text.get(start..self.at).unwrap_or_default().to_owned()
            } else {
                self.operand().stream.text.unwrap_or_default()
            };
            self.blanks();
            if self.byte(0) == b'=' {
                self.at += 1;
                self.blanks();
                let at = self.at;
                let value = self.statement();
                out.stream.flow.join(&value.stream.flow);
                let span = self.span(at);
                let fields =
                    if value.paths.is_empty() { vec![value.field(span)] } else { value.paths };
                if pairs.len() < 64 {
                    pairs.push((name.to_ascii_lowercase(), fields));
                }
            }
            if self.at == start {
                self.at += 1;
            }
        }
        self.leave();
        self.table = Some(pairs);
        out
    }

    /// `[Convert]`, `[char]114`, `[string]'x'`
    fn type_name(&mut self) -> Piped {
        let rest = self.rest();
        // `[List[string]]`
        let mut depth = 0_i32;
        let closes = rest.bytes().position(|byte| {
            depth += i32::from(byte == b'[') - i32::from(byte == b']');
            depth <= 0
        });
        let end = closes.unwrap_or(rest.len().saturating_sub(1));
        let name = rest.get(1..end).unwrap_or_default().to_ascii_lowercase();
        self.at = (self.at + end + 1).min(self.code.text.len());
        if self.rest().starts_with("::") {
            return Piped {
                stream: Stream::known(format!("[{}]", name.trim_start_matches("system."))),
                paths: Vec::new(),
            };
        }
        let operand =
            matches!(self.byte(0), b'$' | b'"' | b'\'' | b'(' | b'@' | b'[' | b'{' | b'-' | b'!');
        if !operand && !self.byte(0).is_ascii_alphanumeric() {
            return Piped::default();
        }
        let value = self.operand();
        match (name.as_str(), value.stream.text.as_deref()) {
            ("char", Some(text)) => {
                let hex = text.strip_prefix("0x").and_then(|hex| u32::from_str_radix(hex, 16).ok());
                let letter = hex.or_else(|| text.parse().ok()).and_then(char::from_u32);
                // A name that reads backwards.
                if letter == Some('\u{202e}') {
                    let span = self.span(self.at);
                    self.call.effect_at(
                        Kind::Execute,
                        Act::AttackTool,
                        Target::name("a name that reads backwards"),
                        span,
                    );
                }
                letter.map_or(value, Piped::text)
            }
            _ => value,
        }
    }

    /// `.Name` or `.Name(arguments)` of a value.
    fn member(&mut self, value: Piped, owner: &mut String, start: usize) -> Piped {
        let quoted = matches!(self.byte(0), b'\'' | b'"');
        self.at += usize::from(quoted);
        let length = self
            .rest()
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let name = self.rest().get(..length).unwrap_or_default().to_ascii_lowercase();
        self.at += length + usize::from(quoted);
        if owner.is_empty() {
            value.stream.text.as_deref().unwrap_or_default().clone_into(owner);
        }
        let path = format!("{owner}.{name}");
        if name == "servercertificatevalidationcallback" {
            let span = self.span(start);
            self.call.effect_at(Kind::HookBypass, Act::TlsOff, Target::None, span);
        }
        if self.byte(0) != b'(' {
            *owner = path;
            return if matches!(name.as_str(), "content" | "fullname" | "value" | "name" | "text") {
                value
            } else {
                let known = owner.starts_with('[');
                Piped {
                    stream: Stream {
                        text: known.then(|| owner.clone()),
                        flow: value.stream.flow,
                        ..Stream::default()
                    },
                    paths: value.paths,
                }
            };
        }
        self.at += 1;
        let arguments = self.arguments();
        let span = self.span(start);
        let result = self.method(&value, &path, &name, &arguments, span);
        owner.clear();
        result
    }

    /// Arguments of a method, past the closing parenthesis.
    fn arguments(&mut self) -> Vec<Field> {
        let mut arguments = Vec::new();
        loop {
            self.blanks();
            if self.ended() || self.byte(0) == b')' {
                self.at += 1;
                return arguments;
            }
            let before = self.at;
            if self.byte(0) == b',' {
                self.at += 1;
                continue;
            }
            let value = self.expression_without_commas();
            let span = self.span(before);
            arguments.push(value.field(span));
            if self.at == before {
                self.at += 1;
            }
            if arguments.len() > 16 {
                return arguments;
            }
        }
    }

    pub(super) fn expression_without_commas(&mut self) -> Piped {
        let start = self.at;
        let mut left = self.operand();
        loop {
            self.blanks();
            let Some((operator, length)) = self.operator() else {
                return left;
            };
            self.at += length;
            if matches!(operator, Operator::Step) {
                continue;
            }
            if matches!(operator, Operator::Ternary | Operator::Coalesce) {
                left = self.alternatives(left, &operator, start);
                continue;
            }
            let right = self.operand();
            let span = self.span(start);
            let join = if let Operator::Join(join) = operator { join } else { "-" };
            left = combine(join, &left, &[right], span, &mut self.call.machine.budget);
        }
    }
}

/// The value of a script block.
pub(super) const BLOCK: &str = "{ }";

pub(super) fn as_piped(field: &Field) -> Piped {
    let flow = field.sources();
    Piped {
        stream: Stream { text: field.exact().map(str::to_owned), flow, ..Stream::default() },
        paths: Vec::new(),
    }
}

/// The text with `to` for each `from`; none when that becomes too long.
pub(super) fn replaced(text: &str, from: &str, to: &str) -> Option<String> {
    let grown = text.matches(from).count().saturating_mul(to.len());
    (grown.saturating_add(text.len()) <= MAX_VALUE).then(|| text.replace(from, to))
}

/// Applies an operator.
fn combine(
    operator: &str,
    left: &Piped,
    right: &[Piped],
    span: Span,
    budget: &mut Budget,
) -> Piped {
    let mut flow = left.stream.flow.clone();
    for value in right {
        flow.join(&value.stream.flow);
    }
    let first = right.first().and_then(|value| value.stream.text.as_deref());
    let text = match operator {
        "" => {
            let mut field = left.field(span);
            for value in right {
                append(&mut field, value.field(span), budget);
            }
            return as_piped(&field);
        }
        "f" => left.stream.text.as_deref().and_then(|template| {
            let mut text = template.to_owned();
            for (index, value) in right.iter().enumerate() {
                let place = format!("{{{index}}}");
                text = replaced(&text, &place, value.stream.text.as_deref()?)?;
            }
            Some(text)
        }),
        "join" => left.stream.text.clone().and_then(|text| match first {
            Some(separator) => replaced(&text, "\n", separator),
            None => Some(text),
        }),
        "replace" => {
            let from = first.filter(|from| {
                from.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"~#@! ".contains(&byte))
            });
            let to =
                right.get(1).and_then(|value| value.stream.text.as_deref()).unwrap_or_default();
            match (left.stream.text.as_deref(), from) {
                (Some(text), Some(from)) if !from.is_empty() => replaced(text, from, to),
                _ => None,
            }
        }
        _ => None,
    };
    let text = text.filter(|text| text.len() < MAX_VALUE);
    Piped { stream: Stream { text, flow, ..Stream::default() }, paths: Vec::new() }
}

/// The host of a client, as a source.
pub(super) fn network(host: &str) -> Source {
    Source::Network(Rc::from(host))
}
