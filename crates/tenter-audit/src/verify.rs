//! Checking that nobody has changed the record.
//!
//! Every line is read once, in order, and nothing of it is kept: a record of any length is checked in the
//! same memory, but for a few bytes for each file.

mod walk;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::anchor::AnchorNote;
use crate::record::Checkpoint;
use crate::spool::{Segment, Spool};
use walk::{Form, Walk};

/// Where a line stands, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    pub file: PathBuf,
    /// Counted from 1.
    pub line: u64,
}

/// One record of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stand {
    pub seq: u64,
    pub at: u64,
    pub hash: String,
}

/// Torn lines that the record after them accounts for: a writer was ended in the middle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TornAt {
    pub spot: Spot,
    /// The record that accounts for them.
    pub seq: u64,
    pub bytes: u64,
}

/// Why a line is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its hash is not the one of what it says.
    Changed,
    /// Its number is too high.
    Missing { after: u64 },
    /// Its number does not go up.
    Backwards { after: u64 },
    /// Its number is right, but it went on from another record than the one before it.
    Replaced { after: u64 },
    /// It is no record, and the next one does not account for it.
    Foreign,
    /// Its count of torn bytes before it is not the one found.
    Torn { said: u64, found: u64 },
    /// The first record is not number 1, and no checkpoint tells where the earlier ones went.
    Beginning,
    /// Its file goes on no further, without the line that closes a file.
    Open,
    /// Its hash is right, but it cannot be read.
    Unreadable,
    /// Its file is numbered like the current one or higher, so readers pass over it.
    Stray,
}

impl Why {
    /// All the names that programs are told.
    pub const NAMES: [&'static str; 10] = [
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

    /// A name for programs.
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
                "this file of the record is not older than the current one, which was replaced or begun anew",
            ),
        }
    }
}

/// The first place where the chain does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Break {
    /// The number of the record: what it says of itself or, where it says nothing, what it should be.
    pub seq: u64,
    pub spot: Spot,
    pub why: Why,
    /// When the last record before it was made that is in order, and the first one after it.
    pub after: Option<u64>,
    pub before: Option<u64>,
    /// How many lines come after it.
    pub later: u64,
}

/// Result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub segments: u64,
    pub bytes: u64,
    /// Lines that are records.
    pub records: u64,
    pub first: Option<Stand>,
    pub last: Option<Stand>,
    /// Where the records before the first one went.
    pub cleared: Option<Checkpoint>,
    /// How often a writer was ended in the middle of a line, and some of the places.
    pub gaps: u64,
    pub torn: Vec<TornAt>,
    /// How many calls left no record, because it could not be written.
    pub lost: u64,
    /// Records that stood beside the chain first, because the spool was locked.
    pub side: u64,
    /// The length of a last line that is not finished: it is being written, or its writer was ended.
    pub unfinished: u64,
    pub broken: Option<Break>,
    /// How many places there are where the chain does not hold.
    pub breaks: u64,
    /// How many calls died before they answered.
    pub died: u64,
    /// Records that were noted elsewhere and are not there any more.
    pub missed: Vec<Missed>,
}

/// A record that was noted elsewhere and is gone.
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

/// How often we begin again because files are cleared away under our eyes.
const TRIES: usize = 3;

/// Checks every line of a spool. `progress` is told how many bytes are done, and of how many.
pub fn verify(spool: &Spool, progress: &mut dyn FnMut(u64, u64)) -> io::Result<Report> {
    verify_against(spool, &[], progress)
}

/// The same, and whether it still holds the records that were noted elsewhere.
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

/// Checks the lines of a file of records: each by itself, and where numbers are consecutive also that one
/// goes on from the other.
pub fn verify_file(path: &Path, progress: &mut dyn FnMut(u64, u64)) -> io::Result<Report> {
    let bytes = std::fs::metadata(path)?.len();
    let file = Segment { first: 0, path: path.to_owned(), bytes, is_current: false };
    let mut walk = Walk::new(Form::Export);
    walk.segment(&file, file.lines(0)?, &mut |done| progress(done, bytes))?;
    Ok(walk.finish())
}

/// Checks some files that follow one another, whatever they go on from: what is to be cleared away.
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
        // A file that holds nothing but the beginning of a line is not among them.
        let unfinished = std::fs::metadata(spool.folder().join("current.jsonl"));
        report.unfinished = unfinished.map_or(report.unfinished, |found| found.len());
    }
    Ok(report)
}

/// A closed file that is numbered like the current one, or higher: the lowest of them.
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
    // Looked at last: whatever was closed before has a lower number.
    let current = spool.segments()?.pop().filter(|last| last.is_current);
    let Some(current) = current else { return Ok(None) };
    named.retain(|(number, _)| *number >= current.first);
    Ok(named.into_iter().min())
}
