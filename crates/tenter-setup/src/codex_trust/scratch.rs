//! A private temporary folder.

use std::fs::DirBuilder;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Number of names tried.
const TRIES: usize = 8;

/// A private temporary folder, removed when dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// `None` if none can be created.
    pub(super) fn new() -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let builder = private();
        let folder = std::env::temp_dir();
        (0..TRIES).find_map(|_| {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("tenter-{}-{number}", std::process::id()));
            // Fails if the folder exists already.
            builder.create(&path).ok().map(|()| Self(path))
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

/// A builder for folders that only the owner can access.
#[cfg(unix)]
fn private() -> DirBuilder {
    let mut builder = DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Temporary folders are per user on this system.
#[cfg(not(unix))]
fn private() -> DirBuilder {
    DirBuilder::new()
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If removal fails, the system cleans up some day.
        std::fs::remove_dir_all(&self.0).unwrap_or_default();
    }
}
