//! Secrets passed next to their name: cookies, and input of commands.
//!
//! Only for redaction: any value in such a place is removed.

use super::assign::{self, Link};
use super::flags;
use super::names::{Name, Sort};
use super::placeholder;
use super::rules::{BASIC, GENERIC, PASSWORD};
use super::{Confidence, Leak, SecretMatch};

/// Maximum length of a cookie's name and value.
const NAME: usize = 64;
const VALUE: usize = 4096;
/// Number of bytes of the command examined before its input.
const BACK: usize = 240;

/// Attributes of a cookie, which are not session data.
const ATTRIBUTES: &[&[u8]] =
    &[b"path", b"domain", b"expires", b"max-age", b"samesite", b"secure", b"httponly"];

/// The values of `Cookie: session=...; theme=...`, `Set-Cookie: ...` and `--cookie ...`, after the word.
pub(super) fn cookie(bytes: &[u8], end: usize) -> Option<SecretMatch> {
    let lead = |byte: u8| matches!(byte, b'"' | b'\'' | b'\\' | b' ' | b':' | b'=');
    let start = assign::skip(bytes, end, 5, lead);
    (start > end).then(|| pairs(bytes, start))?
}

/// The values of the pairs that begin here, as one range.
pub(super) fn pairs(bytes: &[u8], start: usize) -> Option<SecretMatch> {
    let mut span: Option<(usize, usize)> = None;
    let mut at = start;
    while let Some((name, value)) = pair(bytes, at) {
        let text = bytes.get(value.0..value.1)?;
        let named = bytes.get(name.0..name.1)?;
        let says = ATTRIBUTES.iter().any(|word| named.eq_ignore_ascii_case(word));
        if !says && text.len() >= 3 && !placeholder::reference(text) {
            span = Some((span.map_or(value.0, |(first, _)| first), value.1));
        }
        if bytes.get(value.1) != Some(&b';') {
            break;
        }
        at = assign::skip(bytes, value.1.saturating_add(1), 2, |byte| byte == b' ');
    }
    let (start, end) = span?;
    Some(SecretMatch::new((GENERIC.id, GENERIC.title), start, end, Confidence::Medium))
}

type Place = (usize, usize);

/// `name=value`; the value ends at the next pair or the end of the string.
fn pair(bytes: &[u8], at: usize) -> Option<(Place, Place)> {
    let rest = bytes.get(at..)?;
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let len = rest.iter().take(NAME).take_while(is_name).count();
    let equals = at.saturating_add(len);
    if len == 0 || bytes.get(equals) != Some(&b'=') {
        return None;
    }
    let start = equals.saturating_add(1);
    let is_value = |byte: &&u8| !byte.is_ascii_whitespace() && !b";\"'`\\".contains(byte);
    let len = bytes.get(start..)?.iter().take(VALUE).take_while(is_value).count();
    Some(((at, equals), (start, start.saturating_add(len))))
}

/// `lftp -u user,password`.
pub(super) fn after_comma(bytes: &[u8], start: usize) -> Option<SecretMatch> {
    let rest = bytes.get(start..)?;
    let word = rest.iter().take(BACK).take_while(|byte| !byte.is_ascii_whitespace()).count();
    let word = rest.get(..word)?;
    let comma = word.iter().position(|byte| *byte == b',')?;
    let from = start.saturating_add(comma).saturating_add(1);
    let quotes = |byte: &&u8| matches!(byte, b'"' | b'\'');
    let open = bytes.get(from..)?.iter().take_while(quotes).count();
    let close = word.iter().rev().take_while(quotes).count();
    let (from, end) =
        (from.saturating_add(open), start.saturating_add(word.len()).saturating_sub(close));
    let text = bytes.get(from..end)?;
    let secret = text.len() >= 3 && !placeholder::reference(text);
    secret.then(|| SecretMatch::new((BASIC.id, BASIC.title), from, end, Confidence::Medium))
}

/// The text after `<<<` where the command names a secret: `read -r PASSWORD <<< ...`, `xargs -I{} tool
/// --password {} <<< ...`.
pub(super) fn here(text: &str, leaks: &mut Vec<Leak>) {
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices("<<<") {
        let before = bytes.get(at.saturating_sub(BACK)..at).unwrap_or_default();
        let command = before.rsplit(|byte| b"\n;|&".contains(byte)).next().unwrap_or_default();
        if names_secret(command) {
            let start = assign::skip(bytes, at.saturating_add(3), 2, assign::blank);
            leaks.extend(word(bytes, start).map(leak));
        }
    }
}

/// Input piped to `read` and `xargs` in a command that names a secret.
pub(super) fn piped(text: &str, leaks: &mut Vec<Leak>) {
    let bytes = text.as_bytes();
    for reader in ["read ", "xargs "] {
        for (at, _) in text.match_indices(reader) {
            let rest = bytes.get(at..).unwrap_or_default();
            let rest = rest.get(..rest.len().min(BACK)).unwrap_or_default();
            let command = rest.split(|byte| b"\n;|&<".contains(byte)).next().unwrap_or_default();
            if names_secret(command) {
                leaks.extend(flags::printed(bytes, at).map(leak));
            }
        }
    }
}

fn leak(found: SecretMatch) -> Leak {
    let (rule, title) = found.label;
    let SecretMatch { start, end, confidence, .. } = found;
    Leak { rule, title, start, end, confidence, name: None }
}

/// Whether a word of a command is the name of a secret.
fn names_secret(command: &[u8]) -> bool {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    let sort = |word: &[u8]| Name::of(word).sort();
    command
        .split(|byte| !is_name(byte))
        .any(|word| word.len() >= 3 && matches!(sort(word), Some(Sort::Password | Sort::Token)))
}

/// The word at `start`.
pub(super) fn word(bytes: &[u8], start: usize) -> Option<SecretMatch> {
    let value = assign::value(bytes, start, Link::Blank)?;
    let text = bytes.get(value.start..value.end)?;
    let secret = text.len() >= 3 && !text.starts_with(b"$") && !placeholder::reference(text);
    let label = (PASSWORD.id, PASSWORD.title);
    secret.then(|| SecretMatch::new(label, value.start, value.end, Confidence::Medium))
}
