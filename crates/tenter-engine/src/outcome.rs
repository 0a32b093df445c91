//! What became of an event, and how.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::conclude::HookOutcome;
use crate::config::{Hook, HookAction};
use crate::event::{AnswerField, CursorEvent};

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
    /// The object that `tenter fire --json` and `tenter serve` give; `trace` adds what hooks printed.
    pub fn to_json(&self, trace: bool) -> Value {
        let provenance: Map<String, Value> = self
            .provenance
            .iter()
            .map(|(field, hooks)| (field.key().to_owned(), json!(hooks)))
            .collect();
        json!({
            "event": self.event.name(),
            "answer": &self.answer,
            "blocked": self.blocked,
            "asks": self.asks,
            "followup": &self.followup,
            "provenance": provenance,
            "hooks": self.hooks.iter().map(|hook| hook.to_json(trace)).collect::<Vec<_>>(),
            "warnings": &self.warnings,
            "duration_ms": milliseconds(self.duration),
        })
    }
}

impl HookRun {
    fn to_json(&self, trace: bool) -> Value {
        let (command, prompt) = match &self.hook.action {
            HookAction::Command(command) => (Some(command), None),
            HookAction::Prompt { prompt, .. } => (None, Some(prompt)),
        };
        let mut object = json!({
            "command": command,
            "prompt": prompt,
            "layer": self.hook.layer.kind.as_str(),
            "file": self.hook.layer.file.display().to_string(),
            "line": self.hook.position.line,
            "matcher": self.hook.matcher.text(),
            "matched": self.matched,
            "ran": self.ran,
            "exit": self.exit,
            "duration_ms": milliseconds(self.duration),
            "outcome": self.outcome.as_str(),
            "diagnosis": &self.diagnosis,
            "warnings": &self.warnings,
        });
        if let (true, Some(object)) = (trace, object.as_object_mut()) {
            object.insert("stdout".to_owned(), json!(String::from_utf8_lossy(&self.stdout)));
            object.insert("stderr".to_owned(), json!(String::from_utf8_lossy(&self.stderr)));
        }
        object
    }
}

/// Milliseconds with three digits: enough for people and for diffs.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
