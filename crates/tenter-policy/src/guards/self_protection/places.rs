//! Where hosts and this program keep what makes the guard run: one table for all of them.

use crate::sensitive::paths::may_be;

/// The last parts of a path, and whose settings are there. `*` is any one name; `**` at the end is
/// everything below.
type Place = (&'static [&'static str], &'static str);

const PLACES: &[Place] = &[
    (&[".cursor", "hooks.json"], "Cursor"),
    (&["etc", "cursor", "hooks.json"], "Cursor"),
    (&["Application Support", "Cursor", "hooks.json"], "Cursor"),
    (&["ProgramData", "Cursor", "hooks.json"], "Cursor"),
    (&[".cursor", "plugins", "**"], "Cursor"),
    (&[".claude", "settings.json"], "Claude Code"),
    (&[".claude", "settings.local.json"], "Claude Code"),
    (&[".claude", "managed-settings.json"], "Claude Code"),
    (&[".claude", "plugins", "**"], "Claude Code"),
    (&["etc", "claude-code", "**"], "Claude Code"),
    (&["ClaudeCode", "managed-settings.json"], "Claude Code"),
    (&["ClaudeCode", "managed-settings.d", "**"], "Claude Code"),
    (&[".codex", "config.toml"], "Codex"),
    (&[".codex", "hooks.json"], "Codex"),
    (&[".codex", "requirements.toml"], "Codex"),
    (&[".codex", "plugins", "**"], "Codex"),
    (&["etc", "codex", "**"], "Codex"),
    (&[".gemini", "settings.json"], "Gemini CLI"),
    (&[".gemini", "trusted_hooks.json"], "Gemini CLI"),
    (&[".gemini", "extensions", "**"], "Gemini CLI"),
    (&["etc", "gemini-cli", "settings.json"], "Gemini CLI"),
    (&[".qwen", "settings.json"], "Qwen Code"),
    (&["etc", "qwen-code", "settings.json"], "Qwen Code"),
    (&[".github", "hooks", "**"], "Copilot"),
    (&[".copilot", "hooks", "**"], "Copilot"),
    (&[".copilot", "settings.json"], "Copilot"),
    (&[".copilot", "config.json"], "Copilot"),
    (&[".windsurf", "hooks.json"], "Windsurf"),
    (&["etc", "windsurf", "hooks.json"], "Windsurf"),
    (&[".codeium", "windsurf", "hooks.json"], "Windsurf"),
    (&["Application Support", "Windsurf", "hooks.json"], "Windsurf"),
    (&["ProgramData", "Windsurf", "hooks.json"], "Windsurf"),
    (&[".factory", "hooks.json"], "Factory"),
    (&[".factory", "settings.json"], "Factory"),
    (&[".factory", "hooks", "hooks.json"], "Factory"),
    (&[".kiro", "hooks", "**"], "Kiro"),
    (&[".kiro", "agents", "**"], "Kiro"),
    (&[".cline", "hooks", "**"], "Cline"),
    (&[".clinerules", "hooks", "**"], "Cline"),
    (&["Cline", "Hooks", "**"], "Cline"),
    (&[".augment", "settings.json"], "Augment"),
    (&[".augment", "settings.local.json"], "Augment"),
    (&["etc", "augment", "settings.json"], "Augment"),
    (&[".opencode", "plugin", "**"], "OpenCode"),
    (&[".opencode", "plugins", "**"], "OpenCode"),
    (&[".config", "opencode", "plugin", "**"], "OpenCode"),
    (&[".config", "opencode", "plugins", "**"], "OpenCode"),
    (&[".config", "opencode", "opencode.json"], "OpenCode"),
    (&[".amp", "plugins", "**"], "Amp"),
    (&[".config", "amp", "plugins", "**"], "Amp"),
    (&[".config", "amp", "settings.json"], "Amp"),
    (&[".agents", "plugins", "**"], "Goose"),
    (&["tenter.toml"], "this guard"),
    (&["tenter.local.toml"], "this guard"),
    (&["etc", "tenterhook", "**"], "this guard"),
    (&[".config", "tenterhook", "**"], "this guard"),
    (&[".config", "tenter", "**"], "this guard"),
    (&[".local", "state", "tenterhook", "**"], "this guard"),
    (&[".local", "share", "tenterhook", "**"], "this guard"),
    (&[".local", "share", "tenter", "**"], "this guard"),
    (&[".cache", "tenterhook", "**"], "this guard"),
    (&["Application Support", "tenterhook", "**"], "this guard"),
    (&["bin", "tenter"], "this guard"),
    (&["bin", "tenter.exe"], "this guard"),
    (&["bin", "tenter-server"], "this guard"),
];

/// Whose settings a path holds, if it holds any; `whole` if a folder counts with all that is in it.
pub(super) fn holder(path: &str, whole: bool) -> Option<&'static str> {
    PLACES.iter().find(|(place, _)| is_there(path, place, whole)).map(|(_, holder)| *holder)
}

/// Whose settings lie below a folder, and their path from there on.
pub(super) fn below(folder: &str) -> impl Iterator<Item = (&'static str, String)> {
    let parts: Vec<&str> = parts(folder).collect();
    PLACES.iter().filter_map(move |(place, holder)| {
        // The folder ends as the place begins.
        let shared = (1..place.len()).rev().find(|count| {
            place.get(..*count).is_some_and(|start| {
                parts.len() >= start.len()
                    && start
                        .iter()
                        .rev()
                        .zip(parts.iter().rev())
                        .all(|(one, other)| same(one, other))
            })
        })?;
        let rest = place.get(shared..)?.iter().filter(|part| **part != "**");
        let path: Vec<&str> = rest.copied().collect();
        // `.config` is above many things; only its own folders are meant.
        let generic = matches!(*place.first()?, ".config" | ".local" | "etc" | "bin" | ".cache")
            && shared == 1;
        (!generic).then(|| (*holder, path.join("/")))
    })
}

fn is_there(path: &str, place: &[&str], whole: bool) -> bool {
    if place.last() == Some(&"**") {
        let folder = place.get(..place.len().saturating_sub(1)).unwrap_or_default();
        let mut all = parts(path);
        loop {
            let mut following = all.clone();
            if folder.iter().all(|part| following.next().is_some_and(|it| same(it, part))) {
                return following.next().is_some() || whole;
            }
            if all.next().is_none() {
                return false;
            }
        }
    }
    let mut from_end = path.rsplit(['/', '\\']).filter(|part| !part.is_empty());
    let mut literal = false;
    let all = place.iter().rev().all(|wanted| {
        from_end.next().is_some_and(|part| {
            literal |= same(part, wanted);
            // `bin/*` is where all programs are.
            let any = part == "*" && place.first() == Some(&"bin");
            same(part, wanted) || part == "**" || (may_be(part, wanted) && !any)
        })
    });
    all && literal
}

fn parts(path: &str) -> impl Iterator<Item = &str> + Clone {
    path.split(['/', '\\']).filter(|part| !part.is_empty())
}

fn same(one: &str, other: &str) -> bool {
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
            ("/shop/tenter.toml", "this guard"),
            ("/home/me/.local/bin/tenter", "this guard"),
            ("/home/me/.config/tenterhook/policy.toml", "this guard"),
            ("/home/me/.cursor/*", "Cursor"),
            ("/home/me/**/hooks.json", "Cursor"),
            ("/home/me/.cur*/hooks.json", "Cursor"),
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
        ] {
            assert_eq!(holder(path, false), None, "{path}");
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
