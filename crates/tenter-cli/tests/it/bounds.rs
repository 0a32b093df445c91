//! Resource limits: stack, time and memory do not grow with the input.
#![cfg(unix)]

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tenter_testkit::{Ran, Tenter};

use crate::user::User;

/// Kilobytes of stack, an eighth of the usual. The release needs up to 535 for the nesting that the shell
/// parser and walker follow (47 times `ssh h`), 55 for JSON; a debug build has larger frames. Deeper nesting
/// fits only because it is not followed.
const STACK: u32 = 1024;

/// Runs a hook with a small stack, and a timeout for a debug build on a busy machine.
fn hook(user: &User, host: &str, payload: &str) -> Ran {
    let mut command = Command::new("sh");
    let line = format!("ulimit -s {STACK}; exec \"$0\" hook {host}");
    command.args(["-c", &line, env!("CARGO_BIN_EXE_tenter")]).env("HOME", user.home.path());
    command.env("TENTER_INJECT_DEADLINE_MS", "120000").current_dir(user.shop());
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Tenter::finish(command, payload)
}

fn shell(user: &User, command: &str) -> Ran {
    hook(user, "claude", &user.payload("Bash", &json!({ "command": command })))
}

fn nested(open: &str, close: &str, levels: usize) -> String {
    format!("{}x{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn a_path_that_doubles_is_judged_in_every_dialect() {
    let user = User::new();
    let command = format!("p=a/;{}rm -rf ~;cat $p", "p=$p$p;".repeat(15));
    assert!(command.len() < 130);
    let called = user.payload("Bash", &json!({ "command": command }));
    let cursor = json!({
        "hook_event_name": "beforeShellExecution", "cursor_version": "3.21.16",
        "workspace_roots": [user.shop()], "command": command, "cwd": user.shop(),
    });
    for (host, payload) in
        [("claude", &called), ("codex", &called), ("cursor", &cursor.to_string())]
    {
        let ran = hook(&user, host, payload);
        assert_eq!(ran.exit, 0, "{host}: {ran:?}");
        assert!(ran.stdout.contains(r#"":"deny""#), "{host}: {ran:?}");
    }
    let wide = format!("p=a/;{}cat {{1..40}}/$p", "p=$p$p;".repeat(14));
    let ran = shell(&user, &wide);
    assert_eq!(ran.exit, 0, "{ran:?}");
}

#[test]
fn quotes_by_the_megabyte_are_judged_by_every_kind_of_tool() {
    let user = User::new();
    let around = |open: &str, close: &str| {
        let levels = 900_000 / (open.len() + close.len());
        format!("{}rm -rf ~{}", open.repeat(levels), close.repeat(levels))
    };
    let danger = ";rm -rf ~";
    let texts = [
        "''".repeat(450_000) + danger,
        "\"\"".repeat(450_000) + danger,
        "`".repeat(900_000) + " ;\nrm -rf ~",
        format!("rm -rf ~;{}", "`".repeat(900_000)),
        around("$'", "'"),
        around("eval \"", "\""),
        around("bash -c '", "'"),
    ];
    for text in &texts {
        let ran = shell(&user, text);
        let start: String = text.chars().take(20).collect();
        assert_eq!(ran.exit, 0, "{start}: {ran:?}");
        assert!(ran.stdout.contains("permissionDecision"), "{start}: {ran:?}");
    }
    for quote in ["'", "\"", "`"] {
        let many = quote.repeat(900_000);
        let input = json!({ "script": many, "path": many, "code": many, "url": many });
        let ran = hook(&user, "claude", &user.payload("Zork", &input));
        assert_eq!(ran.exit, 0, "{quote}: {ran:?}");
        assert!(ran.stdout.contains(r#""ask""#), "{quote}: {ran:?}");
    }
}

#[test]
fn a_path_with_thousands_of_parts_is_judged_in_every_file_tool() {
    let user = User::new();
    for path in ["a/".repeat(30_000), "../".repeat(30_000), "/a".repeat(2_000), "./".repeat(30_000)]
    {
        for (tool, input) in [
            ("Read", json!({ "file_path": path })),
            ("Write", json!({ "file_path": path, "content": "x" })),
            ("Edit", json!({ "file_path": path, "old_string": "a", "new_string": "b" })),
            ("Grep", json!({ "path": path, "pattern": "x" })),
            (
                "apply_patch",
                json!({ "command": format!("*** Begin Patch\n*** Delete File: {path}x\n*** End Patch") }),
            ),
        ] {
            let ran = hook(&user, "claude", &user.payload(tool, &input));
            assert_eq!(ran.exit, 0, "{tool}: {ran:?}");
        }
    }
    // Links are resolved as far as a system call would accept the path.
    let key = user.write(".ssh/id_ed25519", "x");
    std::os::unix::fs::symlink(
        key.parent().into_iter().next().unwrap_or(&key),
        user.path("shop/l"),
    )
    .unwrap_or_default();
    let through = format!("{}l/id_ed25519", "./".repeat(1_000));
    let ran = hook(&user, "claude", &user.payload("Read", &json!({ "file_path": through })));
    assert!(ran.stdout.contains("permissionDecision"), "{ran:?}");
}

#[test]
fn more_files_than_are_looked_at_are_a_question_and_no_approval() {
    let user = User::new();
    let folder = "a/".repeat(1_900);
    let patch = |files: usize, folder: &str| {
        let file = |number| format!("*** Add File: {folder}{number}\n+x\n");
        let files: String = (0..files).map(file).collect();
        json!({ "command": format!("*** Begin Patch\n{files}*** End Patch") })
    };
    let few = hook(&user, "codex", &user.payload("apply_patch", &patch(3, &folder)));
    assert_eq!((few.exit, few.stdout.as_str()), (0, ""), "{few:?}");
    for (files, folder, why) in [
        (400, folder.as_str(), "names too many files to check"),
        (5_000, "", "is too complex to check"),
    ] {
        let ran = hook(&user, "codex", &user.payload("apply_patch", &patch(files, folder)));
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert!(ran.stdout.contains("unverified/unreadable"), "{ran:?}");
        assert!(ran.stdout.contains(why), "{ran:?}");
    }
}

#[test]
fn a_folder_that_cannot_exist_is_a_question() {
    let user = User::new();
    let mut payload: Value = serde_json::from_str(
        &user.payload("Bash", &json!({ "command": "git status && cat x/* && npm i left-pad" })),
    )
    .unwrap_or_default();
    payload["cwd"] = json!("/a".repeat(100_000));
    for host in ["claude", "codex"] {
        let ran = hook(&user, host, &payload.to_string());
        assert_eq!(ran.exit, 0, "{host}: {ran:?}");
        assert!(ran.stdout.contains("unverified/unreadable"), "{host}: {ran:?}");
    }
}

#[test]
fn many_of_anything_are_judged() {
    let user = User::new();
    let keys: serde_json::Map<String, Value> =
        (0..100_000).map(|number| (format!("k{number}"), json!(format!("v{number}")))).collect();
    let edits: Vec<Value> = (0..100_000)
        .map(|number| json!({ "old_string": format!("a{number}"), "new_string": "b" }))
        .collect();
    for (tool, input) in [
        ("mcp__a__b", Value::Object(keys)),
        (
            "mcp__a__b",
            json!({ "paths": (0..100_000).map(|it| format!("/tmp/{it}")).collect::<Vec<_>>() }),
        ),
        ("MultiEdit", json!({ "file_path": "a", "edits": edits })),
    ] {
        let ran = hook(&user, "claude", &user.payload(tool, &input));
        assert_eq!(ran.exit, 0, "{tool}: {ran:?}");
    }
    let roots: Vec<String> = (0..100_000).map(|number| format!("/srv/{number}")).collect();
    let ran = hook(
        &user,
        "cursor",
        &json!({
            "hook_event_name": "beforeShellExecution", "cursor_version": "3.21.16",
            "workspace_roots": roots, "command": "git push --force origin main", "cwd": user.shop(),
        })
        .to_string(),
    );
    assert!(ran.stdout.contains(r#""permission":"deny""#), "{ran:?}");
    assert!(ran.stderr.contains("is cut to its first 256 folders"), "{ran:?}");
}

#[test]
fn json_without_end_costs_no_stack() {
    let user = User::new();
    for (open, close) in
        [("[", "]"), ("{\"a\":", "}"), ("{\"command\":", "}"), ("[{\"path\":", "}]")]
    {
        let value = format!("{}1{}", open.repeat(30_000), close.repeat(30_000));
        for (event, key) in [("PreToolUse", "tool_input"), ("PostToolUse", "tool_response")] {
            for tool in ["Bash", "mcp__a__b", "Unknown"] {
                let payload = format!(
                    r#"{{"hook_event_name":"{event}","session_id":"s","cwd":"/tmp","tool_name":"{tool}","{key}":{value}}}"#
                );
                let ran = hook(&user, "claude", &payload);
                assert!(!ran.stderr.contains("crashed"), "{event} {tool} {open}: {}", ran.stderr);
                assert_ne!(ran.exit, -1, "{event} {tool} {open}");
            }
        }
    }
}

#[test]
fn no_language_is_read_by_recursion_on_its_nesting() {
    let user = User::new();
    let shells = [
        ("(", ")"),
        ("{ ", ";}"),
        ("$(", ")"),
        ("\"$(", ")\""),
        ("`", "`"),
        ("if ", ";fi"),
        ("case x in x) ", ";;esac"),
        ("${a:-", "}"),
        ("$((", "))"),
        ("{a,", "}"),
        ("[[ ( ", " ) ]]"),
        ("! ", ""),
        ("sudo ", ""),
        ("env ", ""),
        ("eval ", ""),
        ("bash -c ", ""),
        ("xargs ", ""),
        ("ssh a ", ""),
        ("f() { ", "; }"),
        ("<(", ")"),
        ("while ", ";done"),
        ("ls | ", ""),
        ("ls && ", ""),
        ("a=$", ""),
        ("find . -exec ", ""),
        ("cat <<A ", ""),
        ("time ", ""),
        ("coproc ", ""),
    ];
    for (open, close) in shells {
        let ran = shell(&user, &nested(open, close, 3_000));
        assert_eq!(ran.exit, 0, "{open}: {ran:?}");
    }
    let codes = [
        "(", "[", "{", "f(", "a.", "not ", "-", "\"#{", "`${", "()=>", "q(", "if(", "$(", "@(",
        "{f\"", "lambda:", "\\( ",
    ];
    for program in [
        "python3 -c",
        "node -e",
        "perl -e",
        "ruby -e",
        "php -r",
        "lua -e",
        "awk",
        "psql -c",
        "sed",
        "jq",
        "pwsh -c",
        "cmd /c",
        "osascript -e",
        "find .",
        "grep -E",
        "sqlite3 db",
    ] {
        // All kinds of brackets in sequence, each nested too deep.
        let code: String = codes.iter().map(|open| open.repeat(1_500)).collect();
        let ran = shell(&user, &format!("{program} '{code}'"));
        assert_eq!(ran.exit, 0, "{program}: {ran:?}");
    }
}
