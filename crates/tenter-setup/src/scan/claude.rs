//! Scans Claude Code's settings: many keys besides hooks run something.

use super::environment::{self, Reach};
use super::hooks;
use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::permissions::{allowed, grants};
use super::tree::Node;

/// Keys with a command.
const COMMANDS: &[(&str, &str)] = &[
    ("statusLine", "runs whenever the status line is drawn"),
    ("subagentStatusLine", "runs whenever the status line is drawn"),
    ("fileSuggestion", "runs whenever a file is looked for"),
    ("apiKeyHelper", "runs at the start and gives the key that is sent to the model's server"),
    ("awsAuthRefresh", "runs at the start, to sign in"),
    ("awsCredentialExport", "runs at the start, to sign in"),
    ("gcpAuthRefresh", "runs at the start, to sign in"),
    ("otelHeadersHelper", "runs at the start, for headers of telemetry"),
    ("proxyAuthHelper", "runs at the start, to sign in"),
];

pub(super) fn settings(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    read(file, &node, found);
}

fn read(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    for (key, value) in node.table() {
        match key.as_str() {
            "hooks" => hooks::read(file, value, found),
            "env" => environment::variables(file, "env", value, Reach::Agent, found),
            _ => {}
        }
        if let Some((_, what)) = COMMANDS.iter().find(|(name, _)| name == key) {
            command(file, key, what, value, found);
        }
    }
    if node.get("disableAllHooks").is_some_and(|it| it.is(true)) {
        hooks::off(file, found, node, "disableAllHooks");
    }
    if let Some(rules) = node.find("permissions.allow") {
        allowed(file, "permissions.allow", rules, found);
    }
    if let Some(folders) = node.find("permissions.additionalDirectories") {
        directories(file, folders, found);
    }
    let mode = "permissions.defaultMode";
    grants(file, node, mode, &["bypassPermissions", "dontAsk"], Severity::Danger, found);
    grants(file, node, mode, &["auto", "acceptEdits"], Severity::Warning, found);
    grants(file, node, "skipDangerousModePermissionPrompt", &[], Severity::Danger, found);
    grants(file, node, "skipAutoPermissionPrompt", &[], Severity::Danger, found);
    grants(file, node, "enableAllProjectMcpServers", &[], Severity::Danger, found);
    grants(file, node, "enabledMcpjsonServers", &[], Severity::Warning, found);
    grants(file, node, "sandbox.excludedCommands", &[], Severity::Warning, found);
    grants(file, node, "sandbox.autoAllowBashIfSandboxed", &[], Severity::Note, found);
    grants(file, node, "sandbox.enableWeakerNestedSandbox", &[], Severity::Warning, found);
    if let Some(off) = node.find("sandbox.enabled").filter(|it| it.is(false)) {
        let item = Item::new(Kind::SwitchedOff, file, off.line)
            .name("sandbox.enabled")
            .say("switches the sandbox off")
            .define("false");
        found.add(file, item);
    }
    plugins(file, node, found);
}

fn command(file: &File<'_>, key: &str, what: &str, value: &Node, found: &mut ScanResult) {
    let text = value.text().or_else(|| value.get("command")?.text());
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return };
    let item = Item::new(Kind::AgentCommand, file, value.line)
        .name(key)
        .say(what)
        .command(text, Language::Shell)
        .define(&value.json());
    found.add(file, item);
}

/// Reports folders outside this one that the agent may work in.
fn directories(file: &File<'_>, folders: &Node, found: &mut ScanResult) {
    for folder in folders.list() {
        let Some(text) = folder.text() else { continue };
        let outside = text.starts_with(['/', '~', '$']) || text.starts_with("..");
        if !outside {
            continue;
        }
        let item = Item::new(Kind::Permission, file, folder.line)
            .name("permissions.additionalDirectories")
            .say(format!("lets the agent work in `{text}`"))
            .define(text);
        found.add(file, item);
    }
}

fn plugins(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    if let Some(enabled) = node.get("enabledPlugins") {
        let on = enabled.table().iter().filter(|(_, it)| !it.is(false));
        let names: Vec<&str> =
            on.map(|(name, _)| name.as_str()).chain(enabled.texts()).take(20).collect();
        if !names.is_empty() {
            let item = Item::new(Kind::Plugin, file, enabled.line)
                .name("enabledPlugins")
                .say(format!("enables {}", names.join(", ")))
                .define(&enabled.json());
            found.add(file, item);
        }
    }
    if let Some(places) = node.get("extraKnownMarketplaces") {
        for (name, place) in places.table() {
            let item = Item::new(Kind::Plugin, file, place.line)
                .name(&format!("extraKnownMarketplaces.{name}"))
                .say("adds a place that plugins are loaded from")
                .define(&place.json());
            found.add(file, item);
        }
    }
}
