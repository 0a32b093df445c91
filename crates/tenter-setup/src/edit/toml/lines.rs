//! Inserts and removes whole lines of a TOML file: headers and keys.

use std::ops::Range;

use serde_json::Value;
use tenter_lint::Edit;
use toml_edit::{Item, Table};

use crate::edit::Hook;
use crate::edit::page::{Comment, Page};

/// The comments of a text that is otherwise TOML.
pub(super) fn comments(text: &str) -> Vec<Comment> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'#' => {
                let rest = bytes.get(at..).unwrap_or_default();
                let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                let end = at + length.unwrap_or(rest.len());
                found.push(Comment { range: at..end, is_line: true });
                at = end;
            }
            b'"' | b'\'' => at = string_end(bytes, at, *byte),
            _ => at += 1,
        }
    }
    found
}

/// End of the string that starts at `at`.
fn string_end(bytes: &[u8], at: usize, quote: u8) -> usize {
    let is_triple = |at: usize| bytes.get(at..at + 3) == Some(&[quote; 3]);
    let triple = is_triple(at);
    let mut end = at + if triple { 3 } else { 1 };
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\\' if quote == b'"' => end += 2,
            byte if *byte != quote => end += 1,
            _ if !triple => return end + 1,
            _ if is_triple(end) => {
                // Up to two quotes may directly precede the closing three.
                while bytes.get(end + 3) == Some(&quote) {
                    end += 1;
                }
                return end + 3;
            }
            _ => end += 1,
        }
    }
    end
}

/// Byte range of a header or of a key with its value, and whether it is a header.
pub(super) type Statement = (Range<usize>, bool);

/// All statements of a table and its subtables, in text order.
pub(super) fn statements(page: &Page<'_>, table: &Table) -> Vec<Statement> {
    let mut found = Vec::new();
    gather(page, table, &mut found);
    found.sort_by_key(|(range, _)| range.start);
    found
}

fn gather(page: &Page<'_>, table: &Table, found: &mut Vec<Statement>) {
    if let (false, false, Some(span)) = (table.is_implicit(), table.is_dotted(), table.span()) {
        found.push((span, true));
    }
    found.extend(own_statements(page, table).into_iter().map(|range| (range, false)));
    below(table, &mut |inner| gather(page, inner, found));
}

/// Calls `each` with the subtables that have a position of their own.
fn below(table: &Table, each: &mut dyn FnMut(&Table)) {
    for (_, item) in table {
        match item {
            // Dotted tables belong to the table they are written in.
            Item::Table(inner) if inner.is_dotted() => below(inner, each),
            Item::Table(inner) => each(inner),
            Item::ArrayOfTables(blocks) => blocks.iter().for_each(&mut *each),
            Item::Value(_) | Item::None => {}
        }
    }
}

/// The keys directly below the header of a table.
pub(super) fn own_statements(page: &Page<'_>, table: &Table) -> Vec<Range<usize>> {
    let values = table.get_values().into_iter().filter_map(|(path, value)| {
        let start = path.last()?.span()?.start;
        Some(key_start(page, start)..value.span()?.end)
    });
    values.collect()
}

/// Start of a key's statement: a dotted key is more than its last part.
fn key_start(page: &Page<'_>, at: usize) -> usize {
    let start = line_start(page, at);
    let line = page.slice(start..at);
    start + (line.len() - line.trim_start_matches([' ', '\t']).len())
}

fn line_start(page: &Page<'_>, at: usize) -> usize {
    page.slice(0..at).rfind('\n').map_or(0, |end| end + 1)
}

/// End of the line at `at`, before and after its line break.
fn line_end(page: &Page<'_>, at: usize) -> (usize, usize) {
    let rest = page.slice(at..page.text.len());
    match rest.find('\n') {
        Some(end) => {
            let line = rest.get(..end).unwrap_or_default();
            (at + line.strip_suffix('\r').unwrap_or(line).len(), at + end + 1)
        }
        None => (page.text.len(), page.text.len()),
    }
}

/// Removes statements with their lines; comments on them stay. The blank line before a header is removed too,
/// and so is the line break before the former end of a file without one.
pub(super) fn take_out(page: &Page<'_>, statements: &[Statement]) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (range, is_header) in statements {
        let (end, next) = line_end(page, range.end);
        let line = line_start(page, range.start);
        let comments = page.comments_in(&(range.start..end));
        if !comments.is_empty() {
            let indent = page.slice(line..range.start);
            let comments: Vec<&str> =
                comments.iter().map(|comment| page.slice(comment.range.clone())).collect();
            let text = comments.join(&format!("{}{indent}", break_of(page)));
            edits.push(Edit { range: range.start..end, text });
            continue;
        }
        let before = line_start(page, line.saturating_sub(1));
        let is_bare = before < line && page.slice(before..line).trim().is_empty();
        ranges.push(if *is_header && is_bare { before..next } else { line..next });
    }
    ranges.sort_by_key(|range| range.start);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    if let Some(last) = merged.last_mut()
        && last.end == page.text.len()
        && !page.text.ends_with('\n')
    {
        let kept = page.slice(0..last.start);
        let kept =
            kept.strip_suffix('\n').map_or(kept, |kept| kept.strip_suffix('\r').unwrap_or(kept));
        last.start = kept.len();
    }
    edits.extend(merged.into_iter().map(|range| Edit { range, text: String::new() }));
    edits
}

/// Inserts lines after the line of a statement.
pub(super) fn put_behind(page: &Page<'_>, statement: &Range<usize>, lines: &[String]) -> Vec<Edit> {
    let line = page.slice(line_start(page, statement.start)..statement.start);
    let (at, _) = line_end(page, statement.end);
    let mut text = String::new();
    for new in lines {
        text.extend([break_of(page), line, new]);
    }
    if text.is_empty() { Vec::new() } else { vec![Edit { range: at..at, text }] }
}

/// The line ending used in this file.
pub(super) fn break_of(page: &Page<'_>) -> &'static str {
    match page.text.find('\n').map(|at| page.slice(0..at)) {
        Some(line) if line.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Appends hooks as tables at the end of the file, with a blank line before each header.
pub(super) fn put_at_end(page: &Page<'_>, hooks: &[&Hook]) -> Option<Edit> {
    let line_end = break_of(page);
    let mut blocks = Vec::new();
    for hook in hooks {
        let event = key(&hook.event);
        let mut group = vec![format!("[[hooks.{event}]]")];
        group.extend(hook.matcher.as_deref().map(|matcher| pair("matcher", &Value::from(matcher))));
        let mut handler = vec![format!("[[hooks.{event}.hooks]]")];
        handler.extend(hook.fields.iter().map(|(name, value)| pair(name, value)));
        blocks.push(group.join(line_end));
        blocks.push(handler.join(line_end));
    }
    if blocks.is_empty() {
        return None;
    }
    let at = page.text.len();
    let blocks = blocks.join(&line_end.repeat(2));
    let text = match page.text {
        "" => format!("{blocks}{line_end}"),
        text if text.ends_with('\n') => format!("{line_end}{blocks}{line_end}"),
        _ => format!("{line_end}{line_end}{blocks}"),
    };
    Some(Edit { range: at..at, text })
}

/// A key and its value.
pub(super) fn pair(name: &str, value: &Value) -> String {
    format!("{} = {}", key(name), inline(value))
}

fn key(name: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let bare = !name.is_empty() && name.bytes().all(is_bare);
    if bare { name.to_owned() } else { text(name) }
}

/// A JSON string, which TOML also accepts except for one character.
fn text(text: &str) -> String {
    Value::from(text).to_string().replace('\u{7f}', "\\u007F")
}

/// A value on one line.
pub(super) fn inline(value: &Value) -> String {
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| pair(name, value)).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// A hook as an element of an inline list.
pub(super) fn element(hook: &Hook) -> String {
    let fields: Vec<String> = hook.fields.iter().map(|(name, value)| pair(name, value)).collect();
    let matcher = hook.matcher.as_deref().map(|matcher| pair("matcher", &Value::from(matcher)));
    let matcher = matcher.map(|pair| format!("{pair}, ")).unwrap_or_default();
    format!("{{ {matcher}hooks = [{{ {} }}] }}", fields.join(", "))
}
