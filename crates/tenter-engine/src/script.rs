//! Scripted sessions: events in order, with expectations.

use std::path::{Path, PathBuf};

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use serde_json::{Map, Value, json};

use crate::Answer;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::Source;
use crate::engine::Engine;
use crate::outcome::Outcome;
use crate::payload::Payload;
use crate::sample::Sample;
use crate::{Class, CursorEvent, nearest};

/// Maximum follow-up rounds; without a loop limit an agent would go on for ever.
const MOST_ROUNDS: u64 = 100;

const STEP: &[&str] = &["event", "payload", "set", "expect"];
const EXPECT: &[&str] = &["blocked", "asks", "followup", "answer"];

/// A session script.
#[derive(Clone, Debug)]
pub struct Script {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    event: CursorEvent,
    line: usize,
    payload: Option<Payload>,
    changes: Vec<String>,
    expect: Option<Map<String, Value>>,
}

/// Result of one played event.
#[derive(Clone, Debug)]
pub struct Played {
    /// Line of its step in the script.
    pub line: usize,
    /// Number of follow-ups before it in the same step.
    pub round: u64,
    pub payload: Payload,
    pub outcome: Outcome,
    /// Differences from the expectation; empty when it is met.
    pub unmet: Vec<String>,
    /// Whether the script states an expectation for it.
    pub expected: bool,
}

impl Script {
    /// Parses a list of steps, or an object with `events`.
    pub fn parse(source: &Source) -> Result<Self, Diagnostic> {
        let parsed = source.parse().map_err(|error| {
            Diagnostic::at(Severity::Error, source, error.at.start, error.message)
        })?;
        let fault = |at: &dyn Ranged, message: &str| {
            Diagnostic::at(Severity::Error, source, at.start(), message.to_owned())
        };
        let list = match &parsed.value {
            Node::Array(list) => list,
            Node::Object(object) => {
                let other = object.properties.iter().find(|one| one.name.as_str() != "events");
                if let Some(other) = other {
                    return Err(fault(other, "a session has `events` and nothing else"));
                }
                object
                    .get_array("events")
                    .ok_or_else(|| fault(object, "a session needs a list of `events`"))?
            }
            other => return Err(fault(other, "a session is a list of steps")),
        };
        if list.elements.is_empty() {
            return Err(fault(list, "a session without steps tests nothing"));
        }
        let steps = list.elements.iter().map(|step| Step::parse(step, source));
        Ok(Self { steps: steps.collect::<Result<_, _>>()? })
    }

    /// Plays every step. Follow-ups of `stop` are played until there are none.
    pub fn play(&self, engine: &Engine, roots: &[PathBuf]) -> Result<Vec<Played>, Diagnostic> {
        let mut played = Vec::new();
        let mut generation = 0;
        for step in &self.steps {
            generation += u64::from(step.event == CursorEvent::BeforeSubmitPrompt);
            for round in 0..=MOST_ROUNDS {
                let one = step.play(engine, roots, round, generation)?;
                let goes_on = one.outcome.followup.is_some();
                played.push(one);
                if !goes_on || engine.interrupted().is_some() {
                    break;
                }
                // The follow-up becomes the next user message.
                generation += 1;
            }
        }
        Ok(played)
    }
}

impl Step {
    fn parse(node: &Node<'_>, source: &Source) -> Result<Self, Diagnostic> {
        let fault = |at: &dyn Ranged, message: String| {
            Diagnostic::at(Severity::Error, source, at.start(), message)
        };
        let Node::Object(step) = node else {
            return Err(fault(node, "a step is an object with `event`".to_owned()));
        };
        for property in &step.properties {
            let name = property.name.as_str();
            if !STEP.contains(&name) {
                return Err(fault(property, unknown(name, STEP)));
            }
            if name != "event" && !matches!(property.value, Node::Object(_)) {
                return Err(fault(&property.value, format!("`{name}` must be an object")));
            }
        }
        let Some(name) = step.get_string("event") else {
            return Err(fault(step, "a step needs the name of an `event`".to_owned()));
        };
        let event =
            CursorEvent::parse(&name.value).map_err(|unknown| fault(name, unknown.to_string()))?;
        let payload = step.get_object("payload").map(|payload| {
            let json = Value::from(Node::Object(payload.clone())).to_string();
            Payload::parse(&json).unwrap_or_default()
        });
        let mut changes = Vec::new();
        if let Some(set) = step.get_object("set") {
            for property in &set.properties {
                let text = match &property.value {
                    Node::StringLit(text) => text.value.clone().into_owned(),
                    other => Value::from(other.clone()).to_string(),
                };
                changes.push(format!("{}={text}", property.name.as_str()));
            }
        }
        let expect = step.get_object("expect");
        for property in expect.iter().flat_map(|expect| &expect.properties) {
            let name = property.name.as_str();
            let (fits, wanted) = match name {
                "blocked" | "asks" => (property.value.as_boolean_lit().is_some(), "true or false"),
                "answer" => (property.value.as_object().is_some(), "an object"),
                "followup" => {
                    let fits = matches!(property.value, Node::StringLit(_) | Node::NullKeyword(_));
                    (fits, "a string or null")
                }
                _ => return Err(fault(property, unknown(name, EXPECT))),
            };
            if !fits {
                return Err(fault(&property.value, format!("`{name}` must be {wanted}")));
            }
        }
        let expect = expect.and_then(|expect| match Value::from(Node::Object(expect.clone())) {
            Value::Object(map) => Some(map),
            _ => None,
        });
        let line = source.position(step.range.start).line;
        Ok(Self { event, line, payload, changes, expect })
    }

    fn play(
        &self,
        engine: &Engine,
        roots: &[PathBuf],
        round: u64,
        generation: u64,
    ) -> Result<Played, Diagnostic> {
        let root = roots.first().map_or(Path::new(""), PathBuf::as_path);
        let mut sample = Sample::new(self.event, root, engine.settings()).with_roots(roots);
        let failed = |bad: crate::sample::BadChange| {
            let text = format!("step on line {}: {}", self.line, bad.0);
            Diagnostic::of_file(Severity::Error, Path::new("session"), text)
        };
        sample.set(&format!("generation_id=g-{generation}")).map_err(failed)?;
        if let Some(payload) = &self.payload {
            sample.overlay(payload.clone()).map_err(failed)?;
        }
        for change in &self.changes {
            sample.set(change).map_err(failed)?;
        }
        let mut payload = sample.finish();
        if self.event.spec().class == Class::Stop {
            let before = payload.number("loop_count").unwrap_or(0);
            payload.set("loop_count", &(before + round));
        }
        let outcome = engine.fire(self.event, payload.clone());
        // The expectation of a stop applies to its first round.
        let expect = self.expect.as_ref().filter(|_| round == 0);
        let unmet = expect.map(|expect| unmet(expect, &outcome)).unwrap_or_default();
        let expected = self.expect.is_some();
        Ok(Played { line: self.line, round, payload, outcome, unmet, expected })
    }
}

fn unknown(name: &str, known: &[&str]) -> String {
    match nearest(name, known.iter().copied()) {
        Some(meant) => format!("unknown key `{name}`; did you mean `{meant}`?"),
        None => format!("unknown key `{name}`; known are {}", known.join(", ")),
    }
}

/// Differences between an outcome and its expectation; fields of the answer not mentioned are ignored.
fn unmet(expect: &Map<String, Value>, outcome: &Outcome) -> Vec<String> {
    let mut unmet = Vec::new();
    let mut compare = |name: &str, wanted: &Value, found: &Value| {
        if wanted != found {
            unmet.push(format!("`{name}` should be {wanted}, but is {found}"));
        }
    };
    for (name, wanted) in expect {
        match name.as_str() {
            "blocked" => compare(name, wanted, &json!(outcome.blocked)),
            "asks" => compare(name, wanted, &json!(outcome.asks)),
            "followup" => compare(name, wanted, &json!(outcome.followup)),
            _ => {
                let found = answer(&outcome.answer);
                for (field, wanted) in wanted.as_object().into_iter().flatten() {
                    compare(field, wanted, found.get(field).unwrap_or(&Value::Null));
                }
            }
        }
    }
    unmet
}

fn answer(answer: &Answer) -> Value {
    serde_json::to_value(answer).unwrap_or_default()
}

impl Played {
    /// Whether the expectation is met, or, without one, nothing was blocked.
    pub fn is_fine(&self) -> bool {
        if self.expected { self.unmet.is_empty() } else { !self.outcome.blocked }
    }
}
