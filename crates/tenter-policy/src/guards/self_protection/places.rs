//! Decides which paths contain settings that make the guard run.

use tenter_shell::name_may_be;

use super::table::PLACES;

/// The owner of settings at a path; with `whole`, a folder counts with its content.
pub(super) fn holder(path: &str, whole: bool) -> Option<&'static str> {
    if !may_hold(path) {
        return None;
    }
    PLACES.iter().find(|(place, _)| is_there(path, place, whole)).map(|(_, holder)| *holder)
}

/// First path components of places that do not start with a dot.
const PLAIN: &[&str] = &[
    "etc",
    "bin",
    "tenter.toml",
    "tenter.local.toml",
    "opencode.json",
    "opencode.jsonc",
    "crush.json",
    "ClaudeCode",
    "Cline",
    "Application Support",
    "ProgramData",
];

/// Cheap test whether any component can begin a place, which most paths lack.
fn may_hold(path: &str) -> bool {
    parts(path).any(|part| {
        part.starts_with(['.', '_'])
            || part.contains(['*', '?', '['])
            || PLAIN.iter().any(|first| same(first, part))
    })
}

/// Settings below a folder: owner and relative path.
pub(super) fn below(folder: &str) -> impl Iterator<Item = (&'static str, String)> {
    let parts: Vec<&str> = parts(folder).collect();
    PLACES.iter().filter_map(move |(place, holder)| {
        // A skill's folder alone does not tell whether it has hooks.
        let deep = place.iter().rev().skip(1).any(|part| *part == "**");
        let shared = Some(shared(&parts, place)).filter(|shared| *shared > 0 && !deep)?;
        let rest = place.get(shared..)?.iter().filter(|part| **part != "**");
        let path: Vec<&str> = rest.copied().collect();
        Some((*holder, path.join("/")))
    })
}

/// Number of leading components of a place that a folder's path ends with.
pub(super) fn shared(folder: &[&str], place: &[&str]) -> usize {
    let ends = |count: &usize| {
        place.get(..*count).is_some_and(|start| {
            folder.len() >= start.len()
                && start.iter().rev().zip(folder.iter().rev()).all(|(one, other)| same(one, other))
        })
    };
    let shared = (1..place.len()).rev().find(ends).unwrap_or(0);
    // `.config` has many subfolders; only ours matter.
    let generic = place
        .first()
        .is_some_and(|first| matches!(*first, ".config" | ".local" | "etc" | "bin" | ".cache"));
    if generic && shared == 1 { 0 } else { shared }
}

fn is_there(path: &str, place: &[&str], whole: bool) -> bool {
    if let Some(at) = place.iter().position(|part| *part == "**") {
        let (head, tail) = place.split_at_checked(at).unwrap_or_default();
        let tail = tail.get(1..).unwrap_or_default();
        return lies_below(path, head, tail, whole);
    }
    let mut from_end = path.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    let mut literal = false;
    let all = place.iter().rev().all(|wanted| {
        from_end.next().is_some_and(|part| {
            literal |= same(part, wanted);
            // `bin/*` is the folder of all programs.
            let any = part == "*" && place.first() == Some(&"bin");
            same(part, wanted) || part == "**" || (name_may_be(part, wanted) && !any)
        })
    });
    all && literal
}

/// Whether a path is below the folder `head`, and with a `tail` at least one folder deeper.
fn lies_below(path: &str, head: &[&str], tail: &[&str], whole: bool) -> bool {
    let mut all = parts(path);
    loop {
        let mut following = all.clone();
        if head.iter().all(|part| following.next().is_some_and(|it| same(it, part))) {
            return ends_with(following, tail, whole);
        }
        if all.next().is_none() {
            return false;
        }
    }
}

fn ends_with<'p>(
    mut rest: impl Iterator<Item = &'p str> + Clone,
    tail: &[&str],
    whole: bool,
) -> bool {
    let Some((last, names)) = tail.split_last() else {
        return rest.next().is_some() || whole;
    };
    // The folder matched by `**`.
    while rest.next().is_some() {
        let mut following = rest.clone();
        let literal = |part: &&str| following.next().is_some_and(|it| same(it, part));
        if *last == "**" {
            if names.iter().all(literal) {
                return following.next().is_some() || whole;
            }
        } else if tail.iter().all(literal) {
            return following.next().is_none();
        }
    }
    false
}

pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split(['/', '\\']).filter(|part| !part.is_empty())
}

pub(super) fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_hosts_are_known_wherever_they_are() {
        for (path, expected) in [
            ("/home/me/.cursor/hooks.json", "Cursor"),
            ("/shop/.cursor/hooks.json", "Cursor"),
            ("/etc/cursor/hooks.json", "Cursor"),
            ("/Library/Application Support/Cursor/hooks.json", "Cursor"),
            ("C:\\ProgramData\\Cursor\\hooks.json", "Cursor"),
            ("/shop/.claude/settings.local.json", "Claude Code"),
            ("/etc/claude-code/managed-settings.d/a.json", "Claude Code"),
            ("/home/me/.codex/config.toml", "Codex"),
            ("/shop/.github/hooks/guard.json", "Copilot"),
            ("/shop/tenter.toml", "tenter"),
            ("/home/me/.local/bin/tenter", "tenter"),
            ("/home/me/.config/tenterhook/policy.toml", "tenter"),
            ("/home/me/.cursor/*", "Cursor"),
            ("/home/me/**/hooks.json", "Cursor"),
            ("/home/me/.cur*/hooks.json", "Cursor"),
            ("/home/me/.claude/skills/x/hooks/hooks.json", "Claude Code"),
            ("/home/me/.claude/skills/a/b/hooks/register.js", "Claude Code"),
            ("/shop/.claude/skills/x/.claude-plugin/plugin.json", "Claude Code"),
            ("/home/me/.claude/dev-mods/x.js", "Claude Code"),
            ("/home/me/.pi/agent/extensions/x.ts", "Pi"),
            ("/shop/.kilo/plugin/x.js", "Kilo"),
            ("/home/me/.hermes/plugins/x.py", "Hermes"),
            ("/home/me/.hermes/profiles/work/config.yaml", "Hermes"),
            ("/shop/_agents/hooks.json", "Antigravity"),
            ("/shop/opencode.json", "OpenCode"),
        ] {
            assert_eq!(holder(path, false), Some(expected), "{path}");
        }
        for path in [
            "/shop/.vscode/settings.json",
            "/shop/hooks.json",
            "/shop/.cursor/rules/a.mdc",
            "/shop/.claude/commands/a.md",
            "/shop/.claude/CLAUDE.md",
            "/shop/.git/hooks/pre-commit",
            "/shop/.github/workflows/ci.yml",
            "/shop/*.toml",
            "/shop/**/*.json",
            "/shop/tenter",
            "/shop/.cursor/*.log",
            "/home/me/.claude/projects/x.jsonl",
            "/shop/.claude/agents/x.md",
            "/shop/fixtures/cursor/hooks.json",
            "/home/me/.config/tenterhook",
            "/usr/local/bin/*",
            "/home/me/.claude/skills/hooks/SKILL.md",
            "/home/me/.claude/skills/review/SKILL.md",
            "/shop/.claude/skills/review/hooks.md",
            "/home/me/.hermes/profiles/work/notes.md",
            "/shop/.vscode/extensions.json",
            "/shop/.grok/notes.md",
        ] {
            assert_eq!(holder(path, false), None, "{path}");
        }
    }

    #[test]
    fn every_place_can_begin_a_path_that_is_compared() {
        for (place, _) in PLACES {
            let first = place.first().unwrap();
            assert!(may_hold(&format!("/x/{first}/y")), "{first}");
        }
    }

    #[test]
    fn folders_are_known_by_what_lies_in_them() {
        let holds = |folder: &str| below(folder).next().is_some();
        assert!(holds("/home/me/.cursor"));
        assert!(holds("/home/me/.local/state/tenterhook"));
        assert!(holds("/shop/.github/hooks"));
        assert!(!holds("/home/me/.config"));
        assert!(!holds("/shop/src"));
        let mut claude = below("/shop/.claude");
        assert_eq!(claude.next(), Some(("Claude Code", "settings.json".to_owned())));
    }
}
