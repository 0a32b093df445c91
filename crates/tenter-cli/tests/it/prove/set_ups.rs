//! Working set-ups, and all the ways in which one does not work.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use tenter_hosts::install::{Role, Scope};
use tenter_model::HostId;
use tenter_testkit::Tenter;

use super::machine::{Machine, file, gate};

#[test]
fn a_set_up_that_works_is_protected_and_doubted_until_a_session_has_reached_it() {
    for host in HostId::ALL {
        let machine = Machine::wired(host);
        let (rows, exit) = machine.rows();
        let row = &rows[0];
        assert_eq!((rows.len(), exit), (1, 0), "{row:#}");
        for key in ["wired", "fired", "denied", "allowed"] {
            assert_eq!(row[key], true, "{key}: {row:#}");
        }
        assert_eq!((&row["host"], &row["scope"]), (&json!(host.as_str()), &json!("user")));
        assert_eq!((&row["state"], &row["real_client"]), (&json!("protected"), &json!("skipped")));
        let mut doubts = row["reasons"].as_array().unwrap().iter();
        let said = |it: &Value| it["text"].to_string().contains("no session");
        assert!(host == HostId::Codex || doubts.any(said), "{row:#}");
        let gates = tenter_hosts::host(host).install().wires.iter();
        let gates = gates.filter(|wire| wire.role == Role::Gate).count();
        let denied = row["events"].as_array().unwrap().iter();
        assert_eq!(denied.filter(|event| event["denied"] == true).count(), gates, "{row:#}");
        assert!(!machine.path("home/.local").exists(), "canaries leave nothing behind");
        // A session: the host sends an event of its own.
        let mut event = json!({ "hook_event_name": gate(host), "session_id": "s-1",
            "tool_name": "Shell", "tool_input": { "command": "ls" }, "tool_use_id": "t-1" });
        if host == HostId::Cursor {
            event["cursor_version"] = json!("3.21.16");
        }
        let mut command =
            Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&["hook", host.as_str()]);
        command.env_clear().env("HOME", machine.path("home"));
        Tenter::finish(command, event.to_string());
        let (rows, _) = machine.rows();
        assert_eq!(rows[0]["state"], "protected", "{:#}", rows[0]);
        // Without its program nobody can tell whether Codex still trusts an approved hook.
        let doubts = rows[0]["reasons"].as_array().unwrap().len();
        assert_eq!(doubts, usize::from(host == HostId::Codex), "{:#}", rows[0]);
        assert!(rows[0]["last_seen_ms"].is_u64());
    }
}

#[test]
fn every_scope_is_proved_where_its_host_runs_it() {
    for host in HostId::ALL {
        let machine = Machine::new();
        for scope in [Scope::Project, Scope::User, Scope::Managed] {
            machine.wire(host, scope);
        }
        let (rows, _) = machine.rows();
        let scopes: Vec<_> = rows.iter().map(|row| row["scope"].as_str().unwrap()).collect();
        assert_eq!(scopes, ["project", "user", "managed"], "{host}");
        assert!(
            rows.iter().all(|row| row["denied"] == true && row["allowed"] == true),
            "{rows:#?}"
        );
        let (only, _) = {
            let ran = machine.run(&["--json", "--scope", "project"], "/usr/bin:/bin");
            (serde_json::from_str::<Value>(&ran.stdout).unwrap(), ran.exit)
        };
        assert_eq!(only.as_array().unwrap().len(), 1);
    }
}

#[test]
fn nothing_wired_is_told_and_is_an_error() {
    let machine = Machine::new();
    let ran = machine.run(&[], "/usr/bin:/bin");
    assert_eq!(ran.exit, 1);
    assert!(ran.stdout.starts_with("nothing is wired"), "{}", ran.stdout);
    let ran = machine.run(&["--hosts", "codex"], "/usr/bin:/bin");
    assert_eq!(ran.exit, 1);
    assert!(ran.stdout.contains("tenter install --hosts codex"), "{}", ran.stdout);
    machine.write("home/.codex/hooks.json", "{\n  oops\n");
    let ran = machine.run(&["--hosts", "codex"], "/usr/bin:/bin");
    assert!(
        ran.stdout.contains("Codex  not protected: not wired, and cannot be: "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("hooks.json, line 2, column 3: "), "{}", ran.stdout);
    assert!(ran.stdout.contains("-> by hand: mend it, then: "), "{}", ran.stdout);
    std::fs::remove_dir_all(machine.path("home/.codex")).unwrap();
    machine.wire(HostId::Claude, Scope::User);
    machine.write("home/.cursor/here", "");
    let (rows, exit) = machine.rows();
    assert_eq!((rows.len(), exit), (2, 0), "a host that nobody wired is no fault: {rows:#?}");
    assert_eq!((&rows[0]["host"], &rows[0]["state"]), (&json!("cursor"), &json!("not-protected")));
}

#[test]
fn a_program_that_is_gone_or_cannot_be_run_is_red() {
    for host in HostId::ALL {
        let machine = Machine::wired(host);
        let program = machine.path("bin/tenter");
        std::fs::remove_file(&program).unwrap();
        let row = machine.is_red("is not there, so every call passes");
        let reasons = row["reasons"].as_array().unwrap().iter();
        let same = reasons.filter(|reason| reason["fix"].as_str().unwrap().contains("install"));
        assert_eq!(same.count(), 1, "said once: {row:#}");
        assert_eq!((&row["fired"], &row["denied"]), (&json!(false), &json!(false)));
        std::fs::write(&program, "#!/bin/sh\n").unwrap();
        let row = machine.is_red("cannot be executed");
        assert!(row["fix"].as_str().unwrap().starts_with("chmod +x"), "{row:#}");
        // Another program under our name.
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        machine.is_red("does not deny what it must");
    }
}

#[test]
fn a_command_that_runs_something_else_is_red() {
    for host in HostId::ALL {
        let machine = Machine::wired(host);
        let line = machine.line(host);
        machine.set(host, "command", json!("true"));
        machine.is_red("is not wired to tenter: tool calls are not checked");
        for wrapped in [
            format!("exit 0; {line}"),
            format!("{line} >/dev/null 2>&1; exit 0"),
            format!("no-such-interpreter wrap.py {line}"),
            format!("true # {line}"),
            // It blocks everything, which does not prove that we run.
            format!("echo no >&2; exit 2 # {line}"),
            format!("'{}/moved/tenter' hook {host}", machine.path("").display()),
        ] {
            machine.set(host, "command", json!(wrapped));
            machine.is_red(gate(host));
        }
    }
}

#[test]
fn a_swallowed_exit_code_is_red() {
    for host in HostId::ALL {
        let machine = Machine::wired(host);
        machine.command(host, &format!("{} || true", machine.line(host)));
        let row = machine.is_red("hides its exit code");
        assert_eq!(row["denied"], true, "what is said in words still arrives");
    }
}

#[test]
fn what_stops_everything_is_red() {
    for host in HostId::ALL {
        let machine = Machine::wired(host);
        machine.command(host, &format!("{}; exit 2", machine.line(host)));
        let row = machine.is_red("a harmless call does not pass");
        assert_eq!((&row["denied"], &row["allowed"]), (&json!(true), &json!(false)), "{row:#}");
    }
}

#[test]
fn the_wrong_host_and_options_that_open_it_are_red() {
    for (host, other) in [
        (HostId::Cursor, HostId::Claude),
        (HostId::Claude, HostId::Cursor),
        (HostId::Codex, HostId::Claude),
    ] {
        let machine = Machine::wired(host);
        machine.command(host, &machine.line(other));
        machine.is_red(&format!("it is wired as {other}"));
    }
    for options in ["--on-failure open", "--on-failure=open", "--codex-ask allow"] {
        let machine = Machine::wired(HostId::Codex);
        machine.command(HostId::Codex, &format!("{} {options}", machine.line(HostId::Codex)));
        machine.is_red(&options.replace('=', " "));
    }
}

#[test]
fn what_voids_a_file_is_red() {
    let machine = Machine::wired(HostId::Cursor);
    machine.change(HostId::Cursor, Scope::User, |text| {
        text.replace("\"hooks\": {", "\"hooks\": {\n    \"beforeTeaTime\": [],")
    });
    machine.is_red("discards the whole file");
    let machine = Machine::wired(HostId::Codex);
    machine.change(HostId::Codex, Scope::User, |text| {
        text.replace("\"hooks\": {", "\"version\": 1,\n  \"hooks\": {")
    });
    machine.is_red("Codex drops every hook of this file");
    // A foreign entry of a type that Codex lacks.
    let machine = Machine::wired(HostId::Codex);
    machine.change(HostId::Codex, Scope::User, |text| {
        text.replace("\"Stop\": [", "\"Stop\": [{\"hooks\": [{\"type\": \"http\"}]},")
    });
    machine.is_red("drops every hook in it");
    // The same in the configuration beside it.
    for (text, said) in [
        ("[[hooks.Stop]]\nhooks = [{ type = \"http\" }]\n", "config.toml:2: Codex does not run"),
        ("[hooks\n", "config.toml, line 1, column 7: "),
    ] {
        let machine = Machine::wired(HostId::Codex);
        machine.write("home/.codex/config.toml", text);
        machine.is_red(said);
    }
    // Claude Code ignores a file with a comment, a setting of the wrong type, or any malformed hook at a
    // permission event.
    for (from, to, said) in [
        ("{", "{ // mine", "a comment is not JSON"),
        ("\n}", ",\n}", "a trailing comma is not JSON"),
        ("{", "{\"model\": 5,", "`model` must be a string"),
        ("{", "{\"permissions\": {\"deny\": \"Bash\"},", "`deny` must be an array"),
        (
            "\"PreToolUse\": [",
            "\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\"}]},",
            "there is no `command`",
        ),
        (
            "\"PreToolUse\": [",
            "\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\", \"timeout\": \"5\"}]},",
            "`timeout` must be a number",
        ),
    ] {
        let machine = Machine::wired(HostId::Claude);
        machine.change(HostId::Claude, Scope::User, |text| {
            // The last brace closes the file.
            match text.rsplit_once(from).filter(|_| from == "\n}") {
                Some((before, after)) => [before, to, after].concat(),
                None => text.replacen(from, to, 1),
            }
        });
        let row = machine.is_red(said);
        assert!(row["reason"].as_str().unwrap().contains("loads nothing of this file"), "{row:#}");
    }
    // A byte order mark, and a duplicate key.
    for (from, to) in [("{", "\u{feff}{"), ("\"hooks\": {", "\"hooks\": {\"PreToolUse\": [],")] {
        let machine = Machine::wired(HostId::Codex);
        machine.change(HostId::Codex, Scope::User, |text| text.replacen(from, to, 1));
        machine.is_red("drops");
    }
    // The host was downgraded to a version without some of our events.
    let machine = Machine::wired(HostId::Claude);
    machine.write("bin/claude", "#!/bin/sh\necho '2.1.50 (Claude Code)'\n");
    let client = machine.path("bin/claude");
    std::fs::set_permissions(client, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", machine.path("bin").display());
    let ran = machine.run(&["--json"], &path);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(
        ran.stdout.contains("Claude Code 2.1.50 does not know `PostToolUseFailure` yet"),
        "{ran:?}"
    );
    for host in HostId::ALL {
        let machine = Machine::wired(host);
        machine.change(host, Scope::User, |text| text.replacen(':', "", 1));
        machine.is_red("cannot be parsed, and so no hook in it runs: line ");
    }
}

#[test]
fn switches_that_turn_hooks_off_are_red() {
    let off = |text: String| text.replacen('{', "{\n  \"disableAllHooks\": true,", 1);
    let machine = Machine::wired(HostId::Claude);
    machine.change(HostId::Claude, Scope::User, off);
    machine.is_red("disableAllHooks = true");
    // By a project file, and by a managed file with the highest precedence.
    for (place, text, said) in [
        ("shop/.claude/settings.local.json", r#"{"disableAllHooks": true}"#, "disableAllHooks"),
        (
            "root/etc/claude-code/managed-settings.json",
            r#"{"allowManagedHooksOnly": true}"#,
            "allowManagedHooksOnly = true",
        ),
        (
            "root/etc/claude-code/managed-settings.d/10-policy.json",
            r#"{"disableAllHooks": true}"#,
            "10-policy.json",
        ),
    ] {
        let machine = Machine::wired(HostId::Claude);
        machine.write(place, text);
        machine.is_red(said);
    }
    // In a drop-in folder the last file wins.
    let machine = Machine::wired(HostId::Claude);
    machine.write("root/etc/claude-code/managed-settings.json", r#"{"disableAllHooks": true}"#);
    machine.write(
        "root/etc/claude-code/managed-settings.d/10-a.json",
        r#"{"disableAllHooks": false}"#,
    );
    assert_eq!(machine.rows().1, 0, "the folder is read after the file");
    machine
        .write("root/etc/claude-code/managed-settings.d/20-b.json", r#"{"disableAllHooks": true}"#);
    machine.is_red("20-b.json");
    for (place, text, said) in [
        ("home/.codex/config.toml", "[features]\nhooks = false\n", "features.hooks = false"),
        (
            "root/etc/codex/requirements.toml",
            "allow_managed_hooks_only = true\n",
            "allow_managed_hooks_only = true",
        ),
    ] {
        let machine = Machine::wired(HostId::Codex);
        machine.write(place, text);
        machine.is_red(said);
    }
}

#[test]
fn what_codex_does_not_trust_is_red() {
    let machine = Machine::wired(HostId::Codex);
    machine.write("home/.codex/config.toml", "");
    let row = machine.is_red("Codex does not trust it");
    assert!(row["fix"].as_str().unwrap().ends_with("--trust-codex"), "{row:#}");
    // Approved for another position in the file.
    let machine = Machine::wired(HostId::Codex);
    machine.change(HostId::Codex, Scope::User, |text| {
        text.replace("\"PreToolUse\": [", "\"PreToolUse\": [{\"hooks\": []},")
    });
    machine.is_red("Codex does not trust it");
}

#[test]
fn an_entry_that_cannot_stop_anything_is_red() {
    for (host, key, value, said) in [
        (HostId::Cursor, "matcher", json!("Bash"), "the hook never runs"),
        (HostId::Claude, "matcher", json!("Shell"), "the hook never runs"),
        (HostId::Codex, "matcher", json!("shell"), "the hook never runs"),
        (HostId::Codex, "matcher", json!("Bash("), "is not a valid pattern"),
        (HostId::Claude, "async", json!(true), "async"),
        (HostId::Claude, "asyncRewake", json!(true), "asyncRewake"),
        (HostId::Codex, "async", json!(true), "async"),
        (HostId::Cursor, "timeout", json!(0), "timeout"),
        (HostId::Claude, "timeout", json!(0), "timeout"),
        (HostId::Claude, "timeout", json!(30000), "timeout"),
        (HostId::Codex, "timeout", json!(30000), "timeout"),
        (HostId::Claude, "type", json!("comand"), "does not run a `comand` handler"),
        (HostId::Claude, "shell", json!("powershell"), "cannot be started"),
    ] {
        let machine = Machine::wired(host);
        machine.set(host, key, value);
        machine.is_red(said);
    }
    // It answers but does not exit in time.
    let machine = Machine::wired(HostId::Claude);
    machine.command(HostId::Claude, &format!("{}; sleep 2", machine.line(HostId::Claude)));
    machine.set(HostId::Claude, "timeout", json!(1));
    machine.is_red("it did not end by itself");
}

#[test]
fn what_keeps_calls_away_is_red() {
    let red = |machine: &Machine, path: &str, said: &str| {
        let ran = machine.run(&["--json"], path);
        let rows: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((&rows[0]["state"], ran.exit), (&json!("not-protected"), 1), "{said}: {rows:#}");
        assert!(ran.stdout.contains(said), "{said}: {rows:#}");
        rows[0].clone()
    };
    // Found through a PATH that not every host has.
    let machine = Machine::wired(HostId::Cursor);
    machine.command(HostId::Cursor, "tenter hook cursor");
    let path = format!("{}:/usr/bin:/bin", machine.path("bin").display());
    red(&machine, &path, "it depends on your PATH");
    // Only some calls.
    let machine = Machine::wired(HostId::Claude);
    machine.set(HostId::Claude, "matcher", json!("Write|Edit"));
    red(&machine, "/usr/bin:/bin", "keeps commands of the shell away");
    let machine = Machine::wired(HostId::Claude);
    machine.set(HostId::Claude, "if", json!("Bash(git *)"));
    red(&machine, "/usr/bin:/bin", "runs for `Bash(git *)` only");
    // Claude Code reads settings only in the folder where it is started.
    let machine = Machine::new();
    machine.wire(HostId::Claude, Scope::Project);
    machine.write("shop/src/main.rs", "");
    let below = machine.path("shop/src").display().to_string();
    let ran = machine.run(&["--json", "--cwd", &below], "/usr/bin:/bin");
    assert!(ran.stdout.contains("Claude Code reads it only when it is started in"), "{ran:?}");
    assert_eq!(ran.exit, 1, "{ran:?}");
    let ran = machine.run(&["--json"], "/usr/bin:/bin");
    assert!(!ran.stdout.contains("only when it is started in"), "{ran:?}");
}

#[test]
fn what_is_only_doubtful_is_protected_with_a_warning() {
    for host in HostId::ALL {
        let machine = Machine::wired(host);
        machine.write(
            "home/.config/tenterhook/policy.toml",
            "version = 1\nextends = [\"minimal\"]\n[fail]\nguard = \"open\"\n[guards]\ndestructive-files = \"off\"\n",
        );
        let (rows, exit) = machine.rows();
        assert_eq!((&rows[0]["state"], exit), (&json!("protected"), 0), "{rows:#?}");
        let said = "the policy lets calls pass when the guard fails";
        assert!(rows[0].to_string().contains(said), "{rows:#?}");
        assert_eq!(rows[0]["denied"], true, "the canary is denied all the same: {rows:#?}");
    }
}

#[test]
fn the_grid_says_what_to_do() {
    let machine = Machine::wired(HostId::Claude);
    machine.wire(HostId::Cursor, Scope::Project);
    std::fs::remove_file(machine.path(file(HostId::Claude, Scope::User))).unwrap();
    machine.wire(HostId::Claude, Scope::User);
    machine.command(HostId::Claude, "/no/where/tenter hook claude");
    let ran = machine.run(&[], "/usr/bin:/bin");
    assert_eq!(ran.exit, 1);
    let lines: Vec<&str> = ran.stdout.lines().map(str::trim).collect();
    assert!(
        lines[1].starts_with("Cursor")
            && lines[1].ends_with("protected")
            && !lines[1].ends_with("not protected"),
        "{}",
        ran.stdout
    );
    assert!(
        lines[2].starts_with("Claude Code") && lines[2].ends_with("not protected"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("`/no/where/tenter` is not there"), "{}", ran.stdout);
    assert!(ran.stdout.contains("tenter install --hosts claude --scope user"), "{}", ran.stdout);
    assert!(Path::new("/no/where").metadata().is_err());
}

#[test]
fn a_canary_leaves_no_sign_of_life_whatever_its_event() {
    for host in HostId::ALL {
        let machine = Machine::wired(host);
        machine.change(host, Scope::User, |text| {
            let gate = gate(host);
            text.replacen(&format!("\"{gate}\""), "\"noSuchEvent\"", 1)
        });
        let (rows, _) = machine.rows();
        assert_eq!(rows.len(), 1, "{host}");
        assert!(!machine.path("home/.local/state/tenterhook/seen").exists(), "{host}");
    }
}
