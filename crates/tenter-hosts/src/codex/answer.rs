//! Reads the answer of a hook by Codex's rules.

use serde_json::{Map, Value};

use crate::trial::{Output, Reply, left_with, useless};

/// The JSON object on stdout; `None` if there is only text or nothing.
fn object(stdout: &[u8]) -> Result<Option<Map<String, Value>>, Reply> {
    let text = String::from_utf8_lossy(stdout);
    let text = text.trim();
    if !(text.starts_with('{') && text.ends_with('}')) {
        return Ok(None);
    }
    serde_json::from_str(text).map(Some).map_err(|_| useless("its answer is no JSON"))
}

fn text<'o>(object: &'o Map<String, Value>, key: &str) -> Option<&'o str> {
    object.get(key).and_then(Value::as_str)
}

fn inner(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object.get("hookSpecificOutput").and_then(Value::as_object)
}

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
    let object = match object(output.stdout) {
        Ok(Some(object)) => object,
        Ok(None) => return Reply::Passed,
        Err(reply) => return reply,
    };
    let specific = inner(&object);
    let no_fields = Map::new();
    let inside = specific.unwrap_or(&no_fields);
    let stranger = object.keys().find(|key| !OUTER.contains(&key.as_str()));
    let inner_stranger = inside.keys().find(|key| !INNER.contains(&key.as_str()));
    if let Some(key) = stranger.or(inner_stranger) {
        return useless(format!("Codex knows no `{key}` in an answer and drops it whole"));
    }
    if specific.is_some() && text(inside, "hookEventName") != Some(event) {
        return useless("its answer is one to another event");
    }
    let said = |object: &Map<String, Value>, key: &str| {
        text(object, key).is_some_and(|reason| !reason.trim().is_empty())
    };
    let permission = text(inside, "permissionDecision");
    let behaviour = inside.get("decision").and_then(|decision| decision.get("behavior"));
    match (event, text(&object, "decision"), permission) {
        ("PreToolUse" | "UserPromptSubmit", Some("block"), _) if said(&object, "reason") => {
            Reply::Stopped
        }
        ("PreToolUse", None, Some("deny")) if said(inside, "permissionDecisionReason") => {
            Reply::Stopped
        }
        (_, Some("block"), _) | (_, _, Some("deny")) => useless("a denial without a reason"),
        ("PreToolUse", _, Some("ask")) => useless("Codex does not ask"),
        (_, Some(other), _) => useless(format!("Codex knows no decision `{other}`")),
        ("PermissionRequest", _, _) if behaviour == Some(&Value::from("deny")) => Reply::Stopped,
        _ => Reply::Passed,
    }
}
