//! Replaces one file by another such that neither can be lost.
//!
//! Where the system can exchange two names atomically (Linux, macOS), the old file ends up under the
//! temporary name and is compared with what was read. If it differs, somebody wrote at the last moment, and
//! theirs is put back. Elsewhere the old file keeps a second name while the new one is renamed over it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::disk::{self, For};
use super::lock;
use super::steps::Steps;
use super::target;
use super::trouble::Trouble;

/// Replaces the text of one file, without backup or ledger. Links stay links.
pub fn replace(path: &Path, before: &str, after: &str) -> Result<(), Trouble> {
    let target = target::resolve(path)?;
    let _held = lock::folders(&[target.folder().to_owned()], lock::WAIT)?;
    target::writable(path, &target)?;
    let swap =
        Swap::prepare(path, &target.path, Some(before), Some(after), For::Usual, Steps::NONE)?;
    let swapped = swap.carry_out(Steps::NONE);
    if swapped.is_err() {
        swap.clear(Steps::NONE);
    }
    swapped?;
    swap.clear(Steps::NONE);
    Ok(())
}

/// A prepared replacement of one file.
#[derive(Debug)]
pub(super) struct Swap<'c> {
    named: &'c Path,
    target: &'c Path,
    before: Option<&'c str>,
    after: Option<&'c str>,
    /// Contains the new text, and after the exchange the old one.
    temporary: PathBuf,
    /// Second name of the old file, where names cannot be exchanged.
    old: PathBuf,
}

impl<'c> Swap<'c> {
    /// Writes the new text to a temporary file. `whom` decides permissions if there was no file.
    pub(super) fn prepare(
        named: &'c Path,
        target: &'c Path,
        before: Option<&'c str>,
        after: Option<&'c str>,
        whom: For<'_>,
        steps: Steps<'_>,
    ) -> Result<Self, Trouble> {
        let temporary = disk::temporary(target);
        let mut old = temporary.with_extension("").into_os_string();
        old.push("-old.tmp");
        let old = PathBuf::from(old);
        let swap = Self { named, target, before, after, temporary, old };
        if let Some(after) = after {
            let whom = if before.is_some() { For::Like(target) } else { whom };
            disk::write_new(&swap.temporary, after.as_bytes(), whom, steps)
                .map_err(|error| swap.trouble(&error))?;
        }
        Ok(swap)
    }

    pub(super) fn named(&self) -> &'c Path {
        self.named
    }

    /// The new text as read back from disk.
    pub(super) fn written(&self) -> io::Result<String> {
        disk::read(&self.temporary)
            .and_then(|text| String::from_utf8(text).map_err(io::Error::other))
    }

    fn trouble(&self, error: &io::Error) -> Trouble {
        Trouble::io(self.named, error)
    }

    /// Replaces the file, if the old one is still as read. After an error the file is unchanged.
    pub(super) fn carry_out(&self, steps: Steps<'_>) -> Result<(), Trouble> {
        if target::read_target(self.named, self.target)?.as_deref() != self.before {
            return Err(Trouble::changed(self.named));
        }
        let done = match (self.before, self.after) {
            (Some(before), Some(after)) => self.exchange(before, after, steps),
            (None, Some(_)) => steps
                .next("give the new file its name")
                .and_then(|()| move_new(&self.temporary, self.target))
                .map(|()| true),
            (Some(before), None) => self.take_away(before, steps),
            (None, None) => Ok(true),
        };
        match done {
            Ok(true) => {}
            Ok(false) => return Err(Trouble::changed(self.named)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(Trouble::changed(self.named));
            }
            Err(error) => return Err(self.trouble(&error)),
        }
        if let Err(error) = disk::sync_folder_of(self.target, steps) {
            let mut trouble = self.trouble(&error);
            trouble.left.extend(self.undo(Steps::NONE).err());
            return Err(trouble);
        }
        Ok(())
    }

    /// Exchanges the files; returns whether the old file was as read, else it is put back.
    fn exchange(&self, before: &str, after: &str, steps: Steps<'_>) -> io::Result<bool> {
        let can_exchange = match steps.next("exchange the files") {
            Err(error) if error.kind() == ErrorKind::Unsupported => false,
            announced => announced.and_then(|()| exchange(&self.temporary, self.target))?,
        };
        if can_exchange {
            if holds(&self.temporary, before) {
                return Ok(true);
            }
            steps.next("exchange them back")?;
            exchange(&self.temporary, self.target)?;
            if !holds(&self.temporary, after) {
                // Somebody wrote again in between: their last version counts.
                steps.next("exchange them once more")?;
                exchange(&self.temporary, self.target)?;
            }
            return Ok(false);
        }
        steps.next("give the old file a second name")?;
        let has_old = fs::hard_link(self.target, &self.old).is_ok();
        if has_old && !holds(&self.old, before) {
            // It is the file itself, under an extra name.
            fs::remove_file(&self.old)?;
            return Ok(false);
        }
        steps.next("rename over the old file")?;
        if !holds(self.target, before) {
            return Ok(false);
        }
        fs::rename(&self.temporary, self.target)?;
        if has_old && !holds(&self.old, before) && holds(self.target, after) {
            steps.next("rename it back")?;
            fs::rename(&self.old, self.target)?;
            return Ok(false);
        }
        Ok(true)
    }

    fn take_away(&self, before: &str, steps: Steps<'_>) -> io::Result<bool> {
        steps.next("take the old file away")?;
        move_new(self.target, &self.temporary)?;
        if holds(&self.temporary, before) {
            return Ok(true);
        }
        steps.next("bring it back")?;
        move_new(&self.temporary, self.target)?;
        Ok(false)
    }

    /// Restores the old file. If somebody else wrote meanwhile, theirs stays.
    pub(super) fn undo(&self, steps: Steps<'_>) -> Result<(), String> {
        let undone = match (self.before, self.after) {
            (Some(before), Some(after)) => self.undo_exchange(before, after, steps),
            (None, Some(after)) => steps
                .next("take the new file away")
                .and_then(|()| move_new(self.target, &self.temporary))
                .and_then(|()| {
                    if holds(&self.temporary, after) {
                        return Ok(true);
                    }
                    move_new(&self.temporary, self.target).map(|()| false)
                }),
            (Some(_), None) => steps
                .next("bring the old file back")
                .and_then(|()| move_new(&self.temporary, self.target))
                .map(|()| true),
            (None, None) => Ok(true),
        };
        let undone = undone.and_then(|done| {
            disk::sync_folder_of(self.target, steps)?;
            Ok(done)
        });
        let path = self.target.display();
        match undone {
            Ok(true) => Ok(()),
            Ok(false) => Err(format!("{path} was changed by somebody else and left as it is")),
            Err(error) => Err(format!("{path} could not be put back ({error})")),
        }
    }

    fn undo_exchange(&self, before: &str, after: &str, steps: Steps<'_>) -> io::Result<bool> {
        if holds(&self.temporary, before) {
            steps.next("exchange the files again")?;
            exchange(&self.temporary, self.target)?;
            if holds(&self.temporary, after) {
                return Ok(true);
            }
            steps.next("leave theirs")?;
            exchange(&self.temporary, self.target)?;
            return Ok(false);
        }
        if !holds(self.target, after) {
            return Ok(false);
        }
        if !holds(&self.old, before) {
            // Neither exchange nor hard links are available: write a copy.
            disk::write_new(&self.old, before.as_bytes(), For::Like(self.target), steps)?;
        }
        steps.next("rename the old file back")?;
        fs::rename(&self.old, self.target)?;
        Ok(true)
    }

    /// Removes temporary files. Unexpected content is kept.
    pub(super) fn clear(&self, steps: Steps<'_>) -> Option<String> {
        let mut left = None;
        for path in [&self.temporary, &self.old] {
            let Ok(metadata) = fs::symlink_metadata(path) else { continue };
            let is_known = metadata.is_file()
                && [self.before, self.after].into_iter().flatten().any(|text| holds(path, text));
            let removed = is_known && disk::remove(path, steps).is_ok();
            if !removed {
                left = Some(format!("{} is left over", path.display()));
            }
        }
        left
    }

    /// Whether the file has the new text.
    pub(super) fn stands(&self) -> bool {
        match self.after {
            Some(after) => holds(self.target, after),
            None => fs::symlink_metadata(self.target).is_err(),
        }
    }
}

/// Whether a regular file has exactly this text.
fn holds(path: &Path, text: &str) -> bool {
    let is_file = fs::symlink_metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.len() == text.len() as u64);
    is_file && disk::read(path).is_ok_and(|bytes| bytes == text.as_bytes())
}

/// Exchanges two files atomically; false if not supported.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(error) if is_unknown(error) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn exchange(_one: &Path, _other: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Whether the error means that kernel or file system does not support the operation.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn is_unknown(error: rustix::io::Errno) -> bool {
    use rustix::io::Errno;
    [Errno::NOSYS, Errno::INVAL, Errno::NOTSUP, Errno::OPNOTSUPP].contains(&error)
}

/// Renames a file to an unused name.
fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Err(error) if is_unknown(error) => {}
            moved => return Ok(moved?),
        }
    }
    move_by_link(from, to)
}

fn move_by_link(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(error),
        Err(_) if fs::symlink_metadata(to).is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Cause;

    #[test]
    fn one_file_is_replaced_if_it_is_what_was_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hooks.json");
        fs::write(&path, "new").unwrap();
        assert_eq!(replace(&path, "old", "mended").unwrap_err().cause, Cause::Changed);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        replace(&path, "new", "mended").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "mended");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
        let gone = replace(&folder.path().join("none"), "new", "mended").unwrap_err();
        assert_eq!(gone.cause, Cause::Changed);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_takes_no_files_is_an_error() {
        let path = Path::new("/proc/self/cmdline");
        let text = fs::read_to_string(path).unwrap();
        assert!(replace(path, &text, "mended").is_err());
    }

    #[test]
    fn a_file_is_never_moved_over_another() {
        for how in [move_new, move_by_link] {
            let folder = tempfile::tempdir().unwrap();
            let (from, to) = (folder.path().join("from"), folder.path().join("to"));
            fs::write(&from, "one").unwrap();
            fs::write(&to, "two").unwrap();
            assert_eq!(how(&from, &to).unwrap_err().kind(), ErrorKind::AlreadyExists);
            assert_eq!(fs::read_to_string(&to).unwrap(), "two");
            fs::remove_file(&to).unwrap();
            how(&from, &to).unwrap();
            assert_eq!(fs::read_to_string(&to).unwrap(), "one");
            assert!(!from.exists());
            assert_eq!(how(&from, &to).unwrap_err().kind(), ErrorKind::NotFound);
        }
    }
}
