//! Tables with a column of secrets: a header, in Markdown a line of dashes, and rows.

use super::assign::{self, Link, Value};

/// Maximum distance to the start of the header line, and of the rows.
const BACK: usize = 240;
const DOWN: usize = 1200;
/// Maximum number of rows.
const ROWS: usize = 8;

/// Whether the text after a name may be the next column, or the end of the line.
pub(super) fn may_be(bytes: &[u8], end: usize) -> bool {
    let two = (bytes.get(end), bytes.get(end.wrapping_add(1)));
    matches!(two, (Some(b'|' | b'\n' | b'\r' | b'`' | b'*'), _) | (Some(b' '), Some(b'|' | b' ')))
}

/// The cells below the header that begins at `start` and whose name ends at `end`.
pub(super) fn cells(bytes: &[u8], start: usize, end: usize) -> Option<Cells<'_>> {
    let mark = match bytes.get(assign::skip(bytes, end, 20, |byte| b" *`_".contains(&byte)))? {
        b'|' => b'|',
        b'\n' | b'\r' => {
            let mark = assign::before(bytes, start);
            matches!(mark, b',' | b';' | b'\t').then_some(mark)?
        }
        _ => return None,
    };
    let before = bytes.get(start.saturating_sub(BACK)..start)?;
    let head = before.rsplit(|byte| *byte == b'\n').next()?;
    let column = head.split(|byte| *byte == mark).count().saturating_sub(1);
    let rest = bytes.get(end..)?;
    let rest = rest.get(..rest.len().min(DOWN))?;
    let line = rest.iter().position(|byte| *byte == b'\n')?.saturating_add(1);
    let mut cells = Cells { bytes, at: end.saturating_add(line), mark, column, rows: ROWS };
    if mark == b'|' {
        let ruled = |line: &[u8]| {
            line.contains(&b'-') && line.iter().all(|byte| b"|-:+ \t\r".contains(byte))
        };
        let dashes = cells.line().filter(|line| ruled(line))?;
        cells.at = cells.at.saturating_add(dashes.len()).saturating_add(1);
    }
    Some(cells)
}

/// The remaining cells of a column.
pub(super) struct Cells<'t> {
    bytes: &'t [u8],
    /// Start of the next row.
    at: usize,
    mark: u8,
    column: usize,
    rows: usize,
}

impl<'t> Cells<'t> {
    fn line(&self) -> Option<&'t [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let rest = rest.get(..rest.len().min(DOWN))?;
        rest.split(|byte| *byte == b'\n').next()
    }
}

impl Iterator for Cells<'_> {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        self.rows = self.rows.checked_sub(1)?;
        let line = self.line().filter(|line| line.contains(&self.mark))?;
        let mut start = self.at;
        self.at = self.at.saturating_add(line.len()).saturating_add(1);
        let mut cells = line.split(|byte| *byte == self.mark);
        for passed in cells.by_ref().take(self.column) {
            start = start.saturating_add(passed.len()).saturating_add(1);
        }
        let cell = cells.next()?;
        let around = |byte: &&u8| b" \t\r`*\"'".contains(byte);
        let lead = cell.iter().take_while(around).count();
        let tail = cell.iter().rev().take_while(around).count();
        let end = start.saturating_add(cell.len().saturating_sub(tail));
        let quoted = cell.contains(&b'`') || cell.contains(&b'"');
        let start = start.saturating_add(lead).min(end);
        Some(Value { start, end, quoted, link: Link::Sign })
    }
}
