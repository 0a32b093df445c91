//! `fail-closed-without-gate`

use tenter_engine::CursorEvent;

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, bool_of, name_at, property};
use crate::rule::{Check, rule};

rule! {
    /// `failClosed` on an event where nothing waits for the answer.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "hooks": { "afterFileEdit": [{ "command": "./check.sh", "failClosed": true }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "preToolUse": [{ "command": "./check.sh", "failClosed": true }] } }
    /// ```
    RULE {
        id: "fail-closed-without-gate",
        summary: "`failClosed` on an event that blocks nothing",
        severity: Severity::Note,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let Some(event) = CursorEvent::named(handler.event) else { continue };
        if event.can_block() || bool_of(handler.object, "failClosed") != Some(true) {
            continue;
        }
        if let Some(item) = property(handler.object, "failClosed") {
            out.add(&RULE, name_at(item), format!("nothing waits for `{}`", handler.event))
                .fix("remove it, or move the hook to an event that comes before the action");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor};
    use tenter_model::HostId;

    #[test]
    fn only_what_waits_can_be_closed() {
        let entry = r#"{"command": "ls", "failClosed": true}"#;
        assert_ids(
            HostId::Cursor,
            &cursor("afterFileEdit", entry),
            &["fail-closed-without-gate 2:37"],
        );
        assert_ids(HostId::Cursor, &cursor("preToolUse", entry), &[]);
        assert_ids(HostId::Cursor, &cursor("beforeSubmitPrompt", entry), &[]);
    }
}
