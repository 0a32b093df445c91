//! `tenter demo`: the real hook in a scratch home, and nothing of the user's touched.
#![cfg(unix)]

use std::fs;
use std::path::Path;

use tenter_testkit::{Ran, Tenter};

use crate::common::Machine;

/// Plays with a folder for temporary files inside the machine.
fn play(machine: &Machine, line: &str, scratch: &Path) -> Ran {
    let mut command = machine.command(line);
    command.env("TMPDIR", scratch).env("COLUMNS", "80").env("TENTER_HOST", "emacs");
    Tenter::finish(command, "")
}

fn entries(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn every_agent_plays_the_whole_afternoon_and_leaves_nothing_behind() {
    let machine = Machine::new();
    let scratch = tempfile::tempdir().unwrap();
    machine.write("home/.claude/settings.json", "{}");
    for host in ["", " --host claude", " --host codex"] {
        let ran = play(&machine, &format!("demo{host}"), scratch.path());
        assert_eq!((ran.stderr.as_str(), ran.exit), ("", 0), "{host}");
        let page = |title: &str| {
            let (_, rest) =
                ran.stdout.split_once(title).unwrap_or_else(|| panic!("{title}: {}", ran.stdout));
            rest.split("──────\n").nth(1).unwrap().to_owned()
        };
        assert_eq!(page("Ordinary work passes").matches("    passes").count(), 3, "{}", ran.stdout);
        assert!(page("A deletion in disguise").contains("BLOCKED"), "{}", ran.stdout);
        assert!(
            page("A deletion in disguise").contains("deletes everything in ~\n"),
            "{}",
            ran.stdout
        );
        assert!(page("A key on its way out").contains("~/shop/.env"), "{}", ran.stdout);
        let asked = page("A question, as each agent can ask it");
        assert!(asked.contains("Claude Code   ASKS YOU"), "{asked}");
        assert!(asked.contains("Codex         BLOCKED"), "{asked}");
        assert!(page("Allowed once").contains("tenter allow once "), "{}", ran.stdout);
        let goal = page("Not done until the tests pass");
        assert!(goal.contains("sent back: 1 of 24 tests fails"), "{goal}");
        assert!(goal.contains("may stop"), "{goal}");
        assert!(page("Nothing was lost").contains("the record is intact: "), "{}", ran.stdout);
        assert_eq!(entries(scratch.path()), 0, "{host}");
    }
    assert_eq!(entries(&machine.path("home")), 1);
    assert_eq!(machine.read("home/.claude/settings.json"), "{}");
}

#[test]
fn pages_fit_a_small_terminal() {
    let machine = Machine::new();
    let scratch = tempfile::tempdir().unwrap();
    let ran = play(&machine, "demo --now", scratch.path());
    let wide: Vec<&str> = ran.stdout.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    let mut lines_of_page = 0;
    for line in ran.stdout.lines() {
        let is_title =
            line.ends_with("Cursor") && line.starts_with(|first: char| first.is_ascii_digit());
        lines_of_page = if is_title { 1 } else { lines_of_page + 1 };
        assert!(lines_of_page <= 24, "{line}");
    }
}

#[test]
fn a_temporary_folder_in_a_project_is_refused_before_anything_is_recorded() {
    let machine = Machine::new();
    let scratch = machine.path("repo/tmp");
    fs::create_dir_all(&scratch).unwrap();
    let before = machine.files();
    let ran = play(&machine, "demo", &scratch);
    assert_eq!(ran.exit, 1, "{}", ran.stdout);
    assert!(ran.stderr.contains("TMPDIR=/tmp tenter demo"), "{}", ran.stderr);
    assert_eq!(machine.files(), before);
}
