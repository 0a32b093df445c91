//! `tenter-server model`: a scripted model, so that a real client can be driven on this machine without an
//! account.
//!
//! It implements as much of Anthropic's Messages and OpenAI's Responses as a client needs to run a tool. The
//! script is a list of commands; the number of tool results in a request is the position in it. After the
//! last one a closing text is sent.

mod anthropic;
mod http;
mod responses;
mod script;

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use http::{Request, Response};
use script::{Report, Script};

/// Play a scripted model on 127.0.0.1, for `tenter prove`
///
/// Writes the port to a file and serves until that file is removed or the time is over. Prints then, as one JSON object,
/// what it was asked. Nothing leaves this machine.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Script to play, as JSON: `commands` (a list), `last` (the text at the end), `token` (a word to look for)
    #[arg(long, value_name = "FILE")]
    script: PathBuf,
    /// Where to write the port; it ends when this file is removed
    #[arg(long, value_name = "FILE")]
    port_file: PathBuf,
    /// It ends after this many seconds in any case
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    within: u64,
}

/// Polling interval for the port file.
const TICK: Duration = Duration::from_millis(20);

pub(crate) fn run(args: &Args) -> ExitCode {
    match serve(args) {
        Ok(report) => {
            let printed = writeln!(std::io::stdout().lock(), "{report}");
            ExitCode::from(u8::from(printed.is_err()))
        }
        Err(fault) => {
            crate::complain(&format!("tenter-server model: {}", crate::text::one_line(&fault)));
            ExitCode::from(1)
        }
    }
}

fn serve(args: &Args) -> Result<Value, String> {
    let deadline = Instant::now() + Duration::from_secs(args.within.min(3600));
    let script = std::fs::read_to_string(&args.script)
        .map_err(|error| format!("cannot read `{}`: {error}", args.script.display()))?;
    let script: Script =
        serde_json::from_str(&script).map_err(|error| format!("the script is wrong: {error}"))?;
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| error.to_string())?;
    listener.set_nonblocking(true).map_err(|error| error.to_string())?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    announce(&args.port_file, port)
        .map_err(|error| format!("cannot write `{}`: {error}", args.port_file.display()))?;
    let player = Arc::new(Player { script, report: Mutex::default() });
    while Instant::now() < deadline && args.port_file.exists() {
        match listener.accept() {
            Ok((stream, _)) => {
                let player = Arc::clone(&player);
                // A client that cannot be served gets no response and reports that to its user.
                drop(thread::Builder::new().spawn(move || player.attend(&stream)));
            }
            Err(_) => thread::sleep(TICK),
        }
    }
    let report = player.report.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(json!({
        "requests": report.requests,
        "played": report.played,
        "told_token": report.told_token,
        "without_shell": report.without_shell,
    }))
}

/// Writes the port atomically, to a new file that never replaces another: an option that writes anywhere
/// could be pointed at a host's hook files.
fn announce(file: &Path, port: u16) -> std::io::Result<()> {
    if !file.file_name().is_some_and(|name| name == "port" || name == "port.json") {
        let why = "the file with the port must be called `port` or `port.json`";
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, why));
    }
    let beside = file.with_extension(format!("{}.new", std::process::id()));
    let mut draft = std::fs::File::create_new(&beside)?;
    let moved = draft
        .write_all(json!({ "port": port }).to_string().as_bytes())
        .and_then(|()| std::fs::hard_link(&beside, file));
    let cleared = std::fs::remove_file(&beside);
    moved.and(cleared)
}

/// Answers requests.
#[derive(Debug)]
struct Player {
    script: Script,
    report: Mutex<Report>,
}

impl Player {
    fn attend(&self, stream: &TcpStream) {
        let patience = Some(Duration::from_secs(30));
        let ready = stream
            .set_nonblocking(false)
            .and_then(|()| stream.set_read_timeout(patience))
            .and_then(|()| stream.set_write_timeout(patience));
        if ready.is_err() {
            return;
        }
        if let Ok(Some(request)) = http::read(stream) {
            // A client that has gone needs no answer.
            drop(http::write(stream, &self.answer(&request)));
        }
    }

    fn answer(&self, request: &Request) -> Response {
        let path = request.path.split('?').next().unwrap_or_default();
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let mut report = self.report.lock().unwrap_or_else(PoisonError::into_inner);
        if request.method != "POST" {
            return Response::json(&json!({ "object": "list", "data": [], "models": [] }));
        }
        report.requests = report.requests.saturating_add(1);
        match path {
            _ if path.ends_with("/messages/count_tokens") => {
                Response::json(&json!({ "input_tokens": 1 }))
            }
            _ if path.ends_with("/messages") => anthropic::answer(&body, &self.script, &mut report),
            _ if path.ends_with("/responses") => {
                responses::answer(&body, &self.script, &mut report)
            }
            _ => Response::json(&json!({})),
        }
    }
}
