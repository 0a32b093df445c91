//! Reads the answer of a hook by Codex's rules.

use std::borrow::Cow;

use tenter_model::Object;

use crate::trial::{Output, Reply, left_with, useless};

fn is_gate(event: &str) -> bool {
    matches!(event, "PreToolUse" | "UserPromptSubmit" | "PermissionRequest")
}

/// All top-level keys Codex accepts; any other key voids the answer.
const OUTER: &[&str] = &[
    "continue",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "decision",
    "reason",
    "hookSpecificOutput",
];
const INNER: &[&str] = &[
    "hookEventName",
    "permissionDecision",
    "permissionDecisionReason",
    "updatedInput",
    "additionalContext",
    "decision",
];

/// Effect of a hook's answer on the call.
pub(super) fn conclude(event: &str, output: &Output<'_>) -> Reply {
    match output.exit.unwrap_or_default() {
        0 => {}
        2 if output.stderr.trim_ascii().is_empty() => {
            return useless("exit code 2 without a word on stderr does not count");
        }
        2 if is_gate(event) => return Reply::Stopped,
        2 => return Reply::Passed,
        other => return left_with(other),
    }
    let text = String::from_utf8_lossy(output.stdout);
    let text = text.trim();
    // Anything but an object is only text.
    if !(text.starts_with('{') && text.ends_with('}')) {
        return Reply::Passed;
    }
    let Ok(object) = Object::parse(text) else { return useless("its answer is no JSON") };
    let specific = object.object("hookSpecificOutput");
    let strange = |object: &Object<'_>, known: &[&str]| {
        let mut keys = object.entries().iter().map(|(key, _)| key.as_ref());
        keys.find(|key| !known.contains(key)).map(str::to_owned)
    };
    let inner_stranger = || strange(specific.as_ref()?, INNER);
    if let Some(key) = strange(&object, OUTER).or_else(inner_stranger) {
        return useless(format!("Codex knows no `{key}` in an answer and drops it whole"));
    }
    let inside = |key: &str| specific.as_ref().and_then(|specific| specific.str(key));
    if specific.is_some() && inside("hookEventName").as_deref() != Some(event) {
        return useless("its answer is one to another event");
    }
    let is_said = |reason: Option<Cow<'_, str>>| reason.is_some_and(|it| !it.trim().is_empty());
    let asked = specific.as_ref().and_then(|specific| specific.object("decision"));
    let refuses = asked.is_some_and(|asked| asked.str("behavior").as_deref() == Some("deny"));
    let (decision, permission) = (object.str("decision"), inside("permissionDecision"));
    match (event, decision.as_deref(), permission.as_deref()) {
        ("PreToolUse" | "UserPromptSubmit", Some("block"), _) if is_said(object.str("reason")) => {
            Reply::Stopped
        }
        ("PreToolUse", None, Some("deny")) if is_said(inside("permissionDecisionReason")) => {
            Reply::Stopped
        }
        (_, Some("block"), _) | (_, _, Some("deny")) => useless("a denial without a reason"),
        ("PreToolUse", _, Some("ask")) => useless("Codex does not ask"),
        (_, Some(other), _) => useless(format!("Codex knows no decision `{other}`")),
        ("PermissionRequest", _, _) if refuses => Reply::Stopped,
        _ => Reply::Passed,
    }
}
