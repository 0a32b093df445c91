//! Records a hook call, before the host gets its answer.

use std::borrow::Cow;
use std::io;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tenter_audit::Spool;
use tenter_audit::anchor::{self, Anchor, AnchorNote};
use tenter_audit::draft::{self, Answered, Keeper};
use tenter_audit::record::{FindingRecord, Record, Timings, VERSION, VerdictRecord};
use tenter_audit::spool::{Appended, Failed};
use tenter_hosts::{Handled, Outcome};
use tenter_model::{
    Decision, Event, FailMode, HostId, ModifiedInput, RecordLevel, ToolCall, Verdict,
};
use tenter_policy::policy::{self, SyncMode};
use tenter_policy::secrets::{self, Exposed, Known};
use tenter_policy::{Finding, Judgement};

use super::LocalMachine;
use super::policies::Loaded;

/// Measures the phases of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    begun: Instant,
    lap: Instant,
    us: Timings,
}

impl Watch {
    pub(crate) fn start() -> Self {
        let begun = Instant::now();
        Self { begun, lap: begun, us: Timings::default() }
    }

    fn lap(&mut self) -> u64 {
        let now = Instant::now();
        let lap = micros(now.saturating_duration_since(self.lap));
        self.lap = now;
        lap
    }

    pub(crate) fn policy(&mut self) {
        self.us.policy = self.lap();
    }

    pub(crate) fn read(&mut self) {
        self.us.read = self.lap();
    }

    pub(crate) fn judged(&mut self) {
        self.us.judge = self.lap();
    }

    pub(crate) fn handled(&mut self) {
        self.us.handlers = self.lap();
    }

    /// The durations so far, without building and writing the record.
    pub(crate) fn answered(&mut self) -> Timings {
        self.us.answer = self.lap();
        Timings { total: micros(self.begun.elapsed()), ..self.us }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Grounds of a verdict for the record.
#[derive(Debug, Default)]
pub(crate) struct Grounds {
    pub(crate) findings: Vec<Finding>,
    code: Option<String>,
    allowed_once: bool,
    again: bool,
    /// Whether a copy through another host's hooks is recorded already.
    pub(crate) is_elsewhere: bool,
}

impl Grounds {
    pub(crate) fn of(judgement: Judgement, is_elsewhere: bool) -> Self {
        Self {
            is_elsewhere,
            // A decision without findings was taken from the first copy of the call.
            again: judgement.verdict.decision.is_some() && judgement.findings.is_empty(),
            findings: judgement.findings,
            code: judgement.code,
            allowed_once: judgement.allowed_once,
        }
    }
}

/// An event with its verdict.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JudgedEvent<'j> {
    pub(crate) event: &'j Event<'j>,
    pub(crate) verdict: &'j Verdict,
    pub(crate) grounds: &'j Grounds,
}

impl<'j> JudgedEvent<'j> {
    /// `None` if the call failed before it had an event or a verdict.
    pub(crate) fn of(
        event: Option<&'j Event<'j>>,
        handled: &'j Handled,
        grounds: &'j Grounds,
    ) -> Option<Self> {
        let (verdict, _) = handled.as_ref().ok()?;
        Some(Self { event: event?, verdict, grounds })
    }
}

/// Builds and writes the record of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorder<'r> {
    pub(crate) machine: &'r LocalMachine,
    /// The policy, with the record level.
    pub(crate) loaded: &'r Loaded,
    /// The host on the command line.
    pub(crate) wired_as: Option<HostId>,
    /// Whether `tenter prove` had a real client send the event.
    pub(crate) canary: bool,
}

impl Recorder<'_> {
    fn settings(&self) -> &policy::RecordPolicy {
        &self.loaded.policy.record
    }

    /// A redacted text.
    pub(crate) fn clean(&self, text: &str) -> String {
        redactor(&self.machine.secrets(), self.settings(), None)(text).into_owned()
    }

    /// Records an answered call.
    pub(crate) fn write(
        &self,
        judged: Option<JudgedEvent<'_>>,
        outcome: &Outcome,
        us: Timings,
    ) -> Result<(), Failed> {
        let (machine, settings) = (self.machine, self.settings());
        let Some(state) = &machine.folders.state else {
            if self.must_record() {
                let error = io::Error::other("there is no folder for it: HOME is not set");
                return Err(Failed { error, lost: None });
            }
            return Ok(());
        };
        if let Some(policy) = &self.loaded.compiled() {
            policy.keep(&machine.folders);
        }
        let body = match judged {
            Some(judged) => self.body(judged),
            None => self.body_without_event(outcome),
        };
        // Error messages may quote the payload, which the lowest level excludes.
        let wordless = settings.level == RecordLevel::Minimal && judged.is_some();
        let values = machine.secrets();
        let redact = redactor(&values, settings, None);
        let answer = &outcome.answer;
        let losses: Vec<String> = answer.losses.iter().map(ToString::to_string).collect();
        let answered = Answered {
            decision: answer.decision.map(Decision::as_str),
            enforcement: answer.enforcement.as_str(),
            losses: losses.iter().map(|it| draft::note(it, &redact)).collect(),
            // If the host reads stderr, errors are there.
            notes: outcome
                .diagnostics
                .iter()
                .map(String::as_str)
                .chain(Some(answer.stderr.trim_end()).filter(|it| !it.is_empty()))
                .filter(|_| !wordless)
                .map(|it| draft::note(it, &redact))
                .collect(),
            us,
        };
        let stopped = answer.decision.is_some_and(|it| it != Decision::Allow);
        let sync = match settings.sync {
            SyncMode::Off => false,
            SyncMode::Stops => stopped,
            SyncMode::All => true,
        };
        let line = draft::join(body, &answered)
            .map_err(|error| Failed { error: error.into(), lost: None })?;
        let appended = Spool::of_state(state).append(line, sync)?;
        note_elsewhere(machine, appended);
        Ok(())
    }

    /// Whether the policy requires a record before an allow.
    pub(crate) fn must_record(&self) -> bool {
        self.loaded.policy.fail.record == FailMode::Closed
    }

    /// The record of an event, at the highest level at which it is not too long.
    fn body(&self, judged: JudgedEvent<'_>) -> String {
        let mut level = self.settings().level;
        loop {
            let body = self.body_at(judged, level);
            if body.len() <= draft::LONGEST || level == RecordLevel::Minimal {
                return body;
            }
            level = match level {
                RecordLevel::Full => RecordLevel::Standard,
                RecordLevel::Standard | RecordLevel::Minimal => RecordLevel::Minimal,
            };
        }
    }

    fn body_at(&self, judged: JudgedEvent<'_>, level: RecordLevel) -> String {
        let JudgedEvent { event, verdict, grounds } = judged;
        let values = self.machine.secrets();
        let command = event.tool_call().and_then(ToolCall::command);
        let mut exposed = Exposed::default();
        // A message about a call may quote part of it.
        let says = !grounds.findings.is_empty() || *verdict != Verdict::none();
        let quotable =
            if says { secrets::quotable(event, command.as_deref()) } else { String::new() };
        if says {
            exposed = Exposed::of(&quotable, &Known { values: &values });
        }
        let redact = redactor(&values, self.settings(), Some(&exposed));
        let keeper = Keeper { level, email: self.settings().email, redact: &redact };
        let mut record = keeper.event(event);
        record.at = self.machine.now_ms;
        record.policy = Cow::Owned(self.loaded.name());
        record.canary = self.canary;
        let wired_as = self.wired_as.filter(|host| *host != event.host);
        record.wired_as = wired_as.map(|host| Cow::Borrowed(host.as_str()));
        record.verdict = said(&keeper, verdict);
        record.findings = grounds.findings.iter().map(|it| found(&keeper, it)).collect();
        // Redaction shifts positions in the command.
        if record.command() != command.as_deref() {
            record.findings.iter_mut().for_each(|it| it.span = None);
        }
        record.code = grounds.code.as_deref().map(Cow::Borrowed);
        record.allowed_once = grounds.allowed_once;
        record.again = grounds.again;
        serde_json::to_string(&record).unwrap_or_default()
    }

    /// The record of a call that failed before it was judged.
    fn body_without_event(&self, outcome: &Outcome) -> String {
        let values = self.machine.secrets();
        let redact = redactor(&values, self.settings(), None);
        let record = Record {
            v: VERSION,
            at: self.machine.now_ms,
            level: self.settings().level,
            host: outcome.host.map_or("", |host| host.as_str()).into(),
            event: outcome.kind.as_str().into(),
            native_event: draft::note(&outcome.native_event, &redact),
            policy: self.loaded.name().into(),
            ..Record::default()
        };
        serde_json::to_string(&record).unwrap_or_default()
    }
}

/// Stores an anchor now and then.
fn note_elsewhere(machine: &LocalMachine, appended: Appended) {
    let Appended { seq, hash, is_beside } = appended;
    if !is_beside
        && anchor::is_due(seq)
        && let Some(file) = machine.folders.anchors()
    {
        // Without the anchor only a removal is harder to detect.
        drop(anchor::keep(&file, &AnchorNote { anchor: Anchor { seq, hash }, at: machine.now_ms }));
    }
}

/// Redacts secrets found by the scanner, values of the environment, repetitions of a command's secrets, and
/// the policy's patterns.
fn redactor<'r>(
    values: &'r [(&'r str, &'r str)],
    record: &'r policy::RecordPolicy,
    exposed: Option<&'r Exposed<'r>>,
) -> impl for<'t> Fn(&'t str) -> Cow<'t, str> + 'r {
    move |text| {
        let clean = secrets::redact(text, &Known { values });
        let clean = then(clean, |text| exposed.map_or(Cow::Borrowed(text), |it| it.hide(text)));
        then(clean, |text| record.redact(text))
    }
}

/// Applies one more step to a text.
fn then<'t>(text: Cow<'t, str>, step: impl for<'x> Fn(&'x str) -> Cow<'x, str>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => step(text),
        Cow::Owned(text) => Cow::Owned(step(&text).into_owned()),
    }
}

fn said<'v>(keeper: &Keeper<'_>, verdict: &'v Verdict) -> VerdictRecord<'v> {
    let prose = |text: &'v Option<String>| text.as_deref().map(|it| keeper.prose(it));
    let changes = verdict.modified_input.iter().flat_map(ModifiedInput::iter);
    let change =
        |(key, value): (&'v str, &'v RawValue)| (keeper.name(key), keeper.value(value.get()));
    VerdictRecord {
        decision: verdict.decision.map(|it| Cow::Borrowed(it.as_str())),
        reason: prose(&verdict.reason),
        user_message: prose(&verdict.user_message),
        additional_context: prose(&verdict.additional_context),
        modified_input: changes.map(change).collect(),
    }
}

fn found<'f>(keeper: &Keeper<'_>, found: &'f Finding) -> FindingRecord<'f> {
    let word =
        |text: &'f str| Some(text).filter(|it| !it.is_empty()).and_then(|it| keeper.word(it));
    FindingRecord {
        rule: Cow::Borrowed(&found.rule),
        level: Cow::Borrowed(found.level.as_str()),
        subject: word(&found.subject),
        what: word(&found.what),
        span: found.span.map(|span| (span.start.into(), span.end.into())),
        instead: word(&found.instead),
        excepted: found.excepted.as_deref().and_then(word),
    }
}
