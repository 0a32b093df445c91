//! Checks that the record's folder is ours.
//!
//! A link in its place could redirect our lines to where others can read or change them, and readers to a
//! forged record.

use std::io;
use std::path::Path;

/// Rejects a folder that is a link or another user's. The state folder may be a link, but only to one that
/// nobody else can write to.
#[cfg(unix)]
pub(super) fn check(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let is_ours = |owner: u32| owner == 0 || owner == tenter_files::user();
    if let Some(state) = folder.parent()
        && let Ok(found) = state.symlink_metadata()
    {
        let leads = if found.is_symlink() { state.metadata().ok() } else { None };
        if !is_ours(found.uid()) {
            return Err(refused(state, "belongs to another user"));
        }
        if leads.is_some_and(|to| !is_ours(to.uid()) || to.mode() & 0o022 != 0) {
            return Err(refused(state, "is a link to a folder that others can write to"));
        }
    }
    match folder.symlink_metadata() {
        Ok(found) if found.is_symlink() => Err(refused(folder, "is a link")),
        Ok(found) if !is_ours(found.uid()) => Err(refused(folder, "belongs to another user")),
        // A missing folder is created; other errors are reported on open.
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
pub(super) fn check(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn refused(folder: &Path, what: &str) -> io::Error {
    let why = format!(
        "{} {what}, so nothing is written there or read from it: put a folder of your own in its place",
        folder.display()
    );
    io::Error::new(io::ErrorKind::PermissionDenied, why)
}
