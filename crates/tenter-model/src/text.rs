//! Cuts and cleans texts of others for messages.

use std::borrow::Cow;
use std::fmt::Display;

/// The first `most` characters of a text.
pub fn first_chars(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

/// The first `most` bytes of a text, without the character that would be split.
pub fn first_bytes(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

/// The first `most` characters of a text, and `...` if there are more.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    let start = first_chars(text, most);
    if start.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{start}...")) }
}

/// A shortened text that can neither break the line nor control the terminal.
pub fn one_line(text: &str, most: usize) -> String {
    shorten(text, most).replace(char::is_control, " ")
}

/// `1 file`, `2 files`
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(count: N, noun: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Whether a character is invisible or changes the direction of text.
pub fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(first_chars("für alle", 2), "fü");
        assert_eq!(first_chars("für", 9), "für");
        assert_eq!(first_bytes("für", 2), "f");
        assert_eq!(first_bytes("für", 9), "für");
    }

    #[test]
    fn only_what_is_cut_ends_in_dots() {
        assert_eq!(shorten("für", 3), "für");
        assert_eq!(shorten("für", 2), "fü...");
        assert_eq!(
            (counted(1_u64, "file"), counted(0_usize, "file")),
            ("1 file".into(), "0 files".into())
        );
        assert_eq!(one_line("a\n\u{1b}[2J", 20), "a  [2J");
    }
}
