//! `claude-group-in-cursor-file`

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, head, name_at, property};
use crate::rule::{Check, rule};

rule! {
    /// A group as Claude Code has it, in Cursor's `hooks.json`.
    ///
    /// Cursor's entries are flat: the command stands in the entry itself, and so does the matcher.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "hooks": { "preToolUse": [
    ///   { "matcher": "Shell", "hooks": [{ "type": "command", "command": "./guard.sh" }] }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "preToolUse": [{ "matcher": "Shell", "command": "./guard.sh" }] } }
    /// ```
    RULE {
        id: "claude-group-in-cursor-file",
        summary: "a group of Claude Code's in Cursor's file",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for entry in &model.misshapen {
        let at = property(entry.object, "hooks").map_or_else(|| head(entry.object), name_at);
        let message =
            format!("`{}` holds a group with `hooks`, as Claude Code has them", entry.event);
        out.add(&RULE, at, message)
            .fix("write one flat entry for each command: `{ \"command\": ..., \"matcher\": ... }`");
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor};
    use tenter_model::HostId;

    #[test]
    fn entries_are_flat_in_cursor() {
        let group = r#"{"matcher": "Shell", "hooks": [{"type": "command", "command": "ls"}]}"#;
        let wanted = ["claude-group-in-cursor-file 2:37"];
        assert_ids(HostId::Cursor, &cursor("preToolUse", group), &wanted);
        let flat = r#"{"matcher": "Shell", "command": "ls"}"#;
        assert_ids(HostId::Cursor, &cursor("preToolUse", flat), &[]);
    }
}
