//! `guard-outside-hooks`

use jsonc_parser::ast::{Object, Value};
#[cfg(test)]
use tenter_model::HostId;

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, name_at, property};
use crate::rule::{Check, rule};

rule! {
    /// Something that looks like a `PreToolUse` or `PermissionRequest` hook where Claude Code reads no hooks.
    ///
    /// With such a key outside `hooks`, or a list in the form of hooks, version 2.1.326 ran no hook of the file at all:
    /// a copy kept under `_hooks`, `Hooks` in capitals, `hooks` below `settings`. An empty list did no harm.
    ///
    /// Bad:
    /// ```json
    /// { "hooks": { "Stop": [] }, "_hooks": { "PreToolUse": [{ "hooks": [] }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": { "Stop": [], "PreToolUse": [] } }
    /// ```
    RULE {
        id: "guard-outside-hooks",
        summary: "a tool hook stands where no hooks are read",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

/// Events whose hooks are guards.
const GUARDS: &[&str] = &["PreToolUse", "PermissionRequest"];

/// Maximum nesting depth searched.
const DEPTH: usize = 16;

/// Whether this top-level key voids the whole file.
pub(super) fn is_guard(key: &str, value: &Value<'_>) -> bool {
    let empty = value.as_array().is_some_and(|list| list.elements.is_empty());
    GUARDS.contains(&key) && value.as_null_keyword().is_none() && !empty
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let Some(top) = model.top else { return };
    for item in top.properties.iter().filter(|item| item.name.as_str() != "hooks") {
        let key = item.name.as_str();
        if is_guard(key, &item.value) || holds_hooks(&item.value, DEPTH) {
            let message = if GUARDS.contains(&key) {
                format!("`{key}` does not stand inside `hooks`")
            } else {
                format!("`{key}` holds what looks like hooks, and does not stand inside `hooks`")
            };
            out.add(&RULE, name_at(item), message)
                .fix(format!("move the hooks in `{key}` into `hooks`, or take `{key}` out"));
        }
    }
}

fn holds_hooks(value: &Value<'_>, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    match value {
        Value::Array(list) => list
            .elements
            .iter()
            .any(|item| item.as_object().is_some_and(is_entry) || holds_hooks(item, depth)),
        Value::Object(object) => object.properties.iter().any(|item| {
            is_guard(item.name.as_str(), &item.value) || holds_hooks(&item.value, depth)
        }),
        _ => false,
    }
}

/// Whether an object is an entry of an event: it has handlers with a type.
fn is_entry(object: &Object<'_>) -> bool {
    let is_handler = |value: &Value<'_>| {
        value.as_object().is_some_and(|handler| property(handler, "type").is_some())
    };
    let hooks = property(object, "hooks").and_then(|item| item.value.as_array());
    hooks.is_some_and(|list| list.elements.iter().any(is_handler))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::findings;

    const ENTRY: &str = r#"{"hooks": [{"type": "command", "command": "x"}]}"#;

    fn found(text: &str) -> bool {
        let found = findings(HostId::Claude, text);
        let mut found = found.iter().filter(|it| it.rule.id == "guard-outside-hooks").peekable();
        let any = found.peek().is_some();
        assert!(found.all(|it| it.drops_file), "{text}");
        any
    }

    #[test]
    fn what_looks_like_a_guard_outside_hooks_is_found() {
        for key in [
            format!(r#""_hooks": {{"PreToolUse": [{ENTRY}]}}"#),
            r#""x": {"PreToolUse": 1}"#.to_owned(),
            r#""x": {"PermissionRequest": 1}"#.to_owned(),
            format!(r#""y": [{ENTRY}]"#),
            format!(r#""PreToolUse": [{ENTRY}]"#),
            format!(r#""Hooks": {{"PreToolUse": [{ENTRY}]}}"#),
            format!(r#""settings": {{"hooks": {{"PreToolUse": [{ENTRY}]}}}}"#),
        ] {
            assert!(found(&format!("{{{key}}}")), "{key}");
        }
    }

    #[test]
    fn other_keys_are_left_alone() {
        for key in [
            r#""PreToolUse": []"#.to_owned(),
            r#""x": {"PreToolUse": []}"#.to_owned(),
            r#""permissions": {"allow": ["PreToolUse"]}"#.to_owned(),
            r#""env": {"A": "PreToolUse"}"#.to_owned(),
            format!(r#""hooks": {{"PreToolUse": [{ENTRY}]}}"#),
        ] {
            assert!(!found(&format!("{{{key}}}")), "{key}");
        }
        let other = findings(HostId::Codex, r#"{"x": {"PreToolUse": 1}}"#);
        assert!(other.iter().all(|it| it.rule.id != "guard-outside-hooks"));
    }
}
