//! The spool: segment files that hook calls append their records to.
//!
//! `current.jsonl` receives new lines; when it is large enough it is closed and renamed after the number of
//! its first record. These files are the record; everything else is derived from them.

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

/// The segment that receives new lines.
const CURRENT: &str = "current.jsonl";
const ENDING: &str = ".jsonl";

/// Size from which a segment is closed.
pub const SEGMENT: u64 = 16 * 1024 * 1024;
/// Maximum length of a line that is a record.
pub const LONGEST_LINE: usize = 256 * 1024;

/// The spool's folder and settings.
#[derive(Clone, Debug)]
pub struct Spool {
    folder: PathBuf,
    /// Counter of unrecorded calls. Outside the folder, since the folder may be why they could not be
    /// recorded.
    lost: PathBuf,
    segment: u64,
}

impl Spool {
    /// The spool of one user, in our state folder.
    pub fn of_state(state: &Path) -> Self {
        Self { folder: state.join("audit"), lost: state.join("lost"), segment: SEGMENT }
    }

    /// Sets the segment size.
    #[must_use]
    pub fn with_segments_of(self, bytes: u64) -> Self {
        Self { segment: bytes, ..self }
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Number of unrecorded calls not yet reported by a later record.
    pub fn untold(&self) -> u64 {
        lost::pending(&self.lost)
    }

    fn current(&self) -> PathBuf {
        self.folder.join(CURRENT)
    }

    fn closed(&self, first: u64) -> PathBuf {
        self.folder.join(format!("{first:012}{ENDING}"))
    }

    /// Name of a further file with the same first number.
    fn copy(&self, first: u64, copy: u32) -> PathBuf {
        self.folder.join(format!("{first:012}-{copy}{ENDING}"))
    }
}

/// Creates a folder accessible to its owner only.
pub(crate) fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file readable by its owner only.
fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    tenter_files::open_with(path, options, Whose::State)
}

/// Reads at an offset without moving the file position.
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, buffer, offset);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, buffer, offset);
}

/// Reads up to the length of the buffer or the end of file.
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
