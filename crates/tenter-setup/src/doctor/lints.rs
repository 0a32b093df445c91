//! Runs `tenter lint` on the surveyed files, and finds the entry that each finding concerns.

use std::ops::Range;

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged;
use tenter_engine::document::{Position, Source};
use tenter_hosts::install::Shape;
use tenter_lint::{File, Finding};

use crate::edit::FoundHook;
use crate::survey::{HookFile, Survey};
use crate::{Places, command, judged};

/// A finding of the linter.
#[derive(Debug)]
pub(crate) struct Linted<'e> {
    pub(crate) file: &'e HookFile,
    pub(crate) finding: Finding,
    pub(crate) whose: Whose<'e>,
}

/// Subject of a finding.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Whose<'e> {
    /// A hook of ours.
    Ours,
    /// A hook of another tool.
    Others(&'e FoundHook),
    /// The file in general.
    File,
}

/// Lints all files together.
pub(crate) fn judge<'e>(survey: &'e Survey, places: &Places) -> Vec<Linted<'e>> {
    let with_text = |file: &'e HookFile| Some((file, judged::file(file, file.text()?)?));
    let (sources, files): (Vec<&HookFile>, Vec<File>) =
        survey.files().filter_map(with_text).unzip();
    let owners: Vec<(Source, Vec<Span<'e>>)> = sources.iter().map(|file| spans(file)).collect();
    let attribute = |finding: Finding| {
        let index = sources.iter().position(|file| file.path == finding.file)?;
        let file: &'e HookFile = sources.get(index)?;
        let (source, spans) = owners.get(index)?;
        let whose = owner(source, spans, finding.start);
        Some(Linted { file, finding, whose })
    };
    judged::lint(&files, places).into_iter().filter_map(attribute).collect()
}

/// A hook and its byte range; includes its group if it is alone in it.
#[derive(Debug)]
struct Span<'e> {
    found: &'e FoundHook,
    at: Range<usize>,
}

fn owner<'e>(source: &Source, spans: &[Span<'e>], place: Position) -> Whose<'e> {
    let at = offset(source.text(), place);
    match spans.iter().find(|span| span.at.contains(&at)) {
        Some(span) if command::ours(span.found).is_some() => Whose::Ours,
        Some(span) => Whose::Others(span.found),
        None => Whose::File,
    }
}

/// Byte offset of a position.
fn offset(text: &str, place: Position) -> usize {
    let mut rest = text;
    for _ in 1..place.line {
        let Some((_, after)) = rest.split_once('\n') else { break };
        rest = after;
    }
    let start = text.len() - rest.len();
    let column = rest.char_indices().nth(place.column.saturating_sub(1));
    column.map_or(text.len(), |(at, _)| start + at)
}

fn spans(file: &HookFile) -> (Source, Vec<Span<'_>>) {
    let source = Source::new(&file.path, file.text().unwrap_or_default());
    let shape = tenter_hosts::host(file.host).install().shape;
    let mut spans = Vec::new();
    if let Ok(parsed) = judged::form(file).parse(&source) {
        for found in file.hooks() {
            let at = parsed.value.as_object().and_then(|top| span(top, found, shape));
            spans.extend(at.map(|at| Span { found, at }));
        }
    }
    (source, spans)
}

fn span(top: &Object<'_>, found: &FoundHook, shape: Shape) -> Option<Range<usize>> {
    let list = last(last(top, "hooks")?.as_object()?, &found.event)?.as_array()?;
    let group = item(list, found.group)?;
    if shape == Shape::Entries {
        return Some(group.start()..group.end());
    }
    let handlers = last(group.as_object()?, "hooks")?.as_array()?;
    let node = if handlers.elements.len() == 1 { group } else { item(handlers, found.handler)? };
    Some(node.start()..node.end())
}

/// The effective value of a key: the last one.
fn last<'a, 's>(object: &'a Object<'s>, key: &str) -> Option<&'a Value<'s>> {
    let named = object.properties.iter().rev().find(|property| property.name.as_str() == key)?;
    Some(&named.value)
}

fn item<'a, 's>(list: &'a Array<'s>, index: usize) -> Option<&'a Value<'s>> {
    list.elements.get(index)
}
