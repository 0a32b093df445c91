//! `tenter allow`, and what messages say about it.

use serde_json::{Value, json};

use crate::user::User;

/// A shell command as Cursor announces it.
fn cursor(user: &User, command: &str) -> Value {
    let shop = user.shop();
    let payload = json!({
        "conversation_id": "c-1", "generation_id": "g-1", "hook_event_name": "beforeShellExecution",
        "cursor_version": "3.4.0", "workspace_roots": [shop], "command": command, "cwd": shop,
        "sandbox": false,
    });
    serde_json::from_str(&user.run(&["hook", "cursor"], &payload.to_string()).stdout).unwrap()
}

/// The same as Claude Code announces it, with this variable.
fn claude(user: &User, command: &str, entry: &str) -> Value {
    let mut hook = user.command(&["hook", "claude"]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", entry);
    let payload = user.payload("Bash", &json!({ "command": command }));
    serde_json::from_str(&tenter_testkit::Tenter::finish(hook, payload.as_str()).stdout).unwrap()
}

/// A text without its code, which depends on the folder.
fn codeless(text: &Value) -> String {
    let text = text.as_str().unwrap();
    match text.split_once("allow once ") {
        Some((before, rest)) => format!("{before}allow once CODE{}", rest.get(9..).unwrap()),
        None => text.to_owned(),
    }
}

const RESET: &str = "discards your uncommitted changes (destructive-git/discard-changes)";
const STASH: &str = "Instead: set the changes aside: `git stash push -u`.";
const ALWAYS: &str = "Allow it always: tenter allow rule destructive-git/discard-changes.";

#[test]
fn a_host_that_blocks_what_it_cannot_ask_says_blocked() {
    let user = User::new();
    let answer = cursor(&user, "git reset --hard");
    assert_eq!(answer["permission"], "deny");
    assert_eq!(
        answer["agent_message"],
        format!(
            "tenter blocked this, it needs the user's OK: {RESET}. {STASH} Ask the user before you try again."
        )
    );
    assert_eq!(
        codeless(&answer["user_message"]),
        format!(
            "tenter blocked `git reset --hard`, needs your OK: {RESET}. Allow it once: tenter allow once \
             CODE. {ALWAYS}"
        )
    );
}

#[test]
fn a_host_that_asks_gets_no_code_unless_nobody_is_there() {
    let user = User::new();
    let answer = claude(&user, "git reset --hard", "cli");
    let output = &answer["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "ask");
    assert_eq!(
        output["permissionDecisionReason"],
        format!("tenter needs your OK: {RESET}. {STASH}")
    );
    let asks = format!("tenter needs your OK for `git reset --hard`: {RESET}. {ALWAYS}");
    assert_eq!(answer["systemMessage"], asks);
    assert_eq!(user.run(&["allow", "once"], "").stdout, "no blocked calls\n");
    // `claude -p` has nobody to ask.
    let answer = claude(&user, "git reset --hard", "sdk-cli");
    assert!(answer["systemMessage"].as_str().unwrap().contains("needs your OK: "), "{answer}");
    assert!(answer["systemMessage"].as_str().unwrap().contains("tenter allow once "), "{answer}");
}

/// The dialogs of Claude Code for file tools show the path and the change, and the reason only after Yes.
#[test]
fn what_a_file_dialog_does_not_show_is_blocked_and_not_asked() {
    let user = User::new();
    let decide = |tool: &str, input: Value| {
        let answer = user.run(&["hook", "claude"], &user.payload(tool, &input)).stdout;
        let answer: Value =
            serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{tool} {input}: {answer:?}"));
        let decision = answer["hookSpecificOutput"]["permissionDecision"].as_str().unwrap();
        (decision.to_owned(), answer["systemMessage"].as_str().unwrap().to_owned())
    };
    let at = |path: &str| user.home.path().join(path);
    user.write("shop/.env", "A=1\n");
    // The path says it.
    for (tool, input) in [
        ("Read", json!({ "file_path": at("shop/.env") })),
        ("Write", json!({ "file_path": at(".bashrc"), "content": "alias ls=rm" })),
    ] {
        let (decision, message) = decide(tool, input);
        assert_eq!(decision, "ask", "{message}");
        assert!(!message.contains("allow once"), "{message}");
    }
    // Only the reason says it.
    let token = ["ghp_", "x7Kq2Lm9Rt4Vw8Zb3Nc6Yd1Pf5Hs0Jg2Ka7Q"].concat();
    let code = format!("const token = '{token}';");
    let skill = "---\nname: a\n---\n!`git reset --hard`\n";
    for (path, content) in [("shop/x.js", code.as_str()), ("shop/.claude/skills/a/SKILL.md", skill)]
    {
        let write = json!({ "file_path": at(path), "content": content });
        let (decision, message) = decide("Write", write);
        assert_eq!(decision, "deny", "{message}");
        assert!(message.contains(", needs your OK") && message.contains("allow once"), "{message}");
    }
    // Both: the path does not make up for the content.
    let both = json!({ "file_path": at(".bashrc"), "content": format!("export GH_TOKEN={token}") });
    assert_eq!(decide("Write", both).0, "deny");
    // A shell command's dialog shows the reason.
    let payload = user.payload("Bash", &json!({ "command": "cat .env" }));
    let answer: Value =
        serde_json::from_str(&user.run(&["hook", "claude"], &payload).stdout).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask");
}

/// The image that hook calls leave keeps rules packed.
#[test]
fn a_rule_of_ones_own_can_be_excepted_after_a_call() {
    let user = User::new();
    user.policy(
        "extends = [\"recommended\"]\n[[rule]]\nid = \"first\"\non = \"shell\"\n\
         when = { program = \"a\" }\ndecide = \"ask\"\n[[rule]]\nid = \"second\"\non = \"shell\"\n\
         when = { program = \"deploy\" }\ndecide = \"ask\"\n",
    );
    for _ in 0..2 {
        assert_eq!(cursor(&user, "deploy")["permission"], "deny");
    }
    let arguments = ["allow", "rule", "second", "--reason", "mine", "--dry-run"];
    let ran = user.run(&arguments, "");
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(ran.stdout.contains("rule = \"second\""), "{}", ran.stdout);
}

#[test]
fn grave_findings_and_two_rules_offer_no_switch_off() {
    let user = User::new();
    for (command, rule) in [
        ("rm -rf ~", "destructive-files/home, self-protection/settings"),
        ("tenter uninstall", "self-protection/command"),
        ("git stash drop; git branch -D x", "destructive-git/drop-stash, +1 more"),
    ] {
        let answer = cursor(&user, command);
        let message = answer["user_message"].as_str().unwrap();
        assert!(
            message.contains(&format!("({rule}). Allow it once: tenter allow once ")),
            "{message}"
        );
        assert!(!message.contains("allow rule"), "{message}");
    }
    // The code lets a call with two findings through.
    let answer = cursor(&user, "git stash drop; git branch -D x");
    let message = answer["user_message"].as_str().unwrap();
    let code = message.split("allow once ").nth(1).unwrap().get(..9).unwrap().to_owned();
    let (text, exit) = user.at_terminal(&["allow", "once", &code], "y\n");
    assert_eq!(exit, 0, "{text}");
    assert!(text.contains("git stash drop; git branch -D x"), "{text}");
    assert!(text.contains("(destructive-git/drop-stash)"), "{text}");
    assert_eq!(cursor(&user, "git stash drop; git branch -D x")["permission"], "allow");
}

#[test]
fn blocked_calls_are_listed_newest_first_in_80_columns() {
    let user = User::new();
    cursor(&user, "git stash drop");
    let stopped = user.state("stopped");
    for entry in std::fs::read_dir(&stopped).unwrap().flatten() {
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let mut note: Value = serde_json::from_str(&text).unwrap();
        note["at"] = json!(note["at"].as_u64().unwrap() - 300);
        std::fs::write(entry.path(), note.to_string()).unwrap();
    }
    cursor(&user, &format!("git branch -D {}", "x".repeat(100)));
    let listed = user.run(&["allow", "once"], "").stdout;
    let lines: Vec<&str> = listed.lines().collect();
    let [first, call, why, second, older, _] = lines.as_slice() else { panic!("{listed}") };
    assert!(first.ends_with("  just now  cursor  ~/shop"), "{listed}");
    assert!(call.starts_with("  git branch -D xxx"), "{listed}");
    assert!(why.starts_with("  deletes a branch without a merge check"), "{listed}");
    assert!(second.ends_with("  5 minutes ago  cursor  ~/shop"), "{listed}");
    assert_eq!(*older, "  git stash drop");
    assert!(lines.iter().all(|line| line.chars().count() <= 80), "{listed}");
}

#[test]
fn grave_rules_and_those_of_the_guard_itself_are_refused() {
    let user = User::new();
    for (rule, why) in [
        (
            "destructive-files/home",
            "`destructive-files/home` cannot be allowed always: it cannot be undone",
        ),
        ("self-protection", "it protects the guard itself"),
        ("self-protection/limits", "it protects the guard itself"),
        ("destructive-git", "it covers grave checks (force-push-shared, delete-remote-shared)"),
    ] {
        let ran = user.run(&["allow", "rule", rule, "--reason", "x", "--dry-run"], "");
        assert_eq!(ran.exit, 1, "{rule}");
        assert!(ran.stderr.contains(why), "{ran:?}");
        assert!(ran.stderr.contains("tenter allow once CODE"), "{ran:?}");
    }
}

#[test]
fn an_exception_has_scope_host_and_expiry() {
    let user = User::new();
    std::fs::create_dir_all(user.path("shop/.git")).unwrap();
    let dry = |more: &[&str]| {
        let arguments =
            ["allow", "rule", "destructive-git/drop-stash", "--reason", "x", "--dry-run"];
        user.run(&[&arguments[..], more].concat(), "")
    };
    let shop = user.shop();
    let ran = dry(&["--scope", "project", "--host", "cursor", "--expires", "2099-01-31"]);
    let entry = format!(
        "[[allow]]\nrule = \"destructive-git/drop-stash\"\nwhen = {{ host = \"cursor\", cwd = \"{}\" }}\n\
         reason = \"x\"\nexpires = 2099-01-31\n",
        shop.display()
    );
    assert!(ran.stdout.ends_with(&entry), "{ran:?}");
    let week = dry(&["--for", "7d"]).stdout;
    assert!(week.contains("\nexpires = 2"), "{week}");
    for wrong in [["--for", "30m"], ["--for", "soon"], ["--host", "emacs"], ["--scope", "world"]] {
        assert_eq!(dry(&wrong).exit, 2, "{wrong:?}");
    }
    // It counts where it says.
    user.policy(&format!("version = 1\n\n{entry}"));
    assert_eq!(cursor(&user, "git stash drop")["permission"], "allow");
    assert_eq!(
        claude(&user, "git stash drop", "cli")["hookSpecificOutput"]["permissionDecision"],
        "ask"
    );
}

#[test]
fn an_exception_is_confirmed_listed_and_taken_back() {
    let user = User::new();
    let before = "version = 1\nextends = [\"recommended\"]\n\n# mine\n[guards]\npii = \"log\"\n";
    user.policy(before);
    let rule = "destructive-git/drop-stash";
    let arguments = ["allow", "rule", rule, "--reason", "tried out", "--for", "1w"];
    let (text, exit) = user.at_terminal(&arguments, "n\n");
    assert_eq!(exit, 1, "{text}");
    assert!(text.contains("Add this exception? [y/N]"), "{text}");
    let policy = || std::fs::read_to_string(user.path(".config/tenterhook/policy.toml")).unwrap();
    assert_eq!(policy(), before);
    let (text, exit) = user.at_terminal(&arguments, "y\n");
    assert_eq!(exit, 0, "{text}");
    assert!(
        text.contains("take it back with: tenter allow revoke destructive-git/drop-stash"),
        "{text}"
    );
    assert_eq!(cursor(&user, "git stash drop")["permission"], "allow");
    let listed = user.run(&["allow", "list"], "").stdout;
    assert!(listed.starts_with(" 1  destructive-git/drop-stash, until 2"), "{listed}");
    assert!(listed.contains("\n    reason: tried out\n"), "{listed}");
    let missing = user.run(&["allow", "revoke", "2"], "");
    assert!(missing.exit == 1 && missing.stderr.contains("no exception `2`"), "{missing:?}");
    let revoked = user.run(&["allow", "revoke", rule], "");
    assert_eq!(revoked.exit, 0, "{revoked:?}");
    assert_eq!(policy().trim_end(), before.trim_end());
    assert_eq!(cursor(&user, "git stash drop")["permission"], "deny");
    assert_eq!(user.run(&["allow", "list"], "").stdout, "no exceptions\n");
}

#[test]
fn only_the_entry_named_is_cut_out() {
    let user = User::new();
    let entry =
        |rule: &str| format!("[[allow]]\nrule = \"{rule}\"\nreason = \"\"\"\n[x]\n\"\"\"\n");
    let two =
        |middle: &str| format!("version = 1\n\n{middle}# about rules\n[guards]\npii = \"log\"\n");
    let plain = "[[allow]]\nrule = \"secrets/written\"\nreason = \"a\"\n\n";
    user.policy(&two(&format!("{plain}{plain}")));
    let policy = || std::fs::read_to_string(user.path(".config/tenterhook/policy.toml")).unwrap();
    let twice = user.run(&["allow", "revoke", "secrets/written"], "");
    assert!(
        twice.stderr.contains("2 exceptions for `secrets/written`; give the number"),
        "{twice:?}"
    );
    assert_eq!(user.run(&["allow", "revoke", "1"], "").exit, 0);
    assert_eq!(policy(), two(plain));
    // What cannot be cut out with certainty is left alone.
    user.policy(&two(&entry("secrets/written")));
    let refused = user.run(&["allow", "revoke", "1"], "");
    assert!(refused.exit == 1 && refused.stderr.contains("remove it by hand"), "{refused:?}");
    assert_eq!(policy(), two(&entry("secrets/written")));
}
