//! `loop-limit-without-loop`

use crate::Severity;
use crate::edit::remove;
use crate::finding::Findings;
use crate::model::{FileModel, name_at, property};
use crate::rule::{Check, rule};
use crate::vocabulary::is_event;

rule! {
    /// `loop_limit` on an event that cannot make the agent go on.
    ///
    /// Only `stop` and `subagentStop` take a follow-up message, so only they can loop.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "hooks": { "afterFileEdit": [{ "command": "./format.sh", "loop_limit": 3 }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "stop": [{ "command": "./again.sh", "loop_limit": 3 }] } }
    /// ```
    RULE {
        id: "loop-limit-without-loop",
        summary: "`loop_limit` on an event without loops",
        severity: Severity::Note,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let loops = matches!(handler.event, "stop" | "subagentStop");
        if loops || !is_event(model.host(), handler.event) {
            continue;
        }
        if let Some(limit) = property(handler.object, "loop_limit") {
            out.add(&RULE, name_at(limit), format!("`{}` has no loop to limit", handler.event))
                .fix("remove it")
                .edits(remove(model.text(), handler.object, limit));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor};
    use crate::{File, Layer, Options, fix};
    use tenter_model::HostId;

    #[test]
    fn only_stops_can_loop() {
        let entry = r#"{"command": "ls", "loop_limit": 3}"#;
        let bad = cursor("afterFileEdit", entry);
        assert_ids(HostId::Cursor, &bad, &["loop-limit-without-loop 2:37"]);
        assert_ids(HostId::Cursor, &cursor("stop", entry), &[]);
        assert_ids(HostId::Cursor, &cursor("subagentStop", entry), &[]);
        let file = File::new("/x.json", HostId::Cursor, Layer::Unknown, &bad);
        let fixed = fix(&[file], &Options::default());
        assert_eq!(fixed.files[0].text, cursor("afterFileEdit", r#"{"command": "ls"}"#));
    }
}
