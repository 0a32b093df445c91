//! Scans editor files: automatic tasks, settings that run programs, development containers.

use std::collections::{BTreeMap, BTreeSet};

use tenter_model::hash::sha256;

use super::environment::Reach;
use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::permissions::grants;
use super::tree::Node;
use super::words::joined;
use super::{environment, mcp};

/// VS Code tasks that start when the folder is opened.
pub(super) fn tasks(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    of_tasks(file, &node, found);
}

/// Variables of tasks: an agent may be started by any task.
fn of_task_variables(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    let tasks = node.get("tasks").map(Node::list).unwrap_or_default();
    for task in tasks.iter().chain([node]) {
        for part in [Some(task), task.get("linux"), task.get("osx"), task.get("windows")] {
            if let Some(set) = part.and_then(|it| it.find("options.env")) {
                environment::variables(file, "options.env", set, Reach::Task, found);
            }
        }
    }
}

fn of_tasks(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    of_task_variables(file, node, found);
    let every = node.find("runOptions.runOn").and_then(Node::text);
    let tasks = node.get("tasks").map(Node::list).unwrap_or_default();
    let starts = |task: &&Node| {
        let runs_on = task.find("runOptions.runOn").and_then(Node::text).or(every);
        runs_on == Some("folderOpen")
    };
    let mut by_label: BTreeMap<String, Vec<&Node>> = BTreeMap::new();
    for task in tasks {
        by_label.entry(label_of(task)).or_default().push(task);
    }
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut waiting: Vec<(&Node, String)> = Vec::new();
    let first = "runs when the folder is opened".to_owned();
    waiting.extend(tasks.iter().filter(starts).map(|task| (task, first.clone())));
    waiting.reverse();
    while let Some((task, what)) = waiting.pop() {
        if !known.insert(task.json()) {
            continue;
        }
        let label = label_of(task);
        let mut any = false;
        for part in [Some(task), task.get("linux"), task.get("osx"), task.get("windows")] {
            let Some(text) = part.and_then(command_of) else { continue };
            any = true;
            let item = task_item(file, task, &label, &what).command(&text, Language::Shell);
            found.add(file, item);
        }
        if !any {
            found.add(file, task_item(file, task, &label, &what));
        }
        // A task's dependencies run before it.
        let before = format!("runs when the folder is opened, before `{label}`");
        for wanted in task.get("dependsOn").into_iter().flat_map(labels) {
            // Each name once: a foreign file may repeat them any number of times.
            let named = by_label.remove(&wanted).unwrap_or_default();
            waiting.extend(named.into_iter().map(|task| (task, before.clone())));
        }
    }
}

/// The names in `dependsOn`: a name, or a list of names and anonymous tasks.
fn labels(node: &Node) -> Vec<String> {
    let name = |node: &Node| node.text().map_or_else(|| label_of(node), str::to_owned);
    if node.list().is_empty() { vec![name(node)] } else { node.list().iter().map(name).collect() }
}

/// A task's label; an npm task without one is named by its script.
fn label_of(task: &Node) -> String {
    let label = ["label", "taskName"].iter().find_map(|key| task.get(key)?.text());
    let script = || Some(format!("npm: {}", task.get("script")?.text()?));
    label.map(str::to_owned).or_else(script).unwrap_or_else(|| "task".to_owned())
}

fn task_item(file: &File<'_>, task: &Node, label: &str, what: &str) -> Item {
    Item::new(Kind::EditorTask, file, task.line).name(label).say(what).define(&task.json())
}

/// A task's command; a word may be a table with quoting.
fn command_of(task: &Node) -> Option<String> {
    let word = |node: &Node| Some(node.text().or_else(|| node.get("value")?.text())?.to_owned());
    if task.get("type").and_then(Node::text) == Some("npm") {
        return Some(joined(["npm", "run", task.get("script")?.text()?]));
    }
    let program = word(task.get("command")?)?;
    let arguments: Vec<String> =
        task.get("args").map(|it| it.list().iter().filter_map(word).collect()).unwrap_or_default();
    if arguments.is_empty() {
        return Some(program);
    }
    Some(format!("{program} {}", joined(arguments.iter().map(String::as_str))))
}

/// Settings that skip a confirmation, and the values that do.
const GRANTS: &[(&str, &[&str], Severity)] = &[
    ("chat.tools.autoApprove", &[], Severity::Danger),
    ("chat.tools.global.autoApprove", &[], Severity::Danger),
    ("chat.agent.autoApprove", &[], Severity::Danger),
    ("chat.tools.terminal.autoApprove", &[], Severity::Warning),
    ("chat.tools.edits.autoApprove", &[], Severity::Warning),
    ("chat.tools.urls.autoApprove", &[], Severity::Warning),
    ("chat.tools.eligibleForAutoApproval", &[], Severity::Warning),
    ("task.allowAutomaticTasks", &["on"], Severity::Danger),
    ("claudeCode.allowDangerouslySkipPermissions", &[], Severity::Danger),
    ("claudeCode.initialPermissionMode", &["bypassPermissions"], Severity::Danger),
    ("cline.autoApprovalSettings", &[], Severity::Warning),
    ("roo-cline.allowedCommands", &[], Severity::Warning),
    ("amp.dangerouslyAllowAll", &[], Severity::Danger),
    ("amp.commands.allowlist", &[], Severity::Warning),
    ("chat.mcp.autostart", &["true", "newAndOutdated"], Severity::Warning),
];

/// Settings that disable something.
const OFF: &[(&str, &str)] = &[
    ("security.workspace.trust.enabled", "switches the question whether the folder is trusted off"),
    ("chat.useHooks", "switches the hooks of agents off"),
    ("http.proxyStrictSSL", "lets anybody between you and a server read along"),
];

pub(super) fn settings(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    of_settings(file, &node, found);
}

fn of_settings(file: &File<'_>, node: &Node, found: &mut ScanResult) {
    for (key, values, severity) in GRANTS {
        grants(file, node, key, values, *severity, found);
    }
    for (key, what) in OFF {
        if let Some(value) = node.find(key).filter(|it| it.is(false)) {
            let item = Item::new(Kind::SwitchedOff, file, value.line).name(key).say(*what);
            found.add(file, item.define("false"));
        }
    }
    mcp::read(file, node, found);
    let own = "claudeCode.environmentVariables";
    if let Some(list) = node.find(own) {
        environment::pairs(file, own, list, Reach::Agent, found);
    }
    for key in ["http.proxy", "github.copilot.advanced", "claudeCode.environmentVariables"] {
        let Some(value) = node.find(key).filter(|it| !it.is_empty()) else { continue };
        let item = Item::new(Kind::Redirect, file, value.line).name(key).grade(Severity::Warning);
        found.add(file, item.define(&value.json()));
    }
    for key in ["chat.hookFilesLocations", "chat.agentSkillsLocations"] {
        let Some(value) = node.find(key).filter(|it| !it.is_empty()) else { continue };
        let item = Item::new(Kind::EditorSetting, file, value.line)
            .name(key)
            .say("adds files whose hooks or skills the agent uses")
            .define(&value.json());
        found.add(file, item);
    }
    for (key, value) in node.table() {
        setting(file, key, value, found);
    }
    super::others::amp_settings(file, node, found);
}

/// Settings that name a program, by the end of their key.
fn setting(file: &File<'_>, key: &str, value: &Node, found: &mut ScanResult) {
    if key.starts_with("terminal.integrated.env.") {
        environment::variables(file, key, value, Reach::Editor, found);
        return;
    }
    let terminal = ["terminal.integrated.profiles.", "terminal.integrated.automationProfile."];
    if terminal.iter().any(|start| key.starts_with(start)) {
        for (name, profile) in value.table() {
            let profile = if name == "path" { value } else { profile };
            let Some(path) = profile.get("path").map(Node::texts) else { continue };
            let arguments = profile.get("args").map(Node::texts).unwrap_or_default();
            let text = joined(path.into_iter().take(1).chain(arguments));
            program(file, key, value, &text, found);
        }
        return;
    }
    let lower = key.to_ascii_lowercase();
    if lower.ends_with("overridecommand") || lower.ends_with(".command") {
        let text = value.text().map_or_else(|| joined(value.texts()), str::to_owned);
        // `clippy` and the like are subcommands of a tool, not programs.
        let is_line = text.contains(['/', ' ', '\\']) && !lower.starts_with("workbench.");
        if is_line || lower.ends_with("overridecommand") && !text.is_empty() {
            program(file, key, value, &text, found);
        }
        return;
    }
    // A program path matters if it leads into the folder, since the folder provides the program.
    let names = ["path", "executable", "interpreter", "binary", "runtime", "server", "shell"];
    let last = lower.rsplit('.').next().unwrap_or_default();
    if !names.iter().any(|name| last.ends_with(name)) {
        return;
    }
    let Some(text) = value.text() else { return };
    let own = text.starts_with("./") || text.starts_with("../") || text.contains("${workspace");
    let generated =
        [".venv", "venv/", "node_modules", "target/", ".tox"].iter().any(|it| text.contains(it));
    if own && !generated {
        let item = Item::new(Kind::EditorSetting, file, value.line)
            .name(key)
            .say("makes the editor run a program of the folder")
            .command(text, Language::Shell)
            .define(&value.json());
        // A folder or a settings file may be named so, too.
        if found.names_program(file, &item) {
            found.add(file, item);
        }
    }
}

fn program(file: &File<'_>, key: &str, value: &Node, text: &str, found: &mut ScanResult) {
    let item = Item::new(Kind::EditorSetting, file, value.line)
        .name(key)
        .say("makes the editor run a command")
        .command(text, Language::Shell)
        .define(&value.json());
    found.add(file, item);
}

/// A workspace file contains settings, tasks and servers.
pub(super) fn workspace(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    if let Some(inner) = node.get("settings") {
        of_settings(file, inner, found);
    }
    if let Some(inner) = node.get("tasks") {
        of_tasks(file, inner, found);
    }
    mcp::read(file, &node, found);
}

/// Zed starts the language servers and context servers of its settings.
pub(super) fn zed(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    mcp::read(file, &node, found);
    for (name, server) in node.get("lsp").map(Node::table).unwrap_or_default() {
        let Some(path) = server.find("binary.path").and_then(Node::text) else { continue };
        let arguments = server.find("binary.arguments").map(Node::texts).unwrap_or_default();
        let item = Item::new(Kind::EditorSetting, file, server.line)
            .name(&format!("lsp.{name}.binary"))
            .say("makes the editor run a command")
            .command(&joined(std::iter::once(path).chain(arguments)), Language::Shell)
            .define(&server.json());
        found.add(file, item);
    }
}

/// Commands of a development container, and where they run.
const CONTAINER: &[(&str, Severity, &str)] = &[
    (
        "initializeCommand",
        Severity::Warning,
        "runs on your own machine, before the container is built",
    ),
    ("onCreateCommand", Severity::Note, "runs in the container"),
    ("updateContentCommand", Severity::Note, "runs in the container"),
    ("postCreateCommand", Severity::Note, "runs in the container"),
    ("postStartCommand", Severity::Note, "runs in the container"),
    ("postAttachCommand", Severity::Note, "runs in the container"),
];

pub(super) fn devcontainer(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    for (key, severity, what) in CONTAINER {
        let Some(value) = node.get(key) else { continue };
        let mut commands: Vec<(usize, String)> = Vec::new();
        let one = |node: &Node| match node.text() {
            Some(text) => text.to_owned(),
            None => joined(node.texts()),
        };
        if value.table().is_empty() {
            commands.push((value.line, one(value)));
        }
        commands.extend(value.table().iter().map(|(_, node)| (node.line, one(node))));
        for (line, text) in commands.into_iter().filter(|(_, text)| !text.is_empty()) {
            let item = Item::new(Kind::Container, file, line)
                .name(key)
                .say(*what)
                .grade(*severity)
                .command(&text, Language::Shell);
            found.add(file, item);
        }
    }
    for key in ["mounts", "runArgs", "privileged", "workspaceMount"] {
        let Some(value) = node.get(key) else { continue };
        let text = value.json();
        let risky = [
            "docker.sock",
            "privileged",
            "source=/,",
            "${localEnv:HOME}",
            "--pid=host",
            ".ssh",
            ".aws",
        ];
        if value.is(true) || risky.iter().any(|word| text.contains(word)) {
            let item = Item::new(Kind::Container, file, value.line)
                .name(key)
                .say("gives the container a way out, to your machine or your files")
                .grade(Severity::Warning)
                .define(&text);
            found.add(file, item);
        }
    }
    for key in ["containerEnv", "remoteEnv"] {
        if let Some(set) = node.get(key) {
            environment::variables(file, key, set, Reach::Container, found);
        }
    }
    if let Some(inner) = node.find("customizations.vscode.settings") {
        of_settings(file, inner, found);
    }
    if let Some(inner) = node.find("customizations.vscode") {
        mcp::read(file, inner, found);
    }
}

/// Set-up commands of Cursor's cloud agents and worktrees.
pub(super) fn cursor_environment(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    for key in ["install", "start", "update"] {
        let Some((line, text)) = node.get(key).and_then(|it| Some((it.line, it.text()?))) else {
            continue;
        };
        let item =
            Item::new(Kind::Container, file, line).name(key).say("runs in the agent's machine");
        found.add(file, item.command(text, Language::Shell));
    }
    for terminal in node.get("terminals").map(Node::list).unwrap_or_default() {
        let Some(text) = terminal.get("command").and_then(Node::text) else { continue };
        let item = Item::new(Kind::Container, file, terminal.line)
            .name("terminals")
            .say("runs in the agent's machine")
            .command(text, Language::Shell);
        found.add(file, item);
    }
}

pub(super) fn cursor_worktrees(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.json(file) else { return };
    for (key, value) in node.table() {
        if !key.starts_with("setup-worktree") {
            continue;
        }
        for text in value.texts() {
            let item = Item::new(Kind::Hook, file, value.line)
                .name(key)
                .say("runs by itself when the agent makes a worktree")
                .command(text, Language::Shell);
            found.add(file, item);
        }
    }
}

/// Run configurations in `.idea` that the editor starts with the project.
pub(super) fn jetbrains(file: &File<'_>, found: &mut ScanResult) {
    for (index, line) in file.text.lines().enumerate() {
        if line.contains("name=\"ProjectStartup") {
            let item = Item::new(Kind::EditorTask, file, index + 1)
                .name("startup")
                .say("starts run configurations when the project is opened")
                .define(&sha256(file.text.as_bytes()));
            found.add(file, item);
        }
        let server = line.contains("McpServer") && line.contains("command");
        if server {
            let item = Item::new(Kind::McpServer, file, index + 1).name("server");
            found.add(file, item.define(line.trim()));
        }
    }
}

/// Emacs runs `eval` in a folder's variables after confirmation.
pub(super) fn emacs(file: &File<'_>, found: &mut ScanResult) {
    let runs = |line: &str| {
        let line = line.trim_start();
        !line.starts_with(';') && (line.contains("(eval") || line.contains("shell-command"))
    };
    if let Some((index, _)) = file.text.lines().enumerate().find(|(_, line)| runs(line)) {
        let item = Item::new(Kind::FolderScript, file, index + 1)
            .name("eval")
            .say("runs when a file of the folder is opened, once it was agreed to")
            .define(&sha256(file.text.as_bytes()));
        found.add(file, item);
    }
}

/// mise runs hooks and sources files when a shell enters the folder.
pub(super) fn mise(file: &File<'_>, found: &mut ScanResult) {
    let Some(node) = found.toml(file) else { return };
    for (event, hook) in node.get("hooks").map(Node::table).unwrap_or_default() {
        for part in hook.list().iter().chain([hook]) {
            let text = part
                .text()
                .or_else(|| ["script", "run"].iter().find_map(|key| part.get(key)?.text()));
            let Some(text) = text else { continue };
            let item = Item::new(Kind::FolderScript, file, hook.line)
                .name(&format!("hooks.{event}"))
                .say(format!("runs at {event}, once mise trusts the folder"))
                .command(text, Language::Shell);
            found.add(file, item);
        }
    }
    if let Some(environment) = node.get("env") {
        environment::variables(file, "env", environment, Reach::Agent, found);
        if let Some(source) = environment.find("_.source") {
            for text in source.texts() {
                let item = Item::new(Kind::FolderScript, file, source.line)
                    .name("env._.source")
                    .say("is read by the shell, once mise trusts the folder")
                    .command(text, Language::Shell);
                found.add(file, item);
            }
        }
    }
}
