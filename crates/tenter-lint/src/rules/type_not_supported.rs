//! `type-not-supported`

use tenter_model::HostId;

use crate::Severity;
use crate::edit::Edit;
use crate::finding::Findings;
use crate::model::{FileModel, at, text_of};
use crate::names::meant;
use crate::rule::{Check, Cost, rule};
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
        cost: Cost {
            cursor: "Cursor knows `command` and `prompt`; expect the hook not to run",
            claude: "the handler does not run for this event",
            codex: "Codex skips the handler with a warning",
        },
        fixable: true,
        check: Check::File(check),
    }
}

/// Types that a host can read, whether it runs them or not; any other may make the whole file unreadable.
fn readable(host: HostId) -> &'static [&'static str] {
    match host {
        HostId::Codex => &["command", "mcp_tool", "prompt", "agent"],
        HostId::Claude | HostId::Cursor => &["command", "mcp_tool", "prompt", "agent", "http"],
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
        if readable(host).contains(&kind) {
            draft.keeps_file();
        } else if host == HostId::Codex {
            draft.cost("Codex cannot read the file and drops every hook in it");
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
