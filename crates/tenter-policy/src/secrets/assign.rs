//! `name = value` in all its spellings: where the value of a name is.

use super::placeholder::starts;

/// How far a name goes in either direction from the word that was found.
const NAME: usize = 64;
/// How much of a value is read.
const VALUE: usize = 512;
/// How much blank may stand between a name and its value.
const BLANK: usize = 40;

/// What stands between a name and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// `=`, `:`, `=>` and the like.
    Sign,
    /// The same without blanks on either side.
    Tight,
    /// `<password>...</password>`.
    Tag,
    /// `("password", "...")` or `setPassword("...")`.
    Argument,
    /// A blank only: a flag, a line of `.netrc`, or a sentence.
    Blank,
}

/// The value that follows a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    pub(super) link: Link,
}

/// Where the name around a word begins and ends; nothing if it is too long to be one.
pub(super) fn name(bytes: &[u8], word: usize) -> Option<(usize, usize)> {
    let before = bytes.get(word.saturating_sub(NAME)..word)?;
    let back = before.iter().rev().take_while(|byte| part(**byte) || **byte == b'.').count();
    let after = bytes.get(word..)?.iter().take(NAME).take_while(|byte| part(**byte)).count();
    (after < NAME).then_some((word.saturating_sub(back), word.saturating_add(after)))
}

fn part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

pub(super) fn blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Skips at most `most` bytes of a sort.
pub(super) fn skip(bytes: &[u8], at: usize, most: usize, sort: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at.saturating_add(rest.iter().take(most).take_while(|byte| sort(**byte)).count())
}

fn quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// What links the name that ends at `end` to a value, and where that begins.
pub(super) fn link(bytes: &[u8], start: usize, end: usize) -> Option<(Link, usize)> {
    let closed = skip(bytes, end, 3, |byte| quote(byte) || matches!(byte, b']' | b'\\'));
    let at = skip(bytes, closed, BLANK, blank);
    let tight = at == end;
    let quoted = bytes.get(end).is_some_and(|byte| quote(*byte) || *byte == b'\\');
    let rest = bytes.get(at..)?;
    match rest {
        [b':', b':', ..] | [b'=', b'~', ..] => None,
        [b'|', b'|', b'=', ..] | [b'=', b'=', b'=', ..] => sign(bytes, at, 3, false),
        [b'=', b'=' | b'>', ..] | [b'?', b'=' | b':', ..] | [b':' | b'+', b'=', ..] => {
            sign(bytes, at, 2, false)
        }
        [b'=', ..] => sign(bytes, at, 1, tight),
        [b':', ..] => {
            let after = typed(bytes, at.saturating_add(1));
            match after {
                Some(at) => sign(bytes, at, 0, false),
                None => sign(bytes, at, 1, false),
            }
        }
        [b'>', ..] if before(bytes, start) == b'<' => Some((Link::Tag, at.saturating_add(1))),
        [b'(', next, ..] if tight && quote(*next) => Some((Link::Argument, at.saturating_add(1))),
        [b'|', b' ', ..] if before(bytes, start) == b' ' => sign(bytes, at, 1, false),
        [b',', ..] if quoted => paired(bytes, at).or_else(|| {
            let at = skip(bytes, at.saturating_add(1), BLANK, |byte| byte.is_ascii_whitespace());
            bytes.get(at).is_some_and(|byte| quote(*byte)).then_some((Link::Argument, at))
        }),
        _ => paired(bytes, closed).or_else(|| (at > closed).then_some((Link::Blank, at))),
    }
}

pub(super) fn before(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b'\n')
}

/// After a sign: the value may come after blanks, and in some formats on the next line.
fn sign(bytes: &[u8], at: usize, len: usize, tight: bool) -> Option<(Link, usize)> {
    let after = at.saturating_add(len);
    let mut at = skip(bytes, after, BLANK, blank);
    let tight = tight && at == after;
    // `key: |` and `key: >-` have the value below; so may `"key":`.
    let marked = skip(bytes, at, 2, |byte| matches!(byte, b'|' | b'>' | b'-'));
    let line = bytes.get(marked).is_some_and(|byte| matches!(byte, b'\n' | b'\r'));
    if line {
        let below = skip(bytes, marked, BLANK, |byte| byte.is_ascii_whitespace());
        let quoted = bytes.get(below).is_some_and(|byte| quote(*byte));
        if marked == at && !quoted {
            return None;
        }
        at = below;
    }
    Some((if tight { Link::Tight } else { Link::Sign }, at))
}

/// `: string = ` between a name and its value: where the value begins.
fn typed(bytes: &[u8], at: usize) -> Option<usize> {
    let name = skip(bytes, at, 1, blank);
    let end = skip(bytes, name, 24, |byte| {
        byte.is_ascii_alphanumeric() || b"_&'<>[]?.| ".contains(&byte)
    });
    let tail = bytes.get(name..end)?;
    match bytes.get(end..)? {
        [b'=', next, ..] if !matches!(next, b'=' | b'>') && tail.ends_with(b" ") && name < end => {
            Some(skip(bytes, end.saturating_add(1), BLANK, blank))
        }
        _ => None,
    }
}

/// `name: "DB_PASSWORD", value: "..."`, `key="Password" value="..."` and such.
fn paired(bytes: &[u8], at: usize) -> Option<(Link, usize)> {
    let at =
        skip(bytes, at, BLANK, |byte| byte.is_ascii_whitespace() || byte == b',' || quote(byte));
    let rest = bytes.get(at..)?;
    if !starts(rest, b"value") {
        return None;
    }
    let at = skip(bytes, at.saturating_add(5), 3, |byte| quote(byte) || blank(byte));
    match bytes.get(at)? {
        b':' | b'=' => sign(bytes, at, 1, false),
        _ => None,
    }
}

/// Reads the value at `at`.
pub(super) fn value(bytes: &[u8], at: usize, link: Link) -> Option<Value> {
    let at = prefix(bytes, at);
    let mut start = skip(bytes, at, 3, |byte| quote(byte) || byte == b'\\');
    let open = bytes.get(at..start)?.iter().copied().rfind(|byte| quote(*byte));
    start = scheme(bytes, start);
    let rest = bytes.get(start..)?;
    let len = rest.iter().take(VALUE).take_while(|byte| inside(**byte, open, link)).count();
    let value = rest.get(..len)?;
    let line = value.windows(2).position(|two| matches!(two, [b'\\', b'n' | b'r']));
    let mut end = start.saturating_add(line.unwrap_or(len));
    if link == Link::Tag && !bytes.get(end..).is_some_and(|rest| rest.starts_with(b"</")) {
        return None;
    }
    if let (Some(open), Some(b'\\')) = (open, bytes.get(end.wrapping_sub(1)))
        && bytes.get(end) == Some(&open)
    {
        end = end.wrapping_sub(1);
    }
    if open.is_none() {
        end = query(bytes, start, end);
        let value = bytes.get(start..end)?;
        let marks = value.iter().rev().take_while(|byte| b".,:!?\\".contains(byte)).count();
        // A mark at the end of a sentence is no part of the value, several may be.
        end = end.saturating_sub(usize::from(marks == 1 && !value.ends_with(b"!")));
    }
    (end > start).then_some(Value { start, end, quoted: open.is_some(), link })
}

/// In an address, a value ends where the next name begins: `&name=`.
fn query(bytes: &[u8], start: usize, end: usize) -> usize {
    let value = bytes.get(start..end).unwrap_or_default();
    let next = value.iter().enumerate().find(|(at, byte)| {
        let rest = value.get(at.saturating_add(1)..).unwrap_or_default();
        let name = rest.iter().take_while(|byte| part(**byte)).count();
        **byte == b'&' && (rest.get(name) == Some(&b'=') || name == rest.len())
    });
    next.map_or(end, |(at, _)| start.saturating_add(at))
}

/// Skips what may stand before a quote: `b"`, `f"`, `@"`, `$'`.
fn prefix(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        Some([b'b' | b'r' | b'f' | b'u' | b'B' | b'R' | b'F' | b'L' | b'@' | b'$', next, ..])
            if quote(*next) =>
        {
            at.saturating_add(1)
        }
        _ => at,
    }
}

/// Skips `Bearer`, `Token` and the like before the value itself.
fn scheme(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let word = ["bearer ", "token ", "apikey ", "base64:", "basic "]
        .iter()
        .find(|word| starts(rest, word.as_bytes()));
    word.map_or(at, |word| at.saturating_add(word.len()))
}

/// Whether a byte can be part of the value.
fn inside(byte: u8, open: Option<u8>, link: Link) -> bool {
    match open {
        Some(open) => byte != open && byte != b'\n' && byte != b'\r',
        None if link == Link::Tag => byte != b'<' && byte != b'\n',
        None if byte.is_ascii_whitespace() || quote(byte) => false,
        None if link == Link::Tight => byte != b';',
        None => !matches!(byte, b',' | b';' | b'<' | b'>' | b'}' | b']' | b'|'),
    }
}
