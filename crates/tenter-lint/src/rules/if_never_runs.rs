//! `if-never-runs`

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, name_at, property};
use crate::rule::{Check, rule};
use crate::vocabulary::{Tested, is_event, tested};

rule! {
    /// `if` on an event that is not about a tool.
    ///
    /// Claude Code tests `if` against a tool call. On any other event there is none, and the handler
    /// never runs.
    ///
    /// Bad:
    /// ```json
    /// { "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "./x.sh", "if": "Bash(git *)" }] }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": "./x.sh", "if": "Bash(git *)" }] }] } }
    /// ```
    RULE {
        id: "if-never-runs",
        summary: "`if` on an event that is not about a tool",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let on_tool = tested(model.host(), handler.event) == Tested::Tool;
        if on_tool || !is_event(model.host(), handler.event) {
            continue;
        }
        if let Some(condition) = property(handler.object, "if") {
            let message = format!("`{}` is not about a tool, so `if` is never true", handler.event);
            out.add(&RULE, name_at(condition), message)
                .fix("remove `if`, or move the handler to `PreToolUse` or `PostToolUse`");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, grouped};
    use tenter_model::HostId;

    #[test]
    fn a_condition_needs_a_tool() {
        let handler = r#"{"type": "command", "command": "ls", "if": "Bash(git *)"}"#;
        assert_ids(HostId::Claude, &grouped("Stop", "", handler), &["if-never-runs 3:38"]);
        assert_ids(HostId::Claude, &grouped("PostToolUseFailure", "", handler), &[]);
    }
}
