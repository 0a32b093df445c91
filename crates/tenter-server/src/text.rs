//! Makes foreign text fit for a one-line message.

/// Maximum length of foreign text in a message.
const SHOWN: usize = 200;

/// Line breaks become spaces; control and invisible characters are removed.
pub(crate) fn one_line(text: &str) -> String {
    let plain = |c: char| match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => Some(' '),
        c if c.is_control() || is_invisible(c) => None,
        c => Some(c),
    };
    text.trim().chars().filter_map(plain).collect()
}

/// Zero-width characters, including those that reverse text direction.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The start of a text.
pub(crate) fn shorten(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

/// The entry of `known` with the smallest edit distance from `word`.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    known.iter().copied().min_by_key(|candidate| distance(word, candidate))
}

/// Levenshtein distance, one row at a time.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.chars().count()).collect();
    for (above, left) in from.chars().zip(1..) {
        let mut next = vec![left];
        for ((right, corner), top) in to.chars().zip(&row).zip(row.iter().skip(1)) {
            let side = next.last().copied().unwrap_or_default();
            let replaced = corner + usize::from(above != right);
            next.push(replaced.min(top + 1).min(side + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
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
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("timout", "timeout"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn the_nearest_word_wins() {
        assert_eq!(nearest("modle", &["api", "model", "timeout"]), Some("model"));
        assert_eq!(nearest("x", &[]), None);
    }
}
