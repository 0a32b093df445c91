//! `type-not-supported`

use crate::Severity;
use crate::edit::Edit;
use crate::finding::Findings;
use crate::model::{FileModel, at, text_of};
use crate::names::meant;
use crate::rule::{Check, rule};
use crate::vocabulary::{handler_types, is_event};

rule! {
    /// A kind of handler that the host does not have, or not for this event.
    ///
    /// Bad:
    /// ```json
    /// { "hooks": { "SessionStart": [{ "hooks": [{ "type": "prompt", "prompt": "Greet the user" }] }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": { "SessionStart": [{ "hooks": [{ "type": "command", "command": "./greet.sh" }] }] } }
    /// ```
    RULE {
        id: "type-not-supported",
        summary: "the host does not run handlers of this type here",
        severity: Severity::Error,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let host = model.host();
    for handler in &model.handlers {
        let Some(literal) = text_of(handler.object, "type") else { continue };
        let kind = literal.value.as_ref();
        let types = handler_types(host, handler.event);
        let on_known_event = is_event(host, handler.event);
        if types.contains(&kind) || !on_known_event {
            continue;
        }
        let message =
            format!("{} does not run a `{kind}` handler on `{}`", host.title(), handler.event);
        let draft = out.add(&RULE, at(literal), message);
        let lint = model.lint();
        if lint.readable_types.contains(&kind) {
            draft.keeps_file();
        } else if !lint.unreadable_type.is_empty() {
            draft.cost(lint.unreadable_type);
        }
        match meant(kind, types.iter().copied()) {
            Some(meant) if meant.certain => {
                draft.fix(format!("write `{}`", meant.name));
                draft.edits(vec![Edit::new(at(literal), format!("\"{}\"", meant.name))]);
            }
            _ => {
                draft.fix(format!("use one of: {}", types.join(", ")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, findings, grouped};
    use crate::{File, Layer, Options, fix};
    use tenter_model::HostId;

    #[test]
    fn each_event_runs_some_types() {
        let prompt = r#"{"type": "prompt", "prompt": "ok?"}"#;
        assert_ids(
            HostId::Claude,
            &grouped("SessionStart", "", prompt),
            &["type-not-supported 3:10"],
        );
        assert_ids(HostId::Claude, &grouped("Stop", "", prompt), &[]);
        assert_ids(HostId::Codex, &grouped("Stop", "", prompt), &["type-not-supported 3:10"]);
        assert_ids(HostId::Cursor, &cursor("stop", prompt), &[]);
        let http = r#"{"type": "http", "url": "https://example.org"}"#;
        assert_ids(HostId::Cursor, &cursor("stop", http), &["type-not-supported 2:19"]);
        let found = findings(HostId::Codex, &grouped("Stop", "", http));
        assert!(found[0].cost.contains("every hook"));
    }

    #[test]
    fn capitals_are_mended() {
        let bad = cursor("stop", r#"{"type": "Command", "command": "ls"}"#);
        let file = File::new("/x.json", HostId::Cursor, Layer::Unknown, &bad);
        let fixed = fix(&[file], &Options::default());
        assert_eq!(fixed.files[0].text, bad.replace("Command", "command"));
    }
}
