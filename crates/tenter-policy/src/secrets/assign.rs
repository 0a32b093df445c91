//! Parses `name = value` in all notations: locates the value of a name.

use super::placeholder::starts;

/// Maximum length of a name on either side of the matched word.
const NAME: usize = 64;
/// Maximum length of a value.
const VALUE: usize = 512;
/// Maximum number of blanks between a name and its value.
const BLANK: usize = 40;
/// Maximum distance of a value inside the braces after a name.
const INSIDE: usize = 200;

/// Link between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// `=`, `:`, `=>` and the like.
    Sign,
    /// The same without blanks.
    Tight,
    /// `<password>...</password>`.
    Tag,
    /// `("password", "...")` or `setPassword("...")`.
    Argument,
    /// A blank only: a flag, a line of `.netrc`, or a sentence.
    Blank,
}

/// The value of a name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    pub(super) link: Link,
}

/// End of the name that contains a word; `None` if it is too long, or if no value can follow.
pub(super) fn name_end(bytes: &[u8], word: usize) -> Option<usize> {
    let rest = bytes.get(word..)?;
    let rest = rest.get(..rest.len().min(NAME))?;
    let len = rest.iter().position(|byte| !part(*byte))?;
    has(*rest.get(len)?, LINK).then_some(word.wrapping_add(len))
}

/// Start of the name that contains a word.
pub(super) fn name_start(bytes: &[u8], word: usize) -> usize {
    let before = bytes.get(word.saturating_sub(NAME)..word).unwrap_or_default();
    let back = before.iter().rev().take_while(|byte| part(**byte) || **byte == b'.').count();
    word.saturating_sub(back)
}

/// Letters, digits and characters inside names.
const PART: u8 = 1;
const QUOTE: u8 = 1 << 1;
const LINE: u8 = 1 << 2;
/// Characters that end an unquoted value.
const END: u8 = 1 << 3;
/// Characters that end it in code and lists.
const LIST: u8 = 1 << 4;

/// Characters that may follow a name with a value.
const LINK: u8 = 1 << 5;

#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
static ROLE: [u8; 256] = byte_table!(role_of);

const fn role_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => PART,
        b'"' | b'\'' | b'`' => QUOTE | END | LINK,
        b'\n' | b'\r' => LINE | END | LINK,
        b' ' | b'\t' => END | LINK,
        b';' => END,
        b',' | b'}' => LIST,
        b'<' | b'>' | b']' | b'|' => LIST | LINK,
        b'=' | b':' | b'?' | b'+' | b'(' | b'{' | b'\\' => LINK,
        _ => 0,
    }
}

fn has(byte: u8, roles: u8) -> bool {
    ROLE.get(usize::from(byte)).is_some_and(|role| role & roles != 0)
}

fn part(byte: u8) -> bool {
    has(byte, PART)
}

pub(super) fn blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// Skips at most `most` bytes of a class.
pub(super) fn skip(bytes: &[u8], at: usize, most: usize, sort: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at.saturating_add(rest.iter().take(most).take_while(|byte| sort(**byte)).count())
}

fn quote(byte: u8) -> bool {
    has(byte, QUOTE)
}

/// The link after a name that ends at `end`, and the start of the value.
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
        [b':', ..] if quoted && inside(bytes, at.saturating_add(1)).is_some() => {
            inside(bytes, at.saturating_add(1))
        }
        [b'{', ..] if quoted => inside(bytes, at),
        [b'{', next, ..] if tight && quote(*next) => Some((Link::Sign, at.saturating_add(1))),
        [b'{', ..] => property(bytes, at),
        [b')', ..] if quoted => instead(bytes, at),
        [b'<', b'/', b'k', b'e', b'y', b'>', ..] => listed(bytes, at.saturating_add(6)),
        [b':', ..] => match typed(bytes, at.saturating_add(1)) {
            Some(at) => sign(bytes, at, 0, false),
            None => sign(bytes, at, 1, false),
        },
        [b'>', ..] if quoted || before(bytes, start) == b'<' => {
            Some((Link::Tag, at.saturating_add(1)))
        }
        [b'(', next, ..] if tight && quote(*next) => Some((Link::Argument, at.saturating_add(1))),
        [b'|', b' ', ..] if before(bytes, start) == b' ' => sign(bytes, at, 1, false),
        [b',', ..] if quoted => paired(bytes, at).or_else(|| {
            let at = skip(bytes, at.saturating_add(1), BLANK, |byte| byte.is_ascii_whitespace());
            bytes.get(at).is_some_and(|byte| quote(*byte)).then_some((Link::Argument, at))
        }),
        _ => paired(bytes, closed)
            .or_else(|| flagged(bytes, at))
            .or_else(|| attributes(bytes, start, at))
            .or_else(|| (at > closed).then_some((Link::Blank, at))),
    }
}

/// `<wsse:Password Type="PasswordText">...</wsse:Password>`
fn attributes(bytes: &[u8], start: usize, at: usize) -> Option<(Link, usize)> {
    let head = bytes.get(start.saturating_sub(BLANK)..start)?;
    let space = head.iter().rev().take_while(|byte| part(**byte) || **byte == b':').count();
    let open = head.len().checked_sub(space)?.checked_sub(1)?;
    let rest = bytes.get(at..)?;
    let rest = rest.get(..rest.len().min(INSIDE)).filter(|_| head.get(open) == Some(&b'<'))?;
    let close = rest.iter().position(|byte| matches!(byte, b'>' | b'\n'))?;
    let ends =
        rest.get(close) == Some(&b'>') && rest.get(..close).is_some_and(|it| !it.ends_with(b"/"));
    ends.then(|| (Link::Tag, at.saturating_add(close).saturating_add(1)))
}

pub(super) fn before(bytes: &[u8], at: usize) -> u8 {
    at.checked_sub(1).and_then(|at| bytes.get(at)).copied().unwrap_or(b'\n')
}

/// After a sign: the value may follow after blanks, in some formats on the next line.
fn sign(bytes: &[u8], at: usize, len: usize, tight: bool) -> Option<(Link, usize)> {
    let mut after = at.saturating_add(len);
    // `**Password:** ...`
    if let Some([b'*', b'*', b' ', ..]) = bytes.get(after..) {
        after = after.saturating_add(2);
    }
    let mut at = skip(bytes, after, BLANK, blank);
    let tight = tight && at == after;
    // In `key: |` and `key: >-` the value is below; also possibly in `"key":`.
    let marked = skip(bytes, at, 2, |byte| matches!(byte, b'|' | b'>' | b'-'));
    let line = bytes.get(marked).is_some_and(|byte| matches!(byte, b'\n' | b'\r'));
    if line {
        let below = skip(bytes, marked, BLANK, |byte| byte.is_ascii_whitespace());
        let quoted = bytes.get(below).is_some_and(|byte| quote(*byte));
        if marked == at && !quoted {
            return below_line(bytes, marked);
        }
        at = below;
    }
    Some((if tight { Link::Tight } else { Link::Sign }, at))
}

/// The start of the value after a type, as in `: string = `.
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
    let word = [b"value".as_slice(), b"default"].into_iter().find(|word| starts(rest, word))?;
    let at = skip(bytes, at.saturating_add(word.len()), 3, |byte| quote(byte) || blank(byte));
    match bytes.get(at)? {
        b':' | b'=' => sign(bytes, at, 1, false),
        _ => None,
    }
}

/// `secret set DB_PASSWORD --body ...`, `put-parameter --name db_password --value ...`
fn flagged(bytes: &[u8], at: usize) -> Option<(Link, usize)> {
    let rest = bytes.get(at..)?.strip_prefix(b"-")?;
    let words = [b"-value".as_slice(), b"-body", b"-secret-string", b"-data", b"b"];
    let word = words.into_iter().find(|word| rest.starts_with(word))?;
    let end = at.saturating_add(1).saturating_add(word.len());
    matches!(bytes.get(end), Some(b' ' | b'=')).then(|| (Link::Sign, end.saturating_add(1)))
}

/// `"db_password": {"type": "string", "value": "..."}` and `variable "db_password" { default = ... }`.
fn inside(bytes: &[u8], at: usize) -> Option<(Link, usize)> {
    let open = skip(bytes, at, BLANK, |byte| byte.is_ascii_whitespace());
    let rest = bytes.get(open..)?.strip_prefix(b"{")?;
    let rest = rest.get(..rest.len().min(INSIDE))?;
    let body = rest.split(|byte| *byte == b'}').next()?;
    let word = [b"value".as_slice(), b"default"].into_iter().find_map(|word| {
        let at = body.windows(word.len()).position(|part| part == word)?;
        Some(at.saturating_add(word.len()))
    })?;
    let end = open.saturating_add(1).saturating_add(word);
    let at = skip(bytes, end, BLANK, |byte| blank(byte) || quote(byte));
    matches!(bytes.get(at), Some(b':' | b'=')).then(|| sign(bytes, at, 1, false))?
}

/// `Password { get; set; } = "..."`
fn property(bytes: &[u8], at: usize) -> Option<(Link, usize)> {
    let rest = bytes.get(at..)?;
    let rest = rest.get(..rest.len().min(BLANK))?;
    let close = rest.iter().position(|byte| *byte == b'}')?;
    let getter = rest.get(..close)?.windows(4).any(|part| part == b"get;");
    let at = skip(bytes, at.saturating_add(close).saturating_add(1), BLANK, blank);
    (getter && bytes.get(at) == Some(&b'=')).then(|| sign(bytes, at, 1, false))?
}

/// The fallback value in `getenv("API_KEY") or "..."` and `var("API_KEY").unwrap_or("...")`.
fn instead(bytes: &[u8], at: usize) -> Option<(Link, usize)> {
    let more = |byte: u8| byte.is_ascii_alphabetic() || b" )_.|?:({".contains(&byte);
    let at = skip(bytes, at, BLANK, more);
    bytes.get(at).is_some_and(|byte| quote(*byte)).then_some((Link::Argument, at))
}

/// `<key>APIKey</key><string>...</string>`
fn listed(bytes: &[u8], at: usize) -> Option<(Link, usize)> {
    let at = skip(bytes, at, BLANK, |byte| byte.is_ascii_whitespace());
    let text = bytes.get(at..)?.starts_with(b"<string>");
    text.then_some((Link::Tag, at.saturating_add(8)))
}

/// `Password:` with `Type: String` and `Default: ...` or `value: ...` in the lines below it.
fn below_line(bytes: &[u8], at: usize) -> Option<(Link, usize)> {
    let rest = bytes.get(at..)?;
    let mut from = at;
    for line in rest.get(..rest.len().min(INSIDE))?.split_inclusive(|byte| *byte == b'\n').take(6) {
        let indent = line.iter().take_while(|byte| blank(**byte)).count();
        let text = line.get(indent..)?;
        let word = [b"Default: ".as_slice(), b"default: ", b"value: "];
        let word = word.iter().find(|word| text.starts_with(word)).filter(|_| indent > 0);
        if let Some(word) = word {
            return Some((Link::Sign, from.saturating_add(indent).saturating_add(word.len())));
        }
        if indent == 0 && from > at {
            return None;
        }
        from = from.saturating_add(line.len());
    }
    None
}

/// Parses the value at `at`.
pub(super) fn value(bytes: &[u8], at: usize, link: Link) -> Option<Value> {
    let at = prefix(bytes, at);
    let mut start = skip(bytes, at, 3, |byte| quote(byte) || byte == b'\\');
    // `""` is empty, `"""` opens a string.
    if matches!(bytes.get(at..start)?, [one, two] if one == two && quote(*one)) {
        return None;
    }
    let open = bytes.get(at..start)?.iter().copied().rfind(|byte| quote(*byte));
    start = scheme(bytes, start);
    let rest = bytes.get(start..)?;
    let len = length(rest, open, link);
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
        // `(password: ...)`
        if value.ends_with(b")") && !value.contains(&b'(') {
            end = end.saturating_sub(1);
        }
        let value = bytes.get(start..end)?;
        let marks = value.iter().rev().take_while(|byte| b".,:!?\\".contains(byte)).count();
        // A single punctuation mark at the end belongs to the sentence, several may not.
        end = end.saturating_sub(usize::from(marks == 1 && !value.ends_with(b"!")));
    }
    (end > start).then_some(Value { start, end, quoted: open.is_some(), link })
}

/// In a URL a value ends where the next name begins: `&name=`.
fn query(bytes: &[u8], start: usize, end: usize) -> usize {
    let value = bytes.get(start..end).unwrap_or_default();
    let Some(at) = value.iter().position(|byte| *byte == b'&') else { return end };
    let rest = value.get(at.saturating_add(1)..).unwrap_or_default();
    let name = rest.iter().take_while(|byte| part(**byte)).count();
    let next = rest.get(name) == Some(&b'=') || name == rest.len();
    if next { start.saturating_add(at) } else { end }
}

/// Skips a string prefix: `b"`, `f"`, `@"`, `$'`.
fn prefix(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        // A YAML tag.
        Some([b'!', b'!', ..]) => {
            let end = skip(bytes, at, 16, |byte| !byte.is_ascii_whitespace());
            skip(bytes, end, 1, blank)
        }
        Some([b'b' | b'r' | b'f' | b'u' | b'B' | b'R' | b'F' | b'L' | b'@' | b'$', next, ..])
            if quote(*next) =>
        {
            at.saturating_add(1)
        }
        _ => at,
    }
}

/// Skips `Bearer`, `Token` and similar schemes before the value.
fn scheme(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    if !matches!(rest, [b'b' | b'B' | b't' | b'T' | b'a' | b'A' | b's' | b'S', ..]) {
        return at;
    }
    let word = [
        "bearer ",
        "token ",
        "apikey ",
        "api-token ",
        "api-key ",
        "base64:",
        "basic ",
        "bot ",
        "ssws ",
    ]
    .iter()
    .find(|word| starts(rest, word.as_bytes()));
    word.map_or(at, |word| at.saturating_add(word.len()))
}

/// Length of the value at the start of `rest`.
fn length(rest: &[u8], open: Option<u8>, link: Link) -> usize {
    let rest = rest.get(..rest.len().min(VALUE)).unwrap_or_default();
    let end = match open {
        Some(open) => rest.iter().position(|byte| *byte == open || has(*byte, LINE)),
        None if link == Link::Tag => rest.iter().position(|byte| *byte == b'<' || has(*byte, LINE)),
        None if link == Link::Tight => rest.iter().position(|byte| has(*byte, END)),
        None => rest.iter().position(|byte| has(*byte, END | LIST)),
    };
    end.unwrap_or(rest.len())
}
