//! Scans permissions that the folder grants to agents.

use tenter_model::hash::sha256;
use tenter_model::text::{counted, first_chars};

use super::item::{File, Item, ScanResult};
use super::kinds::{Kind, Severity};
use super::tree::Node;

/// Programs that run their arguments.
const ANYTHING: &[&str] = &[
    "bash",
    "sh",
    "zsh",
    "env",
    "eval",
    "exec",
    "sudo",
    "su",
    "ssh",
    "curl",
    "wget",
    "nc",
    "python",
    "python3",
    "node",
    "perl",
    "ruby",
    "php",
    "npx",
    "bunx",
    "uvx",
    "xargs",
    "find",
    "docker",
    "rm",
    "dd",
    "chmod",
    "chown",
    "powershell",
    "pwsh",
    "cmd",
    "osascript",
];

/// Whether a rule allows nearly everything.
fn is_wide(rule: &str) -> bool {
    let rule = rule.trim();
    let (tool, inner) = match rule.split_once('(') {
        Some((tool, rest)) => (tool, rest.trim_end_matches(')')),
        None => (rule, ""),
    };
    let shell =
        ["Bash", "Shell", "PowerShell", "run_shell_command", "shell", "ShellTool", "Execute"]
            .iter()
            .any(|name| name.eq_ignore_ascii_case(tool));
    if matches!(tool, "*" | "**" | "mcp__*" | "Mcp" | "mcp") && matches!(inner, "" | "*" | "*:*") {
        return true;
    }
    if !shell {
        return false;
    }
    let inner = inner.trim_end_matches(['*', ':', ' ']);
    let program = inner.split([' ', ':']).next().unwrap_or_default();
    let bare = inner == program;
    inner.is_empty() || (bare && ANYTHING.contains(&program))
}

/// A list of rules: one finding for the list, and one for each rule that allows nearly everything.
pub(super) fn allowed(file: &File<'_>, key: &str, rules: &Node, found: &mut ScanResult) {
    let texts = rules.texts();
    if texts.is_empty() {
        return;
    }
    let what = format!("lets {} run without a question", counted(texts.len(), "thing"));
    let item = Item::new(Kind::Permission, file, rules.line).name(key).say(what);
    found.add(file, item.grade(Severity::Note).define(&rules.json()));
    for rule in rules.list() {
        let Some(text) = rule.text().filter(|text| is_wide(text)) else { continue };
        let item = Item::new(Kind::Permission, file, rule.line)
            .name(&format!("{key} {text}"))
            .say(format!("lets nearly anything run without a question: `{text}`"))
            .grade(Severity::Danger)
            .define(text);
        found.add(file, item);
    }
}

/// A key whose value skips confirmations.
pub(super) fn grants(
    file: &File<'_>,
    node: &Node,
    key: &str,
    values: &[&str],
    severity: Severity,
    found: &mut ScanResult,
) {
    let Some(value) = node.find(key) else { return };
    let said = value.text().map_or_else(|| value.json(), str::to_owned);
    let hit = if values.is_empty() {
        !value.is_empty() && !value.is(false)
    } else {
        values.iter().any(|it| it.eq_ignore_ascii_case(&said))
    };
    if !hit {
        return;
    }
    let shown = first_chars(&said, 80);
    let item = Item::new(Kind::Permission, file, value.line)
        .name(key)
        .say(format!("lets the agent act without asking: `{shown}`"))
        .grade(severity)
        .define(&value.json());
    found.add(file, item);
}

/// Cursor's CLI keeps permissions in the project too.
pub(super) fn cursor(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    if let Some(rules) = node.find("permissions.allow") {
        allowed(file, "permissions.allow", rules, found);
    }
    for key in ["terminalAllowlist", "mcpAllowlist", "approvalMode"] {
        grants(file, &node, key, &[], Severity::Warning, found);
    }
}

/// Access of commands in Cursor's sandbox.
pub(super) fn cursor_sandbox(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    grants(file, &node, "type", &["insecure_none"], Severity::Danger, found);
    grants(file, &node, "networkPolicy.default", &["allow"], Severity::Warning, found);
    for key in ["additionalReadwritePaths", "additionalReadonlyPaths"] {
        grants(file, &node, key, &[], Severity::Warning, found);
    }
}

/// Codex's execution rules: `prefix_rule(pattern = [...], decision = "allow")`.
pub(super) fn codex_rules(file: &File<'_>, found: &mut ScanResult) {
    for (index, line) in file.text.lines().enumerate() {
        if line.contains("\"allow\"") && !line.trim_start().starts_with('#') {
            let item = Item::new(Kind::Permission, file, index + 1)
                .name("allow")
                .say("lets commands run without a question")
                .define(&sha256(file.text.as_bytes()));
            found.add(file, item);
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_let_nearly_everything_through_are_told_from_others() {
        for wide in [
            "Bash",
            "Bash(*)",
            "Bash(:*)",
            "Bash(curl:*)",
            "Bash(sudo *)",
            "Shell(rm)",
            "*",
            "mcp__*",
            "Shell(**)",
        ] {
            assert!(is_wide(wide), "{wide}");
        }
        for narrow in [
            "Bash(npm run test:*)",
            "Bash(git status)",
            "Bash(curl https://example.com)",
            "Read(src/**)",
            "WebFetch(domain:docs.rs)",
            "mcp__memory__read",
            "Bash(cargo:*)",
            "Bash(find . -name x)",
        ] {
            assert!(!is_wide(narrow), "{narrow}");
        }
    }
}
