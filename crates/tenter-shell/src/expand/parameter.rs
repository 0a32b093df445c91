//! `$name` and `${name...}`: values of parameters, and the operations that choose or count.

use super::build::Style;
use super::word::{Around, Expander};
use super::{Positional, Variable, arithmetic};
use crate::flow::{Flow, Source};
use crate::span::Span;
use crate::syntax::ast::{Fallback, Index, Operation, Parameter, ParameterName, Word, WordPart};
use crate::value::{Field, Part};

/// Value of a parameter.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Unset,
    One(Field),
    /// All of an array or of the arguments; `star` joins them inside quotes.
    List {
        items: Vec<Field>,
        star: bool,
    },
    /// Not known; `list` if it may be any number of fields even inside quotes.
    Unknown {
        list: bool,
        flow: Flow,
    },
}

impl Value {
    pub(super) fn unknown() -> Self {
        Self::Unknown { list: false, flow: Flow::default() }
    }

    pub(super) fn items(&self) -> &[Field] {
        match self {
            Self::One(field) => std::slice::from_ref(field),
            Self::List { items, .. } => items,
            Self::Unset | Self::Unknown { .. } => &[],
        }
    }

    /// The same, no longer known.
    pub(super) fn forget(&self) -> Self {
        let mut flow = match self {
            Self::Unknown { flow, .. } => flow.clone(),
            _ => Flow::default(),
        };
        for item in self.items() {
            flow.join(&item.sources());
        }
        let list =
            matches!(self, Self::List { star: false, .. } | Self::Unknown { list: true, .. });
        Self::Unknown { list, flow }
    }

    /// Whether it counts as set; none if that cannot be told.
    fn is_set(&self, colon: bool) -> Option<bool> {
        match self {
            Self::Unset => Some(false),
            Self::Unknown { .. } => None,
            Self::List { items, .. } if items.len() != 1 => Some(!items.is_empty()),
            Self::One(_) | Self::List { .. } if !colon => Some(true),
            Self::One(_) | Self::List { .. } => {
                let field = self.items().first()?;
                match field.exact() {
                    Some(text) => Some(!text.is_empty()),
                    None => {
                        (!field.prefix().is_empty() || !field.suffix().is_empty()).then_some(true)
                    }
                }
            }
        }
    }
}

impl Expander<'_> {
    /// Adds the value of a parameter. True if it was an empty `"$@"`, which makes no field.
    pub(super) fn parameter(&mut self, parameter: &Parameter, around: Around) -> bool {
        let value = match &parameter.operation {
            Operation::Keys => self.keys(parameter),
            Operation::NamesWithPrefix => self.names(parameter),
            _ => self.lookup(parameter),
        };
        match &parameter.operation {
            Operation::None | Operation::Keys | Operation::NamesWithPrefix => {
                self.emit(parameter, &value, around)
            }
            Operation::Length => {
                match length(&value) {
                    Some(length) => self.text(&length.to_string(), around),
                    None => {
                        self.emit(parameter, &value.forget(), around);
                    }
                }
                false
            }
            Operation::Fallback { kind, colon, word } => {
                self.fallback(parameter, &value, (*kind, *colon), word, around)
            }
            _ => {
                let value = self.operate(parameter, &value);
                self.emit(parameter, &value, around)
            }
        }
    }

    pub(super) fn emit(&mut self, parameter: &Parameter, value: &Value, around: Around) -> bool {
        let quoted = around == Around::Quotes;
        match value {
            Value::Unset => {
                if quoted {
                    self.out.open();
                }
            }
            Value::One(field) => self.value(field, around),
            Value::List { items, star } => {
                if items.is_empty() && quoted && *star {
                    self.out.open();
                }
                self.list(items, *star, around);
                return items.is_empty() && !*star;
            }
            Value::Unknown { list, flow } => {
                self.out.flow(flow);
                if let ParameterName::Variable(name) = &parameter.name
                    && !is_plain(parameter)
                {
                    self.out.flow(&Flow::of(Source::Variable(name.as_str().into())));
                }
                self.out.unknown(&shown(parameter), !quoted || *list);
            }
        }
        false
    }

    fn list(&mut self, items: &[Field], star: bool, around: Around) {
        let fields = self.out.style() == Style::Fields;
        let separate = fields && around == Around::Quotes && !star;
        let mut between = String::new();
        if !separate && items.len() > 1 {
            self.load_separators();
            let first = self.out.separators.as_ref().and_then(|chars| chars.chars().next());
            // Where nothing is split, "$@" is joined by blanks whatever `IFS` says.
            between.extend(if star || fields { first } else { Some(' ') });
        }
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                if separate || between.is_empty() && fields && around != Around::Quotes {
                    if separate || self.out.is_open() {
                        self.out.end_field();
                    }
                } else {
                    self.text(&between, around);
                }
            }
            self.value(item, around);
            if self.out.cut.is_some() {
                break;
            }
        }
    }

    fn fallback(
        &mut self,
        parameter: &Parameter,
        value: &Value,
        (kind, colon): (Fallback, bool),
        word: &Word,
        around: Around,
    ) -> bool {
        let Some(set) = value.is_set(colon) else {
            // Either may happen; what the word would run must be seen.
            let other = self.inner(word, Style::Single);
            self.out.flow(&other.sources());
            if let (Fallback::Assign, ParameterName::Variable(name)) = (kind, &parameter.name) {
                self.scope.assign(name, Variable::Unknown);
            }
            return self.emit(parameter, &value.forget(), around);
        };
        match (kind, set) {
            (Fallback::Alternative, true) | (Fallback::Use, false) => {
                let inside = if around == Around::Quotes { around } else { Around::Expansion };
                if inside == Around::Quotes {
                    self.out.open();
                }
                self.parts(&word.parts, inside);
                false
            }
            (Fallback::Alternative, false) => match value {
                Value::List { items, .. } if items.is_empty() => {
                    self.emit(parameter, value, around)
                }
                _ => self.emit(parameter, &Value::Unset, around),
            },
            (_, true) => self.emit(parameter, value, around),
            (Fallback::Assign, false) => {
                let field = self.inner(word, Style::Single);
                if let ParameterName::Variable(name) = &parameter.name {
                    self.scope.assign(name, Variable::Scalar(field.clone()));
                }
                self.emit(parameter, &Value::One(field), around)
            }
            (Fallback::Fail, false) => {
                self.inner(word, Style::Single);
                self.emit(parameter, &Value::unknown(), around)
            }
        }
    }

    fn lookup(&mut self, parameter: &Parameter) -> Value {
        if !parameter.indirect {
            return self.named(&parameter.name, parameter.index.as_ref());
        }
        let value = self.named(&parameter.name, parameter.index.as_ref());
        let Value::One(field) = &value else { return value.forget() };
        match field.exact().map(reference) {
            Some(Some((name, None))) => self.named(&name, None),
            Some(Some((name, Some(Subscript::All { star })))) => {
                self.named(&name, Some(&if star { Index::Star } else { Index::At }))
            }
            Some(Some((ParameterName::Variable(name), Some(Subscript::Key(key))))) => {
                let variable = self.scope.variable(&name);
                self.element(&variable, &Field::text(key, field.span))
            }
            _ => value.forget(),
        }
    }

    fn named(&mut self, name: &ParameterName, index: Option<&Index>) -> Value {
        match name {
            ParameterName::Variable(name) => {
                let variable = self.scope.variable(name);
                self.variable(variable, index)
            }
            ParameterName::Positional(0) | ParameterName::Special('0') => {
                Value::One(self.scope.shell_name())
            }
            ParameterName::Positional(number) => match self.scope.positional() {
                Positional::Known(items) => {
                    let index = (*number as usize).saturating_sub(1);
                    // The first that a pattern matches is one of those it may match.
                    let lost = |field: &Field| may_be_many(field) && !field.has_glob();
                    if items.iter().take(index).any(may_be_many)
                        || items.get(index).is_some_and(lost)
                    {
                        return Value::List { items, star: true }.forget();
                    }
                    items.into_iter().nth(index).map_or(Value::Unset, Value::One)
                }
                Positional::Unknown => Value::unknown(),
            },
            ParameterName::Special(mark @ ('@' | '*')) => match self.scope.positional() {
                Positional::Known(items) => Value::List { items, star: *mark == '*' },
                Positional::Unknown => Value::Unknown { list: *mark == '@', flow: Flow::default() },
            },
            ParameterName::Special('#') => match self.scope.positional() {
                Positional::Known(items) if !items.iter().any(may_be_many) => {
                    Value::One(Field::text(items.len().to_string(), Span::default()))
                }
                _ => Value::unknown(),
            },
            ParameterName::Special(_) => Value::unknown(),
        }
    }

    fn variable(&mut self, variable: Variable, index: Option<&Index>) -> Value {
        match (variable, index) {
            (variable, Some(Index::Word(word))) => {
                let key = self.inner(word, Style::Raw);
                self.element(&variable, &key)
            }
            (Variable::Unknown, index) => {
                Value::Unknown { list: index == Some(&Index::At), flow: Flow::default() }
            }
            (Variable::Unset, None) => Value::Unset,
            (Variable::Scalar(field), None) => Value::One(field),
            (variable @ Variable::Array(_), None) => {
                self.element(&variable, &Field::text("0", Span::default()))
            }
            (variable, Some(index)) => {
                let items = match variable {
                    Variable::Scalar(field) => vec![field],
                    Variable::Array(items) => items.into_iter().map(|(_, field)| field).collect(),
                    _ => Vec::new(),
                };
                Value::List { items, star: *index == Index::Star }
            }
        }
    }

    /// One element of an array. Keys of indexed arrays are expressions.
    fn element(&mut self, variable: &Variable, key: &Field) -> Value {
        let items = match variable {
            Variable::Unknown => return Value::unknown(),
            Variable::Unset => return Value::Unset,
            Variable::Scalar(field) => {
                return match arithmetic::evaluate(key, self.scope) {
                    Some(0 | -1) => Value::One(field.clone()),
                    Some(_) => Value::Unset,
                    None => Value::One(field.clone()).forget(),
                };
            }
            Variable::Array(items) => items,
        };
        let all = || {
            let items = items.iter().map(|(_, field)| field.clone()).collect();
            Value::List { items, star: true }.forget()
        };
        let Some(text) = key.exact() else { return all() };
        if items.iter().any(|(_, field)| may_be_many(field)) {
            return all();
        }
        let found = |key: &str| items.iter().find(|(name, _)| name == key);
        if let Some((_, field)) = found(text) {
            return Value::One(field.clone());
        }
        if items.iter().any(|(name, _)| name.parse::<i64>().is_err()) {
            return Value::Unset;
        }
        let Some(mut index) = arithmetic::evaluate(key, self.scope) else { return all() };
        if index < 0 {
            let last = items.iter().filter_map(|(name, _)| name.parse::<i64>().ok()).max();
            index = index.saturating_add(last.unwrap_or(-1)).saturating_add(1);
        }
        found(&index.to_string()).map_or(Value::Unset, |(_, field)| Value::One(field.clone()))
    }

    fn keys(&mut self, parameter: &Parameter) -> Value {
        let ParameterName::Variable(name) = &parameter.name else { return Value::unknown() };
        let star = parameter.index == Some(Index::Star);
        let keys = match self.scope.variable(name) {
            Variable::Unknown => {
                return Value::Unknown { list: !star, flow: Flow::default() };
            }
            Variable::Unset => Vec::new(),
            Variable::Scalar(_) => vec!["0".to_owned()],
            Variable::Array(items) if items.iter().any(|(_, item)| may_be_many(item)) => {
                return Value::Unknown { list: !star, flow: Flow::default() };
            }
            Variable::Array(items) => items.into_iter().map(|(key, _)| key).collect(),
        };
        self.load_separators();
        if star && keys.len() > 1 && self.out.separators.as_deref() == Some("") {
            // Here, unlike in `$*`, an empty `IFS` joins by blanks.
            return texts(vec![keys.join(" ")], star);
        }
        texts(keys, star)
    }

    fn names(&mut self, parameter: &Parameter) -> Value {
        let ParameterName::Variable(prefix) = &parameter.name else { return Value::unknown() };
        let star = parameter.index == Some(Index::Star);
        match self.scope.names_with_prefix(prefix) {
            Some(names) => texts(names, star),
            None => Value::Unknown { list: !star, flow: Flow::default() },
        }
    }
}

fn texts(texts: Vec<String>, star: bool) -> Value {
    let field = |text| Field::text(text, Span::default());
    Value::List { items: texts.into_iter().map(field).collect(), star }
}

/// Whether a field of a list may have become none or many: how many there are, and which of them
/// stands where, cannot be told then.
pub(super) fn may_be_many(field: &Field) -> bool {
    field.parts.iter().any(|part| match part {
        Part::Glob(_) => true,
        Part::Unknown(unknown) => unknown.splits,
        Part::Text { .. } => false,
    })
}

/// `${#name}`
fn length(value: &Value) -> Option<usize> {
    match value {
        Value::Unset => Some(0),
        Value::One(field) => field.exact().map(|text| text.chars().count()),
        Value::List { items, .. } => (!items.iter().any(may_be_many)).then_some(items.len()),
        Value::Unknown { .. } => None,
    }
}

enum Subscript {
    All { star: bool },
    Key(String),
}

/// Target of `${!name}`, from the value of `name`.
fn reference(text: &str) -> Option<(ParameterName, Option<Subscript>)> {
    if let "@" | "*" = text {
        return Some((ParameterName::Special(text.chars().next()?), None));
    }
    if let Ok(number) = text.parse::<u32>() {
        return Some((ParameterName::Positional(number), None));
    }
    let (name, subscript) = match text.split_once('[') {
        None => (text, None),
        Some((name, rest)) => (name, Some(rest.strip_suffix(']')?)),
    };
    let word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    if name.is_empty()
        || !name.bytes().all(word)
        || name.starts_with(|ch: char| ch.is_ascii_digit())
    {
        return None;
    }
    let subscript = subscript.map(|key| match key {
        "@" => Subscript::All { star: false },
        "*" => Subscript::All { star: true },
        key => Subscript::Key(key.to_owned()),
    });
    Some((ParameterName::Variable(name.to_owned()), subscript))
}

fn is_plain(parameter: &Parameter) -> bool {
    parameter.operation == Operation::None && parameter.index.is_none() && !parameter.indirect
}

/// Display name of an unknown value.
pub(super) fn shown(parameter: &Parameter) -> String {
    let name = match &parameter.name {
        ParameterName::Variable(name) => name.clone(),
        ParameterName::Positional(number) => number.to_string(),
        ParameterName::Special(mark) => mark.to_string(),
    };
    if is_plain(parameter) {
        return ["$", &name].concat();
    }
    let index = match &parameter.index {
        None => "",
        Some(Index::At) => "[@]",
        Some(Index::Star) => "[*]",
        Some(Index::Word(_)) => "[…]",
    };
    let before = match &parameter.operation {
        Operation::Length => "#",
        Operation::Keys | Operation::NamesWithPrefix => "!",
        _ if parameter.indirect => "!",
        _ => "",
    };
    let (mark, word) = match &parameter.operation {
        Operation::None | Operation::Length | Operation::Keys => ("", None),
        Operation::NamesWithPrefix => ("@", None),
        Operation::Fallback { kind, colon, word } => (fallback_mark(*kind, *colon), Some(word)),
        Operation::Strip { suffix, longest, pattern } => {
            let mark = match (suffix, longest) {
                (false, false) => "#",
                (false, true) => "##",
                (true, false) => "%",
                (true, true) => "%%",
            };
            (mark, Some(pattern))
        }
        Operation::Replace { .. } => ("/…", None),
        Operation::Substring { .. } => (":…", None),
        Operation::Case { .. } => ("^", None),
        Operation::Transform(_) => ("@…", None),
    };
    let text = match word.map(|word| word.parts.as_slice()) {
        None | Some([]) => "",
        Some([WordPart::Literal(text) | WordPart::Quoted(text)]) => &text.text,
        Some(_) => "…",
    };
    ["${", before, &name, index, mark, text, "}"].concat()
}

fn fallback_mark(kind: Fallback, colon: bool) -> &'static str {
    match (kind, colon) {
        (Fallback::Use, true) => ":-",
        (Fallback::Use, false) => "-",
        (Fallback::Assign, true) => ":=",
        (Fallback::Assign, false) => "=",
        (Fallback::Fail, true) => ":?",
        (Fallback::Fail, false) => "?",
        (Fallback::Alternative, true) => ":+",
        (Fallback::Alternative, false) => "+",
    }
}
