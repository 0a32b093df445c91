//! Characters that make text look like something else.

use crate::analysis::Oddity;
use crate::span::Span;

/// Oddities beyond this are not told one by one.
const MAX_ODDITIES: usize = 32;

pub(super) fn find(text: &str) -> Vec<Oddity> {
    let mut found = Vec::new();
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return found;
    }
    for (at, letter) in text.char_indices() {
        let Some(name) = name(letter) else {
            continue;
        };
        found.push(Oddity { name, span: Span::new(at, at + letter.len_utf8()) });
        if found.len() >= MAX_ODDITIES {
            break;
        }
    }
    found
}

fn name(letter: char) -> Option<&'static str> {
    Some(match letter {
        '\0' => "nul",
        '\r' => "carriage-return",
        '\u{1b}' => "escape",
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            "bidirectional-control"
        }
        '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}' | '\u{180e}' => "zero-width",
        '\u{e0000}'..='\u{e007f}' => "tag",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => "odd-space",
        '\u{1}'..='\u{8}'
        | '\u{b}'
        | '\u{c}'
        | '\u{e}'..='\u{1a}'
        | '\u{1c}'..='\u{1f}'
        | '\u{7f}' => "control",
        _ => return None,
    })
}
