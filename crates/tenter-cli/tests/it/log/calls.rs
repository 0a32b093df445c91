//! Details of a call: files, related records, agents.

use serde_json::json;

use super::{CODEX, NOON, append, denied, numbers, record, refused, run, shell};
use crate::common::Machine;

#[test]
fn a_file_is_found_by_its_place_whatever_the_host_calls_it() {
    let machine = Machine::with(&[]);
    for (folder, path) in [
        ("/srv/shop", "/srv/shop/src/pay.ts"),
        ("/srv/shop", "src/pay.ts"),
        ("/srv/shop/src", "./pay.ts"),
        ("/srv/shop/src/deep", "../pay.ts"),
        ("/srv/other", "src/pay.ts"),
        ("", "src/pay.ts"),
    ] {
        let actions = json!([{ "do": "edit", "path": path, "edits": [] }]);
        append(&machine, &record(NOON, &json!({ "cwd": folder, "actions": actions })));
    }
    assert_eq!(numbers(&machine, &["--path", "/srv/shop/src/pay.ts"]), [1, 2, 3, 4]);
    assert_eq!(numbers(&machine, &["--path", "/srv/**"]), [1, 2, 3, 4, 5]);
    assert_eq!(numbers(&machine, &["--path", "src/pay.ts"]), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn an_edit_in_full_shows_what_changes_and_one_line_around_it() {
    let machine = Machine::with(&[]);
    let edit = json!({ "old": "one\ntwo\nthree\nfour", "new": "one\ntwo\n3\nfour" });
    let cut = json!({ "old": { "text": "begin", "bytes": 9000 }, "new": "end" });
    let actions = json!([{ "do": "edit", "path": "/w/a", "edits": [edit, cut] }]);
    append(&machine, &record(NOON, &json!({ "tool": "Edit", "actions": actions })));
    let text = run(&machine, &["1"]);
    let wanted = "
  edits       /w/a
                two
              - three
              + 3
                four
              - begin
              - (9000 bytes in all)
              + end
";
    assert!(text.contains(wanted), "{text}");
}

#[test]
fn what_a_human_allowed_is_beside_what_was_stopped_and_no_longer_waits() {
    let machine = Machine::with(&[]);
    append(&machine, &denied(NOON, "git reset --hard", (0, 16)));
    let mut allowed = denied(NOON + 9000, "git reset --hard", (0, 16));
    allowed["call_id"] = json!("another");
    allowed["allowed_once"] = json!(true);
    allowed.as_object_mut().unwrap().remove("decision");
    append(&machine, &allowed);
    let [first, second] = ["1", "2"].map(|id| run(&machine, &[id]));
    assert!(first.contains("\nstopped\n") && !second.contains("\nstopped\n"), "{second}");
    assert!(
        first.contains("same call\n  after       2  pre Bash  none (deny)  [allowed once]\n"),
        "{first}"
    );
    assert!(second.contains("same call\n  before      1  pre Bash  deny\n"), "{second}");
}

#[test]
fn a_line_says_which_agent_begins_and_ends() {
    let machine = Machine::with(&[]);
    let agent = |event: &str, more: serde_json::Value| {
        let mut with = json!({
            "event": event, "native_event": event, "agent": { "id": "a", "type": "Explore" },
        });
        with.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        append(&machine, &record(NOON, &with));
    };
    agent("SubagentStart", json!({}));
    agent("SubagentStop", json!({ "text": "Map the auth flow" }));
    let text = run(&machine, &[]);
    let ends: Vec<&str> =
        text.lines().skip(1).filter_map(|line| line.split("none   ").nth(1)).collect();
    assert_eq!(ends, ["Explore", "Explore: Map the auth flow"], "{text}");
}

#[test]
fn who_asks_for_a_record_by_something_else_than_its_number_is_told_where_to_look() {
    let machine = Machine::with(&[]);
    append(&machine, &shell(NOON, "ls", &json!({ "session_id": CODEX })));
    let said = refused(&machine, &["019a8f3e"]);
    assert!(
        said.contains("the number of a record") && said.contains("tenter show SESSION"),
        "{said}"
    );
}

#[test]
fn whoever_reads_first_after_records_are_gone_is_told() {
    let machine = Machine::with(&[]);
    for number in 0..5 {
        append(&machine, &shell(NOON + number, "ls", &json!({})));
    }
    assert_eq!(numbers(&machine, &[]).len(), 5);
    let file = machine.path("home/.local/state/tenterhook/audit/current.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let left: String = text.lines().take(3).flat_map(|line| [line, "\n"]).collect();
    std::fs::write(&file, left).unwrap();
    let ran = tenter_testkit::Tenter::finish(machine.command("sessions --json"), "");
    let said = "tenter: records are gone, or not as they were when they were last read: see `tenter verify`\n";
    assert_eq!((ran.stderr.as_str(), ran.exit), (said, 0));
    assert_eq!(numbers(&machine, &[]), [1, 2, 3], "once is enough");
}
