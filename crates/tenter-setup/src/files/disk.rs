//! Elementary disk operations, each announced to `Steps` before it is made.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tenter_files::Whose;
use tenter_model::text::first_chars;
use tenter_model::time;

use super::attributes;
use super::steps::Steps;

/// Maximum size: any file that we may edit, plus our entries.
const LARGEST: u64 = 2 * super::target::LARGEST;

/// Creates a folder accessible to its owner only.
pub(super) fn make_private(folder: &Path, steps: Steps<'_>) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    steps.next("make a folder of ours")?;
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Temporary name of a file before it is renamed.
pub(super) fn temporary(path: &Path) -> PathBuf {
    let (stem, process) = (stem(path), std::process::id());
    let first = path.with_file_name(format!("{stem}{process}.tmp"));
    // A process with the same id may have left one.
    (1..100).fold(first, |found, number| {
        if fs::symlink_metadata(&found).is_err() {
            return found;
        }
        path.with_file_name(format!("{stem}{process}-{number}.tmp"))
    })
}

/// Prefix of temporary names; the process id follows.
pub(super) fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // File names are limited to 255 bytes.
    let short = first_chars(&name, 50);
    format!(".{short}.tenter-")
}

/// The process id in a name made by [`temporary`]. `stem` may be of any file.
pub(super) fn process_of(name: &str, stem: &str) -> Option<u32> {
    let rest = name.strip_prefix(stem)?;
    let rest = rest.strip_suffix(".tmp")?;
    rest.split_once('-').map_or(rest, |(number, _)| number).parse().ok()
}

/// Whether a process with this id may still be running.
pub(super) fn is_alive(process: u32) -> bool {
    if process == std::process::id() {
        return true;
    }
    #[cfg(unix)]
    {
        let number = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
        let Some(number) = number else { return false };
        let asked = rustix::process::test_kill_process(number);
        !matches!(asked, Err(rustix::io::Errno::SRCH))
    }
    #[cfg(not(unix))]
    true
}

/// Permissions of a new file.
#[derive(Clone, Copy, Debug)]
pub(super) enum For<'f> {
    /// Owner only.
    Owner,
    /// By the user's umask.
    Usual,
    /// Everyone, whatever root's umask: managed files are for all users.
    Everyone,
    /// Same permissions, owner and attributes as this file.
    Like(&'f Path),
}

/// Writes a new file and syncs it with its permissions set.
pub(super) fn write_new(
    path: &Path,
    bytes: &[u8],
    whom: For<'_>,
    steps: Steps<'_>,
) -> io::Result<()> {
    steps.next("make a temporary file")?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        let mode = if matches!(whom, For::Owner | For::Like(_)) { 0o600 } else { 0o644 };
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    }
    #[expect(clippy::disallowed_methods, reason = "what is made anew never waits")]
    let mut file = options.open(path)?;
    let written = fill(&mut file, path, bytes, whom, steps);
    if written.is_err() {
        // Report the first error.
        drop(fs::remove_file(path));
    }
    written
}

fn fill(
    file: &mut File,
    path: &Path,
    bytes: &[u8],
    whom: For<'_>,
    steps: Steps<'_>,
) -> io::Result<()> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    steps.next("write the first half")?;
    file.write_all(first)?;
    steps.next("write the second half")?;
    file.write_all(second)?;
    steps.next("give it mode and owner")?;
    match whom {
        For::Like(like) => attributes::keep(like, file)?,
        For::Usual => attributes::settle(path),
        For::Everyone => attributes::open_up(path, 0o644)?,
        For::Owner => {}
    }
    steps.next("flush the file")?;
    file.sync_all()?;
    if read(path)? == bytes {
        Ok(())
    } else {
        Err(io::Error::other("what was written is not what can be read"))
    }
}

/// The content of a file that we or a host wrote.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    tenter_files::read(path, LARGEST, Whose::Anyone)
}

/// Replaces one of our own files.
pub(super) fn replace_private(path: &Path, bytes: &[u8], steps: Steps<'_>) -> io::Result<()> {
    let beside = temporary(path);
    write_new(&beside, bytes, For::Owner, steps)?;
    let moved = steps.next("rename a file of ours").and_then(|()| fs::rename(&beside, path));
    if moved.is_err() {
        drop(fs::remove_file(&beside));
    }
    moved?;
    sync_folder_of(path, steps)
}

/// Syncs a file's folder, so that its name is durable.
pub(super) fn sync_folder_of(path: &Path, steps: Steps<'_>) -> io::Result<()> {
    steps.next("flush the folder")?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        match tenter_files::open_folder(folder).and_then(|folder| folder.sync_all()) {
            // Some file systems cannot sync folders, and some folders cannot be opened.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied
                ) => {}
            synced => synced?,
        }
    }
    #[cfg(not(unix))]
    let _ = (path, ErrorKind::InvalidInput);
    Ok(())
}

/// Removes a file; not an error if it is gone already.
pub(super) fn remove(path: &Path, steps: Steps<'_>) -> io::Result<()> {
    steps.next("remove a file")?;
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// A time for file names, in UTC: `20260131T235959Z`.
pub(super) fn stamp(now: u64) -> String {
    let at_ms = now.saturating_mul(1000);
    let (year, month, day) = time::date(at_ms);
    let (hour, minute, second, _) = time::clock(at_ms);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        for (now, wanted) in [
            (0, "19700101T000000Z"),
            (951_782_400, "20000229T000000Z"),
            (1_767_225_599, "20251231T235959Z"),
            (1_772_323_200, "20260301T000000Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(stamp(now), wanted, "{now}");
        }
    }

    #[test]
    fn a_temporary_name_tells_its_process() {
        let path = Path::new("/home/kim/.claude/settings.json");
        let name = temporary(path);
        let name = name.file_name().unwrap().to_str().unwrap();
        assert_eq!(process_of(name, &stem(path)), Some(std::process::id()));
        assert_eq!(process_of(".settings.json.tenter-17-old.tmp", &stem(path)), Some(17));
        for other in [".settings.json.tenter-.tmp", ".settings.json.tenter-17", "settings.json"] {
            assert_eq!(process_of(other, &stem(path)), None, "{other}");
        }
    }

    #[test]
    fn the_process_of_a_name_may_be_gone() {
        assert!(is_alive(std::process::id()));
        #[cfg(unix)]
        assert!(!is_alive(u32::MAX));
    }
}
