//! Parses the `[guards]` table of a policy file.

use toml::de::{DeTable, DeValue};

use super::super::problem::{Place, unknown};
use super::super::setting::Value;
use super::Told;
use super::reader::{Node, Reader, join};
use crate::guard::{Guard, OptionKind};
use crate::guards::GUARDS;
use crate::level::Level;

/// A file's settings of one guard.
#[derive(Clone, Debug, PartialEq)]
pub struct GuardLines {
    /// Index in [`GUARDS`].
    pub guard: usize,
    pub at: Place,
    pub level: Option<Told<Level>>,
    /// By index of the check in the guard.
    pub checks: Vec<(usize, Told<Level>)>,
    pub allow: Vec<Told<String>>,
    /// By index of the option in the guard.
    pub options: Vec<(usize, Told<Value>)>,
}

pub(super) fn read(reader: &mut Reader<'_>, root: &DeTable<'_>) -> Vec<GuardLines> {
    let Some(table) = root.get("guards").and_then(|node| reader.table(node, "guards")) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    for (name, node) in table {
        let word = name.get_ref().as_ref();
        match GUARDS.iter().position(|guard| guard.id == word) {
            Some(index) => lines.extend(guard(reader, index, reader.at(name), node)),
            None => {
                let names: Vec<&str> = GUARDS.iter().map(|guard| guard.id).collect();
                let message = unknown("guard", word, "", &names);
                reader.problem(reader.at(name), &join("guards", word), message);
            }
        }
    }
    lines
}

fn guard(reader: &mut Reader<'_>, index: usize, at: Place, node: &Node<'_>) -> Option<GuardLines> {
    let guard = GUARDS.get(index)?;
    let key = join("guards", guard.id);
    let mut lines = GuardLines {
        guard: index,
        at,
        level: None,
        checks: Vec::new(),
        allow: Vec::new(),
        options: Vec::new(),
    };
    let table = match node.get_ref() {
        DeValue::Table(table) => table,
        DeValue::String(_) => {
            lines.level = level(reader, node, &key);
            return Some(lines);
        }
        _ => return reader.wrong(node, &key, "a level (off, log, ask, deny) or a table"),
    };
    let mut keys = vec!["level", "checks", "allow"];
    keys.extend(guard.options.iter().map(|option| option.name).filter(|name| *name != "allow"));
    reader.known(table, &key, &keys);
    if let Some(node) = table.get("level") {
        lines.level = level(reader, node, &join(&key, "level"));
    }
    if let Some(node) = table.get("checks") {
        lines.checks = checks(reader, guard, node, &join(&key, "checks"));
    }
    if let Some(node) = table.get("allow") {
        lines.allow = reader.texts(node, &join(&key, "allow"));
    }
    for (index, option) in guard.options.iter().enumerate() {
        if let Some(node) = table.get(option.name) {
            let value = value(reader, option.kind, node, &join(&key, option.name));
            lines.options.extend(value.map(|value| (index, value)));
        }
    }
    Some(lines)
}

pub(super) fn level(reader: &mut Reader<'_>, node: &Node<'_>, key: &str) -> Option<Told<Level>> {
    let names = Level::ALL.map(Level::as_str);
    let choice = reader.choice(node, key, "level", &names)?;
    let value = Level::ALL.get(choice.value).copied()?;
    Some(Told { value, at: choice.at })
}

fn checks(
    reader: &mut Reader<'_>,
    guard: &Guard,
    node: &Node<'_>,
    key: &str,
) -> Vec<(usize, Told<Level>)> {
    let Some(table) = reader.table(node, key) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, node) in table {
        let word = name.get_ref().as_ref();
        match guard.checks.iter().position(|check| check.id == word) {
            Some(index) => {
                found.extend(level(reader, node, &join(key, word)).map(|level| (index, level)));
            }
            None => {
                let names: Vec<&str> = guard.checks.iter().map(|check| check.id).collect();
                let message = unknown("check", word, guard.id, &names);
                reader.problem(reader.at(name), &join(key, word), message);
            }
        }
    }
    found
}

fn value(
    reader: &mut Reader<'_>,
    kind: OptionKind,
    node: &Node<'_>,
    key: &str,
) -> Option<Told<Value>> {
    let at = reader.at(node);
    let value = match kind {
        OptionKind::Patterns => {
            let texts = reader.texts(node, key);
            Value::Patterns(texts.into_iter().map(|text| text.value).collect())
        }
        OptionKind::Level => Value::Level(level(reader, node, key)?.value),
        OptionKind::Number => Value::Number(reader.number(node, key)?.value),
        OptionKind::Switch => Value::Switch(reader.switch(node, key)?.value),
    };
    Some(Told { value, at })
}
