//! Lazy JSON access, one level at a time.
//!
//! A payload may contain megabytes of file content, numbers no float can represent and arbitrarily deep
//! nesting. So an object is split into keys and raw value slices, and a value is decoded only on demand.
//! `serde_json` skips values without recursion, so deep nesting is harmless here.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Number;
pub use serde_json::value::RawValue;

use elements::Elements;

mod elements;

/// One level of a JSON object: keys in the order sent, values as sent.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    text: &'a str,
    entries: Vec<(Cow<'a, str>, &'a RawValue)>,
}

impl<'a> Object<'a> {
    /// Splits `text`, which must be exactly one JSON object of at most [`MAX_PARTS`] keys.
    pub fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        let entries = serde_json::from_str::<Entries<'a>>(text)?.0;
        Ok(Self { text: text.trim_ascii(), entries })
    }

    /// The object as it was sent, without surrounding white space.
    pub fn text(&self) -> &'a str {
        self.text
    }

    pub fn entries(&self) -> &[(Cow<'a, str>, &'a RawValue)] {
        &self.entries
    }

    /// The value of `key`; the last one if the key is repeated, as in JavaScript.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    /// True when `key` is there with a value other than `null`.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| !is_null(value))
    }

    /// A string field, decoded. `None` when absent, null or of another type.
    pub fn str(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(string)
    }

    /// A string field left undecoded, for text that may be large.
    pub fn text_of(&self, key: &str) -> Option<Text<'a>> {
        self.get(key).and_then(Text::of)
    }

    pub fn bool(&self, key: &str) -> Option<bool> {
        match self.get(key)?.get() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// A number as sent. `None` for one out of range, such as `1e999`.
    pub fn number(&self, key: &str) -> Option<Number> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// A nested object, split one level.
    pub fn object(&self, key: &str) -> Option<Object<'a>> {
        Object::parse(self.get(key)?.get()).ok()
    }

    /// The elements of an array field.
    pub fn array(&self, key: &str) -> Option<Vec<&'a RawValue>> {
        array(self.get(key)?)
    }
}

/// Maximum number of keys or elements that are split; no real tool input has so many, and each takes memory.
pub const MAX_PARTS: usize = 1 << 18;

/// The elements of `raw` if it is an array of at most [`MAX_PARTS`].
pub fn array(raw: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str::<Elements<'_>>(raw.get()).ok().map(|elements| elements.0)
}

/// The decoded string if `raw` is one.
pub fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    Text::of(raw).map(Text::into_cow)
}

pub fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

struct Entries<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::with_capacity(16);
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            // By the grammar a key is a string; if decoding ever failed, the raw text is used.
            let name = string(key).unwrap_or(Cow::Borrowed(key.get()));
            if entries.len() == MAX_PARTS {
                return Err(A::Error::custom("more keys than are read"));
            }
            entries.push((name, value));
        }
        Ok(Entries(entries))
    }
}

/// A string from a payload, decoded only on demand.
#[derive(Clone)]
pub enum Text<'a> {
    /// Without escapes, or created by us.
    Plain(Cow<'a, str>),
    /// A JSON string literal that holds escapes.
    Escaped(&'a RawValue),
}

impl<'a> Text<'a> {
    /// The text of a JSON string value, or `None` for any other value.
    pub fn of(raw: &'a RawValue) -> Option<Self> {
        let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
        Some(if inner.contains('\\') {
            Text::Escaped(raw)
        } else {
            Text::Plain(Cow::Borrowed(inner))
        })
    }

    /// The decoded text. Text with escapes is decoded on every call: keep the result.
    pub fn get(&self) -> Cow<'_, str> {
        match self {
            Text::Plain(text) => Cow::Borrowed(text),
            Text::Escaped(raw) => Cow::Owned(unescape(raw)),
        }
    }

    /// The decoded text, or the raw text with its escapes if decoding would copy more than `most` bytes.
    pub fn get_or_sent(&self, most: usize) -> Cow<'_, str> {
        match self {
            Text::Escaped(raw) if raw.get().len() > most => {
                Cow::Borrowed(raw.get().trim_matches('"'))
            }
            other => other.get(),
        }
    }

    pub fn into_cow(self) -> Cow<'a, str> {
        match self {
            Text::Plain(text) => text,
            Text::Escaped(raw) => Cow::Owned(unescape(raw)),
        }
    }

    /// The same text without borrowing from a payload.
    pub fn into_owned(self) -> Text<'static> {
        Text::Plain(Cow::Owned(self.into_cow().into_owned()))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.get() == other
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text::Plain(Cow::Borrowed(text))
    }
}

impl From<String> for Text<'_> {
    fn from(text: String) -> Self {
        Text::Plain(Cow::Owned(text))
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Text::Plain(text) => serializer.serialize_str(text),
            Text::Escaped(raw) => raw.serialize(serializer),
        }
    }
}

/// A JSON value, borrowed from the payload or unpacked from a string inside it.
#[derive(Clone, Debug)]
pub enum Json<'a> {
    Borrowed(&'a RawValue),
    Owned(Box<RawValue>),
}

impl<'a> Json<'a> {
    /// Parses a value that a host sends as JSON inside a string.
    ///
    /// A string that is not JSON stays a string: hosts also send plain text there.
    pub fn unpack(raw: &'a RawValue) -> Self {
        let Some(inner) = string(raw) else {
            return Json::Borrowed(raw);
        };
        // Only objects and arrays: the output `42` of a command is text, not a number.
        if !inner.trim_ascii_start().starts_with(['{', '[']) {
            return Json::Borrowed(raw);
        }
        match RawValue::from_string(inner.trim_ascii().to_owned()) {
            Ok(value) => Json::Owned(value),
            Err(_) => Json::Borrowed(raw),
        }
    }

    /// A plain text as a JSON string.
    pub fn from_text(text: &str) -> Option<Json<'static>> {
        serde_json::value::to_raw_value(text).ok().map(Json::Owned)
    }

    /// The value as JSON text.
    pub fn get(&self) -> &str {
        self.raw().get()
    }

    /// All strings inside the value, decoded, one per line. Content that is nested too deep is copied raw.
    pub fn strings(&self) -> Cow<'_, str> {
        if let Some(text) = string(self.raw()) {
            return text;
        }
        let mut out = String::new();
        collect_strings(self.raw(), MAX_DEPTH, &mut out);
        Cow::Owned(out)
    }

    pub fn raw(&self) -> &RawValue {
        match self {
            Json::Borrowed(raw) => raw,
            Json::Owned(raw) => raw,
        }
    }

    /// The same value without borrowing from a payload.
    pub fn into_owned(self) -> Json<'static> {
        Json::Owned(match self {
            Json::Borrowed(raw) => raw.to_owned(),
            Json::Owned(raw) => raw,
        })
    }

    pub fn as_object(&self) -> Option<Object<'_>> {
        Object::parse(self.get()).ok()
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw().serialize(serializer)
    }
}

fn collect_strings(raw: &RawValue, depth: usize, out: &mut String) {
    // Maximum depth: every level is split again, so more is too expensive.
    const FOLLOWED: usize = 16;
    let deeper = depth.checked_sub(1).filter(|_| MAX_DEPTH.saturating_sub(depth) < FOLLOWED);
    if let Some(text) = string(raw) {
        out.push_str(&text);
        out.push('\n');
    } else if let (Some(depth), Ok(object)) = (deeper, Object::parse(raw.get())) {
        for (_, value) in object.entries() {
            collect_strings(value, depth, out);
        }
    } else if let (Some(depth), Some(items)) = (deeper, array(raw)) {
        for item in items {
            collect_strings(item, depth, out);
        }
    } else if raw.get().contains('"') {
        out.push_str(raw.get());
        out.push('\n');
    }
}

/// Decodes a JSON string literal. A lone surrogate, which JavaScript hosts can send, becomes U+FFFD instead
/// of an error.
fn unescape(raw: &RawValue) -> String {
    let literal = raw.get();
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    unescape_literal(inner).into_owned()
}

/// The text between the quotes of a JSON string, decoded.
pub(crate) fn unescape_literal(inner: &str) -> Cow<'_, str> {
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some((plain, escape)) = rest.split_once('\\') {
        out.push_str(plain);
        let mut chars = escape.chars();
        let code = chars.next();
        rest = chars.as_str();
        match code {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('u') => {
                let (character, after) = unescape_unicode(rest);
                out.push(character);
                rest = after;
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Decodes the digits after `\u`, joining a surrogate pair.
fn unescape_unicode(text: &str) -> (char, &str) {
    let Some((first, rest)) = hex4(text) else {
        return (char::REPLACEMENT_CHARACTER, text);
    };
    if let Some(character) = char::from_u32(first) {
        return (character, rest);
    }
    let low = rest.strip_prefix("\\u").and_then(hex4);
    match low {
        Some((second, after)) if first < 0xDC00 && (0xDC00..0xE000).contains(&second) => {
            let joined = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            (char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER), after)
        }
        _ => (char::REPLACEMENT_CHARACTER, rest),
    }
}

fn hex4(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    Some((u32::from_str_radix(digits, 16).ok()?, rest))
}

/// Maximum nesting depth that all common JSON parsers accept.
pub const MAX_DEPTH: usize = 100;

/// Replacements made by [`portable`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    pub surrogates: bool,
    pub depth: bool,
}

/// Makes valid JSON acceptable to every language's parser.
///
/// Two things are valid JSON but rejected by some parsers, which would disable a guard written in that
/// language: lone surrogates, which become U+FFFD, and values nested deeper than [`MAX_DEPTH`], which become
/// null.
pub fn portable(text: String) -> (String, Changed) {
    let mut changed = Changed::default();
    let mut out = String::new();
    let mut copied = 0;
    let mut scan = Scan { text: &text, at: 0, depth: 0, in_string: false };
    while let Some(found) = scan.next_offence() {
        let (start, end, instead) = match found {
            Offence::Surrogate(start) => {
                changed.surrogates = true;
                (start, start + 6, "\\ufffd")
            }
            Offence::Depth(start, end) => {
                changed.depth = true;
                (start, end, "null")
            }
        };
        out.push_str(text.get(copied..start).unwrap_or_default());
        out.push_str(instead);
        copied = end;
    }
    if copied == 0 {
        return (text, changed);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    (out, changed)
}

enum Offence {
    /// Start of the `\uXXXX` of a lone surrogate.
    Surrogate(usize),
    /// Start and end of a value that is nested too deep.
    Depth(usize, usize),
}

/// Scanner for valid JSON that recognises only strings and brackets.
struct Scan<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// Whether the last stop was inside a string.
    in_string: bool,
}

impl Scan<'_> {
    fn next_offence(&mut self) -> Option<Offence> {
        loop {
            if self.in_string
                && let Some(start) = self.string()
            {
                return Some(Offence::Surrogate(start));
            }
            match self.take()? {
                b'"' => self.in_string = true,
                b'{' | b'[' if self.depth == MAX_DEPTH => {
                    let start = self.at - 1;
                    self.skip_nested();
                    return Some(Offence::Depth(start, self.at));
                }
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.text.as_bytes().get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// Scans to the end of the current string, or past its next lone surrogate, whose start it returns.
    fn string(&mut self) -> Option<usize> {
        loop {
            match self.take()? {
                b'"' => {
                    self.in_string = false;
                    return None;
                }
                b'\\' => {
                    let start = self.at - 1;
                    if self.take()? == b'u' && self.is_lone_surrogate() {
                        return Some(start);
                    }
                }
                _ => {}
            }
        }
    }

    /// Parses the digits after `\u`, and the second half of a pair if present.
    fn is_lone_surrogate(&mut self) -> bool {
        let Some((first, rest)) = self.text.get(self.at..).and_then(hex4) else {
            return false;
        };
        self.at += 4;
        if !(0xD800..0xE000).contains(&first) {
            return false;
        }
        let second = rest.strip_prefix("\\u").and_then(hex4).map(|(second, _)| second);
        let pair = first < 0xDC00 && second.is_some_and(|low| (0xDC00..0xE000).contains(&low));
        if pair {
            self.at += 6;
        }
        !pair
    }

    /// Skips to the end of a value whose opening bracket is already consumed.
    fn skip_nested(&mut self) {
        let mut open = 1_usize;
        while open > 0 {
            match self.take() {
                Some(b'"') => while self.string().is_some() {},
                Some(b'{' | b'[') => open += 1,
                Some(b'}' | b']') => open -= 1,
                Some(_) => {}
                None => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn decodes_every_escape() {
        let literal = raw(r#""a\"b\\c\/d\b\f\n\r\t\u00e9\ud83d\ude00""#);
        let expected: String = serde_json::from_str(literal.get()).unwrap();
        assert_eq!(string(&literal).unwrap(), expected);
    }

    #[test]
    fn a_lone_surrogate_becomes_a_replacement_character() {
        assert_eq!(string(&raw(r#""x\ud800y""#)).unwrap(), "x\u{fffd}y");
        assert_eq!(string(&raw(r#""\ude00\ud83d\u0041""#)).unwrap(), "\u{fffd}\u{fffd}A");
    }

    #[test]
    fn the_last_of_repeated_keys_wins() {
        let object = Object::parse(r#"{"a":1,"a":2}"#).unwrap();
        assert_eq!(object.get("a").unwrap().get(), "2");
    }

    #[test]
    fn deep_nesting_is_skipped_without_recursion() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(200_000), "]".repeat(200_000));
        assert!(Object::parse(&deep).unwrap().has("a"));
    }

    #[test]
    fn more_parts_than_are_read_are_refused() {
        let list = |count: usize| raw(&format!("[{}1]", "1,".repeat(count - 1)));
        assert_eq!(array(&list(MAX_PARTS)).unwrap().len(), MAX_PARTS);
        assert!(array(&list(MAX_PARTS + 1)).is_none());
        let object = |count: usize| format!("{{{}\"a\":1}}", "\"a\":1,".repeat(count - 1));
        assert_eq!(Object::parse(&object(MAX_PARTS)).unwrap().entries().len(), MAX_PARTS);
        assert!(Object::parse(&object(MAX_PARTS + 1)).is_err());
    }

    #[test]
    fn a_number_no_float_can_hold_is_absent_not_an_error() {
        let object = Object::parse(r#"{"d":1e999,"n":123456789012345678901234567890}"#).unwrap();
        assert_eq!(object.number("d"), None);
        assert!(object.has("n"));
    }

    #[test]
    fn portable_text_replaces_half_surrogates_and_nothing_else() {
        let text = r#"{"a\ud800":"x\udc00\ud83d\ude00 \\ud800 \ud83dz","b":"\ud83d\u0041"}"#;
        let (made, changed) = portable(text.to_owned());
        assert_eq!(made, r#"{"a\ufffd":"x\ufffd\ud83d\ude00 \\ud800 \ufffdz","b":"\ufffd\u0041"}"#);
        assert_eq!(changed, Changed { surrogates: true, depth: false });
        assert!(serde_json::from_str::<serde_json::Value>(&made).is_ok());
    }

    #[test]
    fn portable_text_is_not_deep() {
        let deep = format!(r#"{{"a":{}"]\ud800"{},"b":1}}"#, "[".repeat(500), "]".repeat(500));
        let (made, changed) = portable(deep);
        assert_eq!(made, format!(r#"{{"a":{}null{},"b":1}}"#, "[".repeat(99), "]".repeat(99)));
        assert!(changed.depth);
        let flat = r#"{"a":[[[]]]}"#.to_owned();
        assert_eq!(portable(flat.clone()), (flat, Changed::default()));
    }

    #[test]
    fn a_string_that_holds_json_is_unpacked_and_other_text_stays() {
        let literal = raw(r#""{\"a\":1}""#);
        assert_eq!(Json::unpack(&literal).get(), r#"{"a":1}"#);
        for text in [r#""plain words""#, r#""42""#, r#""{broken""#] {
            assert_eq!(Json::unpack(&raw(text)).get(), text);
        }
    }
}
