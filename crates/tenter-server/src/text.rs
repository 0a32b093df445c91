//! Makes foreign text fit for a one-line message.

use tenter_model::text::{first_chars, is_hidden};

/// Maximum length of foreign text in a message.
const SHOWN: usize = 200;

/// Line breaks become spaces; control and invisible characters are removed.
pub(crate) fn one_line(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => Some(' '),
        c if c.is_control() || is_hidden(c) => None,
        c => Some(c),
    };
    text.trim().chars().filter_map(plain).collect()
}

/// The start of a text.
pub(crate) fn shorten(text: &str) -> String {
    first_chars(text, SHOWN).to_owned()
}

/// The entry of `known` with the smallest edit distance from `word`.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known.iter().copied().min_by_key(|candidate| strsim::levenshtein(word, candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_stays_on_one_line_and_commands_no_terminal() {
        assert_eq!(one_line(" a\r\nb\u{1b}[31mc\u{202e}d\u{7f}\u{9b} "), "a  b[31mcd");
        assert_eq!(one_line("für\u{2028}alle"), "für alle");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shorten(&"ü".repeat(300)), "ü".repeat(200));
        assert_eq!(shorten("short"), "short");
    }

    #[test]
    fn the_nearest_word_wins() {
        assert_eq!(nearest("modle", &["api", "model", "timeout"]), Some("model"));
        assert_eq!(nearest("x", &[]), None);
    }
}
