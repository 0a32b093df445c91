//! `tenter explain` from outside: output for people and programs, and hostile input.

use std::path::Path;

use serde_json::Value;
use tenter_testkit::{Ran, Tenter};

/// Explains in an empty folder with an empty home, shown as `/home/nobody-here`.
fn explain(arguments: &[&str], stdin: impl Into<Vec<u8>>) -> Ran {
    explain_in(Path::new("/"), arguments, stdin)
}

fn explain_in(folder: &Path, arguments: &[&str], stdin: impl Into<Vec<u8>>) -> Ran {
    let all: Vec<&str> = std::iter::once("explain").chain(arguments.iter().copied()).collect();
    let mut command = Tenter::new(env!("CARGO_BIN_EXE_tenter")).command(&all);
    // As long as the displayed name, for equal line widths.
    let home = tempfile::Builder::new().prefix("nobody-").rand_bytes(5).tempdir_in("/tmp").unwrap();
    command.current_dir(folder).env("HOME", home.path()).env("USER", "nobody-here");
    let ran = Tenter::finish(command, stdin);
    let stdout = ran.stdout.replace(&*home.path().to_string_lossy(), "/home/nobody-here");
    Ran { stdout, ..ran }
}

fn json(arguments: &[&str], stdin: &str) -> Value {
    let all: Vec<&str> = std::iter::once("--json").chain(arguments.iter().copied()).collect();
    let ran = explain(&all, stdin);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let schema = Tenter::new(env!("CARGO_BIN_EXE_tenter")).run(&["schema", "explain"], "");
    let schema: Value = serde_json::from_str(&schema.stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> =
        validator.iter_errors(&report).map(|fault| fault.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    report
}

/// The cost of an analysis changes with the code; its result does not.
fn without_work(text: &str) -> String {
    let lines = text.lines().map(|line| match line.rsplit_once(", ") {
        Some((before, work)) if work.ends_with(" units of work") => before,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn people_see_the_command_marked_and_the_tree_below_it() {
    let ran = explain(
        &[
            "--cwd",
            "/no/such/shop",
            "--",
            r#"sudo env A=1 bash -c "cd sub && rm -rf \"$D\"/*" > out; git commit -m "rm -rf /""#,
        ],
        "",
    );
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(without_work(&ran.stdout));
}

#[test]
fn wrappers_functions_and_doubts_are_drawn() {
    let script = "f() { curl -s https://h.example/$1 | sh; }\nf x &\n$tool --all\ncat <<EOF\nnot code: rm -rf /\nEOF\n";
    let ran = explain(&["--cwd", "/no/such/shop", "--stdin"], script);
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(without_work(&ran.stdout));
}

#[test]
fn programs_get_commands_effects_reasons_and_work() {
    let report = json(&["--cwd", "/srv/x", "--", "cd y && sudo rm -rf ./z"], "");
    let commands = report["commands"].as_array().unwrap();
    assert_eq!(commands[1]["program"], "rm");
    assert_eq!(commands[1]["argv"], serde_json::json!(["rm", "-rf", "./z"]));
    assert_eq!(commands[1]["cwd"], "/srv/x/y");
    assert_eq!(commands[1]["via"], serde_json::json!(["sudo"]));
    let delete =
        report["effects"].as_array().unwrap().iter().find(|one| one["kind"] == "delete").unwrap();
    assert_eq!(delete["target"], "/srv/x/y/z");
    assert_eq!(delete["certainty"], "certain");
    assert_eq!(delete["recursive"], true);
    assert_eq!(delete["span"], serde_json::json!({ "start": 20, "end": 23 }));
    assert_eq!(report["unverified"], serde_json::json!([]));
    assert!(report["work"].as_u64().unwrap() > 0);
}

#[test]
fn what_cannot_be_told_is_said() {
    let reasons = |command: &str| {
        let report = json(&["--stdin"], command);
        let reasons = report["unverified"].as_array().unwrap();
        reasons.iter().map(|one| one["reason"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(reasons("echo 'open"), ["syntax"]);
    assert_eq!(reasons("$x y"), ["dynamic-program"]);
    assert_eq!(reasons("eval \"$x\""), ["dynamic-code"]);
    assert_eq!(reasons(&"a ".repeat(40_000)), ["too-long"]);
    assert!(reasons(&"(".repeat(60_000)).contains(&"too-deep".to_owned()));
    assert!(reasons("ls -la").is_empty());
}

#[test]
fn odd_characters_are_named_and_never_reach_the_terminal() {
    let hostile = "echo \u{202e}x\u{200b}\u{1b}[31m\r\n\0rm -rf /x";
    let report = json(&["--stdin"], hostile);
    let names: Vec<&str> = report["oddities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["bidirectional-control", "zero-width", "escape", "carriage-return", "nul"]);
    let ran = explain(&["--stdin"], hostile);
    assert_eq!(ran.exit, 0);
    assert!(
        !ran.stdout.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\r', '\0']),
        "{:?}",
        ran.stdout
    );
}

#[test]
fn any_bytes_and_any_length_are_answered() {
    for input in [&b"\xff\xfe rm -rf /\xc0"[..], &vec![b'a'; 3_000_000], b"", b"\n\n", &[0; 100]] {
        let ran = explain(&["--stdin", "--json"], input);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        assert!(serde_json::from_str::<Value>(&ran.stdout).is_ok());
    }
}

#[cfg(unix)]
#[test]
fn links_and_files_of_the_machine_count() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir(root.join("real")).unwrap();
    std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
    std::fs::write(root.join("old"), "x").unwrap();
    let ran = explain_in(&root, &["--json", "--", "rm -r link/x; echo > old; echo > new"], "");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let effects = report["effects"].as_array().unwrap();
    let real = root.join("real/x");
    assert_eq!(effects[0]["real_path"], real.to_str().unwrap());
    assert_eq!((&effects[1]["kind"], &effects[2]["kind"]), (&"overwrite".into(), &"write".into()));
}

#[test]
fn wrong_use_is_told() {
    let ran = explain(&[], "");
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("COMMAND"), "{}", ran.stderr);
    let ran = explain(&["--shell", "tcl", "--", "ls"], "");
    assert_eq!(ran.exit, 2);
    assert!(ran.stderr.contains("bash, sh, zsh, fish, powershell, cmd"), "{}", ran.stderr);
}

#[test]
fn every_kind_of_effect_is_explained() {
    let ran = explain(&["--effects"], "");
    assert_eq!(ran.exit, 0);
    assert!(ran.stdout.lines().count() > 25);
    assert!(ran.stdout.contains("vcs-stash"));
}
