//! The folder of an output file, held open so that a link swapped into its path has no effect.

use std::path::PathBuf;

/// Kind of the existing path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    Folder,
    Special,
}

impl Kind {
    pub(super) fn may_be_replaced(self) -> Result<(), &'static str> {
        match self {
            Self::File => Ok(()),
            Self::Link => Err("it is a link; name the file itself"),
            Self::Folder => Err("it is a folder"),
            Self::Special => Err("it is a pipe or a device; leave the option out and use stdout"),
        }
    }
}

/// Identity of a file or folder.
pub(super) type Id = (u64, u64);

#[derive(Debug)]
pub(super) struct Folder {
    /// With links resolved.
    pub(super) path: PathBuf,
    #[cfg(unix)]
    open: std::fs::File,
}

#[cfg(unix)]
mod system {
    use super::{Folder, Id, Kind};
    use rustix::fs::{AtFlags, FileType, Mode, OFlags};
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    impl Folder {
        pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let open = File::from(rustix::fs::open(path, flags, Mode::empty())?);
            let folder = Self { path: path.canonicalize()?, open };
            // The checked folder must be the one written to.
            let is = folder.open.metadata()?;
            if id(&folder.path) != Some((is.dev(), is.ino())) {
                return Err(io::Error::other("its folder is being changed"));
            }
            Ok(folder)
        }

        pub(in super::super) fn kind(&self, name: &OsStr) -> io::Result<Option<Kind>> {
            match rustix::fs::statat(&self.open, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(about) => Ok(Some(match FileType::from_raw_mode(about.st_mode) {
                    FileType::RegularFile => Kind::File,
                    FileType::Symlink => Kind::Link,
                    FileType::Directory => Kind::Folder,
                    _ => Kind::Special,
                })),
                Err(rustix::io::Errno::NOENT) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        /// Identity of a file in it, if it exists.
        pub(in super::super) fn id(&self, name: &OsStr) -> Option<Id> {
            let about = std::fs::symlink_metadata(self.path.join(name)).ok()?;
            Some((about.dev(), about.ino()))
        }

        pub(in super::super) fn create(&self, name: &OsStr) -> io::Result<File> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
            let mode = Mode::RUSR | Mode::WUSR;
            Ok(rustix::fs::openat(&self.open, name, flags | OFlags::NOFOLLOW, mode)?.into())
        }

        pub(in super::super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            // A link or folder created since is not followed: renaming replaces or refuses it.
            Ok(rustix::fs::renameat(&self.open, from, &self.open, to)?)
        }

        pub(in super::super) fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(rustix::fs::unlinkat(&self.open, name, AtFlags::empty())?)
        }
    }

    pub(in super::super) fn id(path: &Path) -> Option<Id> {
        std::fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
    }
}

#[cfg(not(unix))]
mod system {
    use super::{Folder, Id, Kind};
    use std::ffi::OsStr;
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::path::Path;

    impl Folder {
        pub(in super::super) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self { path: path.canonicalize()? })
        }

        pub(in super::super) fn kind(&self, name: &OsStr) -> io::Result<Option<Kind>> {
            match std::fs::symlink_metadata(self.path.join(name)) {
                Ok(about) if about.is_symlink() => Ok(Some(Kind::Link)),
                Ok(about) if about.is_dir() => Ok(Some(Kind::Folder)),
                Ok(about) if about.is_file() => Ok(Some(Kind::File)),
                Ok(_) => Ok(Some(Kind::Special)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        }

        pub(in super::super) fn id(&self, _: &OsStr) -> Option<Id> {
            None
        }

        pub(in super::super) fn create(&self, name: &OsStr) -> io::Result<File> {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            tenter_files::open_with(
                &self.path.join(name),
                &mut options,
                tenter_files::Whose::Anyone,
            )
        }

        pub(in super::super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            std::fs::rename(self.path.join(from), self.path.join(to))
        }

        pub(in super::super) fn remove(&self, name: &OsStr) -> io::Result<()> {
            std::fs::remove_file(self.path.join(name))
        }
    }

    pub(in super::super) fn id(_: &Path) -> Option<Id> {
        None
    }
}

pub(super) use system::id;
