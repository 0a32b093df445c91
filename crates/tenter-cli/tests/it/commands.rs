//! Commands for people.

use serde_json::Value;
use tenter_testkit::Tenter;

fn tenter() -> Tenter {
    Tenter::new(env!("CARGO_BIN_EXE_tenter"))
}

#[test]
fn matrix_fits_a_terminal() {
    let ran = tenter().run(&["matrix", "--host", "codex"], "");
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn matrix_prints_json_that_follows_its_schema() {
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_str(&tenter().run(arguments, "").stdout).unwrap()
    };
    let validator = jsonschema::validator_for(&json(&["schema", "matrix"])).unwrap();
    let matrix = json(&["matrix", "--json"]);
    assert!(validator.is_valid(&matrix));
    assert_eq!(matrix["hosts"].as_array().unwrap().len(), 5);
    assert_eq!(json(&["matrix", "--json", "--host", "codex"])["hosts"][0]["host"], "codex");
}

#[test]
fn mistakes_exit_with_2() {
    for arguments in
        [vec!["matrix", "--host", "emacs"], vec!["schema", "nothing"], vec!["frobnicate"]]
    {
        assert_eq!(tenter().run(&arguments, "").exit, 2, "{arguments:?}");
    }
}
