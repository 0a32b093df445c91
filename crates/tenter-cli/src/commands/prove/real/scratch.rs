//! A temporary folder for one run of a client.

use std::fs::DirBuilder;
use std::path::{Path, PathBuf};

use crate::error::CommandError;
use tenter_setup::canary;

/// Home, project and working files.
pub(super) struct Scratch {
    root: PathBuf,
}

impl Scratch {
    pub(super) fn new() -> Result<Self, CommandError> {
        let folder = std::env::temp_dir().join(format!("tenter-prove-{}", canary::token()));
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

    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    pub(super) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// A path beside home and project.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(super) fn write(&self, path: &Path, text: &str) -> Result<(), CommandError> {
        let folder = path.parent().unwrap_or(&self.root);
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(path, text)).map_err(|error| {
            CommandError::failed(format!("cannot write {}: {error}", path.display()))
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Processes left by the client may still write; the system cleans its temporary folder.
        drop(std::fs::remove_dir_all(&self.root));
    }
}
