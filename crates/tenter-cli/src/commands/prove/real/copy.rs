//! Copies our hooks from a file, without others' commands.

use serde_json::{Map, Value};
use tenter_setup::canary;
use tenter_setup::edit::FoundHook;
use tenter_setup::survey::HookFile;

/// The `hooks` value reduced to our hooks, and for each its place in the user's file and its group and
/// handler in the copy. Events without our hooks become empty lists. With `shape`, each event also gets a
/// group with harmless stand-ins for others' hooks: they show whether the host can read them, but cannot run
/// anything.
pub(super) fn hooks(file: &HookFile, shape: bool) -> (Value, Vec<(&FoundHook, usize, usize)>) {
    let ours = canary::entries(file);
    let mut events = Map::new();
    let mut places = Vec::new();
    let all = file.settings.get("hooks").and_then(Value::as_object);
    for (event, groups) in all.into_iter().flatten() {
        let mut kept: Vec<Value> = Vec::new();
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let own = ours.iter().filter(|found| found.event == *event && found.group == at);
            let mut handlers = Vec::new();
            for found in own {
                places.push((*found, kept.len(), handlers.len()));
                handlers.push(found.fields.clone());
            }
            if !handlers.is_empty() {
                let mut group = group.as_object().cloned().unwrap_or_default();
                group.insert("hooks".to_owned(), Value::Array(handlers));
                kept.push(Value::Object(group));
            }
        }
        if shape {
            kept.extend(groups.as_array().into_iter().flatten().enumerate().filter_map(
                |(at, group)| {
                    let is_ours = |handler: usize| {
                        let same =
                            |found: &&FoundHook| (found.group, found.handler) == (at, handler);
                        ours.iter().any(|found| found.event == *event && same(found))
                    };
                    others(group, &is_ours)
                },
            ));
        }
        if groups.is_array() {
            events.insert(event.clone(), Value::Array(kept));
        }
    }
    (Value::Object(events), places)
}

/// The harmless stand-in for others' group, if any.
fn others(group: &Value, is_ours: &dyn Fn(usize) -> bool) -> Option<Value> {
    let Some(handlers) = group.get("hooks").and_then(Value::as_array) else {
        return Some(without_texts(group));
    };
    let theirs = handlers.iter().enumerate().filter(|(at, _)| !is_ours(*at));
    let theirs: Vec<Value> = theirs.filter_map(|(_, handler)| harmless(handler)).collect();
    if theirs.is_empty() && !handlers.is_empty() {
        return None;
    }
    let mut group = group.as_object().cloned().unwrap_or_default();
    group.insert("hooks".to_owned(), Value::Array(theirs));
    Some(Value::Object(group))
}

/// A handler without effect, of the same structure.
fn harmless(handler: &Value) -> Option<Value> {
    let Some(fields) = handler.as_object() else { return Some(without_texts(handler)) };
    let kind = fields.get("type").and_then(Value::as_str);
    // These types use the network, and so would any stand-in.
    if kind.is_some_and(|kind| ["http", "prompt", "agent", "mcp_tool"].contains(&kind)) {
        return None;
    }
    if kind != Some("command") {
        return Some(without_texts(handler));
    }
    let mut fields = fields.clone();
    for (key, value) in &mut fields {
        match (key.as_str(), &*value) {
            ("command", Value::String(_)) => *value = "true".into(),
            ("args", Value::Array(_)) => *value = Value::Array(Vec::new()),
            _ => {}
        }
    }
    Some(Value::Object(fields))
}

/// A value without strings that could be run.
fn without_texts(value: &Value) -> Value {
    match value {
        Value::String(_) => Value::String(String::new()),
        Value::Array(_) => Value::Array(Vec::new()),
        Value::Object(fields) => {
            let named = ["type", "matcher"];
            let keep = |key: &str, value: &Value| {
                if named.contains(&key) { value.clone() } else { without_texts(value) }
            };
            fields.iter().map(|(key, value)| (key.clone(), keep(key, value))).collect()
        }
        plain => plain.clone(),
    }
}
