//! What the file system says about the paths of an event.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tenter_shell::{Facts, PathKind};

#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// The branch that is taken to be checked out, whatever the files say.
    pub(crate) branch: Option<String>,
}

impl Facts for Files {
    /// Where links lead, also for a path whose last parts do not exist yet.
    fn real_path(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        let mut missing = PathBuf::new();
        for ancestor in path.ancestors() {
            if let Ok(real) = ancestor.canonicalize() {
                let whole = if missing.as_os_str().is_empty() { real } else { real.join(missing) };
                return whole.into_os_string().into_string().ok();
            }
            let name = ancestor.file_name()?;
            missing = if missing.as_os_str().is_empty() {
                PathBuf::from(name)
            } else {
                Path::new(name).join(missing)
            };
        }
        None
    }

    fn kind(&self, path: &str) -> Option<PathKind> {
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => Some(PathKind::Directory),
            Ok(found) if found.is_file() => Some(PathKind::File),
            Ok(_) => Some(PathKind::Device),
            // In a folder that is not here either, nothing can be told: the call may be another
            // machine's.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Path::new(path).parent()?.is_dir().then_some(PathKind::Missing)
            }
            Err(_) => None,
        }
    }
}

impl tenter_policy::Facts for Files {
    fn read(&self, path: &str, limit: usize) -> Option<String> {
        // To open a pipe or a device is to wait for somebody at its other end.
        if !std::fs::metadata(path).ok()?.is_file() {
            return None;
        }
        let file = File::open(path).ok()?;
        let mut bytes = Vec::new();
        file.take(limit as u64).read_to_end(&mut bytes).ok()?;
        Some(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    fn branch(&self, folder: &str) -> Option<String> {
        if self.branch.is_some() {
            return self.branch.clone();
        }
        let git = Path::new(folder).ancestors().find_map(|folder| {
            let git = folder.join(".git");
            let kind = git.metadata().ok()?;
            if kind.is_dir() {
                return Some(git);
            }
            // A worktree's `.git` is a file that says where the real one is.
            let text = self.read(git.to_str()?, 4096)?;
            Some(folder.join(text.strip_prefix("gitdir:")?.trim()))
        })?;
        let head = self.read(git.join("HEAD").to_str()?, 4096)?;
        Some(head.trim().strip_prefix("ref: refs/heads/")?.to_owned())
    }
}
