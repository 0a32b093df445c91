//! A folder for what nobody will look for.

use std::fs::DirBuilder;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// How many names are tried.
const TRIES: usize = 8;

/// A folder of our own among the temporary ones, gone when it is dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// `None` where none can be made.
    pub(super) fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let builder = private();
        let folder = std::env::temp_dir();
        (0..TRIES).find_map(|_| {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("tenter-{}-{number}", std::process::id()));
            // Fails when it is there already, whoever made it.
            builder.create(&path).ok().map(|()| Self(path))
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// Makes folders that nobody else may look into.
#[cfg(unix)]
fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Temporary folders are the user's own on this system.
#[cfg(not(unix))]
fn private() -> DirBuilder {
    DirBuilder::new()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the system some day.
        std::fs::remove_dir_all(&self.0).unwrap_or_default();
    }
}
