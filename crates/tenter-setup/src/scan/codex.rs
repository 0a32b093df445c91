//! Scans Codex's `config.toml`.

use super::environment::Reach;
use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::permissions::grants;
use super::tree::Node;
use super::words::joined;
use super::{environment, hooks, mcp};

pub(super) fn config(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.toml(file) else { return };
    settings(file, &node, found);
    if let Some(profiles) = node.get("profiles") {
        for (_, profile) in profiles.table() {
            settings(file, profile, found);
        }
    }
}

fn settings(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    if let Some(inner) = node.get("hooks") {
        hooks::read(file, inner, found);
    }
    mcp::read(file, node, found);
    if let Some(notify) = node.get("notify").filter(|it| !it.is_empty()) {
        let item = Item::new(Kind::AgentCommand, file, notify.line)
            .name("notify")
            .say("runs whenever the agent has finished a turn")
            .command(&joined(notify.texts()), Language::Shell)
            .define(&notify.json());
        found.add(file, item);
    }
    grants(file, node, "approval_policy", &["never"], Severity::Danger, found);
    grants(file, node, "approval_policy", &["on-failure"], Severity::Warning, found);
    grants(file, node, "sandbox_mode", &["danger-full-access"], Severity::Danger, found);
    grants(
        file,
        node,
        "sandbox_workspace_write.network_access",
        &["true"],
        Severity::Warning,
        found,
    );
    grants(file, node, "sandbox_workspace_write.writable_roots", &[], Severity::Warning, found);
    grants(file, node, "bypass_hook_trust", &[], Severity::Danger, found);
    for key in ["features.hooks", "features.codex_hooks"] {
        if node.find(key).is_some_and(|it| it.is(false)) {
            hooks::off(file, found, node, key);
        }
    }
    for key in ["openai_base_url", "chatgpt_base_url"] {
        redirect(file, key, node.get(key), found);
    }
    if let Some(providers) = node.get("model_providers") {
        for (name, provider) in providers.table() {
            redirect(
                file,
                &format!("model_providers.{name}.base_url"),
                provider.get("base_url"),
                found,
            );
        }
    }
    if let Some(set) = node.find("shell_environment_policy.set") {
        environment::variables(file, "shell_environment_policy.set", set, Reach::Agent, found);
    }
    if let Some(projects) = node.get("projects") {
        let item = Item::new(Kind::Permission, file, projects.line)
            .name("projects")
            .say("says which folders are trusted")
            .grade(Severity::Danger)
            .define(&projects.json());
        found.add(file, item);
    }
    for key in ["model_instructions_file", "experimental_instructions_file"] {
        if let Some(value) = node.get(key).and_then(|it| Some((it.line, it.text()?))) {
            let item = Item::new(Kind::Instruction, file, value.0)
                .name(key)
                .say(format!("replaces the agent's own instructions by `{}`", value.1))
                .define(value.1);
            found.add(file, item);
        }
    }
}

fn redirect(file: &File<'_>, key: &str, value: Option<&Node>, found: &mut ScanResult) {
    let Some((line, url)) = value.and_then(|it| Some((it.line, it.text()?))) else { return };
    let own = ["https://api.openai.com", "http://localhost", "http://127.0.0.1"];
    let severity = if own.iter().any(|start| url.starts_with(start)) {
        Severity::Note
    } else {
        Severity::Danger
    };
    let item = Item::new(Kind::Redirect, file, line).name(key).url(url).grade(severity).define(url);
    found.add(file, item.say("sends what the agent says to another server"));
}
