//! Values of expressions, as far as known.

use std::rc::Rc;

use crate::budget::MAX_VALUE;
use crate::flow::{Flow, Stream};
use crate::span::Span;
use crate::value::{Field, Part, Unknown};

/// Maximum length of a list.
pub(super) const MAX_ITEMS: usize = 256;
/// Maximum number of simultaneous values of a name.
const MAX_CHOICES: usize = 8;

#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A string, a path or something unknown; parts of it may be known.
    Text(Field),
    Number(i64),
    List(Vec<Value>),
    Map(Vec<(String, Value)>),
    /// A module, class or function by its full name, parts separated by dots.
    Name(Rc<str>),
    /// A stateful object, and what it was made from.
    Object(Thing, Box<Value>),
    /// One of these, or each of these in turn.
    Any(Vec<Value>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    /// An open file that is written to.
    Writer,
    Reader,
    /// A connection to a host.
    Socket,
    /// A client with a base address.
    Client,
    /// All environment variables.
    Environment,
    Stdin,
}

/// Arguments of a call.
#[derive(Clone, Debug, Default)]
pub(super) struct Arguments {
    pub list: Vec<Value>,
    pub named: Vec<(String, Value)>,
    pub span: Span,
}

impl Arguments {
    pub(super) fn get(&self, index: usize) -> Option<&Value> {
        self.list.get(index)
    }

    /// An option by name: a keyword argument, or an entry of a map among the arguments.
    pub(super) fn option(&self, name: &str) -> Option<&Value> {
        self.keyword(name).or_else(|| {
            self.list.iter().find_map(|value| match value {
                Value::Map(entries) => find(entries, name),
                _ => None,
            })
        })
    }

    /// A keyword argument.
    pub(super) fn keyword(&self, name: &str) -> Option<&Value> {
        self.named.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// All of them in a row, names before their values.
    pub(super) fn all(&self) -> Vec<Value> {
        let name = |name: &str| Value::text(name, self.span);
        let named = self.named.iter().flat_map(|(key, value)| [name(key), value.clone()]);
        self.list.iter().cloned().chain(named).take(MAX_ITEMS).collect()
    }

    pub(super) fn is_set(&self, name: &str) -> bool {
        self.option(name).is_some_and(Value::is_true)
    }

    pub(super) fn flow(&self) -> Flow {
        let mut flow = Flow::default();
        for value in self.list.iter().chain(self.named.iter().map(|(_, value)| value)) {
            flow.join(&value.flow());
        }
        flow
    }
}

fn find<'v>(entries: &'v [(String, Value)], name: &str) -> Option<&'v Value> {
    entries.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
}

impl Value {
    pub(super) fn unknown(name: &str, span: Span) -> Self {
        Self::Text(Field::unknown(name, span))
    }

    pub(super) fn unknown_from(flow: Flow, span: Span) -> Self {
        let mut field = Field::unknown("…", span);
        field.flow = flow;
        Self::Text(field)
    }

    pub(super) fn text(text: impl Into<String>, span: Span) -> Self {
        Self::Text(Field::text(text, span))
    }

    pub(super) fn from_stream(stream: Stream, span: Span) -> Self {
        let mut field = match stream.text {
            Some(text) => Field::text(text, span),
            None => Field::unknown("…", span),
        };
        field.flow = stream.flow;
        Self::Text(field)
    }

    pub(super) fn exact(&self) -> Option<&str> {
        match self {
            Self::Text(field) => field.exact(),
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => self.exact().and_then(|text| text.parse().ok()),
        }
    }

    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Name(name) => {
                matches!(name.as_ref(), "True" | "true" | "TRUE" | "T")
            }
            Self::Number(number) => *number != 0,
            Self::Text(field) => field.exact().is_none_or(|text| !text.is_empty()),
            _ => true,
        }
    }

    pub(super) fn flow(&self) -> Flow {
        match self {
            Self::Text(field) => field.sources(),
            Self::Number(_) | Self::Name(_) => Flow::default(),
            Self::List(values) | Self::Any(values) => joined(values.iter()),
            Self::Map(entries) => joined(entries.iter().map(|(_, value)| value)),
            Self::Object(_, inner) => inner.flow(),
        }
    }

    /// As one argument or path.
    pub(super) fn field(&self, span: Span) -> Field {
        match self {
            Self::Text(field) => field.clone(),
            Self::Number(number) => Field::text(number.to_string(), span),
            Self::Name(name) => Field::unknown(name, span),
            Self::Any(values) if values.len() == 1 => {
                values.first().map(|value| value.field(span)).unwrap_or_default()
            }
            Self::Object(_, inner) => {
                let mut field = Field::unknown("…", span);
                field.flow = inner.flow();
                field
            }
            Self::List(_) | Self::Map(_) | Self::Any(_) => {
                let mut field = Field::unknown("…", span);
                field.flow = self.flow();
                field
            }
        }
    }

    pub(super) fn stream(&self, span: Span) -> Stream {
        let field = self.field(span);
        let flow = field.sources();
        Stream { text: field.exact().map(str::to_owned), flow, ..Stream::default() }
    }

    /// All the things that it may be or that it holds, as arguments.
    pub(super) fn fields(&self, span: Span) -> Vec<Field> {
        let mut fields = Vec::new();
        self.collect(span, &mut fields);
        fields
    }

    fn collect(&self, span: Span, fields: &mut Vec<Field>) {
        match self {
            Self::List(values) | Self::Any(values) => {
                for value in values {
                    value.collect(span, fields);
                }
            }
            Self::Map(_) => {}
            other if fields.len() < MAX_ITEMS => fields.push(other.field(span)),
            _ => {}
        }
    }

    /// The values of a list; of anything else, itself.
    pub(super) fn items(&self) -> Vec<Self> {
        match self {
            Self::List(values) => values.clone(),
            other => vec![other.clone()],
        }
    }

    /// The element that a loop would see.
    pub(super) fn element(&self, span: Span) -> Self {
        match self {
            Self::List(values) if !values.is_empty() => Self::Any(values.clone()),
            Self::Text(field) if field.has_glob() => self.clone(),
            Self::Any(values) => {
                Self::Any(values.iter().map(|value| value.element(span)).collect())
            }
            other => Self::unknown_from(other.flow(), span),
        }
    }

    /// One text after the other.
    pub(super) fn concat(self, other: Self, span: Span) -> Self {
        match (self, other) {
            (Self::Number(left), Self::Number(right)) => Self::Number(left.saturating_add(right)),
            (Self::List(mut left), Self::List(right)) => {
                left.extend(right);
                left.truncate(MAX_ITEMS);
                Self::List(left)
            }
            // A list and something that may be more of it.
            (Self::List(mut left), Self::Text(field)) if field.exact().is_none() => {
                left.push(Self::Text(splitting(field)));
                left.truncate(MAX_ITEMS);
                Self::List(left)
            }
            (Self::Any(left), right) if left.len() <= MAX_CHOICES => {
                Self::Any(left.into_iter().map(|left| left.concat(right.clone(), span)).collect())
            }
            (left, Self::Any(right)) if right.len() <= MAX_CHOICES => {
                Self::Any(right.into_iter().map(|right| left.clone().concat(right, span)).collect())
            }
            (left, right) => {
                let left = left.field(span);
                let right = right.field(span);
                Self::Text(join(left, right, span))
            }
        }
    }

    /// The same with every text changed.
    pub(super) fn map_text(self, change: &dyn Fn(&str) -> Option<String>) -> Self {
        match self {
            Self::Text(field) => {
                let Some(text) = field.exact().and_then(change) else {
                    let mut unknown = Field::unknown("…", field.span);
                    unknown.flow = field.sources();
                    return Self::Text(unknown);
                };
                let mut new = Field::text(text, field.span);
                new.flow = field.flow;
                Self::Text(new)
            }
            Self::List(values) => {
                Self::List(values.into_iter().map(|value| value.map_text(change)).collect())
            }
            Self::Any(values) => {
                Self::Any(values.into_iter().map(|value| value.map_text(change)).collect())
            }
            other => other,
        }
    }

    /// Marks the value as decoded.
    pub(super) fn decoded(mut self) -> Self {
        if let Self::Text(field) = &mut self {
            field.flow.add(crate::flow::Source::Decoded);
        }
        self
    }
}

fn splitting(mut field: Field) -> Field {
    for part in &mut field.parts {
        if let Part::Unknown(Unknown { splits, .. }) = part {
            *splits = true;
        }
    }
    field
}

fn joined<'v>(values: impl Iterator<Item = &'v Value>) -> Flow {
    let mut flow = Flow::default();
    for value in values {
        flow.join(&value.flow());
    }
    flow
}

fn join(mut left: Field, right: Field, span: Span) -> Field {
    let length = |field: &Field| -> usize {
        let size = |part: &Part| match part {
            Part::Text { text, .. } | Part::Glob(text) => text.len(),
            Part::Unknown(_) => 1,
        };
        field.parts.iter().map(size).sum()
    };
    left.flow.join(&right.flow);
    left.span = if left.span == Span::default() { right.span } else { left.span.to(right.span) };
    if length(&left).saturating_add(length(&right)) > MAX_VALUE || left.parts.len() > 16 {
        let mut unknown = Field::unknown("…", span);
        unknown.flow = left.flow;
        return unknown;
    }
    for part in right.parts {
        left.push(part);
    }
    left
}
