//! The house rules in `examples/` are one hook in four languages with equal verdicts.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};
use tenter_hosts::author::{Response, respond};
use tenter_model::{EventKind, HostId};
use tenter_testkit::{Ran, Tenter, fixtures, node};

const TENTER: &str = env!("CARGO_BIN_EXE_tenter");

/// One of the four.
struct Example {
    language: &'static str,
    program: PathBuf,
    /// The script for an interpreter; `None` for a program that speaks the host's format itself.
    script: Option<PathBuf>,
}

impl Example {
    fn interpreted(language: &'static str, program: PathBuf, script: &str) -> Self {
        let script = Some(root().join("examples").join(script));
        Self { language, program, script }
    }

    /// The answer to the host for `payload`.
    fn answer(&self, host: HostId, payload: &str) -> Ran {
        match &self.script {
            Some(script) => Self::bridged(host, payload, [self.program.as_ref(), script.as_ref()]),
            None => {
                let mut hook = Command::new(&self.program);
                hook.args(["--host", host.as_str()]);
                feed(hook, payload)
            }
        }
    }

    /// The answer to the host for `payload`, and the handler's output for the unified event.
    fn answer_and_response(&self, host: HostId, payload: &str) -> (Ran, Option<Value>) {
        let Some(script) = &self.script else {
            return (self.answer(host, payload), None);
        };
        let copy = scratch_file();
        let tee = "set -o pipefail; \"$1\" \"$2\" | tee \"$3\"";
        let command: [&OsStr; 7] = [
            "bash".as_ref(),
            "-c".as_ref(),
            tee.as_ref(),
            "bash".as_ref(),
            self.program.as_ref(),
            script.as_ref(),
            copy.as_ref(),
        ];
        let ran = Self::bridged(host, payload, command);
        let printed = fs::read_to_string(&copy).expect("the output was copied");
        fs::remove_file(&copy).expect("the copy is ours");
        (ran, Some(read_response(&printed)))
    }

    fn bridged<const N: usize>(host: HostId, payload: &str, handler: [&OsStr; N]) -> Ran {
        let mut tenter = Command::new(TENTER);
        tenter.args(["run", "--host", host.as_str(), "--"]);
        tenter.args(handler);
        feed(tenter, payload)
    }

    /// The handler's output for a unified event; `None` for a hook that takes none.
    fn response(&self, event: &str) -> Option<Value> {
        let mut handler = Command::new(&self.program);
        handler.arg(self.script.as_ref()?);
        let ran = feed(handler, event);
        assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0), "{}: {event}", self.language);
        Some(read_response(&ran.stdout))
    }
}

fn read_response(printed: &str) -> Value {
    if printed.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(printed).expect("a handler prints JSON or nothing")
}

fn scratch_file() -> PathBuf {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("house-rules-{}-{number}", std::process::id());
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// The four examples with their prerequisites, found or built once.
fn examples() -> &'static [Example] {
    static EXAMPLES: OnceLock<Vec<Example>> = OnceLock::new();
    EXAMPLES.get_or_init(|| {
        needed("jq", &["--version"]);
        // The real interpreter: version managers put a slow script in front of it.
        let python = needed("python3", &["-c", "import sys; print(sys.executable)"]);
        vec![
            Example::interpreted("Python", PathBuf::from(python.trim()), "house-rules.py"),
            Example::interpreted("TypeScript", node(TENTER), "house-rules.ts"),
            Example::interpreted("bash", PathBuf::from("bash"), "house-rules.sh"),
            Example { language: "Rust", program: rust_example(), script: None },
        ]
    })
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace is there")
}

/// The output of a required program: a test that skips missing programs tests nothing.
fn needed(program: &str, arguments: &[&str]) -> String {
    output(program.as_ref(), arguments).unwrap_or_else(|| {
        panic!("`{program}` does not run here: `cargo xtask test` installs what the tests need")
    })
}

fn output(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}

/// Builds the example of `tenter-hosts`, unless all tests were built before.
fn rust_example() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    // The whole workspace, so that features and builds are those of `cargo test --workspace`.
    cargo.args(["build", "--quiet", "--workspace", "--example", "house_rules"]);
    cargo.args(["--message-format", "json"]).current_dir(root());
    if Path::new(TENTER).parent().is_some_and(|folder| folder.ends_with("release")) {
        cargo.arg("--release");
    }
    let built = cargo.stderr(Stdio::inherit()).output().expect("cargo runs");
    assert!(built.status.success(), "the Rust example does not build");
    String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "house_rules")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .expect("cargo names what it built")
}

fn feed(mut command: Command, stdin: &str) -> Ran {
    command.stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Tenter::finish(command, stdin)
}

/// Runs `work` on every item with a few threads, since starting interpreters is slow.
fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let worker = || -> Vec<(usize, R)> {
        std::iter::from_fn(|| {
            let index = next.fetch_add(1, Ordering::Relaxed);
            items.get(index).map(|item| (index, work(item)))
        })
        .collect()
    };
    let threads = thread::available_parallelism().map_or(2, usize::from);
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Vec<(usize, R)>>| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        workers.into_iter().flat_map(join).collect()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

fn id(host: &str) -> HostId {
    host.parse().expect("a fixture belongs to a host")
}

/// The answer when a hook has no opinion.
fn neutral(host: HostId, payload: &str) -> String {
    let outcome = respond(payload.into(), Some(host), |_| Response::none());
    outcome.answer.stdout
}

/// stderr included: it names the handler only if the handler failed.
#[test]
fn every_payload_gets_the_same_answer_in_every_language() {
    let fixtures = fixtures();
    let answers = parallel(&fixtures, |fixture| {
        let answer = |example: &Example| example.answer(id(&fixture.host), &fixture.text);
        examples().iter().map(answer).collect::<Vec<Ran>>()
    });
    let mut opinions = Vec::new();
    for (fixture, answers) in fixtures.iter().zip(&answers) {
        let [first, others @ ..] = answers.as_slice() else {
            panic!("there are examples");
        };
        assert_eq!(first.exit, 0, "{}", fixture.name);
        for (example, other) in examples().iter().skip(1).zip(others) {
            assert_eq!(other, first, "{} in {}", fixture.name, example.language);
        }
        if first.stdout != neutral(id(&fixture.host), &fixture.text) {
            opinions.push(format!("{} {}", fixture.host, fixture.event()));
        }
    }
    opinions.sort();
    opinions.dedup();
    let expected = [
        "claude PostToolUseFailure",
        "claude PreToolUse",
        "claude SessionStart",
        "codex PreToolUse",
        "codex SessionStart",
        "cursor beforeReadFile",
        "cursor postToolUseFailure",
        "cursor preToolUse",
        "cursor sessionStart",
        "gemini BeforeTool",
        "gemini SessionStart",
        "qwen PostToolUseFailure",
        "qwen PreToolUse",
        "qwen SessionStart",
    ];
    assert_eq!(opinions, expected);
}

/// The unified answer of each rule; the eighth is silence.
fn verdict(rule: u8) -> Value {
    match rule {
        1 => json!({"additional_context":
            "House rules: no rm -rf, no secrets, ask before you write files from the shell."}),
        2 => json!({"decision": "deny", "reason": "secrets stay out of the conversation",
            "user_message": "Kept the agent away from a secrets file."}),
        3 => json!({"decision": "deny", "reason": "rm -rf is blocked"}),
        4 => json!({"decision": "ask", "reason": "this writes a file from the shell"}),
        5 => json!({"modified_input": {"command": "pnpm install left-pad"}}),
        6 => json!({"additional_context": "That failed; read the error before you try again."}),
        7 => json!({"decision": "deny", "reason": "You left a TODO; finish it."}),
        _ => Value::Null,
    }
}

/// A payload, its rule and the host's answer.
struct Case {
    rule: u8,
    host: HostId,
    payload: String,
    answer: &'static str,
}

fn case(rule: u8, host: HostId, event: &str, fields: Value, answer: &'static str) -> Case {
    let mut payload = match host {
        HostId::Cursor => json!({"conversation_id": "c-1", "generation_id": "g-1",
            "cursor_version": "3.21.16", "workspace_roots": ["/home/ana/shop"]}),
        HostId::Claude => json!({"session_id": "s-1", "cwd": "/home/ana/shop",
            "transcript_path": "/home/ana/.claude/s-1.jsonl", "permission_mode": "default"}),
        HostId::Codex => json!({"session_id": "s-1", "turn_id": "t-1", "cwd": "/home/ana/shop",
            "model": "gpt-5.6-sol", "permission_mode": "default"}),
        HostId::Gemini => json!({"session_id": "s-1", "cwd": "/home/ana/shop",
            "transcript_path": "/home/ana/.gemini/tmp/shop/chats/session-1.jsonl",
            "timestamp": "2026-11-19T22:00:00.000Z"}),
        HostId::Qwen => json!({"session_id": "s-1", "cwd": "/home/ana/shop",
            "transcript_path": "/home/ana/.qwen/projects/-home-ana-shop/chats/s-1.jsonl",
            "timestamp": "2026-11-19T22:00:00.000Z", "permission_mode": "default"}),
    };
    payload["hook_event_name"] = event.into();
    if let (Some(payload), Value::Object(fields)) = (payload.as_object_mut(), fields) {
        payload.extend(fields);
    }
    Case { rule, host, payload: payload.to_string(), answer }
}

fn tool(name: &str, input: Value) -> Value {
    let mut fields = json!({"tool_name": name, "tool_use_id": "t-1"});
    fields["tool_input"] = input;
    fields
}

fn shell(name: &str, command: &str) -> Value {
    tool(name, json!({"command": command, "timeout": 30000}))
}

fn cursor_cases() -> Vec<Case> {
    let case = |rule, event, fields, answer| case(rule, HostId::Cursor, event, fields, answer);
    let stop = |loop_count: u8| {
        // Cursor documents no last message; at `subagentStop` it is here.
        json!({"status": "completed", "loop_count": loop_count, "summary": "One TODO is left."})
    };
    vec![
        case(
            1,
            "sessionStart",
            json!({"session_id": "c-1"}),
            r#"{"additional_context":"House rules: no rm -rf, no secrets, ask before you write files from the shell."}"#,
        ),
        case(
            2,
            "preToolUse",
            tool("Read", json!({"file_path": "/home/ana/shop/.env"})),
            r#"{"permission":"deny","user_message":"Kept the agent away from a secrets file.","agent_message":"secrets stay out of the conversation"}"#,
        ),
        case(
            3,
            "preToolUse",
            shell("Shell", "cd /tmp && rm -rf foo"),
            r#"{"permission":"deny","agent_message":"rm -rf is blocked"}"#,
        ),
        case(
            3,
            "beforeShellExecution",
            json!({"command": "rm -rf /tmp/foo", "cwd": ""}),
            r#"{"permission":"deny","agent_message":"rm -rf is blocked"}"#,
        ),
        case(
            4,
            "preToolUse",
            shell("Shell", "date > now.txt"),
            r#"{"permission":"deny","user_message":"Blocked, needs your OK: this writes a file from the shell","agent_message":"this writes a file from the shell\n\nBlocked: needs the user's OK, which Cursor does not ask for here. Ask the user before you try again."}"#,
        ),
        case(
            5,
            "preToolUse",
            shell("Shell", "npm install left-pad"),
            r#"{"permission":"allow","updated_input":{"command":"pnpm install left-pad","timeout":30000}}"#,
        ),
        case(
            6,
            "postToolUseFailure",
            shell("Shell", "npm test"),
            r#"{"additional_context":"That failed; read the error before you try again."}"#,
        ),
        case(7, "stop", stop(0), r#"{"followup_message":"You left a TODO; finish it."}"#),
        case(8, "stop", stop(1), "{}"),
        case(8, "stop", json!({"status": "completed"}), "{}"),
    ]
}

fn claude_cases() -> Vec<Case> {
    let case = |rule, event, fields, answer| case(rule, HostId::Claude, event, fields, answer);
    let stop = |active: bool| json!({"stop_hook_active": active, "last_assistant_message": "One TODO is left."});
    vec![
        case(
            1,
            "SessionStart",
            json!({"source": "startup"}),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"House rules: no rm -rf, no secrets, ask before you write files from the shell."}}"#,
        ),
        case(
            2,
            "PreToolUse",
            tool("Write", json!({"file_path": ".env", "content": "A=1"})),
            DENIED_SECRETS,
        ),
        case(3, "PreToolUse", shell("Bash", "rm -rf /tmp/foo"), DENIED_RM),
        case(4, "PreToolUse", shell("Bash", "date > now.txt"), ASKED),
        case(
            5,
            "PreToolUse",
            shell("Bash", "npm install left-pad"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"pnpm install left-pad","timeout":30000}}}"#,
        ),
        case(
            6,
            "PostToolUseFailure",
            shell("Bash", "npm test"),
            r#"{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"That failed; read the error before you try again."}}"#,
        ),
        case(7, "Stop", stop(false), GO_ON),
        case(8, "Stop", stop(true), ""),
        case(8, "SubagentStop", stop(false), ""),
    ]
}

fn codex_cases() -> Vec<Case> {
    let case = |rule, event, fields, answer| case(rule, HostId::Codex, event, fields, answer);
    let stop = |active: bool| json!({"stop_hook_active": active, "last_assistant_message": "One TODO is left."});
    let patch =
        "*** Begin Patch\n*** Delete File: a.txt\n*** Add File: app/.env\n+A=1\n*** End Patch\n";
    vec![
        case(
            1,
            "SessionStart",
            json!({"source": "startup"}),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"House rules: no rm -rf, no secrets, ask before you write files from the shell."}}"#,
        ),
        case(2, "PreToolUse", tool("apply_patch", json!({"command": patch})), DENIED_SECRETS),
        case(3, "PreToolUse", shell("Bash", "rm -rf /tmp/foo"), DENIED_RM),
        case(
            4,
            "PreToolUse",
            shell("Bash", "date > now.txt"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"this writes a file from the shell\n\nBlocked: needs the user's OK, which Codex does not ask for here. Ask the user before you try again."},"systemMessage":"Blocked, needs your OK: this writes a file from the shell"}"#,
        ),
        case(
            5,
            "PreToolUse",
            shell("Bash", "npm install left-pad"),
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"pnpm install left-pad","timeout":30000}}}"#,
        ),
        // Codex has no event for a failed tool: the sixth rule does not apply, under either name.
        case(8, "PostToolUse", shell("Bash", "npm test"), ""),
        case(8, "PostToolUseFailure", shell("Bash", "npm test"), ""),
        case(7, "Stop", stop(false), GO_ON),
        case(8, "Stop", stop(true), ""),
    ]
}

const DENIED_SECRETS: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"secrets stay out of the conversation"},"systemMessage":"Kept the agent away from a secrets file."}"#;
const DENIED_RM: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"rm -rf is blocked"}}"#;
const ASKED: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"this writes a file from the shell"}}"#;
const GO_ON: &str = r#"{"decision":"block","reason":"You left a TODO; finish it."}"#;

/// Edges of the rules, and their precedence.
fn edge_cases() -> Vec<Case> {
    let case = |rule, fields, answer| case(rule, HostId::Claude, "PreToolUse", fields, answer);
    let read = |path: &str| tool("Read", json!({"file_path": path}));
    let bash = |command: &str| shell("Bash", command);
    vec![
        case(2, read(r"C:\shop\.env"), DENIED_SECRETS),
        case(8, read("/home/ana/shop/.env.example"), ""),
        case(8, read("/home/ana/shop/prod.env"), ""),
        case(8, read("/home/ana/.env/readme"), ""),
        case(8, read(""), ""),
        case(3, bash("rm -rf dist > log"), DENIED_RM),
        case(3, bash("npm install && rm -rf dist"), DENIED_RM),
        case(4, bash("npm install left-pad > log"), ASKED),
        case(8, bash("echo a>b"), ""),
        case(8, bash("cd app && npm install"), ""),
        case(8, tool("Bash", json!({})), ""),
        case(8, tool("Grep", json!({"pattern": "rm -rf"})), ""),
        case(8, json!({"tool_name": "Bash"}), ""),
        case(8, json!({}), ""),
    ]
}

fn check(cases: &[Case]) {
    parallel(cases, |case| {
        let mut stderr = None;
        for example in examples() {
            let at = format!("{} on {}: {}", example.language, case.host, case.payload);
            let (ran, response) = example.answer_and_response(case.host, &case.payload);
            assert_eq!((ran.stdout.as_str(), ran.exit), (case.answer, 0), "{at}");
            assert_eq!(&ran.stderr, stderr.get_or_insert(ran.stderr.clone()), "{at}");
            if let Some(response) = response {
                assert_eq!(response, verdict(case.rule), "{at}");
            }
        }
    });
}

#[test]
fn every_rule_holds_on_cursor() {
    check(&cursor_cases());
}

#[test]
fn every_rule_holds_on_claude_code() {
    check(&claude_cases());
}

#[test]
fn every_rule_holds_on_codex() {
    check(&codex_cases());
}

#[test]
fn the_rules_end_where_they_should() {
    check(&edge_cases());
}

#[test]
fn a_handler_that_misses_fields_has_no_opinion() {
    let events = [
        json!({}),
        json!({"event": "PreToolUse"}),
        json!({"event": "PreToolUse", "files": []}),
        json!({"event": "PreToolUse", "tool": "Bash"}),
        json!({"event": "PreToolUse", "tool": "Bash", "tool_input": {}}),
        json!({"event": "PreToolUse", "tool": "Bash", "tool_input": {"command": null}}),
        json!({"event": "Stop"}),
        json!({"event": "SomethingNew", "tool": "Bash"}),
    ];
    parallel(&events, |event| {
        for example in examples() {
            let response = example.response(&event.to_string());
            assert_eq!(response.unwrap_or_default(), Value::Null, "{event}");
        }
    });
}

/// Languages escape differently, so the answers are equal JSON but not equal bytes.
#[test]
fn a_rewrite_keeps_every_character() {
    let command = "npm install \"a b\" 'c' \\ \n\t # h\u{e9} \u{1f600} \u{7f}";
    let case = case(5, HostId::Claude, "PreToolUse", shell("Bash", command), "");
    for example in examples() {
        let ran = example.answer(case.host, &case.payload);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        let input = &answer["hookSpecificOutput"]["updatedInput"];
        assert_eq!(input["command"], format!("p{command}"), "{}", example.language);
        assert_eq!(input["timeout"], 30000, "{}", example.language);
    }
}

/// The fenced code blocks of one language in the examples' README.
fn blocks(language: &str) -> Vec<String> {
    let readme = fs::read_to_string(root().join("examples/README.md"));
    let readme = readme.expect("the examples have a README");
    let fence = format!("```{language}\n");
    let found = readme.split(fence.as_str()).skip(1);
    let found = found.filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()));
    found.collect()
}

#[test]
fn the_demonstration_of_the_readme_works_when_pasted() {
    let [demonstration] = blocks("sh").try_into().unwrap();
    let cargo = "cargo run -q --";
    assert!(demonstration.contains(cargo), "{demonstration}");
    let mut sh = Command::new("sh");
    // Uses the binary under test instead of cargo's.
    sh.args(["-c", &demonstration.replace(cargo, "\"$TENTER\"")]);
    sh.env("TENTER", TENTER).current_dir(root());
    let ran = feed(sh, "");
    assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0));
    assert_eq!(ran.stdout.trim(), blocks("json").first().unwrap().trim());
}

#[test]
fn the_configurations_of_the_readme_name_events_of_their_host() {
    let configurations = blocks("json").split_off(1);
    assert_eq!(configurations.len(), HostId::ALL.len());
    for (host, text) in HostId::ALL.into_iter().zip(configurations) {
        let configuration: Value = serde_json::from_str(&text).unwrap();
        for (event, groups) in configuration["hooks"].as_object().unwrap() {
            assert_ne!(tenter_hosts::host(host).kind(event), EventKind::Other, "{event}");
            let command = groups.pointer("/0/command");
            let command = command.or_else(|| groups.pointer("/0/hooks/0/command"));
            let expected = format!("tenter run --host {host} -- python3 /path/to/house-rules.py");
            assert_eq!(command.unwrap(), &expected);
        }
    }
}
