//! Editing of Codex's `config.toml`: insertions, removals, and text that must not change.

use serde_json::{Value, json};
use tenter_hosts::install::Shape;
use tenter_setup::command;
use tenter_setup::edit::{Format, FoundHook, Hook, Style, read, unwire, unwire_to, wire};

const CODEX: Style<'_> = Style { format: Format::Toml, shape: Shape::Groups, required: &[] };

fn ours(found: &FoundHook) -> bool {
    command::ours(found).is_some()
}

fn hook(event: &str, matcher: Option<&str>, timeout: u32) -> Hook {
    let fields = [
        ("type", Value::from("command")),
        ("command", Value::from("/t/tenter hook codex")),
        ("timeout", Value::from(timeout)),
    ];
    Hook {
        event: event.to_owned(),
        matcher: matcher.map(str::to_owned),
        fields: fields.map(|(name, value)| (name.to_owned(), value)).into(),
    }
}

#[track_caller]
fn wired(text: &str, hooks: &[Hook]) -> String {
    let wired = wire(text, &CODEX, hooks, &ours).unwrap();
    assert_eq!(wire(&wired, &CODEX, hooks, &ours).unwrap(), wired, "a second time");
    wired
}

#[track_caller]
fn unwired(text: &str) -> String {
    unwire(text, &CODEX, &ours).unwrap().text
}

const STOP: &str = "[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"/t/tenter hook codex\"\ntimeout = 30\n";

#[test]
fn an_empty_file_gets_blocks() {
    assert_eq!(wired("", &[hook("Stop", None, 30)]), STOP);
    let done = unwire(STOP, &CODEX, &ours).unwrap();
    assert_eq!((done.text.as_str(), done.empty), ("", true));
    let matched = STOP.replacen("]]\n", "]]\nmatcher = \"a\\\\b\"\n", 1);
    assert_eq!(wired("", &[hook("Stop", Some("a\\b"), 30)]), matched);
}

#[test]
fn blocks_go_to_the_end_behind_one_empty_line() {
    assert_eq!(wired("a = 1 # x\n", &[hook("Stop", None, 30)]), format!("a = 1 # x\n\n{STOP}"));
    let bare = STOP.trim_end();
    assert_eq!(wired("a = 1", &[hook("Stop", None, 30)]), format!("a = 1\n\n{bare}"));
    let crlf = wired("a = 1\r\n", &[hook("Stop", None, 30)]);
    assert_eq!(crlf, format!("a = 1\n\n{STOP}").replace('\n', "\r\n"));
}

const ORIGINALS: &[&str] = &[
    "",
    "\n",
    "\n\n\n",
    "  ",
    "# only a comment",
    "# only a comment\n",
    "\u{feff}",
    "\u{feff}a = 1\n",
    "a = 1",
    "a = 1\r\n\r\n[b]\r\nc = 'd' # e\r\n",
    "a = \"\"\"\n[[hooks.Stop]]\n# no comment\"\"\"\n",
    "b = '''\n'a'''\nc = \"\\\"#\" # c\n",
    "[hooks]\n",
    "[hooks]",
    "[hooks] # mine\nStop = []\nPreToolUse = [ ]\n[x]\n",
    "[hooks]\nStop = [\n  # none\n]\nPreToolUse = [\n]\n",
    "[hooks]\nStop = [{ hooks = [{ type = \"command\", command = \"a\" }] }]",
    "[hooks]\nStop = [\n    { matcher = 'x', hooks = [\n        { command = \"a\" }, # a\n    ] }, # b\n    # c\n]\n",
    "hooks.Stop = [{ hooks = [{ command = \"a\" }] },]\nb = 1\n[c]\n",
    "hooks.Stop = []\n",
    "hooks = {}\n",
    "hooks = { }",
    "hooks = { Stop = [{ hooks = [] }], Other = [] } # d\n",
    "hooks = { X = [1, \"#\"] }\nz = 1\n",
    "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"a\"\n\n\n[hooks.state.\"/a:stop:0:0\"]\ntrusted_hash = \"sha256:0\"\n",
    "[[hooks.Stop]]\nmatcher = \"x\"\nhooks = [{ command = \"tenter run -- tenter hook codex\" }]\n# end",
    "  [[hooks.PreToolUse]]\n    [[hooks.PreToolUse.hooks]]\n    command = \"a\" # b\n\t[ tail ]\n\tx = [\n\t 1 ] # y\n",
    "[hooks.state]\n[hooks.state.\"Stop\"]\nenabled = false\n",
    "[features]\nhooks = true\n[[mcp]]\n[[mcp]]\n[projects.\"/x\"]\ntrust_level = \"trusted\"\n",
];

#[test]
fn what_was_there_comes_back_to_the_byte() {
    for text in ORIGINALS {
        for events in [&["Stop"][..], &["PreToolUse", "Stop"], &["A b", "Stop", "SessionEnd"]] {
            for matcher in [None, Some("^Bash$")] {
                let hooks: Vec<Hook> =
                    events.iter().map(|event| hook(event, matcher, 30)).collect();
                let wired = wired(text, &hooks);
                let found = read(&wired, &CODEX).unwrap();
                assert_eq!(found.iter().filter(|found| ours(found)).count(), events.len());
                assert_eq!(unwired(&wired), *text, "from {wired}");
                assert_eq!(unwire_to(text, &wired, &CODEX, &ours).unwrap().text, *text);
            }
        }
    }
}

#[test]
fn only_an_empty_list_within_hooks_in_line_needs_to_be_remembered() {
    let text = "hooks = { Stop = [], X = [] }\n";
    let wired = wired(text, &[hook("Stop", None, 30)]);
    assert_eq!(unwired(&wired), "hooks = { X = [] }\n");
    assert_eq!(unwire_to(text, &wired, &CODEX, &ours).unwrap().text, text);
}

#[test]
fn hooks_in_line_are_written_in_line() {
    let handler = "{ type = \"command\", command = \"/t/tenter hook codex\", timeout = 30 }";
    assert_eq!(
        wired("hooks = {}\n", &[hook("Stop", Some("x"), 30), hook("A", None, 30)]),
        format!(
            "hooks = {{ Stop = [{{ matcher = \"x\", hooks = [{handler}] }}], A = [{{ hooks = [{handler}] }}] }}\n"
        )
    );
    assert_eq!(
        wired("[hooks]\nStop = [\n  {hooks=[{command='a'}]}, # a\n]\n", &[hook("Stop", None, 30)]),
        format!(
            "[hooks]\nStop = [\n  {{hooks=[{{command='a'}}]}}, # a\n  {{ hooks = [{handler}] }},\n]\n"
        )
    );
}

#[test]
fn an_older_entry_is_changed_where_it_stands() {
    let old = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\n# ours\ntimeout = 5 # short\ntype = \"command\"\nstatusMessage = \"x\"\ncommand = '/old/tenter hook codex'\n[hooks.Stop.hooks.env]\nA = 1\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"other\"\n";
    let new = "[[hooks.Stop]]\nmatcher = \"y\"\n[[hooks.Stop.hooks]]\n# ours\ntimeout = 30 # short\ntype = \"command\"\ncommand = \"/t/tenter hook codex\"\n\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = \"other\"\n";
    assert_eq!(wired(old, &[hook("Stop", Some("y"), 30)]), new);
    let old = "[hooks]\nStop = [{ hooks = [{ command = 'tenter hook codex', x = 1 }], matcher = 'z' }, { hooks = [{ command = 'b' }] }]\n";
    let new = "[hooks]\nStop = [{ hooks = [{ command = \"/t/tenter hook codex\", type = \"command\", timeout = 30 }] }, { hooks = [{ command = 'b' }] }]\n";
    assert_eq!(wired(old, &[hook("Stop", None, 30)]), new);
}

#[test]
fn a_group_that_is_shared_loses_only_ours() {
    let shared = "[[hooks.Stop]]\nmatcher = 'a'\n\n[[hooks.Stop.hooks]]\ncommand = 'tenter hook codex'\n\n[[hooks.Stop.hooks]]\ncommand = 'b'\n";
    let without = "[[hooks.Stop]]\nmatcher = 'a'\n\n[[hooks.Stop.hooks]]\ncommand = 'b'\n";
    assert_eq!(unwired(shared), without);
    assert_eq!(wired(shared, &[hook("Stop", None, 30)]), format!("{without}\n{STOP}"));
    let in_line =
        "[[hooks.Stop]]\nhooks = [{ command = 'tenter hook codex' }, { command = 'b' }]\n";
    assert_eq!(unwired(in_line), "[[hooks.Stop]]\nhooks = [{ command = 'b' }]\n");
}

#[test]
fn what_others_wrote_around_ours_stays() {
    let mixed = "# top\n[[hooks.Stop]] # group\n# above\n[[hooks.Stop.hooks]]\ntype = \"command\" # kind\ncommand = \"tenter hook codex\"\n# below\n\n[other]\na = 1\n";
    assert_eq!(unwired(mixed), "# top\n# group\n# above\n# kind\n# below\n\n[other]\na = 1\n");
    let noted =
        "hooks = { Stop = [{ hooks = [\n # mine\n { command = 'tenter hook codex' },\n] }] }\n";
    assert_eq!(unwired(noted), "hooks = { Stop = [# mine\n  ] }\n");
    let quoted = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'tenter hook codex # x' # c\nnote = \"#\\\"#\"\n";
    assert_eq!(unwired(quoted), "# c\n");
    let inner = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'tenter'\nargs = [ # a\n 'hook', 'codex' ] # b\n[x]\n";
    assert_eq!(unwired(inner), "# a\n# b\n[x]\n");
    let extended = format!("a = 1\n\n{STOP}\n[[hooks.Stop.hooks]]\ncommand = 'mine'\n");
    assert_eq!(
        unwired(&extended),
        "a = 1\n\n[[hooks.Stop]]\n\n[[hooks.Stop.hooks]]\ncommand = 'mine'\n"
    );
    let keyed = STOP.replacen("]]\n", "]]\nname = 'mine'\n", 1);
    assert_eq!(unwired(&keyed), "[[hooks.Stop]]\nname = 'mine'\n");
}

#[test]
fn the_trust_of_codex_is_no_event() {
    let state =
        "[hooks.state.\"k\"]\ntrusted_hash = \"x\"\nhooks = [{ command = 'tenter hook codex' }]\n";
    assert_eq!(read(state, &CODEX).unwrap(), []);
    assert_eq!(unwired(state), state);
    let listed = "[hooks]\nstate = [{ hooks = [{ command = 'tenter hook codex' }] }]\n";
    assert_eq!(unwired(listed), listed);
}

#[test]
fn hooks_are_read_in_every_form() {
    let text = "[[hooks.A]]\nmatcher = 'x'\n[[hooks.A.hooks]]\ncommand = 'a'\ntimeout = 5\n[[hooks.A]]\nhooks = [{ command = 'b', async = true }, { command = 'c', l = [1.5] }]\n";
    let found = read(text, &CODEX).unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|one| (one.group, one.handler, one.matcher.as_deref(), one.line))
        .collect();
    assert_eq!(told, [(0, 0, Some("x"), 3), (1, 0, None, 7), (1, 1, None, 7)]);
    assert_eq!(found[0].fields, json!({ "command": "a", "timeout": 5 }));
    assert_eq!(found[1].fields, json!({ "command": "b", "async": true }));
    assert_eq!(found[2].fields, json!({ "command": "c", "l": [1.5] }));
}

#[test]
fn what_cannot_be_understood_is_refused_with_its_place() {
    for (text, place) in [
        ("a = 1\nb = \n", "line 2, column 5: "),
        ("hooks = 1\n", "line 1, column 9: `hooks` is not a table"),
        ("[hooks]\nStop = 'x'\n", "line 2, column 8: `Stop` is not a list of hooks"),
        ("a = 1\na = 2\n", "line 2, column 1: "),
    ] {
        let fault = wire(text, &CODEX, &[hook("Stop", None, 30)], &ours).unwrap_err().to_string();
        assert!(fault.starts_with(place), "{fault}");
        assert_eq!(read(text, &CODEX).unwrap_err().to_string(), fault);
    }
    let deep = format!("a = {}", "[".repeat(100_000));
    assert!(wire(&deep, &CODEX, &[hook("Stop", None, 30)], &ours).is_err());
}

#[test]
fn what_goes_can_be_chosen_by_its_place() {
    let block = "[[hooks.A]]\n[[hooks.A.hooks]]\ncommand = 'x'\n";
    let first = |found: &FoundHook| found.group == 0;
    let left = unwire(&block.repeat(2), &CODEX, &first).unwrap().text;
    assert_eq!(left, block);
}

#[test]
fn a_change_that_does_not_add_up_is_refused() {
    let text = "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = 'x'\n";
    let asked = std::cell::Cell::new(false);
    let fickle = |_: &FoundHook| !asked.replace(true);
    let fault = wire(text, &CODEX, &[hook("Stop", None, 30)], &fickle).unwrap_err();
    assert!(fault.message.contains("not ours"), "{fault}");
}
