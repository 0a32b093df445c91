//! Parses the `[record]` table of a policy file.

use toml::de::{DeTable, DeValue};

use super::super::Layer;
use super::super::problem::Problem;
use super::super::record::{FOREVER, Redaction, SyncMode};
use super::super::{EmailMode, RecordLevel};
use super::reader::{Node, Reader, join};
use super::{KEYS as KNOWN, Source, Told, values};

pub(crate) const KEYS: &[&str] = &["level", "redact", "email", "keep", "sync"];

/// A file's settings of the record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordLines {
    pub level: Option<Told<RecordLevel>>,
    pub redact: Vec<Told<Redaction>>,
    pub email: Option<Told<EmailMode>>,
    /// In days; `None` means for ever.
    pub keep: Option<Told<Option<u32>>>,
    pub sync: Option<Told<SyncMode>>,
}

/// Secrecy settings of a file that cannot be used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Secrecy {
    pub level: Option<RecordLevel>,
    pub redact: Vec<Redaction>,
    pub email: Option<EmailMode>,
}

impl Secrecy {
    /// For an unreadable file, which may have asked for anything: record nothing.
    const UTMOST: Self = Self {
        level: Some(RecordLevel::Minimal),
        redact: Vec::new(),
        email: Some(EmailMode::Drop),
    };

    /// For a file that is not TOML, or unreadable.
    pub(super) fn of_unreadable(layer: Layer, text: Option<&str>) -> Self {
        let is_silent = text.is_some_and(|text| !text.contains("record"));
        if layer == Layer::Project || is_silent { Self::default() } else { Self::UTMOST }
    }

    /// For a file that is TOML but has mistakes.
    pub(super) fn of_lines(source: Source, problems: &[Problem]) -> Self {
        if source.layer == Layer::Project {
            return Self::default();
        }
        // A misspelt `record` or a newer format may have set something.
        let is_elsewhere = |problem: &Problem| {
            let top = problem.key.split(['.', '[']).next().unwrap_or_default();
            KNOWN.contains(&top) && !["record", "version"].contains(&top)
        };
        if !problems.iter().all(is_elsewhere) {
            return Self::UTMOST;
        }
        let RecordLines { level, redact, email, .. } = source.record;
        Self {
            level: level.map(|told| told.value),
            redact: redact.into_iter().map(|told| told.value).collect(),
            email: email.map(|told| told.value),
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>, root: &DeTable<'_>) -> RecordLines {
    let mut lines = RecordLines::default();
    let Some(node) = root.get("record") else {
        return lines;
    };
    let Some(table) = reader.table(node, "record") else {
        return lines;
    };
    if reader.layer == Layer::Project {
        // A repository must neither hide what it does nor have the user's text recorded.
        let message = "[record] cannot stand in a project policy, which may not say how calls are \
                       recorded; move it to the user policy";
        reader.problem(reader.at(node), "record", message.to_owned());
        return lines;
    }
    reader.known(table, "record", KEYS);
    lines.level = one_of(reader, table, "level", &RecordLevel::ALL, RecordLevel::as_str);
    lines.email = one_of(reader, table, "email", &EmailMode::ALL, EmailMode::as_str);
    lines.sync = one_of(reader, table, "sync", &SyncMode::ALL, SyncMode::as_str);
    lines.keep = table.get("keep").and_then(|node| keep(reader, node));
    if let Some(node) = table.get("redact") {
        lines.redact = redact(reader, node);
    }
    lines
}

fn one_of<T: Copy>(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Option<Told<T>> {
    let names: Vec<&str> = all.iter().map(|value| name(*value)).collect();
    let choice = reader.choice(table.get(key)?, &join("record", key), key, &names)?;
    let value = all.get(choice.value).copied()?;
    Some(Told { value, at: choice.at })
}

fn keep(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Told<Option<u32>>> {
    let text = reader.text(node, "record.keep")?;
    if text.value == FOREVER {
        return Some(Told { value: None, at: text.at });
    }
    let days = values::days(&text.value).filter(|days| *days > 0);
    if days.is_none() {
        let message =
            format!("`{}` is no number of days; write `90d`, `12w` or `forever`", text.value);
        reader.problem(text.at, "record.keep", message);
    }
    days.map(|days| Told { value: Some(days), at: text.at })
}

fn redact(reader: &mut Reader<'_>, node: &Node<'_>) -> Vec<Told<Redaction>> {
    const KEY: &str = "record.redact";
    let DeValue::Array(array) = node.get_ref() else {
        let list = "a list of regular expressions such as [\"ACME-[0-9]{6}\"]";
        return reader.wrong(node, KEY, list).unwrap_or_default();
    };
    let mut all = Vec::new();
    for node in array {
        let Some(text) = reader.words(node, KEY) else {
            continue;
        };
        match Redaction::new(&text.value) {
            Ok(value) => all.push(Told { value, at: text.at }),
            Err(error) => {
                let message = format!("`{}` cannot be a pattern: {error}", text.value);
                reader.problem(text.at, KEY, message);
            }
        }
    }
    all
}
