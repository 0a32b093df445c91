//! Why a file is not opened, in words that fit after its name.

use std::fmt;
use std::fs::Metadata;
use std::io;

/// Why a file is not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    Folder,
    /// A pipe, a socket or a device: to read one may never end.
    Special,
    /// Files of our state are never links.
    Link,
    TooLarge {
        most: u64,
    },
    /// Of another user, by number.
    Owner(u32),
    /// Another program holds a lease on it: an ordinary open would wait for it.
    Held,
}

impl Refused {
    /// Why an error of ours was made; none for one of the system.
    pub fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }

    pub(crate) fn of_kind(found: &Metadata) -> Self {
        if found.is_dir() { Self::Folder } else { Self::Special }
    }

    /// Says in our words what the system says of files that are not regular.
    pub(crate) fn explain(error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::IsADirectory => Self::Folder.into(),
            io::ErrorKind::WouldBlock => Self::Held.into(),
            _ if is_special(&error) => Self::Special.into(),
            _ => error,
        }
    }
}

/// A pipe that nobody reads cannot be opened for writing; a socket, or a device without a driver, not at all.
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

/// The answer to opening a link with `O_NOFOLLOW`; some systems have another word for it.
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

/// Whether there is no such file; a path that leads through a file has none either.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
