//! Sends one request to `codex app-server`: JSON lines on stdin and stdout.
//!
//! The program exits when its stdin ends, answered or not, so stdin is kept open until the answer arrives. It
//! is started for this request only and stores as little as possible in the user's folder.

use std::cell::Cell;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_engine::runner::{Ended, Job, Runner, Trouble};
use tenter_model::text;

use super::scratch::Scratch;
use crate::Places;
use crate::detect::{environment, of_project, runner};

/// Timeout of one request.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum length of foreign text in a message.
const LONGEST: usize = 200;
const GREETING: u64 = 1;
const QUESTION: u64 = 2;

/// Disables fetching plugins and unpacking skills, which are not needed here.
const ARGUMENTS: &[&str] = &[
    "app-server",
    "-c",
    "features.plugins=false",
    "-c",
    "features.remote_plugin=false",
    "-c",
    "skills.bundled.enabled=false",
];

pub(super) struct Client<'c> {
    program: &'c Path,
    places: &'c Places,
    runner: Runner,
}

impl<'c> Client<'c> {
    pub(super) fn new(program: &'c Path, places: &'c Places) -> Result<Self, String> {
        if of_project(program, places) {
            return Err(format!("`{}` belongs to the project and is not run", program.display()));
        }
        Ok(Self { program, places, runner: runner() })
    }

    /// Sends one request and returns its result.
    pub(super) fn call(&self, method: &str, parameters: &Value) -> Result<Value, String> {
        let scratch = Scratch::new();
        let mut environment = environment(self.program, self.places);
        if let Some(scratch) = &scratch {
            // The user's databases may be in use by another version.
            let folder = OsString::from(scratch.path());
            environment.push(("CODEX_SQLITE_HOME".to_owned(), Some(folder)));
        }
        let arguments: Vec<OsString> = ARGUMENTS.iter().map(OsString::from).collect();
        let read = Cell::new(0);
        let ended = self.runner.converse(
            Job {
                program: self.program.as_os_str(),
                arguments: &arguments,
                directory: Some(&self.places.root),
                environment: &environment,
                input: Arc::new(questions(method, parameters)),
                timeout: PATIENCE,
            },
            &|output| is_answered(output, &read),
        );
        drop(scratch);
        conclude(method, ended)
    }
}

fn questions(method: &str, parameters: &Value) -> Vec<u8> {
    let us =
        json!({ "name": "tenter", "title": "Tenterhook", "version": env!("CARGO_PKG_VERSION") });
    let lines = [
        json!({ "id": GREETING, "method": "initialize", "params": { "clientInfo": us } }),
        json!({ "method": "initialized" }),
        json!({ "id": QUESTION, "method": method, "params": parameters }),
    ];
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// Whether the output contains the answer; its first `read` bytes are known not to.
fn is_answered(output: &[u8], read: &Cell<usize>) -> bool {
    let new = output.get(read.get()..).unwrap_or_default();
    let Some(end) = new.iter().rposition(|byte| *byte == b'\n') else { return false };
    let lines = new.get(..end).unwrap_or_default();
    read.set(read.get().saturating_add(end).saturating_add(1));
    answer(lines).is_some()
}

/// The line that answers the request. Codex may send requests itself, with the same id.
fn answer(output: &[u8]) -> Option<Value> {
    let lines = output.split(|byte| *byte == b'\n');
    lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()).find(|message| {
        message.get("method").is_none()
            && message.get("id").and_then(Value::as_u64) == Some(QUESTION)
    })
}

fn conclude(method: &str, ended: Ended) -> Result<Value, String> {
    // Once answered, its exit does not matter.
    if let Some(answer) = answer(&ended.stdout) {
        if let Some(result) = answer.get("result") {
            return Ok(result.clone());
        }
        let message = answer.pointer("/error/message").and_then(Value::as_str);
        let message = short(message.unwrap_or("no reason given"));
        return Err(format!("codex refused `{method}`: {message}"));
    }
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let last = stderr.lines().rev().map(short).find(|line| !line.trim().is_empty());
    let said = last.map_or_else(String::new, |line| format!(": {}", line.trim()));
    Err(match ended.status {
        Ok(status) => format!("codex ended without an answer ({status}){said}"),
        Err(Trouble::Spawn(error)) => format!("codex cannot be started: {error}"),
        Err(Trouble::TimedOut) => {
            format!("codex gave no answer within {} seconds{said}", PATIENCE.as_secs())
        }
        Err(Trouble::TooMuchOutput) => "codex answered with more than we read".to_owned(),
        Err(Trouble::Signalled(name)) => format!("we were told to end by {name}"),
        Err(Trouble::System(error)) => format!("codex cannot be asked: {error}"),
    })
}

/// Foreign text for a message: one line, shortened, without terminal controls.
pub(super) fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let shown: String = line.chars().filter(|it| !it.is_control()).collect();
    text::shorten(&shown, LONGEST).into_owned()
}
