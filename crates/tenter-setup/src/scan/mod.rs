//! What a folder would make agents, editors and git run or obey, found without running any of it.
//!
//! [`scan()`] walks the folder and reads the files of the `catalogue`: one line names a file and the
//! function that reads it. Nothing outside the folder is followed, nothing is written, and whatever
//! cannot be read is a finding of its own. What the guard thinks of a command is for the caller to ask.

mod catalogue;
mod claude;
mod code;
mod codex;
mod editors;
mod environment;
mod frontmatter;
mod gemini;
mod git;
mod hooks;
mod item;
mod kinds;
mod mcp;
mod others;
mod packages;
mod permissions;
mod plugins;
mod read;
mod scripts;
#[cfg(test)]
mod tests;
mod tree;
mod walk;
mod words;
mod yaml;

pub use item::{Command, Item, Language, Passage};
pub use kinds::{Kind, Severity};
pub use scripts::Script;

use std::path::{Path, PathBuf};

/// How a folder is looked at.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Also look into folders of dependencies and caches.
    pub deep: bool,
    /// Look only at the folder itself and at hidden folders, where agents and editors have their settings.
    pub shallow: bool,
}

/// What was found in a folder.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The folder, without links in its path.
    pub root: PathBuf,
    /// In the order of their files and lines.
    pub items: Vec<Item>,
    /// Texts that agents obey; whether they hide something is for the guard to say.
    pub passages: Vec<Passage>,
    /// Folders that were not looked into.
    pub skipped: Vec<String>,
    /// How many files were there.
    pub files: usize,
}

/// Where a project moves the folders that the guard's policy, its state or an agent's settings are read from.
pub fn moved_folders(project: &Path) -> Vec<Item> {
    let report = scan(project, Options { shallow: true, ..Options::default() });
    let mut items = report.unwrap_or_default().items;
    items.retain(|item| item.kind == Kind::Environment && item.severity == Severity::Danger);
    items
}

/// Looks at everything in a folder. An error is one of the folder itself.
pub fn scan(folder: &Path, options: Options) -> std::io::Result<Report> {
    let root = folder.canonicalize()?;
    if !root.is_dir() {
        return Err(std::io::Error::from(std::io::ErrorKind::NotADirectory));
    }
    let mut found = item::Found::new(&root);
    let walked = walk::walk(&root, options, &mut found);
    let mut items = found.items;
    items.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    Ok(Report {
        root,
        items,
        passages: found.passages,
        skipped: walked.skipped,
        files: walked.files,
    })
}
