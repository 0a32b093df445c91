//! Folders and environment, read once by the caller.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use tenter_files::Whose;
use tenter_hosts::install::{Roots, System};

/// Folders and environment of one user.
#[derive(Clone, Debug)]
pub struct Places {
    pub system: System,
    /// Root of the file system; another folder in tests. Managed files are below it.
    pub root: PathBuf,
    pub home: Option<PathBuf>,
    /// Root of the repository, or the current folder.
    pub project: Option<PathBuf>,
    /// Environment variables by which hosts move folders or disable hooks.
    pub variables: BTreeMap<String, String>,
    /// Value of `PATH`.
    pub path: Option<OsString>,
    /// Our state folder: backups, ledger, signs of life.
    pub state: Option<PathBuf>,
    /// Seconds since 1970.
    pub now: u64,
}

impl Places {
    /// Variables that callers should pass in `variables`.
    pub const VARIABLES: &'static [&'static str] = &[
        "CLAUDE_CONFIG_DIR",
        "CODEX_HOME",
        "CURSOR_CONFIG_DIR",
        "XDG_CONFIG_HOME",
        "CODEX_SQLITE_HOME",
        "CLAUDE_CODE_SIMPLE",
        "CLAUDE_CODE_SAFE_MODE",
    ];

    /// Calls `with` with the folders in the form that hosts need.
    pub fn with_roots<T>(&self, with: impl FnOnce(&Roots<'_>) -> T) -> T {
        let variable = |name: &str| self.variables.get(name).cloned();
        with(&Roots {
            system: self.system,
            root: &self.root,
            home: self.home.as_deref(),
            project: self.project.as_deref(),
            variable: &variable,
        })
    }

    /// The main checkout, if the project is a linked worktree.
    pub fn main_checkout(&self) -> Option<PathBuf> {
        let project = self.project.as_deref()?;
        // `gitdir: /home/u/shop/.git/worktrees/fix`
        let link = tenter_files::read_text(&project.join(".git"), 4096, Whose::Anyone).ok()?;
        let folder = project.join(link.strip_prefix("gitdir:")?.trim());
        let worktrees = folder.parent().filter(|it| it.ends_with(".git/worktrees"))?;
        worktrees.parent()?.parent().map(Path::to_owned)
    }

    /// The first program of this name on `PATH`.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let path = self.path.as_ref()?;
        std::env::split_paths(path)
            .map(|folder| folder.join(name))
            .find(|candidate| candidate.is_absolute() && is_program(candidate))
    }
}

/// Whether this is an executable file.
pub fn is_program(path: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(path) else { return false };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    metadata.is_file() && runs
}
