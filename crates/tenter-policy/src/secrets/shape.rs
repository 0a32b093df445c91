//! The pattern language for forms of tokens.
//!
//! `ghp_{alnum 36}` is four literal characters and 36 letters or digits; `{hex 32-40}` is a range, `{slug
//! 20+}` has no upper limit, and `^` marks the start of the secret. There is no backtracking: a run is
//! greedy.

/// Maximum length of a run without upper limit.
const LONGEST: usize = 4096;

const DIGIT: u16 = 1;
const HEX: u16 = 1 << 1;
const ANY_HEX: u16 = 1 << 2;
const LOWER: u16 = 1 << 3;
const UPPER: u16 = 1 << 4;
const ALNUM: u16 = 1 << 5;
const WORD: u16 = 1 << 6;
const SLUG: u16 = 1 << 7;
const BASE64: u16 = 1 << 8;
const TOKEN: u16 = 1 << 9;

/// The sets that each byte belongs to.
#[expect(clippy::indexing_slicing, reason = "evaluated when compiling")]
static SETS: [u16; 256] = byte_table!(member);

/// A run of bytes of one set.
#[derive(Clone, Copy)]
pub(super) struct Run {
    set: u16,
    pub(super) min: usize,
    pub(super) max: usize,
}

impl Run {
    pub(super) const fn holds(self, byte: u8) -> bool {
        member(byte) & self.set != 0
    }
}

/// One element of a shape.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    Literal(u8),
    Run(Run),
    /// Start of the secret.
    Mark,
}

/// A match: range of the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: usize,
    /// Start of the part that differs between secrets.
    pub(super) body: usize,
    pub(super) end: usize,
}

const fn member(byte: u8) -> u16 {
    match byte {
        b'0'..=b'9' => DIGIT | HEX | ANY_HEX | LOWER | UPPER | ALNUM | WORD | SLUG | BASE64 | TOKEN,
        b'a'..=b'f' => HEX | ANY_HEX | LOWER | ALNUM | WORD | SLUG | BASE64 | TOKEN,
        b'g'..=b'z' => LOWER | ALNUM | WORD | SLUG | BASE64 | TOKEN,
        b'A'..=b'F' => ANY_HEX | UPPER | ALNUM | WORD | SLUG | BASE64 | TOKEN,
        b'G'..=b'Z' => UPPER | ALNUM | WORD | SLUG | BASE64 | TOKEN,
        b'_' => WORD | SLUG | TOKEN,
        b'-' => SLUG | TOKEN,
        b'+' | b'/' | b'=' => BASE64 | TOKEN,
        b'.' | b'~' | b'%' => TOKEN,
        _ => 0,
    }
}

/// The next element of a shape, and the rest.
pub(super) const fn piece(shape: &[u8]) -> Option<(Piece, &[u8])> {
    match shape {
        [] => None,
        [b'^', rest @ ..] => Some((Piece::Mark, rest)),
        [b'{', rest @ ..] => {
            let (run, rest) = run(rest);
            Some((Piece::Run(run), rest))
        }
        [literal, rest @ ..] => Some((Piece::Literal(*literal), rest)),
    }
}

const fn run(shape: &[u8]) -> (Run, &[u8]) {
    let set = match shape {
        [b'd', ..] => DIGIT,
        [b'h', ..] => HEX,
        [b'H', ..] => ANY_HEX,
        [b'l', ..] => LOWER,
        [b'U', ..] => UPPER,
        [b'a', ..] => ALNUM,
        [b'w', ..] => WORD,
        [b's', ..] => SLUG,
        [b'b', ..] => BASE64,
        _ => TOKEN,
    };
    let mut rest = shape;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte == b' ' {
            break;
        }
    }
    let (min, rest) = number(rest);
    match rest {
        [b'-', rest @ ..] => {
            let (max, rest) = number(rest);
            (Run { set, min, max }, skip(rest))
        }
        [b'+', rest @ ..] => (Run { set, min, max: LONGEST }, skip(rest)),
        _ => (Run { set, min, max: min }, skip(rest)),
    }
}

const fn number(mut shape: &[u8]) -> (usize, &[u8]) {
    let mut value: usize = 0;
    while let [digit @ b'0'..=b'9', rest @ ..] = shape {
        value = value.saturating_mul(10).saturating_add((*digit - b'0') as usize);
        shape = rest;
    }
    (value, shape)
}

/// The text after the closing brace.
const fn skip(shape: &[u8]) -> &[u8] {
    match shape {
        [b'}', rest @ ..] => rest,
        _ => shape,
    }
}

/// Number of leading bytes of a shape that are literal.
pub(super) fn lead(shape: &[u8]) -> usize {
    shape.iter().position(|byte| matches!(byte, b'{' | b'^')).unwrap_or(shape.len())
}

/// Matches a shape at `start`; the token must end there.
pub(super) fn matched(shape: &[u8], bytes: &[u8], start: usize) -> Option<Span> {
    let (span, last) = fitting(shape, bytes, start)?;
    // A longer token is a different one.
    match (last, bytes.get(span.end)) {
        (Some(run), Some(byte)) if in_set(*byte, run) => None,
        (_, Some(byte)) if byte.is_ascii_alphanumeric() => None,
        _ => Some(span),
    }
}

/// The same, whatever follows: extended to the end of the word.
pub(super) fn within(shape: &[u8], bytes: &[u8], start: usize) -> Option<Span> {
    let (span, _) = fitting(shape, bytes, start)?;
    let rest = bytes.get(span.end..)?.iter().take(LONGEST);
    let more = rest.take_while(|byte| byte.is_ascii_alphanumeric()).count();
    Some(Span { end: span.end.saturating_add(more), ..span })
}

fn fitting(shape: &[u8], bytes: &[u8], start: usize) -> Option<(Span, Option<Run>)> {
    let mut rest = shape;
    let mut span = Span { start, body: start, end: start };
    let mut literal_only = true;
    let mut last = None;
    while let Some((piece, after)) = piece(rest) {
        rest = after;
        match piece {
            Piece::Mark => span.start = span.end,
            Piece::Literal(literal) => {
                if bytes.get(span.end) != Some(&literal) {
                    return None;
                }
                span.end = span.end.saturating_add(1);
                last = None;
            }
            Piece::Run(run) => {
                if literal_only {
                    literal_only = false;
                    span.body = span.end;
                }
                let tail = bytes.get(span.end..)?;
                let len = tail.iter().take(run.max).take_while(|byte| in_set(**byte, run)).count();
                if len < run.min {
                    return None;
                }
                span.end = span.end.saturating_add(len);
                last = Some(run);
            }
        }
    }
    Some((span, last))
}

fn in_set(byte: u8, run: Run) -> bool {
    SETS.get(usize::from(byte)).is_some_and(|sets| sets & run.set != 0)
}

/// Whether a whole text has this shape.
pub(super) fn is(shape: &[u8], text: &[u8]) -> bool {
    matched(shape, text, 0).is_some_and(|span| span.end == text.len())
}
