//! Labels of a log line: short event names, the decision.

use std::borrow::Cow;

use tenter_audit::Record;
use tenter_audit::memory::told;

/// Unified events with their short names.
const SHORT: &[(&str, &str)] = &[
    ("SessionStart", "start"),
    ("SessionEnd", "end"),
    ("UserPromptSubmit", "prompt"),
    ("PreToolUse", "pre"),
    ("PermissionRequest", "request"),
    ("PostToolUse", "post"),
    ("PostToolUseFailure", "failed"),
    ("SubagentStart", "subagent"),
    ("SubagentStop", "subagent-end"),
    ("PreCompact", "compact"),
    ("PostCompact", "compacted"),
    ("AgentResponse", "response"),
    ("AgentThought", "thought"),
    ("Stop", "stop"),
    ("Notification", "notice"),
    ("WorkspaceOpen", "workspace"),
    (tenter_audit::unfinished::EVENT, "died"),
];

/// The event of a short name; other names are unchanged.
pub(super) fn event_called(name: &str) -> &str {
    SHORT.iter().find(|(_, short)| *short == name).map_or(name, |(event, _)| *event)
}

/// Event and tool: `pre Bash`, `prompt`.
pub(super) fn event<'r>(record: &'r Record<'_>) -> Cow<'r, str> {
    let known = SHORT.iter().find(|(event, _)| *event == record.event);
    let event = match known {
        Some((_, short)) => short,
        None if record.native_event.is_empty() => "?",
        None => record.native_event.as_ref(),
    };
    match &record.tool {
        Some(tool) => Cow::Owned(format!("{event} {tool}")),
        None => Cow::Borrowed(event),
    }
}

/// The decision sent to the host, and how far the host enforces it, if less.
pub(super) fn decision<'r>(record: &'r Record<'_>) -> Cow<'r, str> {
    let word = told(record);
    let weaker = match (word, record.enforcement.as_ref()) {
        ("deny", "prompt") => Some("prompt"),
        ("deny" | "ask", "advisory") => Some("advisory"),
        ("deny" | "ask", "none") => Some("not enforced"),
        _ => None,
    };
    if let Some(weaker) = weaker {
        return Cow::Owned(format!("{word} ({weaker})"));
    }
    match record.verdict.decision.as_deref() {
        // The host cannot express it.
        Some(meant) if meant != word && meant != "allow" => Cow::Owned(format!("{word} ({meant})")),
        _ => Cow::Borrowed(word),
    }
}

/// The colour of a decision or of a finding's level.
pub(super) fn colour(word: &str) -> &'static str {
    match word {
        "deny" => "1;31",
        "ask" => "1;33",
        "allow" => "32",
        _ => "2",
    }
}

/// The rules with findings, each once.
pub(super) fn rules<'r>(record: &'r Record<'_>) -> Vec<&'r str> {
    let mut rules: Vec<&str> = Vec::new();
    for found in &record.findings {
        if !rules.contains(&found.rule.as_ref()) {
            rules.push(&found.rule);
        }
    }
    rules
}

/// Short remarks about a record.
pub(super) fn marks(record: &Record<'_>) -> Vec<String> {
    let mut marks = Vec::new();
    if let Some(code) = &record.exit_code
        && code.as_i64() != Some(0)
    {
        marks.push(format!("exit {code}"));
    }
    for (holds, mark) in [
        (record.allowed_once, "allowed once"),
        (record.again, "again"),
        (!record.verdict.modified_input.is_empty(), "rewritten"),
        (record.canary, "canary"),
        (record.gap.is_some(), "after a torn line"),
    ] {
        if holds {
            marks.push(mark.to_owned());
        }
    }
    if record.more_actions > 0 {
        marks.push(format!("{} more", record.more_actions));
    }
    if record.lost > 0 {
        marks.push(format!("{} lost before it", record.lost));
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_model::EventKind;

    #[test]
    fn every_event_has_a_short_name_of_its_own() {
        for kind in EventKind::ALL {
            let known = SHORT.iter().any(|(event, _)| *event == kind.as_str());
            assert!(known || kind == EventKind::Other, "{kind:?}");
        }
        for &(event, short) in SHORT {
            assert_eq!(event_called(short), event);
            assert_eq!(event_called(event), event);
        }
    }

    #[test]
    fn a_decision_says_what_is_left_of_it() {
        let shown =
            |decision: Option<&'static str>, enforcement: &'static str, meant: &'static str| {
                let mut record = Record { enforcement: enforcement.into(), ..Record::default() };
                record.decision = decision.map(Into::into);
                record.verdict.decision = Some(meant.into()).filter(|_| !meant.is_empty());
                self::decision(&record).into_owned()
            };
        for (told, enforcement, meant, wanted) in [
            (Some("deny"), "hard", "deny", "deny"),
            (Some("deny"), "advisory", "deny", "deny (advisory)"),
            (Some("deny"), "none", "deny", "deny (not enforced)"),
            (Some("ask"), "prompt", "ask", "ask"),
            (Some("ask"), "none", "ask", "ask (not enforced)"),
            (Some("deny"), "hard", "ask", "deny (ask)"),
            (Some("allow"), "none", "allow", "allow"),
            (None, "none", "deny", "none (deny)"),
            (None, "none", "allow", "none"),
            (None, "", "", "none"),
        ] {
            assert_eq!(shown(told, enforcement, meant), wanted);
        }
    }
}
