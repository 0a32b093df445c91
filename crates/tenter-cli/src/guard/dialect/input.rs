//! Converts a tool's input to another host's format, and changes to it back.

use serde_json::Value;
use serde_json::value::RawValue;
use tenter_engine::Payload;
use tenter_model::{Action, Edit, Event, ModifiedInput, Object, Text, Tool, ToolCall};

use super::absolute;

/// A tool's input as passed to a script.
#[derive(Debug, Default)]
pub(super) struct Input {
    sent: Payload,
    /// Whether changes to it can be converted back.
    takes_changes: bool,
}

impl Input {
    /// The event's own input, as its host sent it.
    pub(super) fn own(payload: &Payload) -> Self {
        let sent = payload.get("tool_input").and_then(|raw| Payload::parse(raw.get()).ok());
        Self { takes_changes: sent.is_some(), sent: sent.unwrap_or_default() }
    }

    /// The input built for one action of a call.
    pub(super) fn made(sent: &Payload, call: &ToolCall<'_>, action: &Action<'_>) -> Self {
        Self { sent: sent.clone(), takes_changes: takes_changes(call, action) }
    }

    /// The changes, in unified keys.
    pub(super) fn changes(&self, updated: &RawValue) -> Result<Option<ModifiedInput>, String> {
        let object = Object::parse(updated.get()).map_err(|error| error.to_string())?;
        let same = |key: &str, value: &RawValue| {
            let parsed = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
            self.sent.get(key).is_some_and(|sent| {
                sent.get() == value.get()
                    || parsed(sent).is_some_and(|it| parsed(value) == Some(it))
            })
        };
        let mut changes = Payload::default();
        for (key, value) in object.entries().iter().filter(|(key, value)| !same(key, value)) {
            match key.as_ref() {
                "old_string" | "new_string" | "replace_all" => {
                    let mut edit = Payload::default();
                    for key in ["old_string", "new_string", "replace_all"] {
                        if let Some(value) = object.get(key).or_else(|| self.sent.get(key)) {
                            edit.set_raw(key, value.to_owned());
                        }
                    }
                    changes.set("edits", &[edit]);
                }
                "subagent_type" => changes.set_raw("agent_type", (*value).to_owned()),
                key => changes.set_raw(key, (*value).to_owned()),
            }
        }
        if changes.keys().next().is_none() {
            return Ok(None);
        }
        if !self.takes_changes {
            return Err("the call has another form on this host".to_owned());
        }
        ModifiedInput::from_json(&changes.to_json()).map(Some).map_err(|error| error.to_string())
    }
}

/// Whether the call's input consists of this action only.
fn takes_changes(call: &ToolCall<'_>, action: &Action<'_>) -> bool {
    let is_patch = call.renames.iter().any(|(ours, _)| *ours == "patch")
        || call.input.iter().any(|(key, _)| key == "patch");
    !is_patch
        && match (&call.tool, action) {
            (Tool::Edit, Action::Edit { edits, moved_to, .. }) => {
                edits.len() == 1 && moved_to.is_none()
            }
            (Tool::Bash, Action::Shell { .. })
            | (Tool::Read, Action::Read { .. })
            | (Tool::Write, Action::Write { .. })
            | (Tool::Search, Action::Search { .. })
            | (Tool::Fetch, Action::Fetch { .. })
            | (Tool::Mcp, Action::Mcp(_))
            | (Tool::Task, Action::Task { .. })
            | (Tool::Native(_), Action::Other { .. }) => true,
            _ => false,
        }
}

/// The host's complete input, for tools that are the same everywhere.
pub(super) fn whole(call: &ToolCall<'_>) -> Payload {
    let mut input = Payload::default();
    for (key, value) in &call.input {
        input.set_raw(key, value.raw().to_owned());
    }
    input
}

/// Copies values sent under the same names.
pub(super) fn copy(call: &ToolCall<'_>, keys: &[&str], input: &mut Payload) {
    for (key, value) in call.input.iter().filter(|(key, _)| keys.contains(&key.as_ref())) {
        input.set_raw(key, value.raw().to_owned());
    }
}

/// Sets a text if present.
pub(super) fn set_text(payload: &mut Payload, key: &str, text: Option<&Text<'_>>) {
    if let Some(text) = text {
        payload.set(key, text);
    }
}

/// The input of one action, as far as hosts name it alike.
pub(super) fn of_action(event: &Event<'_>, call: &ToolCall<'_>, action: &Action<'_>) -> Payload {
    let mut made = Payload::default();
    match action {
        Action::Shell { command, .. } => made.set("command", command),
        Action::Read { path, .. } | Action::Delete { path } => {
            made.set("file_path", &absolute(path, event));
        }
        Action::Write { path, content } => {
            made.set("file_path", &absolute(path, event));
            made.set("content", content);
        }
        Action::Edit { path, edits, .. } => {
            made.set("file_path", &absolute(path, event));
            set_edits(edits, &mut made);
        }
        Action::Search { pattern, path } => {
            set_text(&mut made, "pattern", pattern.as_ref());
            if let Some(path) = path {
                made.set("path", &absolute(path, event));
            }
        }
        Action::Fetch { url } => made.set("url", url),
        Action::Task { agent_type, prompt } => {
            set_text(&mut made, "prompt", prompt.as_ref());
            if let Some(kind) = agent_type {
                made.set("subagent_type", kind);
            }
        }
        Action::Mcp(_) | Action::Other { .. } => return whole(call),
    }
    made
}

/// Sets the replacements of an edit as one, joined, and as a list.
fn set_edits(edits: &[Edit<'_>], input: &mut Payload) {
    let joined = |side: fn(&Edit<'_>) -> String| {
        let texts: Vec<String> = edits.iter().map(side).collect();
        texts.join("\n")
    };
    input.set("old_string", &joined(|edit| edit.old.get().into_owned()));
    input.set("new_string", &joined(|edit| edit.new.get().into_owned()));
    match edits {
        [edit] if edit.replace_all => input.set("replace_all", &true),
        [] | [_] => {}
        several => input.set("edits", &several),
    }
}

/// The output of a command, in any host's format.
pub(super) fn printed(response: Option<&RawValue>) -> String {
    let Some(raw) = response else { return String::new() };
    if let Some(text) = tenter_model::json::string(raw) {
        return text.into_owned();
    }
    let object = Object::parse(raw.get()).ok();
    let said = object.and_then(|it| it.str("output").or_else(|| it.str("stdout")));
    said.map_or_else(|| raw.get().to_owned(), std::borrow::Cow::into_owned)
}

/// The call and actions of a tool event, or nothing for other events.
pub(super) fn steps<'e, 'a>(event: &'e Event<'a>) -> Vec<(&'e ToolCall<'a>, &'e Action<'a>)> {
    let call = event.tool_call().into_iter();
    call.flat_map(|call| call.actions.iter().map(move |action| (call, action))).collect()
}
