//! Verifies that the record was not changed.
//!
//! Every line is read once, in order, and not kept, so memory does not grow with the record except for a few
//! bytes per segment.

mod walk;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::anchor::AnchorNote;
use crate::record::Checkpoint;
use crate::spool::{Segment, Spool};
use walk::{Form, Walk};

/// File and line, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub file: PathBuf,
    /// Counted from 1.
    pub line: u64,
}

/// Number, time and position of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    pub seq: u64,
    pub at: u64,
    pub hash: String,
}

/// Torn lines that the next record accounts for: a writer was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TornAt {
    pub spot: Spot,
    /// The record that accounts for them.
    pub seq: u64,
    pub bytes: u64,
}

/// Kind of a break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its hash does not match its content.
    Changed,
    /// Its number is too high.
    Missing { after: u64 },
    /// Its number does not increase.
    Backwards { after: u64 },
    /// Its number is right, but its previous hash is not that of the record before.
    Replaced { after: u64 },
    /// Not a record, and the next record does not account for it.
    Foreign,
    /// Reports a different number of torn bytes than found.
    Torn { said: u64, found: u64 },
    /// The first record is not number 1, and no checkpoint accounts for the earlier ones.
    Beginning,
    /// Its segment ends without a closing line.
    Open,
    /// Its hash is right, but it cannot be parsed.
    Unreadable,
    /// Its segment's number is not below the current one's, so readers skip it.
    Stray,
}

impl Why {
    /// All machine-readable names.
    pub const NAMES: &'static [&'static str] = &[
        "changed",
        "missing",
        "backwards",
        "replaced",
        "foreign",
        "torn",
        "beginning",
        "open",
        "unreadable",
        "stray",
    ];

    /// Machine-readable name.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Why::Changed => "changed",
            Why::Missing { .. } => "missing",
            Why::Backwards { .. } => "backwards",
            Why::Replaced { .. } => "replaced",
            Why::Foreign => "foreign",
            Why::Torn { .. } => "torn",
            Why::Beginning => "beginning",
            Why::Open => "open",
            Why::Unreadable => "unreadable",
            Why::Stray => "stray",
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Changed => {
                f.write_str("the line was changed: its hash is not the one of its text")
            }
            Why::Missing { after } => write!(f, "records are missing after number {after}"),
            Why::Backwards { after } => {
                write!(f, "the number does not go up: the record before it is number {after}")
            }
            Why::Replaced { after } => {
                write!(
                    f,
                    "it went on from another record than number {after} before it: one was replaced"
                )
            }
            Why::Foreign => f.write_str(
                "the line is no record, and the record after it does not account for it",
            ),
            Why::Torn { said, found } => {
                write!(f, "it accounts for {said} torn bytes before it, but there are {found}")
            }
            Why::Beginning => {
                f.write_str("the record begins here, and no checkpoint tells of earlier records")
            }
            Why::Open => f.write_str("the file ends here, without the line that closes a file"),
            Why::Unreadable => f.write_str(
                "the hash is right, but the line cannot be read: is it of a newer version?",
            ),
            Why::Stray => f.write_str(
                "this file of the record is not older than the current one, which was replaced or started again",
            ),
        }
    }
}

/// The first place where the chain is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// Number of the record: as stated in it, else as expected.
    pub seq: u64,
    pub spot: Spot,
    pub why: Why,
    /// Times of the last valid record before and the first one after it.
    pub after: Option<u64>,
    pub before: Option<u64>,
    /// Number of lines after it.
    pub later: u64,
}

/// Result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub segments: u64,
    pub bytes: u64,
    /// Number of records.
    pub records: u64,
    pub first: Option<Stand>,
    pub last: Option<Stand>,
    /// Checkpoint that accounts for the records before the first one.
    pub cleared: Option<Checkpoint>,
    /// Number of torn lines, and some of their positions.
    pub gaps: u64,
    pub torn: Vec<TornAt>,
    /// Number of unrecorded calls.
    pub lost: u64,
    /// Number of records that were in side files first, because the spool was locked.
    pub side: u64,
    /// Length of an incomplete last line: being written, or its writer was killed.
    pub unfinished: u64,
    pub broken: Option<Break>,
    /// Number of breaks.
    pub breaks: u64,
    /// Number of calls that died before answering.
    pub died: u64,
    /// Records that have an anchor and are missing.
    pub missed: Vec<Missed>,
}

/// A record with an anchor that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missed {
    pub note: AnchorNote,
    /// Another record has its number.
    pub is_replaced: bool,
}

impl Report {
    pub fn is_intact(&self) -> bool {
        self.broken.is_none()
    }
}

/// Number of retries when segments are pruned while we read.
const TRIES: usize = 3;

/// Verifies a spool. `progress` gets bytes done and bytes in total.
pub fn verify(spool: &Spool, progress: &mut dyn FnMut(u64, u64)) -> io::Result<Report> {
    verify_against(spool, &[], progress)
}

/// Also checks the anchors.
pub fn verify_against(
    spool: &Spool,
    notes: &[AnchorNote],
    progress: &mut dyn FnMut(u64, u64),
) -> io::Result<Report> {
    let mut tries = 1;
    loop {
        let segments = spool.segments()?;
        match walk_all(spool, &segments, notes, progress) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => tries += 1,
            done => return done,
        }
    }
}

/// Verifies an exported file: each line by itself, and where numbers are consecutive also the link between
/// them.
pub fn verify_file(path: &Path, progress: &mut dyn FnMut(u64, u64)) -> io::Result<Report> {
    let bytes = std::fs::metadata(path)?.len();
    let file = Segment { first: 0, path: path.to_owned(), bytes, is_current: false };
    let mut walk = Walk::new(Form::Export);
    walk.segment(&file, file.lines(0)?, &mut |done| progress(done, bytes))?;
    Ok(walk.finish())
}

/// Verifies consecutive segments, whatever precedes them: those to be pruned.
pub(crate) fn verify_part(segments: &[Segment]) -> io::Result<Report> {
    let mut walk = Walk::new(Form::Part);
    for segment in segments {
        walk.segment(segment, segment.lines(0)?, &mut |_| {})?;
    }
    Ok(walk.finish())
}

fn walk_all(
    spool: &Spool,
    segments: &[Segment],
    notes: &[AnchorNote],
    progress: &mut dyn FnMut(u64, u64),
) -> io::Result<Report> {
    let total = segments.iter().fold(0_u64, |sum, it| sum.saturating_add(it.bytes));
    let mut walk = Walk::new(Form::Spool);
    walk.look_for(notes);
    let mut before = 0_u64;
    for segment in segments {
        let lines = segment.lines(0)?;
        let mut tell = |done: u64| progress(before.saturating_add(done), total);
        walk.segment(segment, lines, &mut tell)?;
        before = before.saturating_add(segment.bytes);
    }
    let mut report = walk.finish();
    if let Some((number, path)) = stray(spool)? {
        report.breaks = report.breaks.saturating_add(1);
        report.broken.get_or_insert(Break {
            seq: number,
            spot: Spot { file: path, line: 1 },
            why: Why::Stray,
            after: None,
            before: None,
            later: 0,
        });
    }
    if segments.iter().all(|segment| !segment.is_current) {
        // A segment that contains only part of a line is not among them.
        let unfinished = std::fs::metadata(spool.folder().join("current.jsonl"));
        report.unfinished = unfinished.map_or(report.unfinished, |found| found.len());
    }
    Ok(report)
}

/// The lowest closed segment whose number is not below the current one's.
fn stray(spool: &Spool) -> io::Result<Option<(u64, PathBuf)>> {
    let entries = match std::fs::read_dir(spool.folder()) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut named = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_ours = path.extension().is_some_and(|extension| extension == "jsonl");
        let number =
            path.file_stem().and_then(|name| name.to_str()?.split('-').next()?.parse().ok());
        named.extend(number.filter(|_| is_ours).map(|number: u64| (number, path)));
    }
    // Read last: any segment closed before has a lower number.
    let current = spool.segments()?.pop().filter(|last| last.is_current);
    let Some(current) = current else { return Ok(None) };
    named.retain(|(number, _)| *number >= current.first);
    Ok(named.into_iter().min())
}
