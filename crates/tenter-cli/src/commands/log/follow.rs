//! Follows new records, reading the spool directly.
//!
//! Segments are append-only, closed by a closing line, and then renamed. So the follower keeps one open,
//! continues where it stopped, and moves to the next one when it is closed. Numbers only increase: a printed
//! one is never printed again.

use std::fs::Metadata;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tenter_audit::Spool;
use tenter_audit::chain;
use tenter_audit::spool::{Entry, Lines, Segment};

use super::{End, internal};
#[cfg(unix)]
use crate::error::CommandError;

/// Polling interval.
const EVERY: Duration = Duration::from_millis(150);

pub(super) struct Follower {
    spool: Spool,
    /// Number of the last record printed or skipped.
    last: u64,
    open: Option<Open>,
}

/// The segment being read.
struct Open {
    first: u64,
    lines: Lines,
    /// Whether its closing line was read.
    closed: bool,
    /// Its path when opened, and its identity.
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

/// Callback for a line; returns an error when the reader is gone.
type Each<'e> = dyn FnMut(String) -> Result<(), End> + 'e;

impl Follower {
    /// Follows a spool after the record `last`.
    pub(super) fn new(spool: Spool, last: u64) -> Self {
        Self { spool, last, open: None }
    }

    /// Passes all new lines to `each`, in order.
    pub(super) fn drain(&mut self, each: &mut Each<'_>) -> Result<(), End> {
        loop {
            if self.open.is_none() {
                self.open = self.find().map_err(internal)?;
            }
            self.read(each)?;
            if !self.has_more(each)? {
                return Ok(());
            }
            self.open = None;
        }
    }

    fn read(&mut self, each: &mut Each<'_>) -> Result<(), End> {
        let Some(open) = &mut self.open else { return Ok(()) };
        while let Some(entry) = open.lines.next_entry().map_err(internal)? {
            let Entry::Line { text, .. } = entry else { continue };
            let Some(end) = chain::End::of(&text) else { continue };
            let seq = end.seq;
            open.closed |= end.closed;
            if seq > self.last {
                self.last = seq;
                each(text)?;
            }
        }
        Ok(())
    }

    /// Whether another segment has more lines; the open one was read to its end.
    fn has_more(&mut self, each: &mut Each<'_>) -> Result<bool, End> {
        let Some(open) = &self.open else { return Ok(false) };
        if !open.closed {
            let Ok(now) = std::fs::metadata(&open.path) else { return Ok(false) };
            if Some(identity(&now)) == open.identity {
                // A writer removes a partial write.
                return Ok(now.len() < open.lines.offset());
            }
            // It was closed and renamed after our read, or removed.
            self.read(each)?;
        }
        let Some(open) = &self.open else { return Ok(false) };
        let segments = self.spool.segments().map_err(internal)?;
        if open.closed {
            return Ok(segments.iter().any(|segment| segment.first > open.first));
        }
        // The spool was recreated: everything is new.
        let current = segments.iter().find(|segment| segment.is_current);
        if let Some(current) = current {
            self.last = current.first.saturating_sub(1);
        }
        Ok(current.is_some())
    }

    /// The segment that contains the next record, or will.
    fn find(&self) -> io::Result<Option<Open>> {
        let next = self.last.saturating_add(1);
        let segments = self.spool.segments()?;
        let before = segments.iter().rfind(|segment| segment.first <= next);
        let Some(segment) = before.or(segments.first()) else { return Ok(None) };
        match open(segment) {
            // Pruned meanwhile; try again next time.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }
}

fn open(segment: &Segment) -> io::Result<Open> {
    let lines = segment.lines(0)?;
    let path = segment.path.clone();
    // A renamed segment is closed, so its identity is not needed.
    let identity = std::fs::metadata(&path).ok().map(|file| identity(&file));
    Ok(Open { first: segment.first, lines, closed: false, path, identity })
}

/// Identity of a file, to detect another of the same name.
#[cfg(unix)]
fn identity(file: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn identity(_file: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Waits for the polling interval. Fails if the reader of stdout is gone.
#[cfg(unix)]
pub(super) fn wait() -> Result<(), End> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut watched = [PollFd::new(&stdout, PollFlags::empty())];
    let every = Timespec { tv_sec: 0, tv_nsec: i64::from(EVERY.subsec_nanos()) };
    match poll(&mut watched, Some(&every)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => Ok(()),
        Ok(_) => Err(End::Unread),
        Err(error) => Err(CommandError::internal(error).into()),
    }
}

#[cfg(not(unix))]
pub(super) fn wait() -> Result<(), End> {
    std::thread::sleep(EVERY);
    Ok(())
}
