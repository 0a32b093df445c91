//! A set of changes in progress: recorded, prepared, carried out, then confirmed or rolled back.

use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::apply::{Job, Judge};
use super::disk::For;
use super::intent::{self, Mark};
use super::ledger::{Entry, Ledger};
use super::steps::Steps;
use super::swap::Swap;
use super::trouble::{Cause, Trouble};
use super::{Applied, attributes, backup, disk};
use crate::Places;

pub(super) struct Work<'w> {
    jobs: &'w [Job<'w>],
    judge: Judge<'w>,
    places: &'w Places,
    steps: Steps<'w>,
    before: Ledger,
    ledger: Ledger,
    /// The intent is on disk.
    recorded: bool,
    /// By job.
    backups: Vec<Option<PathBuf>>,
    made: Vec<PathBuf>,
    swaps: Vec<Swap<'w>>,
    /// Number of swaps carried out.
    done: usize,
}

impl<'w> Work<'w> {
    pub(super) fn new(
        jobs: &'w [Job<'w>],
        judge: Judge<'w>,
        places: &'w Places,
        ledger: Ledger,
        steps: Steps<'w>,
    ) -> Self {
        Self {
            jobs,
            judge,
            places,
            steps,
            before: ledger.clone(),
            ledger,
            recorded: false,
            backups: Vec::new(),
            made: Vec::new(),
            swaps: Vec::new(),
            done: 0,
        }
    }

    pub(super) fn carry_out(mut self, mut applied: Applied) -> Result<Applied, Trouble> {
        match self.run() {
            Ok(()) => {
                self.commit(&mut applied);
                Ok(applied)
            }
            Err(mut trouble) => {
                trouble.left.extend(self.roll_back());
                Err(trouble)
            }
        }
    }

    fn run(&mut self) -> Result<(), Trouble> {
        self.record()?;
        self.prepare()?;
        for swap in &self.swaps {
            swap.carry_out(self.steps)?;
            self.done += 1;
        }
        self.confirm()
    }

    /// Writes backups and intent: from here on nothing can be lost.
    fn record(&mut self) -> Result<(), Trouble> {
        let jobs = self.jobs;
        for job in jobs {
            let old = job.change.before.as_deref();
            let old = old.filter(|_| job.change.before != job.change.after);
            let path = &job.target.path;
            let backup = old
                .map(|old| {
                    backup::save(
                        self.ledger.state(),
                        path,
                        old.as_bytes(),
                        self.places.now,
                        self.steps,
                    )
                })
                .transpose()?;
            self.backups.push(backup);
        }
        for (job, backup) in jobs.iter().zip(&self.backups) {
            let old = self.before.entries.iter().find(|entry| entry.path == job.target.path);
            let entry = match (job.mark, self.judge.ours) {
                (Mark::Leaves, _) => old.cloned().map(|old| Entry { leaving: true, ..old }),
                (Mark::Enters, Some(ours)) => {
                    let (backup, now) = (backup.as_deref(), self.places.now);
                    let mut entry = intent::entry(job.change, &job.target, old, backup, ours, now);
                    let moved = self.judge.moved.iter();
                    let moved = moved.filter(|(path, _)| *path == job.change.path);
                    entry.moved.extend(moved.map(|(_, hook)| hook.clone()));
                    let mut chosen = self.judge.chosen.iter();
                    let chosen = chosen.find(|(path, _)| *path == job.change.path);
                    entry.choice = chosen.map(|(_, choice)| choice.clone()).or(entry.choice);
                    Some(entry)
                }
                _ => None,
            };
            if let Some(entry) = entry {
                self.ledger.put(entry);
            }
        }
        if self.ledger.entries != self.before.entries {
            self.recorded = true;
            self.ledger.write(self.places.now, self.steps)?;
        }
        Ok(())
    }

    /// Writes the new texts to temporary files and checks them.
    fn prepare(&mut self) -> Result<(), Trouble> {
        let jobs: &'w [Job<'w>] = self.jobs;
        for job in jobs {
            let named = job.change.path.as_path();
            let whom = if self.is_shared(job) { For::Everyone } else { For::Usual };
            let mut folders = job.target.missing.as_slice();
            if job.change.after.is_none() {
                folders = &[];
            }
            for folder in folders {
                self.make_folder(folder, whom).map_err(|error| Trouble::io(named, &error))?;
            }
            if job.change.before == job.change.after {
                continue;
            }
            let (before, after) = (job.change.before.as_deref(), job.change.after.as_deref());
            let swap = Swap::prepare(named, &job.target.path, before, after, whom, self.steps)?;
            self.swaps.push(swap);
            let Some(swap) = self.swaps.last().filter(|_| after.is_some()) else { continue };
            let text = swap.written().map_err(|error| Trouble::io(named, &error))?;
            (self.judge.check)(named, &text).map_err(|why| {
                let reason = format!("the new text would not do: {why}");
                Trouble::new(Cause::Refused, named, reason)
            })?;
        }
        Ok(())
    }

    /// Whether a file made by root is for everyone, being outside its home.
    fn is_shared(&self, job: &Job<'_>) -> bool {
        let is_own = self.places.home.as_ref().and_then(|home| home.canonicalize().ok());
        let is_own = is_own.is_some_and(|home| job.target.path.starts_with(home));
        attributes::is_root() && !is_own
    }

    fn make_folder(&mut self, folder: &Path, whom: For<'_>) -> io::Result<()> {
        self.steps.next("make a folder")?;
        match DirBuilder::new().create(folder) {
            Ok(()) => self.made.push(folder.to_owned()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => {
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        match whom {
            For::Everyone => attributes::open_up(folder, 0o755)?,
            _ => attributes::settle(folder),
        }
        disk::sync_folder_of(folder, self.steps)
    }

    /// Records that the intended changes were made.
    fn confirm(&mut self) -> Result<(), Trouble> {
        for job in self.jobs {
            let path = &job.target.path;
            if job.mark == Mark::Enters
                && let Some(entry) = self.ledger.entries.iter_mut().find(|it| it.path == *path)
            {
                entry.written = entry.pending.take();
            }
        }
        // Entries of an uninstall are removed once their folders are gone too.
        if self.jobs.iter().any(|job| job.mark == Mark::Enters) {
            self.ledger.write(self.places.now, self.steps)
        } else {
            Ok(())
        }
    }

    /// Everything is in place. Failures from here on only leave something to clean up.
    fn commit(mut self, applied: &mut Applied) {
        for swap in &self.swaps {
            if !swap.stands() {
                let path = swap.named().display();
                applied.notes.push(format!("{path} was changed by somebody else right after"));
            }
            applied.notes.extend(swap.clear(self.steps));
        }
        let mut forgotten = false;
        for job in self.jobs.iter().filter(|job| job.mark == Mark::Leaves) {
            let path = &job.target.path;
            let Some(entry) = self.ledger.entries.iter().find(|entry| entry.path == *path) else {
                continue;
            };
            if job.change.after.is_none() {
                applied.removed.extend(Ledger::remove_folders(entry, self.steps));
            }
            self.ledger.forget(path);
            forgotten = true;
        }
        if forgotten && let Err(trouble) = self.ledger.write(self.places.now, self.steps) {
            applied.notes.push(format!("{trouble} (the next run tries again)"));
        }
        crate::wiring::renew(self.places, &self.ledger);
        for (job, backup) in self.jobs.iter().zip(self.backups) {
            let entry = self.ledger.entries.iter().find(|entry| entry.path == job.target.path);
            let original = entry.and_then(|entry| entry.original.as_ref());
            // Including the new one: a clock may have been set back.
            let new = backup.as_ref().and_then(|path| path.file_name()?.to_str());
            let needed: Vec<&str> =
                original.map(|it| it.backup.as_str()).into_iter().chain(new).collect();
            backup::prune(self.ledger.state(), &job.target.path, &needed, self.steps);
            applied.backups.extend(backup.map(|backup| (job.change.path.clone(), backup)));
        }
        applied.made = self.made;
    }

    /// Rolls everything back. Returns what could not be restored.
    fn roll_back(mut self) -> Vec<String> {
        let mut left = Vec::new();
        for (index, swap) in self.swaps.iter().enumerate().rev() {
            if index < self.done
                && let Err(why) = swap.undo(self.steps)
            {
                left.push(why);
            }
            left.extend(swap.clear(self.steps));
        }
        for folder in self.made.iter().rev() {
            // Somebody may have put something into it.
            let gone = self.steps.next("remove a folder").and_then(|()| fs::remove_dir(folder));
            if let Err(error) = gone {
                left.push(format!("{} could not be removed ({error})", folder.display()));
            }
        }
        let kept = self.backups.iter().flatten();
        if left.is_empty() {
            if self.recorded {
                // A leftover intent is harmless: no file matches it.
                drop(self.before.write_again(self.places.now, self.steps));
            }
            kept.for_each(|backup| drop(disk::remove(backup, self.steps)));
        } else {
            left.extend(kept.map(|backup| format!("the old text is in {}", backup.display())));
        }
        left
    }
}
