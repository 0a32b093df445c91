//! Editing of JSON hook files: insertions, removals, and text that must not change.

use serde_json::{Value, json};
use tenter_hosts::install::Shape;
use tenter_setup::command;
use tenter_setup::edit::{Format, FoundHook, Hook, Style, read, unwire, unwire_to, wire};

const CURSOR: Style<'_> =
    Style { format: Format::Json, shape: Shape::Entries, required: &[("version", "1")] };
const CLAUDE: Style<'_> = Style { format: Format::Json, shape: Shape::Groups, required: &[] };

fn ours(found: &FoundHook) -> bool {
    command::ours(found).is_some()
}

fn hook(event: &str, matcher: Option<&str>, fields: Value) -> Hook {
    let Value::Object(fields) = fields else { panic!("not an object") };
    let fields = fields.into_iter().collect();
    Hook { event: event.to_owned(), matcher: matcher.map(str::to_owned), fields }
}

fn cursor(event: &str) -> Hook {
    hook(event, None, json!({ "command": "/t/tenter hook cursor", "timeout": 30 }))
}

fn claude(event: &str, matcher: Option<&str>) -> Hook {
    hook(event, matcher, json!({ "command": "/t/tenter hook claude", "type": "command" }))
}

/// Installs hooks, and checks that a second time changes nothing.
#[track_caller]
fn wired(text: &str, style: &Style<'_>, hooks: &[Hook]) -> String {
    let wired = wire(text, style, hooks, &ours).unwrap();
    assert_eq!(wire(&wired, style, hooks, &ours).unwrap(), wired, "a second time");
    wired
}

/// Installs hooks and removes them again.
#[track_caller]
fn restores(text: &str, style: &Style<'_>, hooks: &[Hook]) {
    let wired = wired(text, style, hooks);
    assert_ne!(wired, text);
    assert_eq!(unwire_to(text, &wired, style, &ours).unwrap().text, text, "from {wired}");
}

#[track_caller]
fn unwired(text: &str, style: &Style<'_>) -> String {
    unwire(text, style, &ours).unwrap().text
}

#[test]
fn an_empty_file_becomes_a_whole_one() {
    let expected = r#"{
  "version": 1,
  "hooks": {
    "stop": [
      {
        "command": "/t/tenter hook cursor",
        "timeout": 30
      }
    ]
  }
}
"#;
    for text in ["", " \n\n", "\t"] {
        assert_eq!(wired(text, &CURSOR, &[cursor("stop")]), expected);
    }
    let marked = wired("\u{feff}", &CURSOR, &[cursor("stop")]);
    assert_eq!(marked, format!("\u{feff}{expected}"));
    let noted = wired("// mine\r\n/* too */", &CURSOR, &[cursor("stop")]);
    let expected = expected.replace('\n', "\r\n");
    assert_eq!(noted, format!("// mine\r\n/* too */\r\n{expected}"));
}

#[test]
fn groups_have_the_matcher_and_entries_have_it_themselves() {
    let expected = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "command": "/t/tenter hook claude",
            "type": "command"
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(wired("", &CLAUDE, &[claude("PreToolUse", Some("Bash"))]), expected);
    let entry = hook("preToolUse", Some("Shell"), json!({ "command": "tenter hook cursor" }));
    let text = wired("{\"version\":1,\"hooks\":{}}", &CURSOR, &[entry]);
    let expected = r#"{"version":1,"hooks":{"preToolUse":[{"command":"tenter hook cursor","matcher":"Shell"}]}}"#;
    assert_eq!(text, expected);
}

#[test]
fn new_keys_take_the_layout_of_their_neighbours() {
    let hooks = [claude("Stop", None)];
    assert_eq!(
        wired("{\r\n\t\"a\": 1\r\n}", &CLAUDE, &hooks),
        "{\r\n\t\"a\": 1,\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [\r\n\t\t\t{\r\n\t\t\t\t\"hooks\": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t\"command\": \"/t/tenter hook claude\",\r\n\t\t\t\t\t\t\"type\": \"command\"\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}"
    );
    assert_eq!(
        wired("{\"a\": 1}\n", &CLAUDE, &hooks),
        "{\"a\": 1, \"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"/t/tenter hook claude\", \"type\": \"command\"}]}]}}\n"
    );
    let four = "{\n    \"hooks\": {\n        \"stop\": [\n            { \"command\": \"a\" }, // why\n            { \"command\": \"b\" },\n        ],\n    },\n    \"version\": 1\n}\n";
    let expected = "{\n    \"hooks\": {\n        \"stop\": [\n            { \"command\": \"a\" }, // why\n            { \"command\": \"b\" },\n            { \"command\": \"/t/tenter hook cursor\", \"timeout\": 30 },\n        ],\n    },\n    \"version\": 1\n}\n";
    assert_eq!(wired(four, &CURSOR, &[cursor("stop")]), expected);
}

#[test]
fn a_demanded_key_goes_first() {
    assert_eq!(
        wired("{\n  \"hooks\": {}\n}", &CURSOR, &[cursor("stop")]),
        "{\n  \"version\": 1,\n  \"hooks\": {\n    \"stop\": [\n      {\n        \"command\": \"/t/tenter hook cursor\",\n        \"timeout\": 30\n      }\n    ]\n  }\n}"
    );
    let two = wired("{\"version\": 2}", &CURSOR, &[cursor("stop")]);
    assert!(two.starts_with("{\"version\": 2, \"hooks\""), "{two}");
}

#[test]
fn what_was_there_comes_back_to_the_byte() {
    let frames = [
        "{}",
        "{ }",
        "{\n}",
        "{\n\n}\n",
        "{\r\n}\r\n",
        "{}\n",
        "\u{feff}{}",
        "  {}",
        "{ // none\n}",
        "{ /* a */ }",
        "// a\n{\n  \"a\": 1\n}\n// b\n",
        "{\"a\":1}",
        "{\"a\":1,\"b\":{\"hooks\":[1]}}",
        "{ \"a\": 1 }",
        "{\"a\": 1,}",
        "{\n  \"a\": 1,\n}",
        "{\n\t\"a\": 1 // one\n\t// two\n}",
        "{\"a\": 1 // one\n}",
        "{\n  \"a\": [\n1],\"b\":2}",
        "{\"a\": 1 /* x */ , /* y */ }",
        "{\n\n  \"a\": 1\n\n}\n\n",
    ];
    let inside = [
        "",
        "\"hooks\": {}",
        "\"hooks\": { }",
        "\"hooks\": {\n  }",
        "\"hooks\": {\"Stop\": []}",
        "\"hooks\": {\"Stop\": [ ] }",
        "\"hooks\": {\n    \"Stop\": [\n    ]\n  }",
        "\"hooks\": {\"Stop\": [ // none\n ]}",
        "\"hooks\": { // none\n}",
        "\"hooks\": {\"PreToolUse\": [{\"command\": \"x\", \"hooks\": [{\"command\": \"y\"}]}]}",
        "\"hooks\": {\n    \"Stop\": [\n      {\n        \"matcher\": \"a\",\n        \"hooks\": [{ \"command\": \"y\" }]\n      } // c\n    ]\n  }",
        "\"hooks\": {\"Stop\": [{\"hooks\": []},],},",
        "\"hooks\": 0, \"hooks\": {\"Stop\": [7]}",
        "\"version\": 1",
        "\"version\": 2",
    ];
    let mut count = 0;
    for frame in frames {
        for inner in inside {
            let separators: &[&str] = if inner.is_empty() { &[""] } else { &["", "\n  "] };
            for separator in separators {
                let text = frame.replacen('{', &format!("{{{separator}{inner},"), 1);
                let text = if inner.is_empty() { frame.to_owned() } else { text };
                let text = text.replace(",,", ",");
                if text.contains("\"hooks\": 0") {
                    assert!(wire(&text, &CLAUDE, &[claude("Stop", None)], &ours).is_err());
                    continue;
                }
                for hooks in [&["PreToolUse", "Stop"][..], &["SessionStart", "Stop", "X"]] {
                    let all: Vec<Hook> = hooks.iter().map(|event| cursor(event)).collect();
                    restores(&text, &CURSOR, &all);
                    let all: Vec<Hook> = hooks.iter().map(|event| claude(event, None)).collect();
                    restores(&text, &CLAUDE, &all);
                    count += 2;
                }
            }
        }
    }
    assert!(count > 2000, "{count}");
}

#[test]
fn what_the_text_alone_can_tell_needs_no_memory() {
    for text in [
        "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n",
        "{\"version\":1,\"hooks\":{\"x\":[{\"command\":\"y\"}]}}",
        "{\"hooks\": { }, \"version\": 1}",
        "{ // why\n  \"hooks\": {\n  }, \"version\": 1 }",
    ] {
        assert_eq!(unwired(&wired(text, &CURSOR, &[cursor("stop")]), &CURSOR), text);
    }
    for text in [
        "{}",
        "{\n}",
        "{\n  \"model\": \"x\",\n  \"permissions\": {}\n}\n",
        "{\"hooks\": {\"A\": [{\"hooks\": [{\"command\": \"y\"}]}]}}",
        "{\"hooks\": { // mine\n}}",
        "{\"hooks\": {\n}}",
        "{\"hooks\": {\"Stop\": [\n]}}",
    ] {
        assert_eq!(unwired(&wired(text, &CLAUDE, &[claude("Stop", None)]), &CLAUDE), text);
    }
}

#[test]
fn what_ours_leave_empty_goes_unless_it_was_so_before() {
    let text = "{\"hooks\": {\"Stop\": []}}";
    let full = wired(text, &CLAUDE, &[claude("Stop", None)]);
    assert_eq!(unwired(&full, &CLAUDE), "{}");
    assert_eq!(unwire_to(text, &full, &CLAUDE, &ours).unwrap().text, text);
    let full = wired("{}", &CURSOR, &[cursor("stop")]);
    let bare = unwire(&full, &CURSOR, &ours).unwrap();
    assert_eq!(bare.text, "{\n  \"version\": 1,\n  \"hooks\": {}\n}");
    assert!(bare.empty);
    assert_eq!(unwire_to("{}", &full, &CURSOR, &ours).unwrap().text, "{}");
}

#[test]
fn a_file_is_empty_only_without_anything_of_others() {
    let empty = |text: &str, style| unwire(text, style, &ours).unwrap().empty;
    assert!(empty("", &CURSOR) && empty(" \n", &CLAUDE) && empty("{}", &CLAUDE));
    assert!(empty("{\"version\": 1}", &CURSOR) && empty("{\"hooks\": {}}", &CLAUDE));
    assert!(empty(&wired("", &CLAUDE, &[claude("Stop", None)]), &CLAUDE));
    for text in ["// x", "{} // x", "{\"a\": 1}", "{\"version\": 2}", "{\"hooks\": {\"a\": []}}"] {
        assert!(!empty(text, &CURSOR), "{text}");
    }
    assert!(!empty("{\"version\": 1}", &CLAUDE));
}

#[test]
fn a_demanded_key_stays_when_somebody_counts_on_it() {
    let before = "{\"hooks\": {}}";
    let full = wired(before, &CURSOR, &[cursor("stop")]);
    let joined = full.replace("\"hooks\": {", "\"hooks\": {\"x\": [{\"command\": \"y\"}], ");
    let left = unwire_to(before, &joined, &CURSOR, &ours).unwrap().text;
    assert_eq!(left, "{\"version\": 1, \"hooks\": {\"x\": [{\"command\": \"y\"}]}}");
}

#[test]
fn an_older_entry_is_changed_where_it_stands() {
    let old = r#"{
  "version": 1,
  "hooks": {
    "stop": [
      { "command": "/old/tenter hook cursor", "failClosed": true /* x */, "matcher": "m" }, // ours
      { "command": "other" }
    ],
    "gone": [ { "command": "tenter hook cursor" } ]
  }
}"#;
    let new = r#"{
  "version": 1,
  "hooks": {
    "stop": [
      { "command": "/t/tenter hook cursor", /* x */ "timeout": 30 }, // ours
      { "command": "other" }
    ]
  }
}"#;
    assert_eq!(wired(old, &CURSOR, &[cursor("stop")]), new);
}

#[test]
fn a_key_can_go_and_another_come_at_the_same_place() {
    let old = "{\"version\": 1, \"hooks\": {\"stop\": [{\n  \"command\": \"tenter hook cursor\", // c\n  \"x\": 1 \n}]}}";
    let new = "{\"version\": 1, \"hooks\": {\"stop\": [{\n  \"command\": \"/t/tenter hook cursor\", // c\n  \"timeout\": 30\n}]}}";
    assert_eq!(wired(old, &CURSOR, &[cursor("stop")]), new);
}

#[test]
fn the_matcher_of_a_group_of_ours_is_changed_in_place() {
    let group = |matcher: &str| {
        format!(
            "{{\"hooks\": {{\"A\": [{{{matcher}\"hooks\": [{{\"command\": \"/t/tenter hook claude\", \"type\": \"command\"}}]}}, {{\"hooks\": [{{\"command\": \"x\"}}]}}]}}}}"
        )
    };
    let old = group("\"matcher\": \"a\", ");
    assert_eq!(wired(&old, &CLAUDE, &[claude("A", Some("b"))]), group("\"matcher\": \"b\", "));
    assert_eq!(wired(&old, &CLAUDE, &[claude("A", None)]), group(""));
    let added = wired(&group(""), &CLAUDE, &[claude("A", Some("a"))]);
    let found = read(&added, &CLAUDE).unwrap();
    assert_eq!((found[0].matcher.as_deref(), found[1].matcher.as_deref()), (Some("a"), None));
}

#[test]
fn a_group_that_is_shared_keeps_its_matcher_and_ours_moves_to_the_end() {
    let shared = r#"{"hooks": {"A": [{"matcher": "a", "hooks": [{"command": "tenter hook claude"}, {"command": "x"}]}, {"hooks": []}]}}"#;
    let moved = wired(shared, &CLAUDE, &[claude("A", None)]);
    let found = read(&moved, &CLAUDE).unwrap();
    let told: Vec<_> = found.iter().map(|one| (one.group, one.handler, ours(one))).collect();
    assert_eq!(told, [(0, 0, false), (2, 0, true)]);
    assert_eq!(found[0].matcher.as_deref(), Some("a"));
    let same = wired(shared, &CLAUDE, &[claude("A", Some("a"))]);
    let found = read(&same, &CLAUDE).unwrap();
    let told: Vec<_> = found.iter().map(|one| (one.group, one.handler, ours(one))).collect();
    assert_eq!(told, [(0, 0, true), (0, 1, false)]);
    assert_eq!(
        unwired(shared, &CLAUDE),
        r#"{"hooks": {"A": [{"matcher": "a", "hooks": [{"command": "x"}]}, {"hooks": []}]}}"#
    );
}

#[test]
fn two_of_ours_become_one() {
    let twice = r#"{"hooks": {"A": [{"hooks": [{"command": "tenter hook claude"}]}, {"hooks": [{"command": "x"}]}, {"hooks": [{"type": "command", "command": "/t/tenter hook claude"}]}]}}"#;
    let once = r#"{"hooks": {"A": [{"hooks": [{"command": "x"}]}, {"hooks": [{"type": "command", "command": "/t/tenter hook claude"}]}]}}"#;
    assert_eq!(wired(twice, &CLAUDE, &[claude("A", None)]), once);
    let both = [claude("A", None), claude("A", Some("m"))];
    assert_eq!(read(&wired(twice, &CLAUDE, &both), &CLAUDE).unwrap().len(), 3);
}

#[test]
fn comments_next_to_ours_and_inside_of_them_stay() {
    let text = r#"{
  "version": 1,
  "hooks": {
    // first
    "stop": [
      // above
      { "command": "tenter hook cursor" }, // behind
      // below
    ], // after
    "b": [{
      // inside
      "command": "tenter hook cursor" /* more */
    }],
    "c": [{ "command": "x" }, /* 1 */ { "command": "tenter hook cursor" } /* 2 */]
  }
}"#;
    let left = r#"{
  "version": 1,
  "hooks": {
    // first
    "stop": [
      // above
      // behind
      // below
    ], // after
    "b": [// inside
      /* more */],
    "c": [{ "command": "x" } /* 1 */ /* 2 */]
  }
}"#;
    let done = unwired(text, &CURSOR);
    assert_eq!(done, left);
    assert!(read(&done, &CURSOR).unwrap().iter().all(|found| !ours(found)));
}

#[test]
fn ours_go_from_the_middle_without_a_trace() {
    for (text, left) in [
        ("[OURS, B]", "[B]"),
        ("[A, OURS]", "[A]"),
        ("[A, OURS, B]", "[A, B]"),
        ("[A, OURS,]", "[A,]"),
        ("[OURS, OURS, B]", "[B]"),
        ("[A, OURS, OURS]", "[A]"),
        ("[\n  A,\n  OURS,\n  B\n]", "[\n  A,\n  B\n]"),
        ("[\n  OURS,\n  B\n]", "[\n  B\n]"),
        ("[\n  A,\n  OURS,\n  OURS\n]", "[\n  A\n]"),
        ("[\n  A, // a\n  OURS // o\n]", "[\n  A // a\n  // o\n]"),
        ("[\n  A, // a\n  OURS]", "[\n  A // a\n  ]"),
        ("[\n  // a\n  OURS, B]", "[\n  // a\n  B]"),
        ("[ // a\n  OURS,\n  OURS \n]", "[ // a\n]"),
        ("[\n  A, // a\n  OURS, \n  OURS, \n  B]", "[\n  A, // a\n  B]"),
        ("[A /* x */, OURS /* y */, B]", "[A /* x */, /* y */ B]"),
    ] {
        let full = |list: &str| {
            let list = list.replace("OURS", "{\"command\": \"tenter hook cursor\"}");
            let list = list.replace('A', "{\"command\": \"a\"}").replace('B', "7");
            format!("{{\"version\": 1, \"hooks\": {{\"stop\": {list}}}}}")
        };
        assert_eq!(unwired(&full(text), &CURSOR), full(left), "{text}");
    }
}

#[test]
fn of_two_equal_keys_the_last_one_counts_and_none_is_lost() {
    let text = r#"{"hooks": {"A": [{"hooks": [{"command": "dead"}, {"command": "tenter hook claude"}]}]}, "x": 1, "x": 2, "hooks": {"A": [1], "A": [{"hooks": [{"command": "live"}]}]}}"#;
    assert_eq!(read(text, &CLAUDE).unwrap().len(), 1);
    let full = wired(text, &CLAUDE, &[claude("A", None)]);
    let value: Value = serde_json::from_str(&full).unwrap();
    assert_eq!(value["hooks"]["A"][1]["hooks"][0]["command"], "/t/tenter hook claude");
    let clean = text.replace(", {\"command\": \"tenter hook claude\"}", "");
    assert_eq!(unwired(&full, &CLAUDE), clean);
}

#[test]
fn what_cannot_be_understood_is_refused_with_its_place() {
    for (text, message) in [
        ("{\n  \"a\": tru\n}", "line 2, column 8: unexpected word"),
        ("{\"a\": 1", "line 1, column 1: unterminated object"),
        ("[]", "line 1, column 1: the top level is not an object"),
        ("\n 7", "line 2, column 2: the top level is not an object"),
        ("{\"hooks\": []}", "line 1, column 11: `hooks` is not an object"),
        ("{\"hooks\": {\n\"stop\": {}}}", "line 2, column 1: `stop` is not a list of hooks"),
        ("/* x", "line 1, column 1: unterminated comment block"),
    ] {
        let fault = wire(text, &CURSOR, &[cursor("stop")], &ours).unwrap_err();
        assert_eq!(fault.to_string(), message);
        assert_eq!(read(text, &CURSOR).unwrap_err(), fault);
    }
    let deep = format!("{{\"a\": {}", "[".repeat(100_000));
    assert!(wire(&deep, &CURSOR, &[cursor("stop")], &ours).is_err());
}

#[test]
fn ours_can_go_from_a_file_where_another_event_is_broken() {
    let text = r#"{"hooks": {"note": "x", "A": [{"hooks": [{"command": "tenter hook claude"}]}]}}"#;
    assert_eq!(unwired(text, &CLAUDE), r#"{"hooks": {"note": "x"}}"#);
}

#[test]
fn hooks_are_read_with_their_places() {
    let text = "{\"hooks\": {\n\"A\": [{\"matcher\": \"m\", \"hooks\": [\n{\"command\": \"a\"}, 3,\n{\"args\": [\"b\"], \"command\": \"c\"}]}, \"x\", {\"matcher\": 1}]}}";
    let found = read(text, &CLAUDE).unwrap();
    let told: Vec<_> = found.iter().map(|one| (one.group, one.handler, one.line)).collect();
    assert_eq!(told, [(0, 0, 3), (0, 2, 4)]);
    assert_eq!(found[1].matcher.as_deref(), Some("m"));
    assert_eq!(found[1].fields, json!({ "command": "c", "args": ["b"] }));
    assert_eq!(found[1].arguments().unwrap(), ["b"]);
    let flat = read(r#"{"hooks": {"stop": [{"matcher": "m", "command": "a"}]}}"#, &CURSOR).unwrap();
    assert_eq!(flat[0].matcher.as_deref(), Some("m"));
    assert_eq!(flat[0].fields, json!({ "command": "a" }));
}

#[test]
fn what_goes_can_be_chosen_by_its_place() {
    let text = r#"{"hooks": {"A": [{"command": "x"}, {"command": "x"}]}, "version": 1}"#;
    let first = |found: &FoundHook| found.group == 0 && found.command() == Some("x");
    let left = unwire(text, &CURSOR, &first).unwrap().text;
    assert_eq!(left, r#"{"hooks": {"A": [{"command": "x"}]}, "version": 1}"#);
}

#[test]
fn deep_values_of_others_are_no_danger() {
    let deep = format!("{}{}", "[".repeat(450), "]".repeat(450));
    let text =
        format!("{{\"a\": {deep}, \"hooks\": {{\"A\": [{{\"hooks\": [{{\"x\": {deep}}}]}}]}}}}");
    restores(&text, &CLAUDE, &[claude("A", None)]);
}

#[test]
fn a_change_that_does_not_add_up_is_refused() {
    let text = r#"{"version": 1, "hooks": {"stop": [{"command": "x"}]}}"#;
    let asked = std::cell::Cell::new(false);
    let fickle = |_: &FoundHook| !asked.replace(true);
    let fault = wire(text, &CURSOR, &[cursor("stop")], &fickle).unwrap_err();
    assert!(fault.message.contains("not ours"), "{fault}");
}
