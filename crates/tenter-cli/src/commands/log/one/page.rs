//! Layout: sections of named rows.

use std::fmt::Write;

use tenter_engine::diagnostic::printable;

use crate::commands::Style;
use crate::commands::log::text::{pad, wrapped};

/// Width of the name column.
const NAMES: usize = 10;
const TEXT: usize = NAMES + 4;

/// A name with text of one or more lines.
#[derive(Debug)]
pub(super) struct Row {
    name: &'static str,
    text: String,
    colour: &'static str,
    wraps: bool,
}

impl Row {
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// A row that is not wrapped.
pub(super) fn row(name: &'static str, text: impl Into<String>) -> Row {
    painted(name, "", text)
}

/// A row wrapped to the terminal's width.
pub(super) fn prose(name: &'static str, text: impl Into<String>) -> Row {
    Row { wraps: true, ..row(name, text) }
}

pub(super) fn painted(name: &'static str, colour: &'static str, text: impl Into<String>) -> Row {
    Row { name, text: text.into(), colour, wraps: false }
}

pub(super) fn maybe(name: &'static str, text: Option<&str>) -> Option<Row> {
    text.map(|text| row(name, text))
}

#[derive(Debug)]
pub(super) struct Page {
    text: String,
    pub(super) style: Style,
    room: Option<usize>,
}

impl Page {
    pub(super) fn new(style: Style, room: Option<usize>) -> Self {
        Self { text: String::new(), style, room }
    }

    pub(super) fn text(self) -> String {
        self.text
    }

    pub(super) fn title(&mut self, title: &str, more: &str) {
        let _ = writeln!(self.text, "{}  {more}", self.style.paint("1", title));
    }

    pub(super) fn note(&mut self, note: &str) {
        let _ = writeln!(self.text, "  {note}");
    }

    /// A heading of a section with custom lines.
    pub(super) fn heading(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n{}", self.style.paint("1", title));
    }

    /// A section of rows; nothing if there are none. Text from payloads is escaped.
    pub(super) fn section(&mut self, title: &str, rows: &[Row]) {
        if rows.is_empty() {
            return;
        }
        self.heading(title);
        for Row { name, text, colour, wraps } in rows {
            let mut name = pad(name, NAMES);
            let text = text.trim_end().replace('\t', "    ");
            let room = self.room.filter(|_| *wraps).map(|room| room.saturating_sub(TEXT));
            for line in text.lines().flat_map(|line| wrapped(&printable(line), room)) {
                let line = if colour.is_empty() { line } else { self.style.paint(colour, &line) };
                let shown = format!("  {}  {line}", self.style.paint("2", &name));
                let _ = writeln!(self.text, "{}", shown.trim_end());
                name = " ".repeat(NAMES);
            }
        }
    }

    /// A custom line, unchanged.
    pub(super) fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {}", line.trim_end());
    }

    /// Whether a line of this width fits.
    pub(super) fn has_room(&self, columns: usize) -> bool {
        self.room.is_none_or(|room| columns <= room)
    }

    /// Wrapped text, indented by `moved_in`.
    pub(super) fn prose(&mut self, moved_in: usize, text: &str) {
        self.sentences(moved_in, "", text);
    }

    /// The same, dimmed.
    pub(super) fn aside(&mut self, moved_in: usize, text: &str) {
        self.sentences(moved_in, "2", text);
    }

    fn sentences(&mut self, moved_in: usize, colour: &str, text: &str) {
        let room = self.room.map(|room| room.saturating_sub(moved_in));
        for line in wrapped(text, room) {
            let line = if colour.is_empty() { line } else { self.style.paint(colour, &line) };
            let _ = writeln!(self.text, "{}{line}", " ".repeat(moved_in));
        }
    }
}
