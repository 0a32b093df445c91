//! Finds a call that a hook's matcher selects, by each host's rules.

use tenter_engine::Matcher;
use tenter_hosts::host;
use tenter_model::HostId;

/// A matcher subject that this hook runs for; `None` if there is none.
pub(super) fn subject(id: HostId, event: &str, matcher: Option<&str>) -> Option<&'static str> {
    let trial = host(id).trial();
    let all = (trial.subjects)(event);
    let text = matcher.unwrap_or_default();
    if all.is_empty() {
        return Some("");
    }
    let aliases = |subject: &str| {
        let found = trial.aliases.iter().find(|(name, _)| *name == subject);
        found.map_or(&[][..], |(_, aliases)| *aliases)
    };
    all.iter().copied().find(|subject| {
        admits(id, event, text, subject)
            || aliases(subject).iter().any(|alias| admits(id, event, text, alias))
    })
}

fn admits(id: HostId, event: &str, text: &str, subject: &str) -> bool {
    if text.is_empty() || text == "*" {
        return true;
    }
    let lint = host(id).lint();
    if (lint.exact)(event, text) {
        return text.split(lint.separators).any(|name| name.trim() == subject);
    }
    let matcher = Matcher::new(text);
    // Codex drops the group of an invalid pattern; the others run it.
    let dropped = lint.rust_patterns && matcher.fault().is_some();
    !dropped && matcher.test([subject]).matched
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canary::SAMPLE;
    use HostId::{Claude, Codex, Cursor};

    #[test]
    fn the_shell_is_the_first_choice_and_no_matcher_means_all() {
        for (host, event, shell) in [
            (Cursor, "preToolUse", "Shell"),
            (Claude, "PreToolUse", "Bash"),
            (Codex, "PermissionRequest", "Bash"),
        ] {
            for matcher in [None, Some(""), Some("*"), Some(".*")] {
                assert_eq!(subject(host, event, matcher), Some(shell), "{host} {matcher:?}");
            }
        }
    }

    #[test]
    fn each_host_reads_a_matcher_its_own_way() {
        assert_eq!(subject(Claude, "PreToolUse", Some("Write, Edit")), Some("Write"));
        assert_eq!(subject(Claude, "PreToolUse", Some("mcp__tenter")), None, "a whole name");
        assert_eq!(subject(Codex, "PreToolUse", Some("Edit")), Some("apply_patch"), "an alias");
        assert_eq!(subject(Codex, "PreToolUse", Some("Write, Bash(")), None, "no pattern");
        assert_eq!(subject(Cursor, "preToolUse", Some("hell")), Some("Shell"), "a search");
        assert_eq!(subject(Cursor, "preToolUse", Some("^bash$")), None);
        assert_eq!(subject(Cursor, "beforeShellExecution", Some("^rm ")), Some(SAMPLE));
        assert_eq!(subject(Claude, "UserPromptSubmit", Some("never")), Some(""), "not looked at");
    }
}
