//! Result of a fired event.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::Answer;
use crate::conclude::HookOutcome;
use crate::config::Hook;
use crate::{AnswerField, CursorEvent};

/// The merged result, and what every hook did.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub event: CursorEvent,
    /// The merged answer with Cursor's field names. Fields that no hook set are absent.
    pub answer: Answer,
    /// Whether the action must not happen.
    pub blocked: bool,
    /// Whether the user is asked first.
    pub asks: bool,
    /// Follow-up message with which the agent continues instead of stopping.
    pub followup: Option<String>,
    /// Every hook of the event in merge order, including those that did not run.
    pub hooks: Vec<HookRun>,
    /// Which hooks each field of the answer came from, as indices into `hooks`.
    pub provenance: BTreeMap<AnswerField, Vec<usize>>,
    pub warnings: Vec<String>,
    pub duration: Duration,
}

/// Result of one hook for an event.
#[derive(Clone, Debug)]
pub struct HookRun {
    pub hook: Arc<Hook>,
    pub matched: bool,
    pub ran: bool,
    /// The exit code, if the process exited normally.
    pub exit: Option<i32>,
    pub duration: Duration,
    pub outcome: HookOutcome,
    /// Explanation in words.
    pub diagnosis: String,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub warnings: Vec<String>,
}

impl Outcome {
    /// All warnings; those of a hook are prefixed with its name.
    pub fn all_warnings(&self) -> Vec<String> {
        let remarks = self.hooks.iter().flat_map(|run| {
            run.warnings.iter().map(|warning| format!("`{}`: {warning}", run.hook.name()))
        });
        self.warnings.iter().cloned().chain(remarks).collect()
    }
}
