//! Hook configuration: parsing every layer's files into one list of hooks.

mod claude;
mod cursor;
mod fields;
mod files;
mod plugin;

use std::sync::Arc;
use std::time::Duration;

pub use files::{Config, Read, read_text};

use crate::CursorEvent;
use crate::document::Position;
use crate::guard::Guard;
use crate::layer::Layer;
use crate::matcher::Matcher;

/// Which host's answer format a hook uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Cursor,
    Claude,
}

/// Action of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAction {
    /// Runs a command in a shell.
    Command(String),
    /// Asks a model.
    Prompt { prompt: String, model: Option<String> },
    /// Runs the engine's own guard.
    Guard(Guard),
}

/// One configured hook.
#[derive(Clone, Debug)]
pub struct Hook {
    pub layer: Arc<Layer>,
    /// Position of the entry in the layer's file.
    pub position: Position,
    pub event: CursorEvent,
    pub action: HookAction,
    pub matcher: Matcher,
    /// `None` means the default timeout.
    pub timeout: Option<Duration>,
    pub fail_closed: bool,
    /// Maximum number of follow-ups per conversation; `None` means unlimited.
    pub loop_limit: Option<u64>,
    pub dialect: Dialect,
    /// Why the hook is listed but never runs, if so.
    pub disabled: Option<String>,
}

impl Hook {
    /// Loop limit of hooks in Cursor's own files that set none.
    pub const LOOP_LIMIT: u64 = 5;

    /// The command, or the start of the prompt.
    pub fn name(&self) -> &str {
        match &self.action {
            HookAction::Command(command) => command,
            HookAction::Prompt { prompt, .. } => prompt,
            HookAction::Guard(_) => "tenter hook cursor",
        }
    }

    /// Layer, file and line, for messages.
    pub fn place(&self) -> String {
        format!("{} {}:{}", self.layer.kind, self.layer.file.display(), self.position.line)
    }
}
