//! Scans settings of Gemini CLI and its fork Qwen Code.

use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::permissions::{allowed, grants};
use super::tree::Node;
use super::{hooks, mcp};

pub(super) fn settings(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    for inner in node.all("hooks") {
        hooks::read(file, inner, found);
    }
    mcp::read(file, &node, found);
    for key in ["hooksConfig.enabled", "tools.enableHooks", "hooks.enabled"] {
        if node.find(key).is_some_and(|it| it.is(false)) {
            hooks::off(file, found, &node, key);
        }
    }
    for key in ["disableAllHooks", "hooksConfig.disabled", "hooks.disabled"] {
        if node.find(key).is_some_and(|it| !it.is(false) && !it.is_empty()) {
            hooks::off(file, found, &node, key);
        }
    }
    for key in [
        "toolDiscoveryCommand",
        "toolCallCommand",
        "mcpServerCommand",
        "tools.discoveryCommand",
        "tools.callCommand",
        "mcp.serverCommand",
    ] {
        let Some((line, text)) = node.find(key).and_then(|it| Some((it.line, it.text()?))) else {
            continue;
        };
        let item = Item::new(Kind::AgentCommand, file, line)
            .name(key)
            .say("runs at the start, or for every call of a tool")
            .command(text, Language::Shell);
        found.add(file, item);
    }
    for key in ["tools.allowed", "allowedTools"] {
        if let Some(rules) = node.find(key) {
            allowed(file, key, rules, found);
        }
    }
    for key in
        ["general.defaultApprovalMode", "defaultApprovalMode", "tools.approvalMode", "approvalMode"]
    {
        grants(file, &node, key, &["yolo"], Severity::Danger, found);
        grants(file, &node, key, &["auto_edit", "auto-edit"], Severity::Warning, found);
    }
    for key in ["autoAccept", "tools.autoAccept", "security.auth.bypass"] {
        grants(file, &node, key, &[], Severity::Warning, found);
    }
    if let Some(off) = node.find("security.folderTrust.enabled").filter(|it| it.is(false)) {
        let item = Item::new(Kind::SwitchedOff, file, off.line)
            .name("security.folderTrust.enabled")
            .say("switches the question whether the folder is trusted off")
            .define("false");
        found.add(file, item);
    }
}

/// A custom command; `!{...}` in its prompt is run by a shell.
pub(super) fn command(file: &File<'_>, found: &mut ScanResult) {
    super::code::rules(file, found);
    let Some(node) = found.toml(file) else { return };
    let Some((line, prompt)) = node.get("prompt").and_then(|it| Some((it.line, it.text()?))) else {
        return;
    };
    for (offset, part) in prompt.lines().enumerate() {
        for (_, rest) in part.match_indices("!{").map(|(at, _)| part.split_at(at)) {
            let inner = rest.strip_prefix("!{").unwrap_or_default();
            let command = inner.rsplit_once('}').map_or(inner, |(command, _)| command);
            let item = Item::new(Kind::Instruction, file, line + offset)
                .name(file.name())
                .say("runs a command when it is used")
                .command(command, Language::Shell);
            found.add(file, item);
        }
    }
}

/// Content of an extension.
pub(super) fn extension(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    mcp::read(file, &node, found);
    if let Some(inner) = node.get("hooks").filter(|it| it.text().is_none()) {
        hooks::read(file, inner, found);
    }
    let name = node.get("name").and_then(Node::text).unwrap_or("extension");
    let item =
        Item::new(Kind::Plugin, file, 1).name(name).say("is an extension").grade(Severity::Note);
    found.add(file, item.define(&node.json()));
}
