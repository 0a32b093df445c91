//! Scans scripts that run when packages are installed.

use super::environment::Reach;
use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::tree::Node;
use super::words::joined;
use super::{code, environment, hooks, mcp};

/// Scripts that a package manager runs on install.
const LIFECYCLE: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "preprepare",
    "prepare",
    "postprepare",
    "prepublish",
    "dependencies",
    "pnpm:devPreinstall",
];

pub(super) fn manifest(file: &File<'_>, found: &mut ScanResult) {
    // Test data and templates have such files too: an invalid one runs nothing.
    let Ok(node) = super::tree::json(file.text) else { return };
    if let Some(scripts) = node.get("scripts") {
        for (name, script) in scripts.table() {
            let Some(text) = script.text().filter(|_| LIFECYCLE.contains(&name.as_str())) else {
                continue;
            };
            let item = Item::new(Kind::PackageScript, file, script.line)
                .name(name)
                .say(format!("runs at {name}, when packages are installed"))
                .command(text, Language::Shell);
            found.add(file, item);
        }
    }
    // Some agents read settings from here.
    for key in ["claude", "cursor"] {
        if let Some(inner) = node.get(key) {
            mcp::read(file, inner, found);
            if let Some(list) = inner.get("hooks") {
                hooks::read(file, list, found);
            }
        }
    }
}

/// npm settings that name a program or another registry.
pub(super) fn npmrc(file: &File<'_>, found: &mut ScanResult) {
    for (index, line) in file.text.lines().enumerate() {
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim(), value.trim());
        let runs = matches!(
            key,
            "script-shell"
                | "shell"
                | "node-options"
                | "git"
                | "editor"
                | "init-module"
                | "onload-script"
        );
        if runs {
            let item = Item::new(Kind::PackageScript, file, index + 1)
                .name(key)
                .say("names a program that npm runs")
                .grade(Severity::Warning)
                .command(value, Language::Shell);
            found.add(file, item);
        }
    }
}

/// A code file that is loaded at every install.
pub(super) fn loaded(file: &File<'_>, found: &mut ScanResult) {
    let what = format!("is loaded by {}, whenever packages are installed", file.host);
    code::whole(file, Kind::PackageScript, Severity::Warning, &what, found);
}

/// The program that yarn starts in its place, and its plugins. Both are common, but are code of the folder.
pub(super) fn yarnrc(file: &File<'_>, found: &mut ScanResult) {
    let mut plugins = false;
    for (index, row) in file.text.lines().enumerate() {
        let indented = row.starts_with([' ', '-']);
        let row = row.trim().trim_start_matches("- ").trim();
        let (key, value) = match row.split_once(':').or_else(|| row.split_once(' ')) {
            Some((key, value)) if !key.contains('/') => (key.trim(), value.trim()),
            _ => ("", row),
        };
        if !indented && !key.is_empty() {
            plugins = key == "plugins";
        }
        let value = value.trim_matches(['"', '\'']);
        let is_path = key == "yarnPath" || key == "yarn-path";
        let is_plugin = plugins && matches!(key, "" | "path");
        if value.is_empty() || !is_path && !is_plugin {
            continue;
        }
        let name = if is_path { key } else { "plugins" };
        let item = Item::new(Kind::PackageScript, file, index + 1)
            .name(name)
            .say("names code that yarn runs, whatever it is asked for")
            .command(&joined(["node", value]), Language::Shell);
        found.add(file, item);
    }
}

/// Files that bun loads first.
pub(super) fn bunfig(file: &File<'_>, found: &mut ScanResult) {
    let Ok(node) = super::tree::toml(file.text) else { return };
    let inner = node.get("test").and_then(|test| test.get("preload"));
    for preload in node.get("preload").into_iter().chain(inner) {
        for path in preload.texts() {
            let item = Item::new(Kind::PackageScript, file, preload.line)
                .name("preload")
                .say("names code that bun runs before everything else")
                .command(&joined(["node", path]), Language::Shell);
            found.add(file, item);
        }
    }
}

/// Programs that run their arguments.
const INTERPRETERS: &[&str] =
    &["bash", "env", "node", "perl", "python", "python3", "ruby", "sh", "zsh"];

/// cargo settings that name a program of the folder, or code. Language servers run cargo as soon as they see
/// the folder; `sccache` or another linker is common.
pub(super) fn cargo(file: &File<'_>, found: &mut ScanResult) {
    let Ok(node) = super::tree::toml(file.text) else { return };
    let mut named: Vec<(String, &Node)> = Vec::new();
    for key in ["rustc", "rustc-wrapper", "rustc-workspace-wrapper", "rustdoc"] {
        let value = node.get("build").and_then(|build| build.get(key));
        named.extend(value.map(|value| (format!("build.{key}"), value)));
    }
    for (target, table) in node.get("target").map(Node::table).unwrap_or_default() {
        for key in ["linker", "runner"] {
            let value = table.get(key).map(|value| (format!("target.{target}.{key}"), value));
            named.extend(value);
        }
    }
    for (name, value) in named {
        let words: Vec<&str> = value.texts().iter().flat_map(|it| it.split_whitespace()).collect();
        let Some(first) = words.first() else { continue };
        let is_local = first.contains(['/', '\\']) && !first.starts_with('/');
        if !is_local && !INTERPRETERS.contains(first) {
            continue;
        }
        let command = if value.list().is_empty() { words.join(" ") } else { joined(value.texts()) };
        let item = Item::new(Kind::PackageScript, file, value.line)
            .name(&name)
            .say("names a program that cargo runs, also when an editor looks at the code")
            .grade(Severity::Warning)
            .command(&command, Language::Shell);
        found.add(file, item);
    }
    if let Some(variables) = node.get("env") {
        environment::variables(file, "env", variables, Reach::Program, found);
    }
}
