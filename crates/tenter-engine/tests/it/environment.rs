//! Environment variables of a hook's process.

use std::ffi::OsString;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_engine::Engine;
use tenter_engine::runner::{Job, Runner};

use crate::support::{Workspace, file_of, fire, group, runs, says, stdout};

const EVENT: &str = "afterAgentResponse";

/// A hook that answers with the value of a variable, or `unset`.
fn prints(name: &str) -> Value {
    runs(&format!("printf '%s' \"${{{name}-unset}}\""))
}

/// The value of a variable in a project hook's environment.
fn finds(workspace: &Workspace, name: &str, payload: Value) -> String {
    workspace.hooks("project", EVENT, &json!([prints(name)]));
    stdout(&workspace.fire(EVENT, payload), 0)
}

#[test]
fn the_project_directory_is_always_there_under_both_names() {
    let workspace = Workspace::new();
    let project = workspace.path("project").display().to_string();
    for name in ["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"] {
        assert_eq!(finds(&workspace, name, json!({})), project, "{name}");
    }
}

#[test]
fn without_roots_the_project_directory_is_that_of_the_payload() {
    let mut workspace = Workspace::new();
    workspace.layers.roots.clear();
    workspace.hooks("user", EVENT, &json!([prints("CURSOR_PROJECT_DIR")]));
    let outcome = workspace.fire(EVENT, json!({ "workspace_roots": ["/one", "/two"] }));
    assert_eq!(stdout(&outcome, 0), "/one");
    assert_eq!(stdout(&workspace.fire(EVENT, json!({})), 0), "unset");
}

#[test]
fn the_version_is_that_of_the_payload_or_the_one_that_is_acted() {
    let workspace = Workspace::new().acting(|s| s.cursor_version = "2.9.1".to_owned());
    assert_eq!(finds(&workspace, "CURSOR_VERSION", json!({})), "2.9.1");
    let payload = json!({ "cursor_version": "3.0.0" });
    assert_eq!(finds(&workspace, "CURSOR_VERSION", payload), "3.0.0");
}

#[test]
fn the_users_email_is_there_when_it_is_known() {
    let workspace = Workspace::new();
    let name = "CURSOR_USER_EMAIL";
    assert_eq!(finds(&workspace, name, json!({})), "unset");
    assert_eq!(finds(&workspace, name, json!({ "user_email": null })), "unset");
    assert_eq!(finds(&workspace, name, json!({ "user_email": "a@b.c" })), "a@b.c");
    let workspace = workspace.acting(|settings| settings.user_email = Some("d@e.f".to_owned()));
    assert_eq!(finds(&workspace, name, json!({})), "d@e.f");
    assert_eq!(finds(&workspace, name, json!({ "user_email": "a@b.c" })), "a@b.c");
}

#[test]
fn the_transcript_is_there_when_it_is_known() {
    let workspace = Workspace::new();
    let name = "CURSOR_TRANSCRIPT_PATH";
    assert_eq!(finds(&workspace, name, json!({ "transcript_path": null })), "unset");
    assert_eq!(finds(&workspace, name, json!({ "transcript_path": "/t" })), "/t");
}

#[test]
fn a_remote_workspace_is_marked() {
    let workspace = Workspace::new();
    assert_eq!(finds(&workspace, "CURSOR_CODE_REMOTE", json!({})), "unset");
    let workspace = workspace.acting(|settings| settings.remote = true);
    assert_eq!(finds(&workspace, "CURSOR_CODE_REMOTE", json!({})), "true");
}

#[test]
fn a_plugins_hook_knows_the_plugins_root_and_no_other_hook_does() {
    let workspace = Workspace::new();
    let entry = prints("CURSOR_PLUGIN_ROOT");
    for layer in ["enterprise", "team", "project", "user", "plugin"] {
        workspace.hooks(layer, EVENT, &json!([entry]));
    }
    let outcome = workspace.fire(EVENT, json!({}));
    let plugin = workspace.path("plugin").display().to_string();
    for (at, expected) in ["unset", "unset", "unset", "unset", &plugin].iter().enumerate() {
        assert_eq!(stdout(&outcome, at), *expected);
    }
}

#[test]
fn the_plugins_root_is_filled_in_in_a_plugins_command() {
    let workspace = Workspace::new();
    workspace.write("plugin/hooks/here.sh", "printf found");
    let entry = runs("sh \"${CURSOR_PLUGIN_ROOT}/hooks/here.sh\"");
    workspace.hooks("plugin", EVENT, &json!([entry]));
    assert_eq!(stdout(&workspace.fire(EVENT, json!({})), 0), "found");
}

#[test]
fn claudes_hooks_know_the_project_too() {
    let workspace = Workspace::new();
    let command = "printf '%s' \"$CLAUDE_PROJECT_DIR\"";
    workspace.claude(file_of("claude-user"), "Stop", &group("", command));
    let outcome = workspace.fire("stop", json!({}));
    assert_eq!(stdout(&outcome, 0), workspace.path("project").display().to_string());
}

#[test]
fn the_rest_is_our_own_environment() {
    let workspace = Workspace::new();
    assert_ne!(finds(&workspace, "PATH", json!({})), "unset");
}

// Variables of a session

/// A workspace whose `sessionStart` sets variables and whose other hooks print one.
fn session(variables: &Value, name: &str) -> (Workspace, Engine) {
    let workspace = Workspace::new();
    workspace.hooks("user", "sessionStart", &json!([says(&json!({ "env": variables }))]));
    let file = json!({ "version": 1, "hooks": {
        EVENT: [prints(name)], "sessionStart": [prints(name)], "sessionEnd": [prints(name)] } });
    workspace.write(file_of("project"), &file.to_string());
    let engine = workspace.engine();
    (workspace, engine)
}

fn of(conversation: &str) -> Value {
    json!({ "conversation_id": conversation })
}

#[test]
fn variables_of_a_session_reach_its_later_hooks_and_no_others() {
    let (_workspace, engine) = session(&json!({ "TOKEN": "t 1" }), "TOKEN");
    assert_eq!(stdout(&fire(&engine, EVENT, of("c")), 0), "unset");
    let start = fire(&engine, "sessionStart", of("c"));
    assert_eq!(stdout(&start, 0), "unset", "not in the event that sets them");
    assert_eq!(stdout(&fire(&engine, EVENT, of("c")), 0), "t 1");
    assert_eq!(stdout(&fire(&engine, EVENT, of("c")), 0), "t 1");
    assert_eq!(stdout(&fire(&engine, EVENT, of("d")), 0), "unset", "another conversation");
    assert_eq!(stdout(&fire(&engine, EVENT, json!({})), 0), "unset", "no conversation");
}

#[test]
fn variables_of_a_session_are_found_by_its_session_id_too() {
    let (_workspace, engine) = session(&json!({ "TOKEN": "t" }), "TOKEN");
    fire(&engine, "sessionStart", json!({ "session_id": "s" }));
    assert_eq!(stdout(&fire(&engine, EVENT, json!({ "session_id": "s" })), 0), "t");
    assert_eq!(stdout(&fire(&engine, EVENT, of("s")), 0), "t", "the two are the same");
}

#[test]
fn variables_of_a_session_end_with_it() {
    let (_workspace, engine) = session(&json!({ "TOKEN": "t" }), "TOKEN");
    fire(&engine, "sessionStart", of("c"));
    let end = fire(&engine, "sessionEnd", of("c"));
    assert_eq!(stdout(&end, 0), "t", "the last event still has them");
    assert_eq!(stdout(&fire(&engine, EVENT, of("c")), 0), "unset");
}

#[test]
fn variables_of_a_session_cannot_pose_as_cursors() {
    let (workspace, engine) = session(
        &json!({ "CURSOR_PROJECT_DIR": "/elsewhere", "CURSOR_CODE_REMOTE": "true" }),
        "CURSOR_PROJECT_DIR",
    );
    fire(&engine, "sessionStart", of("c"));
    let project = workspace.path("project").display().to_string();
    assert_eq!(stdout(&fire(&engine, EVENT, of("c")), 0), project);
}

#[test]
fn variables_that_the_system_cannot_hold_do_not_break_later_hooks() {
    let bad = json!({ "": "x", "A=B": "x", "NUL": "a\0b", "N\0L": "x", "GOOD": "yes" });
    let (_workspace, engine) = session(&bad, "GOOD");
    fire(&engine, "sessionStart", of("c"));
    assert_eq!(stdout(&fire(&engine, EVENT, of("c")), 0), "yes");
}

#[test]
fn variables_given_again_are_added_and_replaced() {
    let workspace = Workspace::new();
    let set = |variables: Value| {
        let entries = json!([says(&json!({ "env": variables }))]);
        workspace.hooks("user", "sessionStart", &entries);
    };
    workspace.hooks("project", EVENT, &json!([runs("printf '%s %s' \"$A\" \"$B\"")]));
    let engine = workspace.engine();
    set(json!({ "A": "1", "B": "1" }));
    fire(&engine, "sessionStart", of("c"));
    set(json!({ "B": "22" }));
    fire(&engine, "sessionStart", of("c"));
    assert_eq!(stdout(&fire(&engine, EVENT, of("c")), 0), "1 22");
}

#[test]
fn only_session_start_sets_variables() {
    let workspace = Workspace::new();
    workspace.hooks("user", "stop", &json!([says(&json!({ "env": { "A": "1" } }))]));
    workspace.hooks("project", EVENT, &json!([prints("A")]));
    let engine = workspace.engine();
    fire(&engine, "stop", of("c"));
    assert_eq!(stdout(&fire(&engine, EVENT, of("c")), 0), "unset");
}

// Variables inherited from another host's session

const CONDITIONAL: [&str; 5] = [
    "CURSOR_USER_EMAIL",
    "CURSOR_TRANSCRIPT_PATH",
    "CURSOR_CODE_REMOTE",
    "CURSOR_PLUGIN_ROOT",
    "CLAUDE_PLUGIN_ROOT",
];

/// Runs on its own, and again from the next test with all variables set.
#[test]
fn variables_that_do_not_apply_are_not_there() {
    let workspace = Workspace::new();
    for name in CONDITIONAL {
        assert_eq!(finds(&workspace, name, json!({})), "unset", "{name}");
    }
}

#[test]
fn variables_of_the_session_we_run_in_do_not_reach_the_hooks() {
    let environment: Vec<(String, Option<OsString>)> =
        CONDITIONAL.iter().map(|name| ((*name).to_owned(), Some("inherited".into()))).collect();
    let arguments =
        ["--exact", "environment::variables_that_do_not_apply_are_not_there"].map(OsString::from);
    let ended = Runner::for_one_program().run(Job {
        program: std::env::current_exe().unwrap().as_os_str(),
        arguments: &arguments,
        directory: None,
        environment: &environment,
        input: (Vec::new()).into(),
        timeout: Duration::from_secs(30),
    });
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert!(ended.status.unwrap().success(), "{said}");
    assert!(said.contains("1 passed"), "{said}");
}
