//! Text encoded as separate numbers: `67:68:70`, `0x67,0x68`, `chr(103)+chr(104)`.

/// Minimum number of letters.
const LEAST: usize = 8;
/// Number of consecutive bytes that must be digits or separators before they are parsed.
const WINDOW: usize = 24;
/// Maximum distance of two numbers.
const BETWEEN: usize = 8;

/// Class of bytes that such a text consists of.
const fn part(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9'
        | b'a'..=b'f'
        | b'A'..=b'F'
        | b'x'
        | b'X'
        | b'h'
        | b'r'
        | b'R'
        | b':'
        | b','
        | b' '
        | b'-'
        | b'+'
        | b'.'
        | b'('
        | b')'
        | b'='
        | b'\\'
        | b'\n'
        | b'\t' => 1,
        _ => 0,
    }
}

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
static PARTS: [u8; 256] = byte_table!(part);

fn is_part(byte: u8) -> bool {
    PARTS.get(usize::from(byte)) == Some(&1)
}

/// A number of two or three digits, its range and prefix.
struct Number<'t> {
    digits: &'t [u8],
    start: usize,
    end: usize,
}

/// Every decoded text, with the range of its numbers.
pub(super) fn each(text: &str, mut found: impl FnMut(&str, usize, usize)) {
    let bytes = text.as_bytes();
    let mut at = 0_usize;
    while let Some(window) = bytes.get(at..at.saturating_add(WINDOW)) {
        // From the back: the last other byte rules out all starts before it.
        if let Some(other) = window.iter().rposition(|byte| !is_part(*byte)) {
            at = at.saturating_add(other).saturating_add(1);
            continue;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let len = rest.iter().take_while(|byte| is_part(**byte)).count();
        let end = at.saturating_add(len);
        runs(bytes, at, end, &mut found);
        at = end.saturating_add(1);
    }
}

/// Reports the numbers of a range, wherever enough of them are consecutive.
fn runs(bytes: &[u8], start: usize, end: usize, found: &mut impl FnMut(&str, usize, usize)) {
    let mut row: Vec<Number<'_>> = Vec::new();
    let mut at = start;
    while let Some(number) = next(bytes, at, end) {
        at = number.end;
        if row.last().is_some_and(|last| number.start.saturating_sub(last.end) > BETWEEN) {
            read(&row, found);
            row.clear();
        }
        row.push(number);
    }
    read(&row, found);
}

/// The next number of two or three digits.
fn next(bytes: &[u8], from: usize, end: usize) -> Option<Number<'_>> {
    let mut at = from;
    while at < end {
        let rest = bytes.get(at..end)?;
        let prefix = match rest {
            [b'0' | b'\\', b'x' | b'X', ..] => 2,
            [b'c' | b'C', b'h' | b'H', b'r' | b'R', b'(', ..] => 4,
            _ => 0,
        };
        let tail = rest.get(prefix..).unwrap_or_default();
        let digits = tail.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let len = prefix.saturating_add(digits);
        if matches!(digits, 2 | 3) {
            let end = at.saturating_add(len);
            return Some(Number { digits: tail.get(..digits)?, start: at, end });
        }
        at = at.saturating_add(len.max(1));
    }
    None
}

/// Decodes as hexadecimal and as decimal: `67` may be either. A non-letter ends a text.
fn read(row: &[Number<'_>], found: &mut impl FnMut(&str, usize, usize)) {
    if row.len() < LEAST {
        return;
    }
    for base in [16, 10] {
        let (mut text, mut start, mut end) = (String::new(), 0, 0);
        for number in row {
            match letter(number.digits, base) {
                Some(letter) => {
                    start = if text.is_empty() { number.start } else { start };
                    end = number.end;
                    text.push(letter);
                }
                None => tell(&mut text, start, end, found),
            }
        }
        tell(&mut text, start, end, found);
    }
}

fn tell(text: &mut String, start: usize, end: usize, found: &mut impl FnMut(&str, usize, usize)) {
    if text.len() >= LEAST {
        found(text, start, end);
    }
    text.clear();
}

fn letter(digits: &[u8], base: u32) -> Option<char> {
    let fits = base == 10 || digits.len() == 2;
    let code = u8::from_str_radix(std::str::from_utf8(digits).ok()?, base).ok()?;
    (fits && matches!(code, b' '..=b'~' | b'\n' | b'\t')).then(|| char::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let mut all = Vec::new();
        each(text, |found, start, end| {
            all.push(format!("{found} {}", text.get(start..end).unwrap()));
        });
        all
    }

    #[test]
    fn numbers_apart_are_read_as_letters() {
        let word = "ghp_token";
        let joined = |how: &dyn Fn(u8) -> String, by: &str| {
            word.bytes().map(how).collect::<Vec<_>>().join(by)
        };
        let hex = |byte: u8| format!("{byte:02x}");
        for text in [
            joined(&hex, ":"),
            joined(&hex, " "),
            joined(&|byte| format!("0x{byte:02x}"), ", "),
            joined(&|byte| format!("chr({byte})"), "+"),
            joined(&|byte| byte.to_string(), ","),
        ] {
            let found = read(&format!("echo {text} | xxd"));
            assert!(found.iter().any(|it| it.starts_with(word)), "{text}: {found:?}");
        }
        assert!(read("2026-11-18 20:41:07 cargo test -p tenter-policy --lib 12 34").is_empty());
        assert!(read("a bad face, each bed").is_empty());
    }
}
