//! Decoded views of a text: without quotes and escapes, percent signs decoded.
//!
//! `gh""p_...` and `gh%70_...` are tokens for the program that receives them. Every byte of a view maps back
//! to the original, so that a match in the view can be removed from the text.

/// Maximum distance of two quotes that belong to one string.
const JOINT: usize = 48;
/// Maximum length of a variable in the middle of a word.
const VARIABLE: usize = 32;

/// A decoded text.
pub(super) struct View {
    pub(super) text: String,
    /// Start and length of each byte in the original.
    from: Vec<(usize, usize)>,
    /// Whether some characters were written as numbers, `\\x67`: to a shell those are a letter and digits.
    pub(super) has_numbers: bool,
}

impl View {
    pub(super) fn with_room(len: usize) -> Self {
        Self { text: String::with_capacity(len), from: Vec::with_capacity(len), has_numbers: false }
    }

    pub(super) fn push(&mut self, byte: u8, at: usize, taken: usize) {
        // Non-ASCII cannot be part of a token.
        self.text.push(if byte.is_ascii() { char::from(byte) } else { '?' });
        self.from.push((at, taken));
    }

    /// The range in the original of a range in the view.
    pub(super) fn source(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let (first, _) = *self.from.get(start)?;
        let (last, taken) = *self.from.get(end.checked_sub(1)?)?;
        Some((first, last.saturating_add(taken)))
    }
}

/// Classes of bytes that a view decodes, as bits: quote, backslash or dollar sign, percent sign.
const JOINS: u16 = 1;
const PERCENT: u16 = 2;
/// `&#103;` needs both.
const AMPERSAND: u16 = 4;
const HASH: u16 = 8;
/// Non-ASCII characters may be lookalikes.
const WIDE: u16 = 16;
const BRACE: u16 = 32;
/// `<<<`
const HERE: u16 = 64;
const PIPE: u16 = 128;
const DIGIT: u16 = 256;

const fn mark(byte: u8) -> u16 {
    match byte {
        b'"' | b'\'' | b'`' | b'\\' | b'$' => JOINS,
        b'%' => PERCENT,
        b'&' => AMPERSAND,
        b'#' => HASH,
        b'{' => BRACE,
        b'<' => HERE,
        b'|' => PIPE,
        b'0'..=b'9' => DIGIT,
        0x80.. => WIDE,
        _ => 0,
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
static MARKS: [u16; 256] = byte_table!(mark);

/// The decodable bytes in a text. Most texts have none and need no view.
#[derive(Clone, Copy)]
pub(super) struct Marks(u16);

impl Marks {
    pub(super) fn of(text: &str) -> Self {
        let mark = |byte: u8| MARKS.get(usize::from(byte)).copied().unwrap_or_default();
        Self(text.bytes().fold(0, |all, byte| all | mark(byte)))
    }

    pub(super) fn may_join(self) -> bool {
        self.0 & (JOINS | BRACE) != 0
    }

    pub(super) fn may_unescape(self) -> bool {
        self.0 & PERCENT != 0 || self.0 & (AMPERSAND | HASH) == AMPERSAND | HASH
    }

    pub(super) fn may_fold(self) -> bool {
        self.0 & WIDE != 0
    }

    pub(super) fn may_read_here(self) -> bool {
        self.0 & HERE != 0
    }

    pub(super) fn may_pipe(self) -> bool {
        self.0 & PIPE != 0
    }

    pub(super) fn may_number(self) -> bool {
        self.0 & DIGIT != 0
    }
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'%' | b'=' | b'.')
}

/// The text without quotes, escapes and string concatenation; `None` if unchanged. With `numbers`, numeric
/// escapes are decoded.
pub(super) fn joined(text: &str, numbers: bool) -> Option<View> {
    let bytes = text.as_bytes();
    let marked =
        |byte: u8| MARKS.get(usize::from(byte)).is_some_and(|it| it & (JOINS | BRACE) != 0);
    let listed = text.contains("join");
    let mut places = bytes.iter().enumerate().filter(|(_, byte)| marked(**byte));
    if !places.any(|(at, byte)| splits(bytes, at, *byte, listed)) {
        return None;
    }
    let mut view = View::with_room(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if let Some((decoded, taken)) = escape(bytes, at, numbers) {
            view.has_numbers |= taken > 2;
            if let Some(decoded) = decoded {
                view.push(decoded, at, taken);
            }
            at = at.saturating_add(taken);
        } else if is_quote(*byte) {
            at = joint(bytes, at, listed).unwrap_or_else(|| at.saturating_add(1));
        } else if let Some(end) = variable(bytes, at) {
            at = end;
        } else {
            view.push(*byte, at, 1);
            at = at.saturating_add(1);
        }
    }
    Some(view)
}

/// Whether something at this byte may be in the middle of a word.
fn splits(bytes: &[u8], at: usize, byte: u8, listed: bool) -> bool {
    match byte {
        b'"' | b'\'' | b'`' => {
            let before = at.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
            // Of consecutive quotes the last one decides: skipping all of them from each would be quadratic.
            let next = bytes.get(at.saturating_add(1)).copied().unwrap_or(b' ');
            (is_word(before) || is_quote(before)) && (is_word(next) || next == b'\\')
                || is_word(before) && joint(bytes, at, listed).is_some()
        }
        b'\\' => escape(bytes, at, true).is_some(),
        b'$' | b'{' => variable(bytes, at).is_some(),
        _ => false,
    }
}

/// The byte that an escape stands for, if any, and its length.
fn escape(bytes: &[u8], at: usize, numbers: bool) -> Option<(Option<u8>, usize)> {
    let digits = |from: usize, count: usize, base: u32| {
        let text =
            bytes.get(at.saturating_add(from)..at.saturating_add(from).saturating_add(count))?;
        u32::from_str_radix(std::str::from_utf8(text).ok()?, base).ok()
    };
    let byte = |code: u32| Some(u8::try_from(code).unwrap_or(b'?'));
    let code = match bytes.get(at..)? {
        [b'\\', b'x', ..] => digits(2, 2, 16).map(|code| (byte(code), 4)),
        [b'\\', b'u', ..] => digits(2, 4, 16).map(|code| (byte(code), 6)),
        [b'\\', b'0'..=b'3', ..] => digits(1, 3, 8).map(|code| (byte(code), 4)),
        _ => None,
    };
    code.filter(|_| numbers).or_else(|| match bytes.get(at..)? {
        [b'\\', b'\n' | b'"' | b'\'' | b'`', ..] => Some((None, 2)),
        // A shell takes any escaped letter literally; where `\n` is a line break, the text is examined as it
        // stands.
        [b'\\', next, ..] if is_word(*next) => Some((Some(*next), 2)),
        _ => None,
    })
}

/// The continuation of a string after this quote: `"gh" + "p_..."`, `"gh" "p_..."`, and in joined lists
/// `"gh", "p_..."`.
fn joint(bytes: &[u8], at: usize, listed: bool) -> Option<usize> {
    let rest = bytes.get(at.saturating_add(1)..)?;
    let rest = rest.get(..rest.len().min(JOINT))?;
    let len = rest.iter().take_while(|byte| {
        byte.is_ascii_whitespace() || b"+.&\\".contains(byte) || listed && **byte == b','
    });
    let len = len.count();
    let open = rest.get(len).filter(|byte| is_quote(**byte))?;
    // Two adjacent words are two; but adjacent string literals are one.
    let same = bytes.get(at) == Some(open) || len == 0;
    let end = at.saturating_add(1).saturating_add(len).saturating_add(1);
    (same && bytes.get(end).is_some_and(|next| is_word(*next))).then_some(end)
}

/// End of a variable or empty expansion in the middle of a word: `gh${x}p_...`, `gh$@p_...`, `gh$()p_...`,
/// `gh{,}p_...`.
fn variable(bytes: &[u8], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).and_then(|at| bytes.get(at))?;
    if !is_word(*before) || *before == b'=' {
        return None;
    }
    let end = nothing(bytes, at).or_else(|| named(bytes, at))?;
    bytes.get(end).is_some_and(|next| is_word(*next)).then_some(end)
}

/// End of an expansion that is always empty.
fn nothing(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let rest = rest.get(..rest.len().min(VARIABLE))?;
    let (open, inside, close) = match rest {
        [b'$', b'(', ..] => (2, b" :\t".as_slice(), b')'),
        [b'{', b',', ..] => (1, b",".as_slice(), b'}'),
        _ => return None,
    };
    let len = rest.iter().skip(open).take_while(|byte| inside.contains(byte)).count();
    let end = open.saturating_add(len);
    (rest.get(end) == Some(&close)).then(|| at.saturating_add(end).saturating_add(1))
}

fn named(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'$') {
        return None;
    }
    let rest = bytes.get(at.saturating_add(1)..)?;
    let len = match rest {
        [b'@' | b'*', ..] => 1,
        [b'{', name @ ..] => {
            let name = name.get(..name.len().min(VARIABLE))?;
            name.iter().position(|byte| *byte == b'}')?.saturating_add(2)
        }
        _ => return None,
    };
    Some(at.saturating_add(1).saturating_add(len))
}

/// The text with percent escapes and character references decoded, as in URLs and HTML; `None` if there are
/// none.
pub(super) fn unescaped(text: &str) -> Option<View> {
    let bytes = text.as_bytes();
    let first = bytes.iter().enumerate().find(|(at, byte)| match byte {
        b'%' => percent(bytes, *at).is_some(),
        b'&' => entity(bytes, *at).is_some(),
        _ => false,
    });
    first?;
    let mut view = View::with_room(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let decoded = match byte {
            b'%' => percent(bytes, at).map(|decoded| (decoded, 3)),
            b'&' => entity(bytes, at),
            _ => None,
        };
        match decoded {
            Some((decoded, taken)) => {
                view.push(decoded, at, taken);
                at = at.saturating_add(taken);
            }
            None => {
                view.push(*byte, at, 1);
                at = at.saturating_add(1);
            }
        }
    }
    Some(view)
}

/// The byte of `&#112;` or `&#x70;`, and its length.
fn entity(bytes: &[u8], at: usize) -> Option<(u8, usize)> {
    let rest = bytes.get(at..)?.strip_prefix(b"&#")?;
    let (digits, base, lead) = match rest {
        [b'x' | b'X', digits @ ..] => (digits, 16, 3_usize),
        _ => (rest, 10, 2),
    };
    let len = digits.iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let text = std::str::from_utf8(digits.get(..len)?).ok()?;
    let code = u8::try_from(u32::from_str_radix(text, base).ok()?).ok()?;
    let closed = usize::from(digits.get(len) == Some(&b';'));
    let taken = lead.saturating_add(len).saturating_add(closed);
    (code >= b' ' || code == b'\n').then_some((code, taken))
}

/// The byte that `%70` stands for.
fn percent(bytes: &[u8], at: usize) -> Option<u8> {
    let [b'%', high, low] = bytes.get(at..at.checked_add(3)?)? else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let code = u8::try_from(digit(*high)?.checked_mul(16)?.checked_add(digit(*low)?)?).ok()?;
    (code >= b' ' || code == b'\n').then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        joined(text, true).map(|view| view.text)
    }

    #[test]
    fn a_split_word_is_read_as_one() {
        for text in [
            "gh\"\"p_x",
            "'gh'\"p_x\"",
            "gh\\p_x",
            "\"gh\" + \"p_x\"",
            "'gh'  'p_x'",
            "\\x67hp_x",
            "\\u0067hp_x",
            "\\147hp_x",
            "gh\\\np_x",
            "gh${z}p_x",
            "gh$@p_x",
            "\"gh\" . \"p_x\"",
        ] {
            assert_eq!(read(text).as_deref(), Some("ghp_x"), "{text}");
        }
        for text in
            ["echo 'plain' \"words\"", "x=\"$y\"", "a: \"b\", c: \"d\"", "$HOME/x ${HOME}/y"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn quotes_in_a_row_are_looked_at_once() {
        // Scanning ahead from each of these would take minutes.
        for quote in ["'", "\"", "`", "'\""] {
            let many = quote.repeat(4_000_000 / quote.len());
            assert_eq!(read(&many), None);
            assert_eq!(read(&format!("a {many};rm -rf ~")), None);
            let view = read(&format!("gh{many}p_x"));
            assert_eq!(view.as_deref(), Some("ghp_x"));
        }
    }

    #[test]
    fn a_place_in_the_view_is_one_in_the_text() {
        let text = "echo gh\"\"p_x";
        let view = joined(text, true).unwrap();
        let at = view.text.find("ghp").unwrap();
        let (start, end) = view.source(at, view.text.len()).unwrap();
        assert_eq!(text.get(start..end), Some("gh\"\"p_x"));
        let text = "t=%67hp%5Fx&u";
        let view = unescaped(text).unwrap();
        let (start, end) = view.source(2, 7).unwrap();
        assert_eq!(view.text, "t=ghp_x&u");
        assert_eq!(text.get(start..end), Some("%67hp%5Fx"));
        assert!(unescaped("date +%Y-%m-%d 100% 5%").is_none());
    }
}
