//! The spool: the folder of files that hook calls append their records to.
//!
//! `current.jsonl` takes new lines; when it has grown enough it is closed and called after the number of
//! its first record. The files are the record itself, everything else is made from them.

mod append;
mod lock;
mod lost;
mod place;
mod read;
mod side;

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tenter_files::Whose;

pub use append::{Appended, Failed};
pub use read::{Entry, Lines, Place, Segment};

/// The file that takes new lines.
const CURRENT: &str = "current.jsonl";
const ENDING: &str = ".jsonl";

/// A file that is longer is closed.
pub const SEGMENT: u64 = 16 * 1024 * 1024;
/// No line is longer, except one that is no record.
pub const LONGEST_LINE: usize = 256 * 1024;

/// The folder, and how it is written to.
#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
    /// Where calls are counted that left no record. Not in the folder: what keeps us from writing there
    /// may be the folder.
    lost: PathBuf,
    segment: u64,
}

impl Spool {
    /// The spool of one user, in the folder of our state.
    pub fn of_state(state: &Path) -> Self {
        Self { folder: state.join("audit"), lost: state.join("lost"), segment: SEGMENT }
    }

    /// The same with files of another size.
    #[must_use]
    pub fn with_segments_of(self, bytes: u64) -> Self {
        Self { segment: bytes, ..self }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many calls left no record, and no later record has told of them yet.
    pub fn untold(&self) -> u64 {
        lost::pending(&self.lost)
    }

    fn current(&self) -> PathBuf {
        self.folder.join(CURRENT)
    }

    fn closed(&self, first: u64) -> PathBuf {
        self.folder.join(format!("{first:012}{ENDING}"))
    }

    /// A further file that begins with the same number.
    fn copy(&self, first: u64, copy: u32) -> PathBuf {
        self.folder.join(format!("{first:012}-{copy}{ENDING}"))
    }
}

/// Makes a folder that only its owner can look into.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file that only its owner can read, for the given way of writing.
fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    tenter_files::open_with(path, options, Whose::State)
}

/// Reads at a place, without moving there.
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, offset);
}

/// Reads as much as there is, up to the length of the buffer.
pub(crate) fn read_all_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = buffer.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match read_at(file, rest, offset.saturating_add(done as u64)) {
            Ok(0) => break,
            Ok(more) => done = done.saturating_add(more),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}
