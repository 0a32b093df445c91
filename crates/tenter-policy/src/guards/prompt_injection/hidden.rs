//! Finds invisible and misleading characters.
//!
//! Ordinary use is accepted: joiners in emoji and in scripts that need them, direction marks in right-to-left
//! text, terminal colours.

/// Description and byte offset of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hidden {
    pub kind: &'static str,
    pub at: usize,
}

/// Number of zero-width characters between plain letters that is no accident.
const MANY: usize = 12;
/// Number of consecutive ones that can encode a message.
const ROW: usize = 4;

/// The first hidden content in a text.
pub(super) fn find(text: &str) -> Option<Hidden> {
    if text.is_ascii() {
        return escape(text);
    }
    let mut state = State::default();
    for (at, letter) in text.char_indices() {
        if let Some(kind) = state.next(letter) {
            return Some(Hidden { kind, at });
        }
    }
    escape(text)
}

#[derive(Default)]
struct State {
    before: Option<char>,
    /// A flag emoji is a black flag followed by tag characters.
    flag: bool,
    row: usize,
    zero_width: usize,
    tags: usize,
    selectors: usize,
}

impl State {
    fn next(&mut self, letter: char) -> Option<&'static str> {
        let before = self.before.replace(letter);
        if letter.is_ascii() {
            // A zero-width character between two plain ones has no purpose.
            if self.row > 0 {
                self.zero_width += self.row;
            }
            self.row = 0;
            self.selectors = 0;
            self.flag = false;
            return (self.zero_width >= MANY).then_some("zero-width characters");
        }
        match letter {
            '\u{202d}' | '\u{202e}' => return Some("characters that reverse text direction"),
            '\u{1f3f4}' => self.flag = true,
            '\u{e0000}'..='\u{e007f}' if !self.flag => {
                self.tags += 1;
                return (self.tags >= ROW).then_some("invisible tag characters");
            }
            '\u{e0000}'..='\u{e007f}' => {}
            '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' => {
                let joins = before.is_some_and(|before| !before.is_ascii());
                self.row += usize::from(self.row > 0 || !joins);
                return (self.row >= ROW).then_some("zero-width characters");
            }
            '\u{e0100}'..='\u{e01ef}' | '\u{fe00}'..='\u{fe0e}' => {
                self.selectors += 1;
                return (self.selectors >= ROW).then_some("variation selectors in a row");
            }
            _ => {
                self.row = 0;
                self.selectors = 0;
            }
        }
        None
    }
}

/// Terminal sequences that conceal text or write to the clipboard, unlike colours.
fn escape(text: &str) -> Option<Hidden> {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find('\u{1b}') {
        let at = from + found;
        let rest = bytes.get(at + 1..)?;
        if rest.starts_with(b"]52;") {
            return Some(Hidden { kind: "an escape sequence that writes to the clipboard", at });
        }
        if let Some(codes) = rest.strip_prefix(b"[") {
            let length = codes.iter().take(24).position(u8::is_ascii_alphabetic);
            let (codes, end) = codes.split_at_checked(length.unwrap_or(0)).unwrap_or_default();
            if end.first() == Some(&b'm')
                && codes.split(|byte| *byte == b';').any(|it| it == b"8")
                && !codes.starts_with(b"38;")
                && !codes.starts_with(b"48;")
            {
                return Some(Hidden { kind: "an escape sequence that conceals text", at });
            }
        }
        from = at + 1;
    }
    None
}

/// Whether a character marked as odd by the analysis hides something in this command.
pub(super) fn in_command(command: &str, name: &str, at: usize) -> Option<&'static str> {
    let letter = command.get(at..)?.chars().next()?;
    let before = command.get(..at).and_then(|start| start.chars().next_back());
    let after = command.get(at + letter.len_utf8()..).and_then(|rest| rest.chars().next());
    let plain = |letter: Option<char>| letter.is_none_or(|letter| letter.is_ascii());
    match name {
        "bidirectional-control" => {
            let overrides = matches!(letter, '\u{202d}' | '\u{202e}');
            (overrides || !has_direction(command))
                .then_some("a character that reverses text direction")
        }
        // A byte order mark at the start is harmless.
        "zero-width" if at == 0 && letter == '\u{feff}' => None,
        "zero-width" => {
            // Joiners in emoji, and between letters of scripts that use them.
            let joins =
                !plain(before) && (!plain(after) || matches!(letter, '\u{200c}'..='\u{200d}'));
            (!joins).then_some("a zero-width character")
        }
        "tag" => {
            let start =
                command.get(..at)?.trim_end_matches(|it| ('\u{e0000}'..='\u{e007f}').contains(&it));
            (!start.ends_with('\u{1f3f4}')).then_some("an invisible tag character")
        }
        "carriage-return" => (after != Some('\n')).then_some("a lone carriage return"),
        "escape" => Some("an escape character"),
        "control" if letter != '\u{c}' => Some("a control character"),
        "nul" => Some("a NUL character"),
        _ => None,
    }
}

/// Whether the text is right-to-left and may have direction marks.
fn has_direction(text: &str) -> bool {
    text.chars().any(|letter| {
        matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
    })
}

/// Whether a word mixes alphabets: `сurl` with a Cyrillic letter.
pub(super) fn mixes_alphabets(word: &str) -> bool {
    if word.is_ascii() {
        return false;
    }
    let plain = word.chars().any(|letter| letter.is_ascii_alphabetic());
    let alike = word.chars().any(|letter| {
        matches!(letter, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{ff21}'..='\u{ff5a}'
            | '\u{1d400}'..='\u{1d7ff}')
    });
    plain && alike
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> Option<&'static str> {
        find(text).map(|hidden| hidden.kind)
    }

    #[test]
    fn hidden_text_is_found() {
        let tags: String =
            "do it".chars().filter_map(|it| char::from_u32(it as u32 + 0xe0000)).collect();
        assert_eq!(kind(&format!("hello{tags}")), Some("invisible tag characters"));
        assert!(kind("if access_level != \"user\u{202e} \u{2066}// Check\"").is_some());
        assert!(kind("a\u{200b}\u{200c}\u{200b}\u{200b}b").is_some());
        let spread: String = "hidden words".chars().flat_map(|it| [it, '\u{200b}']).collect();
        assert!(kind(&(spread + " end")).is_some());
        assert!(kind("x\u{fe00}\u{fe01}\u{fe02}\u{fe03}").is_some());
        assert!(kind("\u{1f600}\u{e0101}\u{e0102}\u{e0103}\u{e0104}").is_some());
        assert!(kind("a\u{1b}[8mhidden\u{1b}[0m").is_some());
        assert!(kind("a\u{1b}]52;c;ZXZpbA==\u{7}").is_some());
    }

    #[test]
    fn ordinary_text_passes() {
        for text in [
            "plain text",
            "grün, naïve, 你好, мир, שלום\u{200f}!, می\u{200c}خواهم",
            "👨\u{200d}👩\u{200d}👧\u{200d}👦 ❤\u{fe0f} 👍🏽",
            "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} wins",
            "\u{1b}[31mred\u{1b}[0m \u{1b}[38;5;8mgrey\u{1b}[0m \u{1b}[1;32mok\u{1b}[m \u{1b}[2K\u{1b}[1A",
            "\u{feff}first line",
            "a\u{200b}b soft\u{ad}hyphen",
            "\u{1b}",
            "\u{1b}[",
        ] {
            assert_eq!(find(text), None, "{text:?}");
        }
    }

    #[test]
    fn another_alphabet_among_plain_letters_is_told() {
        assert!(mixes_alphabets("\u{441}url"));
        assert!(!mixes_alphabets("curl") && !mixes_alphabets("мир") && !mixes_alphabets("café"));
    }
}
