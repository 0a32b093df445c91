//! Scripts that run when packages are installed.

use super::item::{File, Found, Item, Language};
use super::kinds::{Kind, Severity};
use super::{hooks, mcp};

/// Scripts that a package manager runs by itself on an install.
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

pub(super) fn manifest(file: &File<'_>, found: &mut Found) {
    // Test data and templates have such files too: one that cannot be read runs nothing.
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
    // Some agents read their settings from here as well.
    for key in ["claude", "cursor"] {
        if let Some(inner) = node.get(key) {
            mcp::read(file, inner, found);
            if let Some(list) = inner.get("hooks") {
                hooks::read(file, list, found);
            }
        }
    }
}

/// Settings of npm that name a program or another place for packages.
pub(super) fn npmrc(file: &File<'_>, found: &mut Found) {
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
