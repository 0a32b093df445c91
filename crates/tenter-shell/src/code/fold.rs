//! Constant folding of functions and methods.

use super::decode;
use super::library::Op;
use super::value::{Arguments, MAX_ITEMS, Value};
use crate::budget::MAX_VALUE;
use crate::span::Span;
use crate::value::Field;

/// The result of a pure function; none if it is not one.
pub(super) fn function(op: Op, arguments: &Arguments) -> Option<Value> {
    let span = arguments.span;
    let first = arguments.get(0).cloned();
    let unknown = || Value::unknown_from(arguments.flow(), span);
    let value = match op {
        Op::First => first.unwrap_or_else(unknown),
        Op::All => Value::List(arguments.list.clone()),
        Op::Base64 => first.unwrap_or_else(unknown).map_text(&base64).decoded(),
        Op::Hex => first.unwrap_or_else(unknown).map_text(&hex).decoded(),
        Op::Rot13 => {
            first.unwrap_or_else(unknown).map_text(&|text| Some(decode::rot13(text))).decoded()
        }
        Op::Codec | Op::Buffer => {
            let encoding = arguments.get(1).and_then(Value::exact).unwrap_or_default();
            match (first?, codec(encoding)) {
                (Value::List(values), _) => characters(&values, span),
                (first, Some(change)) => first.map_text(change).decoded(),
                (first, None) => first,
            }
        }
        Op::Opaque => {
            let mut field = Field::unknown("…", span);
            field.flow = arguments.flow();
            Value::Text(field).decoded()
        }
        Op::Chr => match (first?, arguments.list.len()) {
            (Value::List(values), _) => characters(&values, span),
            (text @ Value::Text(_), 1) => text,
            _ => characters(&arguments.list, span),
        },
        Op::Reverse => reverse(first?, arguments),
        Op::Format => format(&first?, arguments.list.get(1..).unwrap_or_default(), span),
        Op::JoinText => joined(arguments),
        Op::Pack => pack(arguments),
        Op::Split => split(&first?, None, span),
        Op::PercentDecode => first?.map_text(&|text| Some(percent(text))),
        _ => return None,
    };
    Some(value)
}

fn base64(text: &str) -> Option<String> {
    decode::base64(text).map(decode::text)
}

fn hex(text: &str) -> Option<String> {
    decode::hex(text).map(decode::text)
}

/// A change of text; none if the text is not of that form.
type Change = &'static dyn Fn(&str) -> Option<String>;

fn codec(name: &str) -> Option<Change> {
    match name {
        "base64" | "base64url" | "base_64" => Some(&base64),
        "hex" | "hex_codec" => Some(&hex),
        "rot13" | "rot_13" | "rot-13" => Some(&|text| Some(decode::rot13(text))),
        _ => None,
    }
}

/// Numbers as characters.
fn characters(values: &[Value], span: Span) -> Value {
    let mut text = String::new();
    for value in values {
        match value {
            Value::List(inner) => match characters(inner, span) {
                Value::Text(field) if field.exact().is_some() => text.push_str(field.prefix()),
                other => return other,
            },
            other => {
                let number = other.number().and_then(|number| u32::try_from(number).ok());
                let Some(letter) = number.and_then(char::from_u32) else {
                    return Value::unknown("…", span);
                };
                text.push(letter);
            }
        }
    }
    Value::text(text, span)
}

fn reverse(value: Value, arguments: &Arguments) -> Value {
    match value {
        Value::List(mut values) => {
            values.reverse();
            Value::List(values)
        }
        _ if arguments.list.len() > 1 => {
            let mut values = arguments.list.clone();
            values.reverse();
            Value::List(values)
        }
        value => value.map_text(&|text| Some(text.chars().rev().collect())),
    }
}

/// `join(separator, values)` in whichever order.
fn joined(arguments: &Arguments) -> Value {
    let span = arguments.span;
    match arguments.list.as_slice() {
        [Value::List(values)] => join(values, &Value::text("", span), span),
        [Value::List(values), separator] | [separator, Value::List(values)] => {
            join(values, separator, span)
        }
        [separator, values @ ..] => join(values, separator, span),
        [] => Value::unknown("…", span),
    }
}

pub(super) fn join(values: &[Value], separator: &Value, span: Span) -> Value {
    let mut result: Option<Value> = None;
    for value in values.iter().take(MAX_ITEMS) {
        let value = match value {
            Value::List(inner) => join(inner, separator, span),
            other => other.clone(),
        };
        // Numbers are not added here.
        let value = Value::Text(value.field(span));
        result = Some(match result {
            None => value,
            Some(before) if separator.exact() == Some("") => before.concat(value, span),
            Some(before) => before.concat(separator.clone(), span).concat(value, span),
        });
    }
    result.unwrap_or_else(|| Value::text("", span))
}

/// `[114, 109].pack('C*')`, `pack('H*', '726d')`
fn pack(arguments: &Arguments) -> Value {
    let template = arguments.get(0).and_then(Value::exact).unwrap_or_default();
    let values = arguments.list.get(1..).unwrap_or_default();
    match (template.chars().next(), values.first()) {
        (Some('H'), Some(value)) => value.clone().map_text(&hex).decoded(),
        (Some('m'), Some(value)) => value.clone().map_text(&base64).decoded(),
        (Some('c' | 'C' | 'U' | 'W'), _) => characters(values, arguments.span),
        (Some('A' | 'a'), Some(value)) => value.clone(),
        _ => Value::unknown_from(arguments.flow(), arguments.span),
    }
}

pub(super) fn split(value: &Value, separator: Option<&str>, span: Span) -> Value {
    if let Value::Any(values) = value {
        return Value::Any(values.iter().map(|value| split(value, separator, span)).collect());
    }
    let Some(text) = value.exact() else {
        return match value {
            Value::Text(field) if matches!(separator, None | Some(" ")) => known_words(field, span),
            _ => Value::unknown_from(value.flow(), span),
        };
    };
    let flow = value.flow();
    let part = |text: &str| {
        let mut field = Field::text(text, span);
        field.flow = flow.clone();
        Value::Text(field)
    };
    Value::List(match separator {
        None | Some(" ") => text.split_whitespace().take(MAX_ITEMS).map(part).collect(),
        Some("") => {
            let mut buffer = [0; 4];
            text.chars()
                .take(MAX_ITEMS)
                .map(|letter| part(letter.encode_utf8(&mut buffer)))
                .collect()
        }
        Some(separator) => text.split(separator).take(MAX_ITEMS).map(part).collect(),
    })
}

/// The known words before the first unknown part, and then that: `f"git log {x}".split()`.
fn known_words(field: &Field, span: Span) -> Value {
    let Some((known, last)) = field.prefix().rsplit_once(char::is_whitespace) else {
        return Value::unknown_from(field.sources(), span);
    };
    let mut words: Vec<Value> =
        known.split_whitespace().take(MAX_ITEMS).map(|word| Value::text(word, span)).collect();
    let rest = Value::unknown_from(field.sources(), span);
    words.push(if last.is_empty() { rest } else { Value::text(last, span).concat(rest, span) });
    Value::List(words)
}

/// Result of `items()`, `keys()` and `values()` on a map.
pub(super) fn entries(map: &[(String, Value)], name: &str, span: Span) -> Option<Value> {
    let key = |key: &str| Value::text(key, span);
    Some(Value::List(match name {
        "items" | "entries" => {
            map.iter().map(|(name, value)| Value::List(vec![key(name), value.clone()])).collect()
        }
        "keys" => map.iter().map(|(name, _)| key(name)).collect(),
        "values" => map.iter().map(|(_, value)| value.clone()).collect(),
        _ => return None,
    }))
}

/// `%s`, `%d`, `{}`, `{0}` and `{name}` filled in.
pub(super) fn format(template: &Value, values: &[Value], span: Span) -> Value {
    let Some(text) = template.exact() else {
        return Value::unknown_from(template.flow(), span);
    };
    let mut result = Value::text("", span);
    let mut literal = String::new();
    let mut next = 0;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let hole = match letter {
            '%' => hole_percent(rest),
            '{' => hole_brace(rest),
            _ => None,
        };
        let Some((length, index)) = hole else {
            let doubled = matches!(letter, '%' | '{' | '}') && rest.chars().nth(1) == Some(letter);
            literal.push(letter);
            rest = rest.get(if doubled { 2 } else { letter.len_utf8() }..).unwrap_or_default();
            continue;
        };
        let index = index.unwrap_or(next);
        next = index.saturating_add(1);
        let value = values.get(index).cloned().unwrap_or_else(|| Value::unknown("…", span));
        result = result
            .concat(Value::text(std::mem::take(&mut literal), span), span)
            .concat(Value::Text(value.field(span)), span);
        rest = rest.get(length..).unwrap_or_default();
    }
    result.concat(Value::text(literal, span), span)
}

fn hole_percent(rest: &str) -> Option<(usize, Option<usize>)> {
    let body = rest.get(1..)?;
    // `%(name)s`
    if body.starts_with('(') {
        let close = body.find(')')?;
        return Some((close + 3, None));
    }
    let flags = body.bytes().take_while(|byte| b"-+0123456789.".contains(byte)).count();
    let letter = body.as_bytes().get(flags)?;
    b"sdifrvxqc".contains(letter).then_some((flags + 2, None))
}

fn hole_brace(rest: &str) -> Option<(usize, Option<usize>)> {
    let close = rest.find('}').filter(|close| *close <= 40)?;
    let name = rest.get(1..close)?;
    let plain = |byte: u8| {
        byte == b'_' || byte == b'.' || byte == b'!' || byte == b':' || byte.is_ascii_alphanumeric()
    };
    name.bytes().all(plain).then(|| (close + 1, name.parse().ok()))
}

fn percent(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let code = rest
            .get(1..3)
            .filter(|_| letter == '%')
            .and_then(|code| u8::from_str_radix(code, 16).ok());
        if let Some(byte) = code {
            out.push(byte);
            rest = rest.get(3..).unwrap_or_default();
        } else {
            let mut buffer = [0; 4];
            out.extend_from_slice(letter.encode_utf8(&mut buffer).as_bytes());
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        }
    }
    decode::text(out)
}

/// The result of a pure method on a constant; none if it is not one.
pub(super) fn method(subject: &Value, name: &str, arguments: &Arguments) -> Option<Value> {
    let span = arguments.span;
    let argument = |index: usize| arguments.get(index).and_then(Value::exact);
    if let Value::List(values) = subject {
        return list_method(values, name, arguments);
    }
    if let Value::Number(number) = subject {
        return match name {
            "chr" => Some(characters(&[Value::Number(*number)], span)),
            "to_s" | "toString" => Some(Value::text(number.to_string(), span)),
            _ => None,
        };
    }
    let value = match name {
        "decode" | "encode" | "toString" | "to_s" | "strip" | "trim" | "chomp" | "lstrip"
        | "rstrip" | "as_posix" | "resolve" | "absolute" | "valueOf" | "to_str" | "freeze"
        | "dup" | "to_path" | "expand_path" | "unwrap" | "then" | "catch" | "toPath"
        | "realpath" => match codec(argument(0).unwrap_or_default()) {
            Some(change) => subject.clone().map_text(change).decoded(),
            None if matches!(name, "strip" | "trim" | "chomp" | "rstrip") => {
                if subject.exact().is_some() {
                    subject.clone().map_text(&|text| Some(text.trim().to_owned()))
                } else {
                    subject.clone()
                }
            }
            None => subject.clone(),
        },
        "lower" | "toLowerCase" | "downcase" => {
            subject.clone().map_text(&|text| Some(text.to_lowercase()))
        }
        "upper" | "toUpperCase" | "upcase" => {
            subject.clone().map_text(&|text| Some(text.to_uppercase()))
        }
        "reverse" => subject.clone().map_text(&|text| Some(text.chars().rev().collect())),
        "replace" | "replaceAll" | "gsub" | "sub" | "tr" => {
            let (from, to) = (argument(0)?, argument(1)?);
            let change = |text: &str| {
                (text.len().saturating_mul(to.len().max(1)) <= MAX_VALUE)
                    .then(|| text.replace(from, to))
            };
            subject.clone().map_text(&change)
        }
        "split" => split(subject, argument(0), span),
        "join" => match arguments.get(0) {
            Some(Value::List(values)) => join(values, subject, span),
            other => Value::unknown_from(other.map(Value::flow).unwrap_or_default(), span),
        },
        "format" => {
            let named = arguments.named.iter().map(|(_, value)| value.clone());
            let values: Vec<Value> = arguments.list.iter().cloned().chain(named).collect();
            format(subject, &values, span)
        }
        "concat" => {
            let mut result = subject.clone();
            for value in &arguments.list {
                result = result.concat(value.clone(), span);
            }
            result
        }
        "unpack1" | "unpack" => match argument(0).and_then(|template| template.chars().next()) {
            Some('m') => subject.clone().map_text(&base64).decoded(),
            _ => return None,
        },
        "hex_decode" | "fromHex" => subject.clone().map_text(&hex).decoded(),
        "joinpath" => {
            let mut result = subject.clone();
            for value in &arguments.list {
                result = path_join(result, value.clone(), span);
            }
            result
        }
        "repeat" => repeat(subject, arguments.get(0)?, span),
        _ => return None,
    };
    Some(value)
}

fn list_method(values: &[Value], name: &str, arguments: &Arguments) -> Option<Value> {
    let span = arguments.span;
    Some(match name {
        "join" => {
            let separator = arguments.get(0).cloned().unwrap_or_else(|| Value::text("", span));
            join(values, &separator, span)
        }
        "reverse" | "reversed" | "reverse_each" => {
            let mut values = values.to_vec();
            values.reverse();
            Value::List(values)
        }
        "pack" => {
            let mut list = arguments.list.clone();
            list.extend_from_slice(values);
            pack(&Arguments { list, named: Vec::new(), span })
        }
        "map" if arguments.get(0).and_then(Value::exact) == Some("chr") => Value::List(
            values.iter().map(|value| characters(std::slice::from_ref(value), span)).collect(),
        ),
        "concat" | "push" | "append" | "extend" => {
            let mut result = Value::List(values.to_vec());
            for value in &arguments.list {
                let more = match value {
                    Value::List(more) => more.clone(),
                    other => vec![other.clone()],
                };
                result = result.concat(Value::List(more), span);
            }
            result
        }
        "copy" | "to_a" | "flat" | "flatten" | "toString" | "compact" | "sort" | "uniq"
        | "filter" | "slice" | "values" => Value::List(values.to_vec()),
        _ => return None,
    })
}

/// `a/b`; an absolute second part wins.
pub(super) fn path_join(left: Value, right: Value, span: Span) -> Value {
    if let (Value::Any(lefts), right) = (&left, &right) {
        return Value::Any(
            lefts.iter().map(|left| path_join(left.clone(), right.clone(), span)).collect(),
        );
    }
    let field = right.field(span);
    if field.prefix().starts_with('/') && !matches!(right, Value::Any(_)) {
        return right;
    }
    let ends = left.field(span).suffix().ends_with('/');
    let slash = if ends { left } else { left.concat(Value::text("/", span), span) };
    slash.concat(right, span)
}

/// Text or a list, several times.
pub(super) fn repeat(value: &Value, times: &Value, span: Span) -> Value {
    let times = times.number().and_then(|times| usize::try_from(times).ok());
    match (value, times) {
        (Value::Number(left), Some(right)) => {
            Value::Number(left.saturating_mul(i64::try_from(right).unwrap_or(i64::MAX)))
        }
        (Value::Text(field), Some(times)) => match field.exact() {
            Some(text) if text.len().saturating_mul(times) <= 4096 => {
                Value::text(text.repeat(times), span)
            }
            _ => Value::unknown_from(value.flow(), span),
        },
        (Value::List(values), Some(times)) if values.len().saturating_mul(times) <= MAX_ITEMS => {
            Value::List(std::iter::repeat_n(values, times).flatten().cloned().collect())
        }
        _ => Value::unknown_from(value.flow(), span),
    }
}
