//! Typed access to TOML values, with messages for wrong ones.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::problem::{Place, Problem, Severity, unknown};
use super::super::{Layer, LayerText};
use super::Told;

pub(super) type Node<'n> = Spanned<DeValue<'n>>;

/// Maximum number of `[[rule]]` or similar tables in a file: every call would pay for more.
pub(in crate::policy) const MOST_TABLES: usize = 4096;
/// Maximum length of a list.
const MOST_WORDS: usize = 4096;
/// Maximum number of mistakes reported: more have a common cause.
const MOST_PROBLEMS: usize = 100;
/// Distance in bytes of the positions with precomputed character counts.
const BLOCK: usize = 256;

/// A file being parsed.
#[derive(Debug)]
pub(super) struct Reader<'r> {
    pub(super) layer: Layer,
    pub(super) file: &'r str,
    text: &'r str,
    /// Offset of each line.
    lines: Vec<usize>,
    /// Number of characters before each block: a file may be one long line.
    characters: Vec<usize>,
    /// Whether to parse tests, which judging does not need.
    pub(super) with_tests: bool,
    pub(super) problems: Vec<Problem>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(layer: &LayerText<'r>, text: &'r str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = [0].into_iter().chain(ends.map(|(at, _)| at.saturating_add(1))).collect();
        let mut sum = 0_usize;
        let blocks = text.as_bytes().chunks(BLOCK).map(|block| {
            let before = sum;
            sum = sum.saturating_add(characters(block));
            before
        });
        Self {
            layer: layer.layer,
            file: layer.path,
            text,
            lines,
            characters: blocks.collect(),
            with_tests: true,
            problems: Vec::new(),
        }
    }

    /// Number of characters before an offset.
    fn before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let known = self.characters.get(block).copied().unwrap_or_default();
        let rest = self.text.as_bytes().get(block.saturating_mul(BLOCK)..offset);
        known.saturating_add(characters(rest.unwrap_or_default()))
    }

    pub(super) fn place(&self, offset: usize) -> Place {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let offset = self.text.floor_char_boundary(offset);
        let column = self.before(offset).saturating_sub(self.before(start)).saturating_add(1);
        let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Place { line: number(line), column: number(column) }
    }

    pub(super) fn at<T>(&self, node: &Spanned<T>) -> Place {
        self.place(node.span().start)
    }

    /// Whether the maximum number of mistakes is reached.
    pub(super) fn is_hopeless(&self) -> bool {
        self.problems.len() >= MOST_PROBLEMS
    }

    pub(super) fn problem(&mut self, place: Place, key: &str, message: String) {
        if self.is_hopeless() {
            return;
        }
        self.problems.push(Problem {
            severity: Severity::Error,
            layer: self.layer,
            file: self.file.to_owned(),
            line: place.line,
            column: place.column,
            key: key.to_owned(),
            message,
        });
    }

    /// Reports a value of the wrong type.
    pub(super) fn wrong<T>(&mut self, node: &Node<'_>, key: &str, expected: &str) -> Option<T> {
        let found = match node.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Integer(_) => "a number",
            DeValue::Float(_) => "a fraction",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let message = format!("`{}` must be {expected}, not {found}", name(key));
        self.problem(self.at(node), key, message);
        None
    }

    /// Reports unknown keys of a table.
    pub(super) fn known(&mut self, table: &DeTable<'_>, key: &str, keys: &[&str]) {
        for (found, _) in table {
            if self.is_hopeless() {
                return;
            }
            let word = found.get_ref().as_ref();
            if !keys.contains(&word) {
                let message = unknown("key", word, key, keys);
                self.problem(self.at(found), &join(key, word), message);
            }
        }
    }

    pub(super) fn table<'t>(&mut self, node: &'t Node<'t>, key: &str) -> Option<&'t DeTable<'t>> {
        match node.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => self.wrong(node, key, "a table"),
        }
    }

    /// The tables of `[[key]]`.
    pub(super) fn tables<'t>(
        &mut self,
        root: &'t DeTable<'t>,
        key: &str,
    ) -> Vec<(&'t DeTable<'t>, Place)> {
        let Some(node) = root.get(key) else {
            return Vec::new();
        };
        let DeValue::Array(array) = node.get_ref() else {
            self.wrong::<()>(node, key, &format!("a list of tables: [[{key}]]"));
            return Vec::new();
        };
        if key != "test" && array.len() > MOST_TABLES {
            let message = format!(
                "there are {} [[{key}]] tables; a policy file can have {MOST_TABLES}",
                array.len()
            );
            self.problem(self.at(node), key, message);
            return Vec::new();
        }
        let mut tables = Vec::new();
        for item in array {
            if let Some(table) = self.table(item, key) {
                tables.push((table, self.at(item)));
            }
        }
        tables
    }

    pub(super) fn text(&mut self, node: &Node<'_>, key: &str) -> Option<Told<String>> {
        match node.get_ref() {
            DeValue::String(text) => Some(Told { value: text.to_string(), at: self.at(node) }),
            _ => self.wrong(node, key, "a string"),
        }
    }

    /// A non-empty string.
    pub(super) fn words(&mut self, node: &Node<'_>, key: &str) -> Option<Told<String>> {
        let text = self.text(node, key)?;
        if text.value.trim().is_empty() {
            self.problem(
                text.at,
                key,
                format!("`{}` is empty; say something or leave it out", name(key)),
            );
            return None;
        }
        Some(text)
    }

    /// A string or a list of strings, none of them empty.
    pub(super) fn texts(&mut self, node: &Node<'_>, key: &str) -> Vec<Told<String>> {
        let nodes = match node.get_ref() {
            DeValue::String(_) => std::slice::from_ref(node),
            DeValue::Array(array) => {
                if array.is_empty() {
                    let message = format!("`{}` is an empty list; it fits nothing", name(key));
                    self.problem(self.at(node), key, message);
                }
                if array.len() > MOST_WORDS {
                    let message = format!(
                        "`{}` has {} entries; a list can have {MOST_WORDS}",
                        name(key),
                        array.len()
                    );
                    self.problem(self.at(node), key, message);
                    return Vec::new();
                }
                array
            }
            _ => {
                self.wrong::<()>(node, key, "a string or a list of strings");
                return Vec::new();
            }
        };
        nodes.iter().filter_map(|node| self.words(node, key)).collect()
    }

    pub(super) fn switch(&mut self, node: &Node<'_>, key: &str) -> Option<Told<bool>> {
        match node.get_ref() {
            DeValue::Boolean(value) => Some(Told { value: *value, at: self.at(node) }),
            _ => self.wrong(node, key, "true or false"),
        }
    }

    pub(super) fn number(&mut self, node: &Node<'_>, key: &str) -> Option<Told<u64>> {
        let DeValue::Integer(integer) = node.get_ref() else {
            return self.wrong(node, key, "a number");
        };
        match u64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) => Some(Told { value, at: self.at(node) }),
            Err(_) => {
                let message =
                    format!("`{}` must be a number from 0 on, not `{integer}`", name(key));
                self.problem(self.at(node), key, message);
                None
            }
        }
    }

    /// One of several names, as an index.
    pub(super) fn choice(
        &mut self,
        node: &Node<'_>,
        key: &str,
        what: &str,
        names: &[&str],
    ) -> Option<Told<usize>> {
        let DeValue::String(text) = node.get_ref() else {
            return self.wrong(node, key, &format!("one of {}", names.join(", ")));
        };
        let at = self.at(node);
        let found = names.iter().position(|name| *name == text.as_ref());
        if found.is_none() {
            self.problem(at, key, unknown(what, text, "", names));
        }
        found.map(|value| Told { value, at })
    }
}

/// Number of characters that begin in these bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0b1100_0000 != 0b1000_0000).count()
}

/// The last component of a key.
fn name(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, name)| name)
}

pub(super) fn join(key: &str, name: &str) -> String {
    if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") }
}
