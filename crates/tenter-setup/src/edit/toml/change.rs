//! Computes the edits that install the wanted hooks.

use std::ops::Range;

use serde_json::Value as Json;
use tenter_engine::document::Source;
use tenter_lint::Edit;
use toml_edit::{Array, Item, Table};

use super::document::{
    Document, Form, Holder, List, frame_of_array, frame_of_inline, json_of_value,
};
use super::lines::{
    Statement, break_of, element, inline, own_statements, pair, put_at_end, put_behind, statements,
    take_out,
};
use super::parse;
use crate::edit::Hook;
use crate::edit::page::{Frame, Place};
use crate::edit::plan::{Fate, Plan};

/// The events of a file with inline `hooks`: empty lists there may be original.
pub(super) fn inline_events(text: &str) -> Vec<String> {
    let source = Source::new("", text);
    let Ok(parsed) = parse(&source) else { return Vec::new() };
    let hooks = parsed.get("hooks").and_then(Item::as_inline_table);
    let events = hooks.into_iter().flat_map(|hooks| hooks.iter());
    events.map(|(event, _)| event.to_owned()).collect()
}

/// All edits: applies each hook's fate and inserts the new ones. Lists of the events `kept` stay even when
/// empty.
pub(super) fn edits(
    document: &Document<'_>,
    plan: &Plan,
    wanted: &[Hook],
    kept: &[String],
) -> Vec<Edit> {
    let line_end = break_of(&document.page);
    let place = Place {
        multi: false,
        indent: String::new(),
        outer: String::new(),
        unit: "  ".to_owned(),
        line_end,
        gap: " ",
        colon: " ",
        padding: "",
    };
    let mut fresh: Vec<&Hook> = plan.fresh.iter().filter_map(|index| wanted.get(*index)).collect();
    let mut pass = Pass {
        document,
        wanted,
        place,
        fates: plan.fates.clone().into_iter(),
        lines: Vec::new(),
        edits: Vec::new(),
    };
    let mut bare = Vec::new();
    for list in &document.lists {
        if pass.list(list, &mut fresh) {
            bare.push(list.event);
        }
    }
    if let Some(Holder::Inline(hooks)) = document.hooks {
        let frame = frame_of_inline(hooks);
        let names: Vec<&str> = hooks.iter().map(|(name, _)| name).collect();
        let gone = bare.iter().filter(|event| !kept.iter().any(|kept| kept == *event));
        let gone: Vec<usize> =
            gone.filter_map(|event| names.iter().position(|name| name == event)).collect();
        pass.inline_hooks(&frame, &gone, &mut fresh);
    }
    let mut edits = pass.edits;
    edits.extend(take_out(&document.page, &pass.lines));
    edits.extend(put_at_end(&document.page, &fresh));
    edits
}

/// One pass through a file.
struct Pass<'p, 'a> {
    document: &'p Document<'a>,
    wanted: &'p [Hook],
    place: Place,
    /// Fates of the remaining hooks.
    fates: std::vec::IntoIter<Fate>,
    /// Lines to be removed.
    lines: Vec<Statement>,
    edits: Vec<Edit>,
}

impl Pass<'_, '_> {
    /// Edits the list of an event and removes the hooks it takes from `fresh`; `true` if an inline list
    /// becomes empty.
    fn list(&mut self, list: &List<'_>, fresh: &mut Vec<&Hook>) -> bool {
        let mut gone = Vec::new();
        for (index, group) in list.form.tables() {
            if self.group(group) {
                gone.push(index);
            }
        }
        let Form::Inline(array) = list.form else { return false };
        let new = fresh.iter().filter(|hook| hook.event == list.event);
        let new: Vec<String> = new.map(|hook| element(hook)).collect();
        fresh.retain(|hook| hook.event != list.event);
        self.array(array, &gone, &new)
    }

    /// Edits an inline list; `true` if it becomes empty.
    fn array(&mut self, array: &Array, gone: &[usize], fresh: &[String]) -> bool {
        let page = &self.document.page;
        let frame = frame_of_array(array);
        let place = page.place(&frame, &self.place);
        self.edits.extend(page.change(&frame, gone, fresh, &place));
        let all_gone = gone.len() == frame.items.len() && fresh.is_empty() && !gone.is_empty();
        all_gone && page.left_over(&frame) == Some("")
    }

    /// Edits inline `hooks`, which takes all new hooks: no table can be added to it.
    fn inline_hooks(&mut self, frame: &Frame, gone: &[usize], fresh: &mut Vec<&Hook>) {
        let mut events: Vec<(String, Vec<String>)> = Vec::new();
        for hook in fresh.drain(..) {
            match events.iter_mut().find(|(event, _)| *event == hook.event) {
                Some((_, list)) => list.push(element(hook)),
                None => events.push((hook.event.clone(), vec![element(hook)])),
            }
        }
        let fresh: Vec<String> =
            events.into_iter().map(|(event, list)| pair_of_list(&event, &list)).collect();
        let page = &self.document.page;
        let around = Place { padding: " ", ..self.place.clone() };
        let place = page.place(frame, &around);
        let gone_ranges: Vec<Range<usize>> =
            gone.iter().filter_map(|index| frame.items.get(*index).cloned()).collect();
        let within = |edit: &Edit| {
            gone_ranges
                .iter()
                .any(|range| range.start <= edit.range.start && edit.range.end <= range.end)
        };
        self.edits.retain(|edit| !within(edit));
        self.edits.extend(page.change(frame, gone, &fresh, &place));
    }

    /// Edits the handlers of a group; `true` if the whole group is to be removed (tables are removed here).
    fn group(&mut self, group: Holder<'_>) -> bool {
        let Some(handlers) = group.handlers() else { return false };
        let tables = handlers.tables();
        let fates: Vec<Fate> =
            tables.iter().map(|_| self.fates.next().unwrap_or(Fate::Stays)).collect();
        let going = tables.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::Goes);
        let gone: Vec<usize> = going.map(|((index, _), _)| *index).collect();
        let plain = group.like().iter().all(|(name, _)| name == "hooks" || name == "matcher");
        if !gone.is_empty() && gone.len() == handlers.len() && plain {
            if let Holder::Block(table) = group {
                self.lines.extend(statements(&self.document.page, table));
            }
            return true;
        }
        for ((_, table), fate) in tables.iter().zip(&fates) {
            match (fate, table) {
                (Fate::Becomes(hook), _) => self.become_wanted(group, *table, *hook),
                (Fate::Goes, Holder::Block(table)) => {
                    self.lines.extend(statements(&self.document.page, table));
                }
                _ => {}
            }
        }
        if let Form::Inline(array) = handlers {
            self.array(array, &gone, &[]);
        }
        false
    }

    fn become_wanted(&mut self, group: Holder<'_>, handler: Holder<'_>, hook: usize) {
        let Some(hook) = self.wanted.get(hook) else { return };
        self.keys(handler, &hook.fields, &|_| true);
        let matcher = hook.matcher.as_deref().map(Json::from);
        let matcher = matcher.map(|value| ("matcher".to_owned(), value));
        self.keys(group, matcher.as_slice(), &|name| name == "matcher");
    }

    /// Sets the managed keys of a table to the wanted values.
    fn keys(
        &mut self,
        table: Holder<'_>,
        wanted: &[(String, Json)],
        governs: &dyn Fn(&str) -> bool,
    ) {
        let mut gone = Vec::new();
        for (index, (name, item)) in table.like().iter().enumerate() {
            if !governs(name) {
                continue;
            }
            let range = item.span().unwrap_or_default();
            let wanted = wanted.iter().find(|(wanted, _)| wanted == name);
            match wanted.zip(item.as_value()) {
                Some(((_, wanted), value)) if json_of_value(value) == *wanted => {}
                // A value containing comments is replaced as a whole, so that they can be kept.
                Some(((_, wanted), _)) if self.document.page.comments_in(&range).is_empty() => {
                    self.edits.push(Edit { range, text: inline(wanted) });
                }
                _ => gone.push((index, name)),
            }
        }
        let is_gone = |name: &str| gone.iter().any(|(_, gone)| *gone == name);
        let missing = wanted.iter().filter(|(name, _)| table.get(name).is_none() || is_gone(name));
        let missing: Vec<String> = missing.map(|(name, value)| pair(name, value)).collect();
        match table {
            Holder::Inline(table) => {
                let gone: Vec<usize> = gone.into_iter().map(|(index, _)| index).collect();
                let frame = frame_of_inline(table);
                let place = self.document.page.place(&frame, &self.place);
                self.edits.extend(self.document.page.change(&frame, &gone, &missing, &place));
            }
            Holder::Block(table) => {
                let names: Vec<&str> = gone.into_iter().map(|(_, name)| name).collect();
                self.block_keys(table, &names, &missing);
            }
        }
    }

    fn block_keys(&mut self, table: &Table, gone: &[&str], missing: &[String]) {
        let page = &self.document.page;
        let own = own_statements(page, table);
        let first_line = self.lines.len();
        for name in gone {
            match table.get_key_value(name) {
                Some((_, Item::Table(inner))) => self.lines.extend(statements(page, inner)),
                Some((_, Item::ArrayOfTables(blocks))) => {
                    let inner = blocks.iter().flat_map(|inner| statements(page, inner));
                    self.lines.extend(inner);
                }
                Some((_, Item::Value(value))) => {
                    let end = value.span().unwrap_or_default().end;
                    let line = own.iter().find(|range| range.end == end);
                    self.lines.extend(line.map(|range| (range.clone(), false)));
                }
                _ => {}
            }
        }
        let going = self.lines.get(first_line..).unwrap_or_default();
        let stays = |range: &&Range<usize>| !going.iter().any(|(gone, _)| gone == *range);
        let last = own.iter().filter(stays).max_by_key(|range| range.end).cloned();
        let last = last.or_else(|| table.span()).unwrap_or_default();
        self.edits.extend(put_behind(page, &last, missing));
    }
}

fn pair_of_list(event: &str, elements: &[String]) -> String {
    let start = pair(event, &Json::Array(Vec::new()));
    let start = start.strip_suffix(']').unwrap_or(&start).to_owned();
    format!("{start}{}]", elements.join(", "))
}
