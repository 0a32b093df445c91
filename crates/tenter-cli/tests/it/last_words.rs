//! However a hook call dies, it blocks in the form that the host obeys.
#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tenter_testkit::{Ran, Tenter};

use crate::user::User;

const BLOCKED: &str = "tenter: blocked because the hook that guards this failed: ";

/// A payload at a gate of each host that obeys exit 2.
fn gates() -> Vec<(&'static str, String)> {
    let claude = |event: &str, rest: &str| {
        format!(r#"{{"hook_event_name":"{event}","session_id":"s","cwd":"/tmp",{rest}}}"#)
    };
    let bash = r#""tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"t""#;
    let cursor = |event: &str, rest: &str| {
        let start =
            r#""conversation_id":"c","cursor_version":"3.21.16","workspace_roots":["/tmp"]"#;
        format!(r#"{{"hook_event_name":"{event}",{start},{rest}}}"#)
    };
    vec![
        ("claude", claude("PreToolUse", bash)),
        ("claude", claude("UserPromptSubmit", r#""prompt":"hello""#)),
        ("codex", claude("PreToolUse", bash)),
        ("codex", claude("UserPromptSubmit", r#""prompt":"hello""#)),
        ("cursor", cursor("beforeShellExecution", r#""command":"ls","cwd":"/tmp""#)),
        ("cursor", cursor("preToolUse", bash)),
        ("cursor", cursor("beforeReadFile", r#""file_path":"/tmp/a","content":"""#)),
        ("cursor", cursor("beforeSubmitPrompt", r#""prompt":"hello","attachments":[]"#)),
        (
            "cursor",
            cursor("beforeMCPExecution", r#""tool_name":"a","tool_input":"{}","command":"x""#),
        ),
    ]
}

const STOPS: [(&str, &str, &str); 3] = [
    ("claude", r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/tmp"}"#, ""),
    ("codex", r#"{"hook_event_name":"Stop","session_id":"s","cwd":"/tmp"}"#, ""),
    (
        "cursor",
        r#"{"hook_event_name":"stop","cursor_version":"3.21.16","status":"completed"}"#,
        "{}",
    ),
];

fn broken(arguments: &[&str], fault: &str, payload: &str) -> Ran {
    let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(arguments);
    // Printing a backtrace takes longer than the rest.
    command.env("TENTER_INJECT_FAULT", fault).env_remove("RUST_BACKTRACE");
    if fault == "hang" {
        command.env("TENTER_INJECT_DEADLINE_MS", "300");
    }
    Tenter::finish(command, payload)
}

#[test]
fn every_way_to_die_blocks_what_waits_and_nothing_else() {
    for (fault, cause) in [
        ("panic", "internal error, please report it"),
        ("panic-twice", "aborted: out of memory, or an internal error"),
        ("abort", "aborted: out of memory, or an internal error"),
        ("memory", "aborted: out of memory, or an internal error"),
        ("stack", "crashed on a memory access or a full stack"),
        ("hang", "no verdict within the time limit"),
    ] {
        for (host, payload) in gates() {
            let ran = broken(&["hook", host], fault, &payload);
            assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{fault} {payload}: {ran:?}");
            let last = ran.stderr.lines().rfind(|line| line.starts_with(BLOCKED));
            assert!(last.is_some_and(|line| line.contains(cause)), "{fault} {payload}: {ran:?}");
            let open = broken(&["hook", host, "--on-failure=open"], fault, &payload);
            assert_eq!(open.exit, 0, "{fault} {payload}: {open:?}");
            let allows = ["", r#"{"permission":"allow"}"#, r#"{"continue":true}"#];
            assert!(allows.contains(&open.stdout.as_str()), "{fault} {payload}: {open:?}");
        }
        for (host, payload, neutral) in STOPS {
            let ran = broken(&["hook", host, "--on-failure=closed"], fault, payload);
            assert_eq!((ran.exit, ran.stdout.as_str()), (0, neutral), "{fault} {host}: {ran:?}");
        }
    }
}

#[test]
fn a_permission_request_is_denied_in_json_because_exit_2_is_ignored_there() {
    let payload = r#"{"hook_event_name":"PermissionRequest","session_id":"s","cwd":"/tmp","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    for host in ["claude", "codex"] {
        for fault in ["abort", "stack", "hang"] {
            let ran = broken(&["hook", host, "--on-failure=closed"], fault, payload);
            assert_eq!(ran.exit, 0, "{ran:?}");
            assert!(ran.stdout.contains(r#""behavior":"deny""#), "{host} {fault}: {ran:?}");
        }
    }
}

#[test]
fn a_handler_counts_inside_the_clock_and_what_follows_is_still_answered() {
    let user = User::new();
    user.policy(
        "version = 1\n[[handler]]\nid = \"slow\"\non = \"PreToolUse:Bash\"\nrun = [\"sleep\", \"60\"]\n\
         timeout = \"25s\"\nfail = \"closed\"\n",
    );
    let mut command = user.command(&["hook", "claude"]);
    command.env("TENTER_INJECT_DEADLINE_MS", "4000");
    let start = Instant::now();
    let ran = Tenter::finish(command, user.payload("Bash", &json!({ "command": "ls" })));
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    assert!(ran.stdout.contains(r#""permissionDecision":"deny""#), "{ran:?}");
    assert!(ran.stdout.contains("did not end within"), "{ran:?}");
}

/// A call waiting for its payload, with all handlers installed.
fn waiting(user: &User) -> Child {
    let child = user.command(&["hook", "claude"]).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let blocked = text.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap_or("0");
        if u64::from_str_radix(blocked.trim(), 16).is_ok_and(|mask| mask != 0) {
            return child;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

fn finish(mut child: Child, payload: &str) -> Ran {
    drop(child.stdin.take().unwrap().write_all(payload.as_bytes()));
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    Ran { stdout, stderr, exit: child.wait().unwrap().code().unwrap_or(-1) }
}

#[test]
#[cfg(target_os = "linux")]
fn a_signal_from_outside_is_a_block_or_has_no_effect() {
    let user = User::new();
    let denied = user.payload("Bash", &json!({ "command": "git push --force origin main" }));
    let send = |signal: Signal| {
        let child = waiting(&user);
        let id = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(id, signal).unwrap();
        finish(child, &denied)
    };
    for signal in [
        Signal::SEGV,
        Signal::BUS,
        Signal::ILL,
        Signal::TRAP,
        Signal::ABORT,
        Signal::SYS,
        Signal::XCPU,
    ] {
        let ran = send(signal);
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{signal:?}: {ran:?}");
        assert!(ran.stderr.starts_with(BLOCKED), "{signal:?}: {ran:?}");
    }
    for signal in [
        Signal::TERM,
        Signal::INT,
        Signal::HUP,
        Signal::QUIT,
        Signal::USR1,
        Signal::USR2,
        Signal::FPE,
        // Signals of our timers, which have not expired.
        Signal::ALARM,
        Signal::PROF,
        Signal::VTALARM,
        Signal::TSTP,
        Signal::XFSZ,
        Signal::PIPE,
        Signal::IO,
    ] {
        let ran = send(signal);
        assert_eq!(ran.exit, 0, "{signal:?}: {ran:?}");
        assert!(ran.stdout.contains(r#""permissionDecision":"deny""#), "{signal:?}: {ran:?}");
    }
}

/// Runs the hook through a shell that changes its environment or limits.
fn through(user: &User, shell: &str, host: &str, payload: &str) -> Ran {
    let mut command = Command::new("sh");
    let line = format!("{shell} exec \"$0\" hook {host} $WITH");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_tenter")]).env("HOME", user.home.path());
    command.current_dir(user.shop());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    Tenter::finish(command, payload)
}

#[test]
fn a_closed_descriptor_never_turns_a_deny_into_silence() {
    let user = User::new();
    let denied = user.payload("Bash", &json!({ "command": "git push --force origin main" }));
    let shell = r#"{"hook_event_name":"beforeShellExecution","cursor_version":"3.21.16","command":"git push --force origin main","cwd":"/tmp"}"#;
    for (host, payload) in [("claude", denied.as_str()), ("codex", &denied), ("cursor", shell)] {
        let ran = through(&user, "exec >&-;", host, payload);
        assert_eq!(ran.exit, 2, "{host}: {ran:?}");
        assert!(ran.stderr.contains("cannot write the answer"), "{host}: {ran:?}");
        let full = through(&user, "exec >/dev/full;", host, payload);
        assert_eq!(full.exit, 2, "{host}: {full:?}");
        let quiet = through(&user, "exec 2>&-;", host, payload);
        assert!(quiet.stdout.contains(r#""deny""#), "{host}: {quiet:?}");
        let deaf = through(&user, "exec <&-;", host, payload);
        assert_eq!(deaf.exit, 2, "{host}: {deaf:?}");
        let none = through(&user, "exec <&- >&- 2>&-;", host, payload);
        assert_eq!(none.exit, 2, "{host}: {none:?}");
    }
    for (host, payload, _) in STOPS {
        let ran = through(&user, "exec >&-;", host, payload);
        assert_eq!(ran.exit, 0, "{host}: {ran:?}");
    }
}

#[test]
fn a_limit_on_file_sizes_costs_the_record_and_not_the_verdict() {
    let user = User::new();
    let denied = user.payload("Bash", &json!({ "command": "git push --force origin main" }));
    let ran = through(&user, "ulimit -f 0;", "claude", &denied);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(ran.stdout.contains(r#""permissionDecision":"deny""#), "{ran:?}");
    assert!(ran.stderr.contains("leaves no record"), "{ran:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_hard_cpu_limit_is_a_block_before_the_kernel_kills() {
    let user = User::new();
    let payload = user.payload("Bash", &json!({ "command": "ls" }));
    for limit in ["ulimit -t 1;", "ulimit -S -t 2; ulimit -H -t 2;"] {
        let shell =
            format!("{limit} export TENTER_INJECT_FAULT=spin TENTER_INJECT_DEADLINE_MS=60000;");
        let ran = through(&user, &shell, "claude", &payload);
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{limit}: {ran:?}");
        assert!(ran.stderr.contains("CPU time limit"), "{limit}: {ran:?}");
    }
    let ran = through(&user, "ulimit -t 60;", "claude", &payload);
    assert_eq!(ran.exit, 0, "{ran:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_payload_that_does_not_fit_into_memory_is_a_block() {
    let user = User::new();
    let within = |megabytes: u64, payload: &str| {
        let ran = through(&user, &format!("ulimit -v {};", megabytes * 1024), "claude", payload);
        let stopped = ran.exit == 2 || ran.stdout.contains("permissionDecision");
        (ran, stopped)
    };
    // The program's own memory use varies by build, so the minimum for a small call is determined first and
    // the payload's is added.
    let small = user.payload("Write", &json!({ "file_path": "a.txt", "content": "x" }));
    let fits = |megabytes: &u64| {
        let (ran, stopped) = within(*megabytes, &small);
        ran.exit == 0 && !stopped
    };
    let floor = (4..1024).step_by(4).find(fits).expect("a small call fits into a gigabyte");
    let content = "x".repeat(20_000_000);
    let payload = user.payload("Write", &json!({ "file_path": "a.txt", "content": content }));
    for room in [0, 4, 8, 12] {
        let (ran, stopped) = within(floor + room, &payload);
        assert!(stopped, "{floor} + {room}: {ran:?}");
    }
    for room in [24, 40, 64] {
        let (ran, stopped) = within(floor + room, &payload);
        // With enough memory it succeeds.
        assert!(stopped || ran.exit == 0, "{floor} + {room}: {ran:?}");
    }
}
