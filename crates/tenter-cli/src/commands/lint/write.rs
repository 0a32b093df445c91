//! Puts mended texts in place of the old ones, whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces a file's text. The new file takes the old one's permissions; a link stays a link.
pub(super) fn replace(path: &Path, before: &str, after: &str) -> io::Result<()> {
    let target = path.canonicalize()?;
    if fs::read(&target)? != before.as_bytes() {
        return Err(io::Error::other("it was changed meanwhile"));
    }
    let (mut file, temporary) = beside(&target)?;
    let written = fs::metadata(&target)
        .and_then(|metadata| file.set_permissions(metadata.permissions()))
        .and_then(|()| file.write_all(after.as_bytes()))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &target));
    if written.is_err() {
        // The first error is the one to tell.
        drop(fs::remove_file(&temporary));
    }
    written
}

/// A new file in the folder of another, so that a rename can put it in its place.
fn beside(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let mut attempt = 0;
    loop {
        let temporary =
            target.with_file_name(format!(".{name}.{}.{attempt}.tmp", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 100 => {
                attempt += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Whoever may read the file may then execute it.
#[cfg(unix)]
pub(super) fn make_executable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(path)?.permissions().mode();
    fs::set_permissions(path, fs::Permissions::from_mode(mode | (mode & 0o444) >> 2))
}

/// Windows has no such bit, and no rule asks for it there.
#[cfg(not(unix))]
pub(super) fn make_executable(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let path = std::env::temp_dir().join(format!("tenter-lint-write-{}", std::process::id()));
        fs::write(&path, "new").unwrap();
        assert!(replace(&path, "old", "mended").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        replace(&path, "new", "mended").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "mended");
        fs::remove_file(&path).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_files_is_an_error() {
        let path = Path::new("/proc/self/cmdline");
        let text = fs::read_to_string(path).unwrap();
        assert!(replace(path, &text, "mended").is_err());
    }
}
