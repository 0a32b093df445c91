//! Fingerprints that identify one tool call across several events.

use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::action::Action;
use crate::event::{Body, Event};
use crate::hash::{self, PartsHash};
use crate::input::ToolCall;
use crate::json::{self, MAX_DEPTH, Object};

/// A stable identity of one tool call within a session and turn.
///
/// On Cursor it covers what both the generic and the specific event about a call contain: the command, the
/// path, the MCP tool and its arguments. The working folder and the MCP server are excluded there, because
/// the generic events do not name them; so two events of the *same* name with equal fingerprints may be two
/// calls, unless their call ids are equal too. On other hosts it covers the complete input and the working
/// folder. Before a write the content is included; after it Cursor does not report the content, so only the
/// path is. The hash is cryptographic, since a repeated call may be answered from memory, which crafted input
/// must not exploit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    pub(crate) fn of(event: &Event<'_>) -> Option<Self> {
        let call = event.tool_call()?;
        let mut hash = Hash(PartsHash::default());
        hash.part(event.host.as_str());
        hash.part(event.session_id.as_deref().unwrap_or_default());
        hash.part(event.turn_id.as_deref().unwrap_or_default());
        if event.host.tells_twice() {
            let before = matches!(event.body, Body::PreToolUse(_) | Body::PermissionRequest(_));
            for action in &call.actions {
                hash.action(action, call, before);
            }
        } else {
            hash.part(event.cwd.as_deref().unwrap_or_default());
            hash.part(call.native_tool.as_deref().unwrap_or(call.tool.as_str()));
            hash.input(call);
        }
        Some(Self(hash.0.first()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hash::hex(&self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

struct Hash(PartsHash);

impl Hash {
    fn part(&mut self, text: &str) {
        self.0.part(text);
    }

    /// Hashes the fields present in every Cursor event about this action.
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
            // There is no specific event before a write, so everything can be included.
            Action::Write { path, .. } | Action::Edit { path, .. } | Action::Delete { path } => {
                self.part("file");
                self.part(path);
                if before {
                    self.part(call.tool.as_str());
                    self.input(call);
                }
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

    /// Adds the input, independent of key order and whitespace.
    fn input(&mut self, call: &ToolCall<'_>) {
        let mut entries: Vec<_> = call.input.iter().chain(&call.shadowed).collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        for (key, value) in entries {
            self.part(key);
            let mut text = String::new();
            canonical(value.raw(), MAX_DEPTH, &mut text);
            self.part(&text);
        }
    }
}

/// Maximum size of a value whose keys are sorted.
const LARGEST: usize = 64 * 1024;

/// JSON text with sorted keys and unchanged numbers. Values that are too deep or too large are copied as is.
fn canonical(value: &RawValue, depth: usize, out: &mut String) {
    // Every level is split again, so large values are not descended into.
    let nested = depth.checked_sub(1).filter(|_| value.get().len() <= LARGEST);
    if let Some(text) = json::string(value) {
        out.push_str(&Value::from(text).to_string());
    } else if let (Some(depth), Ok(object)) = (nested, Object::parse(value.get())) {
        let mut entries: Vec<_> = object.entries().iter().collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        out.push('{');
        for (key, value) in entries {
            out.push_str(&Value::from(key.as_ref()).to_string());
            out.push(':');
            canonical(value, depth, out);
            out.push(',');
        }
        out.push('}');
    } else if let (Some(depth), Some(items)) = (nested, json::array(value)) {
        out.push('[');
        for item in items {
            canonical(item, depth, out);
            out.push(',');
        }
        out.push(']');
    } else {
        out.push_str(value.get());
    }
}
