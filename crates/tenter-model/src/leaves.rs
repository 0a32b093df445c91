//! Collects all scalar values inside a JSON value in one pass.
//!
//! Splitting an object level by level reads inner levels repeatedly. A guard that must inspect a tool's
//! complete input would pay that for hostile nesting; this walk is linear, has its own stack and stops at
//! [`MAX_DEPTH`].

use std::borrow::Cow;

use crate::json::{MAX_DEPTH, RawValue, unescape_literal};

/// A scalar inside a JSON value, with the keys that lead to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf<'a> {
    /// Its key, as sent; elements of a list have the list's key.
    key: &'a str,
    /// Key of the containing object; empty at the top level.
    holder: &'a str,
    /// As sent, quotes included.
    pub raw: &'a str,
    /// Number of the containing object: leaves of one object are siblings.
    pub object: u32,
    /// Number of the containing list; 0 if none.
    pub list: u32,
}

impl<'a> Leaf<'a> {
    pub fn key(&self) -> Cow<'a, str> {
        unescape_literal(self.key)
    }

    pub fn holder(&self) -> Cow<'a, str> {
        unescape_literal(self.holder)
    }

    /// The decoded text, if it is a string.
    pub fn text(&self) -> Option<Cow<'a, str>> {
        self.raw.starts_with('"').then(|| unescape_literal(unquoted(self.raw)))
    }
}

/// Maximum number of values visited, and of leaves kept. Numbers and literals in lists are not kept.
const MAX_SEEN: usize = 1 << 20;
const MAX_KEPT: usize = 1 << 17;

/// The leaves of a value, and whether they are complete.
#[derive(Clone, Debug, Default)]
pub struct Leaves<'a> {
    /// Without numbers and literals in lists.
    pub list: Vec<Leaf<'a>>,
    /// Whether some were nested too deep.
    pub cut: bool,
    /// Whether there were too many.
    pub too_many: bool,
    seen: usize,
    objects: u32,
    lists: u32,
}

#[derive(Clone, Copy)]
struct Frame<'a> {
    /// Key of the values at this level.
    key: &'a str,
    holder: &'a str,
    object: u32,
    list: u32,
    is_object: bool,
}

impl<'a> Leaves<'a> {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the leaves of `raw`, the value of `key` in the object with number 0.
    pub fn add(&mut self, key: &'a str, raw: &'a RawValue) {
        let text = raw.get();
        let mut levels: Vec<Frame<'a>> = Vec::new();
        let mut level = Frame { key, holder: "", object: 0, list: 0, is_object: false };
        let mut too_deep = 0_usize;
        let mut rest = text;
        // Inside an object, a string before the colon is a key.
        let mut wants_key = false;
        while let Some(first) = rest.bytes().next().filter(|_| !self.too_many) {
            let length = match first {
                b'{' | b'[' => {
                    if too_deep > 0 || levels.len() >= MAX_DEPTH {
                        too_deep += 1;
                        self.cut = true;
                    } else {
                        levels.push(level);
                        level = self.inside(level, first == b'{');
                        wants_key = level.is_object;
                    }
                    1
                }
                b'}' | b']' => {
                    if too_deep > 0 {
                        too_deep -= 1;
                    } else {
                        level = levels.pop().unwrap_or(level);
                    }
                    wants_key = false;
                    1
                }
                b',' => {
                    wants_key = level.is_object;
                    1
                }
                b':' => {
                    wants_key = false;
                    1
                }
                b' ' | b'\t' | b'\r' | b'\n' => 1,
                b'"' => {
                    let length = string_length(rest);
                    if too_deep == 0 {
                        let raw = rest.get(..length).unwrap_or(rest);
                        if wants_key {
                            level.key = unquoted(raw);
                        } else {
                            self.push(level, raw);
                        }
                    }
                    length
                }
                _ => {
                    let end = |c: char| ",]}: \t\r\n".contains(c);
                    let length = rest.find(end).unwrap_or(rest.len()).max(1);
                    if too_deep == 0 {
                        self.push(level, rest.get(..length).unwrap_or(rest));
                    }
                    length
                }
            };
            rest = rest.get(length..).unwrap_or_default();
        }
    }

    fn inside(&mut self, outer: Frame<'a>, is_object: bool) -> Frame<'a> {
        if is_object {
            self.objects = self.objects.saturating_add(1);
            Frame { key: "", holder: outer.key, object: self.objects, list: 0, is_object }
        } else {
            self.lists = self.lists.saturating_add(1);
            Frame { list: self.lists, is_object, ..outer }
        }
    }

    fn push(&mut self, level: Frame<'a>, raw: &'a str) {
        self.seen += 1;
        if level.list != 0 && !raw.starts_with('"') {
            self.too_many |= self.seen > MAX_SEEN;
            return;
        }
        if self.seen > MAX_SEEN || self.list.len() >= MAX_KEPT {
            self.too_many = true;
            return;
        }
        let Frame { key, holder, object, list, .. } = level;
        self.list.push(Leaf { key, holder, raw, object, list });
    }
}

/// Text between the quotes.
fn unquoted(raw: &str) -> &str {
    let inner = raw.strip_prefix('"').unwrap_or(raw);
    inner.strip_suffix('"').unwrap_or(inner)
}

/// The length of the JSON string that `text` starts with, quotes included.
fn string_length(text: &str) -> usize {
    let mut from = 1;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find(['"', '\\'])) {
        let at = from + found;
        if text.as_bytes().get(at) == Some(&b'"') {
            return at + 1;
        }
        // The escaped character may be longer than a byte.
        let escaped = text.get(at + 1..).and_then(|rest| rest.chars().next());
        from = at + 1 + escaped.map_or(0, char::len_utf8);
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Object;

    fn leaves(text: &str) -> Vec<(String, String, String, u32, u32)> {
        let object = Object::parse(text).unwrap();
        let mut leaves = Leaves::new();
        for (key, value) in object.entries() {
            leaves.add(key, value);
        }
        assert!(!leaves.cut);
        let row = |leaf: &Leaf<'_>| {
            let text = leaf.text().map_or(leaf.raw.to_owned(), Cow::into_owned);
            (leaf.holder().into_owned(), leaf.key().into_owned(), text, leaf.object, leaf.list)
        };
        leaves.list.iter().map(row).collect()
    }

    #[test]
    fn every_value_is_found_with_its_key_and_its_neighbours() {
        let found = leaves(
            r#"{"a":"x","b":{"c":["d","e\"}"],"f":{"g":1,"\u0068":null}},"i":[{"a":"y"},["z"]],"a":true}"#,
        );
        let row = |holder: &str, key: &str, text: &str, object, list| {
            (holder.to_owned(), key.to_owned(), text.to_owned(), object, list)
        };
        assert_eq!(
            found,
            [
                row("", "a", "x", 0, 0),
                row("b", "c", "d", 1, 1),
                row("b", "c", "e\"}", 1, 1),
                row("f", "g", "1", 2, 0),
                row("f", "h", "null", 2, 0),
                row("i", "a", "y", 3, 0),
                row("", "i", "z", 0, 3),
                row("", "a", "true", 0, 0),
            ]
        );
    }

    #[test]
    fn too_many_values_are_left_out_and_said() {
        for (value, most) in [("1", MAX_SEEN), ("\"x\"", MAX_KEPT), ("{\"b\":1}", MAX_KEPT)] {
            let kept = if value == "1" { 0 } else { most };
            for count in [most, most + 1] {
                let text = format!("{}{value}", format!("{value},").repeat(count - 1));
                let list = RawValue::from_string(format!("[{text}]")).unwrap();
                let mut leaves = Leaves::new();
                leaves.add("a", &list);
                assert_eq!((leaves.too_many, leaves.list.len()), (count > most, kept), "{value}");
            }
        }
    }

    #[test]
    fn what_lies_too_deep_is_left_out_and_said() {
        let deep = format!(r#"{{"a":{}"x"{},"b":"y"}}"#, "[".repeat(5000), "]".repeat(5000));
        let object = Object::parse(&deep).unwrap();
        let mut leaves = Leaves::new();
        for (key, value) in object.entries() {
            leaves.add(key, value);
        }
        assert!(leaves.cut);
        assert_eq!(leaves.list.len(), 1);
    }
}
