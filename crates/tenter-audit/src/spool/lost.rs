//! Counting calls that left no record.
//!
//! When a disk is full there is no room for a count either. So a small file is kept from the beginning,
//! under another name: to count, it gets the name that writers look at, and is written over in place.
//! Writers that have nothing to count pay for one look at a name that is not there.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{lock, make_private, open_private, read_all_at};

/// A number of this many digits, and a line feed.
const DIGITS: usize = 20;

fn reserve(lost: &Path) -> PathBuf {
    lost.with_extension("reserve")
}

/// Sets room aside for a count.
pub(super) fn prepare(lost: &Path) -> io::Result<()> {
    let file = open_private(&reserve(lost), OpenOptions::new().write(true).create_new(true))?;
    write(&file, 0)
}

/// Counts one more call without a record.
pub(super) fn count(lost: &Path) -> io::Result<u64> {
    let file = match open(lost) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if std::fs::rename(reserve(lost), lost).is_err()
                && let Some(folder) = lost.parent()
            {
                make_private(folder)?;
            }
            open_private(
                lost,
                OpenOptions::new().read(true).write(true).create(true).truncate(false),
            )?
        }
        opened => opened?,
    };
    lock::hold(&file)?;
    let count = read(&file)?.saturating_add(1);
    write(&file, count)?;
    Ok(count)
}

/// The count, held until it is settled or dropped. None if nothing was ever lost.
pub(super) fn look(lost: &Path) -> Option<Held> {
    let file = open(lost).ok()?;
    lock::hold(&file).ok()?;
    let count = read(&file).ok()?;
    Some(Held { file, count })
}

/// The count as it stands, for somebody who only wants to know.
pub(super) fn pending(lost: &Path) -> u64 {
    File::open(lost).and_then(|file| read(&file)).unwrap_or_default()
}

/// A count that nobody else changes.
pub(super) struct Held {
    file: File,
    pub(super) count: u64,
}

impl Held {
    /// The count is in a record now. The file stays: another call may be about to count in it.
    pub(super) fn settle(&self) {
        if self.count > 0 {
            // What stays counted is said once more by the next record, not lost.
            drop(write(&self.file, 0));
        }
    }
}

fn open(lost: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).open(lost)
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
