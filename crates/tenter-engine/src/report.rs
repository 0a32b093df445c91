//! Outcomes as JSON for `tenter fire --json` and `tenter serve`.
//!
//! Serialized directly from the outcome, so that values from hooks are passed on unchanged.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::Answer;
use crate::config::HookAction;
use crate::diagnostic::{Diagnostic, Severity};
use crate::outcome::{HookRun, Outcome};
use crate::payload::Payload;
use crate::script::Played;

/// JSON report of one outcome.
#[derive(Debug, Serialize)]
pub struct Report<'o> {
    event: &'static str,
    answer: &'o Answer,
    blocked: bool,
    asks: bool,
    followup: Option<&'o str>,
    hooks: Vec<HookReport<'o>>,
    provenance: BTreeMap<&'static str, &'o [usize]>,
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics: Option<Vec<DiagnosticReport<'o>>>,
    duration_ms: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'o Payload>,
    #[serde(skip)]
    runs: &'o [HookRun],
}

#[derive(Debug, Serialize)]
struct HookReport<'o> {
    command: Option<&'o str>,
    prompt: Option<&'o str>,
    layer: &'static str,
    file: String,
    line: usize,
    matcher: Option<&'o str>,
    matched: bool,
    ran: bool,
    exit: Option<i32>,
    duration_ms: f64,
    outcome: &'static str,
    diagnosis: &'o str,
    warnings: &'o [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<Cow<'o, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<Cow<'o, str>>,
}

/// JSON form of a configuration diagnostic.
#[derive(Debug, Serialize)]
pub struct DiagnosticReport<'d> {
    severity: &'static str,
    file: String,
    line: Option<usize>,
    column: Option<usize>,
    message: &'d str,
    help: &'d str,
}

/// JSON report of a scripted session.
#[derive(Debug, Serialize)]
pub struct SessionReport<'s> {
    ok: bool,
    blocked: bool,
    steps: Vec<StepReport<'s>>,
    diagnostics: Vec<DiagnosticReport<'s>>,
}

#[derive(Debug, Serialize)]
struct StepReport<'s> {
    line: usize,
    round: u64,
    unmet: &'s [String],
    #[serde(flatten)]
    report: Report<'s>,
}

impl<'o> Report<'o> {
    pub fn new(outcome: &'o Outcome) -> Self {
        let provenance = outcome.provenance.iter();
        Self {
            event: outcome.event.name(),
            answer: &outcome.answer,
            blocked: outcome.blocked,
            asks: outcome.asks,
            followup: outcome.followup.as_deref(),
            hooks: outcome.hooks.iter().map(HookReport::new).collect(),
            provenance: provenance.map(|(field, from)| (field.key(), from.as_slice())).collect(),
            warnings: outcome.all_warnings(),
            diagnostics: None,
            duration_ms: milliseconds(outcome.duration),
            payload: None,
            runs: &outcome.hooks,
        }
    }

    /// Adds the configuration diagnostics, in their own list and among the warnings.
    #[must_use]
    pub fn with_diagnostics(mut self, diagnostics: &'o [Diagnostic]) -> Self {
        let loud = diagnostics.iter().filter(|found| found.severity > Severity::Note);
        self.warnings.extend(loud.map(|found| format!("{}: {}", found.place(), found.message)));
        self.diagnostics = Some(diagnostics.iter().map(Into::into).collect());
        self
    }

    /// Adds each hook's output.
    #[must_use]
    pub fn with_output(mut self) -> Self {
        for (report, run) in self.hooks.iter_mut().zip(self.runs) {
            report.stdout = Some(String::from_utf8_lossy(&run.stdout));
            report.stderr = Some(String::from_utf8_lossy(&run.stderr));
        }
        self
    }

    /// Adds each hook's input and output.
    #[must_use]
    pub fn with_trace(mut self, payload: &'o Payload) -> Self {
        self.payload = Some(payload);
        self.with_output()
    }

    pub fn to_pretty_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

impl<'o> HookReport<'o> {
    fn new(run: &'o HookRun) -> Self {
        let (command, prompt) = match &run.hook.action {
            HookAction::Command(command) => (Some(command.as_str()), None),
            HookAction::Prompt { prompt, .. } => (None, Some(prompt.as_str())),
            HookAction::Guard(_) => (Some(run.hook.name()), None),
        };
        Self {
            command,
            prompt,
            layer: run.hook.layer.kind.as_str(),
            file: run.hook.layer.file.display().to_string(),
            line: run.hook.position.line,
            matcher: run.hook.matcher.text(),
            matched: run.matched,
            ran: run.ran,
            exit: run.exit,
            duration_ms: milliseconds(run.duration),
            outcome: run.outcome.as_str(),
            diagnosis: &run.diagnosis,
            warnings: &run.warnings,
            stdout: None,
            stderr: None,
        }
    }
}

impl<'d> From<&'d Diagnostic> for DiagnosticReport<'d> {
    fn from(found: &'d Diagnostic) -> Self {
        Self {
            severity: found.severity.as_str(),
            file: found.file.display().to_string(),
            line: found.position.map(|position| position.line),
            column: found.position.map(|position| position.column),
            message: &found.message,
            help: &found.help,
        }
    }
}

impl<'s> SessionReport<'s> {
    pub fn new(played: &'s [Played], diagnostics: &'s [Diagnostic], trace: bool) -> Self {
        let step = |one: &'s Played| {
            let report = Report::new(&one.outcome);
            let report = if trace { report.with_trace(&one.payload) } else { report };
            StepReport { line: one.line, round: one.round, unmet: &one.unmet, report }
        };
        Self {
            ok: played.iter().all(Played::is_fine),
            blocked: played.iter().any(|one| one.outcome.blocked),
            steps: played.iter().map(step).collect(),
            diagnostics: diagnostics.iter().map(Into::into).collect(),
        }
    }

    pub fn to_pretty_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Milliseconds with three decimals: enough for people and for diffs.
fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1000.0
}
