//! What is wrong with a configuration, said so that one can find it and mend it.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::document::{Position, Source};

/// How much a finding costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Something may not work as meant.
    Warning,
    /// A hook or a whole file does not run.
    Error,
}

impl Severity {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One complaint about one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub file: PathBuf,
    pub position: Option<Position>,
    /// The line itself, or the part of it around the place.
    pub line: Option<Box<str>>,
    pub message: String,
    /// What to do; empty when the message says it all.
    pub help: String,
}

impl Diagnostic {
    /// A complaint about a whole file.
    pub fn of_file(severity: Severity, file: &Path, message: String) -> Self {
        Self {
            severity,
            file: file.to_owned(),
            position: None,
            line: None,
            message,
            help: String::new(),
        }
    }

    /// A complaint about the place at a byte offset.
    pub fn at(severity: Severity, source: &Source, offset: usize, message: String) -> Self {
        let position = source.position(offset);
        Self {
            position: Some(position),
            line: Some(around(source.line(position.line), position.column).into()),
            ..Self::of_file(severity, &source.path, message)
        }
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// File, line and column in the form that editors open.
    pub fn place(&self) -> String {
        let file = self.file.display();
        match self.position {
            Some(Position { line, column }) => format!("{file}:{line}:{column}"),
            None => file.to_string(),
        }
    }
}

impl fmt::Display for Diagnostic {
    /// One line for the place and the message, then the line with a caret, then the help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = format!("{}: {}: {}", self.severity.as_str(), self.place(), self.message);
        f.write_str(&printable(&head))?;
        if let (Some(position), Some(line)) = (self.position, &self.line) {
            write!(f, "\n{}", under_caret(line, position))?;
        }
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", printable(&self.help))?;
        }
        Ok(())
    }
}

/// A text that does nothing to a terminal but to be read: what would move the cursor, change colours or
/// turn the direction of writing is shown by its number. Line breaks stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    let acts = |character: char| {
        let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        let hides = matches!(
            character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}'
                | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
        );
        turns || hides || (character.is_control() && character != '\n')
    };
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| -> String {
        if acts(character) { character.escape_unicode().collect() } else { character.into() }
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// How much of a line is kept before the place, and in all: a minified file is one long line.
const BEFORE: usize = 60;
const WIDTH: usize = 100;

/// The part of a line around a column.
fn around(line: &str, column: usize) -> String {
    let skipped = column.saturating_sub(1 + BEFORE);
    let cut = if skipped > 0 { "..." } else { "" };
    let part: String = line.chars().skip(skipped).take(WIDTH).collect();
    format!("{cut}{}", part.trim_end())
}

/// The line under its number with a caret at the column; long lines are cut around it.
pub fn excerpt(line: &str, position: Position) -> String {
    under_caret(&around(line, position.column), position)
}

fn under_caret(part: &str, position: Position) -> String {
    let number = position.line.to_string();
    let margin = " ".repeat(number.len());
    let column = position.column.saturating_sub(1);
    let caret = " ".repeat(if column > BEFORE { BEFORE + 3 } else { column });
    // What would move the cursor is shown as a blank.
    let part = printable(&part.replace(char::is_control, " ")).into_owned();
    format!("  {number} | {part}\n  {margin} | {caret}^")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_names_file_line_column_and_shows_the_line() {
        let source = Source::new("/w/.cursor/hooks.json", "{\n  \"hooks\": oops\n}");
        let offset = source.text().find("oops").unwrap();
        let found = Diagnostic::at(Severity::Error, &source, offset, "no such value".to_owned())
            .help("write JSON");
        assert_eq!(
            found.to_string(),
            "error: /w/.cursor/hooks.json:2:12: no such value\n  2 |   \"hooks\": oops\n    \
             |            ^\n  help: write JSON"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let line = "x".repeat(5000);
        let text = excerpt(&line, Position { line: 7, column: 3000 });
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].len() < 120 && lines[1].len() < 80, "{text}");
        assert!(lines[0].starts_with("  7 | ...x"));
    }
}
