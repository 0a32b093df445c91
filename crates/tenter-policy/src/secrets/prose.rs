//! Secrets in sentences: `my password is ...`, `use this API key for staging: ...`.

use super::assign::{blank, skip};
use super::names::Sort;
use super::phrase;
use super::placeholder;
use super::rules::{GENERIC, PASSWORD};
use super::value::{self, Traits};
use super::{Confidence, SecretMatch};

/// Maximum number of words after the name, and of bytes.
const WORDS: usize = 9;
const BYTES: usize = 120;

/// The secret in the words from `at`, after a name of this kind.
pub(super) fn secret(bytes: &[u8], at: usize, sort: Sort) -> Option<SecretMatch> {
    if !matches!(sort, Sort::Password | Sort::Token) {
        return None;
    }
    let end = at.saturating_add(BYTES);
    let mut at = at;
    let mut after_link = false;
    for nth in 0..WORDS {
        at = skip(bytes, at, 4, blank);
        let stop = skip(bytes, at, BYTES.saturating_mul(4), |byte| !byte.is_ascii_whitespace());
        let word = bytes.get(at..stop)?;
        if word.is_empty() || at > end {
            return None;
        }
        let (start, stop) = bare(bytes, at, stop);
        let linked = after_link || matches!(word.first(), Some(b'"' | b'\'' | b'`'));
        let text = bytes.get(start..stop)?;
        let marked = value::kinds(text) & (value::DIGIT | value::SYMBOL) != 0;
        let thrown = linked && sort == Sort::Password && phrase::joined(text, 4);
        if text.len() >= 8
            && (marked && is_secret(text, sort, linked, nth == 0)
                || thrown && !placeholder::is(text))
        {
            let rule = if sort == Sort::Password { PASSWORD } else { GENERIC };
            return Some(SecretMatch::new((rule.id, rule.title), start, stop, Confidence::Medium));
        }
        after_link = links(word) || (nth == 0 && word == b"->");
        at = at.saturating_add(word.len());
        if word.ends_with(b".") || word.ends_with(b";") {
            return None;
        }
    }
    None
}

/// Whether `pass` is a noun here: `with pass ...`.
pub(super) fn hands_over(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(5)..start).unwrap_or_default();
    [b"with ".as_slice(), b" and ", b" the ", b" my ", b", "]
        .iter()
        .any(|word| before.ends_with(word))
}

/// The password after the word for one in another language.
pub(super) fn foreign(bytes: &[u8], at: usize) -> Option<SecretMatch> {
    let end = skip(bytes, at, 8, |byte| byte.is_ascii_alphabetic() || !byte.is_ascii());
    let sign = skip(bytes, end, 2, |byte| blank(byte) || byte == b':' || byte == b'=');
    (sign > end).then(|| secret(bytes, sign, Sort::Password))?
}

/// A word without surrounding quotes, brackets and punctuation.
fn bare(bytes: &[u8], start: usize, end: usize) -> (usize, usize) {
    let word = bytes.get(start..end).unwrap_or_default();
    let front = word.iter().take_while(|byte| b"\"'`(<[*".contains(byte)).count();
    let back = word.iter().rev().take_while(|byte| b"\"'`)>],.;:*".contains(byte)).count();
    let start = start.saturating_add(front);
    (start.min(end), end.saturating_sub(back).max(start.min(end)))
}

/// Words after which the value is expected.
fn links(word: &[u8]) -> bool {
    matches!(
        word,
        b"is"
            | b"was"
            | b"to"
            | b"as"
            | b"be"
            | b"="
            | b"-"
            | b"/"
            | b"are"
            | b"es"
            | b"est"
            | b"ist"
    ) || word.ends_with(b":")
        || word.ends_with(b"=")
}

fn is_secret(text: &[u8], sort: Sort, linked: bool, first: bool) -> bool {
    let traits = Traits::of(text);
    // In the middle of a sentence hexadecimal digits are rather a commit id.
    let expected = linked || first || !value::hex(text);
    let random = traits.random(20) && traits.digit > 0 && traits.inner >= 1 && expected;
    let varied = traits.kinds() == 3 && traits.inner >= 1 && traits.len >= 10 && !traits.reads();
    let strong = first && (traits.kinds() == 4 || varied);
    let typed = sort == Sort::Password
        && (linked || strong)
        && traits.password()
        && (traits.kinds() >= 3 || traits.inner >= 2)
        && (traits.symbol > 0 || traits.inner > 0 || traits.digit >= 2);
    let shorter = sort == Sort::Token && linked && traits.random(14) && traits.inner >= 2;
    (random || typed || shorter) && !harmless(text) && !placeholder::common(text)
}

/// Whether a random-looking text is harmless: paths, URLs, code, labelled hashes.
fn harmless(text: &[u8]) -> bool {
    let code = text
        .iter()
        .any(|byte| matches!(byte, b'(' | b')' | b'{' | b'}' | b'<' | b'\\' | b'[' | b'"'));
    let path = text.split(|byte| *byte == b'/').count() > 2 && !text.ends_with(b"=");
    let range = [b"A-Z".as_slice(), b"a-z", b"0-9"]
        .iter()
        .any(|range| text.windows(3).any(|part| part == *range));
    code || path
        || range
        || value::uuid(text)
        || text.starts_with(b"/")
        || text.starts_with(b"-")
        || text.starts_with(b"0x")
        || text.starts_with(b"sha")
        || text.starts_with(b"http")
        || text.contains(&b'=') && !text.ends_with(b"=")
        || placeholder::is(text)
}
