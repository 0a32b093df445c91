//! Property tests for any hook file: our hooks are added and removed, everything else stays byte for byte.
//!
//! Files are generated from a byte string, each byte a choice: how many keys, whose hooks, which blanks,
//! comments and line ends. A shorter string makes a simpler file, so failures shrink well.
#![expect(clippy::format_push_string, reason = "it is plainer, and speed does not matter here")]

mod choices;
mod json_files;
mod toml_files;

use proptest::prelude::*;
use serde_json::Value;
use tenter_hosts::install::Shape;
use tenter_setup::command;
use tenter_setup::edit::{Format, FoundHook, Hook, Style, read, unwire, unwire_to, wire};

use choices::Choices;

const CURSOR: Style<'_> =
    Style { format: Format::Json, shape: Shape::Entries, required: &[("version", "1")] };
const CLAUDE: Style<'_> = Style { format: Format::Json, shape: Shape::Groups, required: &[] };
const CODEX: Style<'_> = Style { format: Format::Toml, shape: Shape::Groups, required: &[] };

/// Events used in generated files and installs.
const EVENTS: [&str; 5] = ["PreToolUse", "Stop", "SessionStart", "odd event \u{e4}\"", "Other"];

fn ours(found: &FoundHook) -> bool {
    command::ours(found).is_some()
}

/// Whether a hook belongs to another tool that edits the same files with the same functions.
fn theirs(found: &FoundHook) -> bool {
    found.command().is_some_and(|command| command.starts_with("other-guard"))
}

/// Hooks to install: one for some events, and for one event perhaps two.
fn wanted(choices: &mut Choices, program: &str) -> Vec<Hook> {
    let mut hooks = Vec::new();
    for event in EVENTS {
        for matcher in [None, Some("Bash"), Some("a|\"b\"\\c")] {
            if !choices.one_in(4) {
                continue;
            }
            let mut fields = vec![
                ("type".to_owned(), Value::from("command")),
                ("command".to_owned(), Value::from(program)),
            ];
            if choices.one_in(2) {
                fields.push(("timeout".to_owned(), Value::from(choices.below(3) * 15)));
            }
            let matcher = matcher.map(str::to_owned);
            hooks.push(Hook { event: event.to_owned(), matcher, fields });
        }
    }
    if hooks.is_empty() {
        let fields = vec![("command".to_owned(), Value::from(program))];
        hooks.push(Hook { event: "Stop".to_owned(), matcher: None, fields });
    }
    hooks
}

type Told = (String, Option<String>, Value);

fn told(found: &FoundHook) -> Told {
    (found.event.clone(), found.matcher.clone(), found.fields.clone())
}

/// Hooks by content, those that match the predicate or those that do not.
fn those(text: &str, style: &Style<'_>, whose: fn(&FoundHook) -> bool, are: bool) -> Vec<Told> {
    let found = read(text, style).unwrap();
    let mut told: Vec<Told> = found.iter().filter(|found| whose(found) == are).map(told).collect();
    // The order of events does not matter, the order inside an event does.
    told.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    told
}

fn sorted(mut hooks: Vec<Told>) -> Vec<String> {
    let mut texts: Vec<String> = hooks.drain(..).map(|hook| format!("{hook:?}")).collect();
    texts.sort();
    texts
}

/// Installs hooks; a generated file can always be edited.
#[track_caller]
fn wired(text: &str, style: &Style<'_>, hooks: &[Hook], ours: fn(&FoundHook) -> bool) -> String {
    match wire(text, style, hooks, &ours) {
        Ok(wired) => wired,
        Err(fault) => panic!("{fault}: {text:?}"),
    }
}

/// Removes hooks from a file with original `before`, if known.
#[track_caller]
fn unwired(
    text: &str,
    style: &Style<'_>,
    before: Option<&str>,
    ours: fn(&FoundHook) -> bool,
) -> String {
    let done = match before {
        Some(before) => unwire_to(before, text, style, &ours),
        None => unwire(text, style, &ours),
    };
    match done {
        Ok(done) => done.text,
        Err(fault) => panic!("{fault}: {text:?}"),
    }
}

/// A file, its format, and the hooks to install.
fn case(bytes: &[u8], with_ours: bool) -> (String, Style<'static>, Vec<Hook>, Choices) {
    let mut choices = Choices::new(bytes);
    let style = [CURSOR, CLAUDE, CODEX][choices.below(3)];
    let program = ["/t/tenter hook codex", "'/a b/tenter' hook claude"][choices.below(2)];
    let hooks = wanted(&mut choices, program);
    let text = match style.format {
        Format::Json => json_files::file(&mut choices, style.shape, with_ours),
        Format::Toml => toml_files::file(&mut choices, with_ours),
    };
    (text, style, hooks, choices)
}

fn comments(text: &str, style: &Style<'_>) -> Vec<String> {
    match style.format {
        Format::Json => json_files::comments(text),
        Format::Toml => toml_files::comments(text),
    }
}

/// Everything in a file but its hooks.
fn rest(text: &str, style: &Style<'_>) -> String {
    match style.format {
        Format::Json => json_files::rest(text, style.required),
        Format::Toml => toml_files::rest(text),
    }
}

fn config(count: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(count) }
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..400)
}

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn a_wired_file_holds_the_wanted_hooks_and_all_of_others(bytes in bytes()) {
        let (text, style, hooks, _) = case(&bytes, true);
        let full = wired(&text, &style, &hooks, ours);
        let expected = hooks.iter().map(|hook| {
            let fields = hook.fields.iter().cloned().collect();
            (hook.event.clone(), hook.matcher.clone(), Value::Object(fields))
        });
        prop_assert_eq!(sorted(those(&full, &style, ours, true)), sorted(expected.collect()));
        prop_assert_eq!(those(&full, &style, ours, false), those(&text, &style, ours, false));
        prop_assert_eq!(comments(&full, &style), comments(&text, &style));
        prop_assert_eq!(rest(&full, &style), rest(&text, &style));
        prop_assert_eq!(wired(&full, &style, &hooks, ours), full);
    }

    #[test]
    fn hooks_of_others_keep_their_places(bytes in bytes()) {
        let (text, style, hooks, _) = case(&bytes, false);
        let full = wired(&text, &style, &hooks, ours);
        let places = |text: &str| -> Vec<(String, usize, usize)> {
            let found = read(text, &style).unwrap();
            let others = found.into_iter().filter(|found| !ours(found));
            others.map(|found| (found.event, found.group, found.handler)).collect()
        };
        prop_assert_eq!(places(&full), places(&text));
    }

    #[test]
    fn what_was_there_comes_back_to_the_byte(bytes in bytes()) {
        let (text, style, hooks, mut choices) = case(&bytes, false);
        let mut full = wired(&text, &style, &hooks, ours);
        // Empty lists count as our leftovers when an event is removed.
        if choices.one_in(2) && !text.contains("[]") {
            let hooks = wanted(&mut choices, "/new/tenter hook codex --x");
            full = wired(&full, &style, &hooks, ours);
        }
        prop_assert_eq!(&unwired(&full, &style, Some(&text), ours), &text);
        if !is_forgotten(&text, &style) {
            prop_assert_eq!(&unwired(&full, &style, None, ours), &text);
        }
    }

    #[test]
    fn whatever_others_do_in_between_only_ours_go(bytes in bytes()) {
        let (text, style, hooks, mut choices) = case(&bytes, true);
        let mut now = wired(&text, &style, &hooks, ours);
        for _ in 0..choices.below(4) {
            now = changed_by_others(&mut choices, &now, &style);
        }
        let done = unwired(&now, &style, None, ours);
        prop_assert_eq!(those(&done, &style, ours, true), []);
        prop_assert_eq!(those(&done, &style, ours, false), those(&now, &style, ours, false));
        prop_assert_eq!(comments(&done, &style), comments(&now, &style));
        prop_assert_eq!(rest(&done, &style), rest(&now, &style));
        prop_assert_eq!(&unwired(&done, &style, None, ours), &done);
    }

    #[test]
    fn two_tools_can_come_and_go_in_any_order(bytes in bytes()) {
        let (text, style, hooks, mut choices) = case(&bytes, false);
        let other = wanted(&mut choices, "other-guard");
        let both = wired(&text, &style, &hooks, ours);
        let both = wired(&both, &style, &other, theirs);
        let alone = wired(&text, &style, &other, theirs);
        let left = unwired(&both, &style, Some(&text), ours);
        prop_assert_eq!(sorted(those(&left, &style, ours, false)), sorted(those(&alone, &style, ours, false)));
        let left = unwired(&left, &style, Some(&text), theirs);
        prop_assert_eq!(rest(&left, &style), rest(&text, &style));
        prop_assert_eq!(those(&left, &style, ours, false), those(&text, &style, ours, false));
    }

    #[test]
    fn no_text_makes_it_panic_or_lose_anything(text in "\\PC*", bytes in bytes(), at in any::<prop::sample::Index>()) {
        let (file, style, hooks, _) = case(&bytes, true);
        let at = at.index(file.len() + 1);
        let at = (0..=at).rev().find(|at| file.is_char_boundary(*at)).unwrap_or(0);
        for text in [text.clone(), format!("{}{text}{}", &file[..at], &file[at..])] {
            if let Ok(full) = wire(&text, &style, &hooks, &ours) {
                prop_assert_eq!(those(&full, &style, ours, false), those(&text, &style, ours, false));
                prop_assert_eq!(comments(&full, &style), comments(&text, &style));
                prop_assert!(unwire(&full, &style, &ours).is_ok());
            }
        }
    }
}

/// Whether the text alone cannot restore this kind of file: an empty list or key where ours would leave one,
/// or a required key that was missing.
fn is_forgotten(text: &str, style: &Style<'_>) -> bool {
    match style.format {
        Format::Json => json_files::is_forgotten(text, style.required),
        Format::Toml => toml_files::is_forgotten(text),
    }
}

/// One change by another tool, a formatter or a person.
fn changed_by_others(choices: &mut Choices, text: &str, style: &Style<'_>) -> String {
    match choices.below(3) {
        0 => {
            let hooks = wanted(choices, "other-guard --strict");
            wired(text, style, &hooks, theirs)
        }
        1 => unwired(text, style, None, theirs),
        _ => match style.format {
            Format::Json => json_files::reformatted(choices, text),
            Format::Toml => toml_files::reformatted(choices, text),
        },
    }
}
