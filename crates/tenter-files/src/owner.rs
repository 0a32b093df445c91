//! Checks who owns a file.

use std::fs::Metadata;
use std::path::Path;

use crate::Refused;

/// Role of a file, which decides its permitted owners.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose<'p> {
    /// File of our state: owned by the user or root, never a link.
    State,
    /// Settings of the user or the administrator: owned by either, links allowed.
    Settings,
    /// A file in or above this work folder. The folder may belong to a colleague, or lie on a disk with
    /// another machine's user ids; then the file may have the folder's owner.
    Project(&'p Path),
    /// Named by the user and only read: any owner.
    Anyone,
}

/// Effective user id, cached.
#[cfg(unix)]
pub fn user() -> u32 {
    use std::sync::OnceLock;
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

/// No user ids on this system.
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

/// Whether another user could have put the file in place.
#[cfg(unix)]
fn is_shared(path: &Path, owner: u32) -> bool {
    use std::os::unix::fs::MetadataExt;
    let Some(Ok(folder)) = path.parent().map(Path::metadata) else { return true };
    let is_known = [ROOT, user(), owner].contains(&folder.uid());
    // A folder's group is usually its owner's private group.
    let by_group = folder.mode() & 0o020 != 0 && folder.uid() != owner;
    !is_known || by_group || folder.mode() & 0o002 != 0
}

/// Whether the id stands for root. In a user namespace without root (a sandbox), root's files show the
/// overflow id that stands for all unmapped users.
#[cfg(unix)]
fn is_roots(owner: u32) -> bool {
    const NOBODY: u32 = 65534;
    if owner != NOBODY {
        return false;
    }
    let map = crate::read_text(Path::new("/proc/self/uid_map"), 4096, Whose::Anyone);
    map.is_ok_and(|map| !map.trim().is_empty() && !map.lines().any(maps_root))
}

/// Parses a line of `uid_map`: first id inside, first id outside, count.
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
