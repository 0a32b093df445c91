//! `tenter bench`: what a hook call costs on this machine, next to programs that everybody knows.
//!
//! All programs take turns, so that other load affects all alike, and only ratios of one run are compared. Files
//! are dropped from the page cache first: one that was just written starts faster than one read back from disk.

mod contenders;
mod turns;

use std::process::ExitCode;

use serde_json::{Value, json};
use tenter_model::HostId;

use self::contenders::Contender;
use self::turns::Summary;
use crate::commands::scratch::Scratch;
use crate::error::CommandError;
use crate::table::Table;

/// Measure a hook call against an empty program, /bin/true, and the same check in bash, Python and Node.js
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Runs of each program; slow ones take part in every tenth round
    #[arg(long, default_value_t = 300, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=100_000))]
    runs: u32,
    /// The host whose payloads are sent
    #[arg(long, value_name = "HOST", value_parser = super::host_id)]
    host: Option<HostId>,
    /// Also measure this command line, with the same payload on stdin; may be repeated
    #[arg(long, value_name = "COMMAND")]
    also: Vec<String>,
    /// Print JSON (see `tenter schema bench`)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let scratch = Scratch::new("bench")?;
    if !crate::guard::folders::is_believed(&scratch.home(), &scratch.project()) {
        let why = "the folder for temporary files lies inside a project";
        return Err(CommandError::failed(why).hint("TMPDIR=/tmp tenter bench"));
    }
    let [first, ..] = HostId::ALL;
    let host = args.host.unwrap_or(first);
    let (contenders, absent) = contenders::all(&scratch, host, &args.also)?;
    let summaries = turns::take(&contenders, &scratch, host, args.runs)?;
    let rows: Vec<Row<'_>> = contenders.iter().zip(summaries).map(|(it, s)| Row(it, s)).collect();
    if args.json {
        return Ok(super::print(&format!("{:#}", as_json(&rows, &absent))));
    }
    Ok(super::print(&page(&rows, &absent)))
}

struct Row<'c>(&'c Contender, Summary);

/// The program that ratios refer to: the empty one, or /bin/true where there is none for this processor.
fn unit<'r>(rows: &'r [Row<'_>], key: &str) -> Option<&'r Summary> {
    rows.iter().find(|row| row.0.key == key).map(|row| &row.1)
}

fn ratio(row: &Row<'_>, unit: Option<&Summary>) -> Option<f64> {
    unit.map(|unit| row.1.median / unit.median).filter(|ratio| ratio.is_finite())
}

fn page(rows: &[Row<'_>], absent: &[String]) -> String {
    let (empty, usual) = (unit(rows, "empty"), unit(rows, "true"));
    let mut table = Table::compact(&[
        "program",
        "x empty",
        "x true",
        "median",
        "p95",
        "p99",
        "page faults",
        "runs",
    ]);
    let times =
        |number: Option<f64>| number.map_or_else(|| "-".to_owned(), |it| format!("{it:.2}"));
    let millis = |micros: f64| format!("{:.2} ms", micros / 1e3);
    for row in rows {
        let Row(contender, summary) = row;
        table.row(vec![
            contender.title.clone(),
            times(ratio(row, empty)),
            times(ratio(row, usual)),
            millis(summary.median),
            millis(summary.p95),
            millis(summary.p99),
            summary.faults.map_or_else(|| "-".to_owned(), |it| it.to_string()),
            summary.runs.to_string(),
        ]);
    }
    let absent = match absent {
        [] => String::new(),
        names => format!("Not on this machine: {}.\n", names.join(", ")),
    };
    let warning = if cfg!(debug_assertions) {
        "This is a debug build: its figures mean nothing.\n"
    } else {
        ""
    };
    format!(
        "{}\n{warning}Every program is started alike, with a payload of 1 KB as stdin; the times include starting it. Files\n\
         were read back from disk. {}; compare the ratios, which hold on other machines too.\n{absent}",
        table.render(),
        machine()
    )
}

/// Processors and load, since both decide how far a run can be trusted.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let path = std::path::Path::new("/proc/loadavg");
    let load = tenter_files::read_text(path, 256, tenter_files::Whose::Anyone).unwrap_or_default();
    let load = load.split_whitespace().next().map(|load| format!(", load {load}"));
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{system} {processor}, {cores} cores{}", load.unwrap_or_default())
}

fn as_json(rows: &[Row<'_>], absent: &[String]) -> Value {
    let (empty, usual) = (unit(rows, "empty"), unit(rows, "true"));
    let programs: Vec<Value> = rows
        .iter()
        .map(|row| {
            let Row(contender, summary) = row;
            json!({
                "program": contender.key,
                "title": contender.title,
                "times_empty": ratio(row, empty),
                "times_true": ratio(row, usual),
                "median_us": summary.median,
                "p95_us": summary.p95,
                "p99_us": summary.p99,
                "page_faults": summary.faults,
                "runs": summary.runs,
            })
        })
        .collect();
    json!({ "machine": machine(), "programs": programs, "absent": absent })
}

/// JSON schema of `tenter bench --json`.
pub(crate) fn schema() -> Value {
    let number = || json!({ "type": ["number", "null"] });
    let text = || json!({ "type": "string" });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "tenter bench --json",
        "type": "object",
        "required": ["machine", "programs", "absent"],
        "additionalProperties": false,
        "properties": {
            "machine": text(),
            "absent": { "type": "array", "items": text() },
            "programs": { "type": "array", "items": {
                "type": "object",
                "required": ["program", "title", "times_empty", "times_true", "median_us", "p95_us", "p99_us",
                    "page_faults", "runs"],
                "additionalProperties": false,
                "properties": {
                    "program": text(),
                    "title": text(),
                    "times_empty": number(),
                    "times_true": number(),
                    "median_us": { "type": "number" },
                    "p95_us": { "type": "number" },
                    "p99_us": { "type": "number" },
                    "page_faults": { "type": ["integer", "null"] },
                    "runs": { "type": "integer" },
                },
            } },
        },
    })
}
