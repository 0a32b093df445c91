//! `tenter status` from outside: table and JSON.
#![cfg(unix)]

use serde_json::{Value, json};

use crate::machine::Machine;

fn status(machine: &Machine, arguments: &[&str]) -> String {
    let ran = machine.run("status", arguments);
    assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0));
    machine.plain(&ran.stdout)
}

fn rows(machine: &Machine, arguments: &[&str]) -> Vec<Value> {
    let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let report: Value = serde_json::from_str(&status(machine, &all)).unwrap();
    assert_eq!(report["version"], 1);
    report["hosts"].as_array().unwrap().clone()
}

/// Leaves a sign of an event, `ago` seconds ago.
fn sign(machine: &Machine, name: &str, wired_as: &str, ago: u64) {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let at = (now.as_secs() - ago) * 1000;
    let line = format!("{at} - none {wired_as}\n");
    machine.write(&format!("home/.local/state/tenterhook/seen/{name}"), &line);
}

#[test]
fn the_grid_of_a_machine() {
    let machine = Machine::new();
    machine.wire("cursor", "user");
    machine.wire("claude", "user");
    machine.wire("codex", "project");
    machine.change(
        "home/.claude/settings.json",
        "{\"hooks\": {\n",
        "{\"disableAllHooks\": true, \"hooks\": {\n",
    );
    machine.change("home/.cursor/hooks.json", "\"sessionEnd\"", "\"afterAgentThought\"");
    sign(&machine, "cursor.preToolUse", "cursor", 200);
    sign(&machine, "cursor.stop", "claude", 4000);
    let wanted = include_str!("status/grid.txt");
    assert_eq!(status(&machine, &[]), wanted);
}

#[test]
fn hosts_that_are_not_here_take_a_line_each() {
    let machine = Machine::new();
    for name in ["claude", "codex", "cursor", "cursor-agent"] {
        std::fs::remove_file(machine.path(&format!("bin/{name}"))).unwrap();
    }
    machine.wire("claude", "project");
    let text = status(&machine, &["--hosts", "cursor,claude"]);
    assert!(text.contains("\nCursor: not on this machine\n"), "{text}");
    assert!(!text.contains("Claude Code: not on this machine"), "it is wired: {text}");
    assert!(!text.contains("Codex"), "{text}");
}

#[test]
fn programs_get_every_event_and_how_far_it_is_enforced() {
    let machine = Machine::new();
    machine.wire("codex", "user");
    sign(&machine, "codex.Stop", "codex", 60);
    let rows = rows(&machine, &["--hosts", "codex", "--scope", "user"]);
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!(row["host"], "codex");
    assert_eq!(row["scope"], "user");
    assert_eq!(row["wired"], "all");
    assert_eq!(row["events"].as_array().unwrap().len(), 9);
    assert_eq!(row["missing"], json!([]));
    assert_eq!(row["trusted"], "untrusted");
    assert_eq!(row["fired"][0]["event"], "Stop");
    assert_eq!(row["last_fired_ms"], row["fired"][0]["at_ms"]);
    assert_eq!(row["gates"][0], json!({ "event": "PreToolUse", "deny": "hard", "ask": "deny" }));
    assert_eq!(row["silenced_by"], Value::Null);
}

#[test]
fn a_sign_is_shown_where_it_may_have_come_from_and_no_more_is_claimed() {
    let machine = Machine::new();
    machine.wire("claude", "user");
    machine.wire("claude", "project");
    sign(&machine, "claude.PreToolUse", "claude", 200);
    sign(&machine, "claude.Stop", "claude", 300);
    let fired = |scope: &str, event: &str| {
        let rows = rows(&machine, &["--hosts", "claude", "--scope", scope]);
        let all = rows[0]["fired"].as_array().unwrap().clone();
        all.iter().find(|fired| fired["event"] == event).map(|fired| fired["scopes"].clone())
    };
    for scope in ["user", "project"] {
        assert_eq!(fired(scope, "PreToolUse"), Some(json!(["project", "user"])));
    }
    let told = "last fired through project or user, which calls do not say\n";
    let text = status(&machine, &["--hosts", "claude"]);
    assert!(
        text.contains(&format!("Claude Code, project: {told}Claude Code, user: {told}")),
        "{text}"
    );
    // An event of only one of them can only come from there.
    machine.change("home/shop/.claude/settings.json", "\"Stop\"", "\"Elsewhere\"");
    assert_eq!(fired("user", "Stop"), Some(json!(["user"])));
    assert_eq!(fired("project", "Stop"), None);
    machine.change("home/shop/.claude/settings.json", "\"PreToolUse\"", "\"Anything\"");
    assert_eq!(fired("user", "PreToolUse"), Some(json!(["user"])));
    let text = status(&machine, &["--hosts", "claude"]);
    assert!(!text.contains("last fired through"), "{text}");
}

#[test]
fn a_sign_of_a_project_may_be_that_of_another() {
    let machine = Machine::new();
    machine.wire("claude", "project");
    sign(&machine, "claude.PreToolUse", "claude", 200);
    let text = status(&machine, &["--hosts", "claude"]);
    let told = "Claude Code, project: last fired here or in another project, which is not kept\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn an_approval_of_codex_cannot_be_verified_without_it() {
    let machine = Machine::new();
    machine.wire("codex", "user");
    let file = machine.path("home/.codex/hooks.json").display().to_string();
    let events = [
        "pre_tool_use",
        "user_prompt_submit",
        "post_tool_use",
        "session_start",
        "session_end",
        "subagent_start",
        "subagent_stop",
        "pre_compact",
        "stop",
    ];
    let approve = |events: &[&str]| {
        let entry = |event: &&str| {
            format!("[hooks.state.\"{file}:{event}:0:0\"]\ntrusted_hash = \"sha256:0\"\n")
        };
        let text: String = events.iter().map(entry).collect();
        machine.write("home/.codex/config.toml", &text);
    };
    let trusted = || rows(&machine, &["--hosts", "codex", "--scope", "user"])[0]["trusted"].clone();
    approve(&events);
    assert_eq!(trusted(), "unknown");
    approve(&events[1..]);
    assert_eq!(trusted(), "1 of 9 untrusted");
}

#[test]
fn the_policy_says_how_much_there_is_to_enforce() {
    let machine = Machine::new();
    machine.wire("claude", "user");
    let enforcement = || {
        let rows = rows(&machine, &["--hosts", "claude", "--scope", "user"]);
        rows[0]["enforcement"].as_str().unwrap().to_owned()
    };
    assert_eq!(enforcement(), "hard, ask prompt");
    machine.write("home/.config/tenterhook/policy.toml", "version = 1\nextends = [\"ci\"]\n");
    assert_eq!(enforcement(), "hard, ask is a deny (nobody to ask)");
    assert!(status(&machine, &[]).contains("\npolicy: preset ci, user file TOP/home/.config/"));
}

#[test]
fn a_file_that_its_host_does_not_load_enforces_nothing() {
    for (host, from, to) in [
        ("claude", "{\"hooks\": {\n", "{ // mine\n\"hooks\": {\n"),
        ("claude", "{\"hooks\": {\n", "{\"permissions\": \"all\",\n\"hooks\": {\n"),
        ("cursor", "\"hooks\": {\n", "\"hooks\": {\n\"beforeTeaTime\": [],\n"),
    ] {
        let machine = Machine::new();
        machine.wire(host, "user");
        let file = if host == "claude" { "settings.json" } else { "hooks.json" };
        machine.change(&format!("home/.{host}/{file}"), from, to);
        let row = &rows(&machine, &["--hosts", host, "--scope", "user"])[0];
        assert_eq!(row["enforcement"], "none: not loaded", "{row:#}");
        let why = row["broken"][0].as_str().unwrap();
        assert!(why.contains(&format!("{file}, line ")), "{row:#}");
    }
}

#[test]
fn what_cannot_be_run_or_read_enforces_nothing() {
    let machine = Machine::new();
    machine.wire("claude", "user");
    machine.write("home/.cursor/hooks.json", "{\n  oops\n");
    std::fs::remove_file(machine.path("target/debug/tenter")).unwrap();
    let text = status(&machine, &[]);
    let gone = "\nClaude Code, user: TOP/target/debug/tenter is not there (tenter doctor --fix)\n";
    assert!(text.contains(gone), "{text}");
    let broken = "\nCursor, user: TOP/home/.cursor/hooks.json, line 2, column 3: ";
    assert!(text.contains(broken) && text.contains("; no hook in it runs\n"), "{text}");
    let rows = rows(&machine, &["--hosts", "claude", "--scope", "user"]);
    assert_eq!(rows[0]["enforcement"], "none: cannot be run");
    assert!(rows[0]["cannot_run"].as_str().unwrap().ends_with("tenter is not there"));
    assert_eq!((&rows[0]["broken"], &rows[0]["not_read"]), (&json!([]), &Value::Null));
}

/// `doctor` and `status` agree: a guard that does not work enforces nothing.
#[test]
fn a_guard_that_doctor_calls_dead_enforces_nothing() {
    let file = "home/.claude/settings.json";
    for (from, to, check) in [
        ("hook claude\"", "hook claude --fast\"", "entry-broken"),
        ("hook claude\"", "hook cursor\"", "wrong-host"),
        ("\"PreToolUse\": [{", "\"PreToolUse\": [{\"matcher\": \"Shell\", ", "entry-broken"),
        ("\"PreToolUse\"", "\"Notification\"", "gate-missing"),
        ("hook claude\"", "hook claude > /dev/null\"", "entry-altered"),
    ] {
        let machine = Machine::new();
        machine.wire("claude", "user");
        machine.change(file, from, to);
        let row = rows(&machine, &["--hosts", "claude", "--scope", "user"])[0].clone();
        assert_eq!(row["dead"], json!([check]), "{to}");
        assert_eq!(row["enforcement"], format!("none: {check}"), "{to}");
        let text = status(&machine, &["--hosts", "claude", "--scope", "user"]);
        assert!(text.contains(&format!("(tenter doctor: {check})\n")), "{text}");
        assert_eq!(machine.run("doctor", &["--hosts", "claude"]).exit, 1, "{to}");
    }
}

#[test]
fn what_was_wired_and_is_gone_is_not_forgotten() {
    let machine = Machine::new();
    assert_eq!(machine.run("install", &["--yes", "--hosts", "claude,cursor"]).exit, 0);
    for (text, wired, check) in [
        (Some("{\"hooks\": {}}\n"), "no longer", "entry-gone"),
        (Some("{"), "not readable", "file-broken"),
        (None, "no longer", "entry-gone"),
    ] {
        match text {
            Some(text) => drop(machine.write("home/.claude/settings.json", text)),
            None => std::fs::remove_file(machine.path("home/.claude/settings.json")).unwrap(),
        }
        let shown = status(&machine, &["--hosts", "claude", "--scope", "user"]);
        assert!(shown.contains(wired) && shown.contains(&format!("none: {check}")), "{shown}");
        let doctor = machine.run("doctor", &["--hosts", "claude"]);
        assert_eq!(doctor.exit, 1, "{doctor:?}");
        assert!(doctor.stdout.contains(&format!("error[{check}]")), "{doctor:?}");
    }
    // An intended removal is confirmed once, by uninstalling.
    assert_eq!(machine.run("uninstall", &["--yes", "--hosts", "claude"]).exit, 0);
    let doctor = machine.run("doctor", &["--hosts", "claude,cursor"]);
    assert!(!doctor.stdout.contains("entry-gone"), "{doctor:?}");
    assert!(status(&machine, &["--hosts", "claude"]).contains(": not wired\n"), "forgotten");
}
