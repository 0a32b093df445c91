//! Files of others, changed so that nothing can be lost.
//!
//! [`apply()`] changes several files or none. Before the first of them is touched, the old texts lie in
//! `<state>/backups` and the intent in `<state>/installed.json`; then each new text is written beside
//! its file, read back, and put in its place in one step that also hands out what lay there. Whatever
//! comes out that was not read before goes back. So whenever the process ends, every file is the old one
//! or the new one, and the ledger knows what was there before us.
//!
//! Kept of a replaced file: mode, owner, group, extended attributes (with them Linux's access lists),
//! links that lead to it. Not kept: its inode, and so hard links (the other names keep the old text,
//! which is said), and the time of its last change. A new file takes the owner of its folder if root
//! makes it.

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

pub use apply::{Judge, Ours, apply, apply_choosing, apply_for_others, apply_with};
pub use backup::list as backups;
pub(crate) use intent::holds_ours;
pub use ledger::{Entry, Ledger, ledger};
pub use lock::{Lock, lock, lock_within};
pub use steps::Steps;
pub use swap::replace;
pub use target::{LARGEST, read, real_path};
pub use trouble::{Cause, Trouble};

/// What is to become of one file. If nothing is to become of it (`before` is `after`) and it holds no
/// hooks of ours, the ledger forgets it, and folders that were made for it go away if they are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    /// None: it was not there.
    pub before: Option<String>,
    /// None: it goes away.
    pub after: Option<String>,
}

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// Files as they were named, and where their old text is kept.
    pub backups: Vec<(PathBuf, PathBuf)>,
    /// Folders that were made, and folders of ours that were removed.
    pub made: Vec<PathBuf>,
    pub removed: Vec<PathBuf>,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// Puts a file of our own in the place of its predecessor.
pub(crate) fn replace_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    disk::replace_private(path, bytes, Steps::NONE)
}
