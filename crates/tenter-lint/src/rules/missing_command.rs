//! `missing-command`

use jsonc_parser::ast::Object;

use super::unknown_key::meant_key;
use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, at, head, property};
use crate::rule::{Check, rule};
use crate::vocabulary::{group_keys, handler_keys};

rule! {
    /// An entry that lacks what it is to run.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "hooks": { "stop": [{ "timeout": 10 }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "stop": [{ "command": "./done.sh", "timeout": 10 }] } }
    /// ```
    RULE {
        id: "missing-command",
        summary: "an entry lacks what it is to run",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for group in &model.groups {
        let misspelt = is_meant(group.object, "hooks", group_keys(model.host()));
        if property(group.object, "hooks").is_none() && !misspelt {
            let draft = out.add(&RULE, head(group.object), "the group has no `hooks`");
            draft.cost("the group does nothing");
            draft.fix("add `\"hooks\": [{ \"type\": \"command\", \"command\": ... }]`");
            if model.lint().empty_groups {
                draft.keeps_file();
            }
        }
    }
    for handler in &model.handlers {
        let has_type = property(handler.object, "type").is_some();
        let is_prompt = property(handler.object, "prompt").is_some();
        // Reported by other rules: `type-missing` and `prompt-without-type`.
        if !has_type && (model.lint().type_required || is_prompt) {
            continue;
        }
        let needed = model.lint().needed.iter().find(|(kind, _)| *kind == handler.kind());
        for key in needed.into_iter().flat_map(|(_, keys)| *keys) {
            check_key(model, handler.object, key, out);
        }
    }
}

fn check_key(model: &FileModel<'_>, object: &Object<'_>, key: &str, out: &mut Findings<'_>) {
    match property(object, key) {
        None if !is_meant(object, key, handler_keys(model.host())) => {
            out.add(&RULE, head(object), format!("there is no `{key}`"))
                .fix(format!("add `{key}`, or remove the entry"));
        }
        Some(item)
            if item.value.as_string_lit().is_some_and(|text| text.value.trim().is_empty()) =>
        {
            out.add(&RULE, at(&item.value), format!("`{key}` is empty"))
                .keeps_file()
                .cost("there is nothing to run")
                .fix(format!("write the `{key}`, or remove the entry"));
        }
        _ => {}
    }
}

/// Whether another key is a misspelling of this one, which `unknown-key` reports.
fn is_meant(
    object: &Object<'_>,
    key: &str,
    keys: &'static [(&'static str, crate::vocabulary::Kind)],
) -> bool {
    let unknown = object.properties.iter().map(|item| item.name.as_str());
    let unknown = unknown.filter(|name| !keys.iter().any(|(known, _)| known == name));
    unknown.into_iter().any(|name| meant_key(name, keys).is_some_and(|meant| meant.name == key))
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, grouped};
    use tenter_model::HostId;

    #[test]
    fn there_must_be_something_to_run() {
        assert_ids(HostId::Cursor, &cursor("stop", "{}"), &["missing-command 2:10"]);
        assert_ids(
            HostId::Cursor,
            &cursor("stop", r#"{"command": " "}"#),
            &["missing-command 2:22"],
        );
        assert_ids(
            HostId::Cursor,
            &cursor("stop", r#"{"type": "prompt"}"#),
            &["missing-command 2:10"],
        );
        assert_ids(HostId::Cursor, &cursor("stop", r#"{"cmd": "ls"}"#), &["unknown-key 2:11"]);
        assert_ids(HostId::Cursor, &cursor("stop", r#"{"command": "ls"}"#), &[]);
        let http = grouped("Stop", "", r#"{"type": "http"}"#);
        assert_ids(HostId::Claude, &http, &["missing-command 3:1"]);
        let group = "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\"}]}}";
        assert_ids(HostId::Claude, group, &["missing-command 1:27"]);
    }
}
