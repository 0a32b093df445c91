//! Recognises one tool call behind several events.

use std::fmt;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::action::Action;
use crate::event::{Body, Event};
use crate::input::ToolCall;

/// A stable identity of one tool call within a session and turn.
///
/// It covers what every event about the call knows: the command, the path, the MCP tool and its
/// arguments. Before a call it also covers what would be written, so that a second write to the same
/// file is a second call; after it, some hosts no longer say, and the path is all. The MCP server is
/// left out because Cursor's generic events do not name it. The hash is cryptographic, since a layer
/// that answers a repeated call from memory must not be talked into it by a crafted one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    pub(crate) fn of(event: &Event<'_>) -> Option<Self> {
        let call = event.tool_call()?;
        let mut hash = Hash(Sha256::new());
        hash.part(event.host.as_str());
        hash.part(event.session_id.as_deref().unwrap_or_default());
        hash.part(event.turn_id.as_deref().unwrap_or_default());
        let before = matches!(event.body, Body::PreToolUse(_) | Body::PermissionRequest(_));
        for action in &call.actions {
            hash.action(action, call, before);
        }
        let mut short = [0; 16];
        short.iter_mut().zip(hash.0.finalize()).for_each(|(to, from)| *to = from);
        Some(Self(short))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

struct Hash(Sha256);

impl Hash {
    /// Adds one part, its length first: parts can then not run into each other.
    fn part(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text);
    }

    fn action(&mut self, action: &Action<'_>, call: &ToolCall<'_>, before: bool) {
        match action {
            Action::Shell { command, .. } => {
                self.part("shell");
                self.part(&command.get());
            }
            Action::Read { path, .. } => {
                self.part("read");
                self.part(path);
            }
            Action::Write { path, content } => {
                self.part("file");
                self.part(path);
                if before {
                    self.part(&content.get());
                }
            }
            Action::Edit { path, edits, moved_to } => {
                self.part("file");
                self.part(path);
                if before {
                    self.part(moved_to.as_deref().unwrap_or_default());
                    for edit in edits {
                        self.part(&edit.old.get());
                        self.part(&edit.new.get());
                    }
                }
            }
            Action::Delete { path } => {
                self.part("delete");
                self.part(path);
            }
            Action::Mcp(identity) => {
                self.part("mcp");
                self.part(&identity.tool);
                self.input(call);
            }
            Action::Search { .. }
            | Action::Fetch { .. }
            | Action::Task { .. }
            | Action::Other { .. } => {
                self.part(call.tool.as_str());
                self.input(call);
            }
        }
    }

    /// The input regardless of key order and white space.
    fn input(&mut self, call: &ToolCall<'_>) {
        let mut entries: Vec<_> = call.input.iter().collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        for (key, value) in entries {
            self.part(key);
            match serde_json::from_str::<Value>(value.get()) {
                Ok(parsed) => self.part(&canonical(&parsed)),
                // Nested too deep to parse: the text is identity enough.
                Err(_) => self.part(value.get()),
            }
        }
    }
}

/// JSON text with sorted keys. The parser has bounded the depth.
fn canonical(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by(|left, right| left.0.cmp(right.0));
            let entries: Vec<String> = entries
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical(value)))
                .collect();
            format!("{{{}}}", entries.join(","))
        }
        scalar => scalar.to_string(),
    }
}
