//! Selection of sessions, and long ones.

use super::desk::{Desk, bash, denied, done, prompt, record};
use serde_json::{Value, json};
use tenter_audit::record::Record;

#[test]
fn a_session_is_named_by_the_beginning_of_its_id() {
    let desk = Desk::new();
    let empty = desk.run("show");
    assert_eq!((empty.exit, empty.stderr.as_str()), (0, ""));
    assert!(empty.stdout.starts_with("no records yet"), "{}", empty.stdout);
    for (second, id) in [(0, "ab12"), (1, "ab123"), (2, "cd")] {
        desk.write(second, &Record { session_id: Some(id.into()), ..prompt("Go") });
    }
    for (wanted, id) in
        [("ab12", "ab12"), ("ab123", "ab123"), ("c", "cd"), ("last", "cd"), ("", "cd")]
    {
        let shown = desk.show(wanted);
        assert!(shown.starts_with(&format!("Session {id}\n")), "{wanted}: {shown}");
    }
    let several = desk.run("show ab");
    let said = "tenter show: several sessions begin with `ab`: ab123, ab12\n";
    assert_eq!((several.exit, several.stderr.as_str()), (2, said));
    let none = desk.run("show zz");
    let said = "tenter show: no session begins with `zz`\nhint: tenter sessions\n";
    assert_eq!((none.exit, none.stderr.as_str(), none.stdout.as_str()), (1, said, ""));
}

/// A session of one turn with this many calls, every hundredth denied.
fn long(desk: &Desk, calls: u64) {
    desk.write(0, &prompt("Go"));
    for call in 0..calls {
        let before = Record { call_id: Some(format!("t{call}").into()), ..bash("", "make all") };
        if call % 100 == 99 {
            desk.write(call, &denied(before, "wait"));
        } else {
            desk.write(call, &before);
            desk.write(call + 1, &done(&before, 7));
        }
    }
    desk.write(calls + 1, &record("Stop"));
}

#[test]
fn of_a_long_session_both_ends_are_shown_unless_all_is_wanted() {
    let desk = Desk::new();
    long(&desk, 1000);
    let records = 2 + 2 * 1000 - 10;
    let shown = desk.show("last --no-transcript");
    let left_out =
        format!("{} records left out, 7 of them denied; --full shows all", grouped(records - 600));
    assert!(shown.contains(&format!("\n\u{2026} {left_out}\n")), "{shown}");
    assert!(shown.lines().count() < 400, "{}", shown.lines().count());
    assert!(shown.contains("1 prompt, 1,000 tool calls; 10 denied (1,992 records)"), "{shown}");
    let (head, tail) = shown.split_once('\u{2026}').unwrap();
    assert!(head.contains("Turn 1 ") && tail.contains("  stop\n"));
    assert!(!tail.contains("Turn"), "no turn begins there: {tail}");
    // The reaction to a denial before the gap is visible; to one inside it is not.
    assert_eq!(head.matches("then: tried another way").count(), 1, "{head}");

    let full = desk.show("last --full --no-transcript");
    assert_eq!(full.matches(" make all ").count(), 1000);
    assert!(full.contains("1 prompt, 1,000 tool calls; 10 denied (1,992 records)"), "{full}");
    assert!(!full.contains("left out"));

    let json = desk.json("last --no-transcript");
    let gaps: Vec<&Value> = json.iter().filter(|line| line["type"] == "left_out").collect();
    assert_eq!(gaps, [&json!({"type": "left_out", "records": 1392, "denied": 7, "asked": 0})]);
    assert_eq!(json[1]["turn"], json!(1));
    assert_eq!(json.last().unwrap()["turn"], Value::Null, "nobody knows how many were left out");
}

#[test]
fn a_session_too_long_to_hold_is_told_as_it_is_read() {
    let desk = Desk::new();
    long(&desk, 2300);
    let lines = desk.json("last --full --no-transcript");
    let steps: Vec<&Value> = lines.iter().filter(|line| line["type"] == "step").collect();
    assert_eq!(steps.len(), 2 + 2300);
    let records: u64 =
        steps.iter().map(|step| step["records"].as_array().unwrap().len() as u64).sum();
    assert_eq!(json!(records), lines[0]["records"]);
    let ran = steps.iter().filter(|step| step["outcome"] == "ran").count();
    assert_eq!(ran, 2300 - 23, "before and after are joined all the way");
    let then = steps.iter().filter(|step| step["then"]["what"] == "another_way").count();
    assert_eq!(then, 22, "after the last one there is nothing but the stop");
}

fn grouped(number: u64) -> String {
    format!("{},{:03}", number / 1000, number % 1000)
}
