//! User id and free disk space.

use std::path::Path;

use super::exam::Space;

/// Effective user id, where the system has them.
pub fn user() -> Option<u32> {
    #[cfg(unix)]
    let user = Some(rustix::process::geteuid().as_raw());
    #[cfg(not(unix))]
    let user = None;
    user
}

/// Free space where a folder is or will be.
pub fn space(folder: &Path) -> Option<Space> {
    let nearest = folder.ancestors().find(|ancestor| ancestor.is_dir())?;
    free(nearest).map(|(bytes, files)| Space { folder: nearest.to_owned(), bytes, files })
}

#[cfg(unix)]
fn free(folder: &Path) -> Option<(u64, Option<u64>)> {
    let found = rustix::fs::statvfs(folder).ok()?;
    // File systems without inode table report zero.
    let files = (found.f_files > 0).then_some(found.f_favail);
    Some((found.f_bavail.saturating_mul(found.f_frsize), files))
}

#[cfg(not(unix))]
fn free(_folder: &Path) -> Option<(u64, Option<u64>)> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_disk_of_a_folder_that_is_not_there_yet_is_the_one_it_will_be_on() {
        let scratch = tempfile::tempdir().unwrap();
        let space = space(&scratch.path().join("a/b")).unwrap();
        assert_eq!(space.folder, scratch.path());
        assert!(space.bytes > 0);
    }
}
