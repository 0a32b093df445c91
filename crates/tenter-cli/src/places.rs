//! Folders and environment for the set-up commands, read once.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use tenter_hosts::install::System;
use tenter_setup::Places;

use crate::guard::folders::Folders;

/// The places as seen from `cwd`, with `root` as file system root.
pub(crate) fn read(cwd: &Path, root: Option<&Path>) -> Places {
    let folders = Folders::of(|name| std::env::var(name).ok());
    let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    let home = std::env::var_os(home).map(PathBuf::from).filter(|path| path.is_absolute());
    let variables = Places::VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
        .collect();
    Places {
        system: System::HERE,
        root: root.unwrap_or(Path::new("/")).to_owned(),
        project: project(cwd, home.as_deref()),
        home,
        variables,
        path: std::env::var_os("PATH"),
        state: folders.state,
        now: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    }
}

/// The repository root around a folder, or the folder itself. The home folder is not a project: its files are
/// the user's.
fn project(cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    if Some(cwd) == home {
        return None;
    }
    let root = cwd
        .ancestors()
        .take_while(|folder| Some(*folder) != home)
        .find(|folder| folder.join(".git").exists());
    Some(root.unwrap_or(cwd).to_owned())
}
