//! `matcher-exact`

use crate::Severity;
use crate::edit::Edit;
use crate::finding::Findings;
use crate::matcher::{is_exact, names};
use crate::model::{FileModel, at};
use crate::rule::{Check, rule};
use crate::vocabulary::{Tested, tested};

rule! {
    /// A matcher that is compared letter by letter where a pattern was meant.
    ///
    /// Claude Code and Codex compare whole names as long as the matcher has only letters, digits and
    /// the like. `mcp__memory` is then no tool: tools are called `mcp__memory__store`.
    ///
    /// Bad:
    /// ```json
    /// { "matcher": "mcp__memory", "hooks": [{ "type": "command", "command": "./guard.sh" }] }
    /// ```
    /// Good:
    /// ```json
    /// { "matcher": "mcp__memory__.*", "hooks": [{ "type": "command", "command": "./guard.sh" }] }
    /// ```
    RULE {
        id: "matcher-exact",
        summary: "the matcher is compared as a whole name where a pattern was meant",
        severity: Severity::Error,
        cost: "",
        fixable: true,
        check: Check::File(check),
    }
}

fn check(model: &FileModel<'_>, out: &mut Findings<'_>) {
    let host = model.host();
    for matcher in model.matchers() {
        let is_tool = tested(host, matcher.event) == Tested::Tool;
        if !is_tool || !is_exact(host, matcher.event, matcher.text) {
            continue;
        }
        let all = names(matcher.text).unwrap_or_default();
        for (name, range) in all.iter().filter(|(name, _)| is_server(name)) {
            let wanted = format!("{}__.*", name.trim_end_matches('_'));
            let place = model.inside(matcher.literal, range);
            let draft = out.add(&RULE, place, format!("`{name}` is compared as a whole tool name"));
            if all.len() == 1 {
                let quoted = format!("\"{wanted}\"");
                draft.fix(format!("write `{wanted}`"));
                draft.edits(vec![Edit::new(at(matcher.literal), quoted)]);
            } else {
                // As a pattern the other names would also match parts of names.
                let parts: Vec<&str> = all
                    .iter()
                    .map(|(other, _)| if other == name { wanted.as_str() } else { other })
                    .collect();
                draft.fix(format!("write `^({})$`", parts.join("|")));
            }
        }
    }
}

/// Whether a name is `mcp__` and a server, without a tool.
fn is_server(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("mcp__") else { return false };
    let server = rest.trim_end_matches('_');
    !server.is_empty() && !server.contains("__")
}

#[cfg(test)]
mod tests {
    use crate::testing::{assert_ids, findings, grouped};
    use crate::{File, Layer, Options, fix};
    use tenter_model::HostId;

    fn group(matcher: &str) -> String {
        let handler = r#"{"type": "command", "command": "ls"}"#;
        grouped("PreToolUse", &format!("\"{matcher}\""), handler)
    }

    #[test]
    fn a_server_is_not_a_tool() {
        for host in [HostId::Claude, HostId::Codex] {
            assert_ids(host, &group("mcp__memory"), &["matcher-exact 2:29"]);
            assert_ids(host, &group("Bash|mcp__memory"), &["matcher-exact 2:34"]);
            for good in ["mcp__memory__.*", "mcp__memory__store", "mcp__.*", "Bash"] {
                assert_ids(host, &group(good), &[]);
            }
        }
    }

    #[test]
    fn a_single_name_becomes_a_pattern() {
        for bad in ["mcp__memory", "mcp__memory__"] {
            let file = File::new("/x.json", HostId::Claude, Layer::Unknown, &group(bad));
            let fixed = fix(&[file], &Options::default());
            assert_eq!(fixed.files[0].text, group("mcp__memory__.*"));
        }
        let found = &findings(HostId::Claude, &group("Bash|mcp__memory"))[0];
        assert_eq!(found.fix, "write `^(Bash|mcp__memory__.*)$`");
        assert!(found.repair.is_none());
    }
}
