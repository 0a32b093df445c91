//! `tenter-server export`: sends traces to an OTLP receiver.

mod headers;
mod post;
mod receiver;
mod reply;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::time::Duration;

use post::Sender;
use receiver::Receiver;

use crate::text;

/// Maximum length of a request line; requests are about a megabyte.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// Send traces to an OTLP receiver: requests on stdin, each a line of JSON
///
/// Reads the output of `tenter export --format otlp-json`; `tenter export --otlp` starts it. Headers come
/// from `OTEL_EXPORTER_OTLP_TRACES_HEADERS` or `OTEL_EXPORTER_OTLP_HEADERS`. Prints how many requests went out and how
/// many spans were not taken. Exits with 1 when something was not delivered and with 2 when the command is wrong.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The receiver: the base URL, or one that ends in /v1/traces
    #[arg(long, value_name = "URL")]
    otlp: String,
    /// A header, in addition to those of the environment; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    header: Vec<String>,
    /// How many seconds one request may take, with all its retries
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u64,
    /// Allow plain http to another machine
    #[arg(long)]
    insecure: bool,
}

/// Why not everything was delivered.
#[derive(Debug)]
enum Failure {
    /// The command line or stdin is wrong: exit 2.
    Usage(String),
    /// The receiver is unreachable or rejects the request: exit 1.
    Undelivered(String),
}

/// Requests sent and spans refused.
#[derive(Debug, Default, serde::Serialize)]
struct Report {
    requests: u64,
    rejected: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    let sent = send(args).and_then(|report| print(&report));
    let (message, code) = match sent {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Usage(message)) => (message, 2),
        Err(Failure::Undelivered(message)) => (message, 1),
    };
    crate::complain(&format!("tenter-server export: {}", text::one_line(&message)));
    ExitCode::from(code)
}

fn send(args: &Args) -> Result<Report, Failure> {
    let receiver = Receiver::parse(&args.otlp, args.insecure).map_err(Failure::Usage)?;
    let environment = |name: &str| std::env::var(name).ok();
    let headers = headers::all(&environment, &args.header).map_err(Failure::Usage)?;
    let timeout = Duration::from_secs(args.timeout.clamp(1, 3600));
    let sender = Sender { receiver, headers, timeout };
    let mut report = Report::default();
    let mut stdin = BufReader::new(std::io::stdin().lock());
    while let Some(line) = next_line(&mut stdin)? {
        let reply = sender.post(&line).map_err(|message| {
            // Those before it were delivered; sending them again sends the same spans.
            Failure::Undelivered(match report.requests {
                0 => message,
                before => format!("{message} ({before} requests before it were delivered)"),
            })
        })?;
        report.requests = report.requests.saturating_add(1);
        report.rejected = report.rejected.saturating_add(reply.rejected);
        if !reply.message.is_empty() {
            report.message = text::shorten(&text::one_line(&reply.message));
        }
    }
    Ok(report)
}

/// The next line that is not blank.
fn next_line(stdin: &mut impl BufRead) -> Result<Option<Vec<u8>>, Failure> {
    loop {
        let mut line = Vec::new();
        let read = stdin.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let read = read.map_err(|error| Failure::Usage(format!("cannot read stdin: {error}")))?;
        if read == 0 {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') && read as u64 == LONGEST_LINE {
            return Err(Failure::Usage("a line on stdin has more than 64 MiB".to_owned()));
        }
        if line.iter().any(|byte| !byte.is_ascii_whitespace()) {
            return Ok(Some(line));
        }
    }
}

fn print(report: &Report) -> Result<(), Failure> {
    let fault = |error: std::io::Error| {
        Failure::Undelivered(format!("all is delivered, but stdout cannot be written to: {error}"))
    };
    let mut line = serde_json::to_string(report).map_err(|error| fault(error.into()))?;
    line.push('\n');
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(line.as_bytes()).and_then(|()| stdout.flush()).map_err(fault)
}
