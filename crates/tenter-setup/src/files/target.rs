//! Resolves a path to the file it leads to.

use std::fs::{self, Metadata};
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use tenter_files::Whose;

use super::trouble::{Cause, Trouble};

/// Maximum size of a configuration file.
pub const LARGEST: u64 = 32 << 20;
/// Maximum number of links, as in Linux.
const MOST_LINKS: usize = 40;

/// A path with all links resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) path: PathBuf,
    /// Missing folders, outermost first.
    pub(super) missing: Vec<PathBuf>,
}

impl Target {
    /// The innermost existing folder.
    pub(super) fn folder(&self) -> &Path {
        let first = self.missing.first().map_or(self.path.as_path(), PathBuf::as_path);
        first.parent().unwrap_or(first)
    }
}

/// The path with all links resolved; its folder need not exist.
pub fn real_path(path: &Path) -> Result<PathBuf, Trouble> {
    resolve(path).map(|target| target.path)
}

pub(super) fn resolve(path: &Path) -> Result<Target, Trouble> {
    let mut current = path.to_owned();
    for hop in 0..=MOST_LINKS {
        let Some(name) = current.file_name().map(ToOwned::to_owned) else {
            return Err(Trouble::new(Cause::NotAFile, path, "it is a folder"));
        };
        let folder = match current.parent() {
            Some(folder) if folder.as_os_str().is_empty() => PathBuf::from("."),
            Some(folder) => folder.to_owned(),
            None => return Err(Trouble::new(Cause::NotAFile, path, "it is a folder")),
        };
        let folder = match folder.canonicalize() {
            Ok(folder) => folder,
            Err(error) if error.kind() == ErrorKind::NotFound && hop == 0 => {
                return unmade(path, &folder, &name);
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(dangling(path, &current));
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(no_folder(path, &folder));
            }
            Err(error) => return Err(Trouble::io(path, &error)),
        };
        let full = folder.join(name);
        match fs::symlink_metadata(&full) {
            Ok(metadata) if metadata.is_symlink() => {
                let next = fs::read_link(&full).map_err(|error| Trouble::io(path, &error))?;
                current = folder.join(next);
            }
            Ok(_) => return Ok(Target { path: full, missing: Vec::new() }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Target { path: full, missing: Vec::new() });
            }
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(no_folder(path, &folder));
            }
            Err(error) => return Err(Trouble::io(path, &error)),
        }
    }
    Err(Trouble::new(Cause::Link, path, "the link leads back to itself"))
}

fn dangling(path: &Path, end: &Path) -> Trouble {
    let reason = format!("the link leads to {}, whose folder is not there", end.display());
    Trouble::new(Cause::Link, path, reason)
}

fn no_folder(path: &Path, folder: &Path) -> Trouble {
    Trouble::new(Cause::NotAFile, path, format!("{} is not a folder", folder.display()))
}

/// A file whose folder does not exist yet.
fn unmade(path: &Path, folder: &Path, name: &std::ffi::OsStr) -> Result<Target, Trouble> {
    let mut names = Vec::new();
    let mut existing = folder;
    let base = loop {
        match fs::symlink_metadata(existing) {
            Ok(_) => match existing.canonicalize() {
                Ok(base) => break base,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    return Err(dangling(path, existing));
                }
                Err(error) => return Err(Trouble::io(path, &error)),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Trouble::io(path, &error)),
        }
        let (Some(Component::Normal(last)), Some(parent)) =
            (existing.components().next_back(), existing.parent())
        else {
            return Err(Trouble::new(Cause::Link, path, "its folder is not there"));
        };
        names.push(last.to_owned());
        existing = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    };
    if !base.is_dir() {
        return Err(no_folder(path, &base));
    }
    let mut current = base;
    let mut missing = Vec::new();
    for name in names.iter().rev() {
        current.push(name);
        missing.push(current.clone());
    }
    Ok(Target { path: current.join(name), missing })
}

/// The text of a file to be edited; `None` if there is no file.
pub fn read(path: &Path) -> Result<Option<String>, Trouble> {
    let target = resolve(path)?;
    read_target(path, &target.path)
}

/// `named` is the path that the user knows.
pub(super) fn read_target(named: &Path, real: &Path) -> Result<Option<String>, Trouble> {
    let cannot = |error: &std::io::Error| match error.kind() {
        ErrorKind::PermissionDenied => Trouble::new(Cause::ReadOnly, named, "you may not read it"),
        _ => Trouble::io(named, error),
    };
    // Checked before opening: opening a pipe or a device may block or have side effects.
    match fs::metadata(real) {
        Ok(metadata) => ordinary(named, &metadata)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot(&error)),
    }
    let file = match tenter_files::open(real, Whose::Anyone) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot(&error)),
    };
    ordinary(named, &file.metadata().map_err(|error| cannot(&error))?)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(too_large(named));
    }
    text(named, bytes).map(Some)
}

fn ordinary(named: &Path, metadata: &Metadata) -> Result<(), Trouble> {
    if metadata.is_dir() {
        Err(Trouble::new(Cause::NotAFile, named, "it is a folder"))
    } else if !metadata.is_file() {
        Err(Trouble::new(Cause::NotAFile, named, "it is not an ordinary file"))
    } else if metadata.len() > LARGEST {
        Err(too_large(named))
    } else {
        Ok(())
    }
}

fn too_large(named: &Path) -> Trouble {
    let reason = format!("it is larger than {} MB, too large for a configuration", LARGEST >> 20);
    Trouble::new(Cause::TooLarge, named, reason)
}

fn text(named: &Path, bytes: Vec<u8>) -> Result<String, Trouble> {
    String::from_utf8(bytes).map_err(|error| {
        let bytes = error.as_bytes();
        let reason = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            "it is UTF-16; save it as UTF-8".to_owned()
        } else {
            let at = error.utf8_error().valid_up_to();
            let line = bytes.iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
            format!("it is not UTF-8 (line {line}); save it as UTF-8")
        };
        Trouble::new(Cause::NotText, named, reason)
    })
}

/// Checks whether a file may be replaced or created. Root may write anything, but a file without write
/// permission is left alone all the same.
pub(super) fn writable(named: &Path, target: &Target) -> Result<(), Trouble> {
    let refused = |reason: String| Err(Trouble::new(Cause::ReadOnly, named, reason));
    if crate::harden::is_immutable(&target.path) {
        return refused(
            "it is hardened, so that nobody can change it; `sudo tenter harden --undo` allows it again".to_owned(),
        );
    }
    if let Ok(metadata) = fs::metadata(&target.path) {
        if let Some(store) = store(&target.path).filter(|_| metadata.permissions().readonly()) {
            return refused(format!(
                "it leads into {store}, which cannot be changed; change what it is made from"
            ));
        }
        if metadata.permissions().readonly() {
            let path = target.path.display();
            let what = if named == target.path { "it".to_owned() } else { path.to_string() };
            return refused(format!(
                "{what} is read-only; if you want it changed, make it writable (chmod u+w)"
            ));
        }
        if !may_write(&target.path, false) {
            return refused("you may not write to it".to_owned());
        }
    }
    let folder = target.folder();
    let metadata = fs::metadata(folder).map_err(|error| Trouble::io(named, &error))?;
    let is_closed = cfg!(unix) && metadata.permissions().readonly();
    if is_closed || !may_write(folder, true) {
        return refused(format!("the folder {} takes no new files", folder.display()));
    }
    Ok(())
}

/// The immutable store of a package manager that contains the path, if any.
fn store(path: &Path) -> Option<&'static str> {
    let text = path.to_string_lossy();
    ["/nix/store", "/gnu/store"].into_iter().find(|store| text.contains(store))
}

#[cfg(unix)]
fn may_write(path: &Path, is_folder: bool) -> bool {
    use rustix::fs::{Access, AtFlags, CWD, accessat};
    let wanted = if is_folder { Access::WRITE_OK | Access::EXEC_OK } else { Access::WRITE_OK };
    // By the effective user, as the actual operation will be.
    match accessat(CWD, path, wanted, AtFlags::EACCESS) {
        Ok(()) => true,
        Err(error) => {
            !matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
        }
    }
}

#[cfg(not(unix))]
fn may_write(_path: &Path, _is_folder: bool) -> bool {
    true
}
