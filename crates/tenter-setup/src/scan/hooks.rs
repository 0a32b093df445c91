//! Scans hooks in the formats of all known hosts.

use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::tree::Node;
use super::words::joined;
use crate::mods::Power;

/// Handler keys with a command, and the language of each.
const COMMANDS: &[(&str, Language)] = &[
    ("command", Language::Shell),
    ("bash", Language::Shell),
    ("run", Language::Shell),
    ("linux", Language::Shell),
    ("osx", Language::Shell),
    ("powershell", Language::PowerShell),
    ("windows", Language::PowerShell),
    ("commandWindows", Language::Cmd),
    ("command_windows", Language::Cmd),
];

/// Keys beside events that are not events.
const NOT_EVENTS: &[&str] = &[
    "$schema",
    "version",
    "description",
    "enabled",
    "disabled",
    "notifications",
    "managed_dir",
    "windows_managed_dir",
    "modules",
];

/// A file with a `hooks` key.
pub(super) fn file(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    if node.get("disableAllHooks").is_some_and(|it| it.is(true)) {
        off(file, found, &node, "disableAllHooks");
    }
    for hooks in node.all("hooks") {
        read(file, hooks, found);
    }
}

/// `hooks/hooks.json` is a plugin's if it has the format; other programs have files of that name.
pub(super) fn of_plugin(file: &File<'_>, found: &mut ScanResult) {
    let dotted = file.rel.split('/').rev().nth(2).is_some_and(|above| above.starts_with('.'));
    let known = file.rel.split('/').any(|part| part == ".agents");
    if dotted || known {
        return;
    }
    let Ok(node) = super::tree::json(file.text) else {
        if file.text.contains("\"hooks\"") && file.text.contains("\"command\"") {
            found.unreadable(file, 1, "cannot be read as JSON, and looks like hooks");
        }
        return;
    };
    if let Some(hooks) = node.get("hooks") {
        read(file, hooks, found);
    }
    modules(file, &node, found);
}

/// Modules of a mod: code that Claude Code loads and that can bypass hooks.
pub(super) fn modules(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    let inner = node.get("hooks").and_then(|hooks| hooks.get("modules"));
    for list in node.get("modules").into_iter().chain(inner) {
        let names: Vec<&str> = list.texts().into_iter().take(20).collect();
        if names.is_empty() {
            continue;
        }
        let power = crate::mods::at(file.path);
        let (severity, what) = match power {
            Some(Power::Other) => (Severity::Warning, "it runs inside the agent"),
            _ => {
                (Severity::Danger, "it can keep hooks from being called, or discard what they say")
            }
        };
        let item = Item::new(Kind::PluginCode, file, list.line)
            .name("modules")
            .say(format!("loads {} into Claude Code: {what}", names.join(", ")))
            .grade(severity)
            .define(&list.json());
        found.add(file, item);
    }
}

/// Kiro's format: one hook per file.
pub(super) fn kiro(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    let event = node.find("when.type").and_then(Node::text).unwrap_or("hook");
    one(file, event, "", &node, found);
}

/// The value of a `hooks` key: lists by event, or one list of hooks that name their events.
pub(super) fn read(file: &File<'_>, hooks: &Node, found: &mut ScanResult) {
    for hook in hooks.list() {
        let names = ["trigger", "event", "id", "name"];
        let event = names.iter().find_map(|key| hook.get(key)?.text()).unwrap_or("hook");
        one(file, event, "", hook, found);
    }
    for (event, node) in hooks.table() {
        if NOT_EVENTS.contains(&event.as_str()) {
            continue;
        }
        if event == "state" {
            // Codex stores there which hooks its user has reviewed.
            let item = Item::new(Kind::SwitchedOff, file, node.line)
                .name("hooks.state")
                .say("brings its own approval of hooks")
                .define(&node.json());
            found.add(file, item);
            continue;
        }
        one(file, event, "", node, found);
    }
}

/// A hook, or a list of them. An unknown format is reported as is: a host may know it.
fn one(file: &File<'_>, event: &str, around: &str, node: &Node, found: &mut ScanResult) {
    let before = found.items.len();
    handlers(file, event, around, node, found, 0);
    if found.items.len() == before && !node.is_empty() {
        let item = Item::new(Kind::Hook, file, node.line)
            .name(event)
            .say("holds hooks of a shape that is not known")
            .define(&node.json());
        found.add(file, item);
    }
}

const DEPTH: usize = 8;

fn handlers(
    file: &File<'_>,
    event: &str,
    around: &str,
    node: &Node,
    found: &mut ScanResult,
    depth: usize,
) {
    if depth > DEPTH {
        return;
    }
    for inner in node.list() {
        handlers(file, event, around, inner, found, depth + 1);
    }
    if let Some(command) = node.text().filter(|text| !text.trim().is_empty()) {
        add(file, event, node, around, command, Language::Shell, found);
    }
    let matcher = node.get("matcher").map(Node::json).unwrap_or_default();
    let around = format!("{around}{matcher}");
    for (key, language) in COMMANDS {
        let Some(value) = node.get(key) else { continue };
        if let Some(text) = value.text() {
            let arguments = node.get("args").map(Node::texts).unwrap_or_default();
            let text = if node.get("args").is_some() {
                joined(std::iter::once(text).chain(arguments))
            } else {
                text.to_owned()
            };
            let powershell = node.get("shell").and_then(Node::text) == Some("powershell");
            let language = if powershell { Language::PowerShell } else { *language };
            add(file, event, node, &around, &text, language, found);
        } else if !value.list().is_empty() {
            add(file, event, node, &around, &joined(value.texts()), *language, found);
        } else {
            handlers(file, event, &around, value, found, depth + 1);
        }
    }
    if let Some(url) = node.get("url").and_then(Node::text) {
        let item = named(file, event, node, &around).url(url);
        found.add(file, item.say("sends what the agent does to a server"));
    }
    if let Some(prompt) = node.get("prompt").and_then(Node::text) {
        let item = named(file, event, node, &around).define(prompt).grade(Severity::Note);
        found.add(file, item.say("lets a model judge or go on by a prompt of the folder"));
    }
    if let (Some(server), Some(tool)) = (node.get("server"), node.get("tool")) {
        let name = [server, tool].map(|it| it.text().unwrap_or("?")).join("/");
        found.add(file, named(file, event, node, &around).say(format!("calls the tool `{name}`")));
    }
    for key in ["hooks", "action", "then", "transport"] {
        if let Some(inner) = node.get(key).filter(|inner| inner.text().is_none()) {
            handlers(file, event, &around, inner, found, depth + 1);
        }
    }
}

fn named(file: &File<'_>, event: &str, node: &Node, around: &str) -> Item {
    let off = node.get("enabled").is_some_and(|it| it.is(false));
    let item =
        Item::new(Kind::Hook, file, node.line).name(event).define(around).define(&node.json());
    if off { item.grade(Severity::Note) } else { item }
}

fn add(
    file: &File<'_>,
    event: &str,
    node: &Node,
    around: &str,
    command: &str,
    language: Language,
    found: &mut ScanResult,
) {
    let item = named(file, event, node, around).command(command, language);
    found.add(file, item.say(format!("runs by itself at {event}")));
}

/// Reports a key that disables hooks.
pub(super) fn off(file: &File<'_>, found: &mut ScanResult, node: &Node, key: &str) {
    let Some(value) = node.find(key) else { return };
    let item = Item::new(Kind::SwitchedOff, file, value.line)
        .name(key)
        .say("switches hooks off, also those that guard you")
        .define(&value.json());
    found.add(file, item);
}
