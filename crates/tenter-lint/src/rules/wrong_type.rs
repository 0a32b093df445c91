//! `wrong-type`

use jsonc_parser::ast::{Object, Value};
use tenter_hosts::lint::{Lint, Settings};

use crate::Severity;
use crate::edit::Edit;
use crate::finding::Findings;
use crate::model::{FileModel, at, head, property, text_of};
use crate::rule::{Check, rule};
use crate::vocabulary::{Kind, group_keys, handler_keys};

rule! {
    /// A value of another type than the host expects.
    ///
    /// Codex drops the whole file for it. So does Claude Code where the value is a setting of its own, or belongs to a
    /// hook at `PreToolUse` or `PermissionRequest`, which may be what guards the permissions in the file; elsewhere it
    /// skips the entry. Cursor documents nothing.
    ///
    /// Bad:
    /// ```json
    /// { "command": "./guard.sh", "timeout": "30", "failClosed": "true" }
    /// ```
    /// Good:
    /// ```json
    /// { "command": "./guard.sh", "timeout": 30, "failClosed": true }
    /// ```
    RULE {
        id: "wrong-type",
        summary: "a value has another type than the host expects",
        severity: Severity::Error,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let Ok(parsed) = model.parsed else { return };
    let Some(top) = model.top else {
        expect(&parsed.value, "the file", Kind::Table, out);
        return;
    };
    if let Some(hooks) = property(top, "hooks") {
        expect(&hooks.value, "`hooks`", Kind::Table, out);
    }
    // The top level of a TOML file holds all of the host's configuration.
    if !model.is_toml() {
        for settings in model.lint().settings {
            check_settings(top, settings, out);
        }
    }
    let counted = |known: bool| known || !model.lint().skips_unknown_events;
    for event in model.events.iter().filter(|event| counted(event.known)) {
        let what = format!("`{}`", event.name);
        if expect(&event.property.value, &what, Kind::List, out) {
            let inner = format!("an entry of `{}`", event.name);
            check_items(&event.property.value, &inner, out);
        }
    }
    for group in &model.groups {
        check_object(model, group.object, group_keys(model.host()), out);
        if let Some(hooks) = property(group.object, "hooks") {
            check_items(&hooks.value, "a handler", out);
        }
    }
    for handler in &model.handlers {
        check_object(model, handler.object, handler_keys(model.host()), out);
        check_words(model.lint(), handler.object, out);
    }
}

/// Checks strings with a fixed set of values; the host ignores an entry with any other.
fn check_words(lint: &Lint, handler: &Object<'_>, out: &mut Findings<'_>) {
    for (key, words) in lint.words {
        let Some(literal) = text_of(handler, key) else { continue };
        if !words.contains(&literal.value.as_ref()) {
            let [one, other] = words;
            out.add(&RULE, at(literal), format!("`{key}` cannot be `{}`", literal.value))
                .fix(format!("write `{one}` or `{other}`, or leave it out"));
        }
    }
    let is_http = text_of(handler, "type").is_some_and(|kind| kind.value == "http")
        && lint.readable_types.contains(&"http");
    let Some(url) = text_of(handler, "url").filter(|_| is_http) else { return };
    if !url.value.contains("://") {
        out.add(&RULE, at(url), format!("`url` cannot be `{}`", url.value))
            .fix("write the whole address, with `https://` in front");
    }
}

fn check_settings(top: &Object<'_>, settings: &Settings, out: &mut Findings<'_>) {
    let name = settings.object;
    let inner = || property(top, name).and_then(|item| item.value.as_object());
    let object = if name.is_empty() { Some(top) } else { inner() };
    let Some(object) = object else { return };
    for item in &object.properties {
        let key = item.name.as_str();
        let Some((_, kind)) = settings.keys.iter().find(|(known, _)| *known == key) else {
            continue;
        };
        let is_zero = item.value.as_number_lit().is_some_and(|number| number.value == "0");
        if expect(&item.value, &format!("`{key}`"), *kind, out)
            && *kind == Kind::Positive
            && is_zero
        {
            let message = format!("`{key}` must be a positive integer");
            out.add(&RULE, at(&item.value), message).fix("write 1");
        }
    }
    if settings.all && settings.keys.iter().any(|(key, _)| property(object, key).is_none()) {
        let keys: Vec<String> = settings.keys.iter().map(|(key, _)| format!("a `{key}`")).collect();
        let message = format!("`{name}` must have {}", keys.join(" and "));
        let shown: Vec<String> =
            settings.keys.iter().map(|(key, _)| format!("\"{key}\": ...")).collect();
        let fix = format!("write `{}`, or take it out", shown.join(", "));
        out.add(&RULE, head(object), message).fix(fix);
    }
}

fn check_items(value: &Value<'_>, what: &str, out: &mut Findings<'_>) {
    for item in value.as_array().into_iter().flat_map(|array| &array.elements) {
        expect(item, what, Kind::Table, out);
    }
}

fn check_object(
    model: &FileModel<'_>,
    object: &Object<'_>,
    keys: &[(&str, Kind)],
    out: &mut Findings<'_>,
) {
    for item in &object.properties {
        let key = item.name.as_str();
        let Some((_, kind)) = keys.iter().find(|(known, _)| *known == key) else { continue };
        let is_null = item.value.as_null_keyword().is_some();
        if is_null && model.lint().nullable.contains(&key) {
            continue;
        }
        expect(&item.value, &format!("`{key}`"), *kind, out);
    }
}

/// Reports a value of another type; true if it has this one.
fn expect(value: &Value<'_>, what: &str, kind: Kind, out: &mut Findings<'_>) -> bool {
    if fits(value, kind) {
        return true;
    }
    let message = format!("{what} must be {}, not {}", kind.name(), name(value));
    let draft = out.add(&RULE, at(value), message).fix(format!("write {}", kind.name()));
    if let Some(text) = unquoted(value, kind) {
        draft.fix(format!("write {text}, without quotes"));
        draft.edits(vec![Edit::new(at(value), text)]);
    }
    false
}

fn fits(value: &Value<'_>, kind: Kind) -> bool {
    match kind {
        Kind::Any => true,
        Kind::Text => value.as_string_lit().is_some(),
        Kind::Bool => value.as_boolean_lit().is_some(),
        Kind::List => value.as_array().is_some(),
        Kind::Table => value.as_object().is_some(),
        Kind::Number => value.as_number_lit().is_some(),
        Kind::Limit => value.as_number_lit().is_some() || value.as_null_keyword().is_some(),
        Kind::Integer | Kind::Positive => {
            value.as_number_lit().is_some_and(|number| number.value.parse::<u64>().is_ok())
        }
    }
}

const fn name(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "this number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "an array",
        Value::NullKeyword(_) => "`null`",
    }
}

/// The number or boolean inside a string.
fn unquoted(value: &Value<'_>, kind: Kind) -> Option<String> {
    let text = value.as_string_lit()?.value.trim();
    let fits = match kind {
        Kind::Number | Kind::Integer | Kind::Positive | Kind::Limit => {
            !text.is_empty() && text.len() < 10 && text.chars().all(|c| c.is_ascii_digit())
        }
        Kind::Bool => matches!(text, "true" | "false"),
        _ => false,
    };
    // JSON numbers have no leading zero.
    let fits = fits && (text == "0" || !text.starts_with('0'));
    fits.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, findings, grouped};
    use crate::{File, Layer, Options, fix};
    use tenter_model::HostId;

    #[test]
    fn values_have_the_type_of_their_key() {
        let bad = cursor("stop", r#"{"command": ["ls"], "timeout": "30"}"#);
        assert_ids(HostId::Cursor, &bad, &["wrong-type 2:22", "wrong-type 2:41"]);
        assert_ids(HostId::Cursor, "[]", &["wrong-type 1:1"]);
        assert_ids(HostId::Codex, "{\"hooks\": []}", &["wrong-type 1:11"]);
        assert_ids(HostId::Claude, "{\"hooks\": {\"Stop\": {}}}", &["wrong-type 1:20"]);
        assert_ids(HostId::Claude, "{\"hooks\": {\"Stop\": [\"ls\"]}}", &["wrong-type 1:21"]);
        assert_ids(HostId::Cursor, "{\"version\": \"1\"}", &["wrong-type 1:13"]);
        assert_ids(HostId::Cursor, "{\"version\": 0}", &["wrong-type 1:13"]);
        let good = cursor("stop", r#"{"command": "ls", "timeout": 2.5, "loop_limit": null}"#);
        assert_ids(HostId::Cursor, &good, &[]);
        let matcher =
            grouped("PreToolUse", "[\"Bash\"]", r#"{"type": "command", "command": "ls"}"#);
        assert_ids(HostId::Claude, &matcher, &["wrong-type 2:28"]);
    }

    #[test]
    fn claude_loads_nothing_after_a_mistake_in_a_setting_or_a_guard() {
        let drops = |text: &str| -> Vec<bool> {
            findings(HostId::Claude, text).iter().map(|found| found.drops_file).collect()
        };
        for setting in [
            "\"permissions\": \"x\"",
            "\"permissions\": { \"allow\": \"Bash\" }",
            "\"permissions\": { \"defaultMode\": 5 }",
            "\"model\": null",
            "\"env\": []",
            "\"disableAllHooks\": \"true\"",
            "\"hooks\": \"x\"",
            "\"statusLine\": {}",
            "\"statusLine\": { \"type\": \"command\" }",
            "\"sandbox\": { \"enabled\": \"yes\" }",
        ] {
            assert_eq!(drops(&format!("{{{setting}}}")), [true], "{setting}");
        }
        for fine in [
            "\"permissions\": { \"allow\": [5] }",
            "\"env\": { \"A\": 5 }",
            "\"theme\": 5",
            "\"model\": \"opus\"",
            "\"statusLine\": { \"type\": \"command\", \"command\": \"date\", \"padding\": 0 }",
        ] {
            assert_eq!(drops(&format!("{{{fine}}}")), [] as [bool; 0], "{fine}");
        }
        let handlers = [
            r#"{"type": "command"}"#,
            r#"{"command": "ls"}"#,
            r#"{"type": "frob", "command": "ls"}"#,
            r#"{"type": "command", "command": "ls", "timeout": "5"}"#,
            r#"{"type": "command", "command": "ls", "timeout": 0}"#,
            r#"{"type": "command", "command": "ls", "async": "x"}"#,
            r#"{"type": "command", "command": "ls", "shell": "fish"}"#,
            r#"{"type": "command", "command": "ls", "onFailure": "deny"}"#,
            r#"{"type": "http"}"#,
            r#"{"type": "http", "url": "example"}"#,
        ];
        for handler in handlers {
            assert_eq!(drops(&grouped("PreToolUse", "", handler)), [true], "{handler}");
            assert_eq!(drops(&grouped("PermissionRequest", "", handler)), [true], "{handler}");
            assert_eq!(drops(&grouped("Notification", "", handler)), [false], "{handler}");
        }
        for entry in ["\"x\"", "null", "{}", "{\"hooks\": null}", "{\"command\": \"ls\"}"] {
            let text = format!("{{\"hooks\": {{\"PreToolUse\": [{entry}]}}}}");
            assert_eq!(drops(&text), [true], "{entry}");
        }
        // Types that the host cannot run but can parse.
        for handler in [
            r#"{"type": "command", "command": ""}"#,
            r#"{"type": "command", "command": "ls", "frob": 1}"#,
            r#"{"type": "agent", "prompt": "ok?"}"#,
        ] {
            let dropped = drops(&grouped("PermissionRequest", "", handler)).contains(&true);
            assert!(!dropped, "{handler}");
        }
    }

    #[test]
    fn quotes_too_many_are_taken_off() {
        let bad =
            cursor("preToolUse", r#"{"command": "ls", "timeout": "30", "failClosed": "true"}"#);
        let file = File::new("/x.json", HostId::Cursor, Layer::Unknown, &bad);
        let fixed = fix(&[file], &Options::default());
        let good = cursor("preToolUse", r#"{"command": "ls", "timeout": 30, "failClosed": true}"#);
        assert_eq!(fixed.files[0].text, good);
    }
}
