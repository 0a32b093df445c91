//! Makes scripts executable.

use std::io;
use std::path::Path;

/// Executable for everyone who may read it.
#[cfg(unix)]
pub(super) fn make_executable(path: &Path) -> io::Result<()> {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Windows has no executable bit, and no rule requires it there.
#[cfg(not(unix))]
pub(super) fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}
