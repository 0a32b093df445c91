//! The ledger: which files we changed, and their original content.
//!
//! If the ledger is damaged, or a file does not match it, an uninstall removes our entries from the file
//! instead of restoring an old text.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tenter_model::hash;

use super::lock::state;
use super::steps::Steps;
use super::trouble::Trouble;
use super::{backup, disk, target};
use crate::Places;
use crate::edit::Hook;
use crate::plan::Choice;

const NAME: &str = "installed.json";
const VERSION: u32 = 1;

/// One file that contains, or is about to contain, our hooks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The file with all links resolved.
    pub path: PathBuf,
    /// Whether we created the file.
    pub created_file: bool,
    /// Content before our first change.
    pub original: Option<Original>,
    /// Hashes of the text we wrote, and of the one we are about to write or may have written when killed.
    /// Both contain only the original and our entries.
    pub written: Option<String>,
    pub pending: Option<String>,
    /// Whether an uninstall is in progress.
    #[serde(default)]
    pub leaving: bool,
    /// Foreign hooks that we removed, because the policy runs them. An uninstall restores them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Hook>,
    /// Install options of the file; `None` if an older version installed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Our hooks in the text we wrote, so that they can be restored.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Hook>,
    /// Folders created for the file, outermost first.
    pub created_folders: Vec<PathBuf>,
    /// Seconds since 1970.
    pub at: u64,
}

/// An original text that can be restored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// File name of the backup.
    pub backup: String,
    pub sha256: String,
}

impl Entry {
    /// Whether this text contains only the original and our entries.
    pub fn wrote(&self, text: &str) -> bool {
        let hash = hash::sha256(text.as_bytes());
        [&self.written, &self.pending].into_iter().flatten().any(|known| *known == hash)
    }

    /// Whether the file is as it was before our first change.
    pub(super) fn is_restored(&self, text: Option<&str>) -> bool {
        match (text, &self.original) {
            (None, _) => self.created_file,
            (Some(text), Some(original)) => hash::sha256(text.as_bytes()) == original.sha256,
            (Some(_), None) => false,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    files: Vec<Entry>,
}

/// All files we changed.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    state: PathBuf,
    /// Whether the ledger file exists.
    exists: bool,
    pub(super) entries: Vec<Entry>,
    /// Why the ledger may be incomplete.
    pub note: Option<String>,
}

/// Reads the ledger of this user.
pub fn ledger(places: &Places) -> Result<Ledger, Trouble> {
    Ledger::read(state(places)?)
}

impl Ledger {
    pub(super) fn read(state: &Path) -> Result<Self, Trouble> {
        let path = state.join(NAME);
        let mut ledger = Self { state: state.to_owned(), ..Self::default() };
        let bytes = match disk::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(ledger),
            Err(error) => return Err(Trouble::io(&path, &error)),
        };
        ledger.exists = true;
        match parse(&bytes) {
            Ok(entries) => ledger.entries = entries,
            Err(why) => {
                ledger.note = Some(format!(
                    "{}: {why}; what was in files before is not known from it, so only our entries \
                     are taken out of them (backups are in {})",
                    path.display(),
                    backup::folder(state).display()
                ));
            }
        }
        Ok(ledger)
    }

    pub(super) fn state(&self) -> &Path {
        &self.state
    }

    /// All files in the ledger.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of the file that a path leads to.
    pub fn entry(&self, path: &Path) -> Option<&Entry> {
        let real = target::real_path(path).ok()?;
        self.entries.iter().find(|entry| entry.path == real)
    }

    /// The entry by the file's own path: a link may have replaced it since.
    pub fn named(&self, path: &Path) -> Option<&Entry> {
        let folder = path.parent()?.canonicalize().ok()?;
        let own = folder.join(path.file_name()?);
        self.entries.iter().find(|entry| entry.path == own)
    }

    /// The replacement for `text` in an uninstall: a text, or nothing (`Some(None)`) if we created the file.
    /// `None` if others changed it or the backup is lost, so that entries must be removed one by one.
    pub fn original(&self, path: &Path, text: &str) -> Option<Option<String>> {
        let entry = self.entry(path).or_else(|| self.moved(path, text));
        let entry = entry.filter(|entry| entry.wrote(text))?;
        match &entry.original {
            Some(original) => {
                backup::text(&self.state, &original.backup, &original.sha256).map(Some)
            }
            None => entry.created_file.then_some(None),
        }
    }

    /// The entry of a file that we wrote at another path that no longer exists: its project was moved.
    fn moved(&self, path: &Path, text: &str) -> Option<&Entry> {
        let is_moved = |entry: &&Entry| {
            entry.path.file_name() == path.file_name() && entry.wrote(text) && !entry.path.exists()
        };
        self.entries.iter().find(is_moved)
    }

    /// Whether the file is byte for byte what we wrote.
    pub fn is_untouched(&self, path: &Path, text: &str) -> bool {
        self.entry(path).is_some_and(|entry| entry.wrote(text))
    }

    /// Path of the backup of a file's original.
    pub fn backup(&self, path: &Path) -> Option<PathBuf> {
        let original = self.entry(path)?.original.as_ref()?;
        Some(backup::folder(&self.state).join(&original.backup))
    }

    pub(super) fn put(&mut self, entry: Entry) {
        self.entries.retain(|old| old.path != entry.path);
        self.entries.push(entry);
    }

    pub(super) fn forget(&mut self, real: &Path) {
        self.entries.retain(|entry| entry.path != real);
    }

    /// Restores the ledger after a newer one was written. A damaged one stays where it was set aside.
    pub(super) fn write_again(&mut self, now: u64, steps: Steps<'_>) -> Result<(), Trouble> {
        self.note = None;
        if self.exists {
            return self.write(now, steps);
        }
        let path = self.state.join(NAME);
        disk::remove(&path, steps).map_err(|error| Trouble::io(&path, &error))
    }

    /// Writes the ledger. A damaged one is set aside, not deleted.
    pub(super) fn write(&mut self, now: u64, steps: Steps<'_>) -> Result<(), Trouble> {
        let path = self.state.join(NAME);
        let trouble = |error: &std::io::Error| Trouble::io(&path, error);
        if self.note.is_some() {
            let aside = self.state.join(format!("{NAME}.unread-{}", disk::stamp(now)));
            let moved = steps.next("set the ledger aside").and_then(|()| fs::rename(&path, aside));
            moved.map_err(|error| trouble(&error))?;
            self.note = None;
        }
        let file = File { version: VERSION, files: self.entries.clone() };
        let mut bytes = serde_json::to_vec_pretty(&file)
            .map_err(|error| trouble(&std::io::Error::other(error)))?;
        bytes.push(b'\n');
        disk::replace_private(&path, &bytes, steps).map_err(|error| trouble(&error))
    }

    /// Removes the empty folders of an entry; returns them.
    pub(super) fn remove_folders(entry: &Entry, steps: Steps<'_>) -> Vec<PathBuf> {
        let mut removed = Vec::new();
        for folder in entry.created_folders.iter().rev() {
            // A ledger with unrelated folders was not written by us.
            if !entry.path.starts_with(folder) || entry.path == *folder {
                continue;
            }
            // Fails unless the folder is empty.
            let gone = steps.next("remove a folder").and_then(|()| fs::remove_dir(folder));
            match gone {
                Ok(()) => removed.push(folder.clone()),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(_) => break,
            }
        }
        removed
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let head: Head = serde_json::from_slice(bytes).map_err(|_| "it is damaged".to_owned())?;
    if head.version != VERSION {
        return Err(format!("it is of version {}, which this tenter does not know", head.version));
    }
    let file: File = serde_json::from_slice(bytes).map_err(|_| "it is damaged".to_owned())?;
    Ok(file.files)
}
