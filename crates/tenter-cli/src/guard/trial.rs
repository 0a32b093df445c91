//! Calls made by `tenter fire`: judged like real ones, with a state folder of their own.
//!
//! A trial must not count as life and must not enter the record. The variable names a folder below our state
//! that `tenter fire` holds locked while it runs, so a repository that sets the variable gains nothing.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tenter_files::Whose;

use super::{LocalMachine, folders};

/// Name of a running trial, for hooks.
const VARIABLE: &str = "TENTER_TRIAL";
const FOLDER: &str = "trials";
/// The file that is locked while the trial runs.
const LOCK: &str = "running";
const MOMENT: Duration = Duration::from_secs(60);
/// Approvals of handlers also hold in a trial.
const TRUSTED: &str = "trusted";

/// Redirects state and anchors to the folder of a running trial, if this call is one.
pub(crate) fn redirect(machine: &mut LocalMachine) {
    let Ok(token) = std::env::var(VARIABLE) else { return };
    let is_token = token.bytes().all(|byte| byte.is_ascii_hexdigit());
    let state = machine.folders.state.as_deref().filter(|_| is_token && !token.is_empty());
    let folder = state.map(|state| state.join(FOLDER).join(token));
    if let Some(folder) = folder.filter(|folder| is_running(folder)) {
        machine.folders.data = Some(folder.clone());
        machine.folders.state = Some(folder);
    }
}

fn is_running(folder: &Path) -> bool {
    tenter_files::open(&folder.join(LOCK), Whose::State)
        .is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Whether the trial of this folder was killed. A new one takes a moment to lock it.
fn is_left(folder: &Path) -> bool {
    let age = std::fs::metadata(folder).and_then(|it| it.modified()).map(|at| at.elapsed());
    let is_old = age.is_ok_and(|age| age.is_ok_and(|age| age > MOMENT));
    is_old && !is_running(folder)
}

/// A trial that runs until it is dropped.
#[derive(Debug)]
pub(crate) struct Trial {
    token: String,
    folder: PathBuf,
    lock: Option<File>,
}

impl Trial {
    /// Begins a trial; `None` without a state folder, where hooks leave no traces either.
    pub(crate) fn begin(state: Option<&Path>) -> Option<Self> {
        let state = state?;
        let trials = state.join(FOLDER);
        for old in std::fs::read_dir(&trials).into_iter().flatten().flatten() {
            if is_left(&old.path()) {
                drop(std::fs::remove_dir_all(old.path()));
            }
        }
        let token = tenter_setup::canary::token();
        let folder = trials.join(&token);
        folders::make_private(&folder).ok()?;
        let mut trial = Self { token, folder, lock: None };
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let lock = folders::open_private(&trial.folder.join(LOCK), &mut options).ok()?;
        lock.try_lock().ok()?;
        trial.lock = Some(lock);
        drop(std::fs::copy(state.join(TRUSTED), trial.folder.join(TRUSTED)));
        Some(trial)
    }

    /// The variable that tells hooks of this trial.
    pub(crate) fn variable(&self) -> (String, String) {
        (VARIABLE.to_owned(), self.token.clone())
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.folder));
        // Folders made for the trial alone; others are not empty.
        for folder in self.folder.ancestors().skip(1).take(2) {
            drop(std::fs::remove_dir(folder));
        }
    }
}
