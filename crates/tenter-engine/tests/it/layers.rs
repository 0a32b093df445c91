//! Which files are read, in which order, and where their commands run.

use serde_json::{Value, json};
use tenter_engine::diagnostic::Severity;
use tenter_engine::layer::{ENTERPRISE, LayerKind, Layers, OS};

use crate::support::{
    Workspace, answer, complaint, file_of, fire, group, is_quiet, order, ran, runs, says, stdout,
};

const EVENT: &str = "afterAgentResponse";
const HERE: &str = r#"printf '%s|%s' "$PWD" "$CURSOR_PROJECT_DIR""#;

/// A hook of `layer` that prints its working directory and project.
fn whereabouts(layer: &str) -> (Workspace, String) {
    let workspace = Workspace::with_layer(layer, HERE);
    let outcome = workspace.fire_tool();
    assert_eq!(order(&outcome), [layer]);
    (workspace, stdout(&outcome, 0))
}

/// Writes hooks in the layer's format, at an event that both Cursor and Claude know.
trait AnyLayer {
    fn with_layer(layer: &str, command: &str) -> Workspace;
    fn put(&self, layer: &str, command: &str);
    fn fire_tool(&self) -> tenter_engine::Outcome;
}

impl AnyLayer for Workspace {
    fn with_layer(layer: &str, command: &str) -> Workspace {
        let workspace = Workspace::new();
        workspace.put(layer, command);
        workspace
    }

    fn put(&self, layer: &str, command: &str) {
        if layer.starts_with("claude") {
            self.claude(file_of(layer), "PostToolUse", &group("*", command));
        } else {
            self.hooks(layer, "postToolUse", &json!([runs(command)]));
        }
    }

    fn fire_tool(&self) -> tenter_engine::Outcome {
        self.fire("postToolUse", json!({ "tool_name": "Shell" }))
    }
}

fn runs_in(layer: &str, directory: &str) {
    let (workspace, said) = whereabouts(layer);
    let (directory, project) = (workspace.path(directory), workspace.path("project"));
    assert_eq!(said, format!("{}|{}", directory.display(), project.display()));
}

#[test]
fn enterprise_hooks_run_in_the_enterprise_directory() {
    runs_in("enterprise", "enterprise");
}

#[test]
fn team_hooks_run_in_the_managed_directory() {
    runs_in("team", "team");
}

#[test]
fn project_hooks_run_in_the_project_root() {
    runs_in("project", "project");
}

#[test]
fn user_hooks_run_in_the_users_cursor_directory() {
    runs_in("user", "home/.cursor");
}

#[test]
fn plugin_hooks_run_in_the_plugin_root() {
    runs_in("plugin", "plugin");
}

#[test]
fn claude_local_hooks_run_in_the_project_root() {
    runs_in("claude-local", "project");
}

#[test]
fn claude_project_hooks_run_in_the_project_root() {
    runs_in("claude-project", "project");
}

#[test]
fn claude_user_hooks_run_in_the_project_root() {
    runs_in("claude-user", "project");
}

const ALL: [&str; 8] = [
    "enterprise",
    "team",
    "project",
    "user",
    "plugin",
    "claude-local",
    "claude-project",
    "claude-user",
];

/// A workspace with a hook in every layer that returns the layer's name as context.
fn full() -> Workspace {
    let workspace = Workspace::new();
    for layer in ALL {
        let text = if layer.starts_with("claude") {
            json!({ "hookSpecificOutput": { "additionalContext": layer } })
        } else {
            json!({ "additional_context": layer })
        };
        workspace.put(layer, &crate::support::printing(&text.to_string()));
    }
    workspace
}

#[test]
fn all_layers_run_and_their_order_is_that_of_the_priority() {
    let workspace = full();
    let engine = workspace.engine();
    assert!(is_quiet(&engine), "{:?}", engine.diagnostics());
    let outcome = fire(&engine, "postToolUse", json!({ "tool_name": "Shell" }));
    assert_eq!(order(&outcome), ALL);
    assert_eq!(ran(&outcome), 8);
    assert_eq!(answer(&outcome), json!({ "additional_context": ALL.join("\n\n") }));
}

#[test]
fn each_layer_can_be_had_alone() {
    for kind in LayerKind::ALL {
        let mut workspace = full();
        workspace.layers.only = vec![kind];
        assert_eq!(order(&workspace.fire_tool()), [kind.as_str()]);
    }
}

#[test]
fn several_layers_can_be_had_alone_and_keep_their_order() {
    let mut workspace = full();
    workspace.layers.only = vec![LayerKind::User, LayerKind::Enterprise];
    assert_eq!(order(&workspace.fire_tool()), ["enterprise", "user"]);
}

#[test]
fn claudes_files_are_left_alone_when_third_party_imports_are_off() {
    let mut workspace = full();
    workspace.layers.claude = false;
    assert_eq!(order(&workspace.fire_tool()), &ALL[..5]);
}

#[test]
fn an_untrusted_workspace_runs_no_hook_that_came_with_it() {
    let mut workspace = full();
    workspace.layers.trusted = false;
    let engine = workspace.engine();
    let outcome = fire(&engine, "postToolUse", json!({ "tool_name": "Shell" }));
    assert_eq!(order(&outcome), ["enterprise", "team", "user", "plugin", "claude-user"]);
    let untrusted: Vec<_> = engine
        .diagnostics()
        .into_iter()
        .filter(|one| one.message.contains("not trusted"))
        .map(|one| one.file)
        .collect();
    let files = ["project", "claude-local", "claude-project"].map(|l| workspace.path(file_of(l)));
    assert_eq!(untrusted, files);
}

#[test]
fn an_untrusted_workspace_without_hooks_is_no_reason_to_complain() {
    let mut workspace = Workspace::new();
    workspace.layers.trusted = false;
    assert_eq!(workspace.engine().diagnostics(), []);
}

#[test]
fn missing_files_and_missing_directories_are_fine() {
    let mut workspace = Workspace::new();
    assert_eq!(workspace.engine().diagnostics(), []);
    workspace.layers.enterprise = Some(workspace.path("nowhere"));
    workspace.layers.home = Some(workspace.path("nobody"));
    workspace.layers.roots = vec![workspace.path("gone")];
    workspace.layers.plugins = vec![workspace.path("unplugged")];
    let engine = workspace.engine();
    assert_eq!(engine.diagnostics(), []);
    let outcome = fire(&engine, EVENT, json!({}));
    assert!(outcome.hooks.is_empty() && !outcome.blocked && outcome.answer.is_empty());
}

#[test]
fn layers_that_are_not_named_are_not_looked_at() {
    let mut workspace = full();
    workspace.layers.enterprise = None;
    workspace.layers.team = None;
    workspace.layers.home = None;
    workspace.layers.plugins.clear();
    let outcome = workspace.fire_tool();
    assert_eq!(order(&outcome), ["project", "claude-local", "claude-project"]);
    workspace.layers = Layers::default();
    assert!(workspace.fire_tool().hooks.is_empty());
}

#[test]
fn the_enterprise_file_is_at_its_documented_place() {
    let documented = match OS {
        "macos" => "/Library/Application Support/Cursor",
        "windows" => r"C:\ProgramData\Cursor",
        _ => "/etc/cursor",
    };
    assert_eq!(ENTERPRISE, documented);
    let layers = Layers::of_workspace("/w".as_ref(), Some("/h".as_ref()));
    assert_eq!(layers.enterprise.unwrap().to_str(), Some(documented));
    assert!(!layers.trusted, "trust is given, not assumed");
    assert!(layers.claude, "third-party imports are on by default");
}

#[test]
fn the_enterprise_denies_what_the_user_allows() {
    let workspace = Workspace::new();
    let event = "beforeShellExecution";
    workspace.hooks("enterprise", event, &json!([says(&json!({ "permission": "deny" }))]));
    workspace.hooks("user", event, &json!([says(&json!({ "permission": "allow" }))]));
    assert!(workspace.fire(event, json!({ "command": "ls" })).blocked);
}

#[test]
fn the_user_denies_what_the_enterprise_allows() {
    let workspace = Workspace::new();
    let event = "beforeShellExecution";
    workspace.hooks("enterprise", event, &json!([says(&json!({ "permission": "allow" }))]));
    workspace.hooks("user", event, &json!([says(&json!({ "permission": "deny" }))]));
    assert!(workspace.fire(event, json!({ "command": "ls" })).blocked);
}

#[test]
fn hooks_of_one_file_keep_the_order_of_the_file() {
    let entries: Vec<Value> =
        (0..10).map(|n| says(&json!({ "additional_context": n.to_string() }))).collect();
    let outcome = Workspace::with("sessionStart", &json!(entries)).fire("sessionStart", json!({}));
    let context = "0\n\n1\n\n2\n\n3\n\n4\n\n5\n\n6\n\n7\n\n8\n\n9";
    assert_eq!(answer(&outcome), json!({ "additional_context": context }));
}

#[test]
fn the_same_command_in_two_native_layers_runs_once_per_layer() {
    let workspace = Workspace::new();
    for layer in ["enterprise", "project", "user"] {
        workspace.hooks(layer, EVENT, &json!([runs("true")]));
    }
    assert_eq!(ran(&workspace.fire(EVENT, json!({}))), 3);
}

#[test]
fn every_root_has_its_hooks_its_directory_and_its_project_in_the_order_of_the_roots() {
    let mut workspace = Workspace::new();
    for root in ["second", "first"] {
        let file = json!({ "version": 1, "hooks": { EVENT: [runs(HERE)] } }).to_string();
        workspace.write(&format!("{root}/.cursor/hooks.json"), &file);
    }
    workspace.layers.roots = vec![workspace.path("first"), workspace.path("second")];
    let outcome = workspace.fire(EVENT, json!({}));
    assert_eq!(order(&outcome), ["project", "project"]);
    for (at, root) in ["first", "second"].iter().enumerate() {
        let root = workspace.path(root);
        assert_eq!(stdout(&outcome, at), format!("{0}|{0}", root.display()));
    }
}

#[test]
fn with_several_roots_the_others_are_told_of_the_first() {
    let mut workspace = Workspace::new();
    workspace.layers.roots = vec![workspace.path("first"), workspace.path("second")];
    workspace.hooks("user", EVENT, &json!([runs(HERE)]));
    let outcome = workspace.fire(EVENT, json!({}));
    assert!(stdout(&outcome, 0).ends_with(workspace.path("first").to_str().unwrap()));
}

#[test]
fn every_root_has_its_claude_files_and_local_ones_come_first() {
    let mut workspace = Workspace::new();
    for root in ["one", "two"] {
        for name in ["settings.local.json", "settings.json"] {
            let file = format!("{root}/.claude/{name}");
            let command = format!("printf '{root} {name}'");
            workspace.claude(&file, "PostToolUse", &group("*", &command));
        }
    }
    workspace.layers.roots = vec![workspace.path("one"), workspace.path("two")];
    let outcome = workspace.fire_tool();
    assert_eq!(
        order(&outcome),
        ["claude-local", "claude-local", "claude-project", "claude-project"],
    );
    let said: Vec<String> = (0..4).map(|at| stdout(&outcome, at)).collect();
    let expected = [
        "one settings.local.json",
        "two settings.local.json",
        "one settings.json",
        "two settings.json",
    ];
    assert_eq!(said, expected);
}

#[test]
fn the_same_relative_handler_of_two_roots_runs_in_both() {
    let mut workspace = Workspace::new();
    for root in ["one", "two"] {
        let file = format!("{root}/.claude/settings.json");
        workspace.claude(&file, "PostToolUse", &group("*", "pwd"));
    }
    workspace.layers.roots = vec![workspace.path("one"), workspace.path("two")];
    let outcome = workspace.fire_tool();
    assert_eq!(ran(&outcome), 2, "a relative command is another program in another root");
}

#[test]
fn a_plugins_hooks_are_found_in_its_folder() {
    let workspace = Workspace::new();
    workspace.write("plugin/.cursor-plugin/plugin.json", r#"{"name": "p"}"#);
    workspace.hooks("plugin", EVENT, &json!([runs("true")]));
    assert_eq!(ran(&workspace.fire(EVENT, json!({}))), 1);
}

#[test]
fn a_plugin_may_leave_out_the_version() {
    let workspace = Workspace::new();
    workspace.write(file_of("plugin"), r#"{"hooks": {"stop": [{"command": "true"}]}}"#);
    let engine = workspace.engine();
    assert_eq!(engine.diagnostics(), []);
    assert_eq!(ran(&fire(&engine, "stop", json!({}))), 1);
}

#[test]
fn a_path_in_a_plugins_manifest_replaces_the_folder() {
    let workspace = Workspace::new();
    workspace.hooks("plugin", EVENT, &json!([runs("printf folder")]));
    workspace.write("plugin/.cursor-plugin/plugin.json", r#"{"hooks": "./more/mine.json"}"#);
    let file = json!({ "hooks": { EVENT: [runs("printf manifest")] } });
    workspace.write("plugin/more/mine.json", &file.to_string());
    let outcome = workspace.fire(EVENT, json!({}));
    assert_eq!(outcome.hooks.len(), 1);
    assert_eq!(stdout(&outcome, 0), "manifest");
    let named = outcome.hooks[0].hook.layer.file.clone();
    assert_eq!(named, workspace.path("plugin/./more/mine.json"));
}

#[test]
fn an_object_in_a_plugins_manifest_replaces_the_folder() {
    let workspace = Workspace::new();
    workspace.hooks("plugin", EVENT, &json!([runs("printf folder")]));
    for hooks in [
        json!({ EVENT: [runs("pwd")] }),
        json!({ "version": 1, "hooks": { EVENT: [runs("pwd")] } }),
    ] {
        let manifest = json!({ "name": "p", "hooks": hooks });
        workspace.write("plugin/.cursor-plugin/plugin.json", &manifest.to_string());
        let engine = workspace.engine();
        assert_eq!(engine.diagnostics(), []);
        let outcome = fire(&engine, EVENT, json!({}));
        assert_eq!(outcome.hooks.len(), 1);
        assert_eq!(stdout(&outcome, 0).trim(), workspace.path("plugin").to_str().unwrap());
    }
}

#[test]
fn a_manifest_that_names_a_file_that_is_not_there_is_reported() {
    let workspace = Workspace::new();
    workspace.write("plugin/.cursor-plugin/plugin.json", r#"{"hooks": "./mine.json"}"#);
    complaint(&workspace.engine(), "mine.json");
}

#[test]
fn a_manifest_whose_hooks_are_neither_path_nor_object_is_reported() {
    let workspace = Workspace::new();
    workspace.write("plugin/.cursor-plugin/plugin.json", r#"{"hooks": 7}"#);
    complaint(&workspace.engine(), "plugin.json");
}

#[test]
fn a_broken_manifest_costs_that_plugin_alone() {
    let mut workspace = Workspace::new();
    workspace.layers.plugins.push(workspace.path("other"));
    workspace.write("plugin/.cursor-plugin/plugin.json", "{");
    let file = json!({ "hooks": { EVENT: [runs("true")] } }).to_string();
    workspace.write("other/hooks/hooks.json", &file);
    let engine = workspace.engine();
    assert_eq!(complaint(&engine, "plugin.json").severity, Severity::Error);
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 1);
}

#[test]
fn plugins_come_in_the_order_they_are_named() {
    let mut workspace = Workspace::new();
    workspace.layers.plugins = ["b", "a"].map(|name| workspace.path(name)).to_vec();
    for name in ["a", "b"] {
        let file = json!({ "hooks": { EVENT: [runs(&format!("printf {name}"))] } });
        workspace.write(&format!("{name}/hooks/hooks.json"), &file.to_string());
    }
    let outcome = workspace.fire(EVENT, json!({}));
    assert_eq!([stdout(&outcome, 0), stdout(&outcome, 1)], ["b", "a"]);
}

#[test]
fn plugins_that_workspace_open_brings_run_from_the_next_event_on() {
    let mut workspace = Workspace::new();
    workspace.layers.plugins.clear();
    let path = workspace.path("plugin").display().to_string();
    workspace.hooks("plugin", EVENT, &json!([runs("true")]));
    let paths = json!({ "pluginPaths": [path, "relative"] });
    workspace.hooks("user", "workspaceOpen", &json!([says(&paths)]));
    let engine = workspace.engine();
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 0);
    fire(&engine, "workspaceOpen", json!({}));
    fire(&engine, "workspaceOpen", json!({}));
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 1);
}

fn elsewhere() -> &'static str {
    if OS == "windows" { "linux" } else { "windows" }
}

#[test]
fn a_teams_hook_for_another_system_is_listed_and_does_not_run() {
    let workspace = Workspace::new();
    let entries = json!([
        { "command": "true", "os": elsewhere() },
        { "command": "true", "os": OS },
        { "command": "true", "os": [elsewhere(), OS] },
        { "command": "true" },
    ]);
    workspace.hooks("team", EVENT, &entries);
    let engine = workspace.engine();
    assert_eq!(engine.diagnostics(), []);
    let outcome = fire(&engine, EVENT, json!({}));
    let ran: Vec<bool> = outcome.hooks.iter().map(|run| run.ran).collect();
    assert_eq!(ran, [false, true, true, true]);
    assert_eq!(outcome.hooks[0].outcome, tenter_engine::HookOutcome::Disabled);
}

#[test]
fn a_teams_file_for_another_system_does_not_run() {
    let workspace = Workspace::new();
    let file = |os: Value| json!({ "version": 1, "os": os, "hooks": { EVENT: [runs("true")] } });
    workspace.write("team/hooks.json", &file(json!([elsewhere()])).to_string());
    assert_eq!(ran(&workspace.fire(EVENT, json!({}))), 0);
    workspace.write("team/hooks.json", &file(json!([elsewhere(), OS])).to_string());
    assert_eq!(ran(&workspace.fire(EVENT, json!({}))), 1);
}

#[test]
fn a_system_nobody_knows_does_not_switch_a_teams_hook_off() {
    let workspace = Workspace::new();
    workspace.hooks("team", EVENT, &json!([{ "command": "true", "os": "beos" }]));
    let engine = workspace.engine();
    complaint(&engine, "names no system");
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 1);
}

#[test]
fn os_means_nothing_outside_of_the_team_layer() {
    let workspace = Workspace::with(EVENT, &json!([{ "command": "true", "os": elsewhere() }]));
    let engine = workspace.engine();
    complaint(&engine, "unknown key `os`");
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 1);
}
