//! Configuration text, parsed with positions so that every diagnostic can name a line.

use std::ops::Range;
use std::path::{Path, PathBuf};

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde::de::IgnoredAny;
use tenter_files::{Refused, Whose};

/// Line and column (in characters), both counted from one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// The text of one file.
#[derive(Clone, Debug)]
pub struct Source {
    pub path: PathBuf,
    text: String,
    /// Byte offset of each line's start.
    lines: Vec<usize>,
}

/// A parsed value, and the first use of syntax beyond JSON.
#[derive(Debug)]
pub struct Parsed<'s> {
    pub value: Value<'s>,
    /// The first non-JSON syntax that was accepted: a comment, a trailing comma, a raw tab.
    pub beyond_json: Option<(&'static str, Range<usize>)>,
}

/// Syntax error with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub message: String,
    pub at: Range<usize>,
}

const STRICT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

impl Source {
    /// A source from the file's text; a leading byte order mark is dropped.
    pub fn new(path: impl Into<PathBuf>, text: &str) -> Self {
        let text = text.trim_start_matches('\u{feff}').to_owned();
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        Self { path: path.into(), text, lines }
    }

    /// Reads a file; `Ok(None)` if it does not exist.
    pub fn read(path: &Path) -> Result<Option<Self>, String> {
        let Some(bytes) = read_file(path)? else { return Ok(None) };
        match std::str::from_utf8(&bytes) {
            Ok(text) => Ok(Some(Self::new(path, text))),
            Err(error) => Err(format!("is not UTF-8 text (byte {})", error.valid_up_to() + 1)),
        }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Parses JSON; comments and trailing commas are accepted and reported.
    pub fn parse(&self) -> Result<Parsed<'_>, SyntaxError> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
        let result = parse_to_ast(&self.text, &collect, &STRICT).map_err(|error| SyntaxError {
            message: lowercase_first(&error.kind().to_string()),
            at: error.range().start..error.range().end,
        })?;
        let comment = result
            .comments
            .iter()
            .flat_map(|map| map.values())
            .flat_map(|comments| comments.iter())
            .map(Ranged::range)
            .min_by_key(|range| range.start)
            .map(|range| ("a comment", range.start..range.end));
        let beyond_json = comment.or_else(|| self.beyond_json());
        let Some(value) = result.value else {
            return Err(SyntaxError { message: "the file is empty".to_owned(), at: 0..0 });
        };
        Ok(Parsed { value, beyond_json })
    }

    /// Finds the first non-JSON syntax in a text without comments.
    fn beyond_json(&self) -> Option<(&'static str, Range<usize>)> {
        let refused = serde_json::from_str::<IgnoredAny>(&self.text).err()?;
        let strict = ParseOptions { allow_comments: false, allow_trailing_commas: false, ..STRICT };
        if let Err(error) = parse_to_ast(&self.text, &CollectOptions::default(), &strict) {
            return Some(("a trailing comma", error.range().start..error.range().end));
        }
        let start = self.lines.get(refused.line().saturating_sub(1)).copied().unwrap_or_default();
        let at = self.text.floor_char_boundary(start + refused.column().saturating_sub(1));
        Some(("a character that must be escaped or left out", at..at))
    }

    /// Position of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default();
        Position { line, column: before.chars().count() + 1 }
    }

    /// The text of a line, counted from one.
    pub fn line(&self, number: usize) -> &str {
        let start = self.lines.get(number.saturating_sub(1)).copied();
        let rest = start.and_then(|start| self.text.get(start..)).unwrap_or_default();
        rest.lines().next().unwrap_or_default()
    }
}

/// Maximum size of a configuration file.
const LARGEST: u64 = 16 * 1024 * 1024;

/// Why a file was not read.
#[derive(Debug)]
pub enum Unreadable {
    Io(std::io::Error),
    Folder,
    /// A pipe or a device: opening may block, and reading may never end.
    Special,
}

/// The first `most` bytes of a regular file; other file types are refused.
pub fn start_of(path: &Path, most: u64) -> Result<Vec<u8>, Unreadable> {
    tenter_files::start(path, most, Whose::Anyone).map_err(|error| match Refused::of(&error) {
        Some(Refused::Folder) => Unreadable::Folder,
        Some(Refused::Special) => Unreadable::Special,
        _ => Unreadable::Io(error),
    })
}

/// Reads a regular file of limited size; `Ok(None)` if it does not exist.
pub(crate) fn read_file(path: &Path) -> Result<Option<Vec<u8>>, String> {
    match start_of(path, LARGEST + 1) {
        Ok(bytes) if bytes.len() as u64 > LARGEST => Err(format!("is larger than {LARGEST} bytes")),
        Ok(bytes) => Ok(Some(bytes)),
        Err(Unreadable::Folder | Unreadable::Special) => {
            Err("cannot be read: it is not a file".to_owned())
        }
        Err(Unreadable::Io(error)) if is_absent(&error) && path.is_symlink() => {
            Err("cannot be read: it is a link to nothing".to_owned())
        }
        Err(Unreadable::Io(error)) if is_absent(&error) => Ok(None),
        Err(Unreadable::Io(error)) => Err(format!("cannot be read: {error}")),
    }
}

/// Whether the error means "no such file", also when a parent is not a folder.
fn is_absent(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

fn lowercase_first(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("hooks.json", text)
    }

    #[test]
    fn positions_count_characters_from_one() {
        let source = source("{\n  \"ä\": tru\n}");
        let error = source.parse().unwrap_err();
        assert_eq!(source.position(error.at.start), Position { line: 2, column: 8 });
        assert_eq!(source.line(2), "  \"ä\": tru");
    }

    #[test]
    fn what_json_does_not_know_is_accepted_and_named() {
        let beyond = |text: &str| source(text).parse().unwrap().beyond_json.map(|found| found.0);
        assert_eq!(beyond("{\"a\": 1}"), None);
        assert_eq!(beyond("// why\n{\"a\": 1}"), Some("a comment"));
        assert_eq!(beyond("{\"a\": [1,]}"), Some("a trailing comma"));
    }

    #[test]
    fn what_is_not_json_at_all_is_an_error() {
        for text in ["", "{a: 1}", "{'a': 1}", "{\"a\" 1}", "[1 2]", "{\"a\": 0x1}", "{"] {
            assert!(source(text).parse().is_err(), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(source(&deep).parse().is_err(), "deep nesting is refused, not followed");
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_text() {
        assert!(source("\u{feff}{}").parse().is_ok());
    }
}
