//! Steps of a story: each combines all records about one thing.

use std::cell::OnceCell;

use serde::Serialize;
use tenter_audit::record::{Deed, Kept, Record, Str};
use tenter_model::text::first_bytes;

use super::chains::Then;
use super::diff::{self, FileDiff};
use super::effects::{self, StepEffect};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    SessionStart,
    SessionEnd,
    Prompt,
    Tool,
    SubagentStart,
    SubagentStop,
    Compaction,
    Response,
    Thought,
    Stop,
    Notification,
    Other,
}

impl Kind {
    fn of(event: &str) -> Self {
        match event {
            "SessionStart" => Self::SessionStart,
            "SessionEnd" => Self::SessionEnd,
            "UserPromptSubmit" => Self::Prompt,
            "PreToolUse" | "PermissionRequest" | "PostToolUse" | "PostToolUseFailure" => Self::Tool,
            "SubagentStart" => Self::SubagentStart,
            "SubagentStop" => Self::SubagentStop,
            "PreCompact" | "PostCompact" => Self::Compaction,
            "AgentResponse" => Self::Response,
            "AgentThought" => Self::Thought,
            "Stop" => Self::Stop,
            "Notification" => Self::Notification,
            _ => Self::Other,
        }
    }
}

/// Result of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum StepOutcome {
    /// Not recorded: it was stopped, or the host has no event for it.
    #[default]
    Unknown,
    Ran,
    Failed,
}

/// The acting agent, if not the main one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct By {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    /// Display name: its type, with a number if there are several.
    pub(super) label: String,
    /// 1 for agents started by the main one.
    pub(super) depth: usize,
}

/// A finding of a guard or rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct ShownFinding {
    pub(super) rule: String,
    pub(super) level: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) what: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instead: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) excepted: Option<String>,
    /// Bytes of the command that it is about.
    #[serde(skip)]
    pub(super) span: Option<(u64, u64)>,
}

/// A rewritten input field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Rewrite {
    pub(super) field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<String>,
}

/// One step of the story.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Step {
    pub(super) kind: Kind,
    /// Counted from 1; 0 before the first prompt, `None` if the start is not shown.
    pub(super) turn: Option<u64>,
    /// Times of its first and last record, in milliseconds since 1970.
    pub(super) at: u64,
    pub(super) until: u64,
    /// Numbers of its records.
    pub(super) records: Vec<u64>,
    /// The host's names of their events.
    pub(super) events: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent: Option<By>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) native_tool: Option<String>,
    /// The call's command, path or URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) subject: Option<String>,
    /// Number of actions not recorded.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) more_actions: u64,
    /// A prompt, task or message, as far as recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// Length of a text that is not or only partly recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) attachments: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) more_attachments: u64,
    /// Detail: source, status, trigger or failure kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) loop_count: Option<u64>,

    /// Decision before the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) enforcement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// Decision after the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision_after: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) findings: Vec<ShownFinding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) code: Option<String>,
    #[serde(skip_serializing_if = "is_false")]
    pub(super) allowed_once: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) rewritten: Vec<Rewrite>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) edits: Vec<FileDiff>,

    #[serde(skip_serializing_if = "is_unknown")]
    pub(super) outcome: StepOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<u64>,
    /// Whether the duration is computed from the records, since the host did not report it.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) duration_from_records: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exit_code: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    /// The reaction to a denial.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) then: Option<Then>,

    /// The session of a subagent's own calls, on hosts that separate them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) own_session: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) losses: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) notes: Vec<String>,
    /// Number of unrecorded calls before this one.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) lost: u64,
    /// Length of a torn record before this one.
    #[serde(skip_serializing_if = "is_zero")]
    pub(super) torn: u64,

    // Keys for joining records.
    /// Identifies the turn, whether its number is known or not.
    #[serde(skip)]
    pub(super) group: u64,
    #[serde(skip)]
    pub(super) call_id: Option<String>,
    #[serde(skip)]
    pub(super) fingerprint: Option<String>,
    #[serde(skip)]
    pub(super) paths: Vec<String>,
    #[serde(skip)]
    pub(super) command: Option<String>,
    #[serde(skip)]
    cwd: Option<String>,
    /// Effects of file tools; those of a command are computed when steps are compared.
    #[serde(skip)]
    file_effects: Vec<StepEffect>,
    #[serde(skip)]
    effects: OnceCell<Vec<StepEffect>>,
    /// Whether a subagent was found for this call.
    #[serde(skip)]
    pub(super) claimed: bool,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_false(flag: &bool) -> bool {
    !*flag
}

fn is_unknown(outcome: &StepOutcome) -> bool {
    *outcome == StepOutcome::Unknown
}

/// Limits for the content of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Bytes of a text.
    pub(super) text: usize,
    /// Lines of a diff.
    pub(super) diff: usize,
}

impl Limits {
    pub(super) const SHORT: Self = Self { text: 2 * 1024, diff: 12 };
    pub(super) const FULL: Self = Self { text: 64 * 1024, diff: 2_000 };

    fn cut(self, text: &str) -> String {
        let start = first_bytes(text, self.text);
        if start.len() < text.len() { format!("{start}\u{2026}") } else { text.to_owned() }
    }

    fn kept(self, text: &Kept<'_>) -> Option<String> {
        let start = text.text()?;
        let shown = self.cut(start);
        // Truncated before it was recorded.
        Some(if text.is_whole() || shown.ends_with('\u{2026}') {
            shown
        } else {
            shown + "\u{2026}"
        })
    }
}

/// Whether a record is of a call before its execution.
pub(super) fn is_before(record: &Record<'_>) -> bool {
    matches!(&*record.event, "PreToolUse" | "PermissionRequest")
}

/// A call's subject, for comparison and display.
pub(super) fn subject(record: &Record<'_>, limits: Limits) -> Option<String> {
    if record.actions.is_empty() {
        return None;
    }
    let subject = record.subject();
    let subject = if subject.is_empty() { withheld(record)? } else { limits.cut(&subject) };
    Some(subject)
}

/// Suffix of an omitted subject.
const WITHHELD: &str = "not kept)";

/// The length of text omitted by the record level.
fn withheld(record: &Record<'_>) -> Option<String> {
    record.actions.first().map(|deed| match deed {
        Deed::Shell { command: text, .. } | Deed::Fetch { url: text } => {
            format!("({} bytes, {WITHHELD}", text.bytes())
        }
        _ => format!("({WITHHELD}"),
    })
}

fn owned(text: Option<&Str<'_>>) -> Option<String> {
    text.map(ToString::to_string)
}

impl Step {
    /// Starts a step from its first record.
    pub(super) fn new(record: &Record<'_>, limits: Limits) -> Self {
        let kind = Kind::of(&record.event);
        let text = record.prompt.as_ref().or(record.text.as_ref());
        let mut step = Self {
            kind,
            turn: None,
            at: record.at,
            until: record.at,
            records: Vec::new(),
            events: Vec::new(),
            agent: None,
            tool: owned(record.tool.as_ref()),
            native_tool: owned(record.native_tool.as_ref()),
            subject: subject(record, limits),
            more_actions: record.more_actions,
            text: text.and_then(|text| limits.kept(text)),
            text_bytes: text.filter(|text| !text.is_whole()).map(Kept::bytes),
            attachments: record.attachments.iter().map(ToString::to_string).collect(),
            more_attachments: record.more_attachments,
            detail: owned(record.detail.as_ref()),
            loop_count: record.loop_count.as_ref().and_then(serde_json::Number::as_u64),
            decision: None,
            enforcement: None,
            reason: None,
            decision_after: None,
            findings: Vec::new(),
            code: None,
            allowed_once: false,
            rewritten: Vec::new(),
            edits: Vec::new(),
            outcome: StepOutcome::Unknown,
            duration_ms: None,
            duration_from_records: false,
            exit_code: None,
            error: None,
            then: None,
            own_session: None,
            losses: Vec::new(),
            notes: Vec::new(),
            lost: 0,
            torn: 0,
            group: 0,
            call_id: None,
            fingerprint: None,
            paths: record.paths().map(str::to_owned).collect(),
            command: record.command().map(|command| limits.cut(command)),
            cwd: owned(record.cwd.as_ref()),
            file_effects: effects::of_files(record),
            effects: OnceCell::new(),
            claimed: false,
        };
        step.add(record, limits);
        step
    }

    /// Adds another record about the same thing.
    pub(super) fn add(&mut self, record: &Record<'_>, limits: Limits) {
        let first = self.records.is_empty();
        self.records.push(record.seq);
        self.events.push(record.native_event.to_string());
        self.lost = self.lost.saturating_add(record.lost);
        self.torn = self.torn.saturating_add(record.gap.map_or(0, |gap| gap.torn));
        self.call_id = self.call_id.take().or_else(|| owned(record.call_id.as_ref()));
        self.fingerprint = self.fingerprint.take().or_else(|| owned(record.fingerprint.as_ref()));
        self.allowed_once |= record.allowed_once;
        self.code = self.code.take().or_else(|| owned(record.code.as_ref()));
        self.loop_count =
            record.loop_count.as_ref().and_then(serde_json::Number::as_u64).or(self.loop_count);
        if !first {
            self.detail = owned(record.detail.as_ref()).or_else(|| self.detail.take());
            let text = record.text.as_ref().and_then(|text| limits.kept(text));
            self.text = self.text.take().or(text);
        }
        self.answer(record, limits);
        let edits = diff::of(&record.actions, limits.diff);
        // Some hosts report more after the call.
        if edits.iter().any(FileDiff::is_known) && !self.edits.iter().any(FileDiff::is_known)
            || self.edits.is_empty()
        {
            self.edits = edits;
        }
        if self.kind == Kind::Tool && !is_before(record) {
            self.result(record, limits, first);
        } else if let Some(ms) = record.duration_ms.as_ref().and_then(milliseconds) {
            self.duration_ms = Some(ms);
        }
        self.until = self.until.max(record.at);
    }

    /// Adds the decision.
    fn answer(&mut self, record: &Record<'_>, limits: Limits) {
        let decision = owned(record.decision.as_ref());
        if self.kind == Kind::Tool && !is_before(record) {
            if weight(decision.as_deref()) > weight(self.decision_after.as_deref()) {
                self.decision_after = decision;
                self.reason = record.verdict.reason.as_ref().and_then(|it| limits.kept(it));
            }
        } else if weight(decision.as_deref()) > weight(self.decision.as_deref()) {
            self.decision = decision;
            self.enforcement = Some(record.enforcement.to_string()).filter(|it| !it.is_empty());
            self.reason = record.verdict.reason.as_ref().and_then(|it| limits.kept(it));
        }
        for found in &record.findings {
            let found = ShownFinding {
                rule: found.rule.to_string(),
                level: found.level.to_string(),
                what: owned(found.what.as_ref()),
                instead: owned(found.instead.as_ref()).filter(|it| !it.is_empty()),
                excepted: owned(found.excepted.as_ref()),
                span: found.span,
            };
            if !self.findings.contains(&found) && self.findings.len() < 16 {
                self.findings.push(found);
            }
        }
        for (field, to) in &record.verdict.modified_input {
            let change = Rewrite {
                field: field.to_string(),
                from: original(record, field).map(|text| limits.cut(&text)),
                to: limits.kept(to).map(plain),
            };
            if !self.rewritten.contains(&change) {
                self.rewritten.push(change);
            }
        }
        for (mine, theirs) in [(&mut self.losses, &record.losses), (&mut self.notes, &record.notes)]
        {
            for text in theirs {
                if mine.len() < 16 && !mine.iter().any(|known| known == text) {
                    mine.push(text.to_string());
                }
            }
        }
    }

    /// Adds the result of the call.
    fn result(&mut self, record: &Record<'_>, limits: Limits, first: bool) {
        if record.event == "PostToolUseFailure" {
            self.outcome = StepOutcome::Failed;
            self.error = record.error.as_ref().and_then(|it| limits.kept(it));
        } else if self.outcome != StepOutcome::Failed {
            self.outcome = StepOutcome::Ran;
        }
        self.exit_code =
            record.exit_code.as_ref().and_then(serde_json::Number::as_i64).or(self.exit_code);
        if let Some(ms) = record.duration_ms.as_ref().and_then(milliseconds) {
            self.duration_ms = Some(ms);
            self.duration_from_records = false;
        } else if self.duration_ms.is_none() && !first {
            self.duration_ms = Some(record.at.saturating_sub(self.at));
            self.duration_from_records = true;
        }
    }

    /// What the call would do.
    pub(super) fn effects(&self) -> &[StepEffect] {
        self.effects.get_or_init(|| {
            let mut all = self.file_effects.clone();
            if let Some(command) = &self.command {
                all.extend(effects::of_command(command, self.cwd.as_deref()));
            }
            all
        })
    }

    /// Number of the first record, by which users refer to it.
    pub(super) fn seq(&self) -> u64 {
        self.records.first().copied().unwrap_or_default()
    }

    pub(super) fn is_denied(&self) -> bool {
        self.decision.as_deref() == Some("deny")
    }

    pub(super) fn is_asked(&self) -> bool {
        self.decision.as_deref() == Some("ask")
    }

    /// Whether the record level omitted the subject.
    pub(super) fn is_withheld(&self) -> bool {
        let subject = self.subject.as_deref().unwrap_or_default();
        self.kind == Kind::Tool && subject.starts_with('(') && subject.ends_with(WITHHELD)
    }

    /// Whether it failed, by the host or by exit code.
    pub(super) fn is_failure(&self) -> bool {
        self.outcome == StepOutcome::Failed || self.exit_code.is_some_and(|code| code != 0)
    }

    /// Whether the host asked the user itself.
    pub(super) fn host_asked(&self) -> bool {
        let asked = self.events.iter().any(|event| event == "PermissionRequest");
        asked && !self.is_denied() && !self.is_asked()
    }

    /// Whether it ran although it was denied.
    pub(super) fn slipped(&self) -> bool {
        self.kind == Kind::Tool && self.is_denied() && self.outcome == StepOutcome::Ran
    }
}

/// Rank of a decision: the strictest answer about a call counts.
fn weight(decision: Option<&str>) -> u8 {
    match decision {
        None => 0,
        Some("deny") => 3,
        Some("ask") => 2,
        Some(_) => 1,
    }
}

/// Whole milliseconds; hosts also send fractions.
fn milliseconds(number: &serde_json::Number) -> Option<u64> {
    if let Some(whole) = number.as_u64() {
        return Some(whole);
    }
    let text = number.as_f64().filter(|ms| *ms >= 0.0 && *ms < 1e15)?.round().to_string();
    text.parse().ok()
}

/// The text of a JSON string; other JSON unchanged.
fn plain(json: String) -> String {
    serde_json::from_str::<String>(&json).unwrap_or(json)
}

/// The original value of an input field, if recorded.
fn original(record: &Record<'_>, field: &str) -> Option<String> {
    record.actions.iter().find_map(|deed| {
        let text = match (deed, field) {
            (Deed::Shell { command, .. }, "command" | "cmd") => command.text(),
            (Deed::Shell { cwd, .. }, "cwd" | "workdir") => cwd.as_deref(),
            (
                Deed::Read { path, .. }
                | Deed::Write { path, .. }
                | Deed::Edit { path, .. }
                | Deed::Delete { path }
                | Deed::Search { path, .. },
                "file_path" | "path" | "target_file" | "notebook_path",
            ) => path.as_deref(),
            (Deed::Write { content, .. }, "content" | "contents") => content.text(),
            (Deed::Edit { edits, .. }, "old_string") => edits.first()?.old.text(),
            (Deed::Edit { edits, .. }, "new_string") => edits.first()?.new.text(),
            (Deed::Search { pattern, .. }, "pattern" | "query") => pattern.as_ref()?.text(),
            (Deed::Fetch { url }, "url") => url.text(),
            (Deed::Task { prompt, .. }, "prompt" | "message") => prompt.as_ref()?.text(),
            _ => None,
        };
        text.map(str::to_owned)
    })
}
