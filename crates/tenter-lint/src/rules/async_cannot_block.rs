//! `async-cannot-block`

use crate::Severity;
use crate::finding::Findings;
use crate::guard::looks_like_guard;
use crate::model::{FileModel, bool_of, name_at, property};
use crate::rule::{Check, rule};

rule! {
    /// A guard that runs in the background.
    ///
    /// The host does not wait for an `async` handler, so its answer comes too late to stop anything.
    ///
    /// Bad:
    /// ```json
    /// { "type": "command", "command": "./guard.sh", "async": true }
    /// ```
    /// Good:
    /// ```json
    /// { "type": "command", "command": "./guard.sh" }
    /// ```
    RULE {
        id: "async-cannot-block",
        summary: "a guard that runs in the background",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

const GATES: &[&str] = &["PreToolUse", "PermissionRequest", "UserPromptSubmit"];

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let on_gates = model.handlers.iter().filter(|handler| GATES.contains(&handler.event));
    for handler in on_gates {
        let guards = handler.command().is_some_and(|command| looks_like_guard(&command.value));
        if guards
            && bool_of(handler.object, "async") == Some(true)
            && let Some(item) = property(handler.object, "async")
        {
            out.add(&RULE, name_at(item), "an `async` handler cannot stop anything")
                .fix("remove `async`");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, grouped};
    use tenter_model::HostId;

    #[test]
    fn a_guard_is_waited_for() {
        let handler = r#"{"type": "command", "command": "guard.sh", "async": true}"#;
        for host in [HostId::Claude, HostId::Codex] {
            assert_ids(host, &grouped("PreToolUse", "", handler), &["async-cannot-block 3:44"]);
            assert_ids(host, &grouped("PostToolUse", "", handler), &[]);
        }
        let log = r#"{"type": "command", "command": "log.sh", "async": true}"#;
        assert_ids(HostId::Claude, &grouped("PreToolUse", "", log), &[]);
    }
}
