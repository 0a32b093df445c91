//! `tenter serve --stdio`: runs the hooks engine as a subprocess of another agent. See docs/serve.md.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::value::RawValue;
use tenter_engine::report::{DiagnosticReport, Report};
use tenter_engine::{CursorEvent, Engine, Guard, Payload};

use super::host_options::HostOptions;
use crate::error::CommandError;

/// Give an agent Cursor's hooks: requests as JSON lines on stdin, outcomes on stdout
///
/// A request is {"id": ..., "event": "beforeShellExecution", "payload": {...}}; its answer is
/// {"id": ..., "outcome": {...}}. Requests run at the same time. Files are read again when they change.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Talk over stdin and stdout
    #[arg(long, required = true)]
    stdio: bool,
    /// Judge and record every event as `tenter hook` does, beside the hooks that are configured; the default
    #[arg(long, overrides_with = "no_guard")]
    guard: bool,
    /// Run only the hooks that are configured
    #[arg(long, overrides_with = "guard")]
    no_guard: bool,
    #[command(flatten)]
    host: HostOptions,
}

/// Protocol version in the first line.
const PROTOCOL: u32 = 1;
/// Maximum length of a request.
const MAX_LINE: u64 = 64 * 1024 * 1024;
/// Maximum number of concurrent requests; more wait in the pipe.
const MAX_RUNNING: usize = 64;
/// Maximum size of all concurrent requests, unless a single one is larger.
const MAX_BYTES: usize = 128 * 1024 * 1024;
/// Polling interval for files and signals when idle.
const TICK: Duration = Duration::from_millis(200);
/// Time for the client to read the last lines after a termination signal, including the hooks' reaction to
/// it.
const LAST_WORDS: Duration = Duration::from_secs(5);

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    args.host.check()?;
    let mut engine = args.host.engine(None);
    if args.guard || !args.no_guard {
        let own = std::env::current_exe().map_err(|error| {
            CommandError::internal(format!("cannot find this program: {error}"))
        })?;
        engine = engine.guarded_by(Guard::new(own));
    }
    let server = Arc::new(Server {
        engine,
        running: Mutex::new(Load::default()),
        finished: Condvar::new(),
        stdout_gone: Mutex::new(false),
    });
    server.notice("ready");
    let (sender, lines) = sync_channel(16);
    // Ends with the process: reading stdin cannot be interrupted.
    let reader = thread::Builder::new().name("stdin".to_owned()).spawn(move || read(&sender));
    if reader.is_err() {
        return Ok(ExitCode::from(3));
    }
    let (done, ended) = sync_channel(1);
    let shared = Arc::clone(&server);
    let worker = thread::Builder::new().name("requests".to_owned()).spawn(move || {
        let reason = serve(&shared, &lines);
        shared.wait_until(|load| load.requests == 0);
        shared.send(&Ending { notice: "ending", reason });
        // Fails if the receiver has stopped waiting.
        done.send(()).unwrap_or_default();
    });
    if worker.is_err() {
        return Ok(ExitCode::from(3));
    }
    Ok(wait_for_the_end(&server, &ended))
}

/// Waits for the last line. A client that does not read blocks our write, which must not prevent termination.
fn wait_for_the_end(server: &Server, ended: &Receiver<()>) -> ExitCode {
    let mut told: Option<Instant> = None;
    loop {
        match ended.recv_timeout(TICK) {
            Ok(()) => return ExitCode::SUCCESS,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return ExitCode::from(3),
        }
        if server.engine.interrupted().is_some() {
            let told = *told.get_or_insert_with(Instant::now);
            if told.elapsed() > LAST_WORDS {
                return ExitCode::from(3);
            }
        }
    }
}

enum Line {
    Text(String),
    TooLong,
    NotText,
}

/// Reads lines until stdin ends.
fn read(lines: &SyncSender<Line>) {
    let mut stdin = BufReader::new(std::io::stdin());
    loop {
        let mut bytes = Vec::new();
        match stdin.by_ref().take(MAX_LINE).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let whole = bytes.ends_with(b"\n") || (bytes.len() as u64) < MAX_LINE;
        let line = if whole {
            String::from_utf8(bytes).map_or(Line::NotText, Line::Text)
        } else if skip_line(&mut stdin).is_ok() {
            Line::TooLong
        } else {
            return;
        };
        if lines.send(line).is_err() {
            return;
        }
    }
}

fn skip_line(stdin: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let buffer = stdin.fill_buf()?;
        let (length, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        stdin.consume(length);
        if ended {
            return Ok(());
        }
    }
}

/// Answers requests until there are no more; returns why.
fn serve(server: &Arc<Server>, lines: &Receiver<Line>) -> &'static str {
    let mut told = server.engine.revision();
    loop {
        match lines.recv_timeout(TICK) {
            Ok(Line::Text(line)) if line.trim().is_empty() => {}
            Ok(Line::Text(line)) => match Request::parse(&line) {
                Ok(Request { id, shutdown: true, .. }) => {
                    server.send(&Answered { id: id.as_deref(), outcome: None });
                    return "shutdown";
                }
                Ok(request) => Server::answer(server, request),
                Err(refused) => server.send(&refused),
            },
            Ok(Line::TooLong) => {
                let text = format!("a request may have {MAX_LINE} bytes");
                server.send(&Refused::new(None, "too_large", &text));
            }
            Ok(Line::NotText) => server.send(&Refused::new(None, "bad_request", "not UTF-8")),
            Err(RecvTimeoutError::Timeout) => server.engine.refresh(),
            Err(RecvTimeoutError::Disconnected) => return "end of input",
        }
        let revision = server.engine.revision();
        if revision != told {
            told = revision;
            server.notice("reloaded");
        }
        if let Some(signal) = server.engine.interrupted() {
            return signal;
        }
        if *server.stdout_gone.lock().unwrap_or_else(PoisonError::into_inner) {
            return "nobody reads the answers";
        }
    }
}

/// The requests in progress.
#[derive(Clone, Copy, Default)]
struct Load {
    requests: usize,
    bytes: usize,
}

struct Server {
    engine: Engine,
    running: Mutex<Load>,
    finished: Condvar,
    stdout_gone: Mutex<bool>,
}

impl Server {
    /// Answers a request on a new thread.
    fn answer(server: &Arc<Self>, request: Request) {
        let bytes = request.bytes;
        server.wait_until(|load| {
            let fits = load.requests < MAX_RUNNING && load.bytes + bytes <= MAX_BYTES;
            fits || load.requests == 0
        });
        let mut load = server.running.lock().unwrap_or_else(PoisonError::into_inner);
        *load = Load { requests: load.requests + 1, bytes: load.bytes + bytes };
        drop(load);
        let shared = Arc::clone(server);
        let task = Arc::new(Mutex::new(Some(request)));
        let own = Arc::clone(&task);
        let started = thread::Builder::new().name("event".to_owned()).spawn(move || {
            shared.fire(&own);
        });
        if started.is_err() {
            // No thread available: answer synchronously.
            server.fire(&task);
        }
    }

    fn fire(&self, request: &Mutex<Option<Request>>) {
        let request = request.lock().unwrap_or_else(PoisonError::into_inner).take();
        let bytes = request.as_ref().map_or(0, |request| request.bytes);
        if let Some(Request { id, event: Some(event), payload, trace, .. }) = request {
            let outcome = self.engine.fire(event, payload);
            if let Some(signal) = self.engine.interrupted() {
                // Interrupted hooks decided nothing; that is no permission.
                let text = format!("interrupted by {signal}");
                self.send(&Refused::new(id.as_deref(), "interrupted", &text));
            } else {
                let report = Report::new(&outcome);
                let report = if trace { report.with_output() } else { report };
                self.send(&Answered { id: id.as_deref(), outcome: Some(report) });
            }
        }
        let mut load = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        *load = Load { requests: load.requests - 1, bytes: load.bytes - bytes };
        drop(load);
        self.finished.notify_all();
    }

    fn wait_until(&self, enough: impl Fn(Load) -> bool) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        while !enough(*running) {
            running = self.finished.wait(running).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Sends a notification about the configuration.
    fn notice(&self, notice: &'static str) {
        let config = self.engine.config();
        self.send(&Configured {
            notice,
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION"),
            guard: self.engine.is_guarded(),
            hooks: config.hooks.len(),
            broken: config.is_broken(),
            diagnostics: config.diagnostics.iter().map(Into::into).collect(),
        });
    }

    /// Sends one complete line; threads take turns.
    fn send(&self, message: &impl Serialize) {
        let line = serde_json::to_string(message).unwrap_or_default() + "\n";
        let mut gone = self.stdout_gone.lock().unwrap_or_else(PoisonError::into_inner);
        let mut stdout = std::io::stdout().lock();
        let sent = stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush());
        *gone |= sent.is_err();
    }
}

/// Notification about the configuration, at start and after every change.
#[derive(Serialize)]
struct Configured<'n> {
    notice: &'static str,
    protocol: u32,
    version: &'static str,
    /// Whether every event is judged and recorded.
    guard: bool,
    hooks: usize,
    /// Whether a file is broken and its last good content is in use.
    broken: bool,
    diagnostics: Vec<DiagnosticReport<'n>>,
}

/// The last line.
#[derive(Serialize)]
struct Ending {
    notice: &'static str,
    reason: &'static str,
}

#[derive(Serialize)]
struct Answered<'a> {
    id: Option<&'a RawValue>,
    outcome: Option<Report<'a>>,
}

/// Error answer to a request.
#[derive(Debug, Serialize)]
struct Refused {
    id: Option<Box<RawValue>>,
    error: Refusal,
}

#[derive(Debug, Serialize)]
struct Refusal {
    code: &'static str,
    message: String,
}

impl Refused {
    fn new(id: Option<&RawValue>, code: &'static str, message: &str) -> Self {
        let error = Refusal { code, message: message.to_owned() };
        Self { id: id.map(ToOwned::to_owned), error }
    }
}

#[derive(Debug)]
struct Request {
    /// The client's id of a request.
    id: Option<Box<RawValue>>,
    event: Option<CursorEvent>,
    payload: Payload,
    trace: bool,
    shutdown: bool,
    bytes: usize,
}

impl Request {
    /// Parses a request; the error is the answer.
    fn parse(line: &str) -> Result<Self, Refused> {
        let request = Payload::parse(line)
            .map_err(|error| Refused::new(None, "bad_request", &error.to_string()))?;
        let id = request.get("id").map(ToOwned::to_owned);
        let is_set = |key: &str| request.get(key).is_some_and(|value| value.get() == "true");
        let (shutdown, trace) = (is_set("shutdown"), is_set("trace"));
        if shutdown {
            let payload = Payload::default();
            return Ok(Self { id, event: None, payload, trace, shutdown, bytes: 0 });
        }
        let bad = |code, text: &str| Refused::new(id.as_deref(), code, text);
        let Some(name) = request.text("event") else {
            return Err(bad("bad_request", "`event` must be the name of an event"));
        };
        let event = CursorEvent::parse(&name)
            .map_err(|unknown| bad("unknown_event", &unknown.to_string()))?;
        let payload = match request.get("payload") {
            None => Payload::default(),
            Some(payload) => Payload::parse(payload.get())
                .map_err(|_| bad("bad_request", "`payload` must be an object"))?,
        };
        Ok(Self { id, event: Some(event), payload, trace, shutdown, bytes: line.len() })
    }
}
