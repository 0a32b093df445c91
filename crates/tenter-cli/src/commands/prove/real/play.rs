//! Runs model and client side by side.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_audit::{Spool, ingest};
use tenter_engine::runner::{Ended, Job, Trouble};
use tenter_model::Decision;
use tenter_model::text::first_chars;
use tenter_setup::canary::{self, FORBIDDEN};

use super::{Client, claude};
use crate::commands::host_options::sibling;
use crate::commands::scratch::Scratch;
use crate::error::CommandError;
use crate::guard::folders::Folders;
use crate::guard::seen;

/// Result of a run.
pub(super) struct Played {
    pub(super) marks: Marks,
    /// Whether the hook left a sign of a call.
    pub(super) hook_ran: bool,
    /// Whether the record contains the forbidden call as denied.
    pub(super) recorded: bool,
    /// Whether the model was told the canary's token.
    pub(super) told: bool,
    pub(super) version: String,
    /// Why the client did not load the file, if it says so.
    pub(super) complaint: Option<String>,
    /// The client's last output.
    pub(super) trouble: String,
}

/// Files that the commands create when they are run.
pub(super) struct Marks {
    pub(super) forbidden: bool,
    pub(super) permitted: bool,
}

/// Timeout of a client for its three turns.
const PATIENCE: Duration = Duration::from_secs(90);
/// Timeout of the model's start.
const START: Duration = Duration::from_secs(10);

/// Path of the program that plays the model, beside ours.
pub(super) fn server() -> Result<PathBuf, CommandError> {
    let server =
        sibling("tenter-server").ok_or_else(|| CommandError::failed("cannot find ourselves"))?;
    if tenter_setup::places::is_program(&server) {
        return Ok(server);
    }
    let beside = server.parent().unwrap_or(Path::new("")).display();
    Err(CommandError::failed(format!(
        "tenter-server is not beside tenter in {beside}, and it plays the model"
    )))
}

pub(super) fn play(
    client: &Client<'_>,
    scratch: &Scratch,
    server: &Path,
) -> Result<Played, CommandError> {
    let token = canary::token();
    let (forbidden, permitted) = (format!("forbidden-{token}"), format!("permitted-{token}"));
    let script = json!({
        "commands": [
            // No shell finds this command; the part after it leaves the mark.
            format!("{FORBIDDEN}{token}; echo ran > {forbidden}"),
            format!("echo ran > {permitted}"),
        ],
        "last": "The play is over.",
        "token": format!("canary {token}"),
    });
    let (script_file, port_file) = (scratch.beside("script.json"), scratch.beside("port.json"));
    scratch.write(&script_file, script.to_string())?;
    let words: [OsString; 5] = [
        "model".into(),
        "--script".into(),
        script_file.into(),
        "--port-file".into(),
        port_file.clone().into(),
    ];
    let model = || {
        client.stage.runner.run(Job {
            program: server.as_os_str(),
            arguments: &words,
            directory: Some(&scratch.home()),
            environment: &scratch.environment(client.program.parent()),
            input: Vec::new().into(),
            timeout: PATIENCE + START,
        })
    };
    let (report, ended) = std::thread::scope(|scope| {
        let model = scope.spawn(model);
        let url =
            port(&port_file, || model.is_finished()).map(|port| format!("http://127.0.0.1:{port}"));
        let ended = url.map(|url| run(client, scratch, &url));
        // The model exits when its port file is removed.
        drop(std::fs::remove_file(&port_file));
        (model.join(), ended)
    });
    let model =
        report.map_err(|_| CommandError::failed("the scripted model could not be attended to"))?;
    let ended = ended
        .map_err(|why| CommandError::failed(format!("{why}: {}", last_line(&model.stderr))))?;
    let report: Value = serde_json::from_slice(&model.stdout).unwrap_or_default();
    let project = scratch.project();
    let state = Folders::of(|name| (name == "HOME").then(|| scratch.home().display().to_string()));
    let signs = state.state.as_deref().map(seen::all).unwrap_or_default();
    Ok(Played {
        marks: Marks {
            forbidden: project.join(forbidden).exists(),
            permitted: project.join(permitted).exists(),
        },
        hook_ran: signs.iter().any(|sign| sign.event == "PreToolUse"),
        recorded: state.state.as_deref().is_some_and(|state| is_recorded(state, &token)),
        told: report.get("told_token") == Some(&Value::Bool(true)),
        version: version(client, scratch),
        complaint: claude::complaint(&String::from_utf8_lossy(&ended.stderr), scratch),
        trouble: trouble(&ended, &report),
    })
}

/// Whether the record contains the canary with this token as denied.
fn is_recorded(state: &Path, token: &str) -> bool {
    let segments = Spool::of_state(state).segments().unwrap_or_default();
    let lines = segments.iter().flat_map(|segment| segment.lines(0)).flatten().flatten();
    lines.filter_map(ingest::item).any(|item| {
        let denied = item.record.decision.as_deref() == Some(Decision::Deny.as_str());
        denied && item.record.canary && item.line.contains(token)
    })
}

/// Waits for the model's port.
fn port(file: &Path, has_ended: impl Fn() -> bool) -> Result<u64, CommandError> {
    let start = Instant::now();
    while start.elapsed() < START && !has_ended() {
        let text = tenter_files::read(file, 65536, tenter_files::Whose::Anyone).unwrap_or_default();
        let said: Value = serde_json::from_slice(&text).unwrap_or_default();
        if let Some(port) = said.get("port").and_then(Value::as_u64) {
            return Ok(port);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(CommandError::failed("the scripted model does not start"))
}

fn run(client: &Client<'_>, scratch: &Scratch, url: &str) -> Ended {
    let mut environment = scratch.environment(client.program.parent());
    let arguments: Vec<OsString> =
        (client.driver.arguments)(url).into_iter().map(OsString::from).collect();
    let more = (client.driver.environment)(url, scratch);
    environment.extend(more.into_iter().map(|(name, value)| (name.to_owned(), Some(value.into()))));
    client.stage.runner.run(Job {
        program: client.program.as_os_str(),
        arguments: &arguments,
        directory: Some(&scratch.project()),
        environment: &environment,
        input: Vec::new().into(),
        timeout: PATIENCE,
    })
}

/// The client's version.
fn version(client: &Client<'_>, scratch: &Scratch) -> String {
    if client.state.here.program.as_deref() == Some(client.program)
        && let Some(version) = &client.state.here.version
    {
        return version.clone();
    }
    let ended = client.stage.runner.run(Job {
        program: client.program.as_os_str(),
        arguments: &["--version".into()],
        directory: Some(&scratch.project()),
        environment: &scratch.environment(client.program.parent()),
        input: Vec::new().into(),
        timeout: START,
    });
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    said.split_whitespace().find(is_version).unwrap_or_default().to_owned()
}

fn last_line(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
    first_chars(line.trim(), 300).to_owned()
}

/// Why a client did not complete the run.
fn trouble(ended: &Ended, report: &Value) -> String {
    let asked = report.get("requests").and_then(Value::as_u64).unwrap_or(0);
    let said = if ended.stderr.is_empty() { &ended.stdout } else { &ended.stderr };
    let said = last_line(said);
    match &ended.status {
        Err(Trouble::Spawn(error)) => format!("it cannot be started: {error}"),
        Err(Trouble::TimedOut) => format!("it did not end within {} s", PATIENCE.as_secs()),
        Err(trouble) => format!("{trouble:?}"),
        Ok(_) if asked == 0 => format!("it asked no model: {said}"),
        Ok(_) if report.get("played") == Some(&json!(0)) => "it offers no shell".to_owned(),
        Ok(_) => said,
    }
}
