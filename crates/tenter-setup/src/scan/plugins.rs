//! Scans plugins and marketplaces in the folder.

use super::item::{File, Item, ScanResult};
use super::kinds::{Kind, Severity};
use super::tree::Node;
use super::{hooks, mcp};

/// A plugin's manifest: its parts are reported one by one.
pub(super) fn manifest(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    let name = node.get("name").and_then(Node::text).unwrap_or("plugin");
    let brings: Vec<&str> =
        ["hooks", "mcpServers", "lspServers", "commands", "agents", "skills", "rules"]
            .into_iter()
            .filter(|key| node.get(key).is_some_and(|it| !it.is_empty()))
            .collect();
    let what = if brings.is_empty() {
        "is a plugin".to_owned()
    } else {
        format!("is a plugin that brings {}", brings.join(", "))
    };
    let item = Item::new(Kind::Plugin, file, 1).name(name).say(what).grade(Severity::Note);
    found.add(file, item.define(&node.json()));
    for key in ["hooks", "mcpServers", "lspServers"] {
        let Some(value) = node.get(key) else { continue };
        // One or more paths: files with known names are scanned anyway, the others here.
        for path in value.texts() {
            elsewhere(file, key, path, value.line, found);
        }
        if !value.table().is_empty() {
            inner(file, key, value, found);
        }
    }
}

fn inner(file: &File<'_>, key: &str, value: &Node, found: &mut ScanResult) {
    if key == "hooks" {
        let list = value.get("hooks").unwrap_or(value);
        hooks::read(file, list, found);
    } else {
        for (name, server) in value.table() {
            mcp::one(file, name, server, found);
        }
    }
}

/// A file of hooks or servers with a custom name.
fn elsewhere(file: &File<'_>, key: &str, path: &str, line: usize, found: &mut ScanResult) {
    let relative = path.trim_start_matches("./").trim_start_matches("${CLAUDE_PLUGIN_ROOT}/");
    // Files with known names are scanned anyway.
    if ["hooks/hooks.json", ".mcp.json"].contains(&relative) {
        return;
    }
    let out = relative.starts_with('/') || relative.split('/').any(|part| part == "..");
    let plugin = file.path.parent().and_then(std::path::Path::parent);
    let read = plugin
        .filter(|_| !out)
        .map(|plugin| plugin.join(relative))
        .and_then(|path| found.inside(&path).map(|path| super::read::whole(&path)));
    match read {
        Some(Ok(bytes)) => {
            let text = String::from_utf8_lossy(&bytes);
            let top = file.rel.rsplit('/').nth(1).map_or(0, str::len) + file.name().len() + 2;
            let start =
                file.rel.get(..(file.rel.len() + 1).saturating_sub(top)).unwrap_or_default();
            let rel = format!("{start}{relative}");
            let other = File { rel: &rel, host: file.host, path: file.path, text: &text };
            let Some(node) = found.json(&other) else { return };
            let value = node.get(key).unwrap_or(&node);
            inner(&other, key, value, found);
        }
        Some(Err(_)) | None => {
            let item = Item::new(Kind::Plugin, file, line)
                .name(key)
                .say(format!("takes {key} from `{path}`, which is not in the folder"))
                .define(path);
            found.add(file, item);
        }
    }
}

/// A list of plugins that can be installed from here.
pub(super) fn marketplace(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    let plugins = node.get("plugins").map(Node::list).unwrap_or_default();
    let names: Vec<&str> =
        plugins.iter().filter_map(|plugin| plugin.get("name")?.text()).take(10).collect();
    let item = Item::new(Kind::Plugin, file, 1)
        .name("marketplace")
        .say(format!("offers {} plugins: {}", plugins.len(), names.join(", ")))
        .grade(Severity::Note);
    found.add(file, item.define(&node.json()));
}
