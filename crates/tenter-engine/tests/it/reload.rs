//! Reloading of changed files.

use std::fs;
use std::thread;

use serde_json::json;
use tenter_engine::Engine;
use tenter_engine::diagnostic::Severity;

use crate::support::{Workspace, complaint, file_of, fire, ran, runs, soon, stdout};

const EVENT: &str = "afterAgentResponse";
const FILE: &str = "project/.cursor/hooks.json";

fn printing(word: &str) -> String {
    json!({ "version": 1, "hooks": { EVENT: [runs(&format!("printf {word}"))] } }).to_string()
}

/// An engine on a project whose hook prints `one`.
fn started() -> (Workspace, Engine) {
    let workspace = Workspace::with_text(&printing("one"));
    let engine = workspace.engine();
    assert_eq!(said(&engine), "one");
    (workspace, engine)
}

fn said(engine: &Engine) -> String {
    stdout(&fire(engine, EVENT, json!({})), 0)
}

#[test]
fn a_save_is_seen_by_the_next_event() {
    let (workspace, engine) = started();
    for word in ["two", "three", "four"] {
        workspace.write(FILE, &printing(word));
        assert_eq!(said(&engine), word);
    }
    assert_eq!(engine.revision(), 3);
}

#[test]
fn a_save_by_renaming_is_seen_by_the_next_event() {
    let (workspace, engine) = started();
    workspace.write("new", &printing("two"));
    fs::rename(workspace.path("new"), workspace.path(FILE)).unwrap();
    assert_eq!(said(&engine), "two");
}

#[test]
fn saves_of_the_same_length_in_quick_succession_are_all_seen() {
    let (workspace, engine) = started();
    let mut missed = 0;
    for round in 0..200 {
        let word = if round % 2 == 0 { "two" } else { "one" };
        fs::write(workspace.path(FILE), printing(word)).unwrap();
        engine.refresh();
        let seen = engine.config().hooks[0].name().to_owned();
        missed += usize::from(seen != format!("printf {word}"));
    }
    assert_eq!(missed, 0, "of 200");
}

#[test]
fn a_save_within_one_tick_of_the_clock_is_seen() {
    let (workspace, engine) = started();
    let before = fs::metadata(workspace.path(FILE)).unwrap().modified().unwrap();
    fs::write(workspace.path(FILE), printing("two")).unwrap();
    // Many file systems keep times no finer than a few milliseconds.
    let file = fs::File::options().write(true).open(workspace.path(FILE)).unwrap();
    file.set_modified(before).unwrap();
    assert_eq!(said(&engine), "two", "the same length, the same time, another content");
}

#[test]
fn what_has_not_changed_is_not_read_again() {
    let (_workspace, engine) = started();
    let before = engine.config();
    for _ in 0..3 {
        said(&engine);
        engine.refresh();
    }
    assert_eq!(engine.revision(), 0);
    assert!(std::sync::Arc::ptr_eq(&before, &engine.config()));
}

#[test]
fn a_broken_save_keeps_the_last_good_content_and_is_reported() {
    let (workspace, engine) = started();
    for broken in ["", "{", "{\"version\": 1, \"hooks\": {\n  oops\n}}"] {
        workspace.write(FILE, broken);
        assert_eq!(said(&engine), "one", "{broken}");
        assert!(engine.config().is_broken());
        let found = engine.diagnostics();
        assert_eq!(found[0].severity, Severity::Error);
        assert_eq!(found[0].file, workspace.path(FILE));
        complaint(&engine, "last good content");
    }
    assert_eq!(complaint(&engine, "no hook of this file runs").position.unwrap().line, 2);
    workspace.write(FILE, &printing("two"));
    assert_eq!(said(&engine), "two");
    assert!(!engine.config().is_broken());
    assert_eq!(engine.diagnostics(), []);
    assert_eq!(engine.revision(), 4);
}

#[test]
fn a_file_that_was_never_good_has_no_last_good_content() {
    let workspace = Workspace::with_text("{");
    let engine = workspace.engine();
    workspace.write(FILE, "{{");
    let outcome = fire(&engine, EVENT, json!({}));
    assert!(outcome.hooks.is_empty());
    let found = engine.diagnostics();
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn a_broken_save_does_not_touch_the_other_layers() {
    let (workspace, engine) = started();
    workspace.hooks("user", EVENT, &json!([runs("printf user")]));
    workspace.write(FILE, "{");
    let outcome = fire(&engine, EVENT, json!({}));
    assert_eq!([stdout(&outcome, 0), stdout(&outcome, 1)], ["one", "user"]);
}

#[test]
fn the_hooks_of_a_deleted_file_are_gone() {
    let (workspace, engine) = started();
    fs::remove_file(workspace.path(FILE)).unwrap();
    assert!(fire(&engine, EVENT, json!({})).hooks.is_empty());
    assert_eq!(engine.diagnostics(), []);
    workspace.write(FILE, &printing("back"));
    assert_eq!(said(&engine), "back");
    assert_eq!(engine.revision(), 2);
}

#[test]
fn a_new_file_of_any_layer_is_seen() {
    for layer in ["enterprise", "team", "project", "user", "plugin"] {
        let workspace = Workspace::new();
        let engine = workspace.engine();
        assert!(fire(&engine, EVENT, json!({})).hooks.is_empty());
        workspace.write(file_of(layer), &printing("new"));
        assert_eq!(said(&engine), "new", "{layer}");
        assert_eq!(engine.revision(), 1);
    }
}

#[test]
fn a_new_settings_file_of_claude_is_seen() {
    for file in ["claude-local", "claude-project", "claude-user"] {
        let workspace = Workspace::new();
        let engine = workspace.engine();
        workspace.claude(file_of(file), "Stop", &crate::support::group("", "true"));
        assert_eq!(ran(&fire(&engine, "stop", json!({}))), 1, "{file}");
    }
}

#[test]
fn a_plugin_that_moves_its_hooks_is_followed() {
    let workspace = Workspace::new();
    workspace.write(file_of("plugin"), &printing("folder"));
    let engine = workspace.engine();
    assert_eq!(said(&engine), "folder");
    workspace.write("plugin/own.json", &printing("own"));
    workspace.write("plugin/.cursor-plugin/plugin.json", r#"{"hooks": "own.json"}"#);
    assert_eq!(said(&engine), "own");
    workspace.write("plugin/own.json", &printing("changed"));
    assert_eq!(said(&engine), "changed");
    let manifest = json!({ "hooks": { EVENT: [runs("printf inline")] } });
    workspace.write("plugin/.cursor-plugin/plugin.json", &manifest.to_string());
    assert_eq!(said(&engine), "inline");
    fs::remove_file(workspace.path("plugin/.cursor-plugin/plugin.json")).unwrap();
    assert_eq!(said(&engine), "folder");
}

#[test]
fn a_running_event_keeps_its_configuration_and_a_reload_does_not_wait_for_it() {
    let workspace = Workspace::new();
    let slow = "touch started; while [ ! -e go ]; do sleep 0.05; done; printf slow";
    workspace.hooks("project", EVENT, &json!([runs(slow), runs("printf second")]));
    let engine = workspace.engine();
    thread::scope(|scope| {
        let running = scope.spawn(|| fire(&engine, EVENT, json!({})));
        assert!(soon(|| workspace.path("project/started").exists()));
        workspace.write(FILE, &printing("new"));
        assert_eq!(said(&engine), "new");
        assert!(!running.is_finished());
        workspace.write("project/go", "");
        let outcome = running.join().unwrap();
        assert_eq!([stdout(&outcome, 0), stdout(&outcome, 1)], ["slow", "second"]);
        assert_eq!(engine.revision(), 1);
    });
}

#[test]
fn a_hook_that_edits_its_own_file_is_seen_by_the_next_event() {
    let workspace = Workspace::new();
    workspace.write("next.json", &printing("two"));
    let command = "cp ../next.json .cursor/hooks.json; printf one";
    workspace.hooks("project", EVENT, &json!([runs(command)]));
    let engine = workspace.engine();
    assert_eq!(said(&engine), "one");
    assert_eq!(said(&engine), "two");
}

#[test]
fn diagnostics_follow_the_file() {
    let workspace = Workspace::with("onSave", &json!([runs("true")]));
    let engine = workspace.engine();
    complaint(&engine, "unknown event");
    workspace.write(FILE, &printing("fine"));
    engine.refresh();
    assert_eq!(engine.diagnostics(), []);
}

#[test]
fn many_threads_see_a_change_once() {
    let (workspace, engine) = started();
    workspace.write(FILE, &printing("two"));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| engine.refresh());
        }
    });
    assert_eq!((engine.revision(), said(&engine)), (1, "two".to_owned()));
}
