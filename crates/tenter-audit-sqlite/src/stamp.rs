//! Whether the file is still as this program left it.
//!
//! A byte that something else changed may make an index answer wrongly, and nothing in it would tell. But
//! whatever writes to a file changes its time. So the file itself is changed in one place only: when what was
//! taken in is copied into it out of the log beside it (`index.sqlite-wal`, which carries checksums of its own).
//! That happens under a lock, and when it is done a note beside it says which file that is, how long it is and when it
//! was last written to. An index that does not fit its note is made anew.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tenter_files::Whose;

/// No note is longer.
const LONGEST: u64 = 4096;

/// Whether a file is the one the stamp was made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fits {
    /// It is as we left it, or there is none yet.
    Yes,
    /// Something else has written to it, or we were ended while we did.
    No,
    /// There is no note: a program wrote it that leaves none.
    Unknown,
}

fn note(index: &Path) -> PathBuf {
    index.with_extension("stamp")
}

/// Whether the index is as its note says.
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
        // It says something else, or is none of ours.
        Ok(_) | Err(_) => Ok(Fits::No),
    }
}

/// Writes the note. For who holds the lock and has just changed the index.
pub(crate) fn leave(index: &Path) -> io::Result<()> {
    let file = tenter_files::open_with(index, OpenOptions::new().write(true), Whose::State)?;
    // Clocks of file systems are coarse: two changes in a row may get the same time. This one is exact.
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

/// Takes the note away with the file that it is about.
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
