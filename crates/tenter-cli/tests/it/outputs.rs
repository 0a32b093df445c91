//! Output options: permitted and refused paths.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use crate::common::Machine;

/// Every option that writes a named file; `@` is that file.
const OPTIONS: &[&str] = &[
    "export --output @",
    "export --format csv --output @",
    "export --format otlp-json --output @",
    "scan --write-baseline @",
    "test --junit @",
    "verify --new-key @",
];

const HOOKS: &str = "{\"hooks\": {\"PreToolUse\": []}}\n";

fn machine() -> Machine {
    let machine = Machine::new();
    assert_eq!(machine.run("install --hosts all --yes").exit, 0);
    machine
}

/// Checks that every option refuses a file and leaves everything unchanged.
fn refused(machine: &Machine, target: &str) {
    let before = machine.files();
    for option in OPTIONS {
        let ran = machine.run(&option.replace('@', target));
        assert_ne!(ran.exit, 0, "{option} {target}: {ran:?}");
        assert!(ran.stderr.contains("cannot write to "), "{option} {target}: {ran:?}");
        assert_eq!(machine.files(), before, "{option} {target}");
    }
}

#[test]
fn hook_files_policy_and_whatever_runs_by_itself_are_refused() {
    let machine = machine();
    machine.write("repo/.cursor/hooks.json", HOOKS);
    fs::create_dir_all(machine.path("repo/.git/hooks")).unwrap();
    fs::create_dir_all(machine.path("home/.config/tenterhook")).unwrap();
    fs::create_dir_all(machine.path("home/.config/fish/conf.d")).unwrap();
    fs::create_dir_all(machine.path("home/.gemini")).unwrap();
    fs::create_dir_all(machine.path("home/.local/state/tenterhook/seen")).unwrap();
    fs::create_dir_all(machine.path("bare/hooks")).unwrap();
    fs::create_dir_all(machine.path("bare/objects")).unwrap();
    machine.write("bare/HEAD", "ref: refs/heads/main\n");
    for place in [
        "home/.claude/settings.json",
        "home/.claude/settings.local.json",
        "home/.CLAUDE/../.claude/Settings.JSON",
        "home/.cursor/hooks.json",
        "home/.codex/hooks.json",
        "home/.codex/config.toml",
        "home/.gemini/settings.json",
        "repo/.cursor/hooks.json",
        "repo/.cursor/../.cursor/./hooks.json",
        "repo/tenter.toml",
        "repo/.git/hooks/pre-commit",
        "repo/.git/config",
        "bare/hooks/post-receive",
        "home/.config/tenterhook/policy.toml",
        "home/.config/tenterhook/new.toml",
        "home/.local/state/tenterhook/installed.json",
        "home/.local/state/tenterhook/seen/claude.PreToolUse",
        "home/.bashrc",
        "home/.zshenv",
        "home/.config/fish/conf.d/x.fish",
    ] {
        if place.contains(".CLAUDE") {
            fs::create_dir_all(machine.path("home/.CLAUDE")).unwrap();
        }
        refused(&machine, machine.path(place).to_str().unwrap());
    }
    // From the project itself, and from below it.
    refused(&machine, ".cursor/hooks.json");
    refused(&machine, "../home/.claude/settings.json");
    refused(&machine, "/etc/tenterhook/policy.toml");
    refused(&machine, env!("CARGO_BIN_EXE_tenter"));
}

#[test]
fn no_link_and_no_other_name_leads_to_one() {
    let machine = machine();
    let settings = machine.path("home/.claude/settings.json");
    fs::create_dir(machine.path("links")).unwrap();
    symlink(&settings, machine.path("links/out.json")).unwrap();
    symlink(machine.path("home/.claude"), machine.path("links/folder")).unwrap();
    symlink(machine.path("home/.claude/settings.local.json"), machine.path("links/new.json"))
        .unwrap();
    symlink(machine.path("nowhere/at/all"), machine.path("links/dangling")).unwrap();
    fs::hard_link(&settings, machine.path("links/hard.json")).unwrap();
    for target in ["out.json", "folder/settings.json", "new.json", "dangling", "hard.json"] {
        refused(&machine, &format!("../links/{target}"));
    }
    // A path that is neither a file nor missing.
    fs::create_dir(machine.path("repo/dir")).unwrap();
    let pipe = machine.path("links/pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    refused(&machine, "dir");
    let ran = machine.run("test --junit ../links/pipe");
    assert!(ran.stderr.contains("it is a pipe or a device"), "{ran:?}");
    // A host whose folder was moved by its variable.
    let moved = machine.path("elsewhere");
    fs::create_dir(&moved).unwrap();
    let mut command = machine.command("scan --write-baseline ../elsewhere/settings.json");
    command.env("CLAUDE_CONFIG_DIR", &moved);
    let ran = tenter_testkit::Tenter::finish(command, "");
    assert!(ran.stderr.contains("it belongs to Claude Code"), "{ran:?}");
    assert!(!moved.join("settings.json").exists());
}

#[test]
fn an_ordinary_file_is_written_as_a_whole_and_for_its_owner() {
    let machine = machine();
    for option in OPTIONS.iter().filter(|option| !option.contains("--new-key")) {
        let ran = machine.run(&option.replace('@', "out.txt"));
        assert_eq!(ran.exit, 0, "{option}: {ran:?}");
        let about = fs::metadata(machine.path("repo/out.txt")).unwrap();
        assert_eq!(about.permissions().mode() & 0o777, 0o600, "{option}");
        // It is a new file each time: a reader of the old one keeps it.
        let left: Vec<_> = machine.files().into_iter().filter(|it| it.0.contains("part")).collect();
        assert!(left.is_empty(), "{left:?}");
    }
    let before = fs::metadata(machine.path("repo/out.txt")).unwrap().ino();
    assert_eq!(machine.run("scan --write-baseline out.txt").exit, 0);
    assert_ne!(fs::metadata(machine.path("repo/out.txt")).unwrap().ino(), before);
    // A key never replaces a file.
    let ran = machine.run("verify --new-key out.txt");
    assert!(ran.stderr.contains("File exists"), "{ran:?}");
    assert_eq!(machine.run("verify --new-key key").exit, 0);
    assert!(machine.path("repo/key.pub").exists());
    assert_eq!(machine.run("export --output -").exit, 0);
    assert!(!machine.path("repo/-").exists());
}
