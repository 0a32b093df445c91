//! A temporary folder with files, which a test takes for a machine.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder that is removed when dropped. Names are paths below it.
#[derive(Debug)]
pub struct Tree {
    top: PathBuf,
    _folder: TempDir,
}

impl Tree {
    /// A tree with these folders.
    pub fn new(folders: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let top = folder.path().canonicalize().expect("the folder's real path");
        let tree = Self { top, _folder: folder };
        for folder in folders {
            tree.make_folder(&tree.path(folder));
        }
        tree
    }

    pub fn top(&self) -> &Path {
        &self.top
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// Writes a file and the folders above it; a trailing `*` in its name makes it executable.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name.trim_end_matches('*'));
        self.make_folder(path.parent().unwrap_or(&self.top));
        fs::write(&path, text).expect("a file is written");
        if name.ends_with('*') {
            self.set_mode(name.trim_end_matches('*'), 0o755);
        }
        path
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file is read")
    }

    /// Sets the permissions, where the system has them.
    pub fn set_mode(&self, name: &str, mode: u32) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(self.path(name), permissions).expect("the mode is set");
        }
        #[cfg(not(unix))]
        let _ = (name, mode);
    }

    fn make_folder(&self, folder: &Path) {
        assert!(folder.starts_with(&self.top), "{}", folder.display());
        fs::create_dir_all(folder).expect("a folder is made");
    }
}
