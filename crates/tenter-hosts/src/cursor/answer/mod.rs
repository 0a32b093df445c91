//! What a hook may answer: one JSON object, checked against what its event knows.

mod claude;
mod native;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use tenter_model::Decision;

use super::event::{AnswerField, Spec};

/// The fields of an answer that were given, each of its right type.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    fields: BTreeMap<AnswerField, Given>,
}

/// The value of a field.
#[derive(Clone, Debug)]
pub enum Given {
    Text(String),
    Flag(bool),
    Variables(BTreeMap<String, String>),
    Paths(Vec<String>),
    /// JSON that is passed on to the byte.
    Json(Box<RawValue>),
}

impl Answer {
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    pub fn get(&self, field: AnswerField) -> Option<&Given> {
        self.fields.get(&field)
    }

    pub fn text(&self, field: AnswerField) -> Option<&str> {
        match self.fields.get(&field)? {
            Given::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn flag(&self, field: AnswerField) -> Option<bool> {
        match self.fields.get(&field)? {
            Given::Flag(flag) => Some(*flag),
            _ => None,
        }
    }

    pub fn permission(&self) -> Option<&str> {
        self.text(AnswerField::Permission)
    }

    /// What it decides, in whichever field its event decides.
    pub fn decision(&self) -> Option<Decision> {
        match (self.permission(), self.flag(AnswerField::Continue)) {
            (Some("deny"), _) | (None, Some(false)) => Some(Decision::Deny),
            (Some("ask"), _) => Some(Decision::Ask),
            (Some(_), _) | (None, Some(true)) => Some(Decision::Allow),
            (None, None) => None,
        }
    }

    pub fn set(&mut self, field: AnswerField, value: Given) {
        self.fields.insert(field, value);
    }

    pub fn set_text(&mut self, field: AnswerField, text: impl Into<String>) {
        self.set(field, Given::Text(text.into()));
    }

    pub fn remove(&mut self, field: AnswerField) -> Option<Given> {
        self.fields.remove(&field)
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (field, value) in &self.fields {
            match value {
                Given::Text(text) => map.serialize_entry(field.key(), text)?,
                Given::Flag(flag) => map.serialize_entry(field.key(), flag)?,
                Given::Variables(variables) => map.serialize_entry(field.key(), variables)?,
                Given::Paths(paths) => map.serialize_entry(field.key(), paths)?,
                Given::Json(json) => map.serialize_entry(field.key(), json)?,
            }
        }
        map.end()
    }
}

/// The members of an object a hook printed, their values unread.
type Members = BTreeMap<String, Box<RawValue>>;

/// What a hook's stdout says.
#[derive(Debug)]
pub enum Said {
    Nothing,
    /// A valid answer and what is odd about it.
    Answer(Answer, Vec<String>),
    /// Not exactly one JSON value.
    NotJson(String),
    /// JSON that is no answer to this event.
    OffSchema(String),
}

/// How strictly an answer is read, and in which words it may be written.
#[expect(clippy::struct_excessive_bools, reason = "settings of one version")]
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The hook stands in Claude Code's settings.
    pub of_claude: bool,
    /// Claude Code's words count in Cursor's own hooks too.
    pub claude_too: bool,
    /// Refuse what is only probably accepted: camelCase spellings and unknown keys.
    pub strict: bool,
    /// `postToolUseFailure` takes context, as it does since autumn 2026.
    pub context_after_failure: bool,
}

impl Reading {
    /// As the newest editor reads its own hooks.
    pub const NEWEST: Self =
        Self { of_claude: false, claude_too: false, strict: false, context_after_failure: true };
    /// As the newest editor reads the hooks in Claude Code's settings.
    pub const OF_CLAUDE: Self = Self { of_claude: true, ..Self::NEWEST };
}

/// Reads what a hook printed.
pub fn read(stdout: &[u8], spec: &Spec, reading: Reading) -> Said {
    let stdout = stdout.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stdout);
    if stdout.trim_ascii().is_empty() {
        return Said::Nothing;
    }
    let members: Members = match serde_json::from_slice(stdout) {
        Ok(members) => members,
        Err(error) => return not_an_object(stdout, &error),
    };
    let speaks_claude = claude::is_shaped(&members) && (reading.of_claude || reading.claude_too);
    let speaks_cursor = native::has_any(&members);
    if speaks_claude && speaks_cursor {
        return stronger(native::read(&members, spec, reading), claude::read(&members, spec));
    }
    if speaks_claude || (reading.of_claude && !speaks_cursor) {
        return claude::read(&members, spec);
    }
    native::read(&members, spec, reading)
}

/// Of an answer that speaks both languages, what forbids more counts.
fn stronger(native: Said, claude: Said) -> Said {
    let decision = |said: &Said| match said {
        Said::Answer(answer, _) => answer.decision(),
        Said::Nothing | Said::NotJson(_) | Said::OffSchema(_) => None,
    };
    if decision(&claude) > decision(&native) { claude } else { native }
}

/// The messages in what a hook printed, whatever else is wrong with it: for the human, for the model.
pub fn messages(stdout: &[u8]) -> (Option<String>, Option<String>) {
    let Ok(members) = serde_json::from_slice::<Members>(stdout) else { return (None, None) };
    let find = |keys: &[&str], members: &Members| {
        let mut found = keys.iter().filter_map(|key| members.get(*key));
        found.find_map(|value| tenter_model::json::string(value).map(Cow::into_owned))
    };
    let nested = members.get("hookSpecificOutput").map(|value| value.get()).unwrap_or_default();
    let nested: Members = serde_json::from_str(nested).unwrap_or_default();
    let user = find(&["user_message", "userMessage"], &members)
        .or_else(|| find(&["permissionDecisionReason"], &nested))
        .or_else(|| find(&["reason"], &members));
    (user, find(&["agent_message", "agentMessage"], &members))
}

fn not_an_object(stdout: &[u8], error: &serde_json::Error) -> Said {
    if serde_json::from_slice::<&RawValue>(stdout).is_ok() {
        return Said::OffSchema("the answer must be an object".to_owned());
    }
    Said::NotJson(error.to_string())
}

/// A value in short, for messages.
fn shown(value: &RawValue) -> String {
    const LIMIT: usize = 40;
    let text = value.get();
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("`{}...`", text.get(..end).unwrap_or(text)),
        None => format!("`{text}`"),
    }
}
