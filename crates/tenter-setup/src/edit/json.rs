//! Edits hook files in JSON, with or without comments.

mod change;
mod check;
mod document;

use tenter_engine::document::Source;

use self::change::{Kept, edits, fresh_file};
use self::document::Document;
use super::page::{Comment, Page};
use super::plan::plan;
use super::{Fault, FoundHook, Hook, Ours, Style, Unwired, fault, unsafe_change};

pub(super) fn read(text: &str, style: &Style<'_>) -> Result<Vec<FoundHook>, Fault> {
    read_where(text, style, &|_| true)
}

pub(super) fn read_lists_of(
    text: &str,
    style: &Style<'_>,
    events: &[&str],
) -> Result<Vec<FoundHook>, Fault> {
    read_where(text, style, &|event| events.contains(&event))
}

fn read_where(
    text: &str,
    style: &Style<'_>,
    must_be_list: &dyn Fn(&str) -> bool,
) -> Result<Vec<FoundHook>, Fault> {
    let source = Source::new("", text);
    let Some(parsed) = parse(&source)? else { return Ok(Vec::new()) };
    let document = Document::new(&source, &parsed, style.shape)?;
    document.require_lists(must_be_list)?;
    Ok(document.stock(&|_| false).into_iter().map(|one| one.found).collect())
}

pub(super) fn wire(
    text: &str,
    style: &Style<'_>,
    hooks: &[Hook],
    ours: Ours<'_>,
) -> Result<String, Fault> {
    if hooks.is_empty() {
        return Ok(unwire(text, style, ours, None)?.text);
    }
    let source = Source::new("", text);
    let Some(parsed) = parse(&source)? else { return Ok(fresh_file(text, style, hooks)) };
    let document = Document::new(&source, &parsed, style.shape)?;
    document.require_lists(&|_| true)?;
    let stock = document.stock(ours);
    let edits = edits(&document, style, &plan(&stock, hooks), hooks, ours, &Kept::default());
    let changed = tenter_lint::apply(text, &edits).ok_or_else(unsafe_change)?;
    check::changed(&document, &stock, &changed, style, hooks, ours)?;
    Ok(changed)
}

pub(super) fn unwire(
    text: &str,
    style: &Style<'_>,
    ours: Ours<'_>,
    before: Option<&str>,
) -> Result<Unwired, Fault> {
    let source = Source::new("", text);
    let Some(parsed) = parse(&source)? else {
        let empty = comments(source.text()).is_empty();
        return Ok(Unwired { text: text.to_owned(), empty });
    };
    let document = Document::new(&source, &parsed, style.shape)?;
    let stock = document.stock(ours);
    let kept = match before {
        Some(before) => Kept::of(before, style, &stock),
        None => Kept::unknown(style),
    };
    let edits = edits(&document, style, &plan(&stock, &[]), &[], ours, &kept);
    let changed = tenter_lint::apply(text, &edits).ok_or_else(unsafe_change)?;
    let is_bare = check::changed(&document, &stock, &changed, style, &[], ours)?;
    let notes = comment_texts(&changed);
    let empty = is_bare && notes.is_empty();
    match before.filter(|before| is_bare && is_nothing(before) && comment_texts(before) == notes) {
        Some(before) => Ok(Unwired { text: before.to_owned(), empty }),
        None => Ok(Unwired { text: changed, empty }),
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(parse(&Source::new("", text)), Ok(None))
}

fn comment_texts(text: &str) -> Vec<&str> {
    let found = comments(text).into_iter();
    found.map(|comment| text.get(comment.range).unwrap_or_default()).collect()
}

/// The parsed value; `None` if there are only blanks and comments.
fn parse(source: &Source) -> Result<Option<jsonc_parser::ast::Value<'_>>, Fault> {
    let page = page(source);
    if page.skip(0) == page.text.len() {
        return Ok(None);
    }
    match source.parse() {
        Ok(parsed) => Ok(Some(parsed.value)),
        Err(error) => Err(fault(source, error.at.start, error.message)),
    }
}

fn page(source: &Source) -> Page<'_> {
    Page::new(source.text(), comments(source.text()))
}

/// The comments of a text that is otherwise JSON.
fn comments(text: &str) -> Vec<Comment> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let find = |from: usize, stop: &dyn Fn(&[u8]) -> bool| {
        let rest = bytes.get(from..)?;
        (0..rest.len()).find(|offset| rest.get(*offset..).is_some_and(stop)).map(|end| from + end)
    };
    while let Some(byte) = bytes.get(at) {
        match (byte, bytes.get(at + 1)) {
            (b'"', _) => {
                at += 1;
                while let Some(inner) = bytes.get(at).filter(|inner| **inner != b'"') {
                    at += if *inner == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            (b'/', Some(b'/')) => {
                let is_break = |rest: &[u8]| matches!(rest.first(), Some(b'\n' | b'\r'));
                let end = find(at, &is_break).unwrap_or(bytes.len());
                found.push(Comment { range: at..end, is_line: true });
                at = end;
            }
            (b'/', Some(b'*')) => {
                let Some(end) = find(at + 2, &|rest| rest.starts_with(b"*/")) else { break };
                found.push(Comment { range: at..end + 2, is_line: false });
                at = end + 2;
            }
            _ => at += 1,
        }
    }
    found
}
