//! `matcher-never-matches`

use std::ops::Range;

use tenter_engine::nearest;
use tenter_model::HostId;

use crate::Severity;
use crate::finding::Findings;
use crate::matcher::{Meaning, meaning, names};
use crate::model::{FileModel, Matcher, at};
use crate::rule::{Check, rule};
use crate::vocabulary::{Tested, own_tool, tested, tools};

rule! {
    /// A matcher that nothing on this host can match.
    ///
    /// Each event is matched against one thing: tool events against the tool's name, Cursor's shell
    /// events against the command text, `beforeReadFile` against the word `Read` and not the path.
    /// Tool names differ: the shell is `Shell` in Cursor and `Bash` in Claude Code and Codex.
    ///
    /// Bad:
    /// ```json
    /// { "version": 1, "hooks": { "preToolUse": [{ "matcher": "Bash", "command": "./guard.sh" }] } }
    /// ```
    /// Good:
    /// ```json
    /// { "version": 1, "hooks": { "preToolUse": [{ "matcher": "Shell", "command": "./guard.sh" }] } }
    /// ```
    RULE {
        id: "matcher-never-matches",
        summary: "nothing on this host can match the matcher",
        severity: Severity::Error,
        cost: "the hook never runs for this, and nothing says so",
        fixable: false,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    for matcher in model.matchers() {
        let meaning = meaning(model.host(), matcher.event, matcher.text);
        if matches!(meaning, Meaning::All | Meaning::Invalid(_) | Meaning::Unjudged) {
            continue;
        }
        match tested(model.host(), matcher.event) {
            Tested::Tool => check_tools(model, matcher, &meaning, out),
            Tested::CommandText => check_command_text(matcher, out),
            Tested::Words(words) => check_words(model, matcher, &meaning, words, out),
            Tested::Open => check_subagent(matcher, out),
            Tested::Nothing => {}
        }
    }
}

fn place(model: &FileModel<'_>, matcher: Matcher<'_>, range: &Range<usize>) -> Range<usize> {
    model.inside(matcher.literal, range)
}

fn check_tools(
    model: &FileModel<'_>,
    matcher: Matcher<'_>,
    meaning: &Meaning,
    out: &mut Findings<'_>,
) {
    let host = model.host();
    if let Some(tool) = permission_rule(host, matcher.text) {
        let fix = if model.lint().handler_keys.iter().any(|(key, _)| *key == "if") {
            format!(
                "write `\"matcher\": \"{tool}\"`, and `\"if\": \"{}\"` in the handler",
                matcher.text
            )
        } else {
            format!("write `\"matcher\": \"{tool}\"`, and test the rest in the hook")
        };
        out.add(
            &RULE,
            at(matcher.literal),
            format!("`{}` is a permission rule, not a pattern for a tool's name", matcher.text),
        )
        .fix(fix);
        return;
    }
    let (own_mcp, form) = model.lint().mcp;
    if own_mcp == "MCP:" && matcher.text.starts_with("mcp__") {
        let message = format!("{} calls MCP tools `MCP:` and the tool's name", host.title());
        out.add(&RULE, at(matcher.literal), message)
            .fix("write `MCP:<tool>`, or `MCP:` for all of them");
        return;
    }
    for (name, range) in names(matcher.text).unwrap_or_default() {
        let at = place(model, matcher, &range);
        if own_mcp != "MCP:" && name.starts_with("MCP:") {
            out.add(&RULE, at, format!("{} calls MCP tools `{form}`", host.title()))
                .fix(format!("write `{}`", form.replace("<tool>", ".*")));
        } else if let Some(own) = own_tool(host, name)
            && !meaning.admits(own)
        {
            out.add(
                &RULE,
                at,
                format!("{} has no tool `{name}`; it is called `{own}`", host.title()),
            )
            .fix(format!("write `{own}`"));
        }
    }
}

/// The tool in a text like `Bash(git *)`, which is a permission rule and not a matcher.
fn permission_rule(host: HostId, text: &str) -> Option<&'static str> {
    let (name, rest) = text.split_once('(')?;
    let inside = rest.strip_suffix(')')?;
    let is_rule = inside.contains([' ', '*', ':', '/', '.']) && !inside.contains('|');
    let tool = tools(host).iter().copied().find(|tool| *tool == name);
    tool.or_else(|| own_tool(host, name)).filter(|_| is_rule)
}

fn check_command_text(matcher: Matcher<'_>, out: &mut Findings<'_>) {
    let names = names(matcher.text).unwrap_or_default();
    let is_tool = |name: &str| matches!(name, "Shell" | "Bash");
    if !names.is_empty() && names.iter().all(|(name, _)| is_tool(name)) {
        let message = format!(
            "`{}` is matched against the command text, not against the tool's name",
            matcher.event
        );
        out.add(&RULE, at(matcher.literal), message)
            .cost("the hook runs only for commands that contain this very word")
            .fix("remove the matcher, or write what the command must contain");
    }
}

/// Subagent events are matched by agent type, not by the tool that starts agents.
fn check_subagent(matcher: Matcher<'_>, out: &mut Findings<'_>) {
    let is_subagent = ["subagentStart", "subagentStop", "SubagentStart", "SubagentStop"];
    if is_subagent.contains(&matcher.event) && matches!(matcher.text, "Task" | "Agent") {
        let message = format!("`{}` is matched against the subagent's type", matcher.event);
        out.add(&RULE, at(matcher.literal), message)
            .fix("remove the matcher, or write a type such as `explore`");
    }
}

fn check_words(
    model: &FileModel<'_>,
    matcher: Matcher<'_>,
    meaning: &Meaning,
    words: &[&'static str],
    out: &mut Findings<'_>,
) {
    let known = || {
        let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        quoted.join(", ")
    };
    if !words.iter().any(|word| meaning.admits(word)) {
        let message = format!("`{}` is matched against {}", matcher.event, known());
        let fix = match nearest(matcher.text, words.iter().copied()) {
            Some(word) if words.len() > 1 => format!("did you mean `{word}`?"),
            _ => "remove the matcher, and test the rest in the hook".to_owned(),
        };
        out.add(&RULE, at(matcher.literal), message).fix(fix);
        return;
    }
    let Meaning::Exact(_) = meaning else { return };
    for (name, range) in names(matcher.text).unwrap_or_default() {
        if !words.contains(&name) {
            let message =
                format!("`{}` is never `{name}`; it is one of {}", matcher.event, known());
            let fix = nearest(name, words.iter().copied())
                .map_or_else(|| "remove it".to_owned(), |word| format!("did you mean `{word}`?"));
            out.add(&RULE, place(model, matcher, &range), message).fix(fix);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, cursor, findings, grouped};
    use tenter_model::HostId;

    const HANDLER: &str = r#"{"type": "command", "command": "ls"}"#;

    fn with(event: &str, matcher: &str) -> String {
        cursor(event, &format!(r#"{{"command": "ls", "matcher": "{matcher}"}}"#))
    }

    fn group(event: &str, matcher: &str) -> String {
        grouped(event, &format!("\"{matcher}\""), HANDLER)
    }

    #[test]
    fn tools_have_other_names_elsewhere() {
        assert_ids(HostId::Cursor, &with("preToolUse", "Bash"), &["matcher-never-matches 2:46"]);
        assert_ids(
            HostId::Cursor,
            &with("preToolUse", "Write|Bash"),
            &["matcher-never-matches 2:52"],
        );
        assert_ids(
            HostId::Cursor,
            &with("preToolUse", "mcp__db__.*"),
            &["matcher-never-matches 2:45"],
        );
        assert_ids(HostId::Claude, &group("PreToolUse", "bash"), &["matcher-never-matches 2:29"]);
        assert_ids(HostId::Claude, &group("PreToolUse", "Shell"), &["matcher-never-matches 2:29"]);
        assert_ids(HostId::Codex, &group("PreToolUse", "Shell"), &["matcher-never-matches 2:29"]);
        for good in ["Shell", "Bash|Shell", "MyTool", "MCP:query", "Edit", "Shell|Write"] {
            assert_ids(HostId::Cursor, &with("preToolUse", good), &[]);
        }
        for good in ["Bash", "Edit|Write", "Edit, Write", "mcp__db__query", "TaskCreate", "Skill"] {
            assert_ids(HostId::Claude, &group("PreToolUse", good), &[]);
        }
    }

    #[test]
    fn a_permission_rule_is_not_a_matcher() {
        let found = findings(HostId::Claude, &group("PreToolUse", "Bash(git push *)"));
        assert_eq!(found.len(), 1);
        assert!(found[0].fix.contains("\"if\": \"Bash(git push *)\""));
        assert_ids(HostId::Claude, &group("PreToolUse", "Task(Create|Update)"), &[]);
    }

    #[test]
    fn some_events_are_matched_against_fixed_words() {
        let wanted = ["matcher-never-matches 2:49"];
        assert_ids(HostId::Cursor, &with("beforeReadFile", "\\\\.env"), &wanted);
        assert_ids(HostId::Cursor, &with("beforeReadFile", "Read"), &[]);
        assert_ids(HostId::Cursor, &with("afterFileEdit", "Write"), &[]);
        assert_ids(HostId::Cursor, &with("stop", "completed"), &["matcher-never-matches 2:39"]);
        assert_ids(HostId::Claude, &group("SessionStart", "new"), &["matcher-never-matches 2:30"]);
        assert_ids(
            HostId::Claude,
            &group("SessionStart", "startup|resumed"),
            &["matcher-never-matches 2:39"],
        );
        assert_ids(HostId::Claude, &group("SessionStart", "startup|resume"), &[]);
        assert_ids(HostId::Codex, &group("SessionStart", "fork"), &["matcher-never-matches 2:30"]);
    }

    #[test]
    fn subagents_are_told_by_their_type() {
        assert_ids(HostId::Cursor, &with("subagentStart", "Task"), &["matcher-never-matches 2:48"]);
        assert_ids(
            HostId::Claude,
            &group("SubagentStop", "Agent"),
            &["matcher-never-matches 2:30"],
        );
        assert_ids(HostId::Cursor, &with("subagentStart", "explore|shell"), &[]);
    }

    #[test]
    fn shell_events_see_the_command_and_not_the_tool() {
        assert_ids(
            HostId::Cursor,
            &with("beforeShellExecution", "Shell"),
            &["matcher-never-matches 2:55"],
        );
        assert_ids(HostId::Cursor, &with("beforeShellExecution", "curl|wget|bash"), &[]);
    }
}
