//! Reports as text, JSON and SARIF, and the page of the rules.

mod human;
mod json;
mod page;
mod sarif;

pub use human::{Style, human};
pub use json::json;
pub use page::{markdown, table_rows};
pub use sarif::sarif;

use std::path::{Path, PathBuf};

use crate::{Mended, Report};

/// A report and what surrounds it.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub report: Report,
    /// The files that were judged.
    pub files: Vec<PathBuf>,
    /// What else is to be said of a file, such as why it was not judged.
    pub notes: Vec<(PathBuf, String)>,
    /// What `--fix` did.
    pub mended: Vec<Mended>,
    /// Paths below this folder are shown relative to it.
    pub cwd: PathBuf,
}

impl View {
    /// A path as people want to see it.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.cwd).unwrap_or(path).display().to_string()
    }
}
