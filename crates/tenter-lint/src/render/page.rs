//! The rules as a table, and as the page `docs/lint.md`.

use std::fmt::Write;

use tenter_model::HostId;

use crate::{RULES, Rule};

/// Id, severity, hosts, fixable, summary.
pub fn table_rows() -> Vec<[String; 5]> {
    RULES.iter().map(row).collect()
}

fn row(rule: &Rule) -> [String; 5] {
    let hosts: Vec<&str> =
        HostId::ALL.into_iter().filter(|host| rule.applies_to(*host)).map(HostId::as_str).collect();
    [
        rule.id.to_owned(),
        rule.severity.as_str().to_owned(),
        hosts.join(", "),
        if rule.fixable { "yes" } else { "" }.to_owned(),
        rule.summary.to_owned(),
    ]
}

/// The page `docs/lint.md`.
pub fn markdown() -> String {
    let mut page = String::from(HEAD);
    page.push_str("| Rule | Severity | Hosts | `--fix` | What |\n|---|---|---|---|---|\n");
    for [id, severity, hosts, fixable, summary] in table_rows() {
        let _ =
            writeln!(page, "| [`{id}`](#{id}) | {severity} | {hosts} | {fixable} | {summary} |");
    }
    for rule in RULES {
        let _ = write!(page, "\n## {}\n\n{}\n\n{}", rule.id, body(rule), costs(rule));
    }
    page
}

const HEAD: &str = "# Lint rules\n\n<!-- Printed by `tenter lint --list-rules --markdown`; written by \
    `cargo xtask gen`. -->\n\n\
    `tenter lint` finds the hook files of Cursor, Claude Code, Codex, Gemini CLI and Qwen Code by itself: those of the project \
    around you, of your home folder and of the system. A path judges that file, a folder the projects in \
    it. Each finding names its rule, its place, what it costs on that host and what to do. `--fix` mends \
    what is safe: it changes only the bytes in question, so layout and comments stay, and it writes \
    nothing unless the file can still be read and the finding is gone. Exit 0: no findings; 1: findings; \
    2: wrong use; 3: a failure of its own.\n\n\
    Two things no file can show: Codex runs a hook only once it is trusted (`/hooks` in Codex), and any \
    change of the hook takes that trust away. `[hooks]` in Codex's `config.toml` is judged like its \
    `hooks.json`, but not fixed.\n\n";

/// Cost of a rule, per host where it differs.
fn costs(rule: &Rule) -> String {
    let known: Vec<(HostId, &str)> = HostId::ALL
        .into_iter()
        .map(|host| (host, rule.cost_on(host)))
        .filter(|(_, cost)| !cost.is_empty())
        .collect();
    let first = known.first().map(|(_, cost)| *cost).unwrap_or_default();
    if known.len() == HostId::ALL.len() && known.iter().all(|(_, cost)| *cost == first) {
        return format!("Cost: {first}.\n");
    }
    let line = |(host, cost): &(HostId, &str)| format!("- Cost on {}: {cost}.\n", host.title());
    known.iter().map(line).collect()
}

/// A rule's documentation as Markdown for the page.
pub(super) fn body(rule: &Rule) -> String {
    let lines = rule.docs.lines().map(|line| line.strip_prefix(' ').unwrap_or(line));
    let mut text = String::new();
    for line in lines {
        // An example starts a new paragraph.
        if (line.starts_with("Good") || line.starts_with("```json") || line.starts_with("```text"))
            && !text.is_empty()
            && !text.ends_with("\n\n")
        {
            text.push('\n');
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.trim_end().to_owned()
}

/// The paragraphs before the examples.
pub(super) fn what(rule: &Rule) -> String {
    let body = body(rule);
    let before = body.split("\nBad").next().unwrap_or_default();
    before.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_every_rule_once() {
        let page = markdown();
        for rule in RULES {
            assert_eq!(page.matches(&format!("\n## {}\n", rule.id)).count(), 1, "{}", rule.id);
        }
        assert!(!page.contains("\n\n\n"), "no double blank lines");
    }

    #[test]
    fn the_costs_are_given_by_host_where_they_differ() {
        let of = |id: &str| costs(RULES.iter().find(|rule| rule.id == id).unwrap());
        assert!(of("json-syntax").starts_with("Cost: "));
        assert!(of("unknown-event").contains("- Cost on Codex: "));
        assert_eq!(of("voids-file").lines().count(), 1);
    }
}
