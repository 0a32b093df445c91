//! Verifies an edited text: everything that is not ours must be unchanged.

use jsonc_parser::ast::Array;
use jsonc_parser::common::Ranged;
use tenter_engine::document::Source;
use tenter_hosts::install::Shape;

use super::document::{Document, List, handlers};
use super::parse;
use crate::edit::plan::{Stock, holds, others};
use crate::edit::{Fault, Hook, Ours, Style, unsafe_change};

/// Rejects a change that touched anything of others (a value, a key, a comment, their order), or after which
/// the file does not contain exactly the wanted hooks. Returns whether only an empty frame is left.
pub(super) fn changed(
    before: &Document<'_>,
    stock: &[Stock],
    changed: &str,
    style: &Style<'_>,
    wanted: &[Hook],
    ours: Ours<'_>,
) -> Result<bool, Fault> {
    // Without hooks of ours everything belongs to others.
    let ours_now: Ours<'_> = if wanted.is_empty() { &|_| false } else { ours };
    let source = Source::new("", changed);
    let parsed = parse(&source).ok().flatten().ok_or_else(unsafe_change)?;
    let after = Document::new(&source, &parsed, style.shape).map_err(|_| unsafe_change())?;
    let now = after.stock(ours_now);
    let left = pieces(&after, &now, style, ours_now);
    let same = pieces(before, stock, style, ours) == left && others(stock) == others(&now);
    let same = same && notes(before) == notes(&after);
    if !same || !holds(&now, wanted) {
        return Err(unsafe_change());
    }
    let is_bare = after.hooks.iter().all(|hooks| hooks.object.properties.is_empty());
    Ok(is_bare && left.is_empty())
}

/// Everything that is not ours, in order, with name and text.
fn pieces<'d>(
    document: &'d Document<'_>,
    stock: &[Stock],
    style: &Style<'_>,
    ours: Ours<'_>,
) -> Vec<(&'d str, &'d str)> {
    let mut pieces = Vec::new();
    for property in &document.root.properties {
        let (name, value) = (property.name.as_str(), text(document, &property.value));
        if name != "hooks" && !style.required.contains(&(name, value)) {
            pieces.push((name, value));
        }
    }
    let mut live = stock.iter().map(|one| one.ours);
    for hooks in &document.hooks {
        for property in &hooks.object.properties {
            if property.value.as_array().is_none() {
                pieces.push((property.name.as_str(), text(document, &property.value)));
            }
        }
        for list in &hooks.lists {
            let cells = document.cells(list.array).into_iter();
            let mine = cells.filter(|cell| {
                if list.live {
                    live.next() == Some(true)
                } else {
                    ours(&document.found(list.event, cell))
                }
            });
            let mine: Vec<(usize, usize)> = mine.map(|cell| (cell.group, cell.handler)).collect();
            list_pieces(document, list, &mine, &mut pieces);
        }
    }
    pieces
}

/// All comments, ours or not: none may be lost.
fn notes<'d>(document: &'d Document<'_>) -> Vec<&'d str> {
    let page = &document.page;
    page.comments.iter().map(|comment| page.slice(comment.range.clone())).collect()
}

fn text<'d>(document: &'d Document<'_>, value: &dyn Ranged) -> &'d str {
    document.page.slice(value.range().start..value.range().end)
}

fn list_pieces<'d>(
    document: &'d Document<'_>,
    list: &'d List<'_>,
    mine: &[(usize, usize)],
    pieces: &mut Vec<(&'d str, &'d str)>,
) {
    let is_mine = |group, handler| mine.binary_search(&(group, handler)).is_ok();
    for (group, element) in list.array.elements.iter().enumerate() {
        let object = element.as_object().filter(|_| document.shape == Shape::Groups);
        let Some((object, array)) = object.and_then(|object| Some((object, handlers(object)?)))
        else {
            if !is_mine(group, 0) {
                pieces.push((list.event, text(document, element)));
            }
            continue;
        };
        let others = others_of(array, &|handler| is_mine(group, handler));
        for property in &object.properties {
            let name = property.name.as_str();
            // The matcher of a group that is ours is ours too.
            if name != "hooks" && (name != "matcher" || !others.is_empty()) {
                pieces.push((name, text(document, &property.value)));
            }
        }
        for other in others {
            pieces.push((list.event, text(document, other)));
        }
    }
}

fn others_of<'d>(
    array: &'d Array<'d>,
    is_mine: &dyn Fn(usize) -> bool,
) -> Vec<&'d jsonc_parser::ast::Value<'d>> {
    let elements = array.elements.iter().enumerate();
    elements.filter(|(handler, _)| !is_mine(*handler)).map(|(_, element)| element).collect()
}
