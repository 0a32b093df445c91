//! Scans a folder for everything that agents, editors and git would run or obey, without running any of it.
//!
//! [`scan()`] walks the folder and reads the files of the `catalogue`: one line names a file and its reader.
//! Nothing outside the folder is followed, nothing is written, and unreadable files are findings. The caller
//! asks the guard about commands.

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
pub use mcp::configured as mcp_servers;
pub use scripts::Script;

use std::path::{Path, PathBuf};

/// Scan options.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Also scan folders of dependencies and caches.
    pub deep: bool,
    /// Scan only the folder itself and hidden folders, where agents and editors keep their settings.
    pub shallow: bool,
}

/// Result of a scan.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The folder, with links resolved.
    pub root: PathBuf,
    /// Ordered by file and line.
    pub items: Vec<Item>,
    /// Texts that agents obey; the guard decides whether they are malicious.
    pub passages: Vec<Passage>,
    /// Folders that were not scanned.
    pub skipped: Vec<String>,
    /// Number of files.
    pub files: usize,
}

/// Settings by which a project moves the folders of the guard's policy and state or of an agent's settings.
pub fn moved_folders(project: &Path) -> Vec<Item> {
    let report = scan(project, Options { shallow: true, ..Options::default() });
    let mut items = report.unwrap_or_default().items;
    items.retain(|item| item.kind == Kind::Environment && item.severity == Severity::Danger);
    items
}

/// Scans a folder. An error concerns the folder itself.
pub fn scan(folder: &Path, options: Options) -> std::io::Result<Report> {
    let root = folder.canonicalize()?;
    if !root.is_dir() {
        return Err(std::io::Error::from(std::io::ErrorKind::NotADirectory));
    }
    let mut found = item::ScanResult::new(&root);
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
