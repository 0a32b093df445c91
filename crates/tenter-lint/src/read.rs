//! Bounded reading of regular files.

use std::path::Path;

use tenter_engine::document::{Unreadable, start_of};

/// Maximum size of a hook file.
pub(crate) const MOST_OF_HOOKS: u64 = 16 * 1024 * 1024;

/// Reads a whole file; the error is a message. Pipes and devices are not opened, since that may block or
/// never end.
pub(crate) fn whole(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let bytes = start(path, most.saturating_add(1))?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length <= most) {
        return Ok(bytes);
    }
    Err(format!("is larger than {} MiB", most / (1024 * 1024)))
}

/// Reads the first bytes of a regular file; the error is a message.
pub(crate) fn start(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    start_of(path, most).map_err(|why| match why {
        Unreadable::Folder => "is a folder".to_owned(),
        Unreadable::Special => "is a pipe or a device, not a regular file".to_owned(),
        Unreadable::Io(error) if !path.exists() && path.is_symlink() => {
            format!("is a link that leads nowhere: {error}")
        }
        Unreadable::Io(error) => format!("cannot be read: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lay_texts;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let scratch = tempfile::tempdir().unwrap();
        lay_texts(scratch.path(), &[("x", "12345")]);
        let path = scratch.path().join("x");
        assert_eq!(whole(&path, 5), Ok(b"12345".to_vec()));
        assert_eq!(whole(&path, 4), Err("is larger than 0 MiB".to_owned()));
        assert_eq!(start(&path, 2), Ok(b"12".to_vec()));
        assert_eq!(whole(scratch.path(), 5), Err("is a folder".to_owned()));
        assert!(whole(&scratch.path().join("none"), 5).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_never_ends_is_not_read() {
        let refused = whole(Path::new("/dev/zero"), 5);
        assert_eq!(refused, Err("is a pipe or a device, not a regular file".to_owned()));
    }
}
