//! Edits Codex's `config.toml`, with hooks as tables (`[[hooks.Stop]]`) or inline (`Stop = [...]`).
//!
//! The parser only provides positions: the text itself is cut, so that nothing else moves. New hooks are
//! appended as tables, unless the list or all of `hooks` is inline.

mod change;
mod check;
mod document;
mod lines;

use tenter_engine::document::Source;
use toml_edit::Document as Toml;

use self::change::{edits, inline_events};
use self::document::Document;
use super::plan::plan;
use super::{Fault, FoundHook, Hook, Ours, Style, Unwired, fault, unsafe_change};

pub(super) fn read(text: &str, _style: &Style<'_>) -> Result<Vec<FoundHook>, Fault> {
    let source = Source::new("", text);
    let parsed = parse(&source)?;
    let document = Document::new(&source, parsed.as_table())?;
    document.require_lists()?;
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
    let parsed = parse(&source)?;
    let document = Document::new(&source, parsed.as_table())?;
    document.require_lists()?;
    let stock = document.stock(ours);
    let edits = edits(&document, &plan(&stock, hooks), hooks, &[]);
    let changed = tenter_lint::apply(text, &edits).ok_or_else(unsafe_change)?;
    check::changed(&document, &stock, &changed, hooks, ours)?;
    Ok(changed)
}

pub(super) fn unwire(
    text: &str,
    _style: &Style<'_>,
    ours: Ours<'_>,
    before: Option<&str>,
) -> Result<Unwired, Fault> {
    let source = Source::new("", text);
    let parsed = parse(&source)?;
    let document = Document::new(&source, parsed.as_table())?;
    let kept = before.map(inline_events).unwrap_or_default();
    let stock = document.stock(ours);
    let edits = edits(&document, &plan(&stock, &[]), &[], &kept);
    let changed = tenter_lint::apply(text, &edits).ok_or_else(unsafe_change)?;
    check::changed(&document, &stock, &changed, &[], ours)?;
    let empty = changed.trim_start_matches('\u{feff}').trim().is_empty();
    Ok(Unwired { text: changed, empty })
}

fn parse(source: &Source) -> Result<Toml<&str>, Fault> {
    Toml::parse(source.text()).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().next().unwrap_or_default();
        fault(source, at, message)
    })
}
