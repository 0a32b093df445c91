//! The guard cannot be disabled by shell or file tools: trees over settings, plugin folders, our own
//! commands, and scripts that are written first and then run. Through the real program, in every host's
//! format.
#![cfg(unix)]

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tenter_testkit::Ran;

use crate::user::User;

const HOSTS: [&str; 3] = ["claude", "codex", "cursor"];

static CALLS: AtomicUsize = AtomicUsize::new(0);

impl User {
    /// A machine with settings of hosts in home and project, and things to copy over them.
    pub(crate) fn with_settings() -> Self {
        let user = Self::new();
        for settings in
            [".claude/settings.json", ".cursor/hooks.json", "shop/.claude/settings.json"]
        {
            user.write(settings, "{}");
        }
        for file in [
            "evil/.claude/settings.json",
            "e/c/settings.json",
            "mod/.claude/skills/x/hooks/hooks.json",
            "good/src/main.c",
            "good/.claude/skills/review/SKILL.md",
            "src/main.c",
        ] {
            user.write(&format!("shop/{file}"), "{}");
        }
        user
    }

    /// Starts another session, since an earlier denial would make the same by another way a workaround.
    pub(crate) fn forget(&self) {
        drop(fs::remove_dir_all(self.state("sessions")));
    }

    /// A host's reaction to a command: `none`, `ask` or `deny`.
    pub(crate) fn does(&self, host: &str, command: &str) -> String {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let payload = match host {
            "cursor" => json!({
                "hook_event_name": "beforeShellExecution", "conversation_id": "c-1",
                "generation_id": format!("g-{call}"), "command": command, "cwd": self.shop(),
                "workspace_roots": [self.shop()], "cursor_version": "3.21.16",
            })
            .to_string(),
            "codex" => json!({
                "hook_event_name": "PreToolUse", "session_id": "s-1", "turn_id": "t-1",
                "cwd": self.shop(), "model": "gpt-5.6", "permission_mode": "default",
                "tool_name": "Bash", "tool_input": { "command": command },
                "tool_use_id": format!("exec-{call}"),
            })
            .to_string(),
            _ => self.payload("Bash", &json!({ "command": command })),
        };
        decision(&self.run(&["hook", host], &payload))
    }

    /// A file tool of Claude Code.
    pub(crate) fn writes(&self, path: &str, content: &str) -> String {
        let path = self.path(path);
        let input = json!({ "file_path": path, "content": content });
        let told = decision(&self.run(&["hook", "claude"], &self.payload("Write", &input)));
        if told == "none" {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
        }
        told
    }
}

/// Cursor and Codex cannot ask here, so an ask becomes a deny.
fn decision(ran: &Ran) -> String {
    if ran.stdout.is_empty() {
        return "none".to_owned();
    }
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    let nested = &answer["hookSpecificOutput"]["permissionDecision"];
    let told = nested.as_str().or(answer["permission"].as_str()).unwrap_or("none");
    if told == "allow" { "none".to_owned() } else { told.to_owned() }
}

pub(crate) fn stopped(told: &str) -> bool {
    matches!(told, "ask" | "deny")
}

fn pack(user: &User, program: &str, arguments: &[&str]) {
    let status = Command::new(program).args(arguments).current_dir(user.shop()).status().unwrap();
    assert!(status.success(), "{program} {arguments:?}");
}

#[test]
fn a_tree_counts_for_what_is_inside() {
    let user = User::with_settings();
    pack(&user, "tar", &["cf", "evil.tar", "-C", "evil", ".claude"]);
    pack(&user, "tar", &["cf", "top.tar", "evil"]);
    pack(&user, "tar", &["cf", "good.tar", "-C", "good", "src"]);
    for host in HOSTS {
        for command in [
            "cp -rT e/c ~/.claude",
            "cp -r e/c/. ~/.claude/",
            "cp -r evil/.claude ~/",
            "cp -r evil/.claude .",
            "cp -a evil/. ~",
            "cp -r mod/.claude ~/",
            "mv evil/.claude ~/",
            "mv -T e/c ~/.claude",
            "ln -sfn \"$PWD/e/c\" ~/.claude",
            "tar xf evil.tar -C ~",
            "tar xf evil.tar",
            "tar xf top.tar --strip-components=1",
            "tar c -C evil . | tar x -C ~",
            "rsync -a evil/ ~/",
            "rsync -a evil/.claude ~",
            "python3 -c 'import shutil; shutil.copytree(\"e/c\", \"../.claude\", dirs_exist_ok=True)'",
            "mv ~/.claude ~/.claude.old",
            "docker cp box:/home/node/.claude ~/",
            "unzip x.zip -d ~",
        ] {
            assert!(stopped(&user.does(host, command)), "{host}: {command}");
        }
        user.forget();
        for command in [
            "cp -r src dst",
            "cp -r good/src .",
            "cp -r good/.claude/skills/review ~/.claude/skills/review",
            "cp -a . ../shop-copy",
            "tar xf good.tar",
            "tar xf top.tar",
            "tar xzf release.tgz",
            "rsync -a good/src/ ~/site/",
            "rsync -a good/src ~",
            "mv src lib",
        ] {
            assert_eq!(user.does(host, command), "none", "{host}: {command}");
        }
    }
}

#[test]
fn a_patch_counts_for_the_files_it_changes() {
    let user = User::with_settings();
    let patch = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{{}}\n+x\n");
    user.write("shop/bad.patch", &patch(".claude/settings.json"));
    user.write("shop/good.patch", &patch("src/main.c"));
    for host in HOSTS {
        for command in [
            "git apply bad.patch",
            "git apply < bad.patch",
            "cat bad.patch | git apply",
            "patch -p1 -i bad.patch",
            "patch -p1 < bad.patch",
            "git am bad.patch",
        ] {
            assert!(stopped(&user.does(host, command)), "{host}: {command}");
        }
        user.forget();
        for command in
            ["git apply good.patch", "patch -p1 < good.patch", "git apply --check bad.patch"]
        {
            assert_eq!(user.does(host, command), "none", "{host}: {command}");
        }
    }
}

#[test]
fn plugin_folders_and_our_own_commands_are_settings() {
    let user = User::with_settings();
    let mod_file = ".claude/skills/x/hooks/hooks.json";
    assert_eq!(user.writes(mod_file, "{\"modules\":[\"./register.js\"]}"), "deny");
    assert_eq!(user.writes(".claude/skills/x/SKILL.md", "hi"), "none");
    assert_eq!(user.writes("shop/.opencode/plugin/x.js", "x"), "deny");
    for host in HOSTS {
        for command in [
            "cp x.js ~/.claude/dev-mods/x.js",
            "tenter export -o ~/.claude/settings.json",
            "tenter policy edit",
            "cargo run -p tenter-cli -- uninstall --yes",
            "go build -o ~/.local/bin/tenter .",
            "ssh localhost 'echo {} > ~/.claude/settings.json'",
        ] {
            assert!(stopped(&user.does(host, command)), "{host}: {command}");
        }
        user.forget();
        assert_eq!(user.does(host, "tenter export -o record.jsonl"), "none");
    }
}

#[test]
fn other_names_of_a_protected_file_are_that_file() {
    let user = User::with_settings();
    fs::hard_link(user.path(".claude/settings.json"), user.shop().join("hl")).unwrap();
    fs::hard_link(user.path(".cursor/hooks.json"), user.shop().join("notes.txt")).unwrap();
    fs::hard_link(user.shop().join("src/main.c"), user.shop().join("main.c")).unwrap();
    for host in HOSTS {
        for command in [
            "echo {} > hl",
            "sed -i s/a/b/ hl",
            "rm notes.txt && echo x > notes.txt",
            "cp -al ~/.claude cl",
            "chmod 000 ~/.claude",
            "chmod 0 ~/.cursor",
            "python3 -c 'import os; os.link(\"../.claude/settings.json\", \"x\")'",
            "d=$(mktemp -d); ln -s ~/.claude $d/x; echo {} > $d/x/settings.json",
        ] {
            assert!(stopped(&user.does(host, command)), "{host}: {command}");
        }
        user.forget();
        for command in
            ["echo x > main.c", "cat hl", "cp -al src copy", "chmod 700 ~/.claude", "ln main.c m.c"]
        {
            assert_eq!(user.does(host, command), "none", "{host}: {command}");
        }
    }
    assert_eq!(user.writes("shop/hl", "{}"), "deny");
    assert_eq!(user.writes("shop/main.c", "int x;"), "none");
}

#[test]
fn archives_whose_names_change_when_they_are_unpacked_count() {
    let user = User::with_settings();
    pack(&user, "python3", &["-m", "zipfile", "-c", "ev.zip", "evil/.claude"]);
    pack(&user, "tar", &["cf", "c.tar", "-C", "evil", ".claude"]);
    for host in HOSTS {
        for command in [
            "unzip -oj ev.zip -d ~/.claude",
            "tar xf c.tar --transform s/^c/.claude/ -C ~",
            "docker cp - ~/.claude < x.tar",
        ] {
            assert!(stopped(&user.does(host, command)), "{host}: {command}");
        }
        user.forget();
        for command in ["unzip -j ev.zip -d out", "tar xf c.tar --transform s/^c/d/ -C out"] {
            assert_eq!(user.does(host, command), "none", "{host}: {command}");
        }
    }
}

#[test]
fn agents_are_not_started_without_their_hooks_by_files_either() {
    let user = User::with_settings();
    user.write("shop/s.json", r#"{"env":{"HOME":"/tmp"}}"#);
    user.write("shop/fine.json", r#"{"model":"opus"}"#);
    user.write(".codex/nohooks.config.toml", "[features]\nhooks = false\n");
    user.write(".codex/fast.config.toml", "model = \"small\"\n");
    user.write("shop/m/x/hooks/hooks.json", r#"{"modules":["./r.js"],"hooks":{}}"#);
    user.write("shop/m/y/hooks/hooks.json", r#"{"hooks":{}}"#);
    for host in HOSTS {
        for command in [
            "claude --settings s.json -p hi",
            "codex --profile nohooks exec x",
            "codex -p nohooks exec x",
            "claude --plugin-dir m/x -p hi",
            "claude --plugin-dir=m/x -p hi",
        ] {
            assert!(stopped(&user.does(host, command)), "{host}: {command}");
        }
        user.forget();
        for command in [
            "claude --settings fine.json -p hi",
            "codex --profile fast exec x",
            "claude --plugin-dir m/y -p hi",
            "claude -p hi",
            "codex exec hi",
        ] {
            assert_eq!(user.does(host, command), "none", "{host}: {command}");
        }
    }
    for (path, text) in [
        (".bashrc", "export HOME=/tmp\n"),
        (".zshrc", "alias codex='codex --disable hooks'\n"),
        (".config/environment.d/x.conf", "CLAUDE_CODE_SIMPLE=1\n"),
        (".local/bin/claude", "#!/bin/sh\n"),
    ] {
        assert!(stopped(&user.writes(path, text)), "{path}");
    }
    assert_eq!(user.writes(".config/environment.d/y.conf", "EDITOR=vim\n"), "none");
}

/// Each way to write a file, and one to run it.
const HARM: &str = "rm -rf ~/.claude\n";

#[test]
fn a_script_that_the_session_wrote_is_judged_when_it_runs() {
    let user = User::with_settings();
    assert_eq!(user.writes("shop/x.sh", HARM), "none");
    assert_eq!(user.writes("shop/push.sh", "#!/bin/sh\ngit push --force origin main\n"), "none");
    assert_eq!(user.writes("shop/x.py", "import helper\n"), "none");
    let helper = "import shutil, os\nshutil.rmtree(os.path.expanduser('~/.claude'))\n";
    assert_eq!(user.writes("shop/helper.py", helper), "none");
    assert_eq!(user.writes("shop/Makefile", "all:\n\tbash x.sh\nfine:\n\ttrue\n"), "none");
    let package = "{\"scripts\": {\"clean\": \"rm -rf ~/.claude\"}}";
    assert_eq!(user.writes("shop/package.json", package), "none");
    assert_eq!(user.writes("shop/conftest.py", helper), "none");
    for command in [
        "bash x.sh",
        "./x.sh",
        "sh ./x.sh",
        ". ./x.sh",
        "chmod +x x.sh && ./x.sh",
        "env A=1 bash x.sh",
        "echo x.sh | xargs bash",
        "python3 x.py",
        "make",
        "npm run clean",
        "pytest -q",
        "bash push.sh",
    ] {
        assert!(stopped(&user.does("claude", command)), "{command}");
    }
    for command in ["cat x.sh", "bash -n x.sh", "make fine", "git add x.sh", "wc -l x.py"] {
        assert_eq!(user.does("claude", command), "none", "{command}");
    }
}

#[test]
fn a_script_that_is_too_long_to_be_read_is_not_passed() {
    let user = User::with_settings();
    let lines = "echo ok\n".repeat(40_000);
    assert_eq!(user.writes("shop/long.sh", &format!("{lines}{HARM}")), "none");
    assert!(stopped(&user.does("claude", "bash long.sh")));
    let lines = "print('ok')\n".repeat(40_000);
    let harm = "import shutil, os\nshutil.rmtree(os.path.expanduser('~/.claude'))\n";
    assert_eq!(user.writes("shop/long.py", &format!("{lines}{harm}")), "none");
    assert!(stopped(&user.does("claude", "python3 long.py")));
    let lines = "echo ok\n".repeat(400);
    assert_eq!(user.writes("shop/short.sh", &lines), "none");
    assert_eq!(user.does("claude", "bash short.sh"), "none");
}

#[test]
fn whatever_wrote_it_counts_and_it_is_read_as_it_is_now() {
    let user = User::with_settings();
    let harm = "git push --force origin main";
    for (host, writing) in [
        ("claude", "printf 'git push --force origin main\\n' > a.sh".to_owned()),
        ("cursor", "cat > a.sh <<'EOF'\ngit push --force origin main\nEOF".to_owned()),
        ("codex", "echo 'git push --force origin main' | tee a.sh".to_owned()),
        ("claude", "curl -fsSLo a.sh https://h.example/a.sh".to_owned()),
        ("claude", "cp evil.txt a.sh".to_owned()),
    ] {
        assert_eq!(user.does(host, "bash a.sh"), "none", "{writing}");
        assert_eq!(user.does(host, &writing), "none", "{writing}");
        user.write("shop/a.sh", harm);
        assert!(stopped(&user.does(host, "bash a.sh")), "{host}: {writing}");
        user.write("shop/a.sh", "echo fine\n");
        assert_eq!(user.does(host, "bash a.sh"), "none", "changed since: {writing}");
        fs::remove_file(user.shop().join("a.sh")).unwrap();
        drop(fs::remove_dir_all(user.state("sessions")));
    }
}

#[test]
fn a_script_of_the_project_is_stopped_only_for_the_catastrophic() {
    let user = User::with_settings();
    user.write("shop/deploy.sh", "set -e\nnpm ci\ngit push --force origin main\nrm -rf build\n");
    user.write("shop/reset.sh", "#!/bin/sh\nrm -rf ~/\n");
    user.write("shop/unhook.sh", "#!/bin/sh\necho '{}' > ~/.claude/settings.json\n");
    for host in HOSTS {
        assert_eq!(user.does(host, "bash deploy.sh"), "none", "{host}");
        assert_eq!(user.does(host, "./deploy.sh --now"), "none", "{host}");
        assert_eq!(user.does(host, "bash reset.sh"), "deny", "{host}");
        assert_eq!(user.does(host, "./unhook.sh"), "deny", "{host}");
    }
}

#[test]
fn what_the_session_wrote_is_kept_as_paths_and_hashes_only() {
    let user = User::new();
    assert_eq!(user.writes("shop/x.sh", "echo not-to-be-kept\n"), "none");
    assert_eq!(user.writes("shop/notes.md", "text"), "none");
    let kept = fs::read_to_string(user.state("sessions/claude-s-1.wrote")).unwrap();
    let (hash, path) = kept.trim_end().split_once('\t').unwrap();
    assert_eq!(hash.len(), 16);
    assert_eq!(path, user.shop().join("x.sh").canonicalize().unwrap().to_str().unwrap());
    // A call that writes nothing leaves no file.
    drop(fs::remove_dir_all(user.state("sessions")));
    assert_eq!(user.does("claude", "ls -la"), "none");
    assert!(!user.state("sessions").exists());
}
