#![no_main]

use tenter_hosts::install::Shape;
use tenter_setup::command;
use tenter_setup::edit::{Format, FoundHook, Hook, Style, read, unwire, unwire_to, wire};

const STYLES: [Style<'_>; 3] = [
    Style { format: Format::Json, shape: Shape::Entries, required: &[("version", "1")] },
    Style { format: Format::Json, shape: Shape::Groups, required: &[] },
    Style { format: Format::Toml, shape: Shape::Groups, required: &[] },
];

fn ours(found: &FoundHook) -> bool {
    command::ours(found).is_some()
}

fn hook(event: &str, matcher: Option<&str>) -> Hook {
    let fields = vec![
        ("type".to_owned(), "command".into()),
        ("command".to_owned(), "/t/tenter hook codex".into()),
        ("timeout".to_owned(), 30.into()),
    ];
    Hook { event: event.to_owned(), matcher: matcher.map(str::to_owned), fields }
}

/// Hooks that are not ours, by event.
fn others(text: &str, style: &Style<'_>) -> Vec<String> {
    let found = read(text, style).expect("it was read before");
    let others = found.iter().filter(|found| !ours(found));
    let told = others.map(|it| (it.event.clone(), it.matcher.clone(), it.fields.to_string()));
    let mut told: Vec<_> = told.collect();
    told.sort_by(|one, other| one.0.cmp(&other.0));
    told.into_iter().map(|hook| format!("{hook:?}")).collect()
}

// A text that can be installed into contains all wanted hooks and all others, is unchanged by a second
// install, and without our hooks equals the original.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let hooks = [hook("Stop", None), hook("PreToolUse", Some("Bash"))];
    for style in &STYLES {
        let Ok(wired) = wire(text, style, &hooks, &ours) else { continue };
        assert_eq!(wire(&wired, style, &hooks, &ours).as_ref(), Ok(&wired));
        assert_eq!(others(&wired, style), others(text, style));
        // Also in places that hosts ignore, because a key is repeated.
        let is_free_of_us = !text.contains("tenter") && !text.contains('\\');
        // A lone carriage return becomes a line break together with what is inserted after it.
        let has_lines = !text.replace("\r\n", "").contains('\r');
        let before = unwire_to(text, &wired, style, &ours).expect("what was wired can be unwired");
        assert_eq!(others(&before.text, style), others(text, style));
        if is_free_of_us && has_lines {
            assert_eq!(before.text, text);
        }
        unwire(&wired, style, &ours).expect("what was wired can be unwired");
    }
});
