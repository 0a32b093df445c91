//! Decodes payloads and encodes answers: [`Bridge::decode`] from payload to event, [`Bridge::encode`] from
//! verdict to answer.
//!
//! `tenter hook`, `tenter run` and [`crate::author`] all use it, so they cannot disagree.
//! Between the two calls each asks its own handler.

use tenter_model::{
    Decision, Event, EventKind, FailMode, Field, HostId, Loss, LossKind, Object, Verdict,
};

use crate::encode::{Answer, EncodeOptions};
use crate::host::Host;
use crate::payload::{Payload, sniff_event_name};
use crate::{detect, host};

/// Settings for one hook call.
#[derive(Clone, Copy, Debug)]
pub struct Bridge {
    /// The host, if the hook's command line names it; otherwise it is detected from the payload.
    pub host: Option<HostId>,
    pub options: EncodeOptions,
    pub on_failure: FailMode,
}

/// Result of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub host: Option<HostId>,
    pub kind: EventKind,
    pub native_event: String,
    pub answer: Answer,
    /// One line each: fields that were ignored or dropped, and errors. For people, on stderr, where the host
    /// does not read it.
    pub diagnostics: Vec<String>,
}

/// A handler's verdict with warnings, or why there is none.
pub type Handled = Result<(Verdict, Vec<String>), String>;

/// A decoded payload: its event, or why there is none.
#[derive(Debug)]
pub struct Decoded<'p> {
    event: Result<Event<'p>, Undecoded>,
    /// Diagnostics of decoding.
    notes: Vec<String>,
}

/// A payload without an event, with what is needed to answer it.
#[derive(Debug)]
struct Undecoded {
    /// The host; `None` if neither the command line nor the payload tells it.
    host: Option<HostId>,
    event_name: String,
    failure: String,
}

impl<'p> Decoded<'p> {
    /// The event, or why there is none.
    pub fn event(&self) -> Result<&Event<'p>, String> {
        self.event.as_ref().map_err(|undecoded| undecoded.failure.clone())
    }
}

impl Bridge {
    /// Decodes the payload.
    pub fn decode<'p>(&self, payload: &'p Payload) -> Decoded<'p> {
        let object = match payload.object() {
            Ok(object) => object,
            Err(error) => {
                let event_name = sniff_event_name(payload.text()).unwrap_or_default().to_owned();
                let mut failure = error.to_string();
                if self.host.is_none() {
                    failure.push_str("; pass --host so that it can be answered");
                }
                let undecoded = Undecoded { host: self.host, event_name, failure };
                return Decoded { event: Err(undecoded), notes: Vec::new() };
            }
        };
        let (id, mut notes) = match self.resolve(&object) {
            Ok(resolved) => resolved,
            Err(failure) => {
                let event_name = object.str("hook_event_name").unwrap_or_default().into_owned();
                let undecoded = Undecoded { host: None, event_name, failure };
                return Decoded { event: Err(undecoded), notes: Vec::new() };
            }
        };
        let event = host(id).decode(&object);
        if payload.replaced_bytes() {
            notes.push("the payload held bytes that are not UTF-8; replaced".to_owned());
        }
        notes.extend(event.notes.iter().map(ToString::to_string));
        Decoded { event: Ok(event), notes }
    }

    /// Encodes the verdict, or the fail mode's answer if there is none.
    pub fn encode(&self, decoded: &Decoded<'_>, handled: &Handled) -> Outcome {
        let mut diagnostics = decoded.notes.clone();
        match (&decoded.event, handled) {
            (Ok(event), Ok((verdict, warnings))) => {
                let host = host(event.host);
                let answer = host.encode(event, verdict, &self.options);
                diagnostics.extend(warnings.iter().cloned());
                diagnostics.extend(answer.losses.iter().map(ToString::to_string));
                outcome(host, &event.native_event, event.kind(), answer, diagnostics)
            }
            (Ok(event), Err(failure)) => self.fail(host(event.host), event, failure, diagnostics),
            (Err(undecoded), _) => {
                let failure = handled.as_ref().err().unwrap_or(&undecoded.failure);
                match undecoded.host {
                    Some(id) => self.fail_by_name(host(id), &undecoded.event_name, failure),
                    None => self.unresolved(&undecoded.event_name, failure),
                }
            }
        }
    }

    /// Answers a payload that could not be decoded, given the name of its event.
    fn fail_by_name(&self, host: &dyn Host, name: &str, failure: &str) -> Outcome {
        if name.is_empty() {
            let mut diagnostics = Vec::new();
            let answer = if self.on_failure == FailMode::Open {
                diagnostics.push(self.describe_failure(failure, None));
                Answer::neutral(host.profile().unnamed_answer.to_owned())
            } else {
                Answer::blocked(&format!("the hook that guards this failed: {failure}"))
            };
            return outcome(host, name, EventKind::Other, answer, diagnostics);
        }
        // The name is enough to fail in the event's own format.
        let named = format!(r#"{{"hook_event_name":"{name}"}}"#);
        match Object::parse(&named) {
            Ok(object) => self.fail(host, &host.decode(&object), failure, Vec::new()),
            Err(error) => self.unresolved(name, &error.to_string()),
        }
    }

    /// Answers an event by the fail mode.
    fn fail(
        &self,
        host: &dyn Host,
        event: &Event<'_>,
        failure: &str,
        mut diagnostics: Vec<String>,
    ) -> Outcome {
        let verdict = host.spec_of(event).verdict_on_failure(self.on_failure, failure);
        // The option for softening an `ask` is meant for hooks that work.
        let options =
            EncodeOptions { deny_exit_2: self.options.deny_exit_2, ..EncodeOptions::default() };
        let mut answer = host.encode(event, &verdict, &options);
        answer.losses.push(Loss {
            fields: vec![Field::Decision],
            kind: LossKind::Dropped,
            why: failure.to_owned(),
            instead: String::new(),
        });
        diagnostics.push(self.describe_failure(failure, answer.decision));
        outcome(host, &event.native_event, event.kind(), answer, diagnostics)
    }

    /// Answers a payload of unknown host. Failing open is an error; otherwise the answer must block, in the
    /// one form that does so on every host.
    fn unresolved(&self, event: &str, message: &str) -> Outcome {
        let known = |gate: bool| {
            HostId::ALL.into_iter().any(|id| {
                host(id).events().iter().any(|spec| spec.native == event && spec.gate == gate)
            })
        };
        let may_wait = known(true) || !known(false);
        if self.on_failure == FailMode::Open || !may_wait {
            return Outcome::usage_error(message);
        }
        Outcome::without_host(Answer::blocked(&format!("tenter: {message}")))
    }

    fn describe_failure(&self, failure: &str, decision: Option<Decision>) -> String {
        let effect = match decision {
            Some(decision) => format!("answering `{decision}`"),
            None if self.on_failure == FailMode::Open => {
                "failing open, the action goes on".to_owned()
            }
            None => "nothing waits here that a failure should hold up".to_owned(),
        };
        format!("{failure}; {effect}")
    }

    /// Determines the host: from the command line, else from the payload.
    ///
    /// One exception: Cursor runs hooks from Claude's settings and sends its own payload. It would treat
    /// Claude's silence as a failed hook, so such a payload is answered in Cursor's format.
    fn resolve(&self, object: &Object<'_>) -> Result<(HostId, Vec<String>), String> {
        match self.host {
            Some(HostId::Claude) if object.str("cursor_version").is_some() => {
                let told =
                    "the payload is Cursor's, sent through Claude's settings; answered to Cursor";
                Ok((HostId::Cursor, vec![told.to_owned()]))
            }
            Some(id) => Ok((id, Vec::new())),
            None => {
                let detection = detect::detect(object);
                detection.host.map(|id| (id, Vec::new())).ok_or_else(|| detection.explain())
            }
        }
    }
}

fn outcome(
    host: &dyn Host,
    native_event: &str,
    kind: EventKind,
    answer: Answer,
    diagnostics: Vec<String>,
) -> Outcome {
    let shown = if native_event.is_empty() { "(unnamed event)" } else { native_event };
    // One line each, even if the payload or the handler put line breaks in.
    let line = |text: String| {
        let text = format!("tenter: {} {shown}: {text}", host.id());
        text.replace(char::is_control, " ")
    };
    Outcome {
        host: Some(host.id()),
        kind,
        native_event: native_event.to_owned(),
        answer,
        diagnostics: diagnostics.into_iter().map(line).collect(),
    }
}

impl Outcome {
    /// Text for stderr: the host's part, and the diagnostics where the host does not read stderr.
    pub fn stderr(&self) -> String {
        let mut text = String::new();
        if self.answer.stderr_is_free() {
            for line in &self.diagnostics {
                text.push_str(line);
                text.push('\n');
            }
        }
        text + &self.answer.stderr
    }

    /// Without a host there is no format: the error is for the user who configured the hook.
    pub(crate) fn without_host(answer: Answer) -> Self {
        Self {
            host: None,
            kind: EventKind::Other,
            native_event: String::new(),
            answer,
            diagnostics: Vec::new(),
        }
    }

    /// A mistake in the command line. Exit 1 and not 2, which a host would treat as a deny.
    pub(crate) fn usage_error(message: &str) -> Self {
        let mut answer = Answer::neutral(String::new());
        answer.exit = 1;
        answer.stderr = format!("tenter: {message}\n");
        Self::without_host(answer)
    }
}
