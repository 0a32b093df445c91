//! Detects whether a plan weakens the guard, which requires the user's presence.

use serde_json::Value;
use tenter_setup::command;
use tenter_setup::edit::{self, Format, FoundHook, Style};
use tenter_setup::files::Change;
use tenter_setup::plan::{Plan, Step};

/// Keys whose change does not weaken a hook.
const HARMLESS: &[&str] = &["args", "command", "statusMessage", "timeout"];

pub(super) fn is(plan: &Plan) -> bool {
    let replaces = |change: &Change| change.before.is_some() && change.before != change.after;
    plan.steps.iter().any(of_step) || plan.own.iter().any(replaces)
}

fn of_step(step: &Step) -> bool {
    let Some(change) = &step.change else { return false };
    let style = Style::of(step.host, Format::of(&change.path));
    let ours = |text: &Option<String>| -> Vec<FoundHook> {
        let hooks = text.as_deref().and_then(|text| edit::read(text, &style).ok());
        let ours = hooks.into_iter().flatten().filter(|found| command::ours(found).is_some());
        ours.collect()
    };
    let after = ours(&change.after);
    ours(&change.before).iter().any(|old| !after.iter().any(|new| holds(old, new)))
}

/// Whether one entry covers everything that another did.
fn holds(old: &FoundHook, new: &FoundHook) -> bool {
    let as_wide = new.matcher.is_none() || new.matcher == old.matcher;
    let empty = serde_json::Map::new();
    let fields = |found: &FoundHook| found.fields.as_object().unwrap_or(&empty).clone();
    let (before, after) = (fields(old), fields(new));
    let kept = before
        .iter()
        .filter(|(key, _)| !HARMLESS.contains(&key.as_str()))
        .all(|(key, value)| after.get(key) == Some(value));
    let opens = |fields: &serde_json::Map<String, Value>| {
        let line = fields.get("command").and_then(Value::as_str).unwrap_or_default();
        line.contains("--on-failure open") || line.contains("--on-failure=open")
    };
    old.event == new.event && as_wide && kept && (opens(&before) || !opens(&after))
}
