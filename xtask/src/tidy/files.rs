//! The files of the repository: tracked by git, or untracked and not ignored.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Context, Result};
use crate::process;
use crate::workspace::Workspace;

/// A file by its path from the root, with forward slashes; its text is read on demand.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    path: PathBuf,
}

impl File {
    /// The text of the file, or `None` if it is binary.
    pub(crate) fn text(&self) -> Option<String> {
        std::fs::read(&self.path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
    }

    /// The name without folders.
    pub(crate) fn base(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn extension(&self) -> &str {
        self.base().rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

pub(crate) fn list(workspace: &Workspace) -> Result<Vec<File>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let mut names = match process::output(git.current_dir(&workspace.root)) {
        Ok(listing) => listing.split_terminator('\0').map(str::to_owned).collect(),
        // An unpacked archive has no git data; everything but build output is ours.
        Err(_) => walk(&workspace.root, "")?,
    };
    names.sort();
    names.dedup();
    let file = |name: String| File { path: workspace.root.join(&name), name };
    // A file deleted but not yet committed is still listed.
    Ok(names.into_iter().map(file).filter(|file| file.path.is_file()).collect())
}

fn walk(folder: &Path, prefix: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    let reading = || format!("reading {}", folder.display());
    for entry in std::fs::read_dir(folder).context(reading())? {
        let entry = entry.context(reading())?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if !entry.path().is_dir() {
            names.push(name);
        } else if !is_left_by_a_build(&name) {
            names.extend(walk(&entry.path(), &format!("{name}/"))?);
        }
    }
    Ok(names)
}

/// Whether `.gitignore` names the folder.
fn is_left_by_a_build(name: &str) -> bool {
    ["target", ".git", "fuzz/target", "fuzz/corpus", "fuzz/artifacts"].contains(&name)
}

#[cfg(test)]
pub(super) fn sample(name: &str) -> File {
    File { name: name.to_owned(), path: PathBuf::from(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_parts() {
        let file = sample("crates/a/src/lib.rs");
        assert_eq!((file.base(), file.extension()), ("lib.rs", "rs"));
        let file = sample(".ci/run");
        assert_eq!((file.base(), file.extension()), ("run", ""));
    }
}
