//! Removes approvals from Codex's configuration.

use serde_json::Value;
use toml_edit::Key;

use crate::edit::Format;
use crate::settings;

/// The text of `config.toml` without the approvals of these keys, and without the approval table if it
/// becomes empty. `None` when there is nothing to remove, or it cannot be removed without touching anything
/// else.
pub fn forget(text: &str, keys: &[String]) -> Option<String> {
    let mut wanted = settings::read(text, Format::Toml)?;
    let approvals = wanted.pointer_mut("/hooks/state")?.as_object_mut()?;
    let before = approvals.len();
    approvals.retain(|key, _| !keys.contains(key));
    if approvals.len() == before {
        return None;
    }
    let none_left = approvals.is_empty();
    let mut left = without(text, |path| is_approval(path, keys));
    if none_left {
        let bare = without(&left, |path| path == ["hooks", "state"]);
        // Codex writes this line itself; a table with content is different.
        if same(&bare, &wanted, true) {
            left = bare;
        }
    }
    same(&left, &wanted, none_left).then_some(left)
}

fn is_approval(path: &[String], keys: &[String]) -> bool {
    match path {
        [hooks, state, key] => hooks == "hooks" && state == "state" && keys.contains(key),
        _ => false,
    }
}

/// The text without the tables selected by `unwanted`, each with its preceding blank line.
fn without(text: &str, unwanted: impl Fn(&[String]) -> bool) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut skipping = false;
    for line in text.split_inclusive('\n') {
        if let Some(path) = header(line) {
            skipping = unwanted(&path);
            if skipping && kept.last().is_some_and(|last| last.trim().is_empty()) {
                kept.pop();
            }
        }
        // Blank lines and comments between two tables belong to the second.
        let between = line.trim().is_empty() || line.trim_start().starts_with('#');
        if !skipping || between {
            kept.push(line);
        }
    }
    kept.concat()
}

/// The path of the table header on this line; empty for any other line.
fn header(line: &str) -> Option<Vec<String>> {
    let rest = line.trim().strip_prefix('[')?;
    let inner = rest.split(" #").next().and_then(|rest| rest.trim_end().strip_suffix(']'));
    let keys = inner.and_then(|inner| Key::parse(inner).ok()).unwrap_or_default();
    Some(keys.iter().map(|key| key.get().to_owned()).collect())
}

/// Whether a text parses to the wanted value; an empty approval table may be missing.
fn same(text: &str, wanted: &Value, none_left: bool) -> bool {
    let Some(said) = settings::read(text, Format::Toml) else { return false };
    said == *wanted || (none_left && trimmed(said) == trimmed(wanted.clone()))
}

fn trimmed(mut value: Value) -> Value {
    let Some(all) = value.as_object_mut() else { return value };
    if let Some(hooks) = all.get_mut("hooks").and_then(Value::as_object_mut) {
        if hooks.get("state").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
            hooks.remove("state");
        }
        if hooks.is_empty() {
            all.remove("hooks");
        }
    }
    value
}
