//! Misbehaving hook processes. None may hang the engine or outlive it.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_engine::runner::{MAX_STDERR, MAX_STDOUT};
use tenter_engine::{HookOutcome, Outcome};

use crate::support::{
    Workspace, answer, fire, is_alive, pid_in, printing, ran, runs, says, soon, warns,
};

const EVENT: &str = "beforeShellExecution";

fn allow() -> String {
    printing(r#"{"permission":"allow"}"#)
}

/// Fires at one hook and measures the time.
fn fired(entry: &Value, payload: Value) -> (Outcome, Duration) {
    let workspace = Workspace::with(EVENT, &json!([entry]));
    let engine = workspace.engine();
    let start = Instant::now();
    let outcome = fire(&engine, EVENT, payload);
    (outcome, start.elapsed())
}

fn allowed(outcome: &Outcome) {
    let run = &outcome.hooks[0];
    assert_eq!(run.outcome, HookOutcome::Allow, "{}", run.diagnosis);
}

fn large() -> Value {
    json!({ "command": "x".repeat(10 * 1024 * 1024) })
}

// Input

#[test]
fn ten_megabytes_reach_a_hook_that_reads() {
    let command = format!("[ $(wc -c) -gt 10485760 ] && {}", allow());
    allowed(&fired(&runs(&command), large()).0);
}

#[test]
fn a_hook_that_never_reads_ten_megabytes_is_fine() {
    let (outcome, took) = fired(&runs(&allow()), large());
    allowed(&outcome);
    assert!(took < Duration::from_mins(1), "{took:?}");
}

#[test]
fn a_hook_that_closes_its_input_is_fine() {
    let (outcome, took) = fired(&runs(&format!("exec 0<&-; sleep 0.1; {}", allow())), large());
    allowed(&outcome);
    assert!(took < Duration::from_mins(1), "{took:?}");
}

#[test]
fn a_hook_that_reads_a_little_and_leaves_is_fine() {
    let (outcome, _) = fired(&runs(&format!("head -c 10 >/dev/null; {}", allow())), large());
    allowed(&outcome);
}

#[test]
fn a_hook_that_answers_before_it_reads_is_fine() {
    let (outcome, _) = fired(&runs(&format!("{}; cat >/dev/null", allow())), large());
    allowed(&outcome);
}

#[test]
fn a_hook_that_echoes_while_it_reads_does_not_lock_up() {
    let (outcome, took) = fired(&json!({ "command": "cat", "timeout": 120 }), large());
    assert!(outcome.blocked, "more than may be printed");
    assert!(took < Duration::from_mins(1), "{took:?}");
}

// Output

#[test]
fn a_flood_on_stdout_is_cut_and_blocks() {
    let (outcome, took) = fired(&json!({ "command": "yes", "timeout": 120 }), json!({}));
    assert!(outcome.blocked);
    assert!(outcome.hooks[0].diagnosis.contains("printed more than"));
    assert!(outcome.hooks[0].stdout.len() <= MAX_STDOUT);
    assert!(took < Duration::from_mins(1), "{took:?}");
}

#[test]
fn an_answer_of_nearly_the_limit_is_read_whole() {
    let size = MAX_STDOUT - 100;
    let command = format!(
        "printf '{{\"permission\":\"deny\",\"user_message\":\"'; head -c {size} /dev/zero | tr '\\0' x; printf '\"}}'"
    );
    let (outcome, _) = fired(&runs(&command), json!({}));
    let message = answer(&outcome)["user_message"].as_str().unwrap().len();
    assert_eq!(message, size);
}

#[test]
fn a_flood_on_stderr_is_cut_and_does_not_matter() {
    let command = format!("head -c 50000000 /dev/zero >&2; {}", allow());
    let (outcome, took) = fired(&runs(&command), json!({}));
    allowed(&outcome);
    assert_eq!(outcome.hooks[0].stderr.len(), MAX_STDERR);
    assert!(took < Duration::from_mins(1), "{took:?}");
}

#[test]
fn bytes_that_are_no_text_are_invalid_json() {
    let (outcome, _) = fired(&runs(r#"printf '{"permission":"allow","x":"\377"}'"#), json!({}));
    assert!(outcome.blocked);
    assert!(outcome.hooks[0].diagnosis.contains("invalid JSON"), "{}", outcome.hooks[0].diagnosis);
}

// Background processes

#[test]
fn a_child_that_holds_stdout_does_not_hold_the_engine() {
    let workspace = Workspace::with(EVENT, &json!([runs(&format!("sleep 120 & {}", allow()))]));
    let engine = workspace.engine();
    let start = Instant::now();
    let outcome = fire(&engine, EVENT, json!({}));
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    allowed(&outcome);
    assert!(warns(&outcome, "it left processes running"));
    assert_eq!(engine.lingering(), 1);
}

#[test]
fn what_is_left_behind_gets_its_while_and_is_then_ended() {
    let workspace =
        Workspace::with(EVENT, &json!([runs(&format!("sleep 120 & echo $! >pid; {}", allow()))]))
            .acting(|settings| settings.linger = Duration::from_secs(3));
    let engine = workspace.engine();
    fire(&engine, EVENT, json!({}));
    let child = pid_in(&workspace.path("project/pid"));
    assert!(is_alive(child), "it gets its while");
    assert!(soon(|| !is_alive(child)), "and no more");
    assert!(soon(|| engine.lingering() == 0));
}

#[test]
fn what_is_left_behind_and_ends_by_itself_is_let_be() {
    let command = format!("(sleep 0.2; echo done >late) & {}", allow());
    let workspace = Workspace::with(EVENT, &json!([runs(&command)]));
    let engine = workspace.engine();
    fire(&engine, EVENT, json!({}));
    assert!(soon(|| workspace.path("project/late").exists()));
    assert!(soon(|| engine.lingering() == 0));
}

#[test]
fn dropping_the_engine_ends_what_is_left_behind() {
    let command = format!("sleep 120 & echo $! >pid; {}", allow());
    let workspace = Workspace::with(EVENT, &json!([runs(&command)]))
        .acting(|settings| settings.linger = Duration::from_mins(1));
    let engine = workspace.engine();
    fire(&engine, EVENT, json!({}));
    let child = pid_in(&workspace.path("project/pid"));
    assert!(is_alive(child));
    drop(engine);
    assert!(soon(|| !is_alive(child)));
}

#[test]
#[cfg(target_os = "linux")]
fn a_daemon_in_a_session_of_its_own_does_not_hold_the_engine() {
    let command = format!("setsid sh -c 'echo $$ >pid; exec sleep 120' & {}", allow());
    let workspace = Workspace::with(EVENT, &json!([runs(&command)]));
    let engine = workspace.engine();
    let start = Instant::now();
    allowed(&fire(&engine, EVENT, json!({})));
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    let daemon = pid_in(&workspace.path("project/pid"));
    let start = Instant::now();
    drop(engine);
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    rustix::process::kill_process(daemon, rustix::process::Signal::KILL).unwrap_or_default();
}

// Time

#[test]
fn a_timeout_ends_the_whole_group() {
    let command = "sleep 120 & echo $! >pid; wait";
    let workspace = Workspace::with(EVENT, &json!([{ "command": command, "timeout": 1.5 }]));
    let engine = workspace.engine();
    let outcome = fire(&engine, EVENT, json!({}));
    assert_eq!(outcome.hooks[0].outcome, HookOutcome::Failed);
    let grandchild = pid_in(&workspace.path("project/pid"));
    assert!(soon(|| !is_alive(grandchild)));
}

#[test]
fn a_hook_that_cleans_up_when_it_is_told_to_end_may_do_so() {
    let command = "trap 'echo clean >cleaned; exit 1' TERM; while :; do sleep 0.05; done";
    let workspace = Workspace::with(EVENT, &json!([{ "command": command, "timeout": 1.5 }]));
    let outcome = workspace.fire(EVENT, json!({}));
    assert!(outcome.hooks[0].diagnosis.contains("did not end within"));
    assert!(workspace.path("project/cleaned").exists());
}

#[test]
fn a_hook_that_ignores_sigterm_is_killed_after_two_seconds() {
    let command = "trap '' TERM; echo $$ >pid; while :; do sleep 0.05; done";
    let workspace = Workspace::with(EVENT, &json!([{ "command": command, "timeout": 1.5 }]));
    let engine = workspace.engine();
    let start = Instant::now();
    let outcome = fire(&engine, EVENT, json!({}));
    let took = start.elapsed();
    assert!(took > Duration::from_millis(3500) && took < Duration::from_mins(1), "{took:?}");
    assert_eq!(outcome.hooks[0].outcome, HookOutcome::Failed);
    let hook = pid_in(&workspace.path("project/pid"));
    assert!(soon(|| !is_alive(hook)));
}

#[test]
fn a_grandchild_that_ignores_sigterm_is_killed_with_its_parent() {
    let command = "sh -c 'trap \"\" TERM; echo $$ >pid; while :; do sleep 0.05; done' & wait";
    let workspace = Workspace::with(EVENT, &json!([{ "command": command, "timeout": 1.5 }]));
    let engine = workspace.engine();
    fire(&engine, EVENT, json!({}));
    let grandchild = pid_in(&workspace.path("project/pid"));
    assert!(soon(|| !is_alive(grandchild)));
}

#[test]
fn an_endless_patience_is_no_overflow() {
    let workspace = Workspace::with(EVENT, &json!([runs(&format!("sleep 9 & {}", allow()))]))
        .acting(|settings| {
            settings.default_timeout = Duration::MAX;
            settings.linger = Duration::MAX;
        });
    allowed(&workspace.fire(EVENT, json!({})));
}

// Many concurrently

#[test]
fn hooks_of_one_event_run_at_the_same_time() {
    let entries: Vec<Value> = (0..8).map(|_| runs(&format!("sleep 4; {}", allow()))).collect();
    let workspace = Workspace::with(EVENT, &json!(entries));
    let start = Instant::now();
    let outcome = workspace.fire(EVENT, json!({}));
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    assert_eq!(ran(&outcome), 8);
}

#[test]
fn forty_hooks_at_once_all_run_and_keep_their_order() {
    let entries: Vec<Value> = (0..40)
        .map(|n| says(&json!({ "permission": "deny", "user_message": n.to_string() })))
        .collect();
    let outcome = Workspace::with(EVENT, &json!(entries)).fire(EVENT, json!({}));
    assert_eq!(ran(&outcome), 40);
    let expected: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    assert_eq!(answer(&outcome)["user_message"], json!(expected.join("\n")));
}

#[test]
fn a_slow_hook_does_not_cost_the_others_their_answers() {
    let entries = json!([
        { "command": "sleep 9", "timeout": 0.3 },
        says(&json!({ "permission": "deny" })),
        { "command": "yes", "timeout": 120 },
        runs("kill -KILL $$"),
    ]);
    let outcome = Workspace::with(EVENT, &entries).fire(EVENT, json!({}));
    let kinds: Vec<&str> = outcome.hooks.iter().map(|run| run.outcome.as_str()).collect();
    assert_eq!(kinds, ["failed", "deny", "deny", "failed"]);
}

#[test]
fn sixteen_threads_can_fire_at_one_engine() {
    let command =
        "sed 's/.*\"text\":\"\\([0-9]*\\)\".*/{\"permission\":\"deny\",\"user_message\":\"\\1\"}/'";
    let workspace = Workspace::with(EVENT, &json!([runs(command), runs(command)]));
    let engine = workspace.engine();
    thread::scope(|scope| {
        for number in 0..16 {
            let engine = &engine;
            scope.spawn(move || {
                for _ in 0..4 {
                    let payload = json!({ "text": number.to_string(), "conversation_id": number.to_string() });
                    let outcome = fire(engine, EVENT, payload);
                    let expected = format!("{number}\n{number}");
                    assert_eq!(answer(&outcome)["user_message"], json!(expected));
                }
            });
        }
    });
    assert_eq!(engine.lingering(), 0);
}

#[test]
fn an_event_without_hooks_starts_nothing() {
    let workspace = Workspace::new();
    let engine = workspace.engine();
    let start = Instant::now();
    for _ in 0..100 {
        assert!(!fire(&engine, EVENT, json!({ "command": "ls" })).blocked);
    }
    assert!(start.elapsed() < Duration::from_mins(1));
}
