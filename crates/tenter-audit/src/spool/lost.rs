//! Counts calls that could not be recorded.
//!
//! A full disk has no room for a counter either. So a small file is created in advance under another name; to
//! count, it is renamed to the name that writers check, and overwritten in place. Writers with nothing to
//! count only check that the name does not exist.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{lock, make_private, open_private, read_all_at};

/// Digits of the counter, followed by a line feed. After that one letter is appended per side record written,
/// and another per side record added to the chain: appending needs no lock.
const DIGITS: usize = 20;
const LETTERS_FROM: u64 = DIGITS as u64 + 1;
const WRITTEN: u8 = b's';
const ADDED: u8 = b'j';

fn reserve(lost: &Path) -> PathBuf {
    lost.with_extension("reserve")
}

/// Creates the spare file.
pub(super) fn prepare(lost: &Path) -> io::Result<()> {
    let file = open_private(&reserve(lost), OpenOptions::new().write(true).create_new(true))?;
    write(&file, 0)
}

/// Opens the counter, renaming the spare file if needed.
fn made(lost: &Path) -> io::Result<File> {
    match open(lost) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if std::fs::rename(reserve(lost), lost).is_err()
                && let Some(folder) = lost.parent()
            {
                make_private(folder)?;
            }
            open_private(
                lost,
                OpenOptions::new().read(true).write(true).create(true).truncate(false),
            )
        }
        opened => opened,
    }
}

/// Counts one unrecorded call.
pub(super) fn count(lost: &Path) -> io::Result<u64> {
    let file = made(lost)?;
    // A count that may miss a concurrent one is better than none.
    drop(lock::hold(&file, lock::OF_COUNT));
    let count = read(&file)?.saturating_add(1);
    write(&file, count)?;
    Ok(count)
}

/// Counts one side record.
pub(super) fn note_side(lost: &Path) -> io::Result<()> {
    let file = made(lost)?;
    if file.metadata()?.len() < LETTERS_FROM {
        let count = read(&file)?;
        write(&file, count)?;
    }
    letters(lost, WRITTEN, 1)
}

/// Counts side records added to the chain.
pub(super) fn note_added(lost: &Path, count: u64) -> io::Result<()> {
    letters(lost, ADDED, count)
}

fn letters(lost: &Path, letter: u8, count: u64) -> io::Result<()> {
    use io::Write;
    let mut file = open_private(lost, OpenOptions::new().append(true))?;
    file.write_all(&vec![letter; usize::try_from(count).unwrap_or_default()])
}

/// Number of side records written and not yet added.
fn waiting(file: &File) -> io::Result<u64> {
    let mut buffer = [0; 4096];
    let (mut at, mut waiting) = (LETTERS_FROM, 0_i64);
    loop {
        let length = read_all_at(file, &mut buffer, at)?;
        for letter in buffer.get(..length).unwrap_or_default() {
            match *letter {
                WRITTEN => waiting = waiting.saturating_add(1),
                ADDED => waiting = waiting.saturating_sub(1),
                _ => {}
            }
        }
        if length < buffer.len() {
            return Ok(u64::try_from(waiting).unwrap_or_default());
        }
        at = at.saturating_add(length as u64);
    }
}

/// The counter, locked until settled or dropped. `None` if nothing was ever lost.
pub(super) fn look(lost: &Path) -> Option<Held> {
    let file = open(lost).ok()?;
    lock::hold(&file, lock::OF_COUNT).ok()?;
    let count = read(&file).ok()?;
    let waiting = waiting(&file).unwrap_or_default();
    Some(Held { file, count, waiting })
}

/// The counter's value, without lock.
pub(super) fn pending(lost: &Path) -> u64 {
    open(lost).and_then(|file| read(&file)).unwrap_or_default()
}

/// The locked counter.
pub(super) struct Held {
    file: File,
    pub(super) count: u64,
    /// Number of side records waiting, as far as counted.
    pub(super) waiting: u64,
}

impl Held {
    /// Resets the counter after it was recorded. The file stays: another call may be about to count in it.
    pub(super) fn settle(&self) {
        if self.count > 0 {
            // If this fails, the next record repeats the count; nothing is lost.
            drop(write(&self.file, 0));
        }
    }
}

fn open(lost: &Path) -> io::Result<File> {
    open_private(lost, OpenOptions::new().read(true).write(true))
}

fn read(file: &File) -> io::Result<u64> {
    let mut text = [0; DIGITS];
    let length = read_all_at(file, &mut text, 0)?;
    let digits = text.get(..length).and_then(|text| std::str::from_utf8(text).ok());
    // A truncated or damaged file still means that something was lost.
    Ok(digits.map_or(1, |digits| match digits.trim() {
        "" => 0,
        digits => digits.parse().unwrap_or(1),
    }))
}

fn write(mut file: &File, count: u64) -> io::Result<()> {
    use io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(0))?;
    file.write_all(format!("{count:0DIGITS$}\n").as_bytes())
}
