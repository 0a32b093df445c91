//! Driving real clients: their input and the evaluation of their behaviour, with stub clients, and on request
//! with the real ones:
//! `cargo build -p tenter-cli -p tenter-server && TENTER_CLAUDE=/path/to/claude TENTER_CODEX=/path/to/codex
//! cargo test -p tenter-cli --test it prove:: -- --ignored`

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tenter_hosts::install::{Scope, System};
use tenter_model::HostId;
use tenter_setup::{Places, codex_trust};
use tenter_testkit::{Ran, Tenter};

use super::machine::{Machine, file};

/// Stub model: writes its port, waits for the end, and reports the requests.
const MODEL: &str = r#"#!/bin/sh
printf '{"port": 1}' > "$5"
while [ -e "$5" ]; do sleep 0.05; done
echo '{"requests": 3, "played": 2, "told_token": TOLD}'
"#;

/// Stub client: calls the hook for the script's first command and runs the second; `both` runs the first one
/// too without the hook, `complains` prints why, `mute` never calls the hook.
const CLIENT: &str = r#"#!/bin/sh
case "$1" in --version) echo "fake 9.8.7"; exit ;; app-server) exit 1 ;; esac
env > "OUT/env"
cp -R "$HOME" "OUT/home"; cp -R . "OUT/project"
line() { sed "s/.*\"commands\":\[\(.*\)\],\"last.*/\1/; s/\",\"/\n/; s/\"//g" ../script.json | sed -n "${1}p"; }
play() { line "$1" | sh; }
ask() { printf '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"%s"}}' "$(line 1)" | TENTER hook HOST; }
[ WHAT = nothing ] && { echo "no luck" >&2; exit 1; }
[ WHAT = complains ] && printf 'These settings files did not load:\n  %s/.claude/settings.json (model): Expected string\n' "$HOME" >&2
case WHAT in both|complains) play 1 ;; esac
[ WHAT = second ] && ask > /dev/null
play 2
"#;

/// Our program with a stub model beside it, and a stub client.
struct Straw {
    machine: Machine,
    tenter: PathBuf,
    client: PathBuf,
}

fn program(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

impl Straw {
    fn new(host: HostId, scope: Scope, what: &str, told: bool) -> Self {
        let machine = Machine::new();
        machine.wire(host, scope);
        machine.write("programs/here", "");
        machine.write("out/here", "");
        let tenter = machine.path("programs/tenter");
        // Not a symbolic link: our program looks for the model beside itself.
        if std::fs::hard_link(env!("CARGO_BIN_EXE_tenter"), &tenter).is_err() {
            std::fs::copy(env!("CARGO_BIN_EXE_tenter"), &tenter).unwrap();
        }
        let model = MODEL.replace("TOLD", &told.to_string());
        program(&machine.path("programs/tenter-server"), &model);
        let client = machine.path("programs/client");
        let out = machine.path("out");
        let text = CLIENT
            .replace("OUT", out.to_str().unwrap())
            .replace("WHAT", what)
            .replace("TENTER", tenter.to_str().unwrap())
            .replace("HOST", host.as_str());
        program(&client, &text);
        Self { machine, tenter, client }
    }

    fn run(&self, host: HostId, arguments: &[&str]) -> Ran {
        let tenter = Tenter::new(self.tenter.to_str().unwrap());
        let client = format!("{host}={}", self.client.display());
        let mut command = tenter.command(&["prove", "--client", &client]);
        command.args(["--root", self.machine.path("root").to_str().unwrap()]).args(arguments);
        command.env_clear().env("HOME", self.machine.path("home")).env("PATH", "/usr/bin:/bin");
        command.env("OPENAI_API_KEY", "sk-secret-of-the-user").env("HTTPS_PROXY", "http://proxy");
        command.current_dir(self.machine.path("shop"));
        Tenter::finish(command, "")
    }

    fn row(&self, host: HostId, arguments: &[&str]) -> (Value, i32) {
        let ran = self.run(host, &[arguments, &["--json"]].concat());
        let rows: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
        (rows[0].clone(), ran.exit)
    }
}

#[test]
fn what_a_client_does_decides() {
    for (what, told, real, state, note) in [
        ("second", true, "blocked", "protected", "Claude Code 9.8.7 did not run what is forbidden"),
        (
            "both",
            true,
            "not blocked",
            "not-protected",
            "ran a forbidden command: it did not run the hook",
        ),
        (
            "complains",
            true,
            "not blocked",
            "not-protected",
            "loads nothing of the file: (model): Expected string",
        ),
        ("second", false, "unavailable", "protected", "but not because of tenter"),
        ("mute", true, "unavailable", "protected", "but the record does not have it"),
        ("nothing", true, "unavailable", "protected", "ran no command at all: no luck"),
    ] {
        let straw = Straw::new(HostId::Claude, Scope::User, what, told);
        let (row, exit) = straw.row(HostId::Claude, &[]);
        assert_eq!((&row["real_client"], &row["state"]), (&json!(real), &json!(state)), "{row:#}");
        assert!(row["real_client_note"].as_str().unwrap().contains(note), "{row:#}");
        assert_eq!(exit, i32::from(state != "protected"));
        let (row, exit) = straw.row(HostId::Claude, &["--real", "always"]);
        let fails = real != "blocked";
        assert_eq!((row["state"] != "protected", exit), (fails, i32::from(fails)), "{row:#}");
    }
}

#[test]
fn a_client_is_given_our_hooks_and_nothing_else_of_the_users() {
    let straw = Straw::new(HostId::Claude, Scope::User, "second", true);
    straw.machine.change(HostId::Claude, Scope::User, |text| {
        text.replacen(
            '{',
            r#"{ "apiKeyHelper": "cat secret", "env": {"TOKEN": "secret"}, "disableAllHooks": false,
            "cleanupPeriodDays": -1, "model": "secret", "statusLine": {"command": "secret"},
            "permissions": {"deny": ["Bash(secret)"], "defaultMode": "plan"},"#,
            1,
        )
        .replacen(
            "\"Stop\": [",
            "\"Stop\": [{\"matcher\": 5, \"hooks\": [{\"type\": \"command\", \"command\": \"other-tool\"},
            {\"type\": \"http\", \"url\": \"http://other-tool\"}]}, {\"command\": \"other-tool\"},",
            1,
        )
    });
    straw.machine.write("home/.claude/.credentials.json", "secret");
    let (row, _) = straw.row(HostId::Claude, &[]);
    // Others' entries void the file, so our hooks blocking in isolation prove little.
    assert_eq!(
        (&row["real_client"], &row["state"]),
        (&json!("isolated"), &json!("not-protected")),
        "{row:#}"
    );
    let read = |below: &str| std::fs::read_to_string(straw.machine.path(below)).unwrap();
    let settings: Value = serde_json::from_str(&read("out/home/.claude/settings.json")).unwrap();
    let keys: Vec<_> = settings.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["cleanupPeriodDays", "disableAllHooks", "hooks", "permissions"]);
    assert_eq!(settings["permissions"], json!({ "defaultMode": "plan", "deny": [] }));
    for hidden in ["other-tool", "secret"] {
        assert!(!settings.to_string().contains(hidden), "{hidden}: {settings:#}");
    }
    let stop = &settings["hooks"]["Stop"];
    assert!(stop[0]["hooks"][0]["command"] == straw.machine.line(HostId::Claude));
    // Foreign hooks are copied only as inert stand-ins.
    let idle = json!({ "matcher": 5, "hooks": [{ "type": "command", "command": "true" }] });
    assert_eq!((&stop[1], &stop[2]), (&idle, &json!({ "command": "" })), "{stop:#}");
    assert!(!straw.machine.path("out/home/.claude/.credentials.json").exists());
    let env = read("out/env");
    for hidden in ["sk-secret", "proxy", straw.machine.path("home").to_str().unwrap()] {
        assert!(!env.contains(hidden), "{hidden}: {env}");
    }
    assert!(env.contains("ANTHROPIC_BASE_URL=http://127.0.0.1:1\n"), "{env}");
    let home = env.lines().find_map(|line| line.strip_prefix("HOME=")).unwrap();
    assert!(!Path::new(home).exists(), "the folder of the run is gone");
    assert!(!straw.machine.path("home/.local").exists(), "no sign of life is claimed by a proof");
}

#[test]
fn codex_gets_its_approvals_under_the_new_names() {
    let straw = Straw::new(HostId::Codex, Scope::User, "second", true);
    // Another tool's hook before ours: ours is the second group in the file and the first in the copy.
    straw.machine.change(HostId::Codex, Scope::User, |text| {
        let other = r#"{"hooks": [{"type": "command", "command": "other-tool"}]},"#;
        text.replacen("\"PreToolUse\": [", &format!("\"PreToolUse\": [{other}"), 1)
    });
    let source = straw.machine.path(file(HostId::Codex, Scope::User));
    let own = format!("{}:pre_tool_use:1:0", source.display());
    straw.machine.write(
        "home/.codex/config.toml",
        &format!("model = \"mine\"\n[mcp_servers.x]\ncommand = \"secret\"\n[hooks.state.\"{own}\"]\ntrusted_hash = \"sha256:abc\"\n"),
    );
    let (row, _) = straw.row(HostId::Codex, &[]);
    assert_eq!(row["real_client"], "isolated", "other events are not approved: {row:#}");
    let read = |below: &str| std::fs::read_to_string(straw.machine.path(below)).unwrap();
    let config = read("out/home/.codex/config.toml");
    assert!(
        config
            .contains("/home/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:abc\""),
        "{config}"
    );
    assert!(!config.contains("secret") && !config.contains("mine"), "{config}");
    assert_eq!(config.matches("hooks.state").count(), 1, "no other approval: {config}");
    let hooks = read("out/home/.codex/hooks.json");
    assert!(!hooks.contains("other-tool"), "{hooks}");
    // TOML hooks stay in TOML.
    let line = straw.machine.line(HostId::Codex);
    let config = straw.machine.path("home/.codex/config.toml");
    std::fs::remove_file(&source).unwrap();
    straw.machine.write("home/.codex/config.toml", &format!(
        "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"other-tool\"\n\
         [[hooks.PreToolUse]]\nmatcher = \"Bash\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"{line}\"\n\
         [hooks.state.\"{}:pre_tool_use:1:0\"]\ntrusted_hash = \"sha256:def\"\n", config.display()));
    std::fs::remove_dir_all(straw.machine.path("out/home")).unwrap();
    std::fs::remove_dir_all(straw.machine.path("out/project")).unwrap();
    let (row, _) = straw.row(HostId::Codex, &[]);
    assert_eq!(row["real_client"], "blocked", "{row:#}");
    let config = read("out/home/.codex/config.toml");
    assert!(
        config.contains(
            "/home/.codex/config.toml:pre_tool_use:0:0\"]\ntrusted_hash = \"sha256:def\""
        ),
        "{config}"
    );
    assert!(config.contains("[[hooks.PreToolUse]]") && config.contains(&line), "{config}");
    assert!(!config.contains("other-tool"), "{config}");
    // A project file: Codex must trust the project.
    let straw = Straw::new(HostId::Codex, Scope::Project, "second", true);
    straw.row(HostId::Codex, &[]);
    let config =
        std::fs::read_to_string(straw.machine.path("out/home/.codex/config.toml")).unwrap();
    assert!(!config.contains("trust_level"), "{config}");
    assert!(straw.machine.path("out/project/.codex/hooks.json").exists());
}

#[test]
fn what_cannot_be_driven_says_why_and_is_not_red() {
    let straw = Straw::new(HostId::Claude, Scope::User, "second", true);
    std::fs::remove_file(straw.machine.path("programs/tenter-server")).unwrap();
    let (row, exit) = straw.row(HostId::Claude, &[]);
    assert_eq!(
        (&row["real_client"], &row["state"], exit),
        (&json!("unavailable"), &json!("protected"), 0)
    );
    assert!(row["real_client_note"].as_str().unwrap().contains("tenter-server is not beside"));
    // A client from the project may be any program.
    let mut straw = Straw::new(HostId::Claude, Scope::User, "both", true);
    let own = straw.machine.path("shop/claude");
    std::fs::rename(&straw.client, &own).unwrap();
    straw.client = own;
    let (row, _) = straw.row(HostId::Claude, &[]);
    assert!(row["real_client_note"].as_str().unwrap().contains("lies in the project"), "{row:#}");
    assert!(!straw.machine.path("out/env").exists(), "it was not run");
    // A model that does not start.
    let straw = Straw::new(HostId::Claude, Scope::User, "second", true);
    program(&straw.machine.path("programs/tenter-server"), "#!/bin/sh\necho no port >&2; exit 1\n");
    let (row, _) = straw.row(HostId::Claude, &[]);
    assert!(
        row["real_client_note"].as_str().unwrap().contains("does not start: no port"),
        "{row:#}"
    );
    let machine = Machine::wired(HostId::Cursor);
    let ran = machine.run(&["--real", "auto"], "/usr/bin:/bin");
    assert!(ran.stdout.contains("does not run without an account"), "{}", ran.stdout);
}

/// A real client supplied by the developer.
fn brought(variable: &str) -> PathBuf {
    let path = std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set"));
    PathBuf::from(path)
}

/// Runs the proof with the model beside our program.
fn proved(machine: &Machine, host: HostId, client: &Path) -> Value {
    let client = format!("{host}={}", client.display());
    let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&["prove", "--json"]);
    command.args(["--real", "always", "--hosts", host.as_str(), "--client", &client]).env_clear();
    command.args(["--root", machine.path("root").to_str().unwrap()]);
    let path = std::env::var_os("PATH").unwrap();
    command.env("HOME", machine.path("home")).env("PATH", path);
    command.current_dir(machine.path("shop"));
    let ran = Tenter::finish(command, "");
    let rows: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    rows[0].clone()
}

#[test]
#[ignore = "needs a real claude in TENTER_CLAUDE and a built tenter-server"]
fn the_real_claude_is_stopped_and_goes_on_when_hooks_are_off() {
    let client = brought("TENTER_CLAUDE");
    for scope in [Scope::User, Scope::Project] {
        let machine = Machine::new();
        machine.wire(HostId::Claude, scope);
        let row = proved(&machine, HostId::Claude, &client);
        assert_eq!(
            (&row["real_client"], &row["state"]),
            (&json!("blocked"), &json!("protected")),
            "{row:#}"
        );
        machine.change(HostId::Claude, scope, |text| {
            text.replacen('{', "{\"disableAllHooks\": true,", 1)
        });
        let row = proved(&machine, HostId::Claude, &client);
        assert_eq!(row["real_client"], "not blocked", "{row:#}");
        assert!(row["real_client_note"].as_str().unwrap().ends_with("it did not run the hook"));
    }
    // Claude Code loads nothing of a file with one invalid value, and our rules do not cover all of them.
    for (value, said) in [
        ("\"cleanupPeriodDays\": -1,", "(cleanupPeriodDays)"),
        ("\"permissions\": {\"defaultMode\": \"frob\"},", "(permissions.defaultMode)"),
    ] {
        let machine = Machine::wired(HostId::Claude);
        machine.change(HostId::Claude, Scope::User, |text| {
            text.replacen('{', &format!("{{{value}"), 1)
        });
        let row = proved(&machine, HostId::Claude, &client);
        assert_eq!(row["real_client"], "not blocked", "{row:#}");
        let note = row["real_client_note"].as_str().unwrap();
        assert!(note.contains("it loads nothing of the file") && note.contains(said), "{row:#}");
    }
    // Ordinary settings do not prevent the test.
    let machine = Machine::wired(HostId::Claude);
    machine.change(HostId::Claude, Scope::User, |text| {
        let ordinary = r#"{"model": "opus", "env": {"A": "1"}, "apiKeyHelper": "false", "cleanupPeriodDays": 9,
            "permissions": {"allow": ["Bash(ls)"], "deny": ["Bash"], "defaultMode": "plan"}, "sandbox": {"enabled": true},
            "statusLine": {"type": "command", "command": "false"}, "outputStyle": "Explanatory","#;
        let other = r#""PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}, {"type": "http",
            "url": "https://example.invalid"}]},"#;
        text.replacen('{', ordinary, 1).replacen("\"PreToolUse\": [", other, 1)
    });
    let row = proved(&machine, HostId::Claude, &client);
    assert_eq!(row["real_client"], "blocked", "{row:#}");
    let machine = Machine::wired(HostId::Claude);
    machine.command(HostId::Claude, &format!("exit 0; {}", machine.line(HostId::Claude)));
    assert_eq!(proved(&machine, HostId::Claude, &client)["real_client"], "not blocked");
}

#[test]
#[ignore = "needs a real codex in TENTER_CODEX and a built tenter-server"]
fn the_real_codex_runs_only_what_it_trusts() {
    let client = brought("TENTER_CODEX");
    for scope in [Scope::User, Scope::Project] {
        let machine = Machine::new();
        machine.wire(HostId::Codex, scope);
        // Approved with another hash.
        let row = proved(&machine, HostId::Codex, &client);
        assert_eq!(
            (&row["real_client"], &row["state"]),
            (&json!("not blocked"), &json!("not-protected")),
            "{row:#}"
        );
        assert!(row["real_client_note"].as_str().unwrap().ends_with("it did not run the hook"));
        if scope == Scope::Project {
            let project = machine.path("shop");
            machine.write(
                "home/.codex/config.toml",
                &format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", project.display()),
            );
        }
        approve(&machine, &client);
        let row = proved(&machine, HostId::Codex, &client);
        assert_eq!(
            (&row["real_client"], &row["state"]),
            (&json!("blocked"), &json!("protected")),
            "{row:#}"
        );
        // One changed character voids the approval.
        machine.change(HostId::Codex, scope, |text| text.replace("30", "31"));
        let row = proved(&machine, HostId::Codex, &client);
        assert_eq!(
            (&row["real_client"], &row["state"]),
            (&json!("not blocked"), &json!("not-protected")),
            "{row:#}"
        );
    }
}

/// Approves all our hooks, as the user would in Codex.
fn approve(machine: &Machine, codex: &Path) {
    let places = Places {
        system: System::HERE,
        root: machine.path("root"),
        home: Some(machine.path("home")),
        project: Some(machine.path("shop")),
        variables: std::collections::BTreeMap::new(),
        path: std::env::var_os("PATH"),
        state: None,
        now: 0,
    };
    let shop = machine.path("shop");
    let listed = codex_trust::list(codex, &places, &shop).unwrap();
    assert!(!listed.is_empty(), "Codex has found the hooks");
    let keys: Vec<String> = listed.into_iter().map(|hook| hook.key).collect();
    codex_trust::grant(codex, &places, &shop, &machine.line(HostId::Codex), &keys).unwrap();
}
