//! Decodes strings inside JSON before redaction.
//!
//! A secret may be written `\\u0067hp_...`, which no scanner recognises. So JSON never enters a record as
//! sent: strings are decoded, redacted and encoded again.

use serde_json::value::RawValue;
use tenter_model::json;
use tenter_model::text::first_bytes;

use super::Redact;

/// Maximum length in JSON of a decoded byte (`\\u0067`).
const LONGEST_ESCAPE: usize = 6;
/// Nesting depth of JSON inside strings: some hosts send JSON in a string, and some tools put JSON inside
/// that.
const DEEPEST: usize = 3;

/// Decodes the start of a JSON string literal: at least `most` bytes if it is that long.
pub(super) fn beginning_of(literal: &str, most: usize) -> String {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    // Most strings are short and have no lone surrogate.
    if inner.len() <= most
        && let Ok(text) = serde_json::from_str(literal)
    {
        return text;
    }
    let start = first_bytes(inner, most.saturating_mul(LONGEST_ESCAPE));
    // The cut may fall into an escape; a surrogate pair takes at most 12 characters.
    let decoded = (0..=12).find_map(|less| {
        decode(&format!("\"{}\"", start.get(..start.len().saturating_sub(less))?))
    });
    decoded.unwrap_or_default()
}

fn decode(literal: &str) -> Option<String> {
    let raw: &RawValue = serde_json::from_str(literal).ok()?;
    json::string(raw).map(std::borrow::Cow::into_owned)
}

/// The start of a JSON text with secrets redacted in its strings: at least `most` bytes if it is that long.
pub(super) fn plain(json: &str, most: usize, redact: &Redact<'_>) -> String {
    rewritten(first_bytes(json, most.saturating_mul(LONGEST_ESCAPE)), DEEPEST, redact)
}

fn rewritten(json: &str, depth: usize, redact: &Redact<'_>) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(open) = rest.find('"') {
        let (before, from_quote) = rest.split_at_checked(open).unwrap_or_default();
        out.push_str(before);
        let (literal, after) = from_quote.split_at_checked(end_of(from_quote)).unwrap_or_default();
        // Strings without escapes are redacted later, with the whole text.
        if literal.contains('\\') {
            let decoded = beginning_of(literal, literal.len());
            let clean = match depth.checked_sub(1) {
                Some(deeper) if decoded.starts_with(['{', '[', '"']) => {
                    rewritten(&decoded, deeper, redact)
                }
                _ => redact(&decoded).into_owned(),
            };
            out.push_str(&serde_json::to_string(&clean).unwrap_or_default());
        } else {
            out.push_str(literal);
        }
        rest = after;
    }
    out + rest
}

/// End of the string literal that starts here, or of the truncated text.
fn end_of(literal: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in literal.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return at.saturating_add(1),
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    literal.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn redact(text: &str) -> Cow<'_, str> {
        Cow::Owned(text.replace("secret", "[gone]"))
    }

    fn shown(json: &str) -> String {
        redact(&plain(json, 1000, &redact)).into_owned()
    }

    #[test]
    fn a_secret_is_found_however_it_is_written() {
        for (json, wanted) in [
            (r#"{"a":"secret"}"#, r#"{"a":"[gone]"}"#),
            (r#"{"a":"\u0073ecret"}"#, r#"{"a":"[gone]"}"#),
            (r#"{"\u0073ecret":1}"#, r#"{"[gone]":1}"#),
            (r#"["x \"\ud800 s\u0065cret\" y",2]"#, "[\"x \\\"\u{fffd} [gone]\\\" y\",2]"),
            (r#"{"a":"{\"b\":\"\\u0073ecret\"}"}"#, r#"{"a":"{\"b\":\"[gone]\"}"}"#),
            (r#"{"a":"\u0073ecr"#, r#"{"a":"secr""#),
            (r#"{"a":"x\"#, r#"{"a":"x""#),
            (r#""\\" "secret""#, r#""\\" "[gone]""#),
        ] {
            assert_eq!(shown(json), wanted, "{json}");
        }
    }

    #[test]
    fn the_beginning_is_as_long_as_was_asked_for() {
        let long = format!("\"{}\"", "\\u0430".repeat(1000));
        assert_eq!(beginning_of(&long, 2000), "\u{430}".repeat(1000));
        assert!(beginning_of(&long, 90).len() >= 90);
        assert_eq!(beginning_of(r#""a\ud83d\ude00b""#, 3), "a\u{1f600}b");
        assert_eq!(beginning_of(r#""a\ud800b""#, 100), "a\u{fffd}b");
    }
}
