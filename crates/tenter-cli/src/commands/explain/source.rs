//! Prints the command with code and data in different colours and effects underlined.

use tenter_shell::{Analysis, Span};

use super::super::Style;

/// Maximum number of lines shown.
const MAX_LINES: usize = 40;
/// Maximum number of characters shown per line.
const MAX_WIDTH: usize = 400;

/// Syntactic role of a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Text that is not run as code: a heredoc, a comment, a quoted argument.
    Data,
    Program,
    /// A wrapper with its options.
    Wrapper,
    Argument,
    Syntax,
}

impl Role {
    fn colour(self) -> &'static str {
        match self {
            Self::Data => "32",
            Self::Program => "1;36",
            Self::Wrapper => "35",
            Self::Argument => "0",
            Self::Syntax => "2",
        }
    }
}

/// The roles of all bytes, set from outer to inner commands.
fn roles(command: &str, analysis: &Analysis) -> Vec<Role> {
    let mut roles = vec![Role::Data; command.len()];
    for (role, byte) in roles.iter_mut().zip(command.bytes()) {
        if matches!(
            byte,
            b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'\n' | b' '
        ) {
            *role = Role::Syntax;
        }
    }
    let mut fill = |span: Span, role: Role| {
        if let Some(part) = roles.get_mut(span.range()) {
            part.fill(role);
        }
    };
    // From the start of a command to the program it runs is the wrapper.
    for via in analysis.commands.iter().flat_map(|ran| &ran.via) {
        let end = via.span.range().start;
        let before = command.get(..end).unwrap_or_default();
        let start = before.rfind([';', '|', '&', '\n', '(', '{', '\'', '"']).map_or(0, |at| at + 1);
        fill(Span::new(start, end), Role::Wrapper);
    }
    let mut ordered: Vec<_> = analysis.commands.iter().collect();
    // Longer commands first, since inner ones are shorter.
    ordered.sort_by_key(|ran| std::cmp::Reverse(ran.span.end.saturating_sub(ran.span.start)));
    for ran in ordered {
        for (index, field) in ran.argv.iter().enumerate() {
            let written = command.get(field.span.range()).unwrap_or_default();
            let role = if index == 0 {
                Role::Program
            } else if written.contains([' ', '\n', '\'', '"']) {
                Role::Data
            } else {
                Role::Argument
            };
            fill(field.span, role);
        }
    }
    roles
}

/// The command by lines, with markers below each line with effects.
pub(super) fn render(command: &str, analysis: &Analysis, style: Style) -> String {
    let roles = roles(command, analysis);
    let mut text = String::new();
    let mut start = 0;
    for (number, line) in command.split('\n').enumerate() {
        if number >= MAX_LINES {
            text.push_str("  ...\n");
            break;
        }
        text.push_str("  ");
        text.push_str(&painted(line, start, &roles, style));
        text.push('\n');
        for row in marks(line, start, analysis) {
            text.push_str("  ");
            text.push_str(&style.paint("33", &row));
            text.push('\n');
        }
        start += line.len() + 1;
    }
    text
}

fn painted(line: &str, start: usize, roles: &[Role], style: Style) -> String {
    let mut text = String::new();
    let mut run = String::new();
    let mut last = None;
    for (at, letter) in line.char_indices().take(MAX_WIDTH) {
        let role = roles.get(start + at).copied();
        if role != last {
            text.push_str(&flush(&run, last, style));
            run.clear();
            last = role;
        }
        push_visible(&mut run, letter);
    }
    text.push_str(&flush(&run, last, style));
    if line.chars().count() > MAX_WIDTH {
        text.push_str("...");
    }
    text
}

fn flush(run: &str, role: Option<Role>, style: Style) -> String {
    match role {
        Some(role) if !run.is_empty() => style.paint(role.colour(), run),
        _ => run.to_owned(),
    }
}

/// Appends a character, escaping control and invisible ones.
fn push_visible(text: &mut String, letter: char) {
    if shown_width(letter) == 1 {
        text.push(if letter == '\t' { ' ' } else { letter });
    } else {
        text.extend(letter.escape_unicode());
    }
}

fn shown_width(letter: char) -> usize {
    let hidden = letter.is_control() && letter != '\t'
        || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}' | '\u{e0000}'..='\u{e007f}');
    if hidden { letter.escape_unicode().count() } else { 1 }
}

/// Underlines with effect numbers, in as few rows as possible.
fn marks(line: &str, start: usize, analysis: &Analysis) -> Vec<String> {
    let end = start + line.len();
    let mut spans: Vec<(usize, usize, String)> = Vec::new();
    for (number, effect) in analysis.effects.iter().enumerate() {
        let (from, to) = (effect.span.range().start.max(start), effect.span.range().end.min(end));
        if from >= to {
            continue;
        }
        let column = |byte: usize| -> usize {
            line.char_indices()
                .take_while(|(at, _)| start + at < byte)
                .map(|(_, letter)| shown_width(letter))
                .sum()
        };
        let (from, to) = (column(from), column(to));
        if to > MAX_WIDTH {
            continue;
        }
        let number = (number + 1).to_string();
        match spans
            .iter_mut()
            .find(|(known_from, known_to, _)| (*known_from, *known_to) == (from, to))
        {
            Some((_, _, numbers)) => {
                numbers.push(',');
                numbers.push_str(&number);
            }
            None => spans.push((from, to, number)),
        }
    }
    spans.sort();
    let mut rows: Vec<String> = Vec::new();
    for (from, to, number) in spans {
        let free = rows.iter_mut().find(|row| row.chars().count() < from || row.is_empty());
        let row = match free {
            Some(row) => row,
            None => {
                rows.push(String::new());
                match rows.last_mut() {
                    Some(row) => row,
                    None => continue,
                }
            }
        };
        let width = row.chars().count();
        row.push_str(&" ".repeat(from.saturating_sub(width)));
        row.push_str(&"^".repeat(to.saturating_sub(from).max(1)));
        row.push_str(&number);
        row.push(' ');
    }
    rows.iter().map(|row| row.trim_end().to_owned()).collect()
}
