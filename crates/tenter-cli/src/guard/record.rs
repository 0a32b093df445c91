//! The record of a hook call: made while the event is there, written before the host has its answer.

use std::borrow::Cow;
use std::io;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tenter_audit::Spool;
use tenter_audit::anchor::{self, Anchor, Note};
use tenter_audit::draft::{self, Answered, Email, Keeper};
use tenter_audit::record::{Finding, Level, Record, Timings, VERSION, Verdict as Said};
use tenter_audit::spool::{Appended, Failed};
use tenter_hosts::{Bridge, Outcome};
use tenter_model::{Decision, Event, HostId, ModifiedInput, ToolCall, Verdict};
use tenter_policy::policy::{self, EmailMode, RecordLevel, SyncMode};
use tenter_policy::secrets::{self, Exposed, Known};
use tenter_policy::{Finding as Found, Judgement};

use super::Machine;
use super::policies::{self, Loaded};

/// How long the parts of a call took, measured on the way.
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

    /// What making the record takes is counted nowhere.
    fn skip(&mut self) {
        let _making = self.lap();
    }

    fn answered(&mut self) -> Timings {
        self.us.answer = self.lap();
        Timings { total: micros(self.begun.elapsed()), ..self.us }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// What was found on the way to a verdict, as far as a record keeps it.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    pub(crate) findings: Vec<Found>,
    code: Option<String>,
    allowed_once: bool,
    again: bool,
}

impl Judged {
    pub(crate) fn of(judgement: &Judgement) -> Self {
        Self {
            findings: judgement.findings.clone(),
            code: judgement.code.clone(),
            allowed_once: judgement.allowed_once,
            // A verdict without a reason in the policy is what the first copy was told.
            again: judgement.verdict.decision.is_some() && judgement.findings.is_empty(),
        }
    }
}

/// The record of a call on its way to the spool.
#[derive(Debug)]
pub(crate) struct Draft {
    /// What the event and the policy said; empty until there is an event.
    body: String,
    policy: String,
    /// The policy itself, for `tenter replay`.
    compiled: Option<policies::Compiled>,
    record: policy::Record,
    closed: bool,
    pub(crate) watch: Watch,
    pub(crate) canary: bool,
    /// The host on the command line.
    wired_as: Option<HostId>,
}

impl Draft {
    pub(crate) fn new(watch: Watch, wired_as: Option<HostId>) -> Self {
        Self {
            body: String::new(),
            policy: String::new(),
            compiled: None,
            record: policy::Record::default(),
            closed: false,
            watch,
            canary: false,
            wired_as,
        }
    }

    /// The policy that says what is kept, and what it means if nothing can be.
    pub(crate) fn under(&mut self, loaded: &Loaded) {
        self.policy.clear();
        self.policy.push_str(&loaded.name());
        self.compiled = loaded.compiled();
        self.record.clone_from(&loaded.policy.record);
        self.closed = loaded.policy.fail.record == policy::FailMode::Closed;
    }

    /// A text without what is taken out of records.
    pub(crate) fn clean(&self, machine: &Machine, text: &str) -> String {
        redactor(&machine.secrets(), &self.record, None)(text).into_owned()
    }

    /// Makes what can be made while the event is there.
    pub(crate) fn event(
        &mut self,
        machine: &Machine,
        event: &Event<'_>,
        verdict: &Verdict,
        judged: &Judged,
    ) {
        if machine.folders.state.is_none() {
            return;
        }
        let mut level = level(self.record.level);
        loop {
            let body = self.body(machine, event, verdict, judged, level);
            // What is too long is told in fewer words.
            let lower = match level {
                Level::Full => Level::Standard,
                Level::Standard | Level::Minimal => Level::Minimal,
            };
            if body.len() <= draft::LONGEST || level == Level::Minimal {
                self.body = body;
                break;
            }
            level = lower;
        }
        self.watch.skip();
    }

    fn body(
        &self,
        machine: &Machine,
        event: &Event<'_>,
        verdict: &Verdict,
        judged: &Judged,
        level: Level,
    ) -> String {
        let values = machine.secrets();
        let command = event.tool_call().and_then(ToolCall::command);
        let mut exposed = Exposed::default();
        // Who has something to say about a call may repeat a part of it.
        let says = !judged.findings.is_empty() || *verdict != Verdict::none();
        let quotable =
            if says { secrets::quotable(event, command.as_deref()) } else { String::new() };
        if says {
            exposed = Exposed::of(&quotable, &Known { values: &values });
        }
        let redact = redactor(&values, &self.record, Some(&exposed));
        let keeper = Keeper { level, email: email(self.record.email), redact: &redact };
        let mut record = keeper.event(event);
        record.at = machine.now_ms;
        record.policy = Cow::Borrowed(&self.policy);
        record.canary = self.canary;
        let wired_as = self.wired_as.filter(|host| *host != event.host);
        record.wired_as = wired_as.map(|host| Cow::Borrowed(host.as_str()));
        record.verdict = said(&keeper, verdict);
        record.findings = judged.findings.iter().map(|it| found(&keeper, it)).collect();
        // Where secrets were taken out the places in the command are no longer the same.
        if record.command() != command.as_deref() {
            record.findings.iter_mut().for_each(|it| it.span = None);
        }
        record.code = judged.code.as_deref().map(Cow::Borrowed);
        record.allowed_once = judged.allowed_once;
        record.again = judged.again;
        serde_json::to_string(&record).unwrap_or_default()
    }

    /// The record of a payload that is no event.
    fn without_event(&self, machine: &Machine, outcome: &Outcome) -> String {
        let values = machine.secrets();
        let redact = redactor(&values, &self.record, None);
        let record = Record {
            v: VERSION,
            at: machine.now_ms,
            level: level(self.record.level),
            host: outcome.host.map_or("", |host| host.as_str()).into(),
            event: outcome.kind.as_str().into(),
            native_event: draft::note(&outcome.native_event, &redact),
            policy: self.policy.as_str().into(),
            ..Record::default()
        };
        serde_json::to_string(&record).unwrap_or_default()
    }

    /// Writes the record. Where that fails and the policy insists on a record, the answer is another.
    pub(crate) fn write(
        mut self,
        machine: &Machine,
        bridge: &Bridge,
        text: &str,
        outcome: &mut Outcome,
    ) {
        let Some(state) = &machine.folders.state else {
            if self.closed {
                let error = io::Error::other("there is no folder for it: HOME is not set");
                Self::missing(&Failed { error, lost: None }, true, bridge, text, outcome);
            }
            return;
        };
        let us = self.watch.answered();
        if let Some(policy) = &self.compiled {
            policy.keep(&machine.folders);
        }
        let mut body = std::mem::take(&mut self.body);
        // What went wrong may quote the payload, of which the lowest level keeps no word.
        let wordless = self.record.level == RecordLevel::Minimal && !body.is_empty();
        if body.is_empty() {
            body = self.without_event(machine, outcome);
        }
        let values = machine.secrets();
        let redact = redactor(&values, &self.record, None);
        let answer = &outcome.answer;
        let losses: Vec<String> = answer.losses.iter().map(ToString::to_string).collect();
        let answered = Answered {
            decision: answer.decision.map(Decision::as_str),
            enforcement: answer.enforcement.as_str(),
            losses: losses.iter().map(|it| draft::note(it, &redact)).collect(),
            // Where the host reads stderr, that says what went wrong.
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
        let sync = match self.record.sync {
            SyncMode::Off => false,
            SyncMode::Stops => stopped,
            SyncMode::All => true,
        };
        let written = match draft::join(body, &answered) {
            Ok(body) => Spool::of_state(state).append(body, sync).map(|appended| {
                note_elsewhere(machine, appended);
            }),
            Err(error) => Err(Failed { error: error.into(), lost: None }),
        };
        if let Err(failed) = written {
            Self::missing(&failed, self.closed, bridge, text, outcome);
        }
    }

    /// Says that there is no record. Where the policy insists on one, the answer is another.
    fn missing(failed: &Failed, closed: bool, bridge: &Bridge, text: &str, outcome: &mut Outcome) {
        if closed {
            let bridge = Bridge { on_failure: tenter_hosts::FailMode::Closed, ..*bridge };
            *outcome = bridge.failed(text, &failed.to_string());
        }
        outcome.diagnostics.push(format!("tenter: {failed}").replace(char::is_control, " "));
    }
}

/// Notes the number and the hash of a record away from it, now and then.
fn note_elsewhere(machine: &Machine, appended: Appended) {
    let Appended { seq, hash, is_beside } = appended;
    if !is_beside
        && anchor::is_due(seq)
        && let Some(file) = machine.folders.anchors()
    {
        // The record is there; without the note only its removal is harder to see.
        drop(anchor::keep(&file, &Note { anchor: Anchor { seq, hash }, at: machine.now_ms }));
    }
}

/// Secrets by the guard's own scanner, values of the environment, those of a command wherever they are repeated,
/// and what the policy says.
fn redactor<'r>(
    values: &'r [(&'r str, &'r str)],
    record: &'r policy::Record,
    exposed: Option<&'r Exposed<'r>>,
) -> impl for<'t> Fn(&'t str) -> Cow<'t, str> + 'r {
    move |text| {
        let clean = secrets::redact(text, &Known { values });
        let clean = then(clean, |text| exposed.map_or(Cow::Borrowed(text), |it| it.hide(text)));
        then(clean, |text| record.redact(text))
    }
}

/// A text after one more step.
fn then<'t>(text: Cow<'t, str>, step: impl for<'x> Fn(&'x str) -> Cow<'x, str>) -> Cow<'t, str> {
    match text {
        Cow::Borrowed(text) => step(text),
        Cow::Owned(text) => Cow::Owned(step(&text).into_owned()),
    }
}

fn said<'v>(keeper: &Keeper<'_>, verdict: &'v Verdict) -> Said<'v> {
    let prose = |text: &'v Option<String>| text.as_deref().map(|it| keeper.prose(it));
    let changes = verdict.modified_input.iter().flat_map(ModifiedInput::iter);
    let change =
        |(key, value): (&'v str, &'v RawValue)| (keeper.name(key), keeper.value(value.get()));
    Said {
        decision: verdict.decision.map(|it| Cow::Borrowed(it.as_str())),
        reason: prose(&verdict.reason),
        user_message: prose(&verdict.user_message),
        additional_context: prose(&verdict.additional_context),
        modified_input: changes.map(change).collect(),
    }
}

fn found<'f>(keeper: &Keeper<'_>, found: &'f Found) -> Finding<'f> {
    let word =
        |text: &'f str| Some(text).filter(|it| !it.is_empty()).and_then(|it| keeper.word(it));
    Finding {
        rule: Cow::Borrowed(&found.rule),
        level: Cow::Borrowed(found.level.as_str()),
        subject: word(&found.subject),
        what: word(&found.what),
        span: found.span.map(|span| (span.start.into(), span.end.into())),
        instead: word(&found.instead),
        excepted: found.excepted.as_deref().and_then(word),
    }
}

const fn level(level: RecordLevel) -> Level {
    match level {
        RecordLevel::Minimal => Level::Minimal,
        RecordLevel::Standard => Level::Standard,
        RecordLevel::Full => Level::Full,
    }
}

const fn email(mode: EmailMode) -> Email {
    match mode {
        EmailMode::Hash => Email::Hash,
        EmailMode::Keep => Email::Keep,
        EmailMode::Drop => Email::Drop,
    }
}
