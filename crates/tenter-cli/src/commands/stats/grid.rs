//! Columns with headings.

use super::super::Style;
use super::super::log::text::{cut, pad, pad_left, thousands, width};

/// A cell with its colour.
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) colour: &'static str,
}

impl Cell {
    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), colour: "" }
    }

    pub(super) fn painted(text: impl Into<String>, colour: &'static str) -> Self {
        Self { text: text.into(), colour }
    }

    /// A counter, highlighted unless it is zero.
    pub(super) fn count(count: u64, colour: &'static str) -> Self {
        Self { text: thousands(count), colour: if count == 0 { "2" } else { colour } }
    }
}

/// The rows below their headings. A heading starting with `>` is right-aligned.
pub(super) fn render(
    headings: &[&str],
    rows: &[Vec<Cell>],
    style: Style,
    room: Option<usize>,
) -> String {
    let names: Vec<&str> = headings.iter().map(|it| it.trim_start_matches('>')).collect();
    let width_of = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| width(&cell.text));
        cells.chain(names.get(column).map(|name| width(name))).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..headings.len()).map(width_of).collect();
    let mut text = String::new();
    let header: Vec<Cell> = names.iter().map(|name| Cell::painted(*name, "1")).collect();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::new();
        let mut left = room;
        for ((cell, width_to), heading) in row.iter().zip(&widths).zip(headings) {
            let set = if heading.starts_with('>') { pad_left } else { pad };
            let is_first = line.is_empty();
            let gap = if is_first { "" } else { "  " };
            let room = left.map_or(usize::MAX, |left| left.saturating_sub(gap.len()));
            let whole = set(&cell.text, *width_to);
            let shown = cut(&whole, room);
            left = left.map(|_| room.saturating_sub(width(&shown)));
            line.push_str(gap);
            if cell.colour.is_empty() || shown.trim().is_empty() {
                line.push_str(&shown);
            } else {
                line.push_str(&style.paint(cell.colour, &shown));
            }
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_stand_apart() {
        let numbers = [0, 999, 1000, 123_456, 1_000_000].map(thousands);
        assert_eq!(numbers, ["0", "999", "1,000", "123,456", "1,000,000"]);
    }

    #[test]
    fn columns_line_up_and_end_where_the_terminal_does() {
        let row = |name: &str, count: u64| vec![Cell::plain(name), Cell::count(count, "31")];
        let rows = [row("a", 1000), row("表計算", 7)];
        let text = render(&["name", ">count"], &rows, Style::Plain, None);
        assert_eq!(text, "name    count\na       1,000\n表計算      7\n");
        let narrow = render(&["name", ">count"], &rows, Style::Plain, Some(9));
        assert_eq!(narrow, "name    …\na       …\n表計算  …\n");
    }
}
