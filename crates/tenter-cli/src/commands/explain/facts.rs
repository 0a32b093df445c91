//! What the file system says about the paths of a command.

use std::path::{Path, PathBuf};

use tenter_shell::{Facts, PathKind};

#[derive(Debug)]
pub(super) struct Files;

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
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(PathKind::Missing),
            Err(_) => None,
        }
    }
}
