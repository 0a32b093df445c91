//! `tenter verify`: checks the record's integrity.

mod report;
mod schema;
mod sign;

pub(super) use schema::schema;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tenter_audit::Spool;
use tenter_audit::anchor::{self, Anchor, AnchorNote};
use tenter_audit::verify::{verify_against, verify_file};
use tenter_engine::diagnostic::printable;

use crate::error::CommandError;
use crate::guard::{LocalMachine, seen};
use crate::reading::{Progress, Reading};
use report::{Beside, Incident};

/// Verify that the record has not been changed
///
/// Every record carries the hash of the previous one. Reads all records and names the first that does not
/// match, with the time span of the change. Exit 0: intact; 1: broken.
///
/// With a file, checks the lines of an export. An export can also be signed, and its signature checked.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An exported file of records (`tenter export --format jsonl`), or any file to sign or check
    file: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, conflicts_with_all = ["sign", "check", "new_key"])]
    json: bool,
    /// Sign the file with the Ed25519 key in KEY (PEM), into FILE.sig
    #[arg(long, value_name = "KEY", requires = "file", conflicts_with_all = ["check", "new_key"])]
    sign: Option<PathBuf>,
    /// Check FILE.sig with the public key in PUB (PEM)
    #[arg(long, value_name = "PUB", requires = "file", conflicts_with = "new_key")]
    check: Option<PathBuf>,
    /// Create a key pair: PATH is the private key, PATH.pub the public one
    #[arg(long, value_name = "PATH", conflicts_with = "file")]
    new_key: Option<PathBuf>,
    /// Require this record, by number and hash from an earlier run
    #[arg(long, value_name = "NUMBER:HASH", conflicts_with_all = ["file", "new_key"])]
    anchor: Vec<Anchor>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    if let Some(path) = &args.new_key {
        return told(&sign::new_key(path)?);
    }
    match (&args.file, &args.sign, &args.check) {
        (Some(file), Some(key), _) => told(&sign::sign(file, key)?),
        (Some(file), None, Some(key)) => told(&sign::check(file, key)?),
        (Some(file), None, None) => of_file(file, args.json),
        (None, ..) => of_record(args.json, &args.anchor),
    }
}

fn of_record(json: bool, anchors: &[Anchor]) -> Result<ExitCode, CommandError> {
    let machine = LocalMachine::read();
    // Before opening the record, which adds an anchor.
    let file = machine.folders.anchors();
    let mut notes = file.as_deref().map_or(Ok(Vec::new()), anchor::kept).unwrap_or_default();
    let known = notes.len();
    notes.extend(anchors.iter().map(|anchor| AnchorNote { anchor: anchor.clone(), at: 0 }));
    let Some(state) = &machine.folders.state else {
        return Err(CommandError::internal("no folder for state: HOME is not set"));
    };
    let mut incidents = Vec::new();
    // Incidents that the index knows may otherwise be lost.
    match Reading::as_it_is(&machine).and_then(|reading| seen_before(&reading)) {
        Ok(found) => incidents = found,
        Err(why) => super::apply::say(&printable(&format!("the index cannot be asked: {why}"))),
    }
    let mut bar = Progress::new("checking the record");
    let spool = Spool::of_state(state);
    let report = verify_against(&spool, &notes, &mut |done, total| bar.show(done, total));
    drop(bar);
    let report = report.map_err(|error| {
        CommandError::internal(format!("{}: {error}", state.join("audit").display()))
    })?;
    if let Some(file) = file.as_deref().filter(|_| report.missed.is_empty()) {
        // All anchors match; the latest ones suffice.
        drop(anchor::thin_out(file, notes.get(..known).unwrap_or_default()));
    }
    let beside = Beside {
        incidents: &incidents,
        last_sign: seen::all(state).iter().map(|seen| seen.at_ms).max(),
        untold: spool.untold(),
        waiting: spool.beside().map_or(0, |all| all.len() as u64),
        anchors: file.as_deref(),
        noted: known as u64,
    };
    Ok(report::show(&report, &beside, None, json))
}

fn seen_before(reading: &Reading) -> Result<Vec<Incident>, CommandError> {
    let found = reading.store.incidents().map_err(CommandError::internal)?;
    Ok(found.into_iter().map(|(at, text)| Incident { at, text }).collect())
}

fn of_file(file: &Path, json: bool) -> Result<ExitCode, CommandError> {
    let mut bar = Progress::new("checking the file");
    let report = verify_file(file, &mut |done, total| bar.show(done, total));
    drop(bar);
    let report =
        report.map_err(|error| CommandError::internal(format!("{}: {error}", file.display())))?;
    Ok(report::show(&report, &Beside::default(), Some(file), json))
}

#[expect(clippy::unnecessary_wraps, reason = "the end of every way to run")]
fn told(text: &str) -> Result<ExitCode, CommandError> {
    Ok(super::print(&printable(text)))
}
