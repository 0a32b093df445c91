//! Wraps text for the terminal at blanks.

use std::io::IsTerminal as _;

use super::log::text::width;
use crate::table;

/// Wraps a text for stdout, if that is a terminal.
pub(super) fn for_stdout(text: &str) -> String {
    let columns = std::io::stdout().is_terminal().then(|| usize::from(table::width()));
    fitted(text, columns)
}

/// Wraps a text for stderr.
pub(super) fn for_stderr(text: &str) -> String {
    let columns = std::io::stderr().is_terminal().then(|| usize::from(table::width()));
    fitted(text, columns)
}

fn fitted(text: &str, columns: Option<usize>) -> String {
    let Some(columns) = columns else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let plain = without_escapes(line.trim_end_matches('\n'));
        // Commands are not wrapped, so that they can be copied.
        if width(&plain) <= columns || plain.trim_start().starts_with("$ ") {
            out.push_str(line);
        } else {
            broken(line, columns, margin(&plain), &mut out);
        }
    }
    out
}

/// Wraps one line; continuation lines are indented.
fn broken(line: &str, columns: usize, margin: usize, out: &mut String) {
    let mut used = 0;
    for (index, word) in line.split(' ').enumerate() {
        let wanted = width(&without_escapes(word.trim_end_matches('\n')));
        if used > margin && used + 1 + wanted > columns {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', margin));
            used = margin;
        } else if index > 0 {
            out.push(' ');
            used += 1;
        }
        out.push_str(word);
        used += wanted;
    }
}

/// Indentation of continuation lines: below the line's last column, or a little more than its own.
fn margin(line: &str) -> usize {
    const FARTHEST: usize = 24;
    let start = line.len() - line.trim_start().len();
    let columns = line.get(start..FARTHEST.min(line.len())).and_then(|head| head.rfind("  "));
    columns.map_or(start + 4, |at| start + at + 2)
}

/// The text without escape sequences.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_blanks_and_stand_in() {
        let text = "  fix: one two three four five six\nshort\n";
        let wanted = "  fix: one two three\n      four five six\nshort\n";
        assert_eq!(fitted(text, Some(22)), wanted);
        assert_eq!(fitted(text, None), text);
        assert_eq!(fitted(text, Some(80)), text);
        // Below the last of its columns.
        let text = "  note    7  a b c d e f\n";
        assert_eq!(fitted(text, Some(20)), "  note    7  a b c d\n             e f\n");
    }

    #[test]
    fn colours_take_no_room_and_commands_stay_whole() {
        let text = "\u{1b}[1;31merror\u{1b}[0m: abc def\n";
        assert_eq!(fitted(text, Some(14)), text);
        assert_eq!(fitted(text, Some(11)), "\u{1b}[1;31merror\u{1b}[0m: abc\n    def\n");
        let text = "    $ a very long command of somebody\n";
        assert_eq!(fitted(text, Some(20)), text);
        // A single long word is left to the terminal.
        let word = format!("{}\n", "x".repeat(50));
        assert_eq!(fitted(&word, Some(20)), word);
    }
}
