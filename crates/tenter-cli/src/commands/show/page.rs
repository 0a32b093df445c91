//! Layout for the terminal's width.

use std::io::{self, Write};

use tenter_engine::diagnostic::printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::super::Style;
use super::super::log::text::{cut, near};

/// Layout settings.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) style: Style,
    pub(super) width: usize,
    /// Width of record numbers.
    pub(super) digits: usize,
    /// Show everything in full length.
    pub(super) full: bool,
    /// The session's folder and the home, which are not repeated in paths.
    pub(super) cwd: Option<String>,
    pub(super) home: Option<String>,
}

impl Page {
    /// Column of a step's text, after time and number.
    pub(super) fn margin(&self) -> usize {
        self.digits.saturating_add("00:00:00  ".len()).saturating_add(2)
    }

    /// A coloured text; empty for no text.
    pub(super) fn ink(&self, code: &str, text: &str) -> String {
        if text.is_empty() { String::new() } else { self.style.paint(code, text) }
    }

    /// A path for display.
    pub(super) fn path(&self, path: &str) -> String {
        near(path, self.cwd.as_deref(), self.home.as_deref())
    }

    /// Wraps and indents a text to at most `most` lines.
    pub(super) fn wrapped(&self, text: &str, indent: usize, most: usize) -> Vec<String> {
        let room = self.width.saturating_sub(indent).max(20);
        let most = if self.full { usize::MAX } else { most };
        let mut lines = Vec::new();
        for line in text.trim_end().lines() {
            wrap(&printable(&line.replace('\t', "    ")), room, &mut lines);
        }
        if lines.len() > most {
            lines.truncate(most);
            if let Some(last) = lines.last_mut() {
                *last = cut(&format!("{last} \u{2026}"), room).into_owned();
            }
        }
        lines
    }
}

/// Wraps a line at spaces, splitting long words.
fn wrap(line: &str, room: usize, lines: &mut Vec<String>) {
    let mut current = String::new();
    for word in line.split_inclusive(' ') {
        if current.width().saturating_add(word.trim_end().width()) > room && !current.is_empty() {
            lines.push(current.trim_end().to_owned());
            current.clear();
        }
        for letter in word.chars() {
            if current.width().saturating_add(letter.width().unwrap_or(0)) > room && letter != ' ' {
                lines.push(std::mem::take(&mut current));
            }
            current.push(letter);
        }
    }
    lines.push(current.trim_end().to_owned());
}

/// A size in bytes.
pub(super) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// Output of the story. After the first error nothing more is written.
#[derive(Debug)]
pub(super) struct Out<W: Write> {
    inner: io::BufWriter<W>,
    failed: Option<io::Error>,
}

impl<W: Write> Out<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner: io::BufWriter::new(inner), failed: None }
    }

    /// Writes a line. False if the reader is gone.
    pub(super) fn line(&mut self, text: &str) -> bool {
        if self.failed.is_none() {
            let written = self.inner.write_all(text.as_bytes());
            self.failed = written.and_then(|()| self.inner.write_all(b"\n")).err();
        }
        self.failed.is_none()
    }

    /// Whether all was written. A reader that closed the pipe is no error.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let flushed = self.inner.flush();
        match self.failed.map_or(flushed, Err) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(width: usize) -> Page {
        let home = Some("/home/ana".to_owned());
        let cwd = Some("/home/ana/shop".to_owned());
        Page { style: Style::Plain, width, digits: 1, full: false, cwd, home }
    }

    #[test]
    fn lines_break_at_spaces_and_long_words_anywhere() {
        let page = page(26);
        assert_eq!(page.wrapped("one two three four five", 6, 9), ["one two three four", "five"]);
        assert_eq!(
            page.wrapped(&"x".repeat(45), 6, 2),
            ["x".repeat(20), format!("{}\u{2026}", "x".repeat(19))]
        );
        assert_eq!(page.wrapped("a\u{1b}[31m\nb", 6, 9), ["a\\u{1b}[31m", "b"]);
        assert_eq!(page.wrapped("a\nb\nc", 6, 2), ["a", "b \u{2026}"]);
    }

    #[test]
    fn paths_are_shown_from_where_the_session_is() {
        let page = page(80);
        assert_eq!(page.path("/home/ana/shop/src/a.ts"), "src/a.ts");
        assert_eq!(page.path("/home/ana/.ssh/id"), "~/.ssh/id");
        assert_eq!(page.path("/home/anabel/x"), "/home/anabel/x");
        assert_eq!(size(45_012), "45.0 kB");
    }
}
