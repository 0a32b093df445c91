//! `type-missing`

use super::prompt_without_type;
use crate::Severity;
use crate::edit::insert_first;
use crate::finding::Findings;
use crate::model::{FileModel, head, property};
use crate::names::meant;
use crate::rule::{Check, rule};

rule! {
    /// A handler without `type`, which Claude Code and Codex require.
    ///
    /// Bad:
    /// ```json
    /// { "hooks": [{ "command": "./guard.sh" }] }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": [{ "type": "command", "command": "./guard.sh" }] }
    /// ```
    RULE {
        id: "type-missing",
        summary: "a handler without `type`",
        severity: Severity::Error,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let has = |key: &str| property(handler.object, key).is_some();
        let is_prompt = has("prompt") && !has("command");
        if has("type") || is_prompt && prompt_without_type::RULE.applies_to(model.host()) {
            continue;
        }
        let kind = if has("command") {
            "command"
        } else if has("url") {
            "http"
        } else {
            ""
        };
        let draft = out.add(&RULE, head(handler.object), "the handler has no `type`");
        let misspelt = handler.object.properties.iter().any(|item| {
            meant(item.name.as_str(), ["type"].into_iter()).is_some_and(|meant| meant.certain)
        });
        if kind.is_empty() {
            draft.fix("add a `type`, which is `command`, and a `command`");
        } else {
            let wanted = format!("\"type\": \"{kind}\"");
            let shown = if model.is_toml() { format!("type = \"{kind}\"") } else { wanted.clone() };
            draft.fix(format!("add `{shown}`"));
            if !misspelt {
                draft.edits(insert_first(model.text(), handler.object, &wanted));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, grouped};
    use crate::{File, Layer, Options, fix};
    use tenter_model::HostId;

    #[test]
    fn claude_and_codex_require_it() {
        let good = grouped("Stop", "", r#"{"type": "command", "command": "ls"}"#);
        let bad = grouped("Stop", "", r#"{"command": "ls"}"#);
        for host in [HostId::Claude, HostId::Codex] {
            assert_ids(host, &bad, &["type-missing 3:1"]);
            assert_ids(host, &good, &[]);
            let file = File::new("/x.json", host, Layer::Unknown, &bad);
            assert_eq!(fix(&[file], &Options::default()).files[0].text, good);
        }
    }
}
