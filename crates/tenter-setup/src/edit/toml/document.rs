//! The parts of a parsed TOML file that concern hooks.

use std::ops::Range;

use serde_json::{Map, Value as Json};
use tenter_engine::document::Source;
use toml_edit::{Array, ArrayOfTables, InlineTable, Item, Table, TableLike, Value};

use super::fault;
use super::lines::comments;
use crate::edit::page::{Frame, Page};
use crate::edit::plan::Stock;
use crate::edit::{Fault, FoundHook, Ours};

/// Keys of `hooks` that are not events: approvals, and folders of managed hooks.
const NO_EVENTS: &[&str] = &["state", "managed_dir", "windows_managed_dir"];

pub(super) struct Document<'a> {
    pub(super) source: &'a Source,
    pub(super) page: Page<'a>,
    pub(super) root: &'a Table,
    pub(super) hooks: Option<Holder<'a>>,
    pub(super) lists: Vec<List<'a>>,
}

/// A table in any notation.
#[derive(Clone, Copy)]
pub(super) enum Holder<'a> {
    Block(&'a Table),
    Inline(&'a InlineTable),
}

/// A list of tables in any notation.
#[derive(Clone, Copy)]
pub(super) enum Form<'a> {
    Blocks(&'a ArrayOfTables),
    Inline(&'a Array),
}

/// The list of one event.
pub(super) struct List<'a> {
    pub(super) event: &'a str,
    pub(super) form: Form<'a>,
}

impl<'a> Holder<'a> {
    pub(super) fn like(self) -> &'a dyn TableLike {
        match self {
            Holder::Block(table) => table,
            Holder::Inline(table) => table,
        }
    }

    pub(super) fn get(self, name: &str) -> Option<&'a Item> {
        self.like().get(name)
    }

    pub(super) fn start(self) -> usize {
        let span = match self {
            Holder::Block(table) => table.span(),
            Holder::Inline(table) => table.span(),
        };
        span.unwrap_or_default().start
    }

    /// The handlers of a group.
    pub(super) fn handlers(self) -> Option<Form<'a>> {
        Form::of(self.get("hooks")?)
    }

    pub(super) fn json(self) -> Json {
        json_of_table(self.like())
    }
}

impl<'a> Form<'a> {
    pub(super) fn of(item: &'a Item) -> Option<Self> {
        match item {
            Item::ArrayOfTables(blocks) => Some(Form::Blocks(blocks)),
            Item::Value(Value::Array(array)) => Some(Form::Inline(array)),
            _ => None,
        }
    }

    /// The elements with their index; non-tables are skipped.
    pub(super) fn tables(self) -> Vec<(usize, Holder<'a>)> {
        match self {
            Form::Blocks(blocks) => blocks.iter().map(Holder::Block).enumerate().collect(),
            Form::Inline(array) => {
                let tables = array.iter().enumerate().filter_map(|(index, value)| {
                    Some((index, Holder::Inline(value.as_inline_table()?)))
                });
                tables.collect()
            }
        }
    }

    pub(super) fn len(self) -> usize {
        match self {
            Form::Blocks(blocks) => blocks.len(),
            Form::Inline(array) => array.len(),
        }
    }
}

impl<'a> Document<'a> {
    pub(super) fn new(source: &'a Source, root: &'a Table) -> Result<Self, Fault> {
        let hooks = match root.get("hooks") {
            None => None,
            Some(Item::Table(table)) => Some(Holder::Block(table)),
            Some(Item::Value(Value::InlineTable(table))) => Some(Holder::Inline(table)),
            Some(other) => {
                let at = other.span().unwrap_or_default().start;
                return Err(fault(source, at, "`hooks` is not a table"));
            }
        };
        let page = Page::new(source.text(), comments(source.text()));
        let events = hooks.iter().flat_map(|hooks| hooks.like().iter());
        let lists = events.filter(|(event, _)| !NO_EVENTS.contains(event));
        let lists = lists.filter_map(|(event, item)| Some(List { event, form: Form::of(item)? }));
        let lists = lists.collect();
        Ok(Self { source, page, root, hooks, lists })
    }

    /// Rejects a non-list value of an event, since Codex's reaction is unknown.
    pub(super) fn require_lists(&self) -> Result<(), Fault> {
        for (event, item) in self.hooks.iter().flat_map(|hooks| hooks.like().iter()) {
            if Form::of(item).is_none() && !NO_EVENTS.contains(&event) {
                let at = item.span().unwrap_or_default().start;
                let message = format!("`{event}` is not a list of hooks");
                return Err(fault(self.source, at, message));
            }
        }
        Ok(())
    }

    /// All hooks in order.
    pub(super) fn stock(&self, ours: Ours<'_>) -> Vec<Stock> {
        let mut stock = Vec::new();
        for list in &self.lists {
            for (group, holder) in list.form.tables() {
                let Some(handlers) = holder.handlers() else { continue };
                let matcher = holder.get("matcher");
                let odd = matcher.is_some_and(|matcher| !matcher.is_str());
                let matcher = matcher.and_then(Item::as_str).map(str::to_owned);
                for (handler, table) in handlers.tables() {
                    let found = FoundHook {
                        event: list.event.to_owned(),
                        group,
                        handler,
                        matcher: matcher.clone(),
                        fields: table.json(),
                        line: self.page.line(table.start()),
                    };
                    let alone = handlers.len() == 1;
                    stock.push(Stock { ours: ours(&found), found, alone, odd });
                }
            }
        }
        stock
    }
}

pub(super) fn frame_of_array(array: &Array) -> Frame {
    let span = array.span().unwrap_or_default();
    let items = array.iter().filter_map(Value::span).collect();
    Frame { open: span.start + 1, close: span.end.saturating_sub(1), items }
}

pub(super) fn frame_of_inline(table: &InlineTable) -> Frame {
    let span = table.span().unwrap_or_default();
    let mut items: Vec<Range<usize>> = Vec::new();
    for (path, value) in table.get_values() {
        let start = path.first().and_then(|key| key.span()).unwrap_or_default().start;
        items.push(start..value.span().unwrap_or_default().end);
    }
    Frame { open: span.start + 1, close: span.end.saturating_sub(1), items }
}

fn json_of_table(table: &dyn TableLike) -> Json {
    let fields = table.iter().map(|(name, item)| (name.to_owned(), json_of_item(item)));
    Json::Object(fields.collect::<Map<_, _>>())
}

fn json_of_item(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => json_of_value(value),
        Item::Table(table) => json_of_table(table),
        Item::ArrayOfTables(tables) => {
            Json::Array(tables.iter().map(|table| json_of_table(table)).collect())
        }
    }
}

pub(super) fn json_of_value(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(number) => Json::from(*number.value()),
        Value::Float(number) => Json::from(*number.value()),
        Value::Boolean(truth) => Json::from(*truth.value()),
        Value::Datetime(moment) => Json::from(moment.value().to_string()),
        Value::Array(items) => Json::Array(items.iter().map(json_of_value).collect()),
        Value::InlineTable(table) => json_of_table(table),
    }
}
