//! Verifies an edited text: everything that is not ours must be unchanged.

use std::ops::Range;

use tenter_engine::document::Source;

use super::document::{Document, Form, Holder};
use super::lines::statements;
use super::parse;
use crate::edit::plan::{Stock, holds, others};
use crate::edit::{Fault, Hook, Ours, unsafe_change};

/// Rejects a change that touched anything of others, or after which the file does not contain exactly the
/// wanted hooks.
pub(super) fn changed(
    before: &Document<'_>,
    stock: &[Stock],
    changed: &str,
    wanted: &[Hook],
    ours: Ours<'_>,
) -> Result<(), Fault> {
    let source = Source::new("", changed);
    let parsed = parse(&source).map_err(|_| unsafe_change())?;
    let after = Document::new(&source, parsed.as_table()).map_err(|_| unsafe_change())?;
    // Without hooks of ours everything belongs to others.
    let now = after.stock(if wanted.is_empty() { &|_| false } else { ours });
    let same = pieces(before, stock) == pieces(&after, &now) && others(stock) == others(&now);
    (same && holds(&now, wanted)).then_some(()).ok_or_else(unsafe_change)
}

/// Everything that is not ours, in order.
fn pieces<'d>(document: &'d Document<'_>, stock: &[Stock]) -> Vec<&'d str> {
    let page = &document.page;
    let mut sorting = Sorting { document, skipped: Vec::new(), parts: Vec::new() };
    if let Some(Holder::Inline(hooks)) = document.hooks {
        sorting.skip(hooks.span());
        for (_, value) in hooks.iter().filter(|(_, value)| value.as_array().is_none()) {
            sorting.keep(value.span());
        }
    }
    let mut mine = stock.iter().map(|one| one.ours);
    for list in &document.lists {
        sorting.list(list.form, &mut mine);
    }
    let Sorting { mut skipped, mut parts, .. } = sorting;
    skipped.sort_unstable();
    let others = statements(page, document.root).into_iter().map(|(range, _)| range);
    parts.extend(others.filter(|range| skipped.binary_search(&range.end).is_err()));
    parts.sort_by_key(|range| range.start);
    let comments = page.comments.iter().map(|comment| comment.range.clone());
    parts.into_iter().chain(comments).map(|range| page.slice(range)).collect()
}

/// Separates ours from others.
struct Sorting<'d, 'a> {
    document: &'d Document<'a>,
    /// Ends of statements that are ours, or contain ours among others.
    skipped: Vec<usize>,
    /// The parts of those that are not ours.
    parts: Vec<Range<usize>>,
}

impl Sorting<'_, '_> {
    fn skip(&mut self, range: Option<Range<usize>>) {
        self.skipped.extend(range.map(|range| range.end));
    }

    fn keep(&mut self, range: Option<Range<usize>>) {
        self.parts.extend(range);
    }

    fn list(&mut self, form: Form<'_>, mine: &mut dyn Iterator<Item = bool>) {
        if let Form::Inline(array) = form {
            self.skip(array.span());
            for value in array.iter().filter(|value| value.as_inline_table().is_none()) {
                self.keep(value.span());
            }
        }
        for (_, group) in form.tables() {
            let handlers = group.handlers();
            let tables = handlers.map(Form::tables).unwrap_or_default();
            let mine: Vec<bool> = tables.iter().map(|_| mine.next() == Some(true)).collect();
            self.group(group, handlers, &mine);
        }
    }

    fn group(&mut self, group: Holder<'_>, handlers: Option<Form<'_>>, mine: &[bool]) {
        let is_ours = mine.iter().filter(|mine| **mine).count() == handlers.map_or(0, Form::len);
        let is_plain = group.like().iter().all(|(name, _)| name == "hooks" || name == "matcher");
        for (name, item) in group.like().iter() {
            let is_list = name == "hooks" && handlers.is_some();
            // The matcher of a group that is ours is ours too.
            let is_matcher = name == "matcher" && is_ours;
            match group {
                Holder::Block(_) if is_matcher => self.skip(item.span()),
                Holder::Inline(_) if !is_matcher && !is_list => self.keep(item.span()),
                _ => {}
            }
        }
        if let (Holder::Block(table), true, true) = (group, is_ours, is_plain) {
            self.skip(table.span());
        }
        let Some(handlers) = handlers else { return };
        match handlers {
            Form::Inline(array) => {
                self.skip(array.span());
                let mut mine = mine.iter();
                for value in array {
                    let is_table = value.as_inline_table().is_some();
                    if !is_table || mine.next() == Some(&false) {
                        self.keep(value.span());
                    }
                }
            }
            Form::Blocks(blocks) => {
                for (table, _) in blocks.iter().zip(mine).filter(|(_, mine)| **mine) {
                    let statements = statements(&self.document.page, table);
                    self.skipped.extend(statements.into_iter().map(|(range, _)| range.end));
                }
            }
        }
    }
}
