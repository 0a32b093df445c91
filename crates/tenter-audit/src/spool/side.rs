//! Side files: records written while the spool is locked.
//!
//! Any process that can open the spool can hold its lock, and must not keep calls from leaving a record. A
//! call that does not get the lock within milliseconds writes its line to a side file, which needs no lock.
//! The next holder of the lock, a call or a reader, adds these lines to the chain, oldest first, and removes
//! the files. Each added line names its side file: if the holder was killed before removing it, the chain's
//! last line names a file that still exists, and that one is not added again.
//!
//! Side files are counted outside the spool's folder. One that disappears before it was added is reported as
//! lost.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenter_files::Whose;

use super::append::{Appended, write_line};
use super::read::{open, whole_end};
use super::{ENDING, LONGEST_LINE, Place, Spool, lost, make_private, open_private};
use crate::chain::{self, End, Link, Seal};
use crate::record::Gap;

const FOLDER: &str = "side";
/// Distinguishes the number of a side file from that of a segment.
const MARK: u64 = 1 << 62;
/// The lower bits are the process id, the upper ones the time.
const PROCESS_BITS: u32 = 21;
/// Retries for equal process ids at the same time, in containers that share a folder.
const TRIES: u64 = 64;
/// Maximum number of side files added by one call.
const AT_ONCE: usize = 256;
/// Age from which an incomplete side file is given up.
const UNFINISHED: Duration = Duration::from_mins(1);

/// End of the chain while the lock is held.
pub(super) struct Held<'f> {
    pub(super) file: &'f File,
    pub(super) size: u64,
    pub(super) link: Link,
    pub(super) gap: Option<Gap>,
}

impl Spool {
    fn side_file(&self, number: u64) -> PathBuf {
        self.folder().join(FOLDER).join(format!("{number:020}{ENDING}"))
    }

    /// Writes a record to a side file. On return the line is written.
    pub(super) fn append_beside(&self, body: &str, sync: bool) -> io::Result<Appended> {
        // The chain's current end gives the line an approximate place.
        let before = self.last_link().unwrap_or_else(Link::start);
        let (number, mut file) = self.new_file()?;
        let seal = Seal { side: Some(number), ..Seal::default() };
        let (mut line, link) = chain::seal(body.to_owned(), &before, seal);
        line.push('\n');
        let written = file
            .write_all(line.as_bytes())
            .and_then(|()| if sync { file.sync_data() } else { Ok(()) });
        if written.is_err() {
            drop(std::fs::remove_file(self.side_file(number)));
        } else {
            // Readers find the file without it, too.
            drop(lost::note_side(&self.lost));
        }
        written.map(|()| Appended { seq: link.seq, hash: link.hash, is_beside: true })
    }

    fn new_file(&self) -> io::Result<(u64, File)> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(since.as_millis()).unwrap_or_default();
        let process = u64::from(std::process::id()) & ((1 << PROCESS_BITS) - 1);
        let mut last = io::ErrorKind::AlreadyExists.into();
        for later in 0..TRIES {
            let time = now.saturating_add(later) & ((1 << (62 - PROCESS_BITS)) - 1);
            let number = MARK | (time << PROCESS_BITS) | process;
            let mut options = OpenOptions::new();
            match open_private(&self.side_file(number), options.write(true).create_new(true)) {
                Ok(file) => return Ok((number, file)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    make_private(&self.folder().join(FOLDER))?;
                    last = error;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    /// The last record of the chain, read without lock.
    fn last_link(&self) -> Option<Link> {
        let file = open(&self.current()).ok()?;
        let size = file.metadata().ok()?.len();
        whole_end(&file, size).ok()?.map(|(link, _)| link)
    }

    /// Numbers of the side records, oldest first.
    pub fn beside(&self) -> io::Result<Vec<u64>> {
        let entries = match std::fs::read_dir(self.folder().join(FOLDER)) {
            Ok(entries) => entries,
            Err(error) if tenter_files::is_missing(&error) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let number = |name: &str| name.strip_suffix(ENDING)?.parse().ok().filter(is_beside);
        let mut found: Vec<u64> =
            entries.flatten().filter_map(|entry| number(entry.file_name().to_str()?)).collect();
        found.sort_unstable();
        Ok(found)
    }

    /// The line of a side record and its position; `None` if it was added meanwhile or is incomplete.
    pub fn line_beside(&self, number: u64) -> io::Result<Option<(Place, String)>> {
        let most = LONGEST_LINE.saturating_add(1024) as u64;
        let text = match tenter_files::read_text(&self.side_file(number), most, Whose::State) {
            Err(error) if tenter_files::is_missing(&error) => return Ok(None),
            text => text?,
        };
        let Some(line) = text.strip_suffix('\n') else { return Ok(None) };
        let is_whole =
            End::of(line).is_some_and(|end| end.is_true_of(line) && end.side == Some(number));
        let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
        let place = Place { segment: number, offset: 0, length };
        Ok(is_whole.then(|| (place, line.to_owned())))
    }

    /// Adds side records to the chain. Returns their number, and whether those were all.
    pub(super) fn add_beside(&self, end: &mut Held<'_>) -> io::Result<(u64, bool)> {
        let all = self.beside()?;
        let mut added = 0_u64;
        for number in all.iter().take(AT_ONCE) {
            let line = self.line_beside(*number).ok().flatten();
            let body = line.as_ref().and_then(|(_, line)| chain::body(line));
            let Some(body) = body else {
                self.set_aside(*number);
                continue;
            };
            let seal = Seal { side: Some(*number), gap: end.gap, ..Seal::default() };
            let (link, written) = write_line(end.file, end.size, body, &end.link, seal)?;
            (end.link, end.gap) = (link, None);
            end.size = end.size.saturating_add(written);
            self.remove_beside(*number);
            added = added.saturating_add(1);
        }
        Ok((added, all.len() <= AT_ONCE))
    }

    /// Removes a side file whose line is in the chain; false if it does not exist.
    pub(super) fn remove_beside(&self, number: u64) -> bool {
        std::fs::remove_file(self.side_file(number)).is_ok()
    }

    /// Renames a side file that has no complete line. One being written is left alone.
    fn set_aside(&self, number: u64) {
        let path = self.side_file(number);
        let is_old = path.symlink_metadata().and_then(|found| found.modified()).is_ok_and(|at| {
            SystemTime::now().duration_since(at).is_ok_and(|since| since > UNFINISHED)
        });
        if is_old {
            drop(std::fs::rename(&path, path.with_extension("broken")));
        }
    }
}

/// Whether this is the number of a side file.
pub(super) fn is_beside(number: &u64) -> bool {
    *number & MARK != 0
}
