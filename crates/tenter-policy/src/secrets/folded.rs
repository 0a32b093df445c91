//! Normalises a text: removes invisible characters and maps wide letters to ordinary ones.

use super::views::View;

/// Normalisation of a character: nothing, another one, or itself.
enum As {
    Nothing,
    Letter(u8),
    Itself,
}

fn read(character: char) -> As {
    match character {
        // Soft hyphen, zero-width characters, direction marks, joiners, byte order mark, selectors, tags.
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{180b}'..='\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}' => As::Nothing,
        '\u{ff01}'..='\u{ff5e}' => {
            let offset = u32::from(character).saturating_sub(0xff01).saturating_add(0x21);
            As::Letter(u8::try_from(offset).unwrap_or(b'?'))
        }
        // Mathematical letters and digits: bold, italic and so on, 26 or 10 of each kind.
        '\u{1d400}'..='\u{1d6a3}' => {
            let place = u8::try_from(u32::from(character).saturating_sub(0x1d400) % 52);
            let place = place.unwrap_or_default();
            let (first, by) =
                if place < 26 { (b'A', place) } else { (b'a', place.saturating_sub(26)) };
            As::Letter(first.saturating_add(by))
        }
        '\u{1d7ce}'..='\u{1d7ff}' => {
            let digit = u8::try_from(u32::from(character).saturating_sub(0x1d7ce) % 10);
            As::Letter(b'0'.saturating_add(digit.unwrap_or_default()))
        }
        _ => As::Itself,
    }
}

/// The normalised text; `None` if unchanged.
pub(super) fn folded(text: &str) -> Option<View> {
    text.chars().find(|it| !it.is_ascii() && !matches!(read(*it), As::Itself))?;
    let mut view = View::with_room(text.len());
    for (at, character) in text.char_indices() {
        let taken = character.len_utf8();
        match read(character) {
            As::Nothing => {}
            As::Letter(byte) => view.push(byte, at, taken),
            As::Itself => {
                let byte = if character.is_ascii() { u8::try_from(character).ok() } else { None };
                view.push(byte.unwrap_or(b'?'), at, taken);
            }
        }
    }
    Some(view)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_word_is_read_as_one() {
        for text in ["gh\u{200b}p_x", "ｇｈｐ＿ｘ", "\u{feff}g\u{2060}hp_x", "𝐠𝐡𝐩_𝐱"]
        {
            assert_eq!(folded(text).unwrap().text, "ghp_x", "{text}");
        }
        assert!(folded("größer als 日本").is_none());
    }
}
