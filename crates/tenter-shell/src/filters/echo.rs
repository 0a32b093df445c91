//! `echo`, as bash has it built in.

use super::escapes::{Decoded, Dialect, decode};

pub(super) fn echo(args: &[&str]) -> Option<String> {
    let mut ends = true;
    let mut escapes = false;
    let mut words = args;
    while let Some((first, rest)) = words.split_first()
        && let Some(letters) = first.strip_prefix('-')
        && !letters.is_empty()
        && letters.bytes().all(|letter| matches!(letter, b'n' | b'e' | b'E'))
    {
        for letter in letters.bytes() {
            match letter {
                b'n' => ends = false,
                letter => escapes = letter == b'e',
            }
        }
        words = rest;
    }
    let mut text = words.join(" ");
    if escapes {
        let mut decoded = Decoded::default();
        decode(&text, Dialect::Echo, &mut decoded);
        ends &= !decoded.stopped;
        text = String::from_utf8(decoded.bytes).ok()?;
    }
    if ends {
        text.push('\n');
    }
    Some(text)
}
