//! Sends traces: starts `tenter-server`, which may use the network, and pipes them in.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serde::Deserialize;
use tenter_audit::store::{Order, Query};
use tenter_engine::runner::{Job, Runner, Trouble};
use tenter_model::text::counted;

use super::notice;
use super::resume::Marks;
use super::traces::{self, Wanted};
use crate::commands::host_options::sibling;
use crate::error::CommandError;
use crate::guard::LocalMachine;
use crate::reading::Reading;

/// Number of requests per process.
const LINES: usize = 8;
const BYTES: usize = 4 * 1024 * 1024;
/// Timeout of a process: it normally gives up after a minute itself.
const PATIENCE: Duration = Duration::from_mins(10);

const OWN_HEADERS: &str = "OTEL_EXPORTER_OTLP_TRACES_HEADERS";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// The receiver of the traces.
#[derive(Debug)]
pub(super) struct Receiver {
    url: String,
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(String, Option<OsString>)>,
}

/// Output of the process.
#[derive(Debug, Deserialize)]
struct Said {
    rejected: u64,
    #[serde(default)]
    message: String,
}

impl Receiver {
    pub(super) fn new(url: &str, headers: &[String], insecure: bool) -> Result<Self, CommandError> {
        let program = sibling("tenter-server")
            .ok_or_else(|| CommandError::internal("no way to find `tenter-server`"))?;
        let mut arguments = vec!["export".into(), "--otlp".into(), url.into()];
        if insecure {
            arguments.push("--insecure".into());
        }
        let mut environment = Vec::new();
        if !headers.is_empty() {
            // Not as arguments, which other users on the machine can read.
            let named = |name| std::env::var(name).ok().filter(|it: &String| !it.is_empty());
            let mut all: Vec<String> = named(OWN_HEADERS).or(named(HEADERS)).into_iter().collect();
            for header in headers {
                let pair = header.split_once('=').filter(|(name, _)| !name.trim().is_empty());
                let Some((name, value)) = pair else {
                    return Err(CommandError::usage("--header is NAME=VALUE"));
                };
                all.push(format!("{}={}", escaped(name.trim()), escaped(value)));
            }
            environment.push((OWN_HEADERS.to_owned(), Some(all.join(",").into())));
        }
        Ok(Self { url: url.to_owned(), program, arguments, environment })
    }

    /// Sends requests, one per line. Returns the number of rejected spans with the reason.
    fn send(&self, lines: String) -> Result<Said, CommandError> {
        let ended = Runner::for_one_program().run(Job {
            program: self.program.as_os_str(),
            arguments: &self.arguments,
            directory: None,
            environment: &self.environment,
            input: lines.into_bytes().into(),
            timeout: PATIENCE,
        });
        let program = self.program.display();
        let status = ended.status.map_err(|trouble| {
            CommandError::internal(match trouble {
                Trouble::Spawn(error) => format!("`{program}` cannot be started: {error}"),
                Trouble::TimedOut => format!("`{program}` did not end in ten minutes"),
                Trouble::TooMuchOutput => format!("`{program}` printed too much"),
                Trouble::Signalled(signal) => format!("interrupted by {signal}"),
                Trouble::System(error) => format!("`{program}` cannot be attended to: {error}"),
            })
        })?;
        let said = String::from_utf8_lossy(&ended.stderr);
        let said = said.lines().next().unwrap_or("it said nothing");
        let said = said.strip_prefix("tenter-server export: ").unwrap_or(said).to_owned();
        match status.code() {
            Some(0) => serde_json::from_slice(&ended.stdout).map_err(|error| {
                CommandError::internal(format!("`{program}` printed no JSON: {error}"))
            }),
            Some(2) => Err(CommandError::usage(said)),
            Some(1) => Err(CommandError::failed(said)),
            _ => Err(CommandError::internal(format!("`{program}` failed: {said}"))),
        }
    }
}

/// Requests waiting for a process, and results of earlier ones.
struct Outbox<'r> {
    receiver: &'r Receiver,
    waiting: String,
    lines: usize,
    rejected: u64,
    message: String,
    fault: Option<CommandError>,
}

impl Outbox<'_> {
    fn line(&mut self, line: &str) -> Result<(), CommandError> {
        self.waiting.push_str(line);
        self.waiting.push('\n');
        self.lines = self.lines.saturating_add(1);
        if self.lines < LINES && self.waiting.len() < BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), CommandError> {
        self.lines = 0;
        let lines = std::mem::take(&mut self.waiting);
        if lines.is_empty() {
            return Ok(());
        }
        match self.receiver.send(lines) {
            Ok(said) => {
                self.rejected = self.rejected.saturating_add(said.rejected);
                if !said.message.is_empty() {
                    self.message = said.message;
                }
                Ok(())
            }
            Err(fault) => {
                self.fault = Some(fault);
                Err(CommandError::internal("not sent"))
            }
        }
    }
}

pub(super) fn run(
    machine: &LocalMachine,
    reading: &Reading,
    wanted: &Wanted<'_>,
    receiver: &Receiver,
    resume: bool,
) -> Result<ExitCode, CommandError> {
    let mut chosen = None;
    let mut marks = None;
    if resume {
        let state = machine
            .folders
            .state
            .as_deref()
            .ok_or_else(|| CommandError::internal("no folder for state".to_owned()))?;
        let kept = Marks::read(state)?;
        let sessions = traces::sessions(reading, &Wanted::default())?;
        let last = reading.store.find(&Query::default(), Order::NewestFirst, 1);
        let last = last.map_err(CommandError::internal)?.first().map_or(0, |hit| hit.seq);
        let (due, mark) = kept.of(&receiver.url).choose(sessions, last, machine.now_ms);
        chosen = Some(due);
        marks = Some((kept, mark));
    }
    let mut outbox = Outbox {
        receiver,
        waiting: String::new(),
        lines: 0,
        rejected: 0,
        message: String::new(),
        fault: None,
    };
    let done = traces::write(reading, wanted, chosen.as_ref(), &mut |line| outbox.line(line));
    let done = done.and_then(|done| outbox.flush().map(|()| done));
    let done = match (done, outbox.fault.take()) {
        (_, Some(fault)) => return Err(fault),
        (done, None) => done?,
    };
    if let Some((kept, mark)) = marks {
        kept.keep(mark)?;
    }
    if outbox.rejected > 0 {
        let said = if outbox.message.is_empty() { "without a word" } else { &outbox.message };
        notice(&format!("the receiver refused {} of the spans: {said}", outbox.rejected));
    }
    let (spans, sessions) = (counted(done.spans, "span"), counted(done.sessions, "session"));
    let printed = super::super::print(&format!("sent {spans} of {sessions}"));
    Ok(if outbox.rejected > 0 { ExitCode::from(1) } else { printed })
}

/// Percent-encodes a value for a header list.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    out
}
