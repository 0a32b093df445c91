#![no_main]

use tenter_shell::expand::pattern_matches;
use tenter_shell::filters;
use tenter_shell::value::{Field, Part};

// The first line selects a text program and its arguments, the rest is its input; the same text is used as a
// pattern.
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (line, rest) = text.split_once('\n').unwrap_or((text, ""));
    let mut words = line.split(' ');
    let program = words.next().unwrap_or_default();
    let arguments: Vec<&str> = words.collect();
    let first = filters::run(program, &arguments, Some(rest));
    assert_eq!(first, filters::run(program, &arguments, Some(rest)));
    let pattern = Field { parts: vec![Part::Glob(line.to_owned())], ..Field::default() };
    let _ = pattern_matches(&pattern, rest);
});
