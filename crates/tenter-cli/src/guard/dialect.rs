//! Runs handlers written as hooks of a host. On any host, such a script gets the payload that its own host
//! would send, and its output is read by that host's rules.

mod claude;
mod codex;
mod cursor;
mod input;

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use tenter_engine::runner::{Ended, Job, MAX_STDOUT, Runner, Trouble, killed_by};
use tenter_engine::{Match, Matcher, Payload};
use tenter_model::{Decision, Event, Verdict, json};
use tenter_policy::policy::{Foreign, Speaks};

use input::Input;

/// One run of a script. A patch of three files is three calls for a host that edits one file at a time.
#[derive(Debug)]
struct HandlerCall {
    /// The host's name for the event.
    event: &'static str,
    json: String,
    /// Texts for the matcher; empty if the host ignores it.
    subjects: Vec<String>,
    /// Whether the event lacks the MCP server, so that the tool name is made up.
    nameless: bool,
    /// The tool's input.
    input: Input,
}

/// Result of running a script.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) answers: Vec<Verdict>,
    pub(crate) warnings: Vec<String>,
    /// Why there is no further answer.
    pub(crate) failure: Option<String>,
    /// What it printed to stderr, unless that was the answer.
    pub(crate) stderr: Vec<u8>,
}

/// A verdict with warnings, or why there is none.
type Read = Result<(Verdict, Vec<String>), String>;

/// Runs a script for an event, once per call that its host would make of it.
pub(crate) fn ask(
    foreign: &Foreign,
    event: &Event<'_>,
    command: &[OsString],
    limit: Duration,
) -> Asked {
    let mut asked = Asked::default();
    let calls = match foreign.speaks {
        Speaks::Claude => claude::calls(event, foreign),
        Speaks::Codex => codex::calls(event, foreign),
        Speaks::Cursor => cursor::calls(event, foreign),
    };
    let calls = match calls {
        Ok(calls) => calls,
        Err(why) => {
            asked.warnings.push(format!("it is not asked: {why}"));
            return asked;
        }
    };
    let start = Instant::now();
    // One time limit for all, since the host waits for the sum.
    for call in calls {
        let found = matches(foreign, &call);
        asked.warnings.extend(found.warning);
        if !found.matched {
            continue;
        }
        let left = limit.saturating_sub(start.elapsed());
        let ended = run(command, foreign, event, &call, left);
        let read = match &ended.status {
            Err(Trouble::Spawn(_)) if is_gone(&foreign.cwd) => {
                Err(format!("its folder `{}` does not exist", foreign.cwd))
            }
            Err(Trouble::TooMuchOutput) if foreign.speaks == Speaks::Cursor => {
                cursor::unreadable(&call, &describe(&Trouble::TooMuchOutput, limit))
            }
            Err(trouble) => Err(describe(trouble, limit)),
            Ok(_) if foreign.speaks == Speaks::Cursor => cursor::read(&call, event, &ended),
            Ok(_) => claude::read(&call, event.kind(), &ended),
        };
        if code(&ended) != Some(2) {
            asked.stderr.extend_from_slice(&ended.stderr);
        }
        match read {
            Ok((verdict, warnings)) => {
                asked.warnings.extend(warnings);
                let denied = verdict.decision == Some(Decision::Deny);
                asked.answers.push(verdict);
                if denied {
                    break;
                }
            }
            Err(failure) => {
                asked.failure = Some(failure);
                break;
            }
        }
    }
    asked
}

/// Whether the script's own host would run it for this call.
fn matches(foreign: &Foreign, call: &HandlerCall) -> Match {
    let (text, yes) = (foreign.matcher.as_str(), Match { matched: true, warning: None });
    if call.subjects.is_empty() || text.is_empty() || text == "*" {
        return yes;
    }
    let mut found = match foreign.speaks {
        Speaks::Claude | Speaks::Codex if claude::is_exact(text) => {
            let mut names = text.split(['|', ',']).map(str::trim);
            let matched = names.any(|name| call.subjects.iter().any(|subject| subject == name));
            Match { matched, warning: None }
        }
        _ => Matcher::new(text).test(call.subjects.iter().map(String::as_str)),
    };
    if !found.matched && call.nameless && text.contains("mcp__") {
        found.matched = true;
        found.warning = Some(format!(
            "matcher `{text}` cannot be tested, because the event names no MCP server: it runs"
        ));
    }
    found
}

fn run(
    command: &[OsString],
    foreign: &Foreign,
    event: &Event<'_>,
    call: &HandlerCall,
    timeout: Duration,
) -> Ended {
    let Some((program, arguments)) = command.split_first() else {
        let error = std::io::Error::other("no command was given");
        let (stdout, stderr) = (Vec::new(), Vec::new());
        return Ended { status: Err(Trouble::Spawn(error)), stdout, stderr, left_behind: false };
    };
    let roots = event.workspace_roots.first();
    let project = roots.or(event.cwd.as_ref()).map(AsRef::as_ref).unwrap_or_default();
    let folder = match (foreign.cwd.as_str(), foreign.speaks) {
        ("", Speaks::Claude | Speaks::Codex) => event.cwd.as_deref().unwrap_or_default(),
        ("", Speaks::Cursor) => project,
        (own, _) => own,
    };
    Runner::for_one_program().run(Job {
        program,
        arguments,
        // A folder set by the user must exist; one named by the host may be gone.
        directory: Some(Path::new(folder)).filter(|it| !foreign.cwd.is_empty() || it.is_dir()),
        environment: &environment(foreign, event, project),
        input: call.json.clone().into_bytes().into(),
        timeout,
    })
}

/// The variables that the script's host would set, and those of every handler.
fn environment(
    foreign: &Foreign,
    event: &Event<'_>,
    project: &str,
) -> Vec<(String, Option<OsString>)> {
    let mut variables = vec![
        ("TENTER_HOST", event.host.as_str().to_owned()),
        ("TENTER_EVENT", event.kind().as_str().to_owned()),
        ("TENTER_VERSION", env!("CARGO_PKG_VERSION").to_owned()),
    ];
    if event.host != foreign.speaks.host() {
        if foreign.speaks != Speaks::Codex {
            variables.push(("CLAUDE_PROJECT_DIR", project.to_owned()));
        }
        let session = event.session_id.as_deref().unwrap_or_default().to_owned();
        match foreign.speaks {
            Speaks::Claude => variables.push(("CLAUDE_CODE_SESSION_ID", session)),
            Speaks::Codex => {}
            Speaks::Cursor => {
                variables.push(("CURSOR_PROJECT_DIR", project.to_owned()));
                variables.push(("CURSOR_VERSION", cursor::version()));
                let transcript = event.transcript_path.as_deref().map(str::to_owned);
                variables.extend(transcript.map(|path| ("CURSOR_TRANSCRIPT_PATH", path)));
            }
        }
    }
    // A value with NUL would make the start fail.
    variables.retain(|(_, value)| !value.contains('\0'));
    variables.into_iter().map(|(name, value)| (name.to_owned(), Some(value.into()))).collect()
}

/// Whether a configured folder is missing.
fn is_gone(folder: &str) -> bool {
    !folder.is_empty() && !Path::new(folder).is_dir()
}

fn describe(trouble: &Trouble, limit: Duration) -> String {
    match trouble {
        Trouble::Spawn(error) => format!("it cannot be started: {error}"),
        Trouble::TimedOut => format!("it did not end within {} ms; killed", limit.as_millis()),
        Trouble::TooMuchOutput => format!("it printed more than {MAX_STDOUT} bytes"),
        Trouble::Signalled(signal) => format!("interrupted by {signal}"),
        Trouble::System(error) => format!("it cannot be attended to: {error}"),
    }
}

/// Description of an exit code other than 0 and 2.
fn exit(ended: &Ended) -> String {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let said = stderr.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let colon = if said.is_empty() { "" } else { ": " };
    match &ended.status {
        Ok(status) => match (killed_by(*status), status.code()) {
            (Some(signal), _) => format!("it was killed by signal {signal}{colon}{said}"),
            (None, Some(code)) => format!("it left with exit {code}{colon}{said}"),
            (None, None) => "it ended without an exit code".to_owned(),
        },
        Err(trouble) => describe(trouble, Duration::ZERO),
    }
}

fn code(ended: &Ended) -> Option<i32> {
    ended.status.as_ref().ok().and_then(std::process::ExitStatus::code)
}

/// Its stderr, if any.
fn stderr(ended: &Ended) -> Option<String> {
    let text = String::from_utf8_lossy(&ended.stderr).trim().to_owned();
    Some(text).filter(|text| !text.is_empty())
}

/// The payload without content that some parsers reject.
fn portable(payload: &Payload) -> String {
    let (mut text, _) = json::portable(payload.to_json());
    text.push('\n');
    text
}

/// An absolute path, as hosts send it.
fn absolute(path: &str, event: &Event<'_>) -> String {
    let cwd = event.cwd.as_deref().unwrap_or_default();
    if Path::new(path).is_absolute() || path.starts_with('~') || cwd.is_empty() {
        return path.to_owned();
    }
    Path::new(cwd).join(path).to_string_lossy().into_owned()
}
