//! What the file system says about the paths of an event.

use std::cell::RefCell;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use tenter_shell::{Facts, PathKind};

#[derive(Clone, Debug, Default)]
pub(crate) struct Files {
    /// The branch that is taken to be checked out, whatever the files say.
    pub(crate) branch: Option<String>,
    /// Folders that links were followed to: the paths of a call are mostly in the same few.
    followed: RefCell<Vec<(PathBuf, Option<PathBuf>)>>,
}

/// More folders than a call names; a batch of calls starts anew then.
const MOST_FOLLOWED: usize = 256;

impl Files {
    /// The files of a machine where this branch is checked out.
    pub(crate) fn on_branch(branch: Option<String>) -> Self {
        Self { branch, ..Self::default() }
    }

    /// A path with all links in it followed, one question to the system for each of its parts.
    fn real(&self, path: &Path) -> Option<PathBuf> {
        // The root, or what only the system can say: `a/..` is where `a` leads to.
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.canonicalize().ok();
        };
        let whole = self.real_folder(folder)?.join(name);
        let is_link = whole.symlink_metadata().is_ok_and(|found| found.is_symlink());
        // A link to nowhere is where it stands.
        let real = if is_link { whole.canonicalize().ok() } else { None };
        Some(real.unwrap_or(whole))
    }

    fn real_folder(&self, folder: &Path) -> Option<PathBuf> {
        let known = |(known, real): &(PathBuf, Option<PathBuf>)| {
            (known.as_os_str() == folder.as_os_str()).then(|| real.clone())
        };
        let followed = self.followed.borrow().iter().find_map(known);
        if let Some(real) = followed {
            return real;
        }
        let real = self.real(folder);
        let mut followed = self.followed.borrow_mut();
        if followed.len() >= MOST_FOLLOWED {
            followed.clear();
        }
        followed.push((folder.to_owned(), real.clone()));
        real
    }
}

impl Facts for Files {
    /// Where links lead, also for a path whose last parts do not exist yet.
    fn real_path(&self, path: &str) -> Option<String> {
        let real = match Path::new(path) {
            path if path.is_absolute() => self.real(path),
            path => self.real(&std::path::absolute(path).ok()?),
        };
        real?.into_os_string().into_string().ok()
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_wherever_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("real/deep")).unwrap();
        std::fs::write(root.join("real/deep/file"), "").unwrap();
        let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, root.join(at)).unwrap();
        link("real", "link");
        link("../../real/deep/file", "real/deep/again");
        link("nowhere", "dangling");
        link("round", "round");
        let files = Files::default();
        for (path, real) in [
            ("real/deep/file", "real/deep/file"),
            ("link/deep/file", "real/deep/file"),
            ("link/deep/new/file", "real/deep/new/file"),
            ("link/deep/again", "real/deep/file"),
            ("link/../real", "real"),
            ("link/deep/../new", "real/new"),
            ("dangling", "dangling"),
            ("dangling/below", "dangling/below"),
            ("round/below", "round/below"),
            ("missing/below", "missing/below"),
            ("link", "real"),
        ] {
            // Asked twice, since the second answer may come from what the first has left.
            for _ in 0..2 {
                let asked = root.join(path);
                let answer = files.real_path(asked.to_str().unwrap()).unwrap();
                assert_eq!(Path::new(&answer), root.join(real), "{path}");
            }
        }
        assert_eq!(files.real_path("/").as_deref(), Some("/"));
    }
}
