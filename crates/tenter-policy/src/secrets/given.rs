//! Values that count as secrets by their name alone.
//!
//! The guard must be precise, so it checks the value too: `DB_PASSWORD=hunter2` may be a test. A record that
//! omits one word too many costs little, one that contains a password does not. So when texts are redacted
//! for the record, every value passed as a password or token is removed.

use super::assign::{self, Link, Value};
use super::generic;
use super::names::Sort;
use super::placeholder;
use super::rules::{BASIC, GENERIC, PASSWORD};
use super::value::{self, Traits};
use super::{Confidence, SecretMatch};

/// Maximum length of the rest of a word after the first part of a value.
const WORD: usize = 512;

/// Harmless values: a switch, a type, a label.
const WORDS: &[&[u8]] = &[
    b"true",
    b"false",
    b"null",
    b"none",
    b"nil",
    b"undefined",
    b"yes",
    b"no",
    b"on",
    b"off",
    b"string",
    b"str",
    b"text",
    b"number",
    b"integer",
    b"int",
    b"bool",
    b"boolean",
    b"object",
    b"array",
    b"any",
    b"bytes",
    b"password",
    b"passwd",
    b"token",
    b"secret",
    b"required",
    b"optional",
    b"hidden",
    b"prompt",
    b"ask",
    b"env",
    b"file",
    b"stdin",
    b"default",
    b"inherit",
    b"self",
    b"empty",
    b"unset",
    b"missing",
    b"invalid",
    b"expired",
    b"wrong",
    b"the",
    b"is",
    b"and",
    b"or",
    b"for",
];

/// The value of the name at `name`, if it is passed as a secret.
pub(super) fn hidden(
    bytes: &[u8],
    name: (usize, usize),
    value: &Value,
    sort: Sort,
) -> Option<SecretMatch> {
    let value = &within(bytes, value);
    let text = bytes.get(value.start..value.end)?;
    let written = bytes.get(name.0..name.1)?;
    if !is_value(text) || written.eq_ignore_ascii_case(text) {
        return None;
    }
    let shouted = !written.iter().any(u8::is_ascii_lowercase);
    let flagged = is_flag(written);
    let handed = match (sort, value.link) {
        (Sort::Unsure, _) => false,
        (Sort::Header, _) => schemed(bytes, value.start) || Traits::of(text).random(12),
        (_, Link::Tight) => tight(bytes, name.0, value, text, shouted || flagged),
        (_, Link::Blank) => (flagged || in_environment(bytes, name.0)) && !text.starts_with(b"-"),
        (_, Link::Argument) => {
            let is_path = assign::before(bytes, name.0) == b'/';
            text.len() >= 6 && value.quoted && marked(text) && !spaced(text) && !is_path
        }
        (Sort::Password, Link::Sign | Link::Tag) if value.quoted => !spaced(text),
        (Sort::Password, Link::Tag) => !spaced(text),
        (Sort::Token, Link::Sign | Link::Tag) if value.quoted => {
            let in_json = matches!(bytes.get(name.1), Some(b'"' | b'\\'));
            text.len() >= 6 && (marked(text) || in_json) && !spaced(text)
        }
        (_, Link::Sign) => on_a_line(bytes, name.0, value, text, sort),
        _ => false,
    };
    let rule = match sort {
        Sort::Password => PASSWORD,
        Sort::Header => BASIC,
        Sort::Token | Sort::Unsure => GENERIC,
    };
    let end = word_end(bytes, value);
    let label = (rule.id, rule.title);
    handed.then(|| SecretMatch::new(label, value.start, end, Confidence::Medium))
}

/// The value without the bracket or comma of the surrounding call.
fn within(bytes: &[u8], value: &Value) -> Value {
    let text = bytes.get(value.start..value.end).unwrap_or_default();
    let closes = |byte: &&u8| matches!(byte, b')' | b',') && !text.contains(&b'(');
    let less = text.iter().rev().take_while(closes).count();
    let less = if value.quoted { 0 } else { less };
    Value { end: value.end.saturating_sub(less), ..*value }
}

/// End of the shell word that a value begins: `'hun'"ter2"` is one word.
pub(super) fn word_end(bytes: &[u8], value: &Value) -> usize {
    if value.link != Link::Tight && value.link != Link::Blank {
        return value.end;
    }
    let quote = |byte: u8| matches!(byte, b'"' | b'\'');
    let mut end = value.end;
    let mut at = value.end;
    let mut open = match bytes.get(at) {
        // The quote that closes the value, or one that opens its next part.
        Some(byte) if quote(*byte) => {
            at = at.saturating_add(1);
            (!value.quoted).then_some(*byte)
        }
        _ => return end,
    };
    while at.saturating_sub(value.end) < WORD
        && let Some(byte) = bytes.get(at)
    {
        match open {
            Some(quote) if *byte == quote => open = None,
            Some(_) if byte.is_ascii_whitespace() || b",;(){}[]".contains(byte) => {
                return value.end;
            }
            Some(_) => end = at.saturating_add(1),
            None if quote(*byte) => open = Some(*byte),
            None if byte.is_ascii_alphanumeric() || b"_-+/=.~%@!#^*:\\".contains(byte) => {
                end = at.saturating_add(1);
            }
            None => break,
        }
        at = at.saturating_add(1);
    }
    // An unclosed quote belongs to the surrounding text.
    if open.is_some() { value.end } else { end }
}

/// Whether this can be a value: not a reference, path, switch or expression.
fn is_value(text: &[u8]) -> bool {
    let dots = text.iter().all(|byte| b"*.xX-_?#".contains(byte));
    let path = [b"/".as_slice(), b"./", b"../", b".*", b"~/", b"@", b"`"];
    let word = |known: &[u8]| text.eq_ignore_ascii_case(known);
    let digits = text.len() < 4 && text.iter().all(u8::is_ascii_digit);
    !dots
        && !digits
        && !path.iter().any(|start| text.starts_with(start))
        && !WORDS.iter().copied().any(word)
        && !placeholder::reference(text)
        && !generic::code(text, Link::Tight)
}

/// Whether it is a long flag, `--db-password`, `-password`; but `-psecret` is a flag and its value.
fn is_flag(written: &[u8]) -> bool {
    let names = [b"-pass".as_slice(), b"-pw", b"-token", b"-secret", b"-api", b"-auth", b"-key"];
    written.starts_with(b"--") || names.iter().any(|name| placeholder::starts(written, name))
}

/// Whether it has digits, or characters that names lack.
fn marked(text: &[u8]) -> bool {
    value::kinds(text) & (value::DIGIT | value::SYMBOL) != 0
}

fn spaced(text: &[u8]) -> bool {
    value::kinds(text) & value::BLANK != 0
}

/// `NAME=value`, `--name=value`: for lower-case names only in a shell command or URL.
fn tight(bytes: &[u8], start: usize, value: &Value, text: &[u8], told: bool) -> bool {
    if told || marked(text) {
        return !spaced(text) || value.quoted;
    }
    let before = assign::before(bytes, start);
    let begins = before.is_ascii_whitespace() || b";&|=?\"'(".contains(&before);
    let after = bytes.get(value.end).copied().unwrap_or(b'\n');
    begins && !matches!(after, b',' | b')')
}

/// `ENV TOKEN ...` of a container file, `setx TOKEN ...`.
fn in_environment(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(8)..start).unwrap_or_default();
    [b"ENV ".as_slice(), b"ARG ", b"setx ", b"setenv "].iter().any(|word| before.ends_with(word))
}

/// Whether `Basic`, `Bearer` or similar precedes the value.
fn schemed(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(7)..start).unwrap_or_default();
    [b"basic ".as_slice(), b"bearer ", b"token ", b"apikey ", b"ssws "].iter().any(|word| {
        before.len() >= word.len() && {
            let end = before.get(before.len().saturating_sub(word.len())..);
            end.is_some_and(|end| end.eq_ignore_ascii_case(word))
        }
    })
}

/// `password: hunter2` at the end of a line: YAML, a header, a setting.
fn on_a_line(bytes: &[u8], start: usize, value: &Value, text: &[u8], sort: Sort) -> bool {
    let after = bytes.get(value.end).copied().unwrap_or(b'\n');
    let code = text.iter().any(|byte| b"()[]{}<>&|,;".contains(byte));
    let has_letter = text.iter().any(u8::is_ascii_alphabetic);
    if code || !has_letter || spaced(text) || !matches!(after, b'\n' | b'\r' | b'"' | b'\'') {
        return false;
    }
    let least = if sort == Sort::Password { 5 } else { 8 };
    if marked(text) && text.len() >= least {
        // A type: `password: Argon2Hash`.
        return !text.first().is_some_and(u8::is_ascii_uppercase) || !Traits::of(text).reads();
    }
    let before = bytes.get(start.saturating_sub(WORD)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    sort == Sort::Password
        && text.len() >= least
        && text.iter().all(u8::is_ascii_lowercase)
        && line.iter().all(|byte| matches!(byte, b' ' | b'-'))
}
