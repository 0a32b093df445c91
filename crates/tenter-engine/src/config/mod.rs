//! The hooks of every layer, as one list.

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
use crate::layer::Layer;
use crate::matcher::Matcher;

/// Which host's answers a hook gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Cursor,
    Claude,
}

/// What a hook does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAction {
    /// Runs a command in a shell.
    Command(String),
    /// Has a model judge.
    Prompt { prompt: String, model: Option<String> },
}

/// One configured hook.
#[derive(Clone, Debug)]
pub struct Hook {
    pub layer: Arc<Layer>,
    /// Where in the layer's file it stands.
    pub position: Position,
    pub event: CursorEvent,
    pub action: HookAction,
    pub matcher: Matcher,
    /// `None` takes the default.
    pub timeout: Option<Duration>,
    pub fail_closed: bool,
    /// How many follow-ups it may cause in one conversation; `None` sets no limit.
    pub loop_limit: Option<u64>,
    pub dialect: Dialect,
    /// Why the hook is listed and never runs, if so.
    pub disabled: Option<String>,
}

impl Hook {
    /// The limit of a hook in Cursor's own files that sets none.
    pub const LOOP_LIMIT: u64 = 5;

    /// The command, or the prompt in short.
    pub fn name(&self) -> &str {
        match &self.action {
            HookAction::Command(command) => command,
            HookAction::Prompt { prompt, .. } => prompt,
        }
    }

    /// Layer, file and line.
    pub fn place(&self) -> String {
        format!("{} {}:{}", self.layer.kind, self.layer.file.display(), self.position.line)
    }
}
