//! Tokens with a distinctive form, and two recognised by their context.

use super::assign::{self, Link};
use super::placeholder;
use super::rules::{self, AWS_SECRET, BEARER, Proof};
use super::shape;
use super::value::{self, Traits};
use super::{Confidence, SecretMatch};

/// Length of a literal prefix by which a token is recognised in the middle of a word.
const LEAD: usize = 4;
/// The same, where ordinary words could have the form.
const LONG_LEAD: usize = 7;

/// A token of a known form at `start`.
pub(super) fn token(
    bytes: &[u8],
    start: usize,
    index: usize,
    shape: &[u8],
    proof: Proof,
    strict: bool,
) -> Option<SecretMatch> {
    // Redaction also removes tokens with a letter or underscore added before or after.
    let lead = if proof == Proof::Random { LONG_LEAD } else { LEAD };
    let glued = strict && shape::lead(shape) >= lead;
    if !begins(bytes, start) && (!glued || in_blob(bytes, start)) {
        return None;
    }
    let span = match shape::matched(shape, bytes, start) {
        None if glued => shape::within(shape, bytes, start)?,
        span => span?,
    };
    let whole = bytes.get(span.start..span.end)?;
    let body = bytes.get(span.body..span.end)?;
    let traits = Traits::of(body);
    let enough = match body.len() {
        0..12 => 4,
        12..24 => 6,
        _ => 8,
    };
    let random = proof != Proof::Random || traits.varied();
    if traits.distinct < enough || !random || placeholder::example(whole, body) {
        return None;
    }
    let mut found = SecretMatch::sure(rules::label(index), span.start, span.end);
    if proof == Proof::Weak {
        found.confidence = Confidence::Medium;
    }
    Some(found)
}

/// Whether a token may begin here: not in the middle of a word.
fn begins(bytes: &[u8], start: usize) -> bool {
    let behind = |by: usize| start.checked_sub(by).and_then(|at| bytes.get(at)).copied();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let inside = bytes.get(start).is_some_and(|byte| word(*byte)) && behind(1).is_some_and(word);
    // `\nghp_...` in a string, `%3Dghp_...` in an address.
    let escaped = behind(2) == Some(b'\\') && matches!(behind(1), Some(b'n' | b'r' | b't'));
    let encoded = behind(3) == Some(b'%') && behind(1).is_some_and(|b| b.is_ascii_hexdigit());
    (!inside || escaped || encoded) && !in_blob(bytes, start)
}

/// Whether this is the middle of base64 data.
fn in_blob(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(24)..start).unwrap_or_default();
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    matches!(before.last(), Some(b'+' | b'/')) && before.len() == 24 && before.iter().all(part)
}

/// A token after `Bearer`.
pub(super) fn bearer(bytes: &[u8], end: usize) -> Option<SecretMatch> {
    // In a header, and as a field: `bearer: x`, `bearer=x`, `"bearer": "x"`.
    let closed = assign::skip(bytes, end, 2, |byte| matches!(byte, b'"' | b'\'' | b'\\'));
    let start = assign::skip(bytes, closed, 3, |byte| matches!(byte, b' ' | b':' | b'='));
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let secret = start > closed
        && value::kinds(text) & value::DIGIT != 0
        && Traits::of(text).random(20)
        && !value::uuid(text)
        && !placeholder::is(text)
        && !text.iter().any(|byte| matches!(byte, b'(' | b'[' | b'{'));
    let label = (BEARER.id, BEARER.title);
    secret.then(|| SecretMatch::new(label, value.start, value.end, Confidence::Medium))
}

/// The secret half of an AWS key, shortly after the other half.
pub(super) fn aws_secret(bytes: &[u8], end: usize) -> Option<SecretMatch> {
    let rest = bytes.get(end..)?;
    let rest = rest.get(..rest.len().min(200))?;
    let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'/' || *byte == b'+';
    let mut at = 0;
    for word in rest.split(|byte| !part(byte)) {
        let traits = Traits::of(word);
        if word.len() == 40 && traits.kinds() >= 3 && traits.random(40) && !placeholder::is(word) {
            let start = end.saturating_add(at);
            let label = (AWS_SECRET.id, AWS_SECRET.title);
            let mut found =
                SecretMatch::new(label, start, start.saturating_add(40), Confidence::High);
            found.sure = true;
            return Some(found);
        }
        at = at.saturating_add(word.len()).saturating_add(1);
    }
    None
}
