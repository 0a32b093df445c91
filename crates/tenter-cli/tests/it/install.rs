//! `install` and `uninstall` from outside: files before and after, and messages.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;
use tenter_testkit::{Ran, Tenter};

use crate::common::Machine;

impl Machine {
    fn install(&self, options: &str) -> Ran {
        let root = self.path("root");
        let fixed = "--yes --binary /opt/tenter/bin/tenter --root";
        self.run(&format!("install {fixed} {} {options}", root.display()))
    }

    fn uninstall(&self, options: &str) -> Ran {
        self.run(&format!("uninstall --yes --root {} {options}", self.path("root").display()))
    }
}

const CURSOR: &str = r#"{
	// formats what was edited
	"version": 1,
	"hooks": {
		"afterFileEdit": [{ "command": "./hooks/format.sh" }], // keep
		"preToolUse": [
			{ "command": "other-guard", "matcher": "Shell", "timeout": 5 },
		]
	}
}"#;

const CLAUDE: &str = r#"{
  "model": "opus",
  "permissions": { "allow": ["Bash(npm test:*)"] },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "my-guard" }]
      }
    ]
  },
  "zz": null
}
"#;

const CODEX: &str = r#"{"description":"mine","hooks":{"Stop":[{"hooks":[{"type":"command","command":"notify-send done"}]}]}}"#;

/// Gemini CLI takes comments, and no trailing comma.
const GEMINI: &str = r#"{
  // mine
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "hooks": {
    "BeforeTool": [
      { "matcher": "run_shell_command", "sequential": true, "hooks": [{ "type": "command", "command": "my-guard", "timeout": 5000 }] }
    ]
  }
}"#;

const QWEN: &str = r#"{
    // Qwen Code writes the version itself
    "hooks": { "Stop": [{ "hooks": [{ "type": "http", "url": "http://localhost/", "timeout": 5 }] }] },
    "$version": 4
}
"#;

/// Host, scope, file and its content before.
const GOLDEN: [(&str, &str, &str, &str); 15] = [
    ("cursor", "project", "repo/.cursor/hooks.json", CURSOR),
    ("cursor", "user", "home/.cursor/hooks.json", CURSOR),
    ("cursor", "managed", "root/etc/cursor/hooks.json", ""),
    ("claude", "project", "repo/.claude/settings.json", CLAUDE),
    ("claude", "user", "home/.claude/settings.json", CLAUDE),
    ("claude", "managed", "root/etc/claude-code/managed-settings.json", CLAUDE),
    ("codex", "project", "repo/.codex/hooks.json", CODEX),
    ("codex", "user", "home/.codex/hooks.json", CODEX),
    ("codex", "managed", "root/etc/codex/hooks.json", ""),
    ("gemini", "project", "repo/.gemini/settings.json", GEMINI),
    ("gemini", "user", "home/.gemini/settings.json", GEMINI),
    ("gemini", "managed", "root/etc/gemini-cli/settings.json", ""),
    ("qwen", "project", "repo/.qwen/settings.json", QWEN),
    ("qwen", "user", "home/.qwen/settings.json", QWEN),
    ("qwen", "managed", "root/etc/qwen-code/settings.json", ""),
];

#[test]
fn every_host_and_scope_is_wired_and_restored_to_the_byte() {
    for (host, scope, file, before) in GOLDEN {
        let machine = Machine::new();
        if !before.is_empty() {
            machine.write(file, before);
        }
        let untouched = machine.files();
        let ran = machine.install(&format!("--hosts {host} --scope {scope}"));
        assert_eq!(ran.exit, 0, "{host} {scope}: {}", ran.stderr);
        let below = ran.stdout.contains("and not in a folder below");
        let from_root = matches!(host, "claude" | "gemini" | "qwen") && scope == "project";
        assert_eq!(below, from_root, "{}", ran.stdout);
        assert_eq!(
            ran.stdout.contains("that its user trusts"),
            scope == "project",
            "{host} {scope}"
        );
        insta::assert_snapshot!(format!("wired_{host}_{scope}"), machine.read(file));
        let ran = machine.uninstall(&format!("--hosts {host} --scope {scope}"));
        assert_eq!(ran.exit, 0, "{host} {scope}: {}", ran.stderr);
        assert_eq!(machine.files(), untouched, "{host} {scope}");
    }
}

#[test]
fn all_hosts_at_once_and_again_changes_nothing_more() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", CLAUDE);
    let untouched = machine.files();
    let ran = machine.install("");
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let wired = machine.files();
    assert_ne!(wired, untouched);
    let again = machine.install("");
    assert_eq!(again.exit, 0, "{}", again.stderr);
    assert_eq!(again.stdout.matches("already so").count(), 3, "{}", again.stdout);
    assert_eq!(machine.files(), wired);
    assert_eq!(machine.uninstall("").exit, 0);
    assert_eq!(machine.files(), untouched);
}

#[test]
fn an_older_entry_is_brought_up_to_date_where_it_stands() {
    let machine = Machine::new();
    let older = r#"{
  "hooks": {
    "PreToolUse": [
      { "hooks": [{ "type": "command", "command": "/old/tenter hook claude --on-failure open" }] },
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "my-guard" }] }
    ],
    "Notification": [{ "hooks": [{ "type": "command", "command": "/old/tenter hook claude" }] }]
  }
}
"#;
    machine.write("home/.claude/settings.json", older);
    assert_eq!(machine.install("--hosts claude").exit, 0);
    let text = machine.read("home/.claude/settings.json");
    let settings: Value = serde_json::from_str(&text).unwrap();
    let groups = settings.pointer("/hooks/PreToolUse").unwrap().as_array().unwrap();
    assert_eq!(groups.len(), 2, "{text}");
    let command = |group: &Value| group.pointer("/hooks/0/command").unwrap().clone();
    assert_eq!(command(groups.first().unwrap()), "/opt/tenter/bin/tenter hook claude");
    assert_eq!(command(groups.last().unwrap()), "my-guard");
    assert!(!text.contains("/old/tenter"), "an event we no longer want is left\n{text}");
}

#[test]
fn only_events_that_the_version_knows_are_written() {
    let old = Machine::with(&[("claude", "2.1.50 (Claude Code)"), ("cursor", "never asked")]);
    // The editor is not started; its version is in a file beside it.
    old.write("product.json", r#"{ "nameShort": "Cursor", "version": "2.3.10" }"#);
    assert_eq!(old.install("--hosts claude,cursor").exit, 0);
    let claude = old.read("home/.claude/settings.json");
    assert!(claude.contains("PreToolUse") && !claude.contains("PostToolUseFailure"), "{claude}");
    let cursor = old.read("home/.cursor/hooks.json");
    assert!(!cursor.contains("preToolUse") && cursor.contains("beforeShellExecution"), "{cursor}");
    let new = Machine::new();
    assert_eq!(new.install("--hosts claude,cursor").exit, 0);
    assert!(new.read("home/.claude/settings.json").contains("PostToolUseFailure"));
    let cursor = new.read("home/.cursor/hooks.json");
    assert!(cursor.contains("preToolUse") && !cursor.contains("beforeShellExecution"), "{cursor}");
    // `onFailure` is an unknown key to older versions.
    assert_eq!(new.install("--hosts claude --fail-closed").exit, 0);
    assert!(new.read("home/.claude/settings.json").contains("\"onFailure\": \"block\""));
    assert_eq!(old.install("--hosts claude --fail-closed").exit, 0);
    assert!(!old.read("home/.claude/settings.json").contains("onFailure"));
}

#[test]
fn what_others_changed_in_between_stays() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", CLAUDE);
    assert_eq!(machine.install("--hosts claude").exit, 0);
    let wired = machine.read("home/.claude/settings.json");
    let changed = wired.replace("\"model\": \"opus\"", "\"model\": \"sonnet\"");
    machine.write("home/.claude/settings.json", &changed);
    let ran = machine.uninstall("");
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let expected = CLAUDE.replace("\"model\": \"opus\"", "\"model\": \"sonnet\"");
    assert_eq!(machine.read("home/.claude/settings.json"), expected);
}

#[test]
fn empty_keys_that_were_there_before_us_stay() {
    let machine = Machine::new();
    machine.write("home/.cursor/hooks.json", "{ \"hooks\": {} }\n");
    assert_eq!(machine.install("--hosts cursor").exit, 0);
    let wired = machine.read("home/.cursor/hooks.json");
    machine.write("home/.cursor/hooks.json", &format!("// mine\n{wired}"));
    assert_eq!(machine.uninstall("").exit, 0);
    assert_eq!(machine.read("home/.cursor/hooks.json"), "// mine\n{ \"hooks\": {} }\n");
}

#[test]
fn refusals_change_nothing_and_say_why() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", "{\n  \"hooks\": {\n    oops\n  }\n}\n");
    let before = machine.files();
    let ran = machine.install("--hosts claude");
    assert_eq!(ran.exit, 1);
    assert!(
        ran.stderr.contains("@/home/.claude/settings.json, line 3, column 5"),
        "{}",
        ran.stderr
    );
    assert_eq!(machine.files(), before);

    let broken = Machine::new();
    assert_eq!(broken.install("--hosts claude").exit, 0);
    broken.write("home/.claude/settings.json", "{ oops\n");
    let ran = broken.uninstall("");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("not taken out: Claude Code: @/home/.claude/"), "{}", ran.stderr);

    let mut command = machine.command("install --yes --hosts claude");
    command.env("CLAUDECODE", "1");
    let ran = Tenter::finish(command, "");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("CLAUDECODE is set, so an agent is asking"), "{}", ran.stderr);

    let mut command = machine.command("install --yes --hosts codex");
    command.env_remove("HOME");
    let ran = Tenter::finish(command, "");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("HOME is not set"), "{}", ran.stderr);

    let ran = machine.run("install --hosts codex");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("no terminal to ask on; nothing was changed"), "{}", ran.stderr);
    assert_eq!(machine.files(), before);

    let ran = machine.install("--hosts cursor --events preToolUse,beforeShellExecution");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("would judge the same call twice"), "{}", ran.stderr);
    assert_eq!(machine.files(), before);

    let none = Machine::with(&[]);
    let ran = none.install("");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("none of the hosts is on this machine"), "{}", ran.stderr);
}

#[test]
fn a_read_only_file_is_left_alone() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", CLAUDE);
    let path = machine.path("home/.claude/settings.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let ran = machine.install("--hosts claude");
    assert_eq!(ran.exit, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("settings.json"), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("; nothing was changed\n"), "{}", ran.stderr);
    assert_eq!(machine.read("home/.claude/settings.json"), CLAUDE);
}

#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing_even_inside_an_agent() {
    let machine = Machine::new();
    machine.write("home/.codex/hooks.json", CODEX);
    let before = machine.files();
    let mut command = machine.command(
        "install --dry-run --binary /opt/tenter/bin/tenter --hosts cursor,codex --events gates",
    );
    command.env("CLAUDECODE", "1");
    let ran = Tenter::finish(command, "");
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert_eq!(machine.files(), before);
    let here = machine.top().display().to_string();
    insta::assert_snapshot!("dry_run", ran.stdout.replace(&here, "@"));
}

#[test]
fn codex_hooks_in_toml_stay_in_toml() {
    let machine = Machine::new();
    let before = "# mine\nmodel = \"gpt-5\"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\n\
                  command = \"bell\"\n\n[hooks.state]\n";
    machine.write("home/.codex/config.toml", before);
    let untouched = machine.files();
    assert_eq!(machine.install("--hosts codex").exit, 0);
    assert!(!machine.path("home/.codex/hooks.json").exists());
    insta::assert_snapshot!("wired_codex_toml", machine.read("home/.codex/config.toml"));
    assert_eq!(machine.uninstall("").exit, 0);
    assert_eq!(machine.files(), untouched);
}

#[test]
fn matchers_and_events_can_be_chosen() {
    let machine = Machine::new();
    let ran = machine.install(
        "--hosts claude --events PreToolUse,PostToolUse,Stop --matcher Bash|Write --matcher PostToolUse:Edit",
    );
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let text = machine.read("home/.claude/settings.json");
    let settings: Value = serde_json::from_str(&text).unwrap();
    let matcher = |event: &str| settings.pointer(&format!("/hooks/{event}/0/matcher")).cloned();
    assert_eq!(matcher("PreToolUse"), Some("Bash|Write".into()), "{text}");
    assert_eq!(matcher("PostToolUse"), Some("Edit".into()));
    assert_eq!(matcher("Stop"), None);
    let count = settings.pointer("/hooks").unwrap().as_object().unwrap().len();
    assert_eq!(count, 3, "{text}");
}

#[test]
fn cursor_can_be_left_to_claudes_wiring() {
    let machine = Machine::new();
    let ran = machine.install("--hosts cursor,claude");
    assert!(ran.stdout.contains("the second copy of a call"), "{}", ran.stdout);
    assert_eq!(machine.uninstall("").exit, 0);
    assert_eq!(machine.install("--hosts cursor,claude --single-wiring").exit, 0);
    assert!(!machine.path("home/.cursor/hooks.json").exists());
    assert!(machine.path("home/.claude/settings.json").exists());
    // Cursor ignores Claude Code's managed settings, so it needs its own file.
    let ran = machine.install("--hosts cursor,claude --scope managed --single-wiring");
    assert!(!ran.stdout.contains("the second copy of a call"), "{}", ran.stdout);
    assert!(machine.path("root/etc/cursor/hooks.json").exists());
}

#[test]
fn a_linked_dotfile_is_followed_and_keeps_its_mode() {
    let machine = Machine::new();
    machine.write("home/dotfiles/settings.json", CLAUDE);
    let real = machine.path("home/dotfiles/settings.json");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    fs::create_dir_all(machine.path("home/.claude")).unwrap();
    let link = machine.path("home/.claude/settings.json");
    std::os::unix::fs::symlink("../dotfiles/settings.json", &link).unwrap();
    assert_eq!(machine.install("--hosts claude").exit, 0);
    assert_eq!(fs::read_link(&link).unwrap(), Path::new("../dotfiles/settings.json"));
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(machine.read("home/dotfiles/settings.json").contains("tenter hook claude"));
    assert_eq!(machine.uninstall("").exit, 0);
    assert_eq!(machine.read("home/dotfiles/settings.json"), CLAUDE);
}

#[test]
fn purge_leaves_nothing_behind() {
    let machine = Machine::new();
    assert_eq!(machine.install("").exit, 0);
    assert!(machine.path("home/.local/state/tenterhook").exists());
    let ran = machine.uninstall("--purge");
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    for gone in [".claude", ".codex", ".local", ".cache"] {
        assert!(!machine.path(&format!("home/{gone}")).exists(), "{gone}");
    }
    assert!(machine.path("home").exists());

    machine.write("home/.local/share/theirs", "");
    assert_eq!(machine.install("").exit, 0);
    assert_eq!(machine.uninstall("--purge").exit, 0);
    assert!(!machine.path("home/.local/state").exists());
    assert!(machine.path("home/.local/share/theirs").exists());
}

#[test]
fn what_stays_wired_says_how_that_ends() {
    let machine = Machine::new();
    let (claude, codex) = (machine.path("home/cc"), machine.path("home/cx"));
    let mut command = machine.command("install --yes --hosts claude,codex --binary /opt/tenter");
    command.env("CLAUDE_CONFIG_DIR", &claude).env("CODEX_HOME", &codex);
    assert_eq!(Tenter::finish(command, "").exit, 0);
    assert_eq!(machine.install("--hosts claude --scope managed").exit, 0);
    let ran = machine.run("uninstall --yes");
    for how in [
        format!("CLAUDE_CONFIG_DIR={} tenter uninstall\n", claude.display()),
        format!("CODEX_HOME={} tenter uninstall\n", codex.display()),
        format!("tenter uninstall --root {}\n", machine.path("root").display()),
    ] {
        let said = ran.stderr.replace('@', &machine.top().display().to_string());
        assert!(said.contains(&how), "{how}: {said}");
    }
    let mut command = machine.command("uninstall --yes");
    command.env("CLAUDE_CONFIG_DIR", &claude).env("CODEX_HOME", &codex);
    assert_eq!(Tenter::finish(command, "").exit, 0);
    assert!(!claude.exists() && !codex.exists());
}

#[test]
fn the_result_is_also_one_json_object() {
    let machine = Machine::new();
    let ran = machine.install("--json --hosts claude");
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let result: Value = serde_json::from_str(&ran.stdout).unwrap();
    let step = result.pointer("/steps/0").unwrap();
    assert_eq!(step.get("host"), Some(&"claude".into()));
    assert_eq!(step.get("changed"), Some(&true.into()));
    assert_eq!(step.get("path"), Some(&"@/home/.claude/settings.json".into()));
}

/// Possible contents of a settings file, valid or not.
const KINDS: [(&str, &str); 20] = [
    ("windows line ends", "{\r\n  \"a\": 1,\r\n  \"hooks\": {}\r\n}\r\n"),
    ("mixed line ends", "{\n  \"a\": 1,\r\n  \"b\": 2\n}\r\n"),
    ("old line ends", "{\r  \"a\": 1\r}\r"),
    ("a byte order mark", "\u{feff}{\n  \"a\": 1\n}\n"),
    ("a mark, tabs and no end", "\u{feff}{\r\n\t\"a\": 1\r\n}"),
    ("tabs", "{\n\t\"a\":\t1\n}\n\n\n"),
    ("one line", "{\"a\":{\"b\":[1,2,3]}}"),
    ("duplicate keys", "{\"a\":1,\"a\":2}\n"),
    ("hooks twice", "{\"hooks\":{},\"hooks\":{\"Stop\":[]}}\n"),
    ("comments", "// top\n{ /* a */ \"a\": 1, // b\n  // c\n}\n// end"),
    ("trailing commas", "{\"a\":[1,],}\n"),
    ("nothing", ""),
    ("blanks", "\n\n  \n"),
    ("only a comment", "// x\n"),
    ("an empty object", "{}"),
    ("no last line end", "{\n    \"a\": 1\n}"),
    ("an escaped null", "{\"a\":\"\\u0000\"}"),
    ("a line separator", "{\"ä\":\"日本語 \u{2028}\u{1f600}\"}\n"),
    ("half a pair", "{\"a\":\"\\ud800\"}\n"),
    ("no object", "null\n"),
];

#[test]
fn files_of_every_kind_come_back_to_the_byte_with_their_mode() {
    for (host, name) in [
        ("cursor", "home/.cursor/hooks.json"),
        ("claude", "home/.claude/settings.json"),
        ("codex", "home/.codex/hooks.json"),
    ] {
        for (kind, text) in KINDS {
            let machine = Machine::new();
            machine.write("home/dotfiles/file.json", text);
            let real = machine.path("home/dotfiles/file.json");
            fs::set_permissions(&real, fs::Permissions::from_mode(0o600)).unwrap();
            let link = machine.path(name);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink("../dotfiles/file.json", &link).unwrap();
            let ran = machine.install(&format!("--hosts {host}"));
            let changed = machine.read(name) != text;
            let is_dead = ran.stderr.contains("no hook in this file runs");
            assert_eq!(ran.exit == 0, changed && !is_dead, "{host}, {kind}: {}", ran.stderr);
            let refused = ["half a pair", "no object"].contains(&kind);
            assert_eq!(changed, !refused, "{host}, {kind}: {}", ran.stderr);
            assert_eq!(machine.uninstall("").exit, 0, "{host}, {kind}");
            assert_eq!(machine.read(name), text, "{host}, {kind}");
            assert_eq!(fs::read_link(&link).unwrap(), Path::new("../dotfiles/file.json"));
            let mode = fs::metadata(&real).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600, "{host}, {kind}");
        }
    }
}

#[test]
fn trust_that_could_not_be_granted_is_a_failure() {
    let machine = Machine::new();
    machine.write("home/.codex/hooks.json", "{}");
    std::os::unix::fs::symlink("/nowhere/config.toml", machine.path("home/.codex/config.toml"))
        .unwrap();
    let asked = machine.install("--hosts codex --trust-codex");
    assert_eq!(asked.exit, 1, "{}", asked.stderr);
    assert!(asked.stderr.contains("could not be asked"), "{}", asked.stderr);
    let plain = machine.install("--hosts codex");
    assert_eq!(plain.exit, 0, "nothing was promised: {}", plain.stderr);
}

#[test]
fn installers_at_the_same_time_wire_everything_once() {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", CLAUDE);
    let untouched = machine.files();
    let hosts = ["claude", "codex", "cursor", "claude,codex", "claude,cursor,codex", "claude"];
    std::thread::scope(|scope| {
        for host in hosts {
            let machine = &machine;
            scope.spawn(move || {
                let ran = machine.install(&format!("--hosts {host}"));
                assert_eq!(ran.exit, 0, "{host}: {}", ran.stderr);
            });
        }
    });
    let alone = Machine::new();
    alone.write("home/.claude/settings.json", CLAUDE);
    assert_eq!(alone.install("").exit, 0);
    for file in [".claude/settings.json", ".codex/hooks.json", ".cursor/hooks.json"] {
        let file = format!("home/{file}");
        assert_eq!(machine.read(&file), alone.read(&file), "{file}");
    }
    assert_eq!(machine.uninstall("").exit, 0);
    assert_eq!(machine.files(), untouched);
}

#[test]
fn a_linked_worktree_has_its_codex_hooks_elsewhere() {
    let machine = Machine::new();
    let main = machine.top().canonicalize().unwrap().join("shop");
    fs::remove_dir_all(machine.path("repo/.git")).unwrap();
    let link = format!("gitdir: {}/.git/worktrees/repo\n", main.display());
    machine.write("repo/.git", &link);
    let ran = machine.install("--scope project --hosts codex,claude");
    assert_eq!(ran.exit, 1, "{}", ran.stdout);
    let said = "not wired: Codex: this is a linked worktree, for which it reads the hooks of ";
    let place = format!("{said}{main}; run this with --cwd {main}", main = main.display());
    assert!(
        ran.stderr.replace('@', machine.top().to_str().unwrap()).contains(&place),
        "{}",
        ran.stderr
    );
    assert!(!machine.path("repo/.codex").exists());
    assert!(machine.path("repo/.claude/settings.json").exists(), "that one is read there");
    // A submodule has such a file too, but is a project of its own.
    machine.write("repo/.git", "gitdir: ../shop/.git/modules/repo\n");
    assert_eq!(machine.install("--scope project --hosts codex").exit, 0);
    assert!(machine.path("repo/.codex/hooks.json").exists());
}

#[test]
fn what_keeps_a_file_from_being_loaded_is_said() {
    for (text, line, said) in [
        ("{\n  // mine\n}\n", 2, "a comment is not JSON"),
        ("{\n  \"model\": 5\n}\n", 2, "`model` must be a string, not this number"),
        (
            "{ \"hooks\": { \"PreToolUse\": [\n  { \"hooks\": [{ \"type\": \"command\" }] }\n] } }\n",
            2,
            "there is no `command`",
        ),
    ] {
        let machine = Machine::new();
        machine.write("home/.claude/settings.json", text);
        let ran = machine.install("--hosts claude");
        assert_eq!(ran.exit, 1, "{}", ran.stderr);
        let fault = format!(
            "not protected: Claude Code: @/home/.claude/settings.json:{line}: no hook in this file runs: {said}; "
        );
        assert!(ran.stderr.contains(&fault), "{}", ran.stderr);
        assert_eq!(machine.uninstall("").exit, 0);
        assert_eq!(machine.read("home/.claude/settings.json"), text);
    }
}

#[test]
fn paths_with_blanks_are_quoted_for_the_shell() {
    let machine = Machine::new();
    let mut command = machine.command("install --yes --hosts claude --binary");
    command.arg("/opt/my tools/it's/tenter");
    let ran = Tenter::finish(command, "");
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let settings: Value =
        serde_json::from_str(&machine.read("home/.claude/settings.json")).unwrap();
    let command = settings.pointer("/hooks/PreToolUse/0/hooks/0/command").unwrap();
    assert_eq!(command, r"'/opt/my tools/it'\''s/tenter' hook claude");
}

#[test]
fn what_would_not_be_known_again_or_never_run_is_not_written() {
    let machine = Machine::new();
    let untouched = machine.files();
    let ran = machine.run("install --yes --hosts claude --binary /opt/tenter-x86_64");
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("/opt/tenter-x86_64 is not called `tenter`"), "{}", ran.stderr);
    for (matcher, said) in [("[", "is not a valid pattern"), ("bash", "never")] {
        let ran = machine.run(&format!("install --yes --hosts claude --matcher {matcher}"));
        assert_eq!((ran.exit, ran.stdout.as_str()), (1, ""), "{matcher}");
        assert!(ran.stderr.contains(said), "{matcher}: {}", ran.stderr);
        assert!(!ran.stderr.contains("tenter prove"), "nothing is there to be proved");
    }
    assert_eq!(machine.files(), untouched);
}

#[test]
fn a_configuration_that_keeps_the_host_from_starting_is_told() {
    let machine = Machine::new();
    machine.write("home/.codex/config.toml", "model = \n");
    let ran = machine.run("install --yes --hosts codex");
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let said = "note: @/home/.codex/config.toml, line 1, column 9: ";
    assert!(ran.stdout.contains(said), "{}", ran.stdout);
    assert!(ran.stdout.contains("Codex does not start before it is mended"), "{}", ran.stdout);
}

#[test]
fn a_home_that_is_none_is_told() {
    let machine = Machine::new();
    for (home, said) in [(None, "HOME is not set"), (Some("here"), "HOME is `here`")] {
        let mut command = machine.command("install --yes");
        command.env_remove("HOME");
        if let Some(home) = home {
            command.env("HOME", home);
        }
        let ran = Tenter::finish(command, "");
        assert_eq!(ran.exit, 1);
        assert!(ran.stderr.contains(said), "{}", ran.stderr);
    }
    let mut command = machine.command("install --yes --scope project");
    command.current_dir(machine.path("home"));
    let ran = Tenter::finish(command, "");
    assert!(ran.stderr.contains("the home folder is no project"), "{}", ran.stderr);
}

#[test]
fn other_projects_are_named_and_keep_what_brings_them_back() {
    let machine = Machine::new();
    let text = "{  \"model\": \"opus\" }";
    machine.write("home/other/.git/HEAD", "");
    machine.write("home/other/.claude/settings.json", text);
    assert_eq!(machine.run("install --yes --hosts claude").exit, 0);
    let there = format!("--cwd {}", machine.path("home/other").display());
    assert_eq!(
        machine.run(&format!("install --yes --hosts claude --scope project {there}")).exit,
        0
    );

    let ran = machine.run("uninstall --yes --purge");
    assert_eq!(ran.exit, 1, "{}", ran.stderr);
    let said =
        "still wired: @/home/other/.claude/settings.json; tenter uninstall --cwd @/home/other";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(!machine.path("home/.claude").exists(), "what is here is taken out all the same");

    let ran = machine.run(&format!("uninstall --yes --purge {there}"));
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(!ran.stderr.contains("is kept in"), "nobody is sent to backups that are gone");
    assert_eq!(machine.read("home/other/.claude/settings.json"), text);
    assert!(!machine.path("home/.local/state/tenterhook").exists());
}
