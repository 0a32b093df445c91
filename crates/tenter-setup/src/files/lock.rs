//! Lock that serialises installs and uninstalls.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tenter_files::Whose;

use super::disk;
use super::steps::Steps;
use super::trouble::{Cause, Trouble};
use crate::Places;

/// Maximum wait for another process.
pub(super) const WAIT: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// Exclusive lock. Released when dropped or when the process ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
    /// Lock file, where the file system does not support locks.
    sign: Option<PathBuf>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(sign) = &self.sign {
            drop(fs::remove_file(sign));
        }
    }
}

/// Takes the install lock of this user. Take it before files are read, and hold it until they are written.
pub fn lock(places: &Places) -> Result<Lock, Trouble> {
    lock_within(places, WAIT)
}

/// [`lock`] with another timeout.
pub fn lock_within(places: &Places, wait: Duration) -> Result<Lock, Trouble> {
    take(state(places)?, "install.lock", wait)
}

pub(super) fn state(places: &Places) -> Result<&Path, Trouble> {
    places.state.as_deref().ok_or_else(|| {
        let reason = "there is no folder for what must be remembered; set HOME";
        Trouble::new(Cause::NoHome, Path::new("~/.local/state/tenterhook"), reason)
    })
}

/// Takes the lock of this name in our state folder.
pub(super) fn take(state: &Path, name: &str, wait: Duration) -> Result<Lock, Trouble> {
    let path = state.join(name);
    let trouble = |error: &io::Error| Trouble::io(&path, error);
    let until = Instant::now() + wait;
    loop {
        disk::make_private(state, Steps::NONE).map_err(|error| Trouble::io(state, &error))?;
        let file = match open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound && Instant::now() < until => continue,
            file => file.map_err(|error| trouble(&error))?,
        };
        match file.try_lock() {
            Ok(()) if is_still(&file, &path) => return Ok(hold(file, None)),
            // It was removed while we waited; try the new file.
            Ok(()) => continue,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(_)) => {
                let sign = path.with_extension("held");
                if put_up(&sign).map_err(|error| trouble(&error))? {
                    return Ok(hold(file, Some(sign)));
                }
            }
        }
        if Instant::now() >= until {
            return Err(busy(&path, wait));
        }
        std::thread::sleep(PAUSE);
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    tenter_files::open_with(path, &mut options, Whose::State)
}

/// Writes our process id for those who wait; the lock does not depend on it.
fn hold(mut file: File, sign: Option<PathBuf>) -> Lock {
    let written = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
    drop(written);
    Lock { _file: file, sign }
}

fn busy(path: &Path, wait: Duration) -> Trouble {
    let holder = number(path).or_else(|| number(&path.with_extension("held")));
    let holder = holder.map_or_else(String::new, |number| format!(" (process {number})"));
    let reason = format!(
        "another set-up{holder} has been at work for more than {} seconds; try again when it is done",
        wait.as_secs()
    );
    Trouble::new(Cause::Busy, path, reason)
}

fn number(path: &Path) -> Option<u32> {
    let text = tenter_files::start(path, 20, Whose::State).ok()?;
    str::from_utf8(&text).ok()?.trim().parse().ok()
}

/// Creates a lock file where the file system does not support locks: true once it is ours. The file of a dead
/// process is ignored.
fn put_up(sign: &Path) -> io::Result<bool> {
    let options = &mut OpenOptions::new();
    match tenter_files::open_with(sign, options.write(true).create_new(true), Whose::State) {
        Ok(mut file) => writeln!(file, "{}", std::process::id()).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if number(sign).is_some_and(|number| !disk::is_alive(number)) {
                drop(fs::remove_file(sign));
            }
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let same = |one: &fs::Metadata, other: &fs::Metadata| {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    };
    match (file.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(there)) => same(&held, &there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// Locks the folders themselves, against installs of other users. Where that fails, the check before each
/// change has to suffice.
pub(super) fn folders(folders: &[PathBuf], wait: Duration) -> Result<Vec<File>, Trouble> {
    // Always in the same order, to avoid deadlocks.
    let mut folders: Vec<&PathBuf> = folders.iter().collect();
    folders.sort_unstable();
    folders.dedup();
    let until = Instant::now() + wait;
    let mut held = Vec::new();
    for folder in folders {
        let Ok(file) = tenter_files::open_folder(folder) else { continue };
        loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => return Err(busy(folder, wait)),
                Ok(()) | Err(TryLockError::Error(_)) => break,
            }
        }
        held.push(file);
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_of_a_process_that_is_gone_does_not_count() {
        let folder = tempfile::tempdir().unwrap();
        let sign = folder.path().join("install.held");
        assert!(put_up(&sign).unwrap());
        assert!(!put_up(&sign).unwrap(), "ours is alive");
        fs::write(&sign, "4294967295\n").unwrap();
        assert!(!put_up(&sign).unwrap(), "taken down");
        assert!(put_up(&sign).unwrap());
    }

    #[test]
    fn who_waits_too_long_learns_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let held = take(folder.path(), "install.lock", WAIT).unwrap();
        let trouble = take(folder.path(), "install.lock", Duration::from_millis(30)).unwrap_err();
        assert_eq!(trouble.cause, Cause::Busy);
        assert!(trouble.reason.contains(&format!("process {}", std::process::id())), "{trouble}");
        drop(held);
        take(folder.path(), "install.lock", Duration::ZERO).unwrap();
    }

    #[test]
    fn a_lock_whose_file_was_removed_is_not_held() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let first = take(&state, "install.lock", WAIT).unwrap();
        fs::remove_dir_all(&state).unwrap();
        let second = take(&state, "install.lock", WAIT).unwrap();
        let third = take(&state, "install.lock", Duration::from_millis(30));
        assert_eq!(third.unwrap_err().cause, Cause::Busy);
        drop((first, second));
    }
}
