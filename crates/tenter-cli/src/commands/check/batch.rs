//! `tenter check --jsonl`: many calls, one answer per line, in order.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::process::ExitCode;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tenter_model::{Event, Object};
use tenter_policy::scene::Scene;
use tenter_policy::{Policy, Sample};

use super::super::verdict::word;
use super::{By, decode};
use crate::error::CommandError;
use crate::guard::{self, JudgeContext, LocalMachine, Trace, policies};

/// Maximum length of a line; the rest is skipped.
const LONGEST: usize = 64 * 1024 * 1024;

pub(super) fn run(
    machine: &LocalMachine,
    by: &By,
    handlers: bool,
) -> Result<ExitCode, CommandError> {
    let mut input = BufReader::with_capacity(64 * 1024, std::io::stdin());
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    let mut judge = Judge { machine, by, handlers, last: None };
    let mut bad = false;
    let mut number = 0u64;
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => number = number.saturating_add(1),
            Err(error) => return Err(stop("cannot read standard input", &error)),
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (answer, right) = judge.line(&line, number);
        bad |= !right;
        let mut written = writeln!(output, "{answer}");
        // Flush when the input is empty, so that a caller can wait for each answer.
        if input.buffer().is_empty() {
            written = written.and_then(|()| output.flush());
        }
        match written {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(stop("cannot write to stdout", &error)),
        }
    }
    match output.flush() {
        Ok(()) => Ok(ExitCode::from(u8::from(bad))),
        Err(error) => Err(stop("cannot write to stdout", &error)),
    }
}

fn stop(what: &str, error: &std::io::Error) -> CommandError {
    CommandError::internal(format!("{what}: {error}"))
}

struct Judge<'j> {
    machine: &'j LocalMachine,
    by: &'j By,
    /// Whether handlers run.
    handlers: bool,
    /// Cached policy of the last call's folders.
    last: Option<(Vec<String>, Policy)>,
}

impl Judge<'_> {
    /// The answer to one line, and whether the line was valid.
    fn line(&mut self, line: &[u8], number: u64) -> (Value, bool) {
        let text = String::from_utf8_lossy(line.get(..LONGEST).unwrap_or(line));
        // Some editors write a byte order mark.
        let text = text.trim_start_matches('\u{feff}');
        let object = match Object::parse(text) {
            Ok(object) => object,
            Err(error) => {
                // The line number is stated already; to the parser each line is the first.
                let fault = error.to_string().replace(" at line 1 column ", " at column ");
                return (unreadable(&Value::Null, number, &fault), false);
            }
        };
        let id = object
            .get("id")
            .map_or(Value::Null, |id| serde_json::from_str(id.get()).unwrap_or(Value::Null));
        match self.judge(&object) {
            Ok(mut answer) => {
                answer.insert("id".to_owned(), id);
                (Value::Object(answer), true)
            }
            Err(error) => (unreadable(&id, number, &error.to_string()), false),
        }
    }

    fn judge(&mut self, object: &Object<'_>) -> Result<Map<String, Value>, CommandError> {
        let cwd = object.str("cwd");
        // Null counts as absent; anything else would be judged for another folder.
        if cwd.is_none() && object.get("cwd").is_some_and(|cwd| cwd.get() != "null") {
            return Err(CommandError::usage("`cwd` is not a string"));
        }
        let cwd = cwd.as_deref().or(self.machine.cwd.as_deref());
        if let Some(command) = object.str("command") {
            return Ok(self.event(&Sample::Shell(&command).event(cwd)));
        }
        let Some(payload) = object.get("payload") else {
            return Err(CommandError::usage(missing(object)));
        };
        let id = match object.str("host") {
            Some(name) => Some(
                name.parse()
                    .map_err(|error: tenter_model::UnknownHost| CommandError::usage(error))?,
            ),
            None => None,
        };
        // A payload may also be JSON inside a string.
        let unpacked = text_of(payload);
        let payload = Object::parse(unpacked.as_deref().unwrap_or(payload.get()))
            .map_err(|error| CommandError::usage(format!("`payload`: {error}")))?;
        Ok(self.event(&decode(id, &payload)?))
    }

    fn event(&mut self, event: &Event<'_>) -> Map<String, Value> {
        let policy = match self.by {
            By::Given(policy) => policy,
            By::Files => {
                let places = guard::places(self.machine, event);
                let known = self.last.as_ref().is_some_and(|(folders, _)| *folders == places);
                if !known {
                    let policy = policies::load(&self.machine.folders, &places).policy;
                    self.last = Some((places.into_iter().map(str::to_owned).collect(), policy));
                }
                match &self.last {
                    Some((_, policy)) => policy,
                    None => return Map::new(),
                }
            }
        };
        let context = JudgeContext::new(self.machine, event, Trace::None);
        let world = context.world();
        let mut scene = Scene::new(event, &world);
        let inquired = guard::inquire(&context, policy, &mut scene, self.handlers);
        let judgement = inquired.judgement;
        let mut answer = Map::new();
        answer.insert("decision".to_owned(), word(judgement.verdict.decision).into());
        let mut rules: Vec<&str> = Vec::new();
        for found in &judgement.findings {
            if found.effective().decision().is_some() && !rules.contains(&found.rule.as_ref()) {
                rules.push(&found.rule);
            }
        }
        answer.insert("rules".to_owned(), rules.into());
        let reason = judgement.verdict.reason.as_deref();
        answer.insert("reason".to_owned(), reason.unwrap_or_default().into());
        if !inquired.not_run.is_empty() {
            answer.insert("handlers_not_run".to_owned(), inquired.not_run.into());
        }
        answer
    }
}

/// Describes the missing key.
fn missing(object: &Object<'_>) -> String {
    let what = if object.get("command").is_some() {
        "`command` is not a string"
    } else if object.get("host").is_some() {
        "`host` needs a `payload`"
    } else {
        "neither `command` nor `payload` is given"
    };
    format!(
        "{what}; a line is {{\"id\", \"command\", \"cwd\"?}} or {{\"id\", \"host\"?, \"payload\"}}"
    )
}

fn text_of(raw: &RawValue) -> Option<String> {
    tenter_model::json::string(raw).map(std::borrow::Cow::into_owned)
}

/// An invalid line is never answered as allowed.
fn unreadable(id: &Value, number: u64, fault: &str) -> Value {
    json!({
        "id": id,
        "decision": "ask",
        "rules": ["input/unreadable"],
        "reason": format!("line {number} cannot be judged: {fault}"),
        "error": fault,
    })
}
