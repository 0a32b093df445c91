//! The hooks of ours in a file, without those of others.

use serde_json::{Map, Value};
use tenter_setup::canary;
use tenter_setup::edit::Found;
use tenter_setup::survey::HookFile;

/// What a host reads under `hooks`, with nothing but ours in it, and where each of ours stands now: its
/// place in the user's file, then its group and its handler in the copy. Events without a hook of ours
/// stay as empty lists.
pub(super) fn hooks(file: &HookFile) -> (Value, Vec<(&Found, usize, usize)>) {
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
        if groups.is_array() {
            events.insert(event.clone(), Value::Array(kept));
        }
    }
    (Value::Object(events), places)
}
