//! Strings inside JSON, as whoever reads the JSON will read them.
//!
//! A secret may be written `\\u0067hp_...`, which no scanner takes for one. So nothing goes into a record
//! in the form it was sent in: strings are decoded, cleaned, and written again in the shortest way.

use serde_json::value::RawValue;
use tenter_model::json;

use super::{Redact, beginning};

/// No byte of a decoded string takes more than this in JSON (`\\u0067`).
const LONGEST_ESCAPE: usize = 6;
/// Some hosts send JSON inside a string, and some tools put JSON inside that.
const DEEPEST: usize = 3;

/// The first bytes of a JSON string literal, decoded: at least `most` of them if there are so many.
pub(super) fn beginning_of(literal: &str, most: usize) -> String {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    // Nearly all are short, and hold no half of a surrogate pair.
    if inner.len() <= most
        && let Ok(text) = serde_json::from_str(literal)
    {
        return text;
    }
    let start = beginning(inner, most.saturating_mul(LONGEST_ESCAPE));
    // The cut may fall into an escape; no escape with its pair is longer than 12 letters.
    let decoded = (0..=12).find_map(|less| {
        decode(&format!("\"{}\"", start.get(..start.len().saturating_sub(less))?))
    });
    decoded.unwrap_or_default()
}

fn decode(literal: &str) -> Option<String> {
    let raw: &RawValue = serde_json::from_str(literal).ok()?;
    json::string(raw).map(std::borrow::Cow::into_owned)
}

/// The first bytes of a JSON text with secrets taken out of its strings: at least `most` of them if there
/// are so many.
pub(super) fn plain(json: &str, most: usize, redact: &Redact<'_>) -> String {
    rewritten(beginning(json, most.saturating_mul(LONGEST_ESCAPE)), DEEPEST, redact)
}

fn rewritten(json: &str, depth: usize, redact: &Redact<'_>) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(open) = rest.find('"') {
        let (before, from_quote) = rest.split_at_checked(open).unwrap_or_default();
        out.push_str(before);
        let (literal, after) = from_quote.split_at_checked(end_of(from_quote)).unwrap_or_default();
        // Where nothing is escaped the text as a whole is looked at later.
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

/// Where the string that begins here ends: behind its last quote, or at the end of a text that was cut.
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
