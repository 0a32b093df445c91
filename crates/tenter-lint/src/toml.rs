//! Converts `[hooks]` of Codex's `config.toml` to the tree of an equivalent `hooks.json`.
//!
//! Rules work on JSON with positions. Converting TOML to the same tree lets every rule check both.

use std::ops::Range;

use jsonc_parser::ast::{
    Array, BooleanLit, NumberLit, Object, ObjectProp, ObjectPropName, StringLit, Value,
};
use jsonc_parser::common::{Range as Place, Ranged};
use tenter_engine::document::{Parsed, Source, SyntaxError};
use toml_edit::{Document, Item, Key, TableLike};

/// Keys of `[hooks]` that are not events: approvals, and folders of managed scripts.
const NO_EVENTS: &[&str] = &["state", "managed_dir", "windows_managed_dir"];

/// Parses the text; the tree contains only `hooks`.
pub(crate) fn parse(source: &Source) -> Result<Parsed<'_>, SyntaxError> {
    let text = source.text();
    let document = Document::parse(text).map_err(|error| SyntaxError {
        message: error.message().lines().next().unwrap_or_default().to_owned(),
        at: error.span().unwrap_or_default(),
    })?;
    let reader = Reader { text };
    let all = document.as_table().get_key_value("hooks");
    let hooks = all.map(|(key, item)| {
        let mut value = reader.item(item, key_at(key, 0));
        if let Value::Object(events) = &mut value {
            events.properties.retain(|it| !NO_EVENTS.contains(&it.name.as_str()));
        }
        property(key, value, 0)
    });
    let top = Object { range: place(0..text.len()), properties: hooks.into_iter().collect() };
    Ok(Parsed { value: Value::Object(top), beyond_json: None })
}

fn place(range: Range<usize>) -> Place {
    Place { start: range.start, end: range.end }
}

/// Position of a key. An implicit table has no position of its own, only its parts have.
fn key_at(key: &Key, outer: usize) -> Range<usize> {
    key.span().unwrap_or(outer..outer)
}

fn property<'t>(key: &Key, value: Value<'t>, outer: usize) -> ObjectProp<'t> {
    let at = key_at(key, outer);
    let range = place(at.start..value.range().end.max(at.end));
    let name = StringLit { range: place(at), value: key.get().to_owned().into() };
    ObjectProp { range, name: ObjectPropName::String(name), value }
}

struct Reader<'t> {
    text: &'t str,
}

impl<'t> Reader<'t> {
    fn table(&self, table: &dyn TableLike, at: Range<usize>) -> Value<'t> {
        let mut properties = Vec::new();
        for (name, item) in table.iter() {
            let Some((key, _)) = table.get_key_value(name) else { continue };
            let value = self.item(item, key_at(key, at.start));
            properties.push(property(key, value, at.start));
        }
        // A table extends beyond its header.
        let end = properties.iter().map(|it| it.range.end).fold(at.end, usize::max);
        Value::Object(Object { range: place(at.start..end), properties })
    }

    fn item(&self, item: &Item, outer: Range<usize>) -> Value<'t> {
        let at = item.span().unwrap_or(outer);
        match item {
            Item::None => list(Vec::new(), at),
            Item::Value(value) => self.value(value, at),
            Item::Table(table) => self.table(table, at),
            Item::ArrayOfTables(tables) => {
                let each = |table: &toml_edit::Table| {
                    self.table(table, table.span().unwrap_or_else(|| at.clone()))
                };
                list(tables.iter().map(each).collect(), at.clone())
            }
        }
    }

    fn value(&self, value: &toml_edit::Value, outer: Range<usize>) -> Value<'t> {
        let at = value.span().unwrap_or(outer);
        let raw = self.text.get(at.clone()).unwrap_or_default();
        let text = |text: String| {
            Value::StringLit(StringLit { range: place(at.clone()), value: text.into() })
        };
        match value {
            toml_edit::Value::String(it) => text(it.value().clone()),
            toml_edit::Value::Datetime(_) => text(raw.to_owned()),
            toml_edit::Value::Integer(_) | toml_edit::Value::Float(_) => {
                Value::NumberLit(NumberLit { range: place(at), value: raw })
            }
            toml_edit::Value::Boolean(it) => {
                Value::BooleanLit(BooleanLit { range: place(at), value: *it.value() })
            }
            toml_edit::Value::Array(items) => {
                list(items.iter().map(|item| self.value(item, at.clone())).collect(), at.clone())
            }
            toml_edit::Value::InlineTable(table) => self.table(table, at),
        }
    }
}

/// A list covers all its items, wherever they are in the file.
fn list(elements: Vec<Value<'_>>, at: Range<usize>) -> Value<'_> {
    let end = elements.iter().map(|it| it.range().end).fold(at.end, usize::max);
    Value::Array(Array { range: place(at.start..end), elements })
}

#[cfg(test)]
mod tests {
    use tenter_model::HostId;

    use crate::{File, Finding, Form, Layer, Options, lint};

    fn findings(text: &str) -> Vec<Finding> {
        let file = File::new("/w/.codex/config.toml", HostId::Codex, Layer::Unknown, text);
        lint(&[file.written_in(Form::Toml)], &Options::default()).findings
    }

    /// `id line:column`, with a mark for findings that void the file.
    fn ids(text: &str) -> Vec<String> {
        let name = |found: &Finding| {
            let mark = if found.drops_file { "!" } else { "" };
            format!("{}{mark} {}:{}", found.rule.id, found.start.line, found.start.column)
        };
        findings(text).iter().map(name).collect()
    }

    /// As tables and as one value: mistakes that Codex 0.166.0 rejected when tested, and ones that it
    /// accepted.
    #[test]
    fn mistakes_have_their_place_and_their_price() {
        for (text, wanted) in [
            ("[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"true\" }]", ""),
            ("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = 'true'\n", ""),
            ("[[hooks.Tea]]\n[[hooks.Tea.hooks]]\ncommand = 1\n", "unknown-event 1:9"),
            ("[hooks]\nTea = 1\n", "unknown-event 2:1"),
            ("[hooks.Stop]\nx = 1\n", "wrong-type! 1:1"),
            ("[hooks]\nStop = 1\n", "wrong-type! 2:8"),
            ("hooks = 1\n", "wrong-type! 1:9"),
            (
                "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"true\"\ntimeout = \"5\"\n",
                "wrong-type! 5:11",
            ),
            (
                "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"true\", timeout = 5.5 }]",
                "wrong-type! 2:58",
            ),
            (
                "[[hooks.Stop]]\nmatcher = 1\nhooks = [{ type = \"command\", command = \"true\" }]",
                "wrong-type! 2:11",
            ),
            ("[[hooks.Stop]]\nhooks = [{ command = \"true\" }]", "type-missing! 2:10"),
            ("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"true\"\n", "type-missing! 2:1"),
            (
                "[[hooks.Stop]]\nhooks = [{ type = \"comand\", command = \"true\" }]",
                "type-not-supported! 2:19",
            ),
            (
                "[[hooks.Stop]]\nhooks = [{ type = \"prompt\", prompt = \"x\" }]",
                "type-not-supported 2:19",
            ),
            ("[[hooks.Stop]]\nhooks = [{ type = \"command\" }]", "missing-command! 2:10"),
            (
                "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \" \" }]",
                "missing-command 2:40",
            ),
            ("[[hooks.Stop]]\nmatcher = \"\"\n", "missing-command 1:1"),
            (
                "[[hooks.Stop]]\ntype = \"command\"\ncommand = \"true\"\n",
                "flat-entry-in-claude-file 1:1",
            ),
            (
                "[[hooks.PreToolUse]]\nmatcher = \"Bash(\"\nhooks = [{ type = \"command\", command = \"true\" }]",
                "matcher-invalid 2:11",
            ),
            ("[hooks\n", "json-syntax 1:7"),
        ] {
            assert_eq!(ids(text).join(", "), wanted, "{text}");
        }
    }

    #[test]
    fn nothing_but_hooks_is_judged() {
        let text = "model = 1\ndisableAllHooks = true\n[features]\nhooks = false\n\
                    [hooks]\nmanaged_dir = \"/x\"\n\
                    [hooks.state.\"/a:stop:0:0\"]\ntrusted_hash = \"sha256:0\"\n";
        assert!(findings(text).is_empty());
        assert!(findings("").is_empty());
    }

    #[test]
    fn edits_in_json_are_not_offered() {
        let found = &findings("[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"true\"\n")[0];
        assert_eq!(found.repair, None);
        assert_eq!(found.fix, "add `type = \"command\"`");
        assert_eq!(found.cost, "Codex cannot read its configuration and does not start");
    }
}
