//! `matcher-ignored`

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, at};
use crate::rule::{Check, rule};
use crate::vocabulary::{Tested, tested};

rule! {
    /// A matcher on an event that has nothing to match.
    ///
    /// Bad:
    /// ```json
    /// { "hooks": { "Stop": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./done.sh" }] }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "./done.sh" }] }] } }
    /// ```
    RULE {
        id: "matcher-ignored",
        summary: "a matcher on an event that has nothing to match",
        severity: Severity::Warning,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for matcher in model.matchers() {
        let says_all = matches!(matcher.text, "" | "*" | ".*");
        if says_all || tested(model.host(), matcher.event) != Tested::Nothing {
            continue;
        }
        let message = format!("`{}` has nothing that a matcher could match", matcher.event);
        out.add(&RULE, at(matcher.literal), message)
            .fix("remove the matcher, and test what you meant in the hook");
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, grouped};
    use tenter_model::HostId;

    #[test]
    fn some_events_have_no_matcher() {
        let handler = r#"{"type": "command", "command": "ls"}"#;
        for host in [HostId::Claude, HostId::Codex] {
            assert_ids(host, &grouped("Stop", "\"Bash\"", handler), &["matcher-ignored 2:22"]);
            assert_ids(host, &grouped("Stop", "\"*\"", handler), &[]);
            assert_ids(host, &grouped("PreToolUse", "\"Bash\"", handler), &[]);
        }
        let entry = r#"{"matcher": "startup", "command": "ls"}"#;
        assert_ids(HostId::Cursor, &cursor("sessionStart", entry), &["matcher-ignored 2:30"]);
    }
}
