//! Appends lines: the part that every hook call runs.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::time::Duration;

use super::read::{first_number, named, open, whole_end};
use super::side::Held;
use super::{LONGEST_LINE, Spool, lock, lost, make_private, open_private, read_all_at};
use crate::chain::{self, End, Link, Seal};
use crate::record::{Gap, Kind, Record, VERSION};

/// A line that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    pub seq: u64,
    pub hash: String,
    /// Written to a side file, because the spool is locked; it is added to the chain later and gets another
    /// number then.
    pub is_beside: bool,
}

/// Why a line was not written.
#[derive(Debug)]
pub struct Failed {
    pub error: io::Error,
    /// Number of unrecorded calls so far; `None` if it could not be counted.
    pub lost: Option<u64>,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "this call leaves no record: {}", self.error)?;
        match self.lost {
            Some(lost) => write!(f, " ({lost} lost by now)"),
            None => f.write_str(" (and it could not be counted)"),
        }
    }
}

impl std::error::Error for Failed {}

/// Tail state of a segment.
enum Tail {
    Empty,
    /// Ends in a complete line, possibly one that came from a side file.
    Whole(Link, Option<u64>),
    /// Ends in a torn line; contains the link before it, if any.
    Torn(Option<Link>, Gap),
    /// The last line lacks only its line feed.
    Unended,
    /// The segment is closed.
    Closed,
}

/// Purpose of appending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// Record of a call, whose host is waiting.
    Call,
    /// Record that is not of a call.
    Note,
    /// Adding side records.
    Join,
}

impl Why {
    const fn patience(self) -> Duration {
        match self {
            Why::Call => lock::OF_CALL,
            Why::Note => lock::OF_CHANGE,
            Why::Join => lock::OF_READER,
        }
    }
}

/// Maximum number of segments closed for one line.
const TRIES: usize = 64;

impl Spool {
    /// Appends a record, given as a JSON object. On return the line is written to the file; with `sync` also
    /// flushed to disk.
    pub fn append(&self, mut body: String, sync: bool) -> Result<Appended, Failed> {
        let written = match self.try_append(&mut body, sync, Why::Call) {
            // Nothing was written: the body is still complete.
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && !body.is_empty() => {
                self.append_beside(&body, sync)
            }
            done => done,
        };
        written.map_err(|error| {
            let lost = lost::count(&self.lost).ok();
            Failed { error, lost }
        })
    }

    /// Appends a record that is not of a call: nothing is lost if it fails.
    pub fn note(&self, record: &Record<'_>) -> io::Result<Appended> {
        let mut body = serde_json::to_string(record).map_err(io::Error::other)?;
        self.try_append(&mut body, true, Why::Note)
    }

    /// Adds side records to the chain, unless it is locked. Readers call this first.
    pub fn join(&self) -> io::Result<()> {
        let mut left = self.beside()?.len();
        // In small batches, so that calls need not wait long.
        while left > 0 {
            self.try_append(&mut String::new(), false, Why::Join)?;
            let now = self.beside()?.len();
            if now >= left {
                break;
            }
            left = now;
        }
        Ok(())
    }

    /// Appends a body, leaving it empty.
    fn try_append(&self, body: &mut String, sync: bool, why: Why) -> io::Result<Appended> {
        if body.len() > LONGEST_LINE {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the record is too long"));
        }
        super::place::check(&self.folder)?;
        for _ in 0..TRIES {
            let file = self.open()?;
            lock::hold(&file, why.patience())?;
            let size = file.metadata()?.len();
            let (link, gap) = match tail(&file, size)? {
                Tail::Closed => {
                    self.put_away(&file)?;
                    continue;
                }
                Tail::Unended => {
                    end_line(&file, size)?;
                    continue;
                }
                // The writer was killed after adding the line, before removing its side file.
                Tail::Whole(_, Some(side)) if self.remove_beside(side) => continue,
                Tail::Whole(link, _) if size >= self.segment => {
                    self.close(&file, size, &link)?;
                    continue;
                }
                Tail::Whole(link, _) => (link, None),
                Tail::Torn(Some(link), gap) => (link, Some(gap)),
                Tail::Torn(None, gap) => (self.before_current()?, Some(gap)),
                Tail::Empty => (self.before_current()?, None),
            };
            let mut end = Held { file: &file, size, link, gap };
            let lost = if why == Why::Note { None } else { lost::look(&self.lost) };
            let mut count = lost.as_ref().map_or(0, |held| held.count);
            let waiting = lost.as_ref().map_or(0, |held| held.waiting);
            if waiting > 0 || why == Why::Join {
                count = count.saturating_add(self.take_in(&mut end, waiting));
            }
            if why == Why::Join {
                return Ok(Appended { seq: end.link.seq, hash: end.link.hash, is_beside: false });
            }
            let seal = Seal { lost: count, gap: end.gap, ..Seal::default() };
            let (link, _) = write_line(&file, end.size, std::mem::take(body), &end.link, seal)?;
            if let Some(held) = lost {
                held.settle();
            }
            if sync {
                file.sync_data()?;
            }
            return Ok(Appended { seq: link.seq, hash: link.hash, is_beside: false });
        }
        Err(io::Error::other("the file was closed again and again"))
    }

    /// Adds side records to the chain; returns how many counted ones have disappeared.
    fn take_in(&self, end: &mut Held<'_>, waiting: u64) -> u64 {
        // Lines that cannot be added now stay in their files; this call has priority.
        let (added, is_all) = self.add_beside(end).unwrap_or((0, false));
        let gone = if is_all { waiting.saturating_sub(added) } else { 0 };
        let told = lost::note_added(&self.lost, added.saturating_add(gone));
        // If it cannot be recorded, it must not be reported again and again.
        if told.is_ok() { gone } else { 0 }
    }

    fn open(&self) -> io::Result<File> {
        let path = self.current();
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        match open_private(&path, &mut options) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                make_private(&self.folder)?;
                // Without it, calls on a full disk are not counted; record this one anyway.
                drop(lost::prepare(&self.lost));
                open_private(&path, &mut options)
            }
            opened => opened,
        }
        .map_err(|error| named(&path, &error))
    }

    /// Closes the current segment, so that it can be pruned.
    pub fn turn(&self) -> io::Result<()> {
        let file = self.open()?;
        lock::hold(&file, lock::OF_CHANGE)?;
        let size = file.metadata()?.len();
        match tail(&file, size)? {
            Tail::Closed => self.put_away(&file),
            Tail::Whole(link, side) => {
                if let Some(side) = side {
                    self.remove_beside(side);
                }
                self.close(&file, size, &link)
            }
            // The next record of a call repairs that first.
            Tail::Empty | Tail::Torn(..) | Tail::Unended => Ok(()),
        }
    }

    fn close(&self, file: &File, size: u64, link: &Link) -> io::Result<()> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let at = u64::try_from(now.unwrap_or_default().as_millis()).unwrap_or_default();
        let record = Record { v: VERSION, at, kind: Kind::Closed, ..Record::default() };
        let body = serde_json::to_string(&record).map_err(io::Error::other)?;
        write_line(file, size, body, link, Seal { closed: true, ..Seal::default() })?;
        self.put_away(file)
    }

    /// Renames the current segment to its permanent name, unless another process did.
    fn put_away(&self, file: &File) -> io::Result<()> {
        // Only the holder of the lock renames the file, so there is no race.
        if !is_same(file, &self.current()) {
            return Ok(());
        }
        let first = match first_number(file) {
            // No line is readable, but the last one has a number.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                whole_end(file, file.metadata()?.len())?.map_or(0, |(link, _)| link.seq)
            }
            first => first?,
        };
        // The name is taken only if the chain was restarted or tampered with.
        let names =
            std::iter::once(self.closed(first)).chain((2..1000).map(|copy| self.copy(first, copy)));
        let Some(lasting) = names.into_iter().find(|name| !name.exists()) else {
            return Err(io::Error::other("there are too many files of this name"));
        };
        std::fs::rename(self.current(), &lasting)
    }

    /// Last link before the current segment, if that has no record yet.
    fn before_current(&self) -> io::Result<Link> {
        for segment in self.segments()?.iter().rev() {
            let file = open(&segment.path)?;
            let size = file.metadata()?.len();
            if let Some((link, _)) = whole_end(&file, size)? {
                return Ok(link);
            }
        }
        Ok(Link::start())
    }
}

/// Adds the missing line feed of the last line.
fn end_line(mut file: &File, size: u64) -> io::Result<()> {
    file.write_all(b"\n").inspect_err(|_| drop(file.set_len(size)))
}

/// Whether a path still refers to this file.
fn is_same(file: &File, path: &std::path::Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (Ok(one), Ok(other)) = (file.metadata(), std::fs::metadata(path)) else { return false };
        one.ino() == other.ino() && one.dev() == other.dev()
    }
    #[cfg(not(unix))]
    {
        let first = |file: &File| first_number(file).ok();
        open(path).is_ok_and(|other| first(&other).is_some() && first(&other) == first(file))
    }
}

fn tail(file: &File, size: u64) -> io::Result<Tail> {
    if size == 0 {
        return Ok(Tail::Empty);
    }
    let mut buffer = [0; chain::TAIL];
    let from = size.saturating_sub(chain::TAIL as u64);
    let length = read_all_at(file, &mut buffer, from)?;
    let last = buffer.get(..length).unwrap_or_default();
    let text = String::from_utf8_lossy(last);
    if let Some(end) = text.strip_suffix('\n').and_then(End::of) {
        return Ok(if end.closed { Tail::Closed } else { Tail::Whole(end.link(), end.side) });
    }
    if End::of(&text).is_some() {
        return Ok(Tail::Unended);
    }
    // A writer was killed in the middle of a line.
    Ok(match whole_end(file, size)? {
        Some((link, end)) => Tail::Torn(Some(link), Gap { torn: size.saturating_sub(end) }),
        None => Tail::Torn(None, Gap { torn: size }),
    })
}

/// Writes one line with a single call and returns its length. A partial write is undone.
pub(super) fn write_line(
    mut file: &File,
    size: u64,
    body: String,
    before: &Link,
    seal: Seal,
) -> io::Result<(Link, u64)> {
    let (mut line, link) = chain::seal(body, before, seal);
    line.push('\n');
    if seal.gap.is_some() {
        // The torn part becomes a line of its own.
        line.insert(0, '\n');
    }
    match file.write_all(line.as_bytes()) {
        Ok(()) => Ok((link, line.len() as u64)),
        Err(error) => {
            // If that fails, the next writer finds a torn line and marks it.
            drop(file.set_len(size));
            Err(error)
        }
    }
}
