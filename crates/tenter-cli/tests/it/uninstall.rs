//! `uninstall` with the options of `install`: some of our entries, or all.
#![cfg(unix)]

use serde_json::Value;
use tenter_testkit::Ran;

use crate::common::Machine;

const CLAUDE: &str = r#"{
  "model": "opus", // keep
  "hooks": {
    "Stop": [{ "hooks": [{ "type": "command", "command": "notify" }] }]
  }
}
"#;
const CURSOR: &str = "{\"version\":1,\"hooks\":{\"stop\":[{\"command\":\"./mine.sh\"}]}}";
const CODEX: &str = "[[hooks.Stop]]\nhooks = [{ type = \"command\", command = \"notify\" }]\n";

fn ran(machine: &Machine, line: &str) -> Ran {
    let ran = machine.run(line);
    assert_eq!(ran.exit, 0, "{line}: {ran:?}");
    ran
}

/// Installs. Claude Code reads no hook of a file with comments, which is an error.
fn wired(machine: &Machine, options: &str) {
    let ran = machine.run(&format!("install --yes --binary /opt/tenter/bin/tenter {options}"));
    let is_dead = ran.stderr.contains("no hook in this file runs: a comment is not JSON");
    assert_eq!(ran.exit, i32::from(is_dead), "{options}: {ran:?}");
}

fn machine() -> Machine {
    let machine = Machine::new();
    machine.write("home/.claude/settings.json", CLAUDE);
    machine.write("home/.cursor/hooks.json", CURSOR);
    machine.write("home/.codex/config.toml", CODEX);
    machine
}

/// The events of Claude Code that run us.
fn events(machine: &Machine) -> Vec<String> {
    let text = std::fs::read_to_string(machine.path("home/.claude/settings.json")).unwrap();
    let hooks: Value = serde_json::from_str(&text.replace("// keep", "")).unwrap();
    let is_ours = |list: &Value| list.to_string().contains("tenter hook");
    let table = hooks["hooks"].as_object().cloned().unwrap_or_default();
    table.iter().filter(|(_, list)| is_ours(list)).map(|(event, _)| event.clone()).collect()
}

#[test]
fn the_words_of_an_install_take_it_back_to_the_byte() {
    for options in [
        "--hosts all --scope user",
        "--hosts all --events gates",
        "--hosts all --events usual",
        "--hosts all --events all",
        "--hosts claude --matcher Bash",
        "--hosts claude --events PreToolUse,Stop --matcher PreToolUse:Edit|Write",
        "--hosts codex --events PreToolUse,Stop",
        "--hosts cursor --events stop,preToolUse",
    ] {
        let machine = machine();
        let before = machine.files();
        wired(&machine, options);
        assert_ne!(machine.files(), before, "{options}");
        ran(&machine, &format!("uninstall --yes --purge {options}"));
        assert_eq!(machine.files(), before, "{options}");
    }
}

#[test]
fn some_entries_go_and_the_rest_goes_later_to_the_byte() {
    let machine = machine();
    let before = machine.files();
    wired(&machine, "--hosts all");
    let all = events(&machine);
    let shown = ran(&machine, "uninstall --dry-run --hosts claude --events Stop,PreCompact");
    let count = |sign: char| {
        let is_ours = |line: &&str| line.starts_with(sign) && line.contains("tenter hook");
        shown.stdout.lines().filter(is_ours).count()
    };
    // The last of the others loses its comma.
    assert_eq!((count('-'), count('+')), (3, 1), "{shown:?}");
    ran(&machine, "uninstall --yes --hosts claude --events Stop,PreCompact");
    let gone = |event: &&String| !["Stop", "PreCompact"].contains(&event.as_str());
    assert_eq!(events(&machine), all.iter().filter(gone).cloned().collect::<Vec<_>>());
    let text = std::fs::read_to_string(machine.path("home/.claude/settings.json")).unwrap();
    assert!(text.contains("\"command\": \"notify\"") && text.contains("// keep"), "{text}");
    // The state stays while an installed hook needs it.
    let kept = machine.run("uninstall --yes --purge --events gates --hosts claude");
    assert_eq!(kept.exit, 1, "{kept:?}");
    assert!(kept.stderr.contains("our state stays"), "{kept:?}");
    ran(&machine, "uninstall --yes --purge");
    assert_eq!(machine.files(), before);
}

#[test]
fn an_entry_with_another_matcher_stays() {
    let machine = machine();
    wired(&machine, "--hosts claude --events PreToolUse --matcher Bash");
    let before = machine.files();
    ran(&machine, "uninstall --yes --hosts claude --events PreToolUse --matcher Edit");
    assert_eq!(machine.files(), before);
    ran(&machine, "uninstall --yes --hosts claude --matcher PreToolUse:Bash");
    assert!(events(&machine).is_empty());
}

#[test]
fn a_project_that_was_moved_comes_back_to_the_byte() {
    let machine = Machine::new();
    machine.write("repo/.claude/settings.json", CLAUDE);
    let options = "--hosts claude,cursor --scope project";
    wired(&machine, options);
    std::fs::rename(machine.path("repo"), machine.path("moved")).unwrap();
    std::fs::create_dir(machine.path("repo")).unwrap();
    let place = format!("--cwd {}", machine.path("moved").display());
    ran(&machine, &format!("uninstall --yes --scope project {place}"));
    let text = std::fs::read_to_string(machine.path("moved/.claude/settings.json")).unwrap();
    assert_eq!(text, CLAUDE);
    assert!(!machine.path("moved/.cursor/hooks.json").exists(), "we made it");
}

#[test]
fn what_a_killed_uninstall_left_is_cleaned_up_by_the_next() {
    let machine = Machine::new();
    let untouched = machine.files();
    wired(&machine, "--hosts cursor");
    // Killed after the file was removed, before its temporary name was.
    let ledger = "home/.local/state/tenterhook/installed.json";
    let mut all: Value = serde_json::from_str(&machine.read(ledger)).unwrap();
    all["files"][0]["leaving"] = true.into();
    machine.write(ledger, &all.to_string());
    let file = machine.path("home/.cursor/hooks.json");
    // No process has this id: it is beyond the system's range.
    std::fs::rename(&file, file.with_file_name(".hooks.json.tenter-2147483000.tmp")).unwrap();
    ran(&machine, "uninstall --yes");
    assert_eq!(machine.files(), untouched, "neither the file nor the folder is left");
}
