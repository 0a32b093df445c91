//! `matcher-invalid`

use crate::Severity;
use crate::finding::Findings;
use crate::matcher::{Meaning, meaning};
use crate::model::{FileModel, at};
use crate::rule::{Check, rule};
use crate::vocabulary::{Tested, tested};

rule! {
    /// A matcher that is no regular expression of the host's dialect.
    ///
    /// Cursor and Claude Code read JavaScript's, Codex reads Rust's, which has no look-around and no
    /// backreferences. A lone `*` is fine everywhere and means all; `*.ts` is not.
    ///
    /// Bad:
    /// ```json
    /// { "matcher": "*Shell", "command": "./guard.sh" }
    /// ```
    /// Good:
    /// ```json
    /// { "matcher": "Shell", "command": "./guard.sh" }
    /// ```
    RULE {
        id: "matcher-invalid",
        summary: "the matcher is not a valid pattern",
        severity: Severity::Error,
        cost: "",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let host = model.host();
    for matcher in model.matchers() {
        if tested(host, matcher.event) == Tested::Nothing {
            continue;
        }
        let Meaning::Invalid(reason) = meaning(host, matcher.event, matcher.text) else { continue };
        let message = format!("`{}` is not a valid pattern: {reason}", matcher.text);
        let fix = if matcher.text.starts_with(['*', '?', '+']) {
            "write `.*` for anything; a lone `*` means all"
        } else if matcher.text.contains("(?i)") {
            "write both cases, such as `[Ss]hell`: JavaScript has no `(?i)`"
        } else if model.lint().rust_patterns && reason.contains("Rust") {
            "name what is to match, and test the rest in the hook"
        } else {
            "close every bracket, and write `\\\\` before a character that is to stand for itself"
        };
        out.add(&RULE, at(matcher.literal), message).fix(fix);
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, grouped};
    use tenter_model::HostId;

    #[test]
    fn patterns_must_be_patterns() {
        let with = |text: &str| {
            cursor("preToolUse", &format!(r#"{{"matcher": "{text}", "command": "ls"}}"#))
        };
        assert_ids(HostId::Cursor, &with("*Shell"), &["matcher-invalid 2:28"]);
        assert_ids(HostId::Cursor, &with("(Shell"), &["matcher-invalid 2:28"]);
        for good in ["*", "", "Shell|Write", "^Shell$"] {
            assert_ids(HostId::Cursor, &with(good), &[]);
        }
        let handler = r#"{"type": "command", "command": "ls"}"#;
        let not_bash = grouped("PreToolUse", "\"^(?!Bash)\"", handler);
        assert_ids(HostId::Codex, &not_bash, &["matcher-invalid 2:28"]);
        assert_ids(HostId::Claude, &not_bash, &[]);
    }
}
