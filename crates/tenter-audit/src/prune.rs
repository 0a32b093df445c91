//! Pruning: deletes old records such that the rest can still be verified.
//!
//! Only whole segments are deleted, oldest first, never from the middle. Before the first of them a
//! checkpoint is written and synced: a record that says up to where the chain was deleted and with which hash
//! it continues. So the record can be verified at any moment, even if we are killed.

use std::fmt;
use std::io;
use std::path::Path;

use crate::chain::{End, NOTHING};
use crate::record::{Checkpoint, Kind, Record, VERSION};
use crate::spool::{Entry, LONGEST_LINE, Segment, Spool};
use crate::store::{Store, Trouble};
use crate::verify::{Break, Spot, Why, verify_part};

/// Limits that decide which records are pruned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Delete segments whose last record is older, in milliseconds since 1970.
    pub before: u64,
    pub now: u64,
    /// Only report what would be deleted.
    pub dry_run: bool,
    /// Also delete segments that fail verification, and with them the evidence.
    pub broken_too: bool,
}

/// Pruned records, or those a dry run would prune.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    pub segments: u64,
    pub records: u64,
    pub bytes: u64,
    /// Times of the first and the last of these records.
    pub from: u64,
    pub to: u64,
    /// Number of the last of them.
    pub through: u64,
    /// Number of the checkpoint record.
    pub checkpoint: Option<u64>,
    pub stays: Stays,
}

/// Remaining records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stays {
    pub segments: u64,
    pub bytes: u64,
    /// Number and time of the first remaining record.
    pub first: Option<u64>,
    pub from: Option<u64>,
}

/// Why nothing was pruned.
#[derive(Debug)]
pub enum Failed {
    /// The old part fails verification; pruning it would destroy the evidence.
    Broken(Box<Break>),
    Io(io::Error),
    Index(Trouble),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(broken) => write!(f, "record {} is broken: {}", broken.seq, broken.why),
            Self::Io(error) => error.fmt(f),
            Self::Index(trouble) => trouble.fmt(f),
        }
    }
}

impl std::error::Error for Failed {}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Self {
        Self::Index(trouble)
    }
}

/// Deletes whole segments whose last record is older than the order says. The store must be up to date.
pub fn prune(spool: &Spool, store: &mut dyn Store, order: Order) -> Result<Pruned, Failed> {
    let mut segments = spool.segments()?;
    let mut old = count_old(&segments, order.before)?;
    if !order.dry_run && old == segments.len() && segments.last().is_some_and(|it| it.is_current) {
        spool.turn()?;
        segments = spool.segments()?;
        old = count_old(&segments, order.before)?;
        // A segment that cannot be closed stays: its last writer was killed in the middle of a line.
        old = old.min(segments.iter().take_while(|segment| !segment.is_current).count());
    }
    let (going, staying) = segments.split_at_checked(old).unwrap_or_default();
    let mut pruned = Pruned { stays: stays(staying)?, ..Pruned::default() };
    if going.is_empty() {
        // The last prune may have been killed before it updated the index.
        if let Some(first) = pruned.stays.first.filter(|_| !order.dry_run) {
            store.forget(first.saturating_sub(1))?;
        }
        return Ok(pruned);
    }
    if !order.broken_too {
        has_beginning(going, staying)?;
    }
    let checkpoint = examine(going, order, &mut pruned)?;
    if order.dry_run {
        return Ok(pruned);
    }
    let kind = Kind::Checkpoint;
    let checkpoint = Some(checkpoint);
    let record = Record { v: VERSION, at: order.now, kind, checkpoint, ..Record::default() };
    pruned.checkpoint = Some(spool.note(&record)?.seq);
    // The checkpoint's segment may be new.
    sync_folder(spool.folder());
    for segment in going {
        match std::fs::remove_file(&segment.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    store.forget(pruned.through)?;
    pruned.stays = stays(&spool.segments()?)?;
    Ok(pruned)
}

/// Number of old segments from the first one on.
fn count_old(segments: &[Segment], before: u64) -> io::Result<usize> {
    for (index, segment) in segments.iter().enumerate() {
        if last_time(segment)?.is_none_or(|last| last >= before) {
            return Ok(index);
        }
    }
    Ok(segments.len())
}

/// Checks that the part to delete starts at the record's beginning or at a checkpoint. Otherwise our
/// checkpoint would cover up an earlier removal.
fn has_beginning(going: &[Segment], staying: &[Segment]) -> Result<(), Failed> {
    let Some((first, segment)) = going.iter().find_map(|it| Some((first_line(it)?, it))) else {
        return Ok(());
    };
    let Some(end) = End::of(&first) else { return Ok(()) };
    if end.seq == 1 && end.prev == NOTHING {
        return Ok(());
    }
    // The last prune is recent: search from the end.
    for segment in staying.iter().rev().chain(going) {
        for entry in segment.lines(0)? {
            let Entry::Line { text, .. } = entry? else { continue };
            if text.contains(CHECKPOINT) && accounts_for(&text, &end) {
                return Ok(());
            }
        }
    }
    Err(Failed::Broken(Box::new(Break {
        seq: end.seq,
        spot: Spot { file: segment.path.clone(), line: 1 },
        why: Why::Beginning,
        after: None,
        before: Record::parse(&first).ok().map(|record| record.at),
        later: 0,
    })))
}

/// Text in every checkpoint and few other lines.
const CHECKPOINT: &str = "\"checkpoint\"";

/// Whether a line is a checkpoint that accounts for the records before this one.
fn accounts_for(line: &str, end: &End<'_>) -> bool {
    let is_true = End::of(line).is_some_and(|own| own.is_true_of(line));
    let Some(past) = Record::parse(line).ok().and_then(|record| record.checkpoint) else {
        return false;
    };
    let goes_on = past.through.saturating_add(1) == end.seq && past.hash == end.prev;
    // That prune was killed before it deleted all of these segments.
    let is_unfinished = past.through >= end.seq;
    is_true && (goes_on || is_unfinished)
}

fn first_line(segment: &Segment) -> Option<String> {
    segment.lines(0).ok()?.find_map(|entry| match entry.ok()? {
        Entry::Line { text, .. } => Some(text),
        Entry::Torn { .. } => None,
    })
}

/// Verifies the part to delete, and creates its checkpoint.
fn examine(going: &[Segment], order: Order, pruned: &mut Pruned) -> Result<Checkpoint, Failed> {
    let report = verify_part(going)?;
    if let Some(broken) = report.broken.filter(|_| !order.broken_too) {
        return Err(Failed::Broken(Box::new(broken)));
    }
    let (Some(first), Some(last)) = (report.first, report.last) else {
        return Err(io::Error::other("there is no record in it").into());
    };
    let to = match going.last() {
        Some(segment) => last_time(segment)?.unwrap_or(last.at),
        None => last.at,
    };
    pruned.segments = report.segments;
    pruned.records = report.records;
    pruned.bytes = going.iter().fold(0, |sum, segment| sum.saturating_add(segment.bytes));
    (pruned.from, pruned.to, pruned.through) = (first.at, to, last.seq);
    let (through, hash, records) = (last.seq, last.hash, report.records);
    Ok(Checkpoint { through, hash, records, from: first.at, to })
}

fn stays(segments: &[Segment]) -> io::Result<Stays> {
    let mut stays = Stays::default();
    for segment in segments {
        stays.segments = stays.segments.saturating_add(1);
        stays.bytes = stays.bytes.saturating_add(segment.bytes);
    }
    if let Some(first) = segments.first() {
        stays.first = Some(first.first);
        for entry in first.lines(0)? {
            if let Entry::Line { text, .. } = entry?
                && let Ok(record) = Record::parse(&text)
            {
                stays.from = Some(record.at);
                break;
            }
        }
    }
    Ok(stays)
}

/// Time of a segment's last record, without the closing line, which is as recent as the prune. `None` if
/// there is no record.
fn last_time(segment: &Segment) -> io::Result<Option<u64>> {
    // Enough for the last lines; the whole file if it has no record among them.
    let near = segment.bytes.saturating_sub((LONGEST_LINE as u64).saturating_mul(3));
    for from in [near, 0] {
        let (mut last, mut closed) = (None, None);
        for entry in segment.lines(from)? {
            let Entry::Line { text, .. } = entry? else { continue };
            match Record::parse(&text) {
                Ok(record) if record.kind == Kind::Closed => closed = Some(record.at),
                Ok(record) => last = Some(record.at),
                Err(_) => {}
            }
        }
        if last.is_some() || from == 0 {
            return Ok(last.or(closed));
        }
    }
    Ok(None)
}

/// Makes renames durable, where the system supports it.
fn sync_folder(folder: &Path) {
    #[cfg(unix)]
    if let Ok(folder) = tenter_files::open_folder(folder) {
        // The lines themselves are already on disk.
        drop(folder.sync_all());
    }
    #[cfg(not(unix))]
    let _ = folder;
}
