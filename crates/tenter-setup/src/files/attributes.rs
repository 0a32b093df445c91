//! Copies a file's permissions, owner and attributes.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Gives a new file the mode, owner and attributes of the one it replaces. Fails if that would change who can
/// read or write it.
#[cfg(unix)]
pub(super) fn keep(old: &Path, new: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let old = tenter_files::open(old, tenter_files::Whose::Anyone)?;
    let was = old.metadata()?;
    give(new, &was)?;
    new.set_permissions(std::fs::Permissions::from_mode(was.mode() & 0o7777))?;
    copy_extended(&old, new)
}

#[cfg(not(unix))]
pub(super) fn keep(old: &Path, new: &File) -> io::Result<()> {
    new.set_permissions(std::fs::metadata(old)?.permissions())
}

#[cfg(unix)]
fn give(new: &File, was: &Metadata) -> io::Result<()> {
    use rustix::fs::{Gid, Uid, fchown};
    use std::os::unix::fs::MetadataExt;
    let is = new.metadata()?;
    if is.uid() != was.uid() && fchown(new, Some(Uid::from_raw(was.uid())), None).is_err() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it belongs to another user, and would be yours afterwards",
        ));
    }
    if is.gid() != was.gid() && fchown(new, None, Some(Gid::from_raw(was.gid()))).is_err() {
        let group = (was.mode() >> 3) & 0o7;
        if group != was.mode() & 0o7 {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it belongs to a group that you are not in, and would not afterwards",
            ));
        }
    }
    Ok(())
}

/// Gives a file or folder created by root to the owner of its parent folder.
#[cfg(unix)]
pub(super) fn settle(new: &Path) {
    use std::os::unix::fs::{MetadataExt, lchown};
    let folder = new.parent().and_then(|folder| std::fs::metadata(folder).ok());
    let is = std::fs::symlink_metadata(new).ok();
    if let (Some(folder), Some(is)) = (folder, is)
        && is.uid() == 0
        && folder.uid() != 0
    {
        // Links are not followed: the folder's owner may have put one there meanwhile.
        drop(lchown(new, Some(folder.uid()), Some(folder.gid())));
    }
}

#[cfg(not(unix))]
pub(super) fn settle(_new: &Path) {}

/// Makes a file readable for everyone.
#[cfg(unix)]
pub(super) fn open_up(new: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(new, std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
pub(super) fn open_up(_new: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}

/// Whether we are root.
pub(super) fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    false
}

/// Copies extended attributes. Only access lists are essential: without them the mode has another meaning.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn copy_extended(old: &File, new: &File) -> io::Result<()> {
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    // The maximum size of lists and values on all systems.
    let mut names = vec![0_u8; 1 << 16];
    // A file system without extended attributes has nothing to copy.
    let Ok(length) = flistxattr(old, names.as_mut_slice()) else { return Ok(()) };
    let mut value = vec![0_u8; 1 << 16];
    for name in names.get(..length).unwrap_or_default().split(|byte| *byte == 0) {
        if name.is_empty() {
            continue;
        }
        let copied = fgetxattr(old, name, value.as_mut_slice()).and_then(|length| {
            let value = value.get(..length).unwrap_or_default();
            fsetxattr(new, name, value, XattrFlags::empty())
        });
        if let Err(error) = copied
            && name.starts_with(b"system.posix_acl")
        {
            return Err(error.into());
        }
    }
    Ok(())
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "macos"))))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn copy_extended(_old: &File, _new: &File) -> io::Result<()> {
    Ok(())
}

/// Number of hard links.
#[cfg(unix)]
pub(super) fn names(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
pub(super) fn names(_metadata: &Metadata) -> u64 {
    1
}
