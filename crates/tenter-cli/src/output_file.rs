//! Files that the user names on the command line as an output: `export --output`, `scan --write-baseline`,
//! `test --junit`, keys and signatures.
//!
//! Every output option writes through here, and `cargo xtask tidy` holds commands to it. An option that writes
//! wherever it is told would be a way to change hook settings past the guard: the shell command that carries it
//! looks like reading. So such a file is never a hook file, nothing of ours and nothing that runs by itself
//! later, whatever name, link or folder leads to it. It is written beside its place and moved there as a whole,
//! readable by its owner only; a link in its place is refused, and so is what is no regular file.

mod folder;
mod protected;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::error::CommandError;
use folder::Folder;

/// A file on its way: what is not committed leaves nothing behind.
#[derive(Debug)]
pub(crate) struct OutputFile {
    file: File,
    folder: Folder,
    name: OsString,
    draft: OsString,
    is_committed: bool,
}

impl OutputFile {
    /// Begins a file that takes the place of the one that may lie there.
    pub(crate) fn begin(path: &Path) -> Result<Self, CommandError> {
        let (folder, name) = place(path)?;
        let mut draft = name.clone();
        draft.push(format!(".{}.part", std::process::id()));
        let file = folder.create(&draft).map_err(|error| fault(path, error))?;
        Ok(Self { file, folder, name, draft, is_committed: false })
    }

    /// Puts the file where it belongs.
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
            // Half a file is none; what went wrong is told by the caller.
            drop(self.folder.remove(&self.draft));
        }
    }
}

/// The folder and the name of a file that may be written.
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

/// Says why a file was not written.
pub(crate) fn fault(path: &Path, why: impl Display) -> CommandError {
    CommandError::internal(format!("cannot write to {}: {why}", path.display()))
}

/// Writes a whole file.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let mut file = OutputFile::begin(path)?;
    file.write_all(bytes).and_then(|()| file.commit()).map_err(|error| fault(path, error))
}

/// Writes a file that is not there yet, down to the disk.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let (folder, name) = place(path)?;
    let mut file = folder.create(&name).map_err(|error| fault(path, error))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(|error| {
        // Half a file is none.
        drop(folder.remove(&name));
        fault(path, error)
    })
}

/// Whether an output option means stdout.
pub(crate) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}
