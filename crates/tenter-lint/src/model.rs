//! Parsed hook file: events, groups and handlers.

use std::ops::Range;

use jsonc_parser::ast::{Object, ObjectProp, StringLit, Value};
use jsonc_parser::common::Ranged;
use tenter_engine::document::{Parsed, Source, SyntaxError};
use tenter_hosts::install::{Install, Role, Shape};
use tenter_hosts::lint::Lint;
use tenter_model::HostId;

use crate::command::{Launch, Part, launch, launch_words};
use crate::vocabulary::{self, is_event};
use crate::{File, Form, Options};

/// One file.
#[derive(Debug)]
pub(crate) struct FileModel<'a> {
    pub(crate) file: &'a File,
    pub(crate) source: &'a Source,
    pub(crate) options: &'a Options,
    pub(crate) parsed: &'a Result<Parsed<'a>, SyntaxError>,
    /// The top-level object.
    pub(crate) top: Option<&'a Object<'a>>,
    pub(crate) hooks: Option<&'a Object<'a>>,
    pub(crate) events: Vec<Event<'a>>,
    pub(crate) groups: Vec<Group<'a>>,
    pub(crate) handlers: Vec<Handler<'a>>,
    /// Entries in another host's structure: groups in Cursor's file, flat entries elsewhere.
    pub(crate) misshapen: Vec<Misshapen<'a>>,
}

/// One event, a key of `hooks`.
#[derive(Debug)]
pub(crate) struct Event<'a> {
    pub(crate) name: &'a str,
    pub(crate) property: &'a ObjectProp<'a>,
    pub(crate) known: bool,
}

/// A matcher and its handlers, on hosts that have groups.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    pub(crate) event: &'a str,
    pub(crate) object: &'a Object<'a>,
}

/// One handler.
#[derive(Debug)]
pub(crate) struct Handler<'a> {
    pub(crate) event: &'a str,
    pub(crate) object: &'a Object<'a>,
    pub(crate) group: Option<&'a Object<'a>>,
    pub(crate) launch: Launch,
}

/// An entry of the wrong structure.
#[derive(Debug)]
pub(crate) struct Misshapen<'a> {
    pub(crate) event: &'a str,
    pub(crate) object: &'a Object<'a>,
}

/// A matcher, of a group or of an entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matcher<'a> {
    pub(crate) event: &'a str,
    pub(crate) text: &'a str,
    pub(crate) literal: &'a StringLit<'a>,
}

/// The effective property of this name: the last one.
pub(crate) fn property<'a>(object: &'a Object<'a>, key: &str) -> Option<&'a ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == key)
}

pub(crate) fn text_of<'a>(object: &'a Object<'a>, key: &str) -> Option<&'a StringLit<'a>> {
    property(object, key)?.value.as_string_lit()
}

pub(crate) fn bool_of(object: &Object<'_>, key: &str) -> Option<bool> {
    property(object, key)?.value.as_boolean_lit().map(|literal| literal.value)
}

/// Byte range of a node.
pub(crate) fn at(node: &impl Ranged) -> Range<usize> {
    let range = node.range();
    range.start..range.end
}

/// Byte range of a property's name, including quotes.
pub(crate) fn name_at(property: &ObjectProp<'_>) -> Range<usize> {
    let range = property.name.range();
    range.start..range.end
}

/// The opening brace of an object: the position for something missing in it.
pub(crate) fn head(object: &Object<'_>) -> Range<usize> {
    object.range.start..object.range.start + 1
}

impl<'a> FileModel<'a> {
    pub(crate) fn new(
        file: &'a File,
        source: &'a Source,
        parsed: &'a Result<Parsed<'a>, SyntaxError>,
        options: &'a Options,
    ) -> Self {
        let top = parsed.as_ref().ok().and_then(|parsed| parsed.value.as_object());
        let hooks =
            top.and_then(|top| property(top, "hooks")).and_then(|hooks| hooks.value.as_object());
        let mut model = Self {
            file,
            source,
            options,
            parsed,
            top,
            hooks,
            events: Vec::new(),
            groups: Vec::new(),
            handlers: Vec::new(),
            misshapen: Vec::new(),
        };
        for property in hooks.into_iter().flat_map(|hooks| &hooks.properties) {
            model.event(property);
        }
        model
    }

    pub(crate) fn host(&self) -> HostId {
        self.file.host
    }

    pub(crate) fn lint(&self) -> &'static Lint {
        vocabulary::of(self.host())
    }

    pub(crate) fn install(&self) -> &'static Install {
        tenter_hosts::host(self.host()).install()
    }

    pub(crate) fn is_toml(&self) -> bool {
        self.file.form == Form::Toml
    }

    pub(crate) fn text(&self) -> &'a str {
        self.source.text()
    }

    fn event(&mut self, property: &'a ObjectProp<'a>) {
        let name = property.name.as_str();
        let known = is_event(self.file.host, name);
        self.events.push(Event { name, property, known });
        if !known && self.lint().skips_unknown_events {
            return;
        }
        let entries = property.value.as_array().into_iter().flat_map(|array| &array.elements);
        for entry in entries.filter_map(Value::as_object) {
            self.entry(name, entry);
        }
    }

    fn entry(&mut self, event: &'a str, object: &'a Object<'a>) {
        let has = |key| property(object, key).is_some();
        let is_group = has("hooks");
        let is_flat = ["command", "prompt", "url", "type"].into_iter().any(has);
        if self.install().shape == Shape::Entries {
            if is_group && !is_flat {
                self.misshapen.push(Misshapen { event, object });
            } else {
                self.handler(event, object, None);
            }
            return;
        }
        if is_flat && !is_group {
            self.misshapen.push(Misshapen { event, object });
            return;
        }
        self.groups.push(Group { event, object });
        let handlers = property(object, "hooks").and_then(|hooks| hooks.value.as_array());
        for handler in handlers.into_iter().flat_map(|array| &array.elements) {
            if let Some(handler) = handler.as_object() {
                self.handler(event, handler, Some(object));
            }
        }
    }

    fn handler(&mut self, event: &'a str, object: &'a Object<'a>, group: Option<&'a Object<'a>>) {
        let mut handler = Handler { event, object, group, launch: Launch::default() };
        if handler.kind() == "command"
            && let Some(command) = text_of(object, "command")
        {
            handler.launch = match property(object, "args").map(|args| &args.value) {
                Some(Value::Array(args)) if self.install().arguments => {
                    let texts = args.elements.iter().filter_map(Value::as_string_lit);
                    let texts: Vec<String> =
                        texts.map(|literal| literal.value.to_string()).collect();
                    launch_words(&command.value, &texts, self.file, self.options)
                }
                _ => launch(&command.value, self.file, self.options),
            };
        }
        self.handlers.push(handler);
    }

    /// All matchers of known events, each once.
    pub(crate) fn matchers(&self) -> impl Iterator<Item = Matcher<'a>> {
        let of = |event: &'a str, object: &'a Object<'a>| {
            let literal = text_of(object, "matcher")?;
            Some(Matcher { event, text: &literal.value, literal })
        };
        let in_entries = self.install().shape == Shape::Entries;
        let entries = self.handlers.iter().filter(move |_| in_entries);
        let entries = entries.filter_map(move |handler| of(handler.event, handler.object));
        let groups = self.groups.iter().filter_map(move |group| of(group.event, group.object));
        let host = self.host();
        entries.chain(groups).filter(move |matcher| is_event(host, matcher.event))
    }

    /// All files and programs named by commands, with the handler and the string they are in.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&Handler<'a>, &'a StringLit<'a>, &Part)> {
        self.handlers.iter().flat_map(|handler| {
            let parts = handler.launch.parts.iter();
            parts.filter_map(move |part| Some((handler, handler.command()?, part)))
        })
    }

    /// Byte range of a part in the file.
    pub(crate) fn part_at(&self, literal: &StringLit<'_>, part: &Part) -> Range<usize> {
        if part.range.is_empty() { at(literal) } else { self.inside(literal, &part.range) }
    }

    /// Maps a byte range of a string's value to the file.
    pub(crate) fn inside(&self, literal: &StringLit<'_>, range: &Range<usize>) -> Range<usize> {
        let start = literal.range.start + 1;
        let end = literal.range.end.saturating_sub(1);
        let raw = self.text().get(start..end).unwrap_or_default();
        if raw == literal.value {
            return start + range.start..start + range.end;
        }
        start + raw_offset(raw, range.start)..start + raw_offset(raw, range.end)
    }
}

impl<'a> Handler<'a> {
    /// The `type`, or the default when there is none.
    pub(crate) fn kind(&self) -> &str {
        text_of(self.object, "type").map_or("command", |literal| &literal.value)
    }

    pub(crate) fn command(&self) -> Option<&'a StringLit<'a>> {
        text_of(self.object, "command").filter(|_| self.kind() == "command")
    }

    /// Cost on the host when this handler always fails.
    pub(crate) fn failure_cost(&self, host: HostId) -> &'static str {
        let install = tenter_hosts::host(host).install();
        let waits = install.wire(self.event).is_some_and(|wire| wire.role == Role::Gate);
        let closed = install.closing.is_some_and(|closing| match closing.word {
            Some(word) => {
                text_of(self.object, closing.key).is_some_and(|literal| literal.value == word)
            }
            None => bool_of(self.object, closing.key) == Some(true),
        });
        match (waits, closed) {
            (true, true) => {
                "the hook fails every time, and that blocks every action it is asked about"
            }
            (true, false) => "the hook fails every time, and the action goes on without it",
            (false, _) => "the hook fails every time",
        }
    }

    /// The text of the matcher that applies to this handler.
    pub(crate) fn matcher(&self) -> &'a str {
        text_of(self.group.unwrap_or(self.object), "matcher").map_or("", |literal| &literal.value)
    }
}

/// Offset in a string's source of the byte `wanted` of its value.
fn raw_offset(raw: &str, wanted: usize) -> usize {
    let mut value = 0;
    let mut at = 0;
    while value < wanted {
        let Some(rest) = raw.get(at..) else { break };
        let Some(character) = rest.chars().next() else { break };
        if character != '\\' {
            at += character.len_utf8();
            value += character.len_utf8();
            continue;
        }
        let unit = |from: usize| {
            let digits = rest.get(from..from + 6)?.strip_prefix("\\u")?;
            u32::from_str_radix(digits, 16).ok()
        };
        let (length, bytes) = match unit(0) {
            Some(0xD800..=0xDBFF) => (12, 4),
            Some(unit) => (6, char::from_u32(unit).map_or(3, char::len_utf8)),
            None => (2, 1),
        };
        at += length;
        value += bytes;
    }
    at.min(raw.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_counted_as_they_are_written() {
        assert_eq!(raw_offset("abc", 2), 2);
        assert_eq!(raw_offset(r#"\"a\"/b"#, 1), 2);
        assert_eq!(raw_offset(r#"\"a\"/b"#, 3), 5);
        assert_eq!(raw_offset(r"\u00e4x", 2), 6);
        assert_eq!(raw_offset(r"\ud83d\ude00x", 4), 12);
        assert_eq!(raw_offset("ab", 9), 2);
    }
}
