//! What we did to which file, and what was there before us.
//!
//! The ledger only ever says less than there is: if it is damaged, or a file is not what it says, an
//! uninstall takes our entries out of the file instead of putting an old text back.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lock::state;
use super::steps::Steps;
use super::trouble::Trouble;
use super::{backup, disk, target};
use crate::edit::Hook;
use crate::plan::Choice;
use crate::{Places, hash};

const NAME: &str = "installed.json";
const VERSION: u32 = 1;

/// One file that holds, or is about to hold, hooks of ours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The file itself, with all links followed.
    pub path: PathBuf,
    /// There was no file before us.
    pub created_file: bool,
    /// What was there before our first change.
    pub original: Option<Original>,
    /// The hash of what we wrote, and of what we are about to write or may have written when we were
    /// ended. Either is known to hold nothing but the original and our entries.
    pub written: Option<String>,
    pub pending: Option<String>,
    /// An uninstall is under way.
    #[serde(default)]
    pub leaving: bool,
    /// Hooks of others that were taken out, because we run them from the policy. They go back with us.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<Hook>,
    /// The options that the file was wired with; `None` where an older version wired it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<Choice>,
    /// Our hooks in what we wrote, so that they can be put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Hook>,
    /// Folders that were made for the file, the outermost first.
    pub created_folders: Vec<PathBuf>,
    /// Seconds since 1970.
    pub at: u64,
}

/// A text that can be brought back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    /// The name of the backup.
    pub backup: String,
    pub sha256: String,
}

impl Entry {
    /// Whether everything in this text is the original's or ours.
    pub fn wrote(&self, text: &str) -> bool {
        let hash = hash::sha256(text.as_bytes());
        [&self.written, &self.pending].into_iter().flatten().any(|known| *known == hash)
    }

    /// Whether the file is as it was before us.
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
    /// There is a file.
    exists: bool,
    pub(super) entries: Vec<Entry>,
    /// Why there is less in it than there might be.
    pub note: Option<String>,
}

/// The ledger of this user.
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

    /// Every file we know of.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What is known of the file that a path leads to.
    pub fn entry(&self, path: &Path) -> Option<&Entry> {
        let real = target::real_path(path).ok()?;
        self.entries.iter().find(|entry| entry.path == real)
    }

    /// What is known of a file by its own name: a link may have been laid in its place since.
    pub fn named(&self, path: &Path) -> Option<&Entry> {
        let folder = path.parent()?.canonicalize().ok()?;
        let own = folder.join(path.file_name()?);
        self.entries.iter().find(|entry| entry.path == own)
    }

    /// What an uninstall puts in the place of `text`: a text, or nothing (`Some(None)`) if we made the
    /// file. None: others have been at it or the backup is lost, so entries must be taken out one by one.
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

    /// A file that we wrote elsewhere, and that is there no longer: its project was moved.
    fn moved(&self, path: &Path, text: &str) -> Option<&Entry> {
        let is_moved = |entry: &&Entry| {
            entry.path.file_name() == path.file_name() && entry.wrote(text) && !entry.path.exists()
        };
        self.entries.iter().find(is_moved)
    }

    /// Whether the file is still, to the byte, what we wrote.
    pub fn is_untouched(&self, path: &Path, text: &str) -> bool {
        self.entry(path).is_some_and(|entry| entry.wrote(text))
    }

    /// Where the original of a file is kept.
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

    /// Puts the ledger back to what it was, after another was written. One that could not be understood
    /// stays where it was set aside.
    pub(super) fn write_again(&mut self, now: u64, steps: Steps<'_>) -> Result<(), Trouble> {
        self.note = None;
        if self.exists {
            return self.write(now, steps);
        }
        let path = self.state.join(NAME);
        disk::remove(&path, steps).map_err(|error| Trouble::io(&path, &error))
    }

    /// Replaces the file. One that could not be understood is set aside, not thrown away.
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

    /// Removes the folders of an entry that are empty; returns those.
    pub(super) fn remove_folders(entry: &Entry, steps: Steps<'_>) -> Vec<PathBuf> {
        let mut removed = Vec::new();
        for folder in entry.created_folders.iter().rev() {
            // A ledger that names folders elsewhere was not written by us.
            if !entry.path.starts_with(folder) || entry.path == *folder {
                continue;
            }
            // Only an empty folder can be removed like this.
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
