//! Classifies a change for the ledger.

use std::path::{Path, PathBuf};

use tenter_model::HostId;
use tenter_model::hash;

use super::Change;
use super::apply::Ours;
use super::ledger::{Entry, Ledger, Original};
use super::target::Target;
use crate::edit::{self, Format, Style};
use crate::{command, wiring};

/// Whether a text contains our hooks, whichever host's file it is.
pub(crate) fn holds_ours(path: &Path, text: &str) -> bool {
    HostId::ALL.iter().any(|host| {
        edit::read(text, &Style::of(*host, Format::of(path)))
            .is_ok_and(|hooks| hooks.iter().any(|hook| command::ours(hook).is_some()))
    })
}

/// Effect of a change on the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The file contains something of ours afterwards, which an uninstall removes.
    Enters,
    /// Nothing of ours is left: the file is removed, restored, or loses our last hook.
    Leaves,
    /// It concerns foreign entries. If the ledger knows the file, it now counts as changed by others.
    Passes,
}

pub(super) fn mark(change: &Change, ledger: &Ledger, ours: Ours<'_>) -> Mark {
    let Some(after) = change.after.as_deref() else { return Mark::Leaves };
    // Only files this program created may be deleted.
    let Some(before) = change.before.as_deref() else { return Mark::Enters };
    let entry = ledger.entry(&change.path);
    let (had, has) = (ours(&change.path, before), ours(&change.path, after));
    if has {
        return Mark::Enters;
    }
    let is_original = || ledger.original(&change.path, before) == Some(Some(after.to_owned()));
    if had || (before == after && entry.is_some()) || is_original() {
        return Mark::Leaves;
    }
    if entry.is_some_and(|entry| entry.wrote(before)) { Mark::Enters } else { Mark::Passes }
}

/// The ledger entry of a file while hooks are installed into it.
pub(super) fn entry(
    change: &Change,
    target: &Target,
    old: Option<&Entry>,
    backup: Option<&Path>,
    ours: Ours<'_>,
    now: u64,
) -> Entry {
    let before = change.before.as_deref();
    let holds = |text: Option<&str>| text.is_some_and(|text| ours(&change.path, text));
    let known = before.and_then(|before| old.filter(|old| old.wrote(before)));
    let (had, has) = (holds(before), holds(change.after.as_deref()));
    let is_fresh = !had && (has || known.is_none());
    let (original, created_file, written) = if is_fresh {
        let original = before.zip(backup).map(|(text, backup)| Original {
            backup: backup.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            sha256: hash::sha256(text.as_bytes()),
        });
        (original, before.is_none(), None)
    } else if let Some(old) = known {
        // The replaced text contains only the original and our own entries.
        let written = before.map(|before| hash::sha256(before.as_bytes()));
        (old.original.clone(), old.created_file, written)
    } else {
        // Changed by others and containing our hooks: no text is the original any more.
        (None, false, None)
    };
    Entry {
        path: target.path.clone(),
        created_file,
        original,
        written,
        pending: change.after.as_deref().map(|after| hash::sha256(after.as_bytes())),
        leaving: false,
        moved: old.filter(|_| !is_fresh).map(|old| old.moved.clone()).unwrap_or_default(),
        choice: old.and_then(|old| old.choice.clone()),
        hooks: change.after.as_deref().map(|it| wiring::ours(&change.path, it)).unwrap_or_default(),
        created_folders: folders(target, old),
        at: now,
    }
}

/// The folders created now and earlier: an uninstall removes the empty ones.
fn folders(target: &Target, old: Option<&Entry>) -> Vec<PathBuf> {
    let mut folders = old.map(|old| old.created_folders.clone()).unwrap_or_default();
    for folder in &target.missing {
        if !folders.contains(folder) {
            folders.push(folder.clone());
        }
    }
    folders.sort_by_key(|folder| folder.components().count());
    folders
}
