//! Changes files of others without ever losing data.
//!
//! [`apply()`] changes several files or none. Before the first is touched, the old texts are saved in
//! `<state>/backups` and the intent in `<state>/installed.json`; then each new text is written to a temporary
//! file, read back, and exchanged atomically with the old file. If the old file turns out to differ from what
//! was read, it is exchanged back. So whenever the process ends, every file has its old or its new content,
//! and the ledger knows the original.
//!
//! Preserved when replacing a file: mode, owner, group, extended attributes (including Linux access lists),
//! and links to it. Not preserved: its inode, and so hard links (other names keep the old text, which is
//! reported), and the modification time. A new file created by root gets the owner of its folder.

mod apply;
mod attributes;
mod backup;
mod disk;
mod intent;
mod ledger;
mod lock;
mod steps;
mod swap;
mod sweep;
mod target;
mod trouble;
mod work;

use std::path::{Path, PathBuf};

pub use apply::{Check, Judge, Ours, apply, apply_choosing, apply_for_others, apply_with};
pub use backup::list as backups;
pub(crate) use intent::holds_ours;
pub use ledger::{Entry, Ledger, ledger};
pub use lock::{Lock, lock, lock_within};
pub use steps::Steps;
pub use swap::replace;
pub use target::{LARGEST, read, real_path};
pub use trouble::{Cause, Trouble};

/// A change of one file. If `before` equals `after` and it contains no hooks of ours, the ledger forgets it,
/// and folders created for it are removed if empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    /// `None` if the file did not exist.
    pub before: Option<String>,
    /// `None` if the file is removed.
    pub after: Option<String>,
}

/// Result of applying changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Files by their given path, and their backups.
    pub backups: Vec<(PathBuf, PathBuf)>,
    /// Folders that were created, and folders of ours that were removed.
    pub made: Vec<PathBuf>,
    pub removed: Vec<PathBuf>,
    /// Messages for the user.
    pub notes: Vec<String>,
}

/// Replaces one of our own files.
pub(crate) fn replace_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    disk::replace_private(path, bytes, Steps::NONE)
}
