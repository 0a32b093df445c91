//! Changes several files atomically: all of them or none.

use std::fs;
use std::path::{Path, PathBuf};

use super::intent::{self, Mark};
use super::ledger::Ledger;
use super::steps::Steps;
use super::target::{self, Target};
use super::trouble::{Cause, Trouble};
use super::work::Work;
use super::{Applied, Change, attributes, lock, sweep};
use crate::Places;
use crate::edit::{Fault, Hook};
use crate::plan::Choice;

/// Predicate: whether a text of this file contains our hooks.
pub type Ours<'o> = &'o dyn Fn(&Path, &str) -> bool;

/// Validates a text before it replaces a file.
pub type Check<'c> = &'c dyn Fn(&Path, &str) -> Result<(), Fault>;

/// Callbacks and data from the caller.
#[derive(Clone, Copy)]
pub struct Judge<'j> {
    pub check: Check<'j>,
    /// `None` if an uninstall shall not undo the change.
    pub ours: Option<Ours<'j>>,
    /// Foreign hooks that are removed from files, for an uninstall to restore.
    pub moved: &'j [(PathBuf, Hook)],
    /// Install options of each file, kept for the next install.
    pub chosen: &'j [(PathBuf, Choice)],
}

impl std::fmt::Debug for Judge<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").finish_non_exhaustive()
    }
}

/// Applies all changes or none. `check` gets each new text as read back from disk, before any file is
/// replaced. After an error everything is as before, except for what [`Trouble::left`] names.
pub fn apply(changes: &[Change], check: Check<'_>, places: &Places) -> Result<Applied, Trouble> {
    apply_choosing(changes, &[], &[], check, places)
}

/// [`apply()`] for an install: `moved` are foreign hooks that are removed and restored by an uninstall;
/// `chosen` the options of each file.
pub fn apply_choosing(
    changes: &[Change],
    moved: &[(PathBuf, Hook)],
    chosen: &[(PathBuf, Choice)],
    check: Check<'_>,
    places: &Places,
) -> Result<Applied, Trouble> {
    let judge = Judge { check, ours: Some(&intent::holds_ours), moved, chosen };
    apply_with(changes, judge, places, Steps::NONE)
}

/// [`apply()`] for changes of foreign entries, which an uninstall does not undo. From then on the file counts
/// as changed by others.
pub fn apply_for_others(
    changes: &[Change],
    check: Check<'_>,
    places: &Places,
) -> Result<Applied, Trouble> {
    let judge = Judge { check, ours: None, moved: &[], chosen: &[] };
    apply_with(changes, judge, places, Steps::NONE)
}

/// [`apply()`] for tests that interrupt it.
pub fn apply_with(
    changes: &[Change],
    judge: Judge<'_>,
    places: &Places,
    steps: Steps<'_>,
) -> Result<Applied, Trouble> {
    let state = lock::state(places)?;
    let _ledger_lock = lock::take(state, "installed.lock", lock::WAIT)?;
    let mut ledger = Ledger::read(state)?;
    let mut applied = Applied::default();
    applied.notes.extend(ledger.note.clone());
    sweep::own(state, steps);
    // Before an interrupted uninstall is completed: its leftovers would keep its folder from being removed,
    // and the ledger would forget them.
    for entry in ledger.entries.iter().filter(|entry| entry.leaving) {
        sweep::beside(&entry.path, false, &ledger, places.now, steps);
    }
    finish_leaving(&mut ledger, places.now, &mut applied, steps)?;
    let jobs = jobs(changes, &ledger, judge)?;
    let folders: Vec<PathBuf> = jobs.iter().map(|job| job.target.folder().to_owned()).collect();
    let _folder_locks = lock::folders(&folders, lock::WAIT)?;
    let known = ledger.entries.iter().map(|entry| (entry.path.as_path(), false));
    let locked = jobs.iter().map(|job| (job.target.path.as_path(), true));
    for (path, locked) in known.chain(locked) {
        sweep::beside(path, locked, &ledger, places.now, steps);
    }
    for job in &jobs {
        job.inspect(&mut applied)?;
    }
    if jobs.is_empty() {
        crate::wiring::renew(places, &ledger);
        return Ok(applied);
    }
    Work::new(&jobs, judge, places, ledger, steps).carry_out(applied)
}

/// One change and its target file.
pub(super) struct Job<'c> {
    pub(super) change: &'c Change,
    pub(super) target: Target,
    pub(super) mark: Mark,
}

/// The changes that have an effect.
fn jobs<'c>(
    changes: &'c [Change],
    ledger: &Ledger,
    judge: Judge<'_>,
) -> Result<Vec<Job<'c>>, Trouble> {
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for change in changes {
        let mark = match judge.ours {
            Some(ours) => intent::mark(change, ledger, ours),
            None => Mark::Passes,
        };
        if change.before == change.after && mark != Mark::Leaves {
            continue;
        }
        let target = target::resolve(&change.path)?;
        if target.path.to_str().is_none() {
            return Err(Trouble::new(Cause::NotText, &change.path, "its path is not UTF-8"));
        }
        if let Some(job) = jobs.iter().find(|job| job.target.path == target.path) {
            // Two scopes can share a file through links.
            if (&job.change.before, &job.change.after) == (&change.before, &change.after) {
                continue;
            }
            let reason = "two changes lead to this file; make them one after the other";
            return Err(Trouble::new(Cause::Link, &change.path, reason));
        }
        jobs.push(Job { change, target, mark });
    }
    Ok(jobs)
}

impl Job<'_> {
    /// Checks that the file is as read and may be replaced.
    fn inspect(&self, applied: &mut Applied) -> Result<(), Trouble> {
        let named = &self.change.path;
        let current = target::read_target(named, &self.target.path)?;
        if current != self.change.before {
            return Err(Trouble::changed(named));
        }
        if self.change.before == self.change.after {
            return Ok(());
        }
        target::writable(named, &self.target)?;
        let names = fs::metadata(&self.target.path).map_or(1, |it| attributes::names(&it));
        if names > 1 {
            applied.notes.push(format!(
                "{} had {names} names (hard links); the others keep the old text",
                self.target.path.display()
            ));
        }
        Ok(())
    }
}

/// Completes uninstalls that were interrupted after restoring the file.
fn finish_leaving(
    ledger: &mut Ledger,
    now: u64,
    applied: &mut Applied,
    steps: Steps<'_>,
) -> Result<(), Trouble> {
    let mut gone = Vec::new();
    for entry in ledger.entries.iter().filter(|entry| entry.leaving) {
        let Ok(text) = target::read_target(&entry.path, &entry.path) else { continue };
        if entry.is_restored(text.as_deref()) {
            gone.push(entry.clone());
        }
    }
    if gone.is_empty() {
        return Ok(());
    }
    for entry in &gone {
        if entry.created_file {
            applied.removed.extend(Ledger::remove_folders(entry, steps));
        }
        ledger.forget(&entry.path);
    }
    ledger.write(now, steps)
}
