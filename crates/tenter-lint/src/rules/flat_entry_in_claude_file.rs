//! `flat-entry-in-claude-file`

use crate::Severity;
use crate::finding::Findings;
use crate::model::{FileModel, head};
use crate::rule::{Check, rule};

rule! {
    /// A flat entry as Cursor has it, in a file of Claude Code's or Codex's.
    ///
    /// These hosts want a group around the handlers, even around a single one.
    ///
    /// Bad:
    /// ```json
    /// { "hooks": { "Stop": [{ "type": "command", "command": "./done.sh" }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "./done.sh" }] }] } }
    /// ```
    RULE {
        id: "flat-entry-in-claude-file",
        summary: "a flat entry of Cursor's where a group belongs",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for entry in &model.misshapen {
        let message = format!("an entry of `{}` is not inside a group with `hooks`", entry.event);
        out.add(&RULE, head(entry.object), message)
            .fix("wrap it: `{ \"matcher\": ..., \"hooks\": [{ \"type\": \"command\", \"command\": ... }] }`");
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, grouped};
    use tenter_model::HostId;

    #[test]
    fn handlers_stand_in_groups() {
        let handler = r#"{"type": "command", "command": "ls"}"#;
        for host in [HostId::Claude, HostId::Codex] {
            let flat = format!("{{\"hooks\": {{\n\"Stop\": [{handler}]}}}}");
            assert_ids(host, &flat, &["flat-entry-in-claude-file 2:10"]);
            assert_ids(host, &grouped("Stop", "", handler), &[]);
        }
    }
}
