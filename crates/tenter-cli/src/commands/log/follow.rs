//! New records as they come, straight from the spool.
//!
//! Files are only ever appended to, closed by a last line that says so, and renamed. So the follower
//! keeps one file open, reads on where it stopped, and goes to the next file when this one is closed.
//! Numbers only grow: what it has given out once it never gives out again.

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

/// How often the spool is looked at.
const EVERY: Duration = Duration::from_millis(150);

pub(super) struct Follower {
    spool: Spool,
    /// The last record that was given out, or that was there before.
    last: u64,
    open: Option<Open>,
}

/// The file that is being read.
struct Open {
    first: u64,
    lines: Lines,
    /// Its last line has been read.
    closed: bool,
    /// The name that it had, and what told it from others of that name.
    path: PathBuf,
    identity: Option<(u64, u64)>,
}

/// What takes a line; it may say that there is nobody left to print for.
type Each<'e> = dyn FnMut(String) -> Result<(), End> + 'e;

impl Follower {
    /// Follows a spool from the record after `last` on.
    pub(super) fn new(spool: Spool, last: u64) -> Self {
        Self { spool, last, open: None }
    }

    /// Gives all that is new to `each`, line by line and in order.
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

    /// Whether there is more to read elsewhere; the file that is open has been read to its end.
    fn has_more(&mut self, each: &mut Each<'_>) -> Result<bool, End> {
        let Some(open) = &self.open else { return Ok(false) };
        if !open.closed {
            let Ok(now) = std::fs::metadata(&open.path) else { return Ok(false) };
            if Some(identity(&now)) == open.identity {
                // A writer takes back what it could not write whole.
                return Ok(now.len() < open.lines.offset());
            }
            // It was closed and put away between the reading and the look, or is no longer there.
            self.read(each)?;
        }
        let Some(open) = &self.open else { return Ok(false) };
        let segments = self.spool.segments().map_err(internal)?;
        if open.closed {
            return Ok(segments.iter().any(|segment| segment.first > open.first));
        }
        // Another spool has begun in its place: all of it is new.
        let current = segments.iter().find(|segment| segment.is_current);
        if let Some(current) = current {
            self.last = current.first.saturating_sub(1);
        }
        Ok(current.is_some())
    }

    /// The file with the next record, or the one that it will come after.
    fn find(&self) -> io::Result<Option<Open>> {
        let next = self.last.saturating_add(1);
        let segments = self.spool.segments()?;
        let before = segments.iter().rfind(|segment| segment.first <= next);
        let Some(segment) = before.or(segments.first()) else { return Ok(None) };
        match open(segment) {
            // Cleared away since; the next look will tell.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }
}

fn open(segment: &Segment) -> io::Result<Open> {
    let lines = segment.lines(0)?;
    let path = segment.path.clone();
    // One that was renamed since is closed, and then nobody asks for its name.
    let identity = std::fs::metadata(&path).ok().map(|file| identity(&file));
    Ok(Open { first: segment.first, lines, closed: false, path, identity })
}

/// What tells one file from another of the same name.
#[cfg(unix)]
fn identity(file: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (file.dev(), file.ino())
}

#[cfg(not(unix))]
fn identity(_file: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Lets a moment pass. Fails if nobody reads stdout any more.
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
