//! The rules, one per file: documentation, properties, check and test.

mod async_cannot_block;
mod claude_group_in_cursor_file;
mod duplicate_key;
mod events_outside_hooks;
mod fail_closed_without_gate;
mod fail_open_guard;
mod file_unreadable;
mod fires_twice;
mod flat_entry_in_claude_file;
mod guard_outside_hooks;
mod hooks_disabled;
mod if_never_runs;
mod interpreter_missing;
mod json_comments;
mod json_syntax;
mod loop_limit_without_loop;
mod matcher_exact;
mod matcher_glob;
mod matcher_ignored;
mod matcher_invalid;
mod matcher_never_matches;
mod missing_command;
mod program_missing;
mod prompt_without_type;
mod relative_command;
mod script_missing;
mod script_not_executable;
mod shebang_missing;
mod timeout_clamped;
mod timeout_in_milliseconds;
mod timeout_in_seconds;
mod timeout_too_long;
mod timeout_unusable;
mod type_missing;
mod type_not_supported;
mod unknown_event;
mod unknown_key;
mod version_missing;
mod voids_file;
mod windows_quoting;
mod wrong_directory;
mod wrong_type;

use crate::rule::Rule;

/// Every rule, ordered from mistakes that void the file to mistakes in one hook.
pub const RULES: &[Rule] = &[
    file_unreadable::RULE,
    json_syntax::RULE,
    json_comments::RULE,
    duplicate_key::RULE,
    voids_file::RULE,
    version_missing::RULE,
    events_outside_hooks::RULE,
    guard_outside_hooks::RULE,
    hooks_disabled::RULE,
    unknown_event::RULE,
    claude_group_in_cursor_file::RULE,
    flat_entry_in_claude_file::RULE,
    unknown_key::RULE,
    wrong_type::RULE,
    type_missing::RULE,
    type_not_supported::RULE,
    prompt_without_type::RULE,
    missing_command::RULE,
    timeout_in_milliseconds::RULE,
    timeout_in_seconds::RULE,
    timeout_too_long::RULE,
    timeout_unusable::RULE,
    timeout_clamped::RULE,
    loop_limit_without_loop::RULE,
    matcher_invalid::RULE,
    matcher_never_matches::RULE,
    matcher_exact::RULE,
    matcher_glob::RULE,
    matcher_ignored::RULE,
    if_never_runs::RULE,
    fail_open_guard::RULE,
    fail_closed_without_gate::RULE,
    async_cannot_block::RULE,
    wrong_directory::RULE,
    relative_command::RULE,
    program_missing::RULE,
    script_missing::RULE,
    script_not_executable::RULE,
    shebang_missing::RULE,
    interpreter_missing::RULE,
    windows_quoting::RULE,
    fires_twice::RULE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_model::HostId;

    #[test]
    fn every_rule_is_complete_and_named_once() {
        let mut ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
        let kebab = |id: &&str| id.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(ids.iter().all(kebab));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len());
        for rule in RULES {
            assert!(rule.docs.contains("Bad"), "{} shows no bad example", rule.id);
            assert!(rule.docs.contains("Good"), "{} shows no good example", rule.id);
            assert!(!rule.summary.ends_with('.'), "{}", rule.id);
            assert!(HostId::ALL.iter().any(|host| rule.applies_to(*host)));
        }
    }

    /// Rules whose examples need files on disk.
    const OF_FILES: &[&str] = &[
        "wrong-directory",
        "relative-command",
        "program-missing",
        "script-missing",
        "script-not-executable",
    ];

    /// The JSON blocks of a page: the bad one and the good one.
    fn examples(rule: &Rule) -> Option<(String, String)> {
        let mut blocks = rule
            .docs
            .split(" ```json\n")
            .skip(1)
            .map(|rest| rest.split(" ```").next().unwrap_or_default().trim().to_owned());
        Some((blocks.next()?, blocks.next()?))
    }

    /// Completes an example that is only a group or a handler to a file.
    fn whole(host: HostId, example: &str) -> String {
        let is_file = example.contains("\"hooks\": {") || example.starts_with("{ \"version\"");
        if is_file {
            example.to_owned()
        } else if example.contains("\"hooks\": [") {
            format!("{{\"hooks\": {{\"PreToolUse\": [{example}]}}}}")
        } else if host == HostId::Cursor {
            crate::testing::cursor("preToolUse", example)
        } else {
            let gates = tenter_hosts::host(host).install().wires;
            crate::testing::grouped(gates[0].event, "", example)
        }
    }

    #[test]
    fn the_examples_show_what_they_say() {
        let mut shown = 0;
        for rule in RULES.iter().filter(|rule| !OF_FILES.contains(&rule.id)) {
            let Some((bad, good)) = examples(rule) else { continue };
            let finds = |host, example: &str| {
                let findings = crate::testing::findings(host, &whole(host, example));
                findings.iter().any(|finding| finding.rule.id == rule.id)
            };
            let mut hosts = HostId::ALL.into_iter().filter(|host| rule.applies_to(*host));
            let told_apart = hosts.any(|host| finds(host, &bad) && !finds(host, &good));
            assert!(told_apart, "{}: the examples show something else", rule.id);
            shown += 1;
        }
        assert!(shown > 20, "{shown}");
    }
}
