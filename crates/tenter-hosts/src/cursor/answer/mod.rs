//! Parses a hook's answer: one JSON object, validated against the event's fields.

mod claude;
mod native;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use tenter_model::Decision;
use tenter_model::text;

use super::event::{AnswerField, Spec};

/// The fields set in an answer, each of the right type.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    fields: BTreeMap<AnswerField, Given>,
}

/// Value of a field.
#[derive(Clone, Debug)]
pub enum Given {
    Text(String),
    Flag(bool),
    Variables(BTreeMap<String, String>),
    Paths(Vec<String>),
    /// JSON that is passed on byte for byte.
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

    /// The decision, in whichever field the event uses for it.
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

/// Members of the printed object, their values not parsed.
type Members = BTreeMap<String, Box<RawValue>>;

/// Parsed stdout of a hook.
#[derive(Debug)]
pub enum Said {
    Nothing,
    /// A valid answer, with warnings.
    Answer(Answer, Vec<String>),
    /// Not exactly one JSON value.
    NotJson(String),
    /// JSON that is not an answer to this event.
    OffSchema(String),
}

/// Strictness and accepted formats.
#[expect(clippy::struct_excessive_bools, reason = "settings of one version")]
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// The hook is configured in Claude Code's settings.
    pub of_claude: bool,
    /// Claude's format is accepted in Cursor's own hooks too.
    pub claude_too: bool,
    /// Rejects what Cursor only probably accepts: camelCase spellings and unknown keys.
    pub strict: bool,
    /// `postToolUseFailure` accepts context, as it does since autumn 2026.
    pub context_after_failure: bool,
}

impl Reading {
    /// How the newest editor reads its own hooks.
    pub const NEWEST: Self =
        Self { of_claude: false, claude_too: false, strict: false, context_after_failure: true };
    /// How the newest editor reads the hooks in Claude Code's settings.
    pub const OF_CLAUDE: Self = Self { of_claude: true, ..Self::NEWEST };
}

/// Parses a hook's stdout.
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

/// For an answer in both formats: the one that forbids more.
fn stronger(native: Said, claude: Said) -> Said {
    let decision = |said: &Said| match said {
        Said::Answer(answer, _) => answer.decision(),
        Said::Nothing | Said::NotJson(_) | Said::OffSchema(_) => None,
    };
    if decision(&claude) > decision(&native) { claude } else { native }
}

/// The messages for user and model in a hook's stdout, even if it is otherwise invalid.
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

/// A shortened value, for messages.
fn shown(value: &RawValue) -> String {
    format!("`{}`", text::shorten(value.get(), 40))
}
