use serde_json::json;
use tenter_hosts::install::Shape;

use super::*;
use crate::edit::{self, Format, Style};
use crate::survey::Content;

fn file(host: HostId, scope: Scope, path: &str, text: &str) -> HookFile {
    let shape = if host == HostId::Cursor { Shape::Entries } else { Shape::Groups };
    let style = Style { format: Format::Json, shape, required: &[] };
    let hooks = edit::read(text, &style).unwrap();
    HookFile {
        host,
        scope,
        read_only: false,
        path: path.into(),
        format: Format::Json,
        content: Content::Hooks { text: text.to_owned(), hooks },
        settings: serde_json::from_str(text).unwrap(),
    }
}

fn claude(event: &str, matcher: &str, handler: &Value) -> HookFile {
    let text = json!({ "hooks": { event: [{ "matcher": matcher, "hooks": [handler] }] } });
    file(HostId::Claude, Scope::User, "/home/me/.claude/settings.json", &text.to_string())
}

fn cursor(event: &str, entry: &Value) -> HookFile {
    let text = json!({ "version": 1, "hooks": { event: [entry] } });
    file(HostId::Cursor, Scope::User, "/home/me/.cursor/hooks.json", &text.to_string())
}

fn only(file: &HookFile) -> Result<Handler, String> {
    let [one] = &existing([file])[..] else { panic!("one hook is there") };
    one.handler.clone()
}

#[test]
fn hooks_become_tables_of_a_policy() {
    let settings = r#"{
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [
        { "type": "command", "command": "/opt/tenter hook claude" },
        { "type": "command", "command": "~/.claude/hooks/guard.sh", "timeout": 60 } ] } ],
    "PostToolUse": [
      { "matcher": "Edit|Write", "hooks": [
        { "type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/format.sh" } ] } ]
  }
}"#;
    let user = file(HostId::Claude, Scope::User, "/home/me/.claude/settings.json", settings);
    let hooks = r#"{ "version": 1, "hooks": {
  "afterFileEdit": [{ "command": "./hooks/guard.sh", "timeout": 2.5, "failClosed": true }],
  "beforeShellExecution": [{ "command": "python3 'a b.py' | cat", "matcher": "curl|wget" }] } }"#;
    let own = file(HostId::Cursor, Scope::User, "/home/me/.cursor/hooks.json", hooks);
    let expected = r#"# PreToolUse of Claude Code, /home/me/.claude/settings.json, line 6
[[handler]]
id = "claude-guard"
speaks = "claude"
matcher = "Bash"
on = "PreToolUse"
when = { host = ["cursor", "codex", "gemini", "qwen"] }
run = ["sh", "-c", "~/.claude/hooks/guard.sh"]
timeout = "25s"
# it had 60 s; hosts do not wait longer for us

# PostToolUse of Claude Code, /home/me/.claude/settings.json, line 9
[[handler]]
id = "claude-format"
speaks = "claude"
matcher = "Edit|Write"
on = "PostToolUse"
when = { host = ["cursor", "codex", "gemini", "qwen"] }
run = ["sh", "-c", '"$CLAUDE_PROJECT_DIR"/.claude/hooks/format.sh']
timeout = "25s"

# afterFileEdit of Cursor, /home/me/.cursor/hooks.json, line 2
[[handler]]
id = "cursor-guard"
speaks = "cursor"
event = "afterFileEdit"
on = ["PostToolUse:Edit", "PostToolUse:Write"]
when = { host = ["claude", "codex", "gemini", "qwen"] }
run = ["/home/me/.cursor/hooks/guard.sh"]
cwd = "/home/me/.cursor"
timeout = "2500ms"
fail = "closed"

# beforeShellExecution of Cursor, /home/me/.cursor/hooks.json, line 3
[[handler]]
id = "cursor-b"
speaks = "cursor"
event = "beforeShellExecution"
matcher = "curl|wget"
on = "PreToolUse:Bash"
when = { host = ["claude", "codex", "gemini", "qwen"] }
run = ["sh", "-c", "python3 'a b.py' | cat"]
cwd = "/home/me/.cursor"
timeout = "25s"
"#;
    let found = existing([&user, &own]);
    assert_eq!(found.len(), 4, "our own is none of them");
    assert_eq!(handlers(&found), expected);
    assert!(missing(&found, expected).is_empty());
    let half = expected.split_inclusive("\n\n").take(2).collect::<String>();
    assert_eq!(missing(&found, &half), found[2..]);
    let moved = handlers_with(&found[..1], Originals::Removed, &["claude-guard"]);
    assert!(moved.contains("id = \"claude-guard-2\"\n") && !moved.contains("when"), "{moved}");
}

#[test]
fn what_cannot_be_taken_over_says_why() {
    let command = |more: Value| {
        let mut handler = json!({ "type": "command", "command": "/x.sh" });
        handler.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        handler
    };
    let cases = [
        (claude("PreToolUse", "", &json!({ "type": "http", "url": "x" })), "type `http`"),
        (claude("PreToolUse", "", &json!({ "type": "prompt", "prompt": "x" })), "type `prompt`"),
        (claude("PreToolUse", "", &json!({ "command": "/x.sh" })), "no `type`"),
        (claude("PreToolUse", "", &command(json!({ "async": true }))), "background"),
        (claude("PreToolUse", "", &command(json!({ "asyncRewake": true }))), "background"),
        (claude("PreToolUse", "", &command(json!({ "if": "Bash(git *)" }))), "its `if`"),
        (claude("PreToolUse", "", &command(json!({ "shell": "powershell" }))), "`powershell`"),
        (claude("TaskCreated", "", &command(json!({}))), "no other host"),
        (claude("PostToolBatch", "", &command(json!({}))), "no other host"),
        (claude("Nonsense", "", &command(json!({}))), "no event of its host"),
        (cursor("beforeShellExecution", &json!({ "type": "prompt", "prompt": "x" })), "`prompt`"),
        (cursor("beforeShellExecution", &json!({ "command": " " })), "no `command`"),
        (cursor("afterTabFileEdit", &json!({ "command": "x" })), "Tab"),
        (cursor("afterAgentThought", &json!({ "command": "x" })), "no other host"),
    ];
    for (file, why) in cases {
        let fault = only(&file).unwrap_err();
        assert!(fault.contains(why), "{why}: {fault}");
    }
    let off = json!({
        "disableAllHooks": true,
        "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "x" }] }] },
    });
    let off = file(HostId::Claude, Scope::User, "/h/.claude/settings.json", &off.to_string());
    assert!(only(&off).unwrap_err().contains("disableAllHooks"));
    assert_eq!(handlers(&existing([&off])), "");
    assert!(only(&claude("PreToolUse", "", &command(json!({ "async": false })))).is_ok());
}

#[test]
fn what_is_about_failing_and_waiting_is_kept() {
    let handler = json!({ "type": "command", "command": "x", "onFailure": "block", "timeout": 3 });
    let kept = only(&claude("PreToolUse", "*", &handler)).unwrap();
    assert!(kept.fail_closed && (kept.timeout - 3.0).abs() < 0.001);
    assert_eq!(kept.matcher, None, "a star is everything");
    let bash = json!({ "type": "command", "command": "a b", "shell": "bash" });
    assert_eq!(only(&claude("Stop", "", &bash)).unwrap().run, ["bash", "-c", "a b"]);
    let exec = json!({ "type": "command", "command": "/a b", "args": ["$x", "*"] });
    assert_eq!(only(&claude("Stop", "", &exec)).unwrap().run, ["/a b", "$x", "*"]);
    let end = only(&claude("SessionEnd", "", &json!({ "type": "command", "command": "x" })));
    assert!((end.unwrap().timeout - 2.0).abs() < 0.001, "nobody waits for the end");
    let spawn = only(&cursor("subagentStart", &json!({ "command": "x" }))).unwrap();
    assert_eq!(spawn.on, ["PreToolUse:Task"]);
}

#[test]
fn scripts_of_a_project_are_found_from_its_root_and_stay_there() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join(".claude/hooks")).unwrap();
    let script = root.join(".claude/hooks/guard.py");
    std::fs::write(&script, "").unwrap();
    let script = script.display().to_string();
    let settings = root.join(".claude/settings.json").display().to_string();
    let run = |command: &str| {
        let text = json!({
            "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": command }] }] },
        });
        let file = file(HostId::Claude, Scope::Project, &settings, &text.to_string());
        let handler = only(&file).unwrap();
        assert_eq!(handler.project.as_ref(), Some(&root));
        handler.run
    };
    assert_eq!(run("python3 .claude/hooks/guard.py"), ["python3", script.as_str()]);
    assert_eq!(run("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py -x"), [script.as_str(), "-x"]);
    assert_eq!(run("./.claude/../.claude/hooks/guard.py"), [script.as_str()]);
    // A file run by a shell is among the words too, so that trust covers its content.
    let piped = "python3 $CLAUDE_PROJECT_DIR/.claude/hooks/guard.py || true";
    assert_eq!(run(piped), ["sh", "-c", piped, script.as_str()]);
    let text =
        json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "x" }] }] } });
    let found = existing([&file(HostId::Claude, Scope::Project, &settings, &text.to_string())]);
    let root = root.display();
    let when = format!(
        "when = {{ host = [\"cursor\", \"codex\", \"gemini\", \"qwen\"], cwd = \"{root}\" }}\n"
    );
    assert!(handlers(&found).contains(&when), "{}", handlers(&found));
}

#[test]
fn names_are_unlike_each_other() {
    let hooks = json!({ "hooks": { "stop": [
        { "command": "/a/x.sh" }, { "command": "/b/x.py" }, { "command": "x" },
    ] } });
    let file = file(HostId::Cursor, Scope::User, "/h/.cursor/hooks.json", &hooks.to_string());
    let found = existing([&file]);
    let ids: Vec<&str> = found.iter().map(|it| it.handler.as_ref().unwrap().id.as_str()).collect();
    assert_eq!(ids, ["cursor-x", "cursor-x-2", "cursor-x-3"]);
    assert!(found[1].is(&found[1].found) && !found[1].is(&found[2].found));
}

#[test]
fn a_handler_is_kept_to_the_other_hosts_while_its_entry_stays() {
    let hooks =
        json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "x" }] }] } });
    let file = file(HostId::Claude, Scope::User, "/h/.claude/settings.json", &hooks.to_string());
    let found = existing([&file]);
    let [stay, removed] = [Originals::Stay, Originals::Removed].map(|originals| {
        format!("version = 1 # mine\n\n{}", handlers_with(&found, originals, &[]))
    });
    let kept = restated(&found, &removed, Originals::Stay).unwrap();
    assert!(
        kept.contains("when = { host = [\"cursor\", \"codex\", \"gemini\", \"qwen\"] }"),
        "{kept}"
    );
    assert_eq!(restated(&found, &kept, Originals::Removed).unwrap(), removed);
    assert_eq!(restated(&found, &stay, Originals::Removed).unwrap(), removed);
    assert_eq!(restated(&found, &stay, Originals::Stay), None, "it is so already");
    // User-written text stays.
    let own = stay.replace("[\"cursor\", \"codex\", \"gemini\", \"qwen\"]", "\"codex\"");
    assert_eq!(restated(&found, &own, Originals::Removed), None);
    assert_eq!(restated(&[], &stay, Originals::Removed), None);
    let elsewhere = removed.replace("\"x\"", "\"y\"");
    assert_eq!(restated(&found, &elsewhere, Originals::Stay), None, "another hook");
}
