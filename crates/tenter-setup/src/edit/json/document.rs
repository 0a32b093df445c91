//! The parts of a parsed JSON file that concern hooks.

use std::collections::BTreeMap;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value as Json};
use tenter_engine::document::Source;
use tenter_hosts::install::Shape;

use super::{fault, page};
use crate::edit::page::{Frame, Page};
use crate::edit::plan::Stock;
use crate::edit::{Fault, FoundHook, Ours};

#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) source: &'a Source,
    pub(super) page: Page<'a>,
    pub(super) root: &'a Object<'a>,
    pub(super) shape: Shape,
    /// All `hooks` keys of the root; hosts read the last one.
    pub(super) hooks: Vec<Hooks<'a>>,
}

/// One `hooks` key.
#[derive(Debug)]
pub(super) struct Hooks<'a> {
    /// Index in the root object.
    pub(super) index: usize,
    pub(super) object: &'a Object<'a>,
    /// Whether hosts read this one.
    pub(super) live: bool,
    /// Whether hosts would read an earlier one without it.
    pub(super) hides: bool,
    pub(super) lists: Vec<List<'a>>,
}

/// The list of one event.
#[derive(Debug)]
pub(super) struct List<'a> {
    /// Index in `hooks`.
    pub(super) index: usize,
    pub(super) event: &'a str,
    pub(super) array: &'a Array<'a>,
    /// Whether hosts read this one: no later one has the same name.
    pub(super) live: bool,
    /// Whether hosts would read an earlier one of the same name without it.
    pub(super) hides: bool,
}

/// One handler.
#[derive(Debug)]
pub(super) struct Cell<'a> {
    pub(super) group: usize,
    pub(super) handler: usize,
    pub(super) object: &'a Object<'a>,
    /// The object with the matcher.
    holder: &'a Object<'a>,
    alone: bool,
}

impl<'a> Document<'a> {
    pub(super) fn new(
        source: &'a Source,
        value: &'a Value<'a>,
        shape: Shape,
    ) -> Result<Self, Fault> {
        let Some(root) = value.as_object() else {
            return Err(fault(source, value.range().start, "the top level is not an object"));
        };
        let mut hooks = Vec::new();
        for (index, property) in root.properties.iter().enumerate() {
            if property.name.as_str() != "hooks" {
                continue;
            }
            let Some(object) = property.value.as_object() else {
                let at = property.value.range().start;
                return Err(fault(source, at, "`hooks` is not an object"));
            };
            let hides = !hooks.is_empty();
            hooks.push(Hooks { index, object, live: false, hides, lists: lists(object) });
        }
        if let Some(last) = hooks.last_mut() {
            last.live = true;
        }
        for dead in hooks.iter_mut().filter(|hooks| !hooks.live) {
            dead.lists.iter_mut().for_each(|list| list.live = false);
        }
        Ok(Self { source, page: page(source), root, shape, hooks })
    }

    /// The `hooks` that hosts read.
    pub(super) fn live(&self) -> Option<&Hooks<'a>> {
        self.hooks.last()
    }

    /// Rejects a non-list value of an event that requires a list, since the host's reaction is unknown.
    pub(super) fn require_lists(&self, must_be: &dyn Fn(&str) -> bool) -> Result<(), Fault> {
        let properties = self.live().map(|hooks| hooks.object.properties.iter());
        for property in properties.into_iter().flatten() {
            if property.value.as_array().is_none() && must_be(property.name.as_str()) {
                let message = format!("`{}` is not a list of hooks", property.name.as_str());
                return Err(fault(self.source, property.range.start, message));
            }
        }
        Ok(())
    }

    /// All hooks that hosts read, in order.
    pub(super) fn stock(&self, ours: Ours<'_>) -> Vec<Stock> {
        let lists = self.live().map(|hooks| hooks.lists.iter().filter(|list| list.live));
        let mut stock = Vec::new();
        for list in lists.into_iter().flatten() {
            for cell in self.cells(list.array) {
                let found = self.found(list.event, &cell);
                let matcher = last(cell.holder, "matcher");
                let odd = matcher.is_some_and(|found| found.value.as_string_lit().is_none());
                stock.push(Stock { ours: ours(&found), found, alone: cell.alone, odd });
            }
        }
        stock
    }

    /// The handlers of a list, in order.
    pub(super) fn cells(&self, array: &'a Array<'a>) -> Vec<Cell<'a>> {
        let mut cells = Vec::new();
        for (group, element) in array.elements.iter().enumerate() {
            let Some(holder) = element.as_object() else { continue };
            if self.shape == Shape::Entries {
                cells.push(Cell { group, handler: 0, object: holder, holder, alone: true });
                continue;
            }
            let Some(handlers) = handlers(holder) else { continue };
            let alone = handlers.elements.len() == 1;
            for (handler, element) in handlers.elements.iter().enumerate() {
                let Some(object) = element.as_object() else { continue };
                cells.push(Cell { group, handler, object, holder, alone });
            }
        }
        cells
    }

    pub(super) fn found(&self, event: &str, cell: &Cell<'_>) -> FoundHook {
        let mut fields = json_of_object(cell.object);
        if self.shape == Shape::Entries {
            fields.remove("matcher");
        }
        let matcher = last(cell.holder, "matcher").and_then(|found| found.value.as_string_lit());
        FoundHook {
            event: event.to_owned(),
            group: cell.group,
            handler: cell.handler,
            matcher: matcher.map(|text| text.value.clone().into_owned()),
            fields: Json::Object(fields),
            line: self.page.line(cell.object.range.start),
        }
    }
}

fn lists<'a>(hooks: &'a Object<'a>) -> Vec<List<'a>> {
    let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (index, property) in hooks.properties.iter().enumerate() {
        let (_, last) = places.entry(property.name.as_str()).or_insert((index, index));
        *last = index;
    }
    let lists = hooks.properties.iter().enumerate().filter_map(|(index, property)| {
        let event = property.name.as_str();
        let (first, last) = places.get(event).copied().unwrap_or_default();
        let array = property.value.as_array()?;
        Some(List { index, event, array, live: index == last, hides: index > first })
    });
    lists.collect()
}

/// The effective property of a repeated key.
pub(super) fn last<'a>(object: &'a Object<'a>, name: &str) -> Option<&'a ObjectProp<'a>> {
    object.properties.iter().rfind(|property| property.name.as_str() == name)
}

/// The list of handlers of a group.
pub(super) fn handlers<'a>(group: &'a Object<'a>) -> Option<&'a Array<'a>> {
    last(group, "hooks")?.value.as_array()
}

fn json_of_object(object: &Object<'_>) -> Map<String, Json> {
    let fields = object.properties.iter();
    fields.map(|field| (field.name.as_str().to_owned(), json_of(&field.value))).collect()
}

pub(super) fn json_of(value: &Value<'_>) -> Json {
    match value {
        Value::StringLit(text) => Json::from(text.value.as_ref()),
        // A number that no type can represent stays as text.
        Value::NumberLit(number) => {
            number.value.parse().map_or_else(|_| Json::from(number.value), Json::Number)
        }
        Value::BooleanLit(truth) => Json::from(truth.value),
        Value::NullKeyword(_) => Json::Null,
        Value::Array(items) => Json::Array(items.elements.iter().map(json_of).collect()),
        Value::Object(object) => Json::Object(json_of_object(object)),
    }
}

pub(super) fn frame_of_object(object: &Object<'_>) -> Frame {
    let items = object.properties.iter().map(|property| property.range.start..property.range.end);
    let (open, close) = (object.range.start + 1, object.range.end.saturating_sub(1));
    Frame { open, close, items: items.collect() }
}

pub(super) fn frame_of_array(array: &Array<'_>) -> Frame {
    let ranges = array.elements.iter().map(Ranged::range);
    let (open, close) = (array.range.start + 1, array.range.end.saturating_sub(1));
    Frame { open, close, items: ranges.map(|range| range.start..range.end).collect() }
}
