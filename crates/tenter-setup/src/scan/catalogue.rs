//! Catalogue of files to scan: one line per path pattern.

use tenter_model::pattern;

use super::item::{File, ScanResult};
use super::{
    claude, code, codex, editors, environment, frontmatter, gemini, git, hooks, mcp, others,
    packages, permissions, plugins,
};

/// A path pattern and its reader.
#[derive(Debug)]
pub(super) struct Entry {
    /// End of a path in lower case; `*` matches part of a name, `**` any folders.
    pattern: &'static str,
    pub(super) host: &'static str,
    pub(super) read: fn(&File<'_>, &mut ScanResult),
    /// Whether the reader needs text.
    pub(super) is_text: bool,
}

const fn at(
    pattern: &'static str,
    host: &'static str,
    read: fn(&File<'_>, &mut ScanResult),
) -> Entry {
    Entry { pattern, host, read, is_text: true }
}

/// A program, which may be of any format.
const fn program(
    pattern: &'static str,
    host: &'static str,
    read: fn(&File<'_>, &mut ScanResult),
) -> Entry {
    Entry { pattern, host, read, is_text: false }
}

const CATALOGUE: &[Entry] = &[
    // Claude Code; Cursor and VS Code read its settings too.
    at(".claude/settings.json", "claude", claude::settings),
    at(".claude/settings.local.json", "claude", claude::settings),
    at(".claude.json", "claude", mcp::servers),
    at(".mcp.json", "claude", mcp::servers),
    at(".claude/**/*.md", "claude", frontmatter::read),
    at("claude.md", "claude", code::rules),
    at("claude.local.md", "claude", code::rules),
    // Cursor
    at(".cursor/hooks.json", "cursor", hooks::file),
    at(".cursor/mcp.json", "cursor", mcp::servers),
    at(".cursor/cli.json", "cursor", permissions::cursor),
    at(".cursor/permissions.json", "cursor", permissions::cursor),
    at(".cursor/sandbox.json", "cursor", permissions::cursor_sandbox),
    at(".cursor/environment.json", "cursor", editors::cursor_environment),
    at(".cursor/worktrees.json", "cursor", editors::cursor_worktrees),
    at(".cursor/commands/**/*.md", "cursor", frontmatter::read),
    at(".cursor/agents/**/*.md", "cursor", frontmatter::read),
    at(".cursor/skills/**/*.md", "cursor", frontmatter::read),
    at(".cursor/rules/**/*.mdc", "cursor", code::rules),
    at(".cursor/rules/**/*.md", "cursor", code::rules),
    at(".cursorrules", "cursor", code::rules),
    // Codex
    at(".codex/hooks.json", "codex", hooks::file),
    at(".codex/config.toml", "codex", codex::config),
    at(".codex/requirements.toml", "codex", codex::config),
    at(".codex/**/*.md", "codex", frontmatter::read),
    at(".codex/rules/**/*.rules", "codex", permissions::codex_rules),
    // Gemini CLI and Qwen Code
    at(".gemini/settings.json", "gemini", gemini::settings),
    at(".gemini/.env", "gemini", environment::dotenv),
    at(".gemini/commands/**/*.toml", "gemini", gemini::command),
    at(".gemini/**/*.md", "gemini", frontmatter::read),
    at("gemini-extension.json", "gemini", gemini::extension),
    at("gemini.md", "gemini", code::rules),
    at(".qwen/settings.json", "qwen", gemini::settings),
    at(".qwen/.env", "qwen", environment::dotenv),
    at(".qwen/commands/**/*.toml", "qwen", gemini::command),
    at(".qwen/**/*.md", "qwen", frontmatter::read),
    at("qwen-extension.json", "qwen", gemini::extension),
    at("qwen.md", "qwen", code::rules),
    // Copilot and VS Code
    at(".github/hooks/*.json", "copilot", hooks::file),
    at(".github/copilot/*.json", "copilot", others::copilot),
    at(".copilot/*.json", "copilot", others::copilot),
    at(".github/copilot-instructions.md", "copilot", code::rules),
    at(".github/instructions/**/*.md", "copilot", code::rules),
    at(".github/agents/**/*.md", "copilot", frontmatter::read),
    at(".github/prompts/**/*.md", "copilot", frontmatter::read),
    at(".github/chatmodes/**/*.md", "copilot", frontmatter::read),
    at(".github/skills/**/*.md", "copilot", frontmatter::read),
    at(".github/workflows/copilot-setup-steps.yml", "copilot", others::copilot_steps),
    at(".github/workflows/copilot-setup-steps.yaml", "copilot", others::copilot_steps),
    at(".vscode/tasks.json", "vscode", editors::tasks),
    at(".vscode/settings.json", "vscode", editors::settings),
    at(".vscode/mcp.json", "vscode", mcp::servers),
    at("*.code-workspace", "vscode", editors::workspace),
    // Other agents with hooks
    at(".factory/hooks.json", "factory", hooks::file),
    at(".factory/hooks/hooks.json", "factory", hooks::file),
    at(".factory/settings.json", "factory", others::factory),
    at(".factory/settings.local.json", "factory", others::factory),
    at(".factory/mcp.json", "factory", mcp::servers),
    at(".factory/**/*.md", "factory", frontmatter::read),
    at(".windsurf/hooks.json", "windsurf", hooks::file),
    at(".windsurf/mcp_config.json", "windsurf", mcp::servers),
    at(".windsurf/mcp.json", "windsurf", mcp::servers),
    at(".windsurf/**/*.md", "windsurf", code::rules),
    at(".windsurfrules", "windsurf", code::rules),
    at(".kiro/hooks/*.json", "kiro", hooks::file),
    at(".kiro/hooks/*.kiro.hook", "kiro", hooks::kiro),
    at(".kiro/agents/*.json", "kiro", others::kiro_agent),
    at(".kiro/settings/mcp.json", "kiro", mcp::servers),
    at(".kiro/steering/**/*.md", "kiro", code::rules),
    program(".clinerules/hooks/*", "cline", code::event_file),
    program(".cline/hooks/*", "cline", code::event_file),
    at(".clinerules/**/*.md", "cline", code::rules),
    at(".clinerules", "cline", code::rules),
    at(".augment/settings.json", "augment", others::augment),
    at(".augment/settings.local.json", "augment", others::augment),
    at(".augment/**/*.md", "augment", code::rules),
    at(".augment-guidelines", "augment", code::rules),
    program(".opencode/plugin/*", "opencode", code::plugin),
    program(".opencode/plugins/*", "opencode", code::plugin),
    program(".opencode/tool/*", "opencode", code::plugin),
    program(".opencode/tools/*", "opencode", code::plugin),
    at("opencode.json", "opencode", others::opencode),
    at("opencode.jsonc", "opencode", others::opencode),
    at(".opencode/**/*.md", "opencode", frontmatter::read),
    at(".amp/settings.json", "amp", others::amp),
    at(".amp/settings.jsonc", "amp", others::amp),
    program(".amp/plugins/*", "amp", code::plugin),
    at(".agents/**/hooks.json", "goose", hooks::file),
    at(".agents/**/*.md", "goose", frontmatter::read),
    at(".goosehints", "goose", code::rules),
    at("crush.json", "crush", others::crush),
    at(".crush.json", "crush", others::crush),
    at("crush.md", "crush", code::rules),
    at(".aider.conf.yml", "aider", others::aider),
    at(".roo/mcp.json", "roo", mcp::servers),
    at(".roo/**/*.md", "roo", code::rules),
    at(".roorules", "roo", code::rules),
    at(".amazonq/mcp.json", "amazonq", mcp::servers),
    at(".amazonq/cli-agents/*.json", "amazonq", others::kiro_agent),
    at(".amazonq/rules/**/*.md", "amazonq", code::rules),
    at(".junie/mcp/mcp.json", "junie", mcp::servers),
    at(".junie/**/*.md", "junie", code::rules),
    at(".trae/mcp.json", "trae", mcp::servers),
    at(".trae/rules/**/*.md", "trae", code::rules),
    at(".continue/**/*.yaml", "continue", others::continue_file),
    at(".continue/**/*.json", "continue", mcp::servers),
    at(".continue/**/*.md", "continue", code::rules),
    at(".zed/settings.json", "zed", editors::zed),
    at(".rules", "zed", code::rules),
    at("warp.md", "warp", code::rules),
    program(".openhands/setup.sh", "openhands", code::start_script),
    program(".openhands/pre-commit.sh", "openhands", code::start_script),
    at(".openhands/**/*.md", "openhands", code::rules),
    at("agents.md", "any", code::rules),
    at("agents.override.md", "any", code::rules),
    at("agent.md", "any", code::rules),
    at("skill.md", "any", frontmatter::read),
    // The Agent Hooks Protocol
    at(".agenthooks.json", "agent-hooks-protocol", hooks::file),
    at(".agenthooks/*.json", "agent-hooks-protocol", hooks::file),
    // Plugins
    at(".claude-plugin/plugin.json", "claude", plugins::manifest),
    at(".claude-plugin/marketplace.json", "claude", plugins::marketplace),
    at(".cursor-plugin/plugin.json", "cursor", plugins::manifest),
    at(".cursor-plugin/marketplace.json", "cursor", plugins::marketplace),
    at(".codex-plugin/plugin.json", "codex", plugins::manifest),
    at("hooks/hooks.json", "plugin", hooks::of_plugin),
    // Editors and shells
    at(".env", "gemini", environment::project_dotenv),
    at("devcontainer.json", "devcontainer", editors::devcontainer),
    at(".devcontainer.json", "devcontainer", editors::devcontainer),
    at(".idea/**/*.xml", "jetbrains", editors::jetbrains),
    program(".envrc", "direnv", code::folder_script),
    program(".exrc", "vim", code::folder_script),
    program(".nvimrc", "vim", code::folder_script),
    program(".nvim.lua", "vim", code::folder_script),
    at(".dir-locals.el", "emacs", editors::emacs),
    at("mise.toml", "mise", editors::mise),
    at(".mise.toml", "mise", editors::mise),
    at(".gitpod.yml", "gitpod", others::gitpod),
    // Git and packages
    program(".husky/*", "git", git::hook),
    program(".githooks/*", "git", git::hook),
    at(".git", "git", git::pointer),
    at(".gitmodules", "git", git::config),
    at("lefthook.yml", "git", git::lefthook),
    at(".lefthook.yml", "git", git::lefthook),
    at(".pre-commit-config.yaml", "git", git::pre_commit),
    at("package.json", "npm", packages::manifest),
    at(".npmrc", "npm", packages::npmrc),
    program(".pnpmfile.cjs", "pnpm", packages::loaded),
    program(".pnpmfile.mjs", "pnpm", packages::loaded),
    at(".yarnrc.yml", "yarn", packages::yarnrc),
    at(".yarnrc", "yarn", packages::yarnrc),
    at("bunfig.toml", "bun", packages::bunfig),
    at(".cargo/config.toml", "cargo", packages::cargo),
    at(".cargo/config", "cargo", packages::cargo),
    // tenter
    at("tenter.toml", "tenter", others::policy),
    at("tenter.local.toml", "tenter", others::policy),
];

/// Folders of unknown agents: most of them copy the known ones.
const OTHERS: &[Entry] = &[
    at(".*/hooks.json", "other", others::settings),
    at(".*/settings.json", "other", others::settings),
    at(".*/settings.local.json", "other", others::settings),
    at(".*/mcp.json", "other", others::settings),
];

/// The entries whose pattern matches a path.
pub(super) fn of(rel: &str) -> Vec<&'static Entry> {
    // In an absolute path a pattern may begin at any folder. Case is ignored: file systems differ.
    let path = ["/", rel].concat().to_ascii_lowercase();
    let of = |list: &'static [Entry]| -> Vec<&'static Entry> {
        list.iter().filter(|entry| pattern::matches(entry.pattern, &path)).collect()
    };
    let known = of(CATALOGUE);
    if known.is_empty() { of(OTHERS) } else { known }
}

/// Whether a folder of this name belongs to an agent, an editor or git.
pub(super) fn is_marked(name: &str) -> bool {
    name.starts_with('.')
        && CATALOGUE.iter().any(|entry| {
            let mut folders = entry.pattern.split('/').rev().skip(1);
            folders.any(|folder| folder.eq_ignore_ascii_case(name))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_the_end_of_a_path() {
        for (rel, expected) in [
            ("apps/web/.claude/settings.json", Some(".claude/settings.json")),
            (".Claude/Settings.json", Some(".claude/settings.json")),
            ("x.claude/settings.json", None),
            ("settings.json", None),
            (".claude/agents/a/b.md", Some(".claude/**/*.md")),
            ("x/.claude/b.md", Some(".claude/**/*.md")),
            ("x/claude/b.md", None),
            (".cursor/agents/x/y/b.md", Some(".cursor/agents/**/*.md")),
            ("a/b.code-workspace", Some("*.code-workspace")),
            ("a/CLAUDE.md", Some("claude.md")),
            (".kiro/hooks/a.kiro.hook", Some(".kiro/hooks/*.kiro.hook")),
            (".kiro/hooks/.hook", None),
            (".new/settings.json", Some(".*/settings.json")),
        ] {
            assert_eq!(of(rel).first().map(|entry| entry.pattern), expected, "{rel}");
        }
    }

    #[test]
    fn patterns_are_in_lower_case() {
        for entry in CATALOGUE.iter().chain(OTHERS) {
            assert_eq!(entry.pattern, entry.pattern.to_ascii_lowercase());
        }
    }

    #[test]
    fn folders_of_agents_are_known() {
        assert!(is_marked(".claude") && is_marked(".vscode") && is_marked(".husky"));
        assert!(!is_marked("hooks") && !is_marked(".config") && !is_marked("src"));
    }
}
