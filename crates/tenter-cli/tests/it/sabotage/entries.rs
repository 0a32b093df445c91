//! Sabotage of entries in a hook file.

use serde_json::json;

use super::machine::Machine;
use super::{ALL, Claude, Codex, Cursor, GROUPED, Gemini, by_hand, pasted, try_all};

fn without(machine: &Machine, event: &str) {
    machine.json(|all| drop(all["hooks"].as_object_mut().unwrap().remove(event)));
}

/// Claude Code then allows the call when our hook dies.
#[test]
fn a_hook_whose_failure_no_longer_blocks() {
    try_all(&[pasted("no onFailure", &[Claude], "entry-weakened", |it| {
        it.json(|all| {
            let handler = &mut all["hooks"]["PreToolUse"][0]["hooks"][0];
            assert!(handler.as_object_mut().unwrap().remove("onFailure").is_some());
        });
    })]);
}

#[test]
fn events() {
    try_all(&[
        pasted("all entries gone", ALL, "entry-gone", |it| it.json(|all| all["hooks"] = json!({}))),
        pasted("the event of tools gone", ALL, "gate-missing", |it| without(it, it.gate())),
        pasted("the event of prompts gone", GROUPED, "entry-weakened", |it| {
            without(it, "UserPromptSubmit");
        }),
        pasted("an empty event", ALL, "gate-missing", |it| {
            it.json(|all| all["hooks"][it.gate()] = json!([]));
        }),
        pasted("an event twice, the last one empty", &[Claude, Cursor], "gate-missing", |it| {
            let gate = it.gate();
            it.text(|text| {
                let end = text.rfind(']').unwrap();
                let (before, after) = text.split_at(end + 1);
                format!("{before}, \"{gate}\": []{after}")
            });
        }),
        by_hand("an event nobody knows", &[Cursor], "file-void", |it| {
            it.json(|all| all["hooks"]["beforeTeaTime"] = json!([{ "command": "true" }]));
        }),
        pasted("a key beside hooks", &[Codex], "file-void", |it| {
            it.json(|all| all["version"] = json!(1));
        }),
    ]);
}

#[test]
fn keys_that_keep_calls_away() {
    try_all(&[
        pasted("a matcher for nothing", ALL, "entry-weakened", |it| {
            it.set("matcher", json!("Nope"));
        }),
        pasted("a matcher for writes", ALL, "entry-weakened", |it| {
            it.set("matcher", json!("Write"));
        }),
        pasted("a broken matcher", &[Codex], "entry-weakened", |it| {
            it.set("matcher", json!("Bash("));
        }),
        pasted("an if", &[Claude], "entry-weakened", |it| it.set("if", json!("Bash(git *)"))),
        pasted("async", GROUPED, "entry-weakened", |it| it.set("async", json!(true))),
        pasted("asyncRewake", &[Claude], "entry-weakened", |it| it.set("asyncRewake", json!(true))),
        pasted("another shell", &[Claude], "entry-weakened", |it| {
            it.set("shell", json!("powershell"));
        }),
        pasted("another type", GROUPED, "entry-weakened", |it| it.set("type", json!("prompt"))),
        pasted("args", &[Claude], "entry-weakened", |it| it.set("args", json!([]))),
    ]);
}

#[test]
fn timeouts_and_fail_modes() {
    try_all(&[
        pasted("a timeout of 0", ALL, "entry-weakened", |it| it.set("timeout", json!(0))),
        pasted("a timeout of 1", ALL, "entry-weakened", |it| it.set("timeout", json!(1))),
        pasted("a timeout in seconds", &[Gemini], "entry-weakened", |it| {
            it.set("timeout", json!(30));
        }),
        pasted("a timeout in milliseconds", GROUPED, "not-proved", |it| {
            it.set("timeout", json!(30000));
        }),
        pasted("a timeout that is a text", &[Claude], "entry-weakened", |it| {
            it.set("timeout", json!("5"));
        }),
        pasted("failClosed taken out", &[Cursor], "entry-weakened", |it| {
            it.json(|all| {
                drop(all["hooks"]["preToolUse"][0].as_object_mut().unwrap().remove("failClosed"));
            });
        }),
        pasted("onFailure turned round", &[Claude], "entry-weakened", |it| {
            it.set("onFailure", json!("continue"));
        }),
    ]);
}
