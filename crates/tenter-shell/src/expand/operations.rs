//! `${name#...}`, `${name/...}`, `${name:...}`, `${name^}`, `${name@Q}`.

use super::build::Style;
use super::matching::Pattern;
use super::parameter::{Value, may_be_many};
use super::word::Expander;
use super::{Variable, arithmetic};
use crate::budget::MAX_VALUE;
use crate::flow::Flow;
use crate::syntax::ast::{CaseChange, Operation, Parameter, ParameterName, Which, Word};
use crate::value::Field;

/// Steps of matching for one expansion.
const FUEL: usize = 1 << 17;

impl Expander<'_> {
    pub(super) fn operate(&mut self, parameter: &Parameter, value: &Value) -> Value {
        match &parameter.operation {
            Operation::Strip { suffix, longest, pattern } => {
                let (pattern, flow) = self.compiled(pattern);
                self.fueled(|fuel| {
                    each(value, &flow, |text| strip(&pattern, text, (*suffix, *longest), fuel))
                })
            }
            Operation::Replace { pattern, with, which } => {
                let (pattern, mut flow) = self.compiled(pattern);
                let with = with.as_ref().map(|with| self.inner(with, Style::Raw));
                let with = with.unwrap_or_default();
                flow.join(&with.flow);
                let exact = with.exact();
                self.fueled(|fuel| {
                    each(value, &flow, |text| replace(&pattern, text, exact, *which, fuel))
                })
            }
            Operation::Substring { offset, length } => {
                let offset = self.number(offset);
                let length = length.as_ref().map(|length| self.number(length));
                let Some(offset) = offset else { return value.forget() };
                match length {
                    None => self.part_of(parameter, value, offset, None),
                    Some(Some(length)) => self.part_of(parameter, value, offset, Some(length)),
                    Some(None) => value.forget(),
                }
            }
            Operation::Case { change, all, pattern } => {
                let (pattern, flow) = match pattern {
                    Some(pattern) => {
                        let (pattern, flow) = self.compiled(pattern);
                        (Some(pattern), flow)
                    }
                    None => (None, Flow::default()),
                };
                each(value, &flow, |text| change_case(text, *change, *all, pattern.as_ref()))
            }
            Operation::Transform(mark) => {
                each(value, &Flow::default(), |text| transform(text, *mark))
            }
            _ => value.clone(),
        }
    }

    /// Runs a pattern search and charges for it.
    fn fueled(&mut self, work: impl FnOnce(&mut usize) -> Value) -> Value {
        let mut fuel = FUEL;
        let value = work(&mut fuel);
        self.scope.budget().spend((FUEL - fuel) / 32);
        value
    }

    fn compiled(&mut self, word: &Word) -> (Pattern, Flow) {
        let field = self.inner(word, Style::Pattern);
        (Pattern::new(&field), field.flow)
    }

    fn number(&mut self, word: &Word) -> Option<i64> {
        let text = self.inner(word, Style::Raw);
        arithmetic::evaluate(&text, self.scope)
    }

    /// `${name:offset:length}`: of the text, or of the list.
    fn part_of(
        &mut self,
        parameter: &Parameter,
        value: &Value,
        offset: i64,
        length: Option<i64>,
    ) -> Value {
        let Value::List { items, star } = value else {
            return each(value, &Flow::default(), |text| substring(text, offset, length));
        };
        if items.iter().any(may_be_many) {
            return value.forget();
        }
        if items.is_empty() && !matches!(parameter.name, ParameterName::Special(_)) {
            return value.clone();
        }
        let items: Vec<(i64, Field)> = match &parameter.name {
            ParameterName::Special(_) => std::iter::once(self.scope.shell_name())
                .chain(items.clone())
                .zip(0..)
                .map(|(item, index)| (index, item))
                .collect(),
            ParameterName::Variable(name) => match self.scope.variable(name) {
                Variable::Array(items) => {
                    let indexed = |(key, item): (String, Field)| Some((key.parse().ok()?, item));
                    match items.into_iter().map(indexed).collect() {
                        Some(items) => items,
                        None => return value.forget(),
                    }
                }
                _ => return value.forget(),
            },
            ParameterName::Positional(_) => return value.forget(),
        };
        let end = items.iter().map(|(index, _)| *index).max().unwrap_or(-1).saturating_add(1);
        let from = if offset < 0 { offset.saturating_add(end) } else { offset };
        let Ok(count) = usize::try_from(length.unwrap_or(i64::MAX)) else { return value.forget() };
        let count = if from < 0 { 0 } else { count };
        let kept = items.into_iter().filter(|(index, _)| *index >= from).take(count);
        Value::List { items: kept.map(|(_, item)| item).collect(), star: *star }
    }
}

/// The operation on every text of the value; if one of them cannot be told, none is.
fn each(value: &Value, flow: &Flow, mut operation: impl FnMut(&str) -> Option<String>) -> Value {
    let mut changed = |field: &Field| {
        let text = operation(field.exact()?).filter(|text| text.len() <= MAX_VALUE)?;
        let mut changed = Field::text(text, field.span);
        changed.flow = field.flow.clone();
        changed.flow.join(flow);
        Some(changed)
    };
    let result = match value {
        Value::One(field) => changed(field).map(Value::One),
        Value::List { items, star } => items
            .iter()
            .map(changed)
            .collect::<Option<Vec<_>>>()
            .map(|items| Value::List { items, star: *star }),
        Value::Unset => Some(Value::Unset),
        Value::Unknown { .. } => None,
    };
    result.unwrap_or_else(|| value.forget())
}

fn strip(
    pattern: &Pattern,
    text: &str,
    (suffix, longest): (bool, bool),
    fuel: &mut usize,
) -> Option<String> {
    if !pattern.is_certain() {
        return None;
    }
    let kept = if suffix {
        let start = pattern.suffix(text, longest, fuel)?;
        text.get(..start.unwrap_or(text.len()))
    } else {
        let end = pattern.prefix(text, longest, fuel)?;
        text.get(end.unwrap_or(0)..)
    };
    kept.map(str::to_owned)
}

fn replace(
    pattern: &Pattern,
    text: &str,
    with: Option<&str>,
    which: Which,
    fuel: &mut usize,
) -> Option<String> {
    if !pattern.is_certain() {
        return None;
    }
    let mut result = String::new();
    let mut from = 0;
    loop {
        let found = match which {
            Which::First | Which::All if pattern.is_empty() => None,
            Which::First | Which::All => pattern.find(text, from, fuel)?,
            Which::Start => pattern.prefix(text, true, fuel)?.map(|end| (0, end)),
            Which::End => pattern.suffix(text, true, fuel)?.map(|start| (start, text.len())),
        };
        let Some((start, end)) = found else { break };
        // Whether `&` stands for the match, and a backslash quotes it, depends on the version.
        let with = with.filter(|with| !with.contains(['&', '\\']))?;
        result.push_str(text.get(from..start)?);
        result.push_str(with);
        from = end;
        if which != Which::All || start == end || from >= text.len() || result.len() > MAX_VALUE {
            break;
        }
    }
    result.push_str(text.get(from..)?);
    Some(result)
}

fn substring(text: &str, offset: i64, length: Option<i64>) -> Option<String> {
    let total = i64::try_from(text.chars().count()).ok()?;
    let start = if offset < 0 { offset.saturating_add(total) } else { offset };
    if start < 0 || start > total {
        return Some(String::new());
    }
    let end = match length {
        None => total,
        Some(length) if length < 0 => length.saturating_add(total),
        Some(length) => start.saturating_add(length).min(total),
    };
    // A negative length that reaches before the start is an error, and nothing runs.
    let count = usize::try_from(end.checked_sub(start)?).ok()?;
    Some(text.chars().skip(usize::try_from(start).ok()?).take(count).collect())
}

fn change_case(
    text: &str,
    change: CaseChange,
    all: bool,
    pattern: Option<&Pattern>,
) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    for (index, ch) in text.chars().enumerate() {
        let applies = (all || index == 0)
            && match pattern {
                Some(pattern) if !pattern.is_certain() => return None,
                Some(pattern) => pattern.matches(ch.encode_utf8(&mut [0; 4]))?,
                None => true,
            };
        result.push(if applies { changed_case(ch, change) } else { ch });
    }
    Some(result)
}

fn changed_case(ch: char, change: CaseChange) -> char {
    let upper = match change {
        CaseChange::Upper => true,
        CaseChange::Lower => false,
        CaseChange::Toggle => ch.is_lowercase(),
    };
    let changed = if upper {
        let mut letters = ch.to_uppercase();
        (letters.next(), letters.next())
    } else {
        let mut letters = ch.to_lowercase();
        (letters.next(), letters.next())
    };
    match changed {
        (Some(changed), None) => changed,
        _ => ch,
    }
}

fn transform(text: &str, mark: char) -> Option<String> {
    match mark {
        'Q' => Some(quote(text)),
        'U' => change_case(text, CaseChange::Upper, true, None),
        'u' => change_case(text, CaseChange::Upper, false, None),
        'L' => change_case(text, CaseChange::Lower, true, None),
        'E' => crate::filters::ansi_c(text),
        'P' => (!text.contains(['\\', '$', '`', '!'])).then(|| text.to_owned()),
        _ => None,
    }
}

/// Quoted so that the shell reads it back.
fn quote(text: &str) -> String {
    if text == "'" {
        return "\\'".to_owned();
    }
    if !text.contains(char::is_control) {
        return ["'", &text.replace('\'', "'\\''"), "'"].concat();
    }
    let mut quoted = "$'".to_owned();
    for ch in text.chars() {
        let letter = match ch {
            '\x07' => 'a',
            '\x08' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\x0b' => 'v',
            '\x0c' => 'f',
            '\r' => 'r',
            '\x1b' => 'E',
            '\\' | '\'' => ch,
            _ if ch.is_control() => {
                for byte in ch.encode_utf8(&mut [0; 4]).bytes() {
                    quoted.push('\\');
                    quoted.extend(
                        [byte >> 6, (byte >> 3) & 7, byte & 7]
                            .map(|digit| char::from(b'0' + digit)),
                    );
                }
                continue;
            }
            _ => {
                quoted.push(ch);
                continue;
            }
        };
        quoted.push('\\');
        quoted.push(letter);
    }
    quoted.push('\'');
    quoted
}
