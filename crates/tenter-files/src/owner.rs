//! Whose a file may be.

use std::fs::Metadata;
use std::path::Path;

use crate::Refused;

/// Role of a file, which decides its permitted owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose<'p> {
    /// Of our state: the user's or root's, and no link.
    State,
    /// Settings of the user or the administrator: theirs, perhaps through a link.
    Settings,
    /// A file in or above this folder that work happens in. The folder may be a colleague's, or lie on a disk
    /// that another machine has numbered; then the file may have the same owner.
    Project(&'p Path),
    /// Named by the user and only read.
    Anyone,
}

/// The user we act as, by number. Asked for once.
#[cfg(unix)]
pub fn user() -> u32 {
    use std::sync::OnceLock;
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

/// There are no such numbers here.
#[cfg(not(unix))]
pub fn user() -> u32 {
    0
}

#[cfg(not(unix))]
pub(crate) fn check(_path: &Path, _found: &Metadata, _whose: Whose<'_>) -> Result<(), Refused> {
    Ok(())
}

#[cfg(unix)]
pub(crate) fn check(path: &Path, found: &Metadata, whose: Whose<'_>) -> Result<(), Refused> {
    use std::os::unix::fs::MetadataExt;
    let owner = found.uid();
    if owner == ROOT || owner == user() || whose == Whose::Anyone {
        return Ok(());
    }
    let is_theirs = match whose {
        Whose::Project(place) => place.metadata().is_ok_and(|place| place.uid() == owner),
        _ => false,
    };
    if (is_theirs || is_roots(owner)) && !is_shared(path, owner) {
        return Ok(());
    }
    Err(Refused::Owner(owner))
}

#[cfg(unix)]
const ROOT: u32 = 0;

/// Whether somebody else could have put the file where it is.
#[cfg(unix)]
fn is_shared(path: &Path, owner: u32) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Some(Ok(folder)) = path.parent().map(Path::metadata) else { return true };
    let is_known = [ROOT, user(), owner].contains(&folder.uid());
    // The group of a folder is usually its owner's own.
    let by_group = folder.mode() & 0o020 != 0 && folder.uid() != owner;
    !is_known || by_group || folder.mode() & 0o002 != 0
}

/// In a user namespace without root (a sandbox), files of root show the number that stands for all users
/// who are not there.
#[cfg(unix)]
fn is_roots(owner: u32) -> bool {
    const NOBODY: u32 = 65534;
    if owner != NOBODY {
        return false;
    }
    let map = crate::read_text(Path::new("/proc/self/uid_map"), 4096, Whose::Anyone);
    map.is_ok_and(|map| !map.trim().is_empty() && !map.lines().any(maps_root))
}

/// A line has the first number inside, the first outside, and how many there are.
#[cfg(unix)]
fn maps_root(line: &str) -> bool {
    line.split_whitespace().nth(1) == Some("0")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_says_whether_it_has_root() {
        assert!(maps_root("         0          0 4294967295"));
        assert!(!maps_root("      1000       1000          1"));
        assert!(!maps_root("         0     100000      65536"));
    }
}
