//! `fail-open-guard`

use tenter_engine::{Class, CursorEvent};

use crate::Severity;
use crate::finding::Findings;
use crate::guard::looks_like_guard;
use crate::model::{FileModel, at};
use crate::names::plain;
use crate::rule::{Check, Cost, rule};

rule! {
    /// A hook that looks like a guard and lets the action through when it fails.
    ///
    /// A crash, a timeout or a missing interpreter is a failure; without `failClosed` Cursor goes on
    /// as if the guard had agreed. Whether that is right is for you to say, so write either value;
    /// this is never changed by `--fix`.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "hooks": { "beforeShellExecution": [{ "command": "./block-rm.sh" }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "beforeShellExecution": [{ "command": "./block-rm.sh", "failClosed": true }] } }
    /// ```
    RULE {
        id: "fail-open-guard",
        summary: "a guard that lets the action through when it fails",
        severity: Severity::Warning,
        cost: Cost::cursor("when the hook crashes, hangs or is missing, the action goes on"),
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for handler in &model.handlers {
        let waits = CursorEvent::named(handler.event)
            .is_some_and(|event| event.spec().class == Class::Permission);
        // A misspelt one has its own finding, and is mended to the right one.
        let mut keys = handler.object.properties.iter().map(|item| item.name.as_str());
        let decided = keys.any(|key| plain(key) == "failclosed");
        let Some(command) = handler.command().filter(|_| waits && !decided) else { continue };
        if looks_like_guard(&command.value) {
            let message = format!("this looks like a guard, and `{}` waits for it", handler.event);
            out.add(&RULE, at(command), message)
                .fix("add `\"failClosed\": true`, or `false` to say that it is meant so");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor};
    use tenter_model::HostId;

    #[test]
    fn a_guard_says_what_its_failure_means() {
        let guard = r#"{"command": "block-rm.sh"}"#;
        let wanted = ["fail-open-guard 2:38"];
        assert_ids(HostId::Cursor, &cursor("beforeShellExecution", guard), &wanted);
        assert_ids(HostId::Cursor, &cursor("afterShellExecution", guard), &[]);
        for decided in ["true", "false"] {
            let entry = format!(r#"{{"command": "block-rm.sh", "failClosed": {decided}}}"#);
            assert_ids(HostId::Cursor, &cursor("beforeShellExecution", &entry), &[]);
        }
        let misspelt = r#"{"command": "block-rm.sh", "fail_closed": true}"#;
        let wanted = ["unknown-key 2:53"];
        assert_ids(HostId::Cursor, &cursor("beforeShellExecution", misspelt), &wanted);
        let other = r#"{"command": "format.sh"}"#;
        assert_ids(HostId::Cursor, &cursor("beforeShellExecution", other), &[]);
    }
}
