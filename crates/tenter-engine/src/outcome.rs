//! What became of an event, and how.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::Answer;
use crate::conclude::HookOutcome;
use crate::config::Hook;
use crate::{AnswerField, CursorEvent};

/// What the agent has to do now, and what every hook did.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub event: CursorEvent,
    /// The merged answer in Cursor's words. Fields that no hook gave are not in it.
    pub answer: Answer,
    /// The action must not happen.
    pub blocked: bool,
    /// The human is to be asked first.
    pub asks: bool,
    /// What the agent goes on with, instead of stopping.
    pub followup: Option<String>,
    /// Every hook of the event in merge order, also those that did not run.
    pub hooks: Vec<HookRun>,
    /// Which hooks each field of the answer came from, as positions in `hooks`.
    pub provenance: BTreeMap<AnswerField, Vec<usize>>,
    pub warnings: Vec<String>,
    pub duration: Duration,
}

/// One hook's part in an event.
#[derive(Clone, Debug)]
pub struct HookRun {
    pub hook: Arc<Hook>,
    pub matched: bool,
    pub ran: bool,
    /// The exit code, if it ran and left with one.
    pub exit: Option<i32>,
    pub duration: Duration,
    pub outcome: HookOutcome,
    /// Why, in words.
    pub diagnosis: String,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub warnings: Vec<String>,
}

impl Outcome {
    /// Everything odd about it; each hook's remarks name the hook.
    pub fn all_warnings(&self) -> Vec<String> {
        let remarks = self.hooks.iter().flat_map(|run| {
            run.warnings.iter().map(|warning| format!("`{}`: {warning}", run.hook.name()))
        });
        self.warnings.iter().cloned().chain(remarks).collect()
    }
}
