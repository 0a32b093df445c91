//! Tables fitted to the terminal's width; plain without a terminal.

use comfy_table::{ColumnConstraint, ContentArrangement, Table as Inner, TableStyle, presets};

/// Width when stdout is not a terminal.
const DEFAULT_WIDTH: u16 = 120;

pub(crate) struct Table(Inner);

impl Table {
    /// With lines between rows, for cells that wrap.
    pub(crate) fn new(header: &[&str]) -> Self {
        Self::styled(header, presets::UTF8_HORIZONTAL_ONLY)
    }

    /// Without lines, for many short rows.
    pub(crate) fn compact(header: &[&str]) -> Self {
        let mut table = Self::styled(header, presets::NOTHING);
        // Names are not wrapped, so that they can be found.
        if let Some(names) = table.0.column_mut(0) {
            names.set_constraint(ColumnConstraint::ContentWidth);
        }
        table
    }

    fn styled(header: &[&str], style: TableStyle) -> Self {
        let mut inner = Inner::new();
        inner
            .load_style(style)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width())
            .set_header(header.to_vec());
        Self(inner)
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.0.add_row(cells);
    }

    pub(crate) fn render(&self) -> String {
        self.0.to_string() + "\n"
    }
}

/// Width of the terminal.
pub(crate) fn width() -> u16 {
    let from_environment = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    from_environment.or_else(terminal_width).unwrap_or(DEFAULT_WIDTH).max(40)
}

#[cfg(unix)]
fn terminal_width() -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(size.ws_col).filter(|columns| *columns > 0)
}

#[cfg(not(unix))]
fn terminal_width() -> Option<u16> {
    None
}
