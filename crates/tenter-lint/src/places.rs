//! Converts many byte offsets to lines and columns in one pass over the text.

use std::collections::BTreeMap;

use tenter_engine::document::Position;

/// The positions of a set of offsets.
#[derive(Debug)]
pub(crate) struct Places {
    found: BTreeMap<usize, Position>,
}

impl Places {
    /// Walks the text once. An offset beyond its end counts as its end.
    pub(crate) fn new(text: &str, offsets: impl Iterator<Item = usize>) -> Self {
        let mut found: BTreeMap<usize, Position> =
            offsets.map(|offset| (offset, Position { line: 1, column: 1 })).collect();
        let mut at = Position { line: 1, column: 1 };
        let mut characters = text.char_indices().peekable();
        for (offset, position) in &mut found {
            while let Some((_, character)) = characters.next_if(|(index, _)| index < offset) {
                if character == '\n' {
                    at = Position { line: at.line + 1, column: 1 };
                } else {
                    at.column += 1;
                }
            }
            *position = at;
        }
        Self { found }
    }

    pub(crate) fn position(&self, offset: usize) -> Position {
        self.found.get(&offset).copied().unwrap_or(Position { line: 1, column: 1 })
    }
}

/// The part of the line around an offset that an excerpt needs, and the column in it, so that very long lines
/// are not copied.
pub(crate) fn window(text: &str, offset: usize) -> (&str, usize) {
    const BEFORE: usize = 80;
    const AFTER: usize = 200;
    let (before, after) = text.split_at_checked(offset).unwrap_or((text, ""));
    let skip = before
        .char_indices()
        .rev()
        .take(BEFORE)
        .take_while(|(_, character)| *character != '\n')
        .last()
        .map_or(before.len(), |(index, _)| index);
    let shown = before.get(skip..).unwrap_or_default();
    let end = after
        .char_indices()
        .take_while(|(_, character)| *character != '\n')
        .take(AFTER)
        .last()
        .map_or(0, |(index, character)| index + character.len_utf8());
    let line = text.get(skip..before.len() + end).unwrap_or(shown);
    (line, shown.chars().count() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_columns_in_characters() {
        let text = "{\n  \"ä\": 1\n}\n";
        let offsets = [0, 4, 9, text.len(), 999];
        let places = Places::new(text, offsets.into_iter());
        let at = |offset| (places.position(offset).line, places.position(offset).column);
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(4), (2, 3));
        assert_eq!(at(9), (2, 7));
        assert_eq!(at(text.len()), (4, 1));
        assert_eq!(at(999), (4, 1));
    }

    #[test]
    fn a_window_is_the_line_or_a_part_of_it() {
        assert_eq!(window("ab\ncd\nef", 4), ("cd", 2));
        assert_eq!(window("", 0), ("", 1));
        let long = "x".repeat(10_000);
        let (line, column) = window(&long, 5_000);
        assert_eq!((line.len(), column), (280, 81));
        assert_eq!(window("äöü", 1), ("äöü", 4), "an offset inside a character is the end");
    }
}
