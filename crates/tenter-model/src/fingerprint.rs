//! Recognises one tool call behind several events.

use std::fmt;

use serde_json::Value;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::action::Action;
use crate::event::{Body, Event};
use crate::input::ToolCall;
use crate::json::{self, MAX_DEPTH, Object};

/// A stable identity of one tool call within a session and turn.
///
/// On Cursor it covers what both the generic and the specific event about a call know: the command, the
/// path, the MCP tool and its arguments. The working directory and the MCP server are left out there,
/// because the generic events do not name them; so two events of the *same* name with equal fingerprints
/// may be two calls, unless their call id is equal too. On the other hosts it covers the whole input and
/// the working directory. What would be written is part of it before the call; after it, Cursor no longer
/// says, and the path is all. The hash is cryptographic, since a layer that answers a repeated call from
/// memory must not be talked into it by a crafted one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint([u8; 16]);

impl Fingerprint {
    pub(crate) fn of(event: &Event<'_>) -> Option<Self> {
        let call = event.tool_call()?;
        let mut hash = Hash(Sha256::new());
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

    /// Hashes the fields that every Cursor event about this action has.
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
            // No specific event comes before a write, so there everything can count.
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

    /// The input regardless of key order and white space.
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

/// The largest value whose keys are put in order.
const LARGEST: usize = 64 * 1024;

/// JSON text with sorted keys and numbers as they were sent. What lies too deep or is too large to follow
/// is taken as it is.
fn canonical(value: &RawValue, depth: usize, out: &mut String) {
    // Every level is split anew, so large values are not followed.
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
