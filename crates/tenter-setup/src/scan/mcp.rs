//! Scans MCP servers: programs started, addresses contacted, tools offered.

use std::path::Path;

use super::environment::{self, Reach};
use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::tree::Node;
use super::words::joined;
use super::{catalogue, walk};

/// Keys with a table of servers.
const KEYS: &[&str] = &["mcpServers", "servers", "mcp_servers", "mcp", "context_servers"];

/// Files that hold the servers of a user or a project, below the home or the project.
const FILES: &[&str] = &[
    ".claude.json",
    ".mcp.json",
    ".cursor/mcp.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".vscode/mcp.json",
];

/// The servers that are configured below a home or a project, and files that cannot be read.
pub fn configured(root: &Path) -> Vec<Item> {
    let mut found = ScanResult::new(root);
    for rel in FILES {
        let path = root.join(rel);
        if path.symlink_metadata().is_ok() {
            walk::visit(&catalogue::of(rel), &path, rel, &mut found);
        }
    }
    let kinds = [Kind::McpServer, Kind::Unreadable];
    found.items.into_iter().filter(|item| kinds.contains(&item.kind)).collect()
}

/// A file with servers only.
pub(super) fn servers(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    read(file, &node, found);
    // Plugins may omit the key.
    if !node.table().iter().any(|(key, _)| KEYS.contains(&key.as_str())) {
        for (name, server) in node.table() {
            if ["command", "url"].iter().any(|key| server.get(key).is_some()) {
                one(file, name, server, found);
            }
        }
    }
}

/// All servers under the known keys.
pub(super) fn read(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    for (key, inner) in node.table() {
        // The user's file of Claude Code holds the servers of its projects.
        if key == "projects" {
            inner.table().iter().for_each(|(_, project)| read(file, project, found));
        }
        if !KEYS.contains(&key.as_str()) {
            continue;
        }
        // `mcp: { servers: {...} }`, as in VS Code workspaces.
        if key == "mcp" && inner.get("servers").is_some() {
            read(file, inner, found);
            continue;
        }
        for (name, server) in inner.table() {
            one(file, name, server, found);
        }
        for server in inner.list() {
            let name = server.get("name").and_then(Node::text).unwrap_or("server");
            one(file, name, server, found);
        }
    }
}

pub(super) fn one(file: &File<'_>, name: &str, server: &Node, found: &mut ScanResult) {
    let mut item = Item::new(Kind::McpServer, file, server.line).name(name).define(&server.json());
    let command = server.get("command");
    // Zed keeps the program in a nested table.
    let program = command.and_then(|it| it.text().or_else(|| it.get("path")?.text()));
    let arguments = |node: &Node| {
        node.get("args").map(|it| it.texts().into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    let url = ["url", "httpUrl", "serverUrl", "uri"].iter().find_map(|key| server.get(key)?.text());
    if let Some(program) = program {
        let rest = arguments(server).or_else(|| command.and_then(arguments)).unwrap_or_default();
        let words = std::iter::once(program).chain(rest.iter().map(String::as_str));
        // Some hosts pass a program with blanks to a shell.
        let text = if rest.is_empty() { program.to_owned() } else { joined(words) };
        item = item
            .command(&text, Language::Shell)
            .say("starts a program and offers its tools to the agent");
    } else if let Some(list) = command.filter(|it| !it.list().is_empty()) {
        item = item
            .command(&joined(list.texts()), Language::Shell)
            .say("starts a program and offers its tools to the agent");
    } else if let Some(url) = url {
        item = item.url(url).say("offers the tools of a server to the agent");
    } else {
        item = item.say("is a server of a shape that is not known");
    }
    let off = server.get("disabled").is_some_and(|it| it.is(true))
        || server.get("enabled").is_some_and(|it| it.is(false));
    if off {
        item = item.grade(Severity::Note);
    }
    found.add(file, item);
    trusted(file, name, server, found);
    if let Some(helper) = server.get("headersHelper") {
        let item = Item::new(Kind::AgentCommand, file, helper.line)
            .name(&format!("{name}.headersHelper"))
            .say("runs whenever the server is asked")
            .command(helper.text().unwrap_or_default(), Language::Shell);
        found.add(file, item.define(&helper.json()));
    }
    for key in ["env", "environment"] {
        if let Some(variables) = server.get(key) {
            environment::variables(
                file,
                &format!("{name}.{key}"),
                variables,
                Reach::Program,
                found,
            );
        }
    }
}

/// Servers whose tools run without asking.
fn trusted(file: &File<'_>, name: &str, server: &Node, found: &mut ScanResult) {
    for key in ["trust", "alwaysAllow", "autoApprove", "default_tools_approval_mode"] {
        let Some(value) = server.get(key) else { continue };
        let harmless = value.is_empty() || value.is(false) || value.text() == Some("prompt");
        if harmless {
            continue;
        }
        let item = Item::new(Kind::Permission, file, value.line)
            .name(&format!("{name}.{key}"))
            .say("lets tools of this server run without a question")
            .define(&value.json());
        found.add(file, item);
    }
}
