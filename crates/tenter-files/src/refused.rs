//! Reasons why a file is not opened, worded to follow its name.

use std::fmt;
use std::fs::Metadata;
use std::io;

/// Reason for refusing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Folder,
    /// A pipe, socket or device: reading may never end.
    Special,
    /// Files of our state must not be links.
    Link,
    TooLarge {
        most: u64,
    },
    /// Owned by another user, by id.
    Owner(u32),
    /// Another program holds a lease on it, so an ordinary open would block.
    Held,
}

impl Refused {
    /// The reason behind one of our errors; `None` for a system error.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }

    pub(crate) fn of_kind(found: &Metadata) -> Self {
        if found.is_dir() { Self::Folder } else { Self::Special }
    }

    /// Translates system errors about special files into ours.
    pub(crate) fn explain(error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::IsADirectory => Self::Folder.into(),
            io::ErrorKind::WouldBlock => Self::Held.into(),
            _ if is_special(&error) => Self::Special.into(),
            _ => error,
        }
    }
}

/// Whether the error is that of opening a pipe without reader for writing, a socket, or a device without
/// driver.
#[cfg(unix)]
fn is_special(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let is = |errno: Errno| error.raw_os_error() == Some(errno.raw_os_error());
    is(Errno::NXIO) || is(Errno::NODEV) || is(Errno::OPNOTSUPP)
}

#[cfg(not(unix))]
fn is_special(_error: &io::Error) -> bool {
    false
}

/// Whether the error is that of opening a link with `O_NOFOLLOW`; some systems use another code.
#[cfg(unix)]
pub(crate) fn is_link(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let is = |errno: Errno| error.raw_os_error() == Some(errno.raw_os_error());
    is(Errno::LOOP) || is(Errno::MLINK)
}

#[cfg(not(unix))]
pub(crate) fn is_link(_error: &io::Error) -> bool {
    false
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder => f.write_str("it is a folder, not a file"),
            Self::Special => f.write_str("it is a pipe, a socket or a device, not a file"),
            Self::Link => f.write_str("it is a link; remove it"),
            Self::TooLarge { most } if *most >= MIB => {
                write!(f, "it is larger than {} MiB", most / MIB)
            }
            Self::TooLarge { most } => write!(f, "it is larger than {} KiB", most / 1024),
            Self::Owner(uid) => write!(f, "it belongs to another user (uid {uid})"),
            Self::Held => f.write_str("another program keeps it from being opened"),
        }
    }
}

const MIB: u64 = 1024 * 1024;

impl std::error::Error for Refused {}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        let kind = match refused {
            Refused::Owner(_) => io::ErrorKind::PermissionDenied,
            Refused::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            Refused::Held => io::ErrorKind::WouldBlock,
            Refused::Folder | Refused::Special | Refused::Link => io::ErrorKind::InvalidInput,
        };
        io::Error::new(kind, refused)
    }
}

/// Whether the error means "no such file", also when a parent is not a folder.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
