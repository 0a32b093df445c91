//! Which call a hook gets to see: its matcher as each host reads it.

use tenter_engine::{CursorEvent, Matcher, Subject};
use tenter_model::HostId;

use super::{HARMLESS, SAMPLE};

/// What the matcher of an event is tested against, the likeliest first; empty where it is not looked at.
fn subjects(host: HostId, event: &str) -> &'static [&'static str] {
    match (host, event) {
        (HostId::Cursor, "preToolUse" | "postToolUse" | "postToolUseFailure") => {
            &["Shell", "Write", "Read", "Delete", "Grep", "Task", "MCP:tenter_canary"]
        }
        (HostId::Cursor, "beforeShellExecution" | "afterShellExecution") => &[HARMLESS, SAMPLE],
        (HostId::Cursor, "beforeMCPExecution" | "afterMCPExecution") => &["MCP:tenter_canary"],
        (HostId::Cursor, "subagentStart" | "subagentStop") => {
            &["generalPurpose", "explore", "shell"]
        }
        (HostId::Cursor, name) => {
            match CursorEvent::named(name).map(|event| event.spec().subject) {
                Some(Subject::Constant("UserPromptSubmit")) => &["UserPromptSubmit"],
                Some(Subject::Constant("Stop")) => &["Stop"],
                Some(Subject::Constant("Read")) => &["Read"],
                Some(Subject::Constant("Write")) => &["Write"],
                Some(Subject::Constant("TabRead")) => &["TabRead"],
                Some(Subject::Constant("TabWrite")) => &["TabWrite"],
                Some(Subject::Constant("AgentResponse")) => &["AgentResponse"],
                Some(Subject::Constant("AgentThought")) => &["AgentThought"],
                _ => &[],
            }
        }
        (
            HostId::Claude,
            "PreToolUse" | "PostToolUse" | "PostToolUseFailure" | "PermissionRequest"
            | "PermissionDenied",
        ) => &[
            "Bash",
            "Write",
            "Edit",
            "Read",
            "WebFetch",
            "WebSearch",
            "Grep",
            "Glob",
            "Agent",
            "mcp__tenter__tenter_canary",
        ],
        (HostId::Codex, "PreToolUse" | "PostToolUse" | "PermissionRequest") => {
            &["Bash", "apply_patch", "spawn_agent", "mcp__tenter__tenter_canary"]
        }
        (_, "SessionStart") => &["startup"],
        (_, "SessionEnd") => &["other"],
        (HostId::Claude, "SubagentStart" | "SubagentStop") => &["general-purpose", "Explore"],
        (HostId::Codex, "SubagentStart" | "SubagentStop") => &["default", "explorer", "worker"],
        (_, "PreCompact" | "PostCompact") => &["manual", "auto"],
        (HostId::Claude, "Notification") => &["permission_prompt", "idle_prompt"],
        _ => &[],
    }
}

/// Names that match although they are never sent.
fn aliases(host: HostId, subject: &str) -> &'static [&'static str] {
    match (host, subject) {
        (HostId::Codex, "apply_patch") => &["Write", "Edit"],
        (HostId::Codex, "spawn_agent") => &["Agent"],
        _ => &[],
    }
}

/// The call that a hook with this matcher is run for. `None` when there is none.
pub(super) fn subject(host: HostId, event: &str, matcher: Option<&str>) -> Option<&'static str> {
    let all = subjects(host, event);
    let text = matcher.unwrap_or_default();
    if all.is_empty() {
        return Some("");
    }
    all.iter().copied().find(|subject| {
        admits(host, text, subject)
            || aliases(host, subject).iter().any(|it| admits(host, text, it))
    })
}

fn admits(host: HostId, text: &str, subject: &str) -> bool {
    if text.is_empty() || text == "*" {
        return true;
    }
    let plain = |more: &str| {
        text.chars().all(|it| it.is_ascii_alphanumeric() || "_|".contains(it) || more.contains(it))
    };
    match host {
        HostId::Claude if plain("- ,") => text.split(['|', ',']).any(|name| name.trim() == subject),
        HostId::Codex if plain("") => text.split('|').any(|name| name == subject),
        _ => {
            let matcher = Matcher::new(text);
            // Codex drops the group of a pattern that is none; the others run it.
            let dropped = host == HostId::Codex && matcher.fault().is_some();
            !dropped && matcher.test([subject]).matched
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
