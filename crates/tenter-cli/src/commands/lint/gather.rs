//! Selects the files to lint.

use std::path::{Path, PathBuf};

use crate::error::CommandError;
use tenter_lint::render::visible;
use tenter_lint::{File, HookFiles, Options};
use tenter_model::HostId;

/// The files to lint.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub(super) files: Vec<File>,
    /// Searched paths.
    pub(super) looked: Vec<PathBuf>,
}

/// Reads the named files, or searches for them. An error is a wrong argument.
pub(super) fn gather(
    paths: &[PathBuf],
    host: Option<HostId>,
    cwd: &Path,
    options: &Options,
) -> Result<Gathered, CommandError> {
    let mut gathered = Gathered::default();
    if paths.is_empty() {
        gathered.add(tenter_lint::discover(cwd, options), host, options);
    }
    for path in paths {
        let shown = visible(&path.display().to_string());
        let path = std::path::absolute(path)
            .map_err(|error| CommandError::usage(format!("`{shown}`: {error}")))?;
        if path.is_dir() && !File::is_named(&path, options) {
            gathered.add(tenter_lint::below(&path), host, options);
        } else if path.symlink_metadata().is_err() {
            return Err(CommandError::usage(format!("there is no file or folder `{shown}`")));
        } else if let Some(file) = File::read(&path, host, options) {
            gathered.push(file);
        } else {
            return Err(CommandError::usage(format!(
                "cannot tell which host `{shown}` is for: say --host cursor, claude or codex"
            )));
        }
    }
    Ok(gathered)
}

impl Gathered {
    /// Adds found files. A plugin's file may have an unknown format; then it is empty.
    fn add(&mut self, found: HookFiles, host: Option<HostId>, options: &Options) {
        for path in &found.files {
            let file = File::read(path, None, options);
            if let Some(file) = file.filter(|file| host.is_none_or(|only| only == file.host)) {
                self.push(file);
            }
        }
        self.looked.extend(found.looked);
    }

    fn push(&mut self, file: File) {
        if !self.files.iter().any(|known| known.path == file.path) {
            self.files.push(file);
        }
    }
}
