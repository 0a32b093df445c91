//! Text edits that leave everything else unchanged, comments included.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp};
use tenter_engine::document::Source;

/// One replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// Byte range in the text without its byte order mark.
    pub range: Range<usize>,
    pub text: String,
}

impl Edit {
    pub(crate) fn new(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { range, text: text.into() }
    }
}

/// Applies edits in any order; `None` when two overlap or one lies outside the text.
pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let body = text.trim_start_matches('\u{feff}');
    let mut result = text.get(..text.len() - body.len())?.to_owned();
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut done = 0;
    for edit in sorted {
        if edit.range.end < edit.range.start {
            return None;
        }
        result.push_str(body.get(done..edit.range.start)?);
        result.push_str(&edit.text);
        done = edit.range.end;
    }
    result.push_str(body.get(done..)?);
    Some(result)
}

/// Whether a text is not valid JSON.
pub(crate) fn is_broken(text: &str) -> bool {
    Source::new("", text).parse().is_err()
}

/// Whether two sets of edits overlap, or insert at the same position.
pub(crate) fn clash(some: &[Edit], others: &[Edit]) -> bool {
    some.iter().any(|one| {
        others.iter().any(|other| {
            let (one, other) = (&one.range, &other.range);
            one.start < other.end && other.start < one.end || one.start == other.start
        })
    })
}

/// Inserts `property` (such as `"version": 1`) at the start of an object, formatted like the next property.
pub fn insert_first(text: &str, object: &Object<'_>, property: &str) -> Vec<Edit> {
    let Some(first) = object.properties.first() else {
        let inside = object.range.start + 1;
        return vec![Edit::new(inside..inside, property)];
    };
    let start = first.range.start;
    let before = text.get(object.range.start + 1..start).unwrap_or_default();
    let blank_from = before.trim_end_matches([' ', '\t', '\r', '\n']).len();
    let blank = before.get(blank_from..).unwrap_or_default();
    let blank = if blank.is_empty() { " " } else { blank };
    vec![Edit::new(start..start, format!("{property},{blank}"))]
}

/// Takes a property out of an object together with one comma; comments around it stay.
pub(crate) fn remove(text: &str, object: &Object<'_>, property: &ObjectProp<'_>) -> Vec<Edit> {
    let range = property.range.start..property.range.end;
    if let Some(comma) = comma_after(text, range.end, object.range.end) {
        let rest = text.get(comma + 1..object.range.end).unwrap_or_default();
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        if comma == range.end {
            return vec![Edit::new(range.start..comma + 1 + blank, "")];
        }
        // A comment between the value and its comma: keep it.
        return vec![Edit::new(range, ""), Edit::new(comma..comma + 1, "")];
    }
    let blank_start = text.get(..range.start).unwrap_or_default().trim_end().len();
    let previous = object.properties.iter().rfind(|other| other.range.end <= range.start);
    let comma = previous.and_then(|other| comma_after(text, other.range.end, range.start));
    match comma {
        Some(comma) if comma + 1 == blank_start => vec![Edit::new(comma..range.end, "")],
        Some(comma) => {
            vec![Edit::new(comma..comma + 1, ""), Edit::new(blank_start..range.end, "")]
        }
        None => vec![Edit::new(range, "")],
    }
}

/// Position of the comma after a value, past blanks and comments.
pub(crate) fn comma_after(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = text.get(at..to)?;
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with(',') {
            return Some(at);
        }
        let skip = if trimmed.starts_with("//") {
            trimmed.find('\n').map(|end| end + 1)
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/").map(|end| end + 2)
        } else {
            None
        };
        at += skip?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_object(text: &str, change: impl Fn(&str, &Object<'_>) -> Vec<Edit>) -> String {
        let source = Source::new("x.json", text);
        let parsed = source.parse().unwrap();
        let edits = change(source.text(), parsed.value.as_object().unwrap());
        let changed = apply(text, &edits).unwrap();
        assert!(Source::new("x.json", &changed).parse().is_ok(), "{changed}");
        changed
    }

    fn removed(text: &str) -> String {
        with_object(text, |text, object| remove(text, object, object.get("x").unwrap()))
    }

    #[test]
    fn a_property_goes_with_its_comma() {
        assert_eq!(removed("{\"x\": 1}"), "{}");
        assert_eq!(removed("{\"a\": 0, \"x\": 1}"), "{\"a\": 0}");
        assert_eq!(removed("{\"x\": 1, \"b\": 2}"), "{\"b\": 2}");
        assert_eq!(removed("{\n  \"a\": 0,\n  \"x\": 1\n}"), "{\n  \"a\": 0\n}");
        assert_eq!(
            removed("{\n  \"a\": 0,\n  \"x\": 1,\n  \"b\": 2\n}"),
            "{\n  \"a\": 0,\n  \"b\": 2\n}"
        );
        assert_eq!(removed("{\"a\": 0, \"x\": 1,}"), "{\"a\": 0, }");
    }

    #[test]
    fn comments_around_a_removed_property_stay() {
        assert_eq!(removed("{\n  \"a\": 0, // zero\n  \"x\": 1\n}"), "{\n  \"a\": 0 // zero\n}");
        assert_eq!(
            removed("{\n  \"x\": 1, // one, or so\n  \"b\": 2\n}"),
            "{\n  // one, or so\n  \"b\": 2\n}"
        );
        assert_eq!(removed("{\"x\": 1 /* a, b */, \"b\": 2}"), "{ /* a, b */ \"b\": 2}");
    }

    #[test]
    fn a_new_property_takes_the_layout_of_its_neighbour() {
        let first =
            |text: &str| with_object(text, |text, object| insert_first(text, object, "\"v\": 1"));
        assert_eq!(first("{}"), "{\"v\": 1}");
        assert_eq!(first("{\"a\":0}"), "{\"v\": 1, \"a\":0}");
        assert_eq!(first("{\r\n\t\"a\": 0\r\n}"), "{\r\n\t\"v\": 1,\r\n\t\"a\": 0\r\n}");
        assert_eq!(first("{ // why\n  \"a\": 0 }"), "{ // why\n  \"v\": 1,\n  \"a\": 0 }");
        assert_eq!(first("\u{feff}{ \"a\": 0 }"), "\u{feff}{ \"v\": 1, \"a\": 0 }");
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        let edit = |range| Edit::new(range, "z");
        assert_eq!(apply("abcd", &[edit(3..4), edit(0..1)]).as_deref(), Some("zbcz"));
        assert_eq!(apply("abcd", &[edit(0..2), edit(1..3)]), None);
        assert_eq!(apply("abcd", &[edit(0..9)]), None);
        assert_eq!(apply("ä", &[edit(1..2)]), None);
        assert!(clash(&[edit(0..2)], &[edit(1..3)]));
        assert!(clash(&[edit(1..1)], &[edit(1..1)]));
        assert!(!clash(&[edit(0..2)], &[edit(2..3)]));
    }
}
