//! Configuration diagnostics with file, line, message and help.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use tenter_model::text::is_hidden;

use crate::document::{Position, Source};

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// For information.
    Note,
    /// Something may not work as intended.
    Warning,
    /// A hook or a whole file is not run.
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

/// One problem at one place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub file: PathBuf,
    pub position: Option<Position>,
    /// The source line, or the part of it around the column.
    pub line: Option<Box<str>>,
    pub message: String,
    /// Suggested fix; empty when the message is enough.
    pub help: String,
}

impl Diagnostic {
    /// A diagnostic about a whole file.
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

    /// A diagnostic about a byte offset.
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

    /// `file:line:column`, as editors open it.
    pub fn place(&self) -> String {
        let file = self.file.display();
        match self.position {
            Some(Position { line, column }) => format!("{file}:{line}:{column}"),
            None => file.to_string(),
        }
    }
}

impl fmt::Display for Diagnostic {
    /// Place and message, then the source line with a caret, then the help.
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

/// Escapes characters that would move the cursor, change colours or reverse text direction in a terminal.
/// Line breaks are kept.
pub fn printable(text: &str) -> Cow<'_, str> {
    let acts =
        |character: char| is_hidden(character) || (character.is_control() && character != '\n');
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| -> String {
        if acts(character) { character.escape_unicode().collect() } else { character.into() }
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Maximum number of characters kept before the column, and in total: a minified file is one long line.
const BEFORE: usize = 60;
const WIDTH: usize = 100;

/// The part of a line around a column.
fn around(line: &str, column: usize) -> String {
    let skipped = column.saturating_sub(1 + BEFORE);
    let cut = if skipped > 0 { "..." } else { "" };
    let part: String = line.chars().skip(skipped).take(WIDTH).collect();
    format!("{cut}{}", part.trim_end())
}

/// The numbered source line with a caret below the column; long lines are cut around it.
pub fn excerpt(line: &str, position: Position) -> String {
    under_caret(&around(line, position.column), position)
}

fn under_caret(part: &str, position: Position) -> String {
    let number = position.line.to_string();
    let margin = " ".repeat(number.len());
    let column = position.column.saturating_sub(1);
    let caret = " ".repeat(if column > BEFORE { BEFORE + 3 } else { column });
    // Control characters become blanks, so that the caret stays aligned.
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
