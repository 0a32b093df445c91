//! A home and a project folder for one run, removed afterwards.

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::path::{Path, PathBuf};

use crate::error::CommandError;
use tenter_setup::canary;

/// Home, project and working files.
pub(crate) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    /// `purpose` is part of the folder's name.
    pub(crate) fn new(purpose: &str) -> Result<Self, CommandError> {
        let name = format!("tenter-{purpose}-{}", canary::token());
        let folder = std::env::temp_dir().join(name);
        let mut builder = DirBuilder::new();
        // An existing folder may be somebody else's.
        builder.recursive(false);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.create(&folder).and_then(|()| folder.canonicalize());
        let root = made.map_err(|error| {
            CommandError::failed(format!("cannot make the folder {}: {error}", folder.display()))
        })?;
        let scratch = Self { root };
        for below in [scratch.home(), scratch.project()] {
            builder
                .create(&below)
                .map_err(|error| CommandError::failed(format!("cannot make a folder: {error}")))?;
        }
        Ok(scratch)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// A path beside home and project.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Removes every variable of the user's but the few that programs need, and names this home. `beside` comes first in
    /// PATH: a launcher may need a program that lies beside it, such as `node`.
    pub(crate) fn environment(&self, beside: Option<&Path>) -> Vec<(String, Option<OsString>)> {
        let kept = ["PATH", "LANG", "TMPDIR", "TEMP", "TMP", "SystemRoot", "ComSpec", "PATHEXT"];
        let mut environment: Vec<(String, Option<OsString>)> = std::env::vars_os()
            .filter_map(|(name, _)| name.into_string().ok())
            .filter(|name| !kept.contains(&name.as_str()))
            .map(|name| (name, None))
            .collect();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let first = beside.map(Path::to_owned);
        let path = std::env::join_paths(first.into_iter().chain(std::env::split_paths(&path)));
        let mut set =
            |name: &str, value: OsString| environment.push((name.to_owned(), Some(value)));
        if let Ok(path) = path {
            set("PATH", path);
        }
        set("HOME", self.home().into());
        set("USERPROFILE", self.home().into());
        set("SHELL", "/bin/sh".into());
        set("TERM", "dumb".into());
        set("NO_COLOR", "1".into());
        environment
    }

    pub(crate) fn write(&self, path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), CommandError> {
        let folder = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, bytes)).map_err(
            |error| CommandError::failed(format!("cannot write {}: {error}", path.display())),
        )
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What a client has left running may still write; the system clears its folder for such things.
        drop(std::fs::remove_dir_all(&self.root));
    }
}
