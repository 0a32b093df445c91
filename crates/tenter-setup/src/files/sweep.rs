//! Removes temporary files of interrupted runs.

use std::fs;
use std::path::{Path, PathBuf};

use tenter_model::hash;

use super::ledger::{Entry, Ledger};
use super::steps::Steps;
use super::{backup, disk};

/// Removes temporary files of dead processes beside `target`. One whose text is neither in the file nor in a
/// backup nor one that we were about to write may be somebody's last edit: it is moved to the backups.
/// `locked` means that we hold the folder's lock, so that a file with our process id is from an earlier
/// process with that id.
pub(super) fn beside(target: &Path, locked: bool, ledger: &Ledger, now: u64, steps: Steps<'_>) {
    let state = ledger.state();
    let (Some(folder), stem) = (target.parent(), disk::stem(target)) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| disk::process_of(name, &stem));
        if process.is_none_or(|process| is_busy(process, locked))
            || !entry.file_type().is_ok_and(|kind| kind.is_file())
        {
            continue;
        }
        let path = entry.path();
        let Ok(bytes) = disk::read(&path) else { continue };
        if is_kept(&bytes, target, ledger, state)
            || backup::save(state, &left_over(target), &bytes, now, steps).is_ok()
        {
            // If removal fails, try again next time.
            drop(disk::remove(&path, steps));
        }
    }
}

/// Name under which such texts are backed up: they may be incomplete.
fn left_over(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".left-over");
    PathBuf::from(name)
}

fn is_busy(process: u32, locked: bool) -> bool {
    let is_own = process == std::process::id();
    if is_own { !locked } else { disk::is_alive(process) }
}

fn is_kept(bytes: &[u8], target: &Path, ledger: &Ledger, state: &Path) -> bool {
    let is_pending = || {
        let hash = hash::sha256(bytes);
        let wrote = |entry: &Entry| {
            [&entry.pending, &entry.written].into_iter().flatten().any(|known| *known == hash)
        };
        ledger.entries.iter().any(|entry| entry.path == target && wrote(entry))
    };
    let is = |path: &Path| disk::read(path).is_ok_and(|other| other == bytes);
    bytes.is_empty()
        || is(target)
        || is_pending()
        || backup::list(state, target).iter().any(|kept| is(kept))
}

/// Removes our temporary files from our own folders.
pub(super) fn own(state: &Path, steps: Steps<'_>) {
    for folder in [state.to_owned(), backup::folder(state)] {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let process = name.to_str().and_then(|name| {
                let rest = name.rsplit_once(".tenter-")?.1;
                disk::process_of(rest, "")
            });
            if process.is_some_and(|process| !is_busy(process, true)) {
                drop(disk::remove(&entry.path(), steps));
            }
        }
    }
}
