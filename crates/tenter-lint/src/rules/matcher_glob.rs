//! `matcher-glob`

use crate::Severity;
use crate::finding::Findings;
use crate::matcher::{Meaning, meaning};
use crate::model::{FileModel, at};
use crate::rule::{Check, rule};
use crate::vocabulary::{Tested, tested};

rule! {
    /// A matcher written like a file pattern, which is read as a regular expression.
    ///
    /// `Edit*` is `Edi`, then any number of `t`, anywhere in the name: it also matches
    /// `NotebookEdit`.
    ///
    /// Bad:
    /// ```json
    /// { "matcher": "Edit*", "hooks": [{ "type": "command", "command": "./format.sh" }] }
    /// ```
    /// Good:
    /// ```json
    /// { "matcher": "^Edit.*", "hooks": [{ "type": "command", "command": "./format.sh" }] }
    /// ```
    RULE {
        id: "matcher-glob",
        summary: "a file pattern where a regular expression is read",
        severity: Severity::Note,
        cost: "the hook also runs for everything that merely contains the first letters",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for matcher in model.matchers() {
        let meaning = meaning(model.host(), matcher.event, matcher.text);
        let is_tested = matches!(
            tested(model.host(), matcher.event),
            Tested::Tool | Tested::CommandText | Tested::Open
        );
        if !is_tested || !matches!(meaning, Meaning::Pattern(_)) {
            continue;
        }
        if let Some(glob) = matcher.text.split('|').map(str::trim).find(|part| is_glob(part)) {
            let name = glob.trim_end_matches('*');
            let message =
                format!("`{glob}` is read as a regular expression, not as a file pattern");
            out.add(&RULE, at(matcher.literal), message)
                .fix(format!("write `^{name}.*` for names that begin so, `^{name}$` for this one"));
        }
    }
}

/// Whether the text is a word and a star. `mcp__server__*` is excluded: it matches as intended.
fn is_glob(text: &str) -> bool {
    let Some(word) = text.strip_suffix('*') else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ');
    word.ends_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, grouped};
    use tenter_model::HostId;

    #[test]
    fn a_star_repeats_the_letter_before_it() {
        let handler = r#"{"type": "command", "command": "ls"}"#;
        let group = |matcher: &str| grouped("PreToolUse", &format!("\"{matcher}\""), handler);
        assert_ids(HostId::Claude, &group("Edit*"), &["matcher-glob 2:28"]);
        assert_ids(HostId::Codex, &group("Write|Edit*"), &["matcher-glob 2:28"]);
        for good in ["^Edit.*", "mcp__memory__*", "mcp__memory__.*", "*", "Edit|Write"] {
            assert_ids(HostId::Claude, &group(good), &[]);
        }
        let shell = cursor("beforeShellExecution", r#"{"matcher": "npm*", "command": "ls"}"#);
        assert_ids(HostId::Cursor, &shell, &["matcher-glob 2:38"]);
    }
}
