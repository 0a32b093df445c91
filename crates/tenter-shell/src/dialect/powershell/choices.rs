//! Values that are one of several: `? :`, `??`, elements of lists and hashtables.

use super::expression::{Operator, as_piped};
use super::{Piped, Shell, Table};
use crate::flow::{Flow, Stream};
use crate::span::Span;
use crate::value::Field;

/// Maximum number of values that a choice may have.
const MAX_CHOICES: usize = 8;

impl Shell<'_, '_, '_, '_> {
    /// What follows `?` or `??`: the value is one of several.
    pub(super) fn alternatives(&mut self, left: Piped, operator: &Operator, start: usize) -> Piped {
        if !self.enter() {
            return Piped::default();
        }
        self.blank_lines_only();
        let right = self.expression_without_commas();
        let mut ways = vec![right];
        if matches!(operator, Operator::Coalesce) {
            ways.insert(0, left);
        } else {
            let back = self.at;
            self.blank_lines_only();
            if self.byte(0) == b':' {
                self.at += 1;
                self.blank_lines_only();
                ways.push(self.expression_without_commas());
            } else {
                self.at = back;
            }
        }
        self.leave();
        let span = self.span(start);
        choice(ways, span)
    }

    /// `$table.name`, `$table[name]`, `$list[0]`: the values it may be.
    pub(super) fn element_of(&mut self, start: usize, value: &mut Piped) {
        let name = self.code.text.get(start..self.at).and_then(|text| text.strip_prefix('$'));
        let table = name.and_then(|name| self.table_of(name)).cloned();
        let back = self.at;
        if self.byte(0) == b'[' {
            let list = value.paths.len() > 1 || table.is_some();
            if !list {
                return;
            }
            self.at += 1;
            let index = self.script(Some(b']'));
            let index = index.stream.text.as_deref();
            *value = match table {
                Some(table) => entries(&table, index),
                None => nth(value, index),
            };
            return;
        }
        let Some(table) = table else { return };
        self.at += 1;
        let member = self.rest().bytes().take_while(|it| it.is_ascii_alphanumeric() || *it == b'_');
        let length = member.count();
        let member = self.rest().get(..length).unwrap_or_default().to_ascii_lowercase();
        let known = table.iter().any(|(key, _)| *key == member);
        match member.as_str() {
            _ if known => *value = entries(&table, Some(&member)),
            "keys" => {
                let span = self.span(start);
                value.stream.text = None;
                value.paths = table.iter().map(|(key, _)| Field::text(&**key, span)).collect();
            }
            "values" | "getenumerator" => *value = entries(&table, None),
            _ => {
                self.at = back;
                return;
            }
        }
        self.at += length;
        if self.rest().starts_with("()") {
            self.at += 2;
        }
    }
}

/// The values of an entry, or of any if it is not known which.
fn entries(table: &Table, key: Option<&str>) -> Piped {
    let named =
        |(known, _): &&(String, Vec<Field>)| key.is_some_and(|key| known.eq_ignore_ascii_case(key));
    let found: Vec<Field> = match table.iter().find(named) {
        Some((_, values)) => values.clone(),
        None => table.iter().flat_map(|(_, values)| values.clone()).collect(),
    };
    one_of(found)
}

/// The element of a list, or any if it is not known which.
fn nth(list: &Piped, index: Option<&str>) -> Piped {
    let at = index.and_then(|index| index.trim().parse::<isize>().ok());
    let count = isize::try_from(list.paths.len()).unwrap_or(0);
    let at = at.map(|at| if at < 0 { at + count } else { at });
    let found = at.and_then(|at| usize::try_from(at).ok()).and_then(|at| list.paths.get(at));
    match found {
        Some(field) => one_of(vec![field.clone()]),
        None => Piped {
            stream: Stream { text: None, ..list.stream.clone() },
            paths: list.paths.clone(),
        },
    }
}

fn one_of(values: Vec<Field>) -> Piped {
    match values.as_slice() {
        [one] if one.exact().is_some() => as_piped(one),
        _ => {
            let mut flow = Flow::default();
            for value in &values {
                flow.join(&value.sources());
            }
            Piped { stream: Stream::unknown(flow), paths: values }
        }
    }
}

/// One of several values.
pub(super) fn choice(ways: Vec<Piped>, span: Span) -> Piped {
    let mut all = Piped { stream: Stream::default(), paths: Vec::new() };
    for way in ways {
        all.stream.flow.join(&way.stream.flow);
        if way.paths.is_empty() {
            if way.stream.text.as_deref() != Some("") {
                all.paths.push(way.field(span));
            }
        } else {
            all.paths.extend(way.paths);
        }
    }
    all.paths.truncate(MAX_CHOICES);
    let unknown = |field: &Field| field.exact().is_none() && field.prefix().is_empty();
    if all.paths.iter().all(unknown) {
        all.paths.clear();
    }
    all
}
