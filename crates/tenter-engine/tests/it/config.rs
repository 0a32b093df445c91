//! Parsing of `hooks.json`, and its diagnostics.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::{Value, json};
use tenter_engine::config::{Config, Hook, HookAction};
use tenter_engine::diagnostic::Severity;
use tenter_engine::document::{Position, Source};
use tenter_engine::{CursorEvent, Engine, Generation};

use crate::support::{Workspace, complaint, file_of, fire, is_quiet, ran, runs, stdout};

const EVENT: &str = "afterAgentResponse";

/// The only hook of the project.
fn only(workspace: &Workspace) -> Arc<Hook> {
    let hooks = &workspace.engine().config().hooks;
    assert_eq!(hooks.len(), 1);
    Arc::clone(&hooks[0])
}

/// An engine with one entry for `stop`.
fn entry(entry: &Value) -> (Workspace, Engine) {
    let workspace = Workspace::with("stop", &json!([entry]));
    let engine = workspace.engine();
    (workspace, engine)
}

#[test]
fn an_entry_with_only_a_command_has_the_documented_defaults() {
    let workspace = Workspace::with("stop", &json!([{ "command": "./a.sh" }]));
    assert_eq!(workspace.engine().diagnostics(), []);
    let hook = only(&workspace);
    assert_eq!(hook.action, HookAction::Command("./a.sh".to_owned()));
    assert_eq!((hook.timeout, hook.fail_closed, hook.loop_limit), (None, false, Some(5)));
    assert!(hook.matcher.is_all() && hook.matcher.text().is_none());
    assert_eq!(hook.event, CursorEvent::Stop);
}

#[test]
fn the_default_timeout_is_a_minute() {
    assert_eq!(tenter_engine::Settings::default().default_timeout, Duration::from_mins(1));
}

#[test]
fn every_field_of_a_command_entry_is_read() {
    let all = json!({ "type": "command", "command": "a", "timeout": 2.5, "failClosed": true,
        "loop_limit": 9, "matcher": "^x" });
    let workspace = Workspace::with("stop", &json!([all]));
    assert_eq!(workspace.engine().diagnostics(), []);
    let hook = only(&workspace);
    assert_eq!(hook.timeout, Some(Duration::from_millis(2500)), "seconds, and parts of them");
    assert!(hook.fail_closed);
    assert_eq!(hook.loop_limit, Some(9));
    assert_eq!(hook.matcher.text(), Some("^x"));
}

#[test]
fn every_field_of_a_prompt_entry_is_read() {
    let all = json!({ "type": "prompt", "prompt": "Safe? $ARGUMENTS", "model": "fast" });
    let workspace = Workspace::with("stop", &json!([all]));
    assert_eq!(workspace.engine().diagnostics(), []);
    let (prompt, model) = ("Safe? $ARGUMENTS".to_owned(), Some("fast".to_owned()));
    assert_eq!(only(&workspace).action, HookAction::Prompt { prompt, model });
}

#[test]
fn a_loop_limit_of_null_is_no_limit() {
    let workspace = Workspace::with("stop", &json!([{ "command": "a", "loop_limit": null }]));
    assert_eq!(workspace.engine().diagnostics(), []);
    assert_eq!(only(&workspace).loop_limit, None);
}

#[test]
fn a_loop_limit_of_zero_is_read() {
    let workspace = Workspace::with("subagentStop", &json!([{ "command": "a", "loop_limit": 0 }]));
    assert_eq!(workspace.engine().diagnostics(), []);
    assert_eq!(only(&workspace).loop_limit, Some(0));
}

#[test]
fn a_loop_limit_of_another_kind_is_five_with_a_warning() {
    for bad in [json!("3"), json!(-1), json!(1.5), json!(true), json!([])] {
        let (workspace, engine) = entry(&json!({ "command": "a", "loop_limit": bad }));
        assert_eq!(complaint(&engine, "`loop_limit` must be").severity, Severity::Warning, "{bad}");
        assert_eq!(only(&workspace).loop_limit, Some(5), "{bad}");
    }
}

#[test]
fn a_loop_limit_where_nothing_loops_is_remarked_on() {
    let workspace = Workspace::with(EVENT, &json!([{ "command": "a", "loop_limit": 1 }]));
    complaint(&workspace.engine(), "`loop_limit` means nothing at afterAgentResponse");
}

#[test]
fn a_timeout_of_another_kind_is_the_default_with_a_warning() {
    for bad in [json!("3"), json!(-1), json!(0), json!(null), json!([1])] {
        let (workspace, engine) = entry(&json!({ "command": "a", "timeout": bad }));
        assert_eq!(complaint(&engine, "`timeout`").severity, Severity::Warning, "{bad}");
        assert_eq!(only(&workspace).timeout, None, "{bad}");
    }
}

#[test]
fn a_timeout_no_float_can_hold_is_the_default_with_a_warning() {
    let workspace =
        Workspace::with_text(r#"{"version":1,"hooks":{"stop":[{"command":"a","timeout":1e999}]}}"#);
    complaint(&workspace.engine(), "`timeout`");
    assert_eq!(only(&workspace).timeout, None);
}

#[test]
fn a_timeout_that_looks_like_milliseconds_is_warned_of_and_kept() {
    for (seconds, suspicious) in [(999, false), (1000, true), (5000, true)] {
        let (workspace, engine) = entry(&json!({ "command": "a", "timeout": seconds }));
        let warned = engine.diagnostics().iter().any(|one| one.message.contains("in seconds"));
        assert_eq!(warned, suspicious, "{seconds}");
        assert_eq!(only(&workspace).timeout, Some(Duration::from_secs(seconds)));
    }
}

#[test]
fn fail_closed_of_another_kind_is_warned_of() {
    for bad in [json!("true"), json!(1), json!(null)] {
        let (workspace, engine) = entry(&json!({ "command": "a", "failClosed": bad }));
        complaint(&engine, "`failClosed` must be true or false");
        assert!(!only(&workspace).fail_closed);
    }
}

#[test]
fn a_matcher_of_another_kind_matches_all_with_a_warning() {
    for bad in [json!({ "tool": "x" }), json!(3), json!(null), json!(["a"])] {
        let (workspace, engine) = entry(&json!({ "command": "a", "matcher": bad }));
        complaint(&engine, "`matcher` must be a string");
        assert!(only(&workspace).matcher.is_all());
    }
}

#[test]
fn a_matcher_that_is_no_expression_is_warned_of_when_it_is_loaded() {
    let (_, engine) = entry(&json!({ "command": "a", "matcher": "(" }));
    assert_eq!(complaint(&engine, "no regular expression").severity, Severity::Warning);
}

#[test]
fn a_command_entry_without_a_command_does_not_run() {
    for bad in
        [json!({}), json!({ "command": 3 }), json!({ "command": " " }), json!({"timeout": 1})]
    {
        let (_, engine) = entry(&bad);
        let found = complaint(&engine, "a command hook without `command` does not run");
        assert_eq!(found.severity, Severity::Error, "{bad}");
        assert!(engine.config().hooks.is_empty(), "{bad}");
    }
}

#[test]
fn a_prompt_entry_without_a_prompt_does_not_run() {
    for bad in [json!({ "type": "prompt" }), json!({ "type": "prompt", "command": "a" })] {
        let (_, engine) = entry(&bad);
        complaint(&engine, "a prompt hook without `prompt` does not run");
        assert!(engine.config().hooks.is_empty(), "{bad}");
    }
}

#[test]
fn a_prompt_without_its_type_is_explained() {
    let (_, engine) = entry(&json!({ "prompt": "Safe?" }));
    complaint(&engine, r#"a prompt needs "type": "prompt""#);
}

#[test]
fn an_unknown_type_does_not_run() {
    for bad in [json!("http"), json!("Command"), json!(7), json!(null)] {
        let (_, engine) = entry(&json!({ "type": bad, "command": "a" }));
        assert_eq!(complaint(&engine, "unknown hook type").severity, Severity::Error);
        assert!(engine.config().hooks.is_empty(), "{bad}");
    }
}

#[test]
fn an_unknown_key_of_an_entry_is_ignored_with_a_warning_and_the_entry_runs() {
    let workspace = Workspace::with(EVENT, &json!([{ "command": "true", "failclosed": true }]));
    let engine = workspace.engine();
    let found = complaint(&engine, "unknown key `failclosed` is ignored");
    assert_eq!(found.severity, Severity::Warning);
    assert!(found.help.contains("`failClosed`"), "{}", found.help);
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 1);
}

#[test]
fn an_unknown_key_of_a_file_is_ignored_with_a_warning() {
    let workspace =
        Workspace::with_text(r#"{"version":1,"hook":{},"hooks":{"stop":[{"command":"true"}]}}"#);
    let engine = workspace.engine();
    assert_eq!(complaint(&engine, "unknown key `hook`").severity, Severity::Warning);
    assert_eq!(engine.config().hooks.len(), 1);
}

#[test]
fn an_unknown_event_is_skipped_loudly_and_the_rest_is_loaded() {
    let file = json!({ "version": 1, "hooks": {
        "beforeShellExec": [runs("true")], "onSave": [runs("true")], EVENT: [runs("true")] } });
    let workspace = Workspace::with_text(&file.to_string());
    let engine = workspace.engine();
    let found = complaint(&engine, "unknown event `beforeShellExec`");
    assert_eq!(found.severity, Severity::Error);
    assert!(found.help.contains("`beforeShellExecution`"), "{}", found.help);
    complaint(&engine, "unknown event `onSave`");
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 1);
}

#[test]
fn claudes_name_of_an_event_is_unknown_in_cursors_file() {
    let workspace = Workspace::with("PreToolUse", &json!([runs("true")]));
    let engine = workspace.engine();
    assert!(complaint(&engine, "unknown event `PreToolUse`").help.contains("`preToolUse`"));
    assert!(engine.config().hooks.is_empty());
}

#[test]
fn workspace_open_is_unknown_to_the_first_text() {
    for (generation, known) in
        [(Generation::G1, false), (Generation::G2, true), (Generation::G3, true)]
    {
        let workspace = Workspace::with("workspaceOpen", &json!([runs("true")]))
            .acting(|settings| settings.generation = generation);
        assert_eq!(ran(&workspace.fire("workspaceOpen", json!({}))) == 1, known, "{generation}");
    }
}

#[test]
fn every_event_of_the_contract_can_be_configured() {
    let events = crate::support::PERMISSION
        .iter()
        .chain(&crate::support::POWERLESS)
        .chain(&["beforeSubmitPrompt"]);
    for event in events {
        let workspace = Workspace::with(event, &json!([runs("true")]));
        assert_eq!(workspace.engine().diagnostics(), [], "{event}");
        assert_eq!(ran(&workspace.fire(event, json!({}))), 1, "{event}");
    }
    assert_eq!(CursorEvent::ALL.len(), 21);
}

#[test]
fn an_event_that_is_no_list_is_skipped_and_the_rest_is_loaded() {
    for bad in [json!({ "command": "a" }), json!("a"), json!(null), json!(1)] {
        let file = json!({ "version": 1, "hooks": { "stop": bad, EVENT: [runs("true")] } });
        let engine = Workspace::with_text(&file.to_string()).engine();
        assert_eq!(complaint(&engine, "`stop` must be a list").severity, Severity::Error);
        assert_eq!(engine.config().hooks.len(), 1, "{bad}");
    }
}

#[test]
fn an_entry_that_is_no_object_is_skipped_and_the_rest_is_loaded() {
    let entries = json!(["./a.sh", 3, null, [runs("a")], runs("true")]);
    let engine = Workspace::with(EVENT, &entries).engine();
    let found = engine.diagnostics();
    let about = found.iter().filter(|one| one.message.contains("a hook must be an object"));
    assert_eq!(about.count(), 4);
    assert_eq!(engine.config().hooks.len(), 1);
}

#[test]
fn a_group_as_claude_has_them_does_not_run_in_cursors_file() {
    let group = crate::support::group("Bash", "true");
    let engine = Workspace::with("preToolUse", &json!([group, runs("true")])).engine();
    assert_eq!(complaint(&engine, "a group as Claude Code has them").severity, Severity::Error);
    assert_eq!(engine.config().hooks.len(), 1);
}

#[test]
fn a_file_that_is_no_object_runs_nothing() {
    for bad in ["[]", "3", "null", "\"x\""] {
        let engine = Workspace::with_text(bad).engine();
        complaint(&engine, "a hooks file must be an object");
    }
}

#[test]
fn hooks_of_another_kind_or_missing_are_reported() {
    for bad in [r#"{"version":1}"#, r#"{"version":1,"hooks":[]}"#, r#"{"version":1,"hooks":null}"#]
    {
        let engine = Workspace::with_text(bad).engine();
        assert_eq!(complaint(&engine, "no hook of this file runs").severity, Severity::Error);
    }
}

#[test]
fn an_event_outside_of_hooks_is_reported() {
    let engine = Workspace::with_text(r#"{"version":1,"stop":[],"hooks":{}}"#).engine();
    complaint(&engine, "`stop` stands outside of `hooks`");
}

#[test]
fn a_missing_version_is_a_warning_in_the_newest_text_only() {
    let text = r#"{"hooks":{"stop":[{"command":"true"}]}}"#;
    for (generation, warned) in
        [(Generation::G1, false), (Generation::G2, false), (Generation::G3, true)]
    {
        let workspace =
            Workspace::with_text(text).acting(|settings| settings.generation = generation);
        let engine = workspace.engine();
        assert_eq!(!is_quiet(&engine), warned, "{generation}");
        assert_eq!(engine.config().hooks.len(), 1);
    }
}

#[test]
fn another_version_is_a_warning_and_the_hooks_run() {
    for bad in [json!(2), json!(0), json!("1"), json!(1.5), json!(null)] {
        let file = json!({ "version": bad, "hooks": { EVENT: [runs("true")] } });
        let engine = Workspace::with_text(&file.to_string()).engine();
        assert_eq!(complaint(&engine, "`version` should be 1").severity, Severity::Warning);
        assert_eq!(engine.config().hooks.len(), 1);
    }
}

#[test]
fn comments_are_accepted_with_a_warning() {
    let text = "{\n  // why\n  \"version\": 1, /* here */ \"hooks\": {\"stop\": [{\"command\": \"a\"}]}\n}";
    let workspace = Workspace::with_text(text);
    let engine = workspace.engine();
    let found = complaint(&engine, "a comment is not JSON");
    assert_eq!(found.severity, Severity::Warning);
    assert_eq!(found.position, Some(Position { line: 2, column: 3 }));
    assert_eq!(only(&workspace).position.line, 3);
}

#[test]
fn a_trailing_comma_is_accepted_with_a_warning() {
    let workspace =
        Workspace::with_text("{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"a\"},]}}");
    assert_eq!(complaint(&workspace.engine(), "a trailing comma").severity, Severity::Warning);
    only(&workspace);
}

#[test]
fn an_unparsable_file_is_named_with_line_column_and_the_line_and_the_others_load() {
    let workspace = Workspace::with_text("{\n  \"version\": 1,\n  \"hooks\": {oops}\n}");
    workspace.hooks("user", EVENT, &json!([runs("true")]));
    let engine = workspace.engine();
    let found = complaint(&engine, "no hook of this file runs");
    assert_eq!(found.severity, Severity::Error);
    assert_eq!(found.file, workspace.path(file_of("project")));
    assert_eq!(found.position, Some(Position { line: 3, column: 13 }));
    assert_eq!(found.line.as_deref(), Some("  \"hooks\": {oops}"));
    assert!(found.place().ends_with("project/.cursor/hooks.json:3:13"), "{}", found.place());
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 1);
}

#[test]
fn an_empty_file_is_an_error() {
    for text in ["", "  \n", "\u{feff}"] {
        assert_eq!(
            complaint(&Workspace::with_text(text).engine(), "empty").severity,
            Severity::Error
        );
    }
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_the_others_load() {
    let workspace = Workspace::new();
    std::fs::create_dir_all(workspace.path(file_of("project"))).unwrap();
    workspace.hooks("user", EVENT, &json!([runs("true")]));
    let engine = workspace.engine();
    let found = complaint(&engine, "cannot be read");
    assert_eq!((found.severity, found.file), (Severity::Error, workspace.path(file_of("project"))));
    assert_eq!(ran(&fire(&engine, EVENT, json!({}))), 1);
}

#[test]
fn a_file_that_is_not_utf_8_is_an_error() {
    let workspace = Workspace::new();
    std::fs::write(workspace.path("enterprise/hooks.json"), b"{\"version\": \xff}").unwrap();
    complaint(&workspace.engine(), "is not UTF-8");
}

#[test]
fn byte_order_marks_are_not_part_of_the_file() {
    let text = json!({ "version": 1, "hooks": { "stop": [runs("a")] } }).to_string();
    for marks in ["\u{feff}", "\u{feff}\u{feff}"] {
        let workspace = Workspace::with_text(&format!("{marks}{text}"));
        assert_eq!(workspace.engine().diagnostics(), []);
        only(&workspace);
    }
}

#[test]
fn of_a_key_that_stands_twice_the_last_counts_and_the_first_is_reported() {
    let text = r#"{"version":1,"hooks":{
        "stop":[{"command":"one"}],
        "stop":[{"command":"two","command":"three"}]}}"#;
    let workspace = Workspace::with_text(text);
    let engine = workspace.engine();
    let found = complaint(&engine, "`stop` stands twice");
    assert_eq!((found.severity, found.position.unwrap().line), (Severity::Error, 2));
    complaint(&engine, "`command` stands twice");
    assert_eq!(only(&workspace).name(), "three");
}

#[test]
fn a_hook_names_its_layer_its_file_and_its_line() {
    let workspace = Workspace::with_text(
        "{\"version\": 1,\n\"hooks\": {\"stop\": [\n  {\"command\": \"a\"}]}}",
    );
    let hook = only(&workspace);
    assert_eq!(hook.position, Position { line: 3, column: 3 });
    let file = workspace.path(file_of("project"));
    assert_eq!(hook.place(), format!("project {}:3", file.display()));
}

#[test]
fn a_relative_command_is_looked_up_in_its_layers_directory() {
    let workspace = Workspace::with(EVENT, &json!([runs("sh ./hooks/here.sh 'a  b'")]));
    workspace.write("project/hooks/here.sh", "printf '%s' \"$1\"");
    assert_eq!(stdout(&workspace.fire(EVENT, json!({})), 0), "a  b");
}

#[test]
fn two_thousand_entries_load_quickly_and_all_are_there() {
    let matchers = (0..2000).map(|n| json!({ "command": "true", "matcher": format!("^{n}$") }));
    let entries: Vec<Value> = matchers.collect();
    let workspace = Workspace::with("beforeShellExecution", &json!(entries));
    let start = Instant::now();
    let engine = workspace.engine();
    let outcome = fire(&engine, "beforeShellExecution", json!({ "command": "1234" }));
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!((outcome.hooks.len(), ran(&outcome)), (2000, 1));
    assert!(outcome.hooks[1234].ran);
}

#[test]
fn many_complaints_about_one_line_stay_small() {
    let entries: Vec<Value> =
        (0..500).map(|_| json!({ "command": "true", "unknown": "x".repeat(100) })).collect();
    let engine = Workspace::with(EVENT, &json!(entries)).engine();
    let found = engine.diagnostics();
    assert_eq!(found.len(), 500);
    let kept: usize = found.iter().map(|one| one.line.as_ref().map_or(0, |line| line.len())).sum();
    assert!(kept < 1_000_000, "{kept} bytes are kept for a file of 70 kB");
}

#[test]
fn two_thousand_handlers_of_claude_load_quickly() {
    let workspace = Workspace::new();
    let handlers: Vec<Value> =
        (0..2000).map(|n| json!({ "type": "command", "command": format!("true {n}") })).collect();
    workspace.claude(file_of("claude-user"), "Stop", &json!({ "hooks": handlers }));
    let start = Instant::now();
    let engine = workspace.engine();
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(engine.config().hooks.len(), 2000);
}

/// Loads a text as the file of every kind of layer.
fn load_everywhere(workspace: &Workspace, text: &[u8]) -> Config {
    for name in ["enterprise/hooks.json", "home/.claude/settings.json"] {
        std::fs::write(workspace.path(name), text).unwrap();
    }
    std::fs::write(workspace.path("plugin/.cursor-plugin/plugin.json"), text).unwrap();
    Config::load(&workspace.layers, Generation::G3)
}

fn with_folders() -> Workspace {
    let workspace = Workspace::new();
    workspace.write("home/.claude/settings.json", "{}");
    workspace.write("plugin/.cursor-plugin/plugin.json", "{}");
    workspace
}

const VALID: &str = r#"{"version":1,"name":"p","hooks":{"stop":[{"command":"a","timeout":3,
  "failClosed":true,"loop_limit":null,"matcher":"a|b*"}],"PreToolUse":[{"matcher":"Bash",
  "hooks":[{"type":"command","command":"ä","timeout":1}]}],"beforeMCPExecution":[
  {"type":"prompt","prompt":"p $ARGUMENTS","model":"m"}]}}"#;

fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(count) }
}

#[test]
fn the_loader_survives_any_bytes() {
    let workspace = with_folders();
    proptest!(cases(200), |(bytes in prop::collection::vec(any::<u8>(), 0..200))| {
        let config = load_everywhere(&workspace, &bytes);
        prop_assert!(config.hooks.len() < 100);
    });
}

#[test]
fn the_loader_survives_a_valid_file_with_parts_cut_replaced_and_repeated() {
    let workspace = with_folders();
    let change = (0..VALID.len(), 0..VALID.len(), 0..3u8, any::<char>());
    proptest!(cases(200), |(changes in prop::collection::vec(change, 1..6))| {
        let mut text: Vec<char> = VALID.chars().collect();
        for (one, other, kind, letter) in changes {
            let end = text.len();
            let (from, to) = (one.min(other).min(end), one.max(other).min(end));
            match kind {
                0 => drop(text.drain(from..to)),
                1 => text.splice(from..to, [letter]).for_each(drop),
                _ => {
                    let part = text[from..to].to_vec();
                    text.splice(from..from, part);
                }
            }
        }
        let text: String = text.into_iter().collect();
        let config = load_everywhere(&workspace, text.as_bytes());
        prop_assert!(config.diagnostics.iter().all(|one| !one.to_string().is_empty()));
    });
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn what_plain_json_refuses_is_refused_or_remarked_on(
        at in 0..VALID.len(), letter in prop_oneof![any::<char>(), prop::char::range('\0', '~')]
    ) {
        let mut text: Vec<char> = VALID.chars().collect();
        let at = at.min(text.len() - 1);
        text[at] = letter;
        let text: String = text.into_iter().collect();
        let source = Source::new("hooks.json", &text);
        let silently = source.parse().is_ok_and(|parsed| parsed.beyond_json.is_none());
        let plain = serde_json::from_str::<Value>(source.text()).is_ok();
        prop_assert_eq!(silently, plain, "{}", text);
    }
}

#[test]
fn what_json_parse_refuses_is_not_taken_silently() {
    let refused = [
        "{\"a\": \"line\nbreak\"}",
        "{\"a\": \"tab\there\"}",
        "{\"a\": 01}",
        "{\"a\": 1.}",
        "{\"a\": -}",
        "{\"a\": .5}",
        "{\"a\": 1e}",
        "{\"a\": 1} {\"b\": 2}",
        "{\"a\": 1} x",
        "{\"a\": \"\\x41\"}",
        "{\"a\": \"\\'\"}",
        "{\"a\": NaN}",
        "{\"a\": undefined}",
        "{\"a\":\u{a0}1}",
    ];
    let silently = |text: &str| {
        let source = Source::new("hooks.json", text);
        source.parse().is_ok_and(|parsed| parsed.beyond_json.is_none())
    };
    let taken: Vec<&str> = refused.into_iter().filter(|text| silently(text)).collect();
    assert!(taken.is_empty(), "taken without a word: {taken:#?}");
}
