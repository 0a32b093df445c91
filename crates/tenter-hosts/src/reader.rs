//! Lenient access to the fields of a payload; unusable fields are noted.

use std::borrow::Cow;
use std::cell::RefCell;

use serde_json::Number;
use tenter_model::{Attachment, EventKind, Json, Note, Object, Text, json};

use crate::capability::EventSpec;
use crate::host::Host;

/// An object whose fields are read leniently: a field of the wrong type counts as absent and is noted,
/// because one odd field must not disable a guard.
pub(crate) struct Reader<'o, 'a> {
    pub(crate) object: &'o Object<'a>,
    notes: RefCell<Vec<Note>>,
}

impl<'o, 'a> Reader<'o, 'a> {
    pub(crate) fn new(object: &'o Object<'a>) -> Self {
        Self { object, notes: RefCell::default() }
    }

    pub(crate) fn into_notes(self) -> Vec<Note> {
        self.notes.into_inner()
    }

    pub(crate) fn note(&self, field: &'static str, problem: impl Into<String>) {
        let note = Note { field: Cow::Borrowed(field), problem: problem.into() };
        let mut notes = self.notes.borrow_mut();
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    fn typed<T>(&self, field: &'static str, wanted: &str, value: Option<T>) -> Option<T> {
        if value.is_none() && self.object.has(field) {
            self.note(field, format!("is not {wanted}; ignored"));
        }
        value
    }

    /// A non-empty string.
    pub(crate) fn str(&self, field: &'static str) -> Option<Cow<'a, str>> {
        let value = self.typed(field, "a string", self.object.str(field));
        value.filter(|text| !text.is_empty())
    }

    /// The event name. If a payload has several, the one at which a call waits, since we cannot know which
    /// the host uses.
    pub(crate) fn event_name(&self, host: &dyn Host) -> Cow<'a, str> {
        let entries = self.object.entries().iter();
        let names = entries.filter(|(key, _)| key == "hook_event_name");
        if names.clone().nth(1).is_some() {
            let names: Vec<_> = names.filter_map(|(_, value)| json::string(value)).collect();
            let of = |wanted: fn(&EventSpec) -> bool| {
                names.iter().find(|name| wanted(host.spec(name))).cloned()
            };
            let ahead = of(|spec| spec.gate && spec.kind == EventKind::PreToolUse);
            if let Some(name) = ahead.or_else(|| of(|spec| spec.gate)) {
                return name;
            }
        }
        self.str("hook_event_name").unwrap_or_default()
    }

    /// The first present spelling of a field.
    pub(crate) fn first_str(&self, fields: &[&'static str]) -> Option<Cow<'a, str>> {
        fields.iter().find_map(|field| self.str(field))
    }

    pub(crate) fn text(&self, field: &'static str) -> Option<Text<'a>> {
        self.typed(field, "a string", self.object.text_of(field))
    }

    /// A text, or the concatenated texts of a list of parts, which some hosts send instead.
    pub(crate) fn joined_text(&self, field: &'static str) -> Text<'a> {
        match self.object.get(field) {
            Some(raw) if raw.get().starts_with(['[', '{']) => {
                Text::from(Json::Borrowed(raw).strings().into_owned())
            }
            _ => self.text(field).unwrap_or(Text::from("")),
        }
    }

    pub(crate) fn bool(&self, field: &'static str) -> Option<bool> {
        self.typed(field, "true or false", self.object.bool(field))
    }

    pub(crate) fn number(&self, field: &'static str) -> Option<Number> {
        self.typed(field, "a number that fits", self.object.number(field))
    }

    pub(crate) fn strings(&self, field: &'static str) -> Vec<Cow<'a, str>> {
        let items = self.typed(field, "a list", self.object.array(field));
        items.unwrap_or_default().into_iter().filter_map(json::string).collect()
    }

    /// A value, unwrapped if it is JSON inside a string.
    pub(crate) fn unpacked(&self, field: &str) -> Option<Json<'a>> {
        self.object.get(field).filter(|value| !json::is_null(value)).map(Json::unpack)
    }

    /// Attached files, under either spelling of the path key.
    pub(crate) fn attachments(&self) -> Vec<Attachment<'a>> {
        let items = self.typed("attachments", "a list", self.object.array("attachments"));
        let items = items.unwrap_or_default();
        let read = |item: &'a serde_json::value::RawValue| {
            let item = Object::parse(item.get()).ok()?;
            let file_path = item.str("file_path").or_else(|| item.str("filePath"))?;
            Some(Attachment { kind: item.str("type"), file_path })
        };
        let attachments: Vec<_> = items.iter().copied().filter_map(read).collect();
        if attachments.len() < items.len() {
            self.note("attachments", "has entries without a path; those are left out");
        }
        attachments
    }
}
