//! Hooks written for Cursor or Claude Code, run on all hosts: their input, and the host's answer.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenter_hosts::install::{Scope, Shape};
use tenter_model::{Event, EventKind, HostId, Object};
use tenter_setup::edit::{self, Format, Style};
use tenter_setup::import::{self, Originals};
use tenter_setup::survey::{Content, HookFile};
use tenter_testkit::{Ran, Tenter, fixtures, fixtures_of};

use crate::user::User;

impl User {
    /// A script that stores its input, line by line, and continues with `rest`; `$input` is the input.
    fn script(&self, name: &str, rest: &str) -> PathBuf {
        let seen = self.path("seen").display().to_string();
        let text =
            format!("#!/bin/sh\ninput=$(cat)\nprintf '%s\\n' \"$input\" >> {seen}\n{rest}\n");
        let path = self.write(name, &text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The policy that an import makes of one user hook, for all hosts.
    fn import(&self, host: HostId, event: &str, entry: &Value) -> String {
        let (name, shape, matcher) = match host {
            HostId::Cursor => (".cursor/hooks.json", Shape::Entries, Value::Null),
            _ => (".claude/settings.json", Shape::Groups, entry["matcher"].clone()),
        };
        let mut handler = entry.clone();
        let entry = if shape == Shape::Groups {
            handler.as_object_mut().unwrap().remove("matcher");
            handler["type"] = "command".into();
            json!({ "matcher": matcher.as_str().unwrap_or_default(), "hooks": [handler] })
        } else {
            handler
        };
        let text = json!({ "version": 1, "hooks": { event: [entry] } }).to_string();
        let style = Style { format: Format::Json, shape, required: &[] };
        let hooks = edit::read(&text, &style).unwrap();
        self.write(name, &text);
        let file = HookFile {
            host,
            scope: Scope::User,
            read_only: false,
            path: self.path(name),
            format: Format::Json,
            content: Content::Hooks { text, hooks },
            settings: Value::Null,
        };
        let handlers = import::handlers_with(&import::existing([&file]), Originals::Removed, &[]);
        let policy = format!("extends = [\"minimal\"]\n\n{handlers}");
        self.policy(&policy);
        policy
    }

    fn run_hook(&self, host: HostId, payload: &str) -> Ran {
        let mut command = self.command(&["hook", host.as_str()]);
        command.env_remove("CLAUDE_PROJECT_DIR").env_remove("CURSOR_PROJECT_DIR");
        Tenter::finish(command, payload)
    }

    /// The script's inputs, one object per run.
    fn seen(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("seen")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn recorded(host: &str, file: &str) -> String {
    let found = fixtures_of(host).into_iter().find(|it| it.name == format!("{host}/{file}:1"));
    found.unwrap_or_else(|| panic!("{host} has no {file}")).text
}

/// The documented example of one of Cursor's events.
fn example(event: &str) -> String {
    let found = fixtures_of("cursor").into_iter().find(|it| it.event() == event);
    found.unwrap_or_else(|| panic!("there is no {event}")).text
}

fn parsed(ran: &Ran) -> Value {
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap_or(Value::Null)
}

/// Runs one imported hook on one payload: its input, and the answer.
fn once(
    of: (HostId, &str, Value),
    script: &str,
    host: HostId,
    payload: &str,
) -> (Vec<Value>, Value, String) {
    let user = User::new();
    let path = user.script("hooks/guard.sh", script);
    let (speaks, event, mut entry) = of;
    entry["command"] = path.to_str().unwrap().into();
    user.import(speaks, event, &entry);
    let ran = user.run_hook(host, payload);
    (user.seen(), parsed(&ran), ran.stderr)
}

const EXIT_TWO: &str = "echo 'not here, use the mirror' >&2\nexit 2";

#[test]
fn a_guard_of_claude_that_leaves_with_exit_2_blocks_on_every_host() {
    let guard = || (HostId::Claude, "PreToolUse", json!({ "matcher": "Bash" }));
    let (seen, answer, _) =
        once(guard(), EXIT_TWO, HostId::Codex, &recorded("codex", "PreToolUse.Bash.json"));
    assert_eq!(
        seen,
        [json!({
            "session_id": "01a1e0d9-d93f-7d10-82b8-4cae4c986f58",
            "transcript_path": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T20-15-35-01a1e0d9-d93f-7d10-82b8-4cae4c986f58.jsonl",
            "cwd": "/home/user/project",
            "permission_mode": "bypassPermissions",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": { "command": "echo probe-ran > side-effect.txt; echo probe-ran" },
            "tool_use_id": "exec-5016208f-b4ce-4cae-9ed8-dfb9128c9649",
        })]
    );
    let denied = json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse", "permissionDecision": "deny",
        "permissionDecisionReason": "not here, use the mirror",
    } });
    assert_eq!(answer, denied);

    let (seen, answer, _) = once(guard(), EXIT_TWO, HostId::Cursor, &example("preToolUse"));
    assert_eq!(
        seen,
        [json!({
            "session_id": "c-81f2",
            "transcript_path": "/home/ana/.cursor/t/c-81f2.jsonl",
            "cwd": "/home/ana/shop",
            "permission_mode": "default",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": { "command": "npm install left-pad", "timeout": 30000 },
            "tool_use_id": "call-7\nfc_9_0",
        })]
    );
    let cursor = json!({ "permission": "deny", "agent_message": "not here, use the mirror" });
    assert_eq!(answer, cursor);

    let payload = recorded("claude", "PreToolUse.Bash.json");
    let (seen, answer, _) = once(guard(), EXIT_TWO, HostId::Claude, &payload);
    let sent: Value = serde_json::from_str(&payload).unwrap();
    assert_eq!(seen, [sent], "its own host's payload as it was sent");
    assert_eq!(answer, denied);
}

#[test]
fn the_payload_of_its_own_host_arrives_to_the_byte() {
    let user = User::new();
    let path = user.write("hooks/keep.sh", "#!/bin/sh\ncat > \"$HOME/bytes\"\n");
    user.import(
        HostId::Claude,
        "PreToolUse",
        &json!({ "command": format!("sh {}", path.display()) }),
    );
    let payload = "{\"session_id\" : \"s\",\"hook_event_name\":\"PreToolUse\",  \"tool_name\":\"Bash\",\n\"tool_input\":{\"command\":\"ls \\u0041\"}, \"new_field\": 1e400 }";
    let ran = user.run_hook(HostId::Claude, payload);
    assert_eq!((ran.exit, ran.stdout.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(user.path("bytes")).unwrap(), payload);
}

const ASKS: &str = r#"echo '{"systemMessage":"look at it","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"installs something"}}'"#;

#[test]
fn the_json_of_claude_is_said_in_the_words_of_each_host() {
    let guard = || (HostId::Claude, "PreToolUse", json!({ "matcher": "Bash|Write" }));
    let claude = recorded("claude", "PreToolUse.Bash.json").replace("acceptEdits", "default");
    let (_, answer, _) = once(guard(), ASKS, HostId::Claude, &claude);
    assert_eq!(
        answer,
        json!({
            "systemMessage": "look at it",
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "ask",
                "permissionDecisionReason": "installs something",
            },
        })
    );
    let (_, answer, _) = once(guard(), ASKS, HostId::Cursor, &example("preToolUse"));
    assert_eq!(answer["permission"], "deny", "Cursor does not ask there");
    assert_eq!(answer["user_message"], "look at it");
    let told = answer["agent_message"].as_str().unwrap();
    assert!(told.starts_with("installs something\n\nBlocked: needs the user's OK"), "{told}");
    let (_, answer, _) =
        once(guard(), ASKS, HostId::Codex, &recorded("codex", "PreToolUse.Bash.json"));
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(answer["systemMessage"], "look at it");
}

#[test]
fn a_rewrite_reaches_the_hosts_own_input() {
    let rewrites = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"npm ci","timeout":30000}}}'"#;
    let guard = || (HostId::Claude, "PreToolUse", json!({ "matcher": "Bash" }));
    let (_, answer, _) = once(guard(), rewrites, HostId::Cursor, &example("preToolUse"));
    let input = json!({ "command": "npm ci", "cwd": "", "timeout": 30000 });
    assert_eq!(answer, json!({ "permission": "allow", "updated_input": input }));
    let (_, answer, _) =
        once(guard(), rewrites, HostId::Codex, &recorded("codex", "PreToolUse.Bash.json"));
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["updatedInput"], json!({ "command": "npm ci", "timeout": 30000 }));
    assert_eq!(output["permissionDecision"], "allow");

    let content = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"file_path":"/x","content":"y"}}}'"#;
    let guard = (HostId::Claude, "PreToolUse", json!({ "matcher": "Write" }));
    let patch = recorded("codex", "PreToolUse.apply_patch.json");
    let (_, answer, stderr) = once(guard, content, HostId::Codex, &patch);
    assert_eq!(answer, Value::Null, "a patch cannot be rewritten through one of its files");
    assert!(stderr.contains("`updatedInput` cannot be carried over"), "{stderr}");
}

#[test]
fn a_guard_of_cursor_judges_the_commands_of_others() {
    let denies =
        r#"echo '{"permission":"deny","user_message":"stopped","agent_message":"use the mirror"}'"#;
    let guard = || (HostId::Cursor, "beforeShellExecution", json!({ "matcher": "probe|push" }));
    let payload = recorded("codex", "PreToolUse.Bash.json");
    let (seen, answer, _) = once(guard(), denies, HostId::Codex, &payload);
    assert_eq!(
        seen,
        [json!({
            "conversation_id": "01a1e0d9-d93f-7d10-82b8-4cae4c986f58",
            "generation_id": "01a1e0d9-db2c-7f20-9e63-bdccde6212b0",
            "model": "gpt-5.6-sol",
            "hook_event_name": "beforeShellExecution",
            "cursor_version": "3.21.16",
            "workspace_roots": ["/home/user/project"],
            "user_email": null,
            "transcript_path": "/home/user/.codex/sessions/2026/11/15/rollout-2026-11-15T20-15-35-01a1e0d9-d93f-7d10-82b8-4cae4c986f58.jsonl",
            "session_id": "01a1e0d9-d93f-7d10-82b8-4cae4c986f58",
            "command": "echo probe-ran > side-effect.txt; echo probe-ran",
            "cwd": "/home/user/project",
            "sandbox": false,
        })]
    );
    let denied = json!({
        "systemMessage": "stopped",
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": "use the mirror",
        },
    });
    assert_eq!(answer, denied);
    let payload = recorded("claude", "PreToolUse.Bash.json");
    let (seen, answer, _) = once(guard(), denies, HostId::Claude, &payload);
    assert_eq!((seen.len(), answer), (1, denied));
    let own = example("beforeShellExecution").replace(" --force", "");
    let (seen, answer, _) = once(guard(), denies, HostId::Cursor, &own);
    assert_eq!(seen, [serde_json::from_str::<Value>(&own).unwrap()]);
    let words = json!({ "permission": "deny", "user_message": "stopped", "agent_message": "use the mirror" });
    assert_eq!(answer, words);
    // Another Cursor event about a command, converted to the one that the script expects.
    let generic = (HostId::Cursor, "beforeShellExecution", json!({ "matcher": "^npm" }));
    let (seen, answer, _) = once(generic, denies, HostId::Cursor, &example("preToolUse"));
    assert_eq!(seen[0]["command"], "npm install left-pad");
    assert_eq!(seen[0]["cursor_version"], "2026.09.23-86fc751");
    assert_eq!(seen[0]["user_email"], "ana@example.com");
    assert_eq!(answer, words);
    // Cursor's matcher is tested against the command.
    let (seen, answer, _) = once(guard(), denies, HostId::Cursor, &example("preToolUse"));
    assert_eq!((seen.len(), &answer["permission"]), (0, &json!("allow")));
    let read = recorded("claude", "PreToolUse.Read.json");
    assert_eq!(once(guard(), denies, HostId::Claude, &read).0.len(), 0, "no command, no question");
}

#[test]
fn that_cursors_guard_does_not_object_is_no_grant() {
    let allows = r#"echo '{"permission":"allow"}'"#;
    let guard = || (HostId::Cursor, "beforeShellExecution", json!({}));
    let payload = recorded("claude", "PreToolUse.Bash.json");
    let (seen, answer, _) = once(guard(), allows, HostId::Claude, &payload);
    assert_eq!((seen.len(), answer), (1, Value::Null), "Claude Code still asks its user");
    for (script, why) in [("echo no", "invalid JSON"), ("echo '{}'", "`permission` is missing")] {
        let (_, answer, _) = once(guard(), script, HostId::Claude, &payload);
        let reason = &answer["hookSpecificOutput"]["permissionDecisionReason"];
        assert!(reason.as_str().unwrap().contains(why), "{answer}");
    }
    let long = "head -c 2000000 /dev/zero | tr '\\0' x";
    let (_, answer, _) = once(guard(), long, HostId::Claude, &payload);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny", "more than can be read");
    let (_, answer, stderr) = once(guard(), "exit 1", HostId::Claude, &payload);
    assert_eq!(answer, Value::Null);
    assert!(stderr.contains("handler `cursor-guard`: it left with exit 1"), "{stderr}");
    let closed = (HostId::Cursor, "beforeShellExecution", json!({ "failClosed": true }));
    let (_, answer, _) = once(closed, "exit 1", HostId::Claude, &payload);
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
    let (_, answer, _) = once(guard(), EXIT_TWO, HostId::Claude, &payload);
    let reason = &answer["hookSpecificOutput"]["permissionDecisionReason"];
    assert_eq!(reason, "not here, use the mirror");
}

/// A typical formatter: it extracts the path from its input and touches the file.
const FORMATS: &str = r#"file=$(printf '%s' "$input" | sed -n 's/.*"tool_input":{"file_path":"\([^"]*\)".*/\1/p')
echo "$file" >> "$HOME/formatted""#;

#[test]
fn a_formatter_of_claude_runs_after_every_hosts_edit() {
    let formatter = || (HostId::Claude, "PostToolUse", json!({ "matcher": "Edit|Write" }));
    let (seen, answer, _) = once(
        formatter(),
        FORMATS,
        HostId::Codex,
        &recorded("codex", "PostToolUse.apply_patch.json"),
    );
    assert_eq!(answer, Value::Null);
    assert_eq!(seen[0]["tool_name"], "Write");
    let made = "/home/user/project/made-by-agent.txt";
    assert_eq!(seen[0]["tool_input"], json!({ "file_path": made, "content": "hello\n" }));
    assert_eq!(seen[0]["tool_response"], json!({ "filePath": made }));
    let (seen, answer, _) = once(formatter(), FORMATS, HostId::Cursor, &example("afterFileEdit"));
    assert_eq!(answer, json!({}));
    assert_eq!(seen[0]["tool_name"], "Edit");
    let input = json!({
        "file_path": "/home/ana/shop/src/pay.ts", "old_string": "retry: 0", "new_string": "retry: 3",
    });
    assert_eq!(seen[0]["tool_input"], input);
    let payload = recorded("claude", "PostToolUse.Write.json");
    let (seen, answer, _) = once(formatter(), FORMATS, HostId::Claude, &payload);
    assert_eq!((seen.len(), answer), (1, Value::Null));
    let (seen, ..) =
        once(formatter(), FORMATS, HostId::Codex, &recorded("codex", "PostToolUse.Bash.json"));
    assert!(seen.is_empty(), "the matcher decides");
}

#[test]
fn every_file_of_a_patch_is_asked_about() {
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update File: b.txt\n@@\n-x\n+y\n@@\n-p\n+q\n*** Delete File: it's.txt\n*** End Patch\n";
    let mut payload: Value =
        serde_json::from_str(&recorded("codex", "PreToolUse.apply_patch.json")).unwrap();
    payload["tool_input"]["command"] = patch.into();
    let payload = payload.to_string();
    let guard = (HostId::Claude, "PreToolUse", json!({ "matcher": "" }));
    let (seen, answer, _) = once(guard, "true", HostId::Codex, &payload);
    assert_eq!(answer, Value::Null);
    let calls: Vec<(&str, &Value)> =
        seen.iter().map(|it| (it["tool_name"].as_str().unwrap(), &it["tool_input"])).collect();
    let [(_, first), (_, second), (_, third)] = calls[..] else { panic!("{calls:?}") };
    assert_eq!(first, &json!({ "file_path": "/home/user/project/a.txt", "content": "one\n" }));
    assert_eq!(second["file_path"], "/home/user/project/b.txt");
    assert!(second["new_string"].as_str().unwrap().contains('q'), "{second}");
    assert_eq!(third, &json!({ "command": r"rm -f -- '/home/user/project/it'\''s.txt'" }));
    let guard = (HostId::Claude, "PreToolUse", json!({ "matcher": "Edit" }));
    let (seen, answer, _) = once(guard, EXIT_TWO, HostId::Codex, &payload);
    assert_eq!(seen.len(), 1, "only what its matcher lets through");
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[test]
fn what_claude_takes_for_context_is_context_elsewhere() {
    let hook = || (HostId::Claude, "UserPromptSubmit", json!({}));
    let prompt = recorded("codex", "UserPromptSubmit.json");
    let (_, answer, _) = once(hook(), "echo 'the build is red'", HostId::Codex, &prompt);
    assert_eq!(answer["hookSpecificOutput"]["additionalContext"], "the build is red");
    let (_, answer, _) = once(hook(), EXIT_TWO, HostId::Cursor, &example("beforeSubmitPrompt"));
    assert_eq!(answer, json!({ "continue": false, "user_message": "not here, use the mirror" }));
    let json = r#"echo '{"decision":"block","reason":"write a test"}'; exit 1"#;
    let stop = (HostId::Claude, "Stop", json!({}));
    let (_, answer, _) = once(stop, json, HostId::Cursor, &example("stop"));
    assert_eq!(answer, json!({ "followup_message": "write a test" }), "JSON beats the exit code");
    let ends = r#"echo '{"continue":false,"decision":"block","reason":"x"}'"#;
    let stop = (HostId::Claude, "Stop", json!({}));
    let (_, answer, _) = once(stop, ends, HostId::Cursor, &example("stop"));
    assert_eq!(answer, json!({}), "to end beats to go on");
    let after = (HostId::Claude, "PostToolUse", json!({}));
    let (_, answer, _) = once(after, EXIT_TWO, HostId::Cursor, &example("postToolUse"));
    assert_eq!(answer, json!({ "additional_context": "not here, use the mirror" }));
}

#[test]
fn a_follow_up_of_cursor_does_not_go_on_for_ever() {
    let goes_on = r#"echo '{"followup_message":"run the tests"}'"#;
    let hook = || (HostId::Cursor, "stop", json!({}));
    let (seen, answer, _) = once(hook(), goes_on, HostId::Codex, &recorded("codex", "Stop.json"));
    assert_eq!(answer, json!({ "decision": "block", "reason": "run the tests" }));
    assert_eq!((&seen[0]["status"], &seen[0]["loop_count"]), (&json!("completed"), &json!(0)));
    let again = recorded("codex", "Stop.active.json");
    let (seen, answer, stderr) = once(hook(), goes_on, HostId::Codex, &again);
    assert_eq!(seen[0]["loop_count"], 1);
    assert_eq!(answer, Value::Null);
    assert!(stderr.contains("`followup_message` is dropped"), "{stderr}");
}

#[test]
fn an_allow_of_an_imported_hook_does_not_lift_what_the_guard_asks() {
    let user = User::new();
    let allows = r#"echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"#;
    let path = user.script("hooks/yes.sh", allows);
    let policy = user.import(HostId::Claude, "PreToolUse", &json!({ "command": path }));
    let ask = |policy: &str| {
        user.write(".config/tenterhook/policy.toml", policy);
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": policy.len().to_string(),
            "cwd": user.path("shop"), "tool_name": "Bash", "tool_use_id": "toolu_1",
            "tool_input": { "command": "git reset --hard HEAD~2" },
        });
        let answer = parsed(&user.run_hook(HostId::Claude, &payload.to_string()));
        answer["hookSpecificOutput"]["permissionDecision"].clone()
    };
    assert_eq!(ask(&policy.replace("minimal", "recommended")), "ask");
    assert_eq!(ask(&policy), "allow", "where nobody asks, it is what it is on its own host");
    assert_eq!(user.seen().len(), 2);
}

#[test]
fn scripts_find_the_folder_and_the_variables_of_their_host() {
    let user = User::new();
    user.write(
        ".cursor/hooks/where.sh",
        "cat >/dev/null; echo \"$PWD|$CURSOR_PROJECT_DIR|$CLAUDE_PROJECT_DIR|$TENTER_HOST\" >> \"$HOME/where\"\n",
    );
    let shop = user.path("shop");
    let shop = shop.to_str().unwrap();
    let payload = json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "cwd": shop, "tool_name": "Bash",
        "tool_input": { "command": "ls" }, "tool_response": { "stdout": "" },
    });
    let entry = json!({ "command": "sh ./hooks/where.sh" });
    user.import(HostId::Cursor, "afterShellExecution", &entry);
    assert_eq!(user.run_hook(HostId::Claude, &payload.to_string()).exit, 0);
    let entry = json!({ "command": "sh \"$HOME\"/.cursor/hooks/where.sh" });
    user.import(HostId::Claude, "PostToolUse", &entry);
    let codex = payload.to_string().replace("\"s\"", "\"t\"");
    assert_eq!(user.run_hook(HostId::Codex, &codex).exit, 0);
    let home = user.home.path().canonicalize().unwrap();
    let home = home.to_str().unwrap();
    let found = fs::read_to_string(user.path("where")).unwrap();
    assert_eq!(found, format!("{home}/.cursor|{shop}|{shop}|claude\n{shop}||{shop}|codex\n"));
}

#[test]
fn what_has_no_form_in_the_other_language_is_said() {
    let user = User::new();
    let path = user.script("x.sh", "");
    let run = path.display();
    user.write(
        ".config/tenterhook/policy.toml",
        &format!("[[handler]]\nid = 'x'\nspeaks = 'claude'\non = 'AgentThought'\nwhen = {{ host = 'cursor' }}\nrun = ['{run}']\n[[handler]]\nid = 'y'\nspeaks = 'cursor'\nevent = 'beforeShel'\non = 'AgentThought'\nrun = ['{run}']\n[[handler]]\nid = 'z'\nspeaks = 'cursor'\non = 'Notification'\nrun = ['{run}']\n"),
    );
    let ran = user.run_hook(HostId::Cursor, &example("afterAgentThought"));
    assert_eq!(ran.stdout, "{}");
    let says = |ran: &Ran, text: &str| assert!(ran.stderr.contains(text), "{text}: {}", ran.stderr);
    says(&ran, "handler `x`: it is not asked: Claude Code has no event like `afterAgentThought`");
    says(&ran, "handler `y`: it is not asked: unknown event `beforeShel`; did you mean");
    let payload = fixtures_of("claude").into_iter().find(|it| it.event() == "Notification");
    let ran = user.run_hook(HostId::Claude, &payload.unwrap().text);
    says(&ran, "handler `z`: it is not asked: Cursor has no event like `Notification`");
    assert!(user.seen().is_empty());
}

/// Every recorded payload has the same meaning after conversion to the other format.
#[test]
fn what_is_told_in_another_language_means_the_same() {
    let mut told = 0;
    for fixture in fixtures() {
        let host: HostId = fixture.host.parse().unwrap();
        let object = Object::parse(&fixture.text).unwrap();
        let event = tenter_hosts::host(host).decode(&object);
        for speaks in [HostId::Claude, HostId::Cursor, HostId::Codex] {
            let user = User::new();
            let path = user.script("x.sh", "");
            user.write(
                ".config/tenterhook/policy.toml",
                &format!("extends = ['minimal']\n[[handler]]\nid = 'x'\nspeaks = '{speaks}'\non = ['any', 'Other', 'Stop', 'SessionStart', 'SessionEnd', 'SubagentStart', 'SubagentStop', 'PreCompact', 'PostCompact', 'PostToolUse', 'PostToolUseFailure', 'AgentResponse', 'AgentThought', 'Notification', 'WorkspaceOpen', 'PermissionRequest', 'PreToolUse']\nrun = ['{}']\nfail = 'open'\n", path.display()),
            );
            let ran = user.run_hook(host, &fixture.text);
            let seen = fs::read_to_string(user.path("seen")).unwrap_or_default();
            for line in seen.lines().filter(|_| speaks != host) {
                let object = Object::parse(line).unwrap();
                let again = tenter_hosts::host(speaks).decode(&object);
                assert!(again.notes.is_empty(), "{}: {:?} {line}", fixture.name, again.notes);
                means_the_same(&fixture.name, &event, &again, line);
                told += 1;
            }
            // The guard's own deny takes precedence.
            let excused = ran.stderr.contains("it is not asked") || ran.stdout.contains("\"deny\"");
            assert_eq!(seen.is_empty(), excused, "{} in {speaks}: {}", fixture.name, ran.stderr);
        }
    }
    assert!(told > 90, "only {told} were told");
}

fn means_the_same(name: &str, event: &Event<'_>, again: &Event<'_>, line: &str) {
    assert_eq!(again.kind(), event.kind(), "{name}: {line}");
    assert_eq!(
        again.session_id.as_deref().unwrap_or_default(),
        event.session_id.as_deref().unwrap_or_default(),
        "{name}: {line}"
    );
    let (Some(call), Some(told)) = (event.tool_call(), again.tool_call()) else {
        assert!(event.tool_call().is_none() && again.tool_call().is_none(), "{name}: {line}");
        return;
    };
    if matches!(event.kind(), EventKind::PreToolUse | EventKind::PostToolUse) {
        // Claude Code has no tool that deletes, Codex none that reads.
        let by_shell = told.command().and_then(|command| {
            let mut known = ["rm -f -- '", "cat -- '"].into_iter();
            let path = known.find_map(|known| command.strip_prefix(known))?;
            Some(path.trim_end_matches('\'').to_owned())
        });
        let same = told.command().is_none() || told.command() == call.command();
        assert!(same || by_shell.is_some(), "{name}: {line}");
        let cwd = event.cwd.as_deref().unwrap_or("/");
        let full = |path: &str| Path::new(cwd).join(path);
        let files = call.files().flat_map(|file| [Some(file.path), file.moved_to]);
        let files: Vec<PathBuf> = files.flatten().map(full).collect();
        for file in told.files().map(|file| file.path).chain(by_shell.as_deref()) {
            assert!(files.contains(&full(file)), "{name}: {line}");
        }
        let tools = (call.mcp().map(|it| it.tool.clone()), told.mcp().map(|it| it.tool.clone()));
        assert_eq!(tools.0, tools.1, "{name}: {line}");
    }
}
