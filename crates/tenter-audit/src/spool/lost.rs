//! Counting calls that left no record.
//!
//! When a disk is full there is no room for a count either. So a small file is kept from the beginning,
//! under another name: to count, it gets the name that writers look at, and is written over in place.
//! Writers that have nothing to count pay for one look at a name that is not there.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{lock, make_private, open_private, read_all_at};

/// A number of this many digits, and a line feed. Behind it stands one letter for every record that was written
/// beside the chain, and another for every one that was added to it: letters can be added without a lock.
const DIGITS: usize = 20;
const LETTERS_FROM: u64 = DIGITS as u64 + 1;
const WRITTEN: u8 = b's';
const ADDED: u8 = b'j';

fn reserve(lost: &Path) -> PathBuf {
    lost.with_extension("reserve")
}

/// Sets room aside for a count.
pub(super) fn prepare(lost: &Path) -> io::Result<()> {
    let file = open_private(&reserve(lost), OpenOptions::new().write(true).create_new(true))?;
    write(&file, 0)
}

/// The file, made of the room that was set aside if it is not there.
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

/// Counts one more call without a record.
pub(super) fn count(lost: &Path) -> io::Result<u64> {
    let file = made(lost)?;
    // A count that may miss a parallel one is better than none.
    drop(lock::hold(&file, lock::OF_COUNT));
    let count = read(&file)?.saturating_add(1);
    write(&file, count)?;
    Ok(count)
}

/// Counts one more record that stands beside the chain.
pub(super) fn note_side(lost: &Path) -> io::Result<()> {
    let file = made(lost)?;
    if file.metadata()?.len() < LETTERS_FROM {
        let count = read(&file)?;
        write(&file, count)?;
    }
    letters(lost, WRITTEN, 1)
}

/// Counts records that are no longer beside the chain.
pub(super) fn note_added(lost: &Path, count: u64) -> io::Result<()> {
    letters(lost, ADDED, count)
}

fn letters(lost: &Path, letter: u8, count: u64) -> io::Result<()> {
    use io::Write;
    let mut file = open_private(lost, OpenOptions::new().append(true))?;
    file.write_all(&vec![letter; usize::try_from(count).unwrap_or_default()])
}

/// How many records are counted as written beside the chain and not yet added to it.
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

/// The count, held until it is settled or dropped. None if nothing was ever lost.
pub(super) fn look(lost: &Path) -> Option<Held> {
    let file = open(lost).ok()?;
    lock::hold(&file, lock::OF_COUNT).ok()?;
    let count = read(&file).ok()?;
    let waiting = waiting(&file).unwrap_or_default();
    Some(Held { file, count, waiting })
}

/// The count as it stands, for somebody who only wants to know.
pub(super) fn pending(lost: &Path) -> u64 {
    open(lost).and_then(|file| read(&file)).unwrap_or_default()
}

/// A count that nobody else changes.
pub(super) struct Held {
    file: File,
    pub(super) count: u64,
    /// Records beside the chain, as far as they were counted.
    pub(super) waiting: u64,
}

impl Held {
    /// The count is in a record now. The file stays: another call may be about to count in it.
    pub(super) fn settle(&self) {
        if self.count > 0 {
            // A count that stays is repeated by the next record, not lost.
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
    // A file that is cut off or damaged still says that something was lost.
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
