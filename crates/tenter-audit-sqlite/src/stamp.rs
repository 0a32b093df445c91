//! Stamp of the index file, to detect changes by others.
//!
//! A byte changed by something else could make an index answer wrongly without any sign of it. But every
//! write changes the file's time. So the main file is changed in one place only: when the log
//! (`index.sqlite-wal`, which has its own checksums) is checkpointed into it. That happens under a lock, and
//! afterwards a stamp file records the identity, length and modification time of the file. An index that does
//! not match its stamp is rebuilt.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tenter_files::Whose;

/// Maximum length of a stamp.
const LONGEST: u64 = 4096;

/// Whether a file matches its stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fits {
    /// It matches, or neither exists.
    Yes,
    /// Something else wrote to it, or we were killed while writing.
    No,
    /// There is no stamp: an older version wrote the file.
    Unknown,
}

fn note(index: &Path) -> PathBuf {
    index.with_extension("stamp")
}

/// Compares the index with its stamp.
pub(crate) fn fits(index: &Path) -> io::Result<Fits> {
    let found = match std::fs::metadata(index) {
        Ok(found) if found.len() > 0 => found,
        Ok(_) => return Ok(Fits::Yes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Fits::Yes),
        Err(error) => return Err(error),
    };
    match tenter_files::read_text(&note(index), LONGEST, Whose::State) {
        Ok(said) if said == line(&found) => Ok(Fits::Yes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Fits::Unknown),
        // A different stamp, or not one of ours.
        Ok(_) | Err(_) => Ok(Fits::No),
    }
}

/// Writes the stamp. The caller holds the lock and has just changed the index.
pub(crate) fn leave(index: &Path) -> io::Result<()> {
    let file = tenter_files::open_with(index, OpenOptions::new().write(true), Whose::State)?;
    // File system clocks are coarse: two successive changes may get the same time. This one is exact.
    file.set_modified(SystemTime::now())?;
    let text = line(&file.metadata()?);
    let mut note = private(&note(index))?;
    note.set_len(0)?;
    note.write_all(text.as_bytes())
}

fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    tenter_files::open_with(path, &mut options, Whose::State)
}

/// Removes the stamp together with its file.
pub(crate) fn forget(index: &Path) {
    drop(std::fs::remove_file(note(index)));
}

#[cfg(unix)]
fn line(found: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    let changed = (found.ctime(), found.ctime_nsec());
    format!("1 {} {} {} {}.{:09}\n", found.ino(), found.len(), written(found), changed.0, changed.1)
}

#[cfg(not(unix))]
fn line(found: &Metadata) -> String {
    format!("1 {} {}\n", found.len(), written(found))
}

fn written(found: &Metadata) -> u128 {
    let at = found.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    at.unwrap_or_default().as_nanos()
}
