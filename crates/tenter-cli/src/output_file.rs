//! Output files named on the command line: `export --output`, `scan --write-baseline`, `test --junit`, keys
//! and signatures.
//!
//! Every output option writes through this module; `cargo xtask tidy` enforces it. An option that writes
//! anywhere would be a way to change hook settings past the guard, since the shell command looks like
//! reading. So such a file is never a hook file, one of our own, or one that runs automatically, by whatever
//! name, link or folder. It is written to a temporary file and renamed, readable by its owner only; links and
//! special files in its place are refused.

mod folder;
mod protected;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::error::CommandError;
use folder::Folder;

/// A file being written; dropped without commit, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct OutputFile {
    file: File,
    folder: Folder,
    name: OsString,
    draft: OsString,
    is_committed: bool,
}

impl OutputFile {
    /// Starts writing a file that may replace an existing one.
    pub(crate) fn begin(path: &Path) -> Result<Self, CommandError> {
        let (folder, name) = place(path)?;
        let mut draft = name.clone();
        draft.push(format!(".{}.part", std::process::id()));
        let file = folder.create(&draft).map_err(|error| fault(path, error))?;
        Ok(Self { file, folder, name, draft, is_committed: false })
    }

    /// Renames the file into place.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.folder.rename(&self.draft, &self.name)?;
        self.is_committed = true;
        Ok(())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if !self.is_committed {
            // Removes the partial file; the caller reports the error.
            drop(self.folder.remove(&self.draft));
        }
    }
}

/// Folder and name of a permitted output file.
fn place(path: &Path) -> Result<(Folder, OsString), CommandError> {
    let name = path.file_name().ok_or_else(|| fault(path, "it names a folder"))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder =
        Folder::open(parent.unwrap_or(Path::new("."))).map_err(|error| fault(path, error))?;
    if let Some(kind) = folder.kind(name).map_err(|error| fault(path, error))? {
        kind.may_be_replaced().map_err(|why| fault(path, why))?;
    }
    match protected::holder(&folder, name) {
        Some(holder) => Err(fault(path, format!("it belongs to {holder}; name another file"))),
        None => Ok((folder, name.to_owned())),
    }
}

/// The error for a file that was not written.
pub(crate) fn fault(path: &Path, why: impl Display) -> CommandError {
    CommandError::internal(format!("cannot write to {}: {why}", path.display()))
}

/// Writes a complete file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let mut file = OutputFile::begin(path)?;
    file.write_all(bytes).and_then(|()| file.commit()).map_err(|error| fault(path, error))
}

/// Writes a file that must not exist yet, and syncs it.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let (folder, name) = place(path)?;
    let mut file = folder.create(&name).map_err(|error| fault(path, error))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
        // Removes the partial file.
        drop(folder.remove(&name));
        fault(path, error)
    })
}

/// Whether an output option means stdout.
pub(crate) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}
