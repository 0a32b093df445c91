//! Parses settings of any syntax into one tree type with line numbers.

use jsonc_parser::ast::Value as Json;
use jsonc_parser::common::Ranged;
use tenter_engine::document::Source;
use toml_edit::{Document, Item, Table, Value as Toml};

/// A value and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) line: usize,
    pub(super) value: Value,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    Null,
    Truth(bool),
    /// As written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    /// Keys may be repeated; hosts disagree which one wins, so all are kept.
    Table(Vec<(String, Node)>),
}

/// Syntax error with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) line: usize,
    pub(super) message: String,
}

impl Node {
    /// The last value of a key, which most readers use.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.table().iter().rev().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Every value of a key.
    pub(super) fn all<'n>(&'n self, key: &str) -> impl Iterator<Item = &'n Node> {
        let same = move |(name, _): &&(String, Node)| name == key;
        self.table().iter().filter(same).map(|(_, node)| node)
    }

    /// A nested value by path, `a.b.c`; also matches a key that contains the dots.
    pub(super) fn find(&self, path: &str) -> Option<&Node> {
        if let Some(node) = self.get(path) {
            return Some(node);
        }
        path.match_indices('.').find_map(|(at, _)| {
            let (first, rest) = path.split_at_checked(at)?;
            self.get(first)?.find(rest.strip_prefix('.')?)
        })
    }

    pub(super) fn table(&self) -> &[(String, Node)] {
        match &self.value {
            Value::Table(entries) => entries,
            _ => &[],
        }
    }

    pub(super) fn list(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is(&self, truth: bool) -> bool {
        self.value == Value::Truth(truth)
    }

    /// The strings of a list; a single string counts as a list of one.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.text().into_iter().chain(self.list().iter().filter_map(Node::text)).collect()
    }

    /// Whether the value is empty.
    pub(super) fn is_empty(&self) -> bool {
        match &self.value {
            Value::Null => true,
            Value::Text(text) => text.trim().is_empty(),
            Value::List(items) => items.iter().all(Node::is_empty),
            Value::Table(entries) => entries.is_empty(),
            Value::Truth(_) | Value::Number(_) => false,
        }
    }

    /// The value as compact JSON, independent of formatting.
    pub(super) fn json(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        let quoted = |word: &str| serde_json::Value::from(word).to_string();
        match &self.value {
            Value::Null => text.push_str("null"),
            Value::Truth(truth) => text.push_str(if *truth { "true" } else { "false" }),
            Value::Number(number) => text.push_str(number),
            Value::Text(word) => text.push_str(&quoted(word)),
            Value::List(items) => {
                text.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    item.write(text);
                }
                text.push(']');
            }
            Value::Table(entries) => {
                text.push('{');
                for (index, (key, item)) in entries.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    text.push_str(&quoted(key));
                    text.push(':');
                    item.write(text);
                }
                text.push('}');
            }
        }
    }
}

/// Parses JSON with comments and trailing commas.
pub(super) fn json(text: &str) -> Result<Node, Fault> {
    let source = Source::new("", text);
    match source.parse() {
        Ok(parsed) => Ok(of_json(&parsed.value, &source)),
        Err(error) => {
            Err(Fault { line: source.position(error.at.start).line, message: error.message })
        }
    }
}

fn of_json(value: &Json<'_>, source: &Source) -> Node {
    let line = source.position(value.range().start).line;
    let value = match value {
        Json::StringLit(text) => Value::Text(text.value.to_string()),
        Json::NumberLit(number) => Value::Number(number.value.to_owned()),
        Json::BooleanLit(truth) => Value::Truth(truth.value),
        Json::NullKeyword(_) => Value::Null,
        Json::Array(array) => {
            Value::List(array.elements.iter().map(|item| of_json(item, source)).collect())
        }
        Json::Object(object) => {
            let entry = |property: &jsonc_parser::ast::ObjectProp<'_>| {
                let mut node = of_json(&property.value, source);
                // Use the line of the key.
                node.line = source.position(property.range.start).line;
                (property.name.clone().into_string(), node)
            };
            Value::Table(object.properties.iter().map(entry).collect())
        }
    };
    Node { line, value }
}

/// Parses TOML.
pub(super) fn toml(text: &str) -> Result<Node, Fault> {
    let source = Source::new("", text);
    let at = |span: Option<std::ops::Range<usize>>| {
        source.position(span.map_or(0, |span| span.start)).line
    };
    match Document::parse(source.text()) {
        Ok(document) => Ok(of_table(document.as_table(), &at)),
        Err(error) => Err(Fault { line: at(error.span()), message: error.message().to_owned() }),
    }
}

type Lines<'l> = dyn Fn(Option<std::ops::Range<usize>>) -> usize + 'l;

fn of_table(table: &Table, at: &Lines<'_>) -> Node {
    let entry = |(key, item): (&str, &Item)| {
        let mut node = of_item(item, at);
        if let Some(span) = table.key(key).and_then(toml_edit::Key::span) {
            node.line = at(Some(span));
        }
        (key.to_owned(), node)
    };
    Node { line: at(table.span()), value: Value::Table(table.iter().map(entry).collect()) }
}

fn of_item(item: &Item, at: &Lines<'_>) -> Node {
    match item {
        Item::None => Node { line: 1, value: Value::Null },
        Item::Value(value) => of_toml(value, at),
        Item::Table(table) => of_table(table, at),
        Item::ArrayOfTables(tables) => Node {
            line: at(tables.span()),
            value: Value::List(tables.iter().map(|table| of_table(table, at)).collect()),
        },
    }
}

fn of_toml(value: &Toml, at: &Lines<'_>) -> Node {
    let inner = match value {
        Toml::String(text) => Value::Text(text.value().clone()),
        Toml::Boolean(truth) => Value::Truth(*truth.value()),
        Toml::Integer(number) => Value::Number(number.value().to_string()),
        Toml::Float(number) => Value::Number(number.value().to_string()),
        Toml::Datetime(time) => Value::Text(time.value().to_string()),
        Toml::Array(array) => Value::List(array.iter().map(|item| of_toml(item, at)).collect()),
        Toml::InlineTable(table) => Value::Table(
            table.iter().map(|(key, item)| (key.to_owned(), of_toml(item, at))).collect(),
        ),
    };
    Node { line: at(value.span()), value: inner }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_syntaxes_give_the_same_tree_with_their_own_lines() {
        let one = json("{\n // why\n \"a\": {\"b\": [1, \"x\",]},\n \"c\": true }").unwrap();
        let other = toml("c = true\n[a]\nb = [1, 'x']\n").unwrap();
        assert_eq!(one.json(), r#"{"a":{"b":[1,"x"]},"c":true}"#);
        assert_eq!(other.json(), r#"{"c":true,"a":{"b":[1,"x"]}}"#);
        assert_eq!(one.find("a.b").unwrap().line, 3);
        assert_eq!(other.find("a.b").unwrap().line, 3);
        assert_eq!(one.get("c").unwrap().line, 4);
    }

    #[test]
    fn keys_may_be_written_with_their_dots() {
        let node = json(r#"{"a.b": 1, "c": {"d.e": {"f": 2}}}"#).unwrap();
        assert_eq!(node.find("a.b").unwrap().json(), "1");
        assert_eq!(node.find("c.d.e.f").unwrap().json(), "2");
        assert_eq!(node.find("c.x"), None);
    }

    #[test]
    fn of_two_keys_the_last_counts_and_both_are_there() {
        let node = json(r#"{"a": 1, "a": 2}"#).unwrap();
        assert_eq!(node.get("a").unwrap().json(), "2");
        assert_eq!(node.table().len(), 2);
    }

    #[test]
    fn what_cannot_be_read_names_its_line() {
        assert_eq!(json("{\n\"a\" 1}").unwrap_err().line, 2);
        assert_eq!(toml("a = 1\nb = \n").unwrap_err().line, 2);
        assert!(json(&"[".repeat(100_000)).is_err());
        assert!(toml(&format!("a = {}", "[".repeat(100_000))).is_err());
    }
}
