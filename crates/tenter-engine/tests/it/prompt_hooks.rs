//! Prompt hooks, with a fake model.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_engine::runner::Runner;
use tenter_engine::{
    Engine, HookOutcome, Judge, Judgement, NoJudgement, Outcome, ProgramJudge, Question,
};

use crate::support::{PERMISSION, POWERLESS, Workspace, answer, file_of, fire, says};

const PROMPT: &str = "beforeSubmitPrompt";

/// Prompt, requested model and timeout of a question.
type Asked = (String, Option<String>, Duration);

/// A judge that always answers the same and records its questions.
#[derive(Clone, Debug)]
struct Fake {
    reply: Result<Judgement, String>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Judge for Fake {
    fn judge(&self, question: &Question<'_>, _runner: &Runner) -> Result<Judgement, NoJudgement> {
        let model = question.model.map(str::to_owned);
        self.asked.lock().unwrap().push((question.prompt.to_owned(), model, question.timeout));
        self.reply.clone().map_err(NoJudgement::Failed)
    }
}

fn yes() -> Judgement {
    Judgement { ok: true, reason: None }
}

fn no(reason: &str) -> Judgement {
    Judgement { ok: false, reason: Some(reason.to_owned()) }
}

fn judged(event: &str, entry: &Value, reply: Result<Judgement, String>) -> (Outcome, Fake) {
    let workspace = Workspace::with(event, &json!([entry]));
    let fake = Fake { reply, asked: Arc::default() };
    let engine = workspace.engine().judged_by(fake.clone());
    (fire(&engine, event, workspace.sample(event)), fake)
}

fn prompt(closed: bool) -> Value {
    json!({ "type": "prompt", "prompt": "Safe?", "failClosed": closed })
}

fn verdict(event: &str, reply: Result<Judgement, String>) -> Outcome {
    judged(event, &prompt(false), reply).0
}

// The question

#[test]
fn arguments_are_replaced_by_the_payload() {
    let entry = json!({ "type": "prompt", "prompt": "Is $ARGUMENTS safe? ($ARGUMENTS)" });
    let workspace = Workspace::with("stop", &json!([entry]));
    let fake = Fake { reply: Ok(yes()), asked: Arc::default() };
    let engine = workspace.engine().judged_by(fake.clone());
    let payload = json!({ "hook_event_name": "stop", "cursor_version": "1.2.3",
        "workspace_roots": [], "text": "echo $ARGUMENTS" });
    let text = payload.to_string();
    fire(&engine, "stop", payload);
    let asked = fake.asked.lock().unwrap();
    assert_eq!(asked[0].0, format!("Is {text} safe? ({text})"));
}

#[test]
fn without_arguments_the_payload_follows_the_prompt() {
    let (_, fake) = judged("preToolUse", &prompt(false), Ok(yes()));
    let asked = fake.asked.lock().unwrap();
    let (first, payload) = asked[0].0.split_once("\n\n").unwrap();
    assert_eq!(first, "Safe?");
    let payload: Value = serde_json::from_str(payload).unwrap();
    assert_eq!(payload["hook_event_name"], json!("preToolUse"));
}

#[test]
fn the_model_and_the_timeout_are_those_of_the_hook() {
    let entry = json!({ "type": "prompt", "prompt": "p", "model": "fast", "timeout": 3 });
    let (_, fake) = judged("stop", &entry, Ok(yes()));
    let (_, model, timeout) = fake.asked.lock().unwrap()[0].clone();
    assert_eq!((model.as_deref(), timeout), (Some("fast"), Duration::from_secs(3)));
    let (_, fake) = judged("stop", &prompt(false), Ok(yes()));
    let (_, model, timeout) = fake.asked.lock().unwrap()[0].clone();
    assert_eq!((model, timeout), (None, Duration::from_secs(20)), "the default of this workspace");
}

#[test]
fn a_hook_that_does_not_match_asks_nobody() {
    let entry = json!({ "type": "prompt", "prompt": "p", "matcher": "^rm" });
    let workspace = Workspace::with("beforeShellExecution", &json!([entry]));
    let fake = Fake { reply: Ok(no("no")), asked: Arc::default() };
    let engine = workspace.engine().judged_by(fake.clone());
    assert!(!fire(&engine, "beforeShellExecution", json!({ "command": "ls" })).blocked);
    assert!(fake.asked.lock().unwrap().is_empty());
}

#[test]
fn a_prompt_in_claudes_settings_is_judged_too() {
    let workspace = Workspace::new();
    let group = json!({ "hooks": [{ "type": "prompt", "prompt": "Done?" }] });
    workspace.claude(file_of("claude-user"), "Stop", &group);
    let fake = Fake { reply: Ok(no("not yet")), asked: Arc::default() };
    let engine = workspace.engine().judged_by(fake);
    let outcome = fire(&engine, "stop", json!({ "status": "completed" }));
    assert_eq!(outcome.followup.as_deref(), Some("not yet"));
}

// The verdict

#[test]
fn yes_allows_at_every_permission_event() {
    for event in PERMISSION {
        let outcome = verdict(event, Ok(yes()));
        assert_eq!(answer(&outcome), json!({ "permission": "allow" }), "{event}");
        assert_eq!(outcome.hooks[0].outcome, HookOutcome::Allow, "{event}");
    }
}

#[test]
fn no_denies_at_every_permission_event_and_gives_the_reason_to_both() {
    for event in PERMISSION {
        let outcome = verdict(event, Ok(no("dangerous")));
        assert!(outcome.blocked, "{event}");
        assert!(outcome.hooks[0].diagnosis.contains("dangerous"), "{event}");
    }
    let both =
        json!({ "permission": "deny", "user_message": "dangerous", "agent_message": "dangerous" });
    assert_eq!(answer(&verdict("beforeShellExecution", Ok(no("dangerous")))), both);
    let human = json!({ "permission": "deny", "user_message": "dangerous" });
    assert_eq!(answer(&verdict("subagentStart", Ok(no("dangerous")))), human);
}

#[test]
fn no_without_a_reason_denies_all_the_same() {
    let outcome = verdict("preToolUse", Ok(Judgement { ok: false, reason: None }));
    assert_eq!(answer(&outcome), json!({ "permission": "deny" }));
}

#[test]
fn a_prompt_is_let_through_or_stopped() {
    let outcome = verdict(PROMPT, Ok(yes()));
    assert_eq!((outcome.blocked, answer(&outcome)), (false, json!({ "continue": true })));
    let outcome = verdict(PROMPT, Ok(no("rude")));
    assert!(outcome.blocked);
    assert_eq!(answer(&outcome), json!({ "continue": false, "user_message": "rude" }));
}

#[test]
fn no_at_the_end_goes_on_with_the_reason() {
    for event in ["stop", "subagentStop"] {
        assert_eq!(verdict(event, Ok(no("tests fail"))).followup.as_deref(), Some("tests fail"));
        assert_eq!(verdict(event, Ok(yes())).followup, None);
    }
}

#[test]
fn no_where_nothing_can_be_stopped_stops_nothing() {
    for event in POWERLESS {
        assert!(!verdict(event, Ok(no("no"))).blocked, "{event}");
    }
}

#[test]
fn a_judgement_is_merged_with_the_answers_of_commands() {
    let entries = json!([says(&json!({ "permission": "allow" })), prompt(false)]);
    let workspace = Workspace::with("preToolUse", &entries);
    let engine = workspace.engine().judged_by(Fake { reply: Ok(no("no")), asked: Arc::default() });
    assert!(fire(&engine, "preToolUse", json!({})).blocked);
}

// Failure

#[test]
fn a_judge_that_fails_fails_open_or_closed_as_the_hook_says() {
    for event in PERMISSION.into_iter().chain([PROMPT]) {
        let broken = || Err("the model is away".to_owned());
        let (outcome, _) = judged(event, &prompt(false), broken());
        assert!(!outcome.blocked, "{event}");
        assert_eq!(outcome.hooks[0].outcome, HookOutcome::Failed, "{event}");
        assert!(outcome.hooks[0].diagnosis.contains("the model is away"), "{event}");
        assert!(judged(event, &prompt(true), broken()).0.blocked, "{event}");
    }
    assert!(!judged("stop", &prompt(true), Err("x".to_owned())).0.blocked);
}

#[test]
fn without_a_judge_a_prompt_hook_fails() {
    for closed in [false, true] {
        let workspace = Workspace::with("preToolUse", &json!([prompt(closed), prompt(closed)]));
        let outcome = workspace.fire("preToolUse", json!({}));
        assert_eq!(outcome.blocked, closed);
        assert!(outcome.hooks.iter().all(|hook| hook.diagnosis.contains("no judge")));
        let told = |text: &&String| text.starts_with("prompt hooks have no judge: ");
        assert_eq!(outcome.warnings.iter().filter(told).count(), 1, "{:?}", outcome.warnings);
    }
}

#[test]
fn a_program_that_is_missing_or_has_no_configuration_is_told_once() {
    for (program, why) in [("/nowhere/judge", "there is no program"), ("/bin/sh", "write a file")] {
        let workspace = Workspace::with("preToolUse", &json!([prompt(false), prompt(true)]));
        workspace.write("judge.sh", "echo 'write a file' >&2; exit 2");
        let arguments = vec![workspace.path("judge.sh").into_os_string()];
        let engine =
            workspace.engine().judged_by(ProgramJudge { program: program.into(), arguments });
        let outcome = fire(&engine, "preToolUse", json!({ "tool_name": "Shell" }));
        assert!(outcome.blocked, "the second one is fail-closed");
        let told: Vec<_> = outcome.warnings.iter().filter(|it| it.contains(why)).collect();
        assert_eq!(told.len(), 1, "{:?}", outcome.warnings);
        assert!(outcome.hooks.iter().all(|hook| !hook.diagnosis.contains(why)));
    }
}

// A program as the judge

/// An engine whose judge is a shell script.
fn scripted(script: &str, closed: bool) -> (Workspace, Engine) {
    let entry = json!({ "type": "prompt", "prompt": "Safe?", "model": "m", "timeout": 4,
        "failClosed": closed });
    let workspace = Workspace::with("preToolUse", &json!([entry]));
    workspace.write("judge.sh", script);
    let arguments = vec![workspace.path("judge.sh").into_os_string()];
    let judge = ProgramJudge { program: "/bin/sh".into(), arguments };
    let engine = workspace.engine().judged_by(judge);
    (workspace, engine)
}

fn by_script(script: &str, closed: bool) -> Outcome {
    let (_workspace, engine) = scripted(script, closed);
    fire(&engine, "preToolUse", json!({ "tool_name": "Shell" }))
}

#[test]
fn a_program_judges_what_it_reads() {
    let (workspace, engine) = scripted("cat > \"$0.seen\"; echo '{\"ok\": true}'", false);
    let outcome = fire(&engine, "preToolUse", json!({ "tool_name": "Shell" }));
    assert_eq!(answer(&outcome), json!({ "permission": "allow" }));
    let seen = std::fs::read_to_string(workspace.path("judge.sh.seen")).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["model"], json!("m"));
    assert!(seen["prompt"].as_str().unwrap().starts_with("Safe?\n\n{"));
}

#[test]
fn a_program_can_say_no() {
    let outcome = by_script("echo '{\"ok\": false, \"reason\": \"no way\"}'", false);
    assert!(outcome.blocked);
    assert_eq!(answer(&outcome)["user_message"], json!("no way"));
}

fn judge_fails(script: &str, why: &str) {
    let outcome = by_script(script, false);
    assert!(!outcome.blocked, "{script}");
    assert_eq!(outcome.hooks[0].outcome, HookOutcome::Failed, "{script}");
    let diagnosis = &outcome.hooks[0].diagnosis;
    assert!(diagnosis.contains(why), "{script}: {diagnosis}");
    assert!(by_script(script, true).blocked, "{script}");
}

#[test]
fn a_program_that_prints_garbage_fails() {
    judge_fails("echo certainly", "printed no JSON");
    judge_fails("true", "printed no JSON");
}

#[test]
fn a_program_that_gives_no_judgement_fails() {
    for text in ["{}", "[]", r#"{"ok":"yes"}"#, r#"{"ok":1}"#, r#"{"reason":"x"}"#] {
        judge_fails(&crate::support::printing(text), "printed no judgement");
    }
}

#[test]
fn a_program_that_exits_with_an_error_fails_with_its_words() {
    judge_fails("echo '{\"ok\": true}'; echo 'no key' >&2; exit 1", "no key");
}

#[test]
fn a_program_that_is_slow_fails_in_time() {
    let start = Instant::now();
    judge_fails("sleep 120; echo '{\"ok\": true}'", "within 4 s");
    assert!(start.elapsed() < Duration::from_mins(1));
}
