//! Errors of changing files, worded for people.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Why a file was not read or not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub cause: Cause,
    pub path: PathBuf,
    pub reason: String,
    /// Paths that could not be restored, and where their text is kept. Empty if everything is as before.
    pub left: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// There is no state folder.
    NoHome,
    /// Another install is running.
    Busy,
    /// A folder, a pipe, a device.
    NotAFile,
    /// Not UTF-8.
    NotText,
    TooLarge,
    /// A broken or circular link.
    Link,
    /// No write permission.
    ReadOnly,
    /// Changed by somebody else meanwhile.
    Changed,
    /// The new text failed its check.
    Refused,
    /// No space left.
    Full,
    Disk,
}

impl Trouble {
    pub(super) fn new(cause: Cause, path: &Path, reason: impl Into<String>) -> Self {
        Self { cause, path: path.to_owned(), reason: reason.into(), left: Vec::new() }
    }

    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        let (cause, reason) = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                (Cause::Full, "no space is left on the disk".to_owned())
            }
            ErrorKind::ReadOnlyFilesystem => {
                (Cause::ReadOnly, "it is on a file system that cannot be written to".to_owned())
            }
            ErrorKind::PermissionDenied => {
                (Cause::ReadOnly, format!("you may not do that there ({error})"))
            }
            _ if is_loop(error) => (Cause::Link, "the link leads back to itself".to_owned()),
            ErrorKind::NotFound => {
                (Cause::Changed, "it, or its folder, was taken away meanwhile".to_owned())
            }
            _ => (Cause::Disk, error.to_string()),
        };
        Self::new(cause, path, reason)
    }

    pub(super) fn changed(path: &Path) -> Self {
        Self::new(Cause::Changed, path, "it was changed meanwhile; run this again")
    }
}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::LOOP)
}

#[cfg(not(unix))]
fn is_loop(_error: &io::Error) -> bool {
    false
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)?;
        for left in &self.left {
            write!(f, "; {left}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Trouble {}
