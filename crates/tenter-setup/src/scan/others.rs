//! Scans files of agents that need only a few lines each.

use super::environment::Reach;
use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::permissions::{allowed, grants};
use super::tree::Node;
use super::words::joined;
use super::{environment, hooks, mcp, yaml};

/// Settings of an unknown agent, if they resemble known ones.
pub(super) fn settings(file: &File<'_>, found: &mut ScanResult) {
    let Ok(node) = super::tree::json(file.text) else {
        if file.text.contains("\"hooks\"") || file.text.contains("\"mcpServers\"") {
            found.unreadable(
                file,
                1,
                "cannot be read as JSON, and looks like settings of an agent",
            );
        }
        return;
    };
    if node.get("hooks").is_some() || node.get("mcpServers").is_some() {
        shared(file, &node, found);
    }
}

/// Copilot's repository settings.
pub(super) fn copilot(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    shared(file, &node, found);
}

/// Keys common to many settings: hooks, servers, switches, variables.
fn shared(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    for inner in node.all("hooks") {
        hooks::read(file, inner, found);
    }
    for key in ["disableAllHooks", "hooksDisabled"] {
        if node.get(key).is_some_and(|it| it.is(true)) {
            hooks::off(file, found, node, key);
        }
    }
    mcp::read(file, node, found);
    if let Some(variables) = node.get("env") {
        environment::variables(file, "env", variables, Reach::Agent, found);
    }
    if let Some(rules) = node.find("permissions.allow") {
        allowed(file, "permissions.allow", rules, found);
    }
}

pub(super) fn copilot_steps(file: &File<'_>, found: &mut ScanResult) {
    for line in yaml::lines(file.text) {
        if line.key == "run" && !line.value.is_empty() {
            let item = Item::new(Kind::Container, file, line.number)
                .name("run")
                .say("runs in the agent's machine")
                .command(&line.value, Language::Shell);
            found.add(file, item);
        }
    }
}

pub(super) fn factory(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    shared(file, &node, found);
    if let Some(rules) = node.get("commandAllowlist") {
        allowed(file, "commandAllowlist", rules, found);
    }
    grants(file, &node, "autonomyLevel", &["auto-high", "high"], Severity::Danger, found);
    grants(file, &node, "autonomyMode", &["auto-high"], Severity::Danger, found);
    for model in node.get("customModels").map(Node::list).unwrap_or_default() {
        let url = ["baseUrl", "base_url"].iter().find_map(|key| model.get(key)?.text());
        if let Some(url) = url {
            let item = Item::new(Kind::Redirect, file, model.line)
                .name("customModels")
                .url(url)
                .grade(Severity::Warning)
                .define(&model.json());
            found.add(file, item);
        }
    }
}

pub(super) fn augment(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    shared(file, &node, found);
    if let Some(rules) = node.get("toolPermissions").filter(|it| it.json().contains("\"allow\"")) {
        let item = Item::new(Kind::Permission, file, rules.line)
            .name("toolPermissions")
            .say("lets tools run without a question")
            .define(&rules.json());
        found.add(file, item);
    }
}

/// An agent of the Kiro or Amazon Q CLI.
pub(super) fn kiro_agent(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    shared(file, &node, found);
    if let Some(rules) = node.get("allowedTools") {
        allowed(file, "allowedTools", rules, found);
    }
    for (name, tool) in node.get("toolsSettings").map(Node::table).unwrap_or_default() {
        for key in ["allowedCommands", "autoAllowReadonly"] {
            if let Some(value) = tool.get(key).filter(|it| it.json().contains(".*")) {
                let item = Item::new(Kind::Permission, file, value.line)
                    .name(&format!("toolsSettings.{name}.{key}"))
                    .say("lets commands run without a question")
                    .define(&value.json());
                found.add(file, item);
            }
        }
    }
}

pub(super) fn opencode(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    shared(file, &node, found);
    if let Some(plugins) = node.get("plugin") {
        for name in plugins.texts() {
            let item = Item::new(Kind::Plugin, file, plugins.line)
                .name(name)
                .say(format!("loads `{name}` into the agent, without a question"))
                .define(name);
            found.add(file, item);
        }
    }
    for kind in ["formatter", "lsp"] {
        for (name, program) in node.get(kind).map(Node::table).unwrap_or_default() {
            let Some(command) = program.get("command").filter(|it| !it.is_empty()) else {
                continue;
            };
            let text = command.text().map_or_else(|| joined(command.texts()), str::to_owned);
            let item = Item::new(Kind::AgentCommand, file, program.line)
                .name(&format!("{kind}.{name}"))
                .say("runs when a file is edited")
                .command(&text, Language::Shell)
                .define(&program.json());
            found.add(file, item);
        }
    }
    if let Some(inner) = node.find("experimental.hook") {
        for (event, hook) in inner.table() {
            for one in hook.list().iter().chain(hook.table().iter().flat_map(|(_, it)| it.list())) {
                let Some(command) = one.get("command") else { continue };
                let item = Item::new(Kind::Hook, file, one.line)
                    .name(event)
                    .say(format!("runs by itself at {event}"))
                    .command(&joined(command.texts()), Language::Shell)
                    .define(&one.json());
                found.add(file, item);
            }
        }
    }
    grants(file, &node, "permission", &["allow"], Severity::Warning, found);
    for key in ["permission.bash", "permission.edit", "permission.*"] {
        grants(file, &node, key, &["allow"], Severity::Warning, found);
    }
    for (name, provider) in node.get("provider").map(Node::table).unwrap_or_default() {
        if let Some(url) = provider.find("options.baseURL").and_then(Node::text) {
            let item = Item::new(Kind::Redirect, file, provider.line)
                .name(&format!("provider.{name}"))
                .url(url)
                .grade(Severity::Warning)
                .define(&provider.json());
            found.add(file, item);
        }
    }
}

pub(super) fn amp(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    amp_settings(file, &node, found);
    grants(file, &node, "amp.dangerouslyAllowAll", &[], Severity::Danger, found);
    grants(file, &node, "amp.commands.allowlist", &[], Severity::Warning, found);
}

/// Amp also keeps settings among the editor's.
pub(super) fn amp_settings(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    if let Some(inner) = node.find("amp.hooks") {
        for hook in inner.list() {
            let name = hook.get("id").and_then(Node::text).unwrap_or("amp.hooks");
            let item = Item::new(Kind::Hook, file, hook.line)
                .name(name)
                .say("changes what is said to the agent, or what it does")
                .grade(Severity::Note)
                .define(&hook.json());
            found.add(file, item);
        }
    }
    for (name, server) in node.find("amp.mcpServers").map(Node::table).unwrap_or_default() {
        mcp::one(file, name, server, found);
    }
    for rule in node.find("amp.permissions").map(Node::list).unwrap_or_default() {
        let action = rule.get("action").and_then(Node::text).unwrap_or_default();
        let item = Item::new(Kind::Permission, file, rule.line)
            .name("amp.permissions")
            .define(&rule.json());
        match (action, rule.get("to").and_then(Node::text)) {
            ("delegate", Some(program)) => {
                let item = item.of_kind(Kind::AgentCommand);
                let item = item.say("runs to decide what the agent may do");
                found.add(file, item.command(program, Language::Shell));
            }
            ("allow", _) => found.add(file, item.say("lets tools run without a question")),
            _ => {}
        }
    }
}

pub(super) fn crush(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    shared(file, &node, found);
    for (name, server) in node.get("lsp").map(Node::table).unwrap_or_default() {
        let Some(program) = server.get("command").and_then(Node::text) else { continue };
        let arguments = server.get("args").map(Node::texts).unwrap_or_default();
        let item = Item::new(Kind::AgentCommand, file, server.line)
            .name(&format!("lsp.{name}"))
            .say("is started with the agent")
            .command(&joined(std::iter::once(program).chain(arguments)), Language::Shell)
            .define(&server.json());
        found.add(file, item);
    }
    if let Some(rules) = node.find("permissions.allowed_tools") {
        allowed(file, "permissions.allowed_tools", rules, found);
    }
    substitutions(file, &node, found);
}

/// Crush runs the text between `$(` and `)` in any value.
fn substitutions(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    if let Some((_, inner)) = node.text().and_then(|text| text.split_once("$(")) {
        let command = inner.rsplit_once(')').map_or(inner, |(command, _)| command);
        let item = Item::new(Kind::AgentCommand, file, node.line)
            .name("$(...)")
            .say("runs when the settings are read")
            .command(command, Language::Shell);
        found.add(file, item);
    }
    for item in node.list() {
        substitutions(file, item, found);
    }
    for (_, item) in node.table() {
        substitutions(file, item, found);
    }
}

pub(super) fn aider(file: &File<'_>, found: &mut ScanResult) {
    for line in yaml::lines(file.text) {
        let on = matches!(line.value.as_str(), "true" | "yes" | "on");
        let item = Item::new(Kind::AgentCommand, file, line.number).name(&line.key);
        match line.key.as_str() {
            "lint-cmd" | "test-cmd" | "notifications-command" | "editor"
                if !line.value.is_empty() =>
            {
                let item = item.say("runs after the agent has edited something");
                found.add(file, item.command(&line.value, Language::Shell));
            }
            "yes-always" if on => {
                let item = item.of_kind(Kind::Permission);
                found.add(file, item.say("lets the agent act without asking").define("true"));
            }
            "openai-api-base" | "set-env" | "api-key" if !line.value.is_empty() => {
                let item = item.of_kind(Kind::Redirect).grade(Severity::Warning);
                found.add(file, item.say("changes the server or the account").define(&line.value));
            }
            _ => {}
        }
    }
}

pub(super) fn continue_file(file: &File<'_>, found: &mut ScanResult) {
    for line in yaml::lines(file.text) {
        let item = Item::new(Kind::McpServer, file, line.number).name(&line.key);
        match line.key.as_str() {
            "command" if !line.value.is_empty() => {
                let item = item.say("starts a program and offers its tools to the agent");
                found.add(file, item.command(&line.value, Language::Shell));
            }
            "apiBase" if !line.value.is_empty() => {
                let item = item.of_kind(Kind::Redirect).grade(Severity::Warning).url(&line.value);
                found.add(file, item.say("sends what the agent says to another server"));
            }
            _ => {}
        }
    }
}

pub(super) fn gitpod(file: &File<'_>, found: &mut ScanResult) {
    for line in yaml::lines(file.text) {
        let runs = matches!(line.key.as_str(), "init" | "before" | "command" | "prebuild");
        if runs && !line.value.is_empty() {
            let item = Item::new(Kind::Container, file, line.number)
                .name(&line.key)
                .say("runs in the container")
                .command(&line.value, Language::Shell);
            found.add(file, item);
        }
    }
}

/// One of our policies: its handlers are programs of the folder.
pub(super) fn policy(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.toml(file) else { return };
    for handler in node.get("handler").map(Node::list).unwrap_or_default() {
        let id = handler.get("id").and_then(Node::text).unwrap_or("handler");
        let words = handler.get("run").map(Node::texts).unwrap_or_default();
        let item = Item::new(Kind::PolicyHandler, file, handler.line)
            .name(id)
            .say("runs on events, once it is trusted")
            .command(&joined(words), Language::Shell)
            .define(&handler.json());
        found.add(file, item);
    }
}
