//! Conversion of Claude Code's hooks into policy handlers.

use serde_json::Value;

use crate::takeover::Takeover;

pub(super) const TAKEOVER: Takeover = Takeover {
    refused,
    tools: |_| Ok(&[]),
    instead: &[],
    names_event: false,
    in_own_folder: false,
};

fn refused(fields: &Value) -> Option<String> {
    let is_on = |key: &str| {
        fields.get(key).is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
    };
    match fields.get("type").and_then(Value::as_str) {
        Some("command") => {}
        None => return Some("it has no `type`: its host does not run it".to_owned()),
        Some(kind) => return Some(format!("a hook of type `{kind}` is no command")),
    }
    if is_on("async") || is_on("asyncRewake") {
        return Some("it runs in the background".to_owned());
    }
    if is_on("if") {
        return Some("its `if` cannot be tested on other hosts".to_owned());
    }
    let shell = fields.get("shell").and_then(Value::as_str);
    shell.filter(|shell| *shell != "bash").map(|shell| format!("it is written for `{shell}`"))
}
