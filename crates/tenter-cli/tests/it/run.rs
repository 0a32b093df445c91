//! `tenter run` with handlers that misbehave in every known way.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use tenter_testkit::{Ran, Tenter};

const SHELL: &str = r#"{"hook_event_name":"beforeShellExecution","conversation_id":"c","generation_id":"g",
    "cursor_version":"3.21.16","workspace_roots":["/w"],"command":"rm -rf /tmp/foo","cwd":"/w","sandbox":false}"#;
const STOP: &str =
    r#"{"hook_event_name":"stop","cursor_version":"3.21.16","status":"completed","loop_count":0}"#;
const CLAUDE: &str = r#"{"session_id":"s","transcript_path":"/h/.claude/x.jsonl","cwd":"/w","permission_mode":"default",
    "hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"toolu_1"}"#;
const NEUTRAL: &str = r#"{"permission":"allow"}"#;

fn tenter() -> Tenter {
    Tenter::new(env!("CARGO_BIN_EXE_tenter"))
}

fn run(flags: &[&str], payload: &str, script: &str) -> Ran {
    let mut arguments = vec!["run"];
    arguments.extend(flags);
    arguments.extend(["--", "sh", "-c", script]);
    tenter().run(&arguments, payload)
}

/// A folder for one test.
fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    drop(fs::remove_dir_all(&path));
    fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn the_handler_gets_the_unified_event_and_its_environment() {
    let dir = scratch("event");
    let script = format!(
        "cat > {0}/event; printf '%s %s %s' \"$TENTER_HOST\" \"$TENTER_EVENT\" \"$TENTER_VERSION\" > {0}/env",
        dir.display()
    );
    assert_eq!(run(&[], SHELL, &script).stdout, NEUTRAL);
    let event: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("event")).unwrap()).unwrap();
    assert_eq!(event["event"], "PreToolUse");
    assert_eq!(event["tool"], "Bash");
    assert_eq!(event["tool_input"]["command"], "rm -rf /tmp/foo");
    assert_eq!(event["_native"]["generation_id"], "g");
    let environment = fs::read_to_string(dir.join("env")).unwrap();
    assert_eq!(environment, format!("cursor PreToolUse {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn the_seeds_round_trip() {
    let script = r#"cat >/dev/null; echo '{"decision":"deny","reason":"rm -rf is blocked"}'"#;
    let ran = run(&[], SHELL, script);
    assert_eq!(ran.stdout, r#"{"permission":"deny","agent_message":"rm -rf is blocked"}"#);
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
    let ran = run(&["--deny-exit", "2"], SHELL, script);
    assert_eq!(ran.stdout, r#"{"permission":"deny","agent_message":"rm -rf is blocked"}"#);
    assert_eq!(ran.exit, 2);
}

#[test]
fn exit_2_denies_with_stderr_as_the_reason() {
    let ran = run(&[], SHELL, "cat >/dev/null; echo 'not on my watch' >&2; exit 2");
    assert_eq!(ran.stdout, r#"{"permission":"deny","agent_message":"not on my watch"}"#);
    assert_eq!(ran.stderr, "");
    let ran = run(&["--host", "claude"], CLAUDE, "echo no >&2; exit 2");
    assert!(ran.stdout.contains(r#""permissionDecision":"deny","permissionDecisionReason":"no""#));
    let silent = run(&[], SHELL, "exit 2");
    assert!(silent.stdout.contains("gave no reason"), "{}", silent.stdout);
}

/// Each failure with part of its message.
const FAILURES: [(&str, &str); 10] = [
    ("exit 3", "left with exit 3"),
    ("echo boom >&2; exit 1", "left with exit 1: boom"),
    ("kill -SEGV $$", "was killed by signal 11"),
    ("echo hello", "expected a JSON object, got `hello`"),
    ("echo '{} {}'", "more follows it: `{}`"),
    (r#"echo '{"decision":"block"}'"#, "got `\"block\"`; did you mean \"deny\"?"),
    (r#"echo '{"reason":{}}'"#, "`reason` must be a string, got `{}`"),
    (r#"echo '{"permission":"deny"}'"#, "`permission` is a host's own answer"),
    (r"printf '\377'", "not UTF-8"),
    ("head -c 2000000 /dev/zero", "printed more than 1048576 bytes"),
];

#[test]
fn every_failure_is_said_and_meets_the_chosen_mode() {
    for (script, message) in FAILURES {
        let script = format!("cat >/dev/null; {script}");
        let open = run(&["--on-failure", "open"], SHELL, &script);
        assert_eq!((open.stdout.as_str(), open.exit), (NEUTRAL, 0), "{script}");
        assert!(open.stderr.contains(message), "{script}: {}", open.stderr);
        assert!(open.stderr.contains("failing open"), "{script}: {}", open.stderr);
        let default = run(&[], SHELL, &script);
        assert_eq!(default, open, "open is the stated default");

        let closed = run(&["--on-failure", "closed"], SHELL, &script);
        let answer: Value = serde_json::from_str(&closed.stdout).unwrap();
        assert_eq!(answer["permission"], "deny", "{script}");
        assert!(answer["agent_message"].as_str().unwrap().contains(message), "{script}");
        assert!(answer["user_message"].as_str().unwrap().contains(message), "{script}");

        let ask = run(&["--on-failure", "ask", "--host", "claude"], CLAUDE, &script);
        assert!(ask.stdout.contains(r#""permissionDecision":"ask""#), "{script}: {}", ask.stdout);
    }
}

#[test]
fn a_failure_at_stop_never_makes_the_agent_go_on() {
    let ran = run(&["--on-failure", "closed"], STOP, "exit 3");
    assert_eq!((ran.stdout.as_str(), ran.exit), ("{}", 0));
    assert!(ran.stderr.contains("left with exit 3"));
}

#[test]
fn a_missing_or_unexecutable_handler_is_a_failure() {
    let missing = |name| tenter().run(&["run", "--on-failure", "closed", "--", name], SHELL).stdout;
    let told = missing("no-such-handler");
    assert!(told.contains("was not found; give its full path"), "{told}");
    // It is an absolute path already.
    let told = missing("/no/such/handler");
    assert!(told.contains("was not found") && !told.contains("full path"), "{told}");
    let file = scratch("unexecutable").join("handler");
    fs::write(&file, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let ran = tenter().run(&["run", "--", file.to_str().unwrap()], SHELL);
    assert!(ran.stderr.contains("is not executable; chmod +x"), "{}", ran.stderr);
    assert_eq!(ran.stdout, NEUTRAL);
}

/// Whether a process with that id runs.
fn alive(pid: &str) -> bool {
    Command::new("kill").args(["-0", pid]).status().unwrap().success()
}

fn eventually(what: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_mins(1);
    while Instant::now() < deadline {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_timeout_ends_the_whole_group() {
    let dir = scratch("timeout");
    let script = format!("sleep 120 & echo $! > {}/pid; sleep 120", dir.display());
    let start = Instant::now();
    let ran = run(&["--timeout", "1500ms", "--on-failure", "closed"], SHELL, &script);
    assert!(start.elapsed() < Duration::from_mins(1), "took {:?}", start.elapsed());
    assert!(ran.stdout.contains("did not end within 1500 ms"), "{}", ran.stdout);
    let pid = fs::read_to_string(dir.join("pid")).unwrap();
    assert!(eventually(|| !alive(pid.trim())), "the grandchild survived");
}

#[test]
fn a_handler_that_ignores_the_request_to_end_is_killed() {
    let dir = scratch("stubborn");
    let script =
        format!("trap '' TERM; echo $$ > {}/pid; while :; do sleep 0.1; done", dir.display());
    let ran = run(&["--timeout", "1500ms"], SHELL, &script);
    assert_eq!(ran.stdout, NEUTRAL);
    let pid = fs::read_to_string(dir.join("pid")).unwrap();
    assert!(eventually(|| !alive(pid.trim())), "the handler survived");
}

#[test]
fn a_grandchild_that_holds_the_pipe_does_not_hang_us() {
    let start = Instant::now();
    let ran = run(
        &["--timeout", "150s"],
        SHELL,
        r#"cat >/dev/null; sleep 120 & echo '{"decision":"deny","reason":"r"}'"#,
    );
    assert_eq!(ran.stdout, r#"{"permission":"deny","agent_message":"r"}"#);
    assert!(start.elapsed() < Duration::from_mins(1), "took {:?}", start.elapsed());
}

#[test]
fn what_a_grandchild_prints_is_none_of_the_answer() {
    let deny = r#"echo '{"decision":"deny","reason":"r"}'"#;
    for noise in ["(sleep 0.1; echo junk) &", "yes junk &"] {
        let script = format!("cat >/dev/null; {deny}; {noise} exit 0");
        let ran = run(&["--on-failure", "closed"], SHELL, &script);
        // A flood may overtake the exit; it must not weaken the deny.
        assert!(ran.stdout.contains(r#""permission":"deny""#), "{noise}: {ran:?}");
    }
}

#[test]
fn softened_asks_are_for_hooks_that_work() {
    let flags = ["--on-failure", "ask", "--cursor-ask", "allow", "--claude-ask", "allow"];
    let ran = run(&flags, SHELL, "echo garbage");
    assert!(ran.stdout.contains(r#""permission":"deny""#), "{}", ran.stdout);
    let ran = run(&flags, CLAUDE, "echo garbage");
    assert!(ran.stdout.contains(r#""permissionDecision":"ask""#), "{}", ran.stdout);
    let ran = run(&flags, CLAUDE, r#"echo '{"decision":"ask","reason":"r"}'"#);
    assert_eq!(ran.stdout, "", "silence leaves it to the user's rules; an allow would grant it");
}

#[test]
fn closed_means_closed_also_without_a_host() {
    let broken = SHELL.replace("false}", "");
    let closed = ["--on-failure", "closed"];
    for (payload, flags) in [
        (broken.as_str(), closed.to_vec()),
        (r#"{"hello":"world"}"#, closed.to_vec()),
        (SHELL, [closed.as_slice(), &["--max-bytes", "10"]].concat()),
    ] {
        let ran = run(&flags, payload, "exit 0");
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{payload}");
        assert!(!ran.stderr.trim().is_empty());
    }
    let stop = r#"{"hook_event_name":"Stop","x":1}"#;
    assert_eq!(run(&closed, stop, "exit 0").exit, 1, "a stop is never held up by a failure");
}

#[test]
fn the_deadline_is_for_the_whole_call() {
    let start = Instant::now();
    let mut child = tenter()
        .command(&["run", "--timeout", "1s", "--", "sh", "-c", "sleep 120"])
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, SHELL.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert_eq!(String::from_utf8_lossy(&output.stdout), NEUTRAL);
    assert!(start.elapsed() < Duration::from_mins(1), "took {:?}", start.elapsed());
}

#[test]
fn a_handler_need_not_read_its_input() {
    let big = format!(
        r#"{{"hook_event_name":"beforeReadFile","cursor_version":"3.1.0","file_path":"/a","content":"{}"}}"#,
        "x".repeat(2_000_000)
    );
    let ran = run(&[], &big, r#"echo '{"decision":"deny"}'"#);
    assert_eq!(ran.stdout, r#"{"permission":"deny"}"#);
    let ran = run(&[], &big, "exec <&-; exit 0");
    assert_eq!(ran.stdout, NEUTRAL);
}

#[test]
fn a_flood_on_stderr_is_cut_and_harmless() {
    let ran = run(&[], SHELL, "cat >/dev/null; head -c 3000000 /dev/zero | tr '\\0' e >&2");
    assert_eq!(ran.stdout, NEUTRAL);
    assert!(ran.stderr.len() <= 64 * 1024 + 1, "{} bytes", ran.stderr.len());
    assert!(ran.stderr.starts_with("eee"));
}

#[test]
fn signals_are_forwarded_and_time_is_given_to_heed_them() {
    for (signal, name) in [("TERM", "SIGTERM"), ("INT", "SIGINT")] {
        let dir = scratch(&format!("signals-{signal}"));
        let script = format!(
            "trap 'sleep 0.3; echo got > {0}/signal; exit 0' {signal}; echo up > {0}/up; \
             while :; do sleep 0.05; done",
            dir.display()
        );
        let mut child = tenter()
            .command(&["run", "--on-failure", "closed", "--", "sh", "-c", &script])
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), SHELL.as_bytes()).unwrap();
        assert!(eventually(|| dir.join("up").exists()));
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert!(dir.join("signal").exists(), "the handler did not heed {name}");
        assert!(
            String::from_utf8_lossy(&output.stdout).contains(&format!("interrupted by {name}"))
        );
    }
}

#[test]
fn a_parent_that_ignores_its_children_changes_nothing() {
    let deny = r#"{"decision":"deny","reason":"r"}"#;
    let mut command = Command::new("python3");
    command
        .args(["-c", "import os,signal,sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"])
        .args([env!("CARGO_BIN_EXE_tenter"), "run", "--", "echo", deny])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let ran = Tenter::finish(command, SHELL);
    assert_eq!(ran.stdout, r#"{"permission":"deny","agent_message":"r"}"#, "{}", ran.stderr);
}

#[test]
fn input_that_cannot_be_read_meets_the_fail_mode() {
    let broken = SHELL.replace("false}", "");
    let nameless = "[1,2]";
    for (payload, flags, message) in [
        (SHELL, ["--max-bytes", "100"].as_slice(), "longer than 100 bytes (--max-bytes)"),
        (broken.as_str(), &[], "not one JSON object"),
        (nameless, &[], "not one JSON object"),
    ] {
        let flags = [flags, &["--host", "cursor"]].concat();
        let open = run(&flags, payload, "exit 0");
        assert_eq!((open.exit, open.stdout.as_str()), (0, NEUTRAL), "{payload}");
        assert!(open.stderr.contains(message), "{payload}: {}", open.stderr);
        let flags = [flags.as_slice(), &["--on-failure", "closed"]].concat();
        let closed = run(&flags, payload, "exit 0");
        if payload == nameless {
            assert_eq!((closed.exit, closed.stdout.as_str()), (2, ""));
            assert!(closed.stderr.contains(message), "{}", closed.stderr);
        } else {
            assert!(closed.stdout.contains(r#""permission":"deny""#), "{payload}: {closed:?}");
            assert!(closed.stdout.contains(message), "{payload}: {closed:?}");
        }
    }
}

#[test]
fn what_some_parsers_refuse_does_not_reach_the_handler() {
    let deep = format!("{}{}", "[".repeat(2000), "]".repeat(2000));
    let payload = SHELL.replace("\"sandbox\"", &format!(r#""x":"\ud800","y":{deep},"sandbox""#));
    let script = r#"python3 -c 'import json,sys; e=json.load(sys.stdin); print(json.dumps({"decision":"deny","reason":e["_native"]["x"]}))'"#;
    let ran = run(&["--on-failure", "closed"], &payload, script);
    assert!(ran.stdout.contains("\"agent_message\":\"\u{fffd}\""), "{}", ran.stdout);
    assert!(ran.stderr.contains("surrogate"), "{}", ran.stderr);
    assert!(ran.stderr.contains("deeper than 100 levels"), "{}", ran.stderr);
}

#[test]
fn no_host_is_an_error_and_no_guess() {
    let ran = run(&[], r#"{"hello":"world"}"#, "exit 0");
    assert_eq!((ran.exit, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("cannot tell which host"), "{}", ran.stderr);
    // Not 2: a host would treat that as a deny.
    let ran = run(&["--host", "emacs"], SHELL, "exit 0");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("unknown host `emacs`"), "{}", ran.stderr);
}

#[test]
fn a_cursor_payload_through_claudes_settings_is_answered_to_cursor() {
    let ran = run(&["--host", "claude"], SHELL, "echo '{\"decision\":\"deny\",\"reason\":\"r\"}'");
    assert_eq!(ran.stdout, r#"{"permission":"deny","agent_message":"r"}"#);
    assert!(ran.stderr.contains("the payload is Cursor's"), "{}", ran.stderr);
}

#[test]
fn what_is_dropped_is_named_with_host_event_and_a_way_out() {
    let ran = run(&[], SHELL, r#"echo '{"modified_input":{"command":"ls"},"zzz":1}'"#);
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(
        lines,
        [
            "tenter: cursor beforeShellExecution: unknown key `zzz` ignored",
            "tenter: cursor beforeShellExecution: `modified_input` dropped: this event cannot change the input; wire preToolUse and return it there",
        ]
    );
}

#[test]
fn a_payload_cannot_write_lines_of_its_own() {
    let payload = r#"{"hook_event_name":"new\nInjected: x","cursor_version":"3.1.0"}"#;
    let ran = run(&[], payload, r#"echo '{"decision":"deny","a\nb":1}'"#);
    assert!(
        ran.stderr.lines().all(|line| line.starts_with("tenter: cursor new")),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_byte_order_mark_is_no_obstacle() {
    for prefix in ["\u{feff}", "\u{feff}\u{feff}"] {
        let ran = run(&[], &format!("{prefix}{SHELL}"), "printf '\\357\\273\\277{}'");
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), (NEUTRAL, ""));
    }
}

#[test]
fn codex_notify_reaches_the_handler_as_a_stop() {
    let dir = scratch("notify");
    let script = format!("cat > {}/event", dir.display());
    let note = r#"{"type":"agent-turn-complete","thread-id":"t","turn-id":"u","cwd":"/w","input-messages":["hi"],"last-assistant-message":"bye"}"#;
    let ran = tenter().run(&["run", "--host", "codex", "--", "sh", "-c", &script, note], "");
    assert_eq!((ran.exit, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let event: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("event")).unwrap()).unwrap();
    assert_eq!(
        (event["event"].as_str(), event["last_assistant_message"].as_str()),
        (Some("Stop"), Some("bye"))
    );
}

#[test]
fn a_full_disk_under_stdout_still_stops_a_denied_action() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command =
        tenter().command(&["run", "--", "sh", "-c", r#"echo '{"decision":"deny","reason":"r"}'"#]);
    command.stdout(full);
    let ran = Tenter::finish(command, SHELL);
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("cannot write the answer"), "{}", ran.stderr);
}

/// Scripts written for one host, and a payload of another.
const SPEAKERS: [(&str, &str, &str); 5] = [
    (
        "cursor",
        CLAUDE,
        r#"grep -q '"command":"ls"' && echo '{"permission":"deny","agent_message":"no ls"}'"#,
    ),
    (
        "cursor",
        SHELL,
        r#"grep -q 'beforeShellExecution' && echo '{"permission":"deny","agent_message":"no ls"}'"#,
    ),
    (
        "claude",
        SHELL,
        r#"grep -q '"tool_name":"Bash"' && echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no ls"}}'"#,
    ),
    ("codex", SHELL, r#"grep -q '"turn_id":' && echo '{"decision":"block","reason":"no ls"}'"#),
    ("codex", CLAUDE, r#"grep -q '"tool_input":{"command":"ls"}' && { echo no ls >&2; exit 2; }"#),
];

#[test]
fn a_script_written_for_a_host_is_understood_on_every_host() {
    for (speaks, payload, script) in SPEAKERS {
        let ran = run(&["--speaks", speaks], payload, script);
        let denied = if payload == CLAUDE {
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no ls"}}"#
        } else {
            r#"{"permission":"deny","agent_message":"no ls"}"#
        };
        assert_eq!((ran.stdout.as_str(), ran.exit), (denied, 0), "{speaks}: {}", ran.stderr);
        assert_eq!(ran.stderr, "", "{speaks}");
    }
    let ran = run(&["--speaks", "cursor"], STOP, r#"echo '{"followup_message":"go on"}'"#);
    assert_eq!(ran.stdout, r#"{"followup_message":"go on"}"#, "{}", ran.stderr);
    let ran = run(
        &["--speaks", "cursor"],
        CLAUDE,
        "echo for people >&2; echo '{\"permission\":\"allow\"}'",
    );
    assert_eq!(ran.stderr, "for people\n");
}

#[test]
fn a_script_that_speaks_to_a_host_and_fails_meets_the_fail_mode() {
    for speaks in ["cursor", "claude", "codex"] {
        let flags = ["--speaks", speaks, "--on-failure", "closed", "--host", "claude"];
        let ran = run(&flags, CLAUDE, "exit 3");
        assert!(ran.stdout.contains(r#""permissionDecision":"deny""#), "{speaks}: {}", ran.stdout);
        assert!(ran.stderr.contains("left with exit 3"), "{speaks}: {}", ran.stderr);
    }
}

#[test]
fn an_answer_in_a_hosts_format_is_said_and_meets_the_fail_mode() {
    for (speaks, answer) in [
        ("cursor", r#"{"permission":"deny","user_message":"no"}"#),
        ("cursor", r#"{"permission":"allow"}"#),
        ("cursor", r#"{"continue":false,"user_message":"no"}"#),
        ("cursor", r#"{"followup_message":"go on"}"#),
        (
            "claude",
            r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#,
        ),
        ("claude", r#"{"decision":"block","reason":"no"}"#),
        ("claude", r#"{"decision":"approve"}"#),
        ("claude", r#"{"continue":false,"stopReason":"no"}"#),
    ] {
        let script = format!("cat >/dev/null; echo '{answer}'");
        for (payload, host) in [(SHELL, "cursor"), (CLAUDE, "claude")] {
            let open = run(&["--host", host], payload, &script);
            let named = format!("`tenter run --speaks {speaks}`");
            assert!(open.stderr.contains(&named), "{answer}: {}", open.stderr);
            assert!(open.stderr.contains("failing open, the action goes on"), "{}", open.stderr);
            let closed = run(&["--host", host, "--on-failure", "closed"], payload, &script);
            assert!(closed.stdout.contains("deny"), "{answer}: {}", closed.stdout);
            assert!(closed.stdout.contains(&named), "{answer}: {}", closed.stdout);
        }
    }
}
