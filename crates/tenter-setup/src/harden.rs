//! Protects files even from their own user: `tenter harden`, run as root.
//!
//! Any program of a user can change the user's files. Root can take ownership of a file and, where the file
//! system supports it, make it immutable, so that it cannot be written, replaced, renamed or removed. The
//! previous state is saved in a ledger that only root can write before the file is touched, so that it can be
//! restored exactly.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Places;

/// Previous state of a hardened file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardened {
    pub path: PathBuf,
    pub user: u32,
    pub group: u32,
    pub mode: u32,
    /// File system attributes; `None` where not supported.
    pub flags: Option<u32>,
    /// Identity of the file: another file of the same name is left alone.
    pub device: u64,
    pub inode: u64,
}

/// Current protection of a hardened file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Only root can change it.
    Immutable,
    /// It is owned by root, but the owner of its folder can replace it.
    Owned,
    /// It is no longer protected.
    Loose,
}

#[derive(Serialize, Deserialize)]
struct Book {
    version: u32,
    files: Vec<Hardened>,
}

/// Why a file cannot be hardened or restored.
#[derive(Debug)]
pub struct HardenError {
    path: PathBuf,
    why: String,
}

impl HardenError {
    fn new(path: &Path, why: impl fmt::Display) -> Self {
        Self { path: path.to_owned(), why: why.to_string() }
    }
}

impl fmt::Display for HardenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for HardenError {}

/// Path of the ledger.
pub fn ledger(places: &Places) -> PathBuf {
    places.root.join("var/lib/tenterhook/hardened.json")
}

/// All hardened files.
pub fn read(places: &Places) -> Result<Vec<Hardened>, HardenError> {
    let path = ledger(places);
    match tenter_files::read(&path, 1 << 20, tenter_files::Whose::Settings) {
        Ok(bytes) => serde_json::from_slice::<Book>(&bytes)
            .map(|book| book.files)
            .map_err(|error| HardenError::new(&path, error)),
        Err(error) if tenter_files::is_missing(&error) => Ok(Vec::new()),
        Err(error) => Err(HardenError::new(&path, error)),
    }
}

#[cfg(unix)]
pub use unix::{harden, is_immutable, standing, undo};

#[cfg(unix)]
mod unix {
    use std::fs::{File, Permissions};
    use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
    use std::path::Path;

    use rustix::fs::{Mode, OFlags};

    use super::{Book, HardenError, Hardened, Standing, ledger, read};
    use crate::{Places, files};

    fn open(path: &Path) -> Result<File, HardenError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        rustix::fs::open(path, flags, Mode::empty())
            .map(File::from)
            .map_err(|error| HardenError::new(path, std::io::Error::from(error)))
    }

    #[cfg(target_os = "linux")]
    fn flags(file: &File) -> Option<u32> {
        rustix::fs::ioctl_getflags(file).ok().map(|flags| flags.bits())
    }

    #[cfg(target_os = "linux")]
    fn set_flags(file: &File, flags: u32) -> std::io::Result<()> {
        let flags = rustix::fs::IFlags::from_bits_retain(flags);
        Ok(rustix::fs::ioctl_setflags(file, flags)?)
    }

    #[cfg(target_os = "linux")]
    const IMMUTABLE: u32 = rustix::fs::IFlags::IMMUTABLE.bits();

    #[cfg(not(target_os = "linux"))]
    fn flags(_: &File) -> Option<u32> {
        None
    }

    #[cfg(not(target_os = "linux"))]
    fn set_flags(_: &File, _: u32) -> std::io::Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    #[cfg(not(target_os = "linux"))]
    const IMMUTABLE: u32 = 0x10;

    /// Whether a file is immutable, even for root.
    pub fn is_immutable(path: &Path) -> bool {
        open(path).is_ok_and(|file| flags(&file).is_some_and(|flags| flags & IMMUTABLE != 0))
    }

    /// Makes a file root's, and immutable if possible. Only `user` or root may have owned it before.
    pub fn harden(path: &Path, user: u32, places: &Places) -> Result<Standing, HardenError> {
        let path = path.canonicalize().map_err(|error| HardenError::new(path, error))?;
        let file = open(&path)?;
        let fault = |error: std::io::Error| HardenError::new(&path, error);
        let refused = |why: &str| Err(HardenError::new(&path, why));
        let about = file.metadata().map_err(fault)?;
        if !about.is_file() || about.nlink() != 1 {
            return refused("is no regular file, or has several names");
        }
        if about.uid() != user && about.uid() != 0 {
            return refused("belongs to another user");
        }
        let mut known = read(places)?;
        let before = Hardened {
            path: path.clone(),
            user: about.uid(),
            group: about.gid(),
            mode: about.mode() & 0o7777,
            flags: flags(&file),
            device: about.dev(),
            inode: about.ino(),
        };
        if !known.iter().any(|it| it.path == path && it.inode == before.inode) {
            known.retain(|it| it.path != path);
            known.push(before.clone());
            write(&known, places)?;
        }
        fchown(&file, Some(0), None).map_err(fault)?;
        // Everyone who could read or run it still can, and only root can write it.
        let mode = before.mode & !0o7022 | 0o444;
        file.set_permissions(Permissions::from_mode(mode)).map_err(fault)?;
        let flags = before.flags.unwrap_or(0) | IMMUTABLE;
        let is_set = before.flags.is_some() && set_flags(&file, flags).is_ok();
        Ok(if is_set { Standing::Immutable } else { Standing::Owned })
    }

    /// Restores a file's previous state and forgets it. One that is missing or was replaced is only
    /// forgotten, which the message says.
    pub fn undo(before: &Hardened, places: &Places) -> Result<String, HardenError> {
        let fault = |error: std::io::Error| HardenError::new(&before.path, error);
        let said = match open(&before.path) {
            Ok(file) if is(&file, before) => {
                if let Some(flags) = before.flags {
                    // The mode of an immutable file cannot be changed.
                    set_flags(&file, flags & !IMMUTABLE).map_err(fault)?;
                }
                fchown(&file, Some(before.user), Some(before.group)).map_err(fault)?;
                file.set_permissions(Permissions::from_mode(before.mode)).map_err(fault)?;
                if let Some(flags) = before.flags.filter(|flags| flags & IMMUTABLE != 0) {
                    set_flags(&file, flags).map_err(fault)?;
                }
                "as it was before"
            }
            Ok(_) => "another file has taken its place; it was left alone",
            Err(_) => "is gone",
        };
        let mut known = read(places)?;
        known.retain(|it| it != before);
        write(&known, places)?;
        Ok(format!("{}: {said}", before.path.display()))
    }

    fn is(file: &File, before: &Hardened) -> bool {
        file.metadata().is_ok_and(|it| (it.dev(), it.ino()) == (before.device, before.inode))
    }

    /// The current protection of a hardened file.
    pub fn standing(before: &Hardened) -> Standing {
        let Ok(file) = open(&before.path) else { return Standing::Loose };
        let about = file.metadata();
        if !is(&file, before) || about.is_ok_and(|it| it.uid() != 0 || it.mode() & 0o022 != 0) {
            return Standing::Loose;
        }
        match flags(&file) {
            Some(flags) if flags & IMMUTABLE != 0 => Standing::Immutable,
            _ => Standing::Owned,
        }
    }

    /// Writes the ledger; removes it if it is empty.
    fn write(known: &[Hardened], places: &Places) -> Result<(), HardenError> {
        let path = ledger(places);
        let fault = |error: std::io::Error| HardenError::new(&path, error);
        if known.is_empty() {
            return std::fs::remove_file(&path).map_err(fault);
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true).mode(0o755).create(folder).map_err(fault)?;
        let book = Book { version: 1, files: known.to_vec() };
        let text =
            serde_json::to_vec_pretty(&book).map_err(|error| HardenError::new(&path, error))?;
        files::replace_private(&path, &text).map_err(fault)?;
        // The ledger is readable by everyone.
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).map_err(fault)
    }
}

#[cfg(not(unix))]
pub fn is_immutable(_: &Path) -> bool {
    false
}

#[cfg(not(unix))]
pub fn standing(_: &Hardened) -> Standing {
    Standing::Loose
}

#[cfg(not(unix))]
pub fn harden(path: &Path, _: u32, _: &Places) -> Result<Standing, HardenError> {
    Err(HardenError::new(path, "not known how on this system"))
}

#[cfg(not(unix))]
pub fn undo(before: &Hardened, _: &Places) -> Result<String, HardenError> {
    Err(HardenError::new(&before.path, "not known how on this system"))
}

/// Paths to harden: hook files with our entries, policies, and the programs they run.
pub fn wanted(survey: &crate::survey::Survey, places: &Places, program: &Path) -> Vec<PathBuf> {
    let mut wanted: Vec<PathBuf> = Vec::new();
    for file in survey.files().filter(|file| file.ours().next().is_some()) {
        wanted.push(file.path.clone());
        wanted.extend(file.ours().map(|(_, ours)| ours.program));
    }
    wanted.push(program.to_owned());
    wanted.push(program.with_file_name("tenter-server"));
    wanted.extend(crate::wiring::policies(places));
    wanted.retain(|path| path.is_absolute());
    let mut real: Vec<PathBuf> = wanted.iter().filter_map(|it| it.canonicalize().ok()).collect();
    real.sort();
    real.dedup();
    real
}
