//! `tenter bench`: the hook next to other programs, in a scratch home.
#![cfg(unix)]

use serde_json::Value;
use tenter_testkit::Tenter;

use crate::common::Machine;

fn bench(line: &str) -> (tenter_testkit::Ran, usize) {
    let machine = Machine::new();
    let scratch = tempfile::tempdir().unwrap();
    let mut command = machine.command(line);
    command.env("TMPDIR", scratch.path()).env("COLUMNS", "100");
    let ran = Tenter::finish(command, "");
    let left = std::fs::read_dir(scratch.path()).unwrap().count();
    (ran, left)
}

#[test]
fn ratios_of_one_run_are_printed_and_nothing_is_left_behind() {
    let (ran, left) = bench("bench --runs 10 --json");
    assert_eq!((ran.stderr.as_str(), ran.exit, left), ("", 0, 0), "{ran:?}");
    let schema = Tenter::new(env!("CARGO_BIN_EXE_tenter")).run(&["schema", "bench"], "").stdout;
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
    jsonschema::validator_for(&schema).unwrap().validate(&printed).unwrap();
    let programs = printed["programs"].as_array().unwrap();
    let row = |key: &str| programs.iter().find(|row| row["program"] == key);
    let hook = row("hook").unwrap();
    assert_eq!(hook["runs"], 10);
    assert_eq!(row("hook-deny").unwrap()["runs"], 10);
    if let Some(empty) = row("empty") {
        assert_eq!(empty["times_empty"], 1.0);
        assert!(hook["times_empty"].as_f64().unwrap() > 1.0, "{ran:?}");
        assert!(hook["page_faults"].as_u64().unwrap() > empty["page_faults"].as_u64().unwrap());
    }
    if let Some(slow) = row("python3") {
        assert_eq!(slow["runs"], 1);
    }
}

#[test]
fn another_program_gets_a_payload_and_a_missing_one_is_named() {
    let (ran, left) = bench("bench --runs 10 --also cat");
    assert_eq!((ran.stderr.as_str(), ran.exit, left), ("", 0, 0), "{ran:?}");
    let row = ran.stdout.lines().find(|line| line.trim_start().starts_with("cat ")).unwrap();
    assert!(row.contains(" ms "), "{row}");
    let (ran, _) = bench("bench --runs 10 --also no-such-guard");
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("no program `no-such-guard` on PATH"), "{ran:?}");
}
