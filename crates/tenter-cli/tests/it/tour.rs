//! Types the README's tour of the guard line by line, in a home of its own.
#![cfg(unix)]

use std::path::Path;

use tenter_testkit::Tenter;

use crate::common::Machine;

/// The lines of the shell blocks between two headings.
fn lines(from: &str, to: &str) -> Vec<String> {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    let start = readme.find(from).unwrap();
    let part = readme.get(start..).unwrap();
    let part = part.get(..part.find(to).unwrap()).unwrap();
    let blocks = part.split("```sh\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

#[test]
fn the_tour_of_the_guard_does_what_it_says() {
    // Hosts without approval: Codex needs a human.
    let machine = Machine::with(&[
        ("claude", "2.1.325 (Claude Code)"),
        ("cursor-agent", "2026.09.23-86fc751"),
    ]);
    let untouched = machine.files();
    let lines = lines("## The guard", "## The record");
    let tour: Vec<&String> =
        lines.iter().filter(|line| line.starts_with("target/release/tenter ")).collect();
    assert!(tour.len() >= 10, "{tour:?}");
    let mut after_uninstall = None;
    for line in tour {
        let (typed, remark) = line.split_once("  #").unwrap_or((line.as_str(), ""));
        let typed = typed.trim().replace("target/release/tenter", env!("CARGO_BIN_EXE_tenter"));
        // There is no terminal to answer.
        let asks = [" init", " uninstall"].iter().any(|verb| typed.ends_with(verb));
        let typed = if asks { format!("{typed} --yes") } else { typed };
        let mut shell = std::process::Command::new("sh");
        let template = machine.command("");
        shell.arg("-c").arg(&typed).env_clear().current_dir(machine.path("repo"));
        shell.stdin(std::process::Stdio::piped());
        shell.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        for (name, value) in template.get_envs() {
            shell.env(name, value.unwrap_or_default());
        }
        let ran = Tenter::finish(shell, "");
        let promised = remark.split_once("exit ").map_or("", |(_, code)| code).trim();
        match promised.parse::<i32>() {
            Ok(code) => assert_eq!(ran.exit, code, "{line}\n{}{}", ran.stdout, ran.stderr),
            // Findings may be bad news; the command must not fail.
            Err(_) => assert!((0..=1).contains(&ran.exit), "{line}\n{}{}", ran.stdout, ran.stderr),
        }
        if typed.contains(" uninstall") {
            after_uninstall = Some(machine.files());
        }
    }
    let mut left = after_uninstall.unwrap();
    // The policy belongs to the user.
    left.retain(|(name, _)| !name.starts_with("home/.config"));
    assert_eq!(left, untouched, "the tour ends where it began");
}

#[test]
fn the_tour_of_the_record_does_what_it_says() {
    let machine = Machine::new();
    for (id, command) in [("1", "ls"), ("2", "git push --force origin main")] {
        let payload = format!(
            r#"{{"session_id":"s","cwd":"/srv","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"{command}"}},"tool_use_id":"{id}"}}"#
        );
        Tenter::finish(machine.command("hook claude"), payload);
    }
    machine.write("repo/new.toml", "version = 1\nextends = [\"strict\"]\n");
    let lines = lines("## The record", "## A minute's tour");
    assert!(lines.len() >= 8, "{lines:?}");
    for line in lines {
        let (typed, _) = line.split_once("  #").unwrap_or((line.as_str(), ""));
        let typed = typed.trim().strip_prefix("target/release/tenter ").unwrap();
        // Following does not end by itself.
        let ran = Tenter::finish(machine.command(typed.trim_end_matches(" -f")), "");
        assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""), "{line}");
        let said = !ran.stdout.is_empty() || machine.path("repo/trace.json").exists();
        assert!(said, "{line}");
    }
}
