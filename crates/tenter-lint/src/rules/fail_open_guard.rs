//! `fail-open-guard`

use std::collections::HashMap;
use std::path::PathBuf;

use tenter_engine::{Class, CursorEvent};

use crate::Severity;
use crate::command::Place;
use crate::finding::Findings;
use crate::guard::looks_like_guard;
use crate::model::{FileModel, Handler, at};
use crate::names::plain;
use crate::refusal::{in_script, in_text};
use crate::rule::{Check, rule};

rule! {
    /// A hook that looks like a guard and lets the action through when it fails.
    ///
    /// A crash, a timeout or a missing interpreter is a failure; without `failClosed` Cursor goes on
    /// as if the guard had agreed. A guard is told by its name, and by what it or its script says:
    /// `exit 2`, or a `permission` that is `"deny"`. Whether that is right is for you to say, so write either value;
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
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let mut known = HashMap::new();
    for handler in &model.handlers {
        let waits = CursorEvent::named(handler.event)
            .is_some_and(|event| event.spec().class == Class::Permission);
        // A misspelt key has its own finding, whose fix makes it the right one.
        let mut keys = handler.object.properties.iter().map(|item| item.name.as_str());
        let decided = keys.any(|key| plain(key) == "failclosed");
        let Some(command) = handler.command().filter(|_| waits && !decided) else { continue };
        let why = if looks_like_guard(&command.value) {
            "this looks like a guard".to_owned()
        } else if let Some(words) = refusal(handler, &command.value, &mut known) {
            format!("this can refuse ({words})")
        } else {
            continue;
        };
        out.add(&RULE, at(command), format!("{why}, and `{}` waits for it", handler.event))
            .fix("add `\"failClosed\": true`, or `false` to say that it is meant so");
    }
}

/// Cache of scripts: one used by many hooks is read once.
type Scripts = HashMap<PathBuf, Option<String>>;

/// The words with which a command blocks: its own, or those of a script it starts.
fn refusal(handler: &Handler<'_>, command: &str, known: &mut Scripts) -> Option<String> {
    if let Some(words) = in_text(command) {
        return Some(format!("`{words}`"));
    }
    handler.launch.parts.iter().find_map(|part| {
        let Place::File(path) = &part.place else { return None };
        let words = known.entry(path.clone()).or_insert_with(|| in_script(path)).as_ref()?;
        Some(format!("`{words}` in `{}`", part.word))
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{Machine, assert_ids, cursor};
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

    #[test]
    fn a_command_that_refuses_is_a_guard_by_any_name() {
        let inline = cursor("preToolUse", r#"{"command": "grep -q rm && exit 2"}"#);
        assert_ids(HostId::Cursor, &inline, &["fail-open-guard 2:28"]);
        let script = "#!/bin/sh\n# Says no.\necho '{\"permission\": \"deny\"}'\n";
        let machine = Machine::new(&[
            ("w/check.sh*", script),
            ("w/check.py", "import sys\nsys.exit(2)\n"),
            ("w/log.sh*", "#!/bin/sh\n# exit 2 would block\nexit 0\n"),
        ]);
        let count = |event: &str, command: &str| {
            let text = cursor(event, &format!(r#"{{"command": "{command}"}}"#));
            machine.places("fail-open-guard", &[("w/.cursor/hooks.json", &text)]).len()
        };
        assert_eq!(count("beforeShellExecution", "./check.sh"), 1);
        assert_eq!(count("beforeMCPExecution", "python3 check.py"), 1);
        assert_eq!(count("beforeShellExecution", "./log.sh"), 0);
        assert_eq!(count("afterShellExecution", "./check.sh"), 0);
        let text = cursor("preToolUse", r#"{"command": "./check.sh"}"#);
        let found = machine.lint(&[("w/.cursor/hooks.json", &text)]);
        let wanted =
            "this can refuse (`permission: deny` in `./check.sh`), and `preToolUse` waits for it";
        assert_eq!(found[0].message, wanted);
    }
}
