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

use tenter_engine::diagnostic::printable;

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

/// A name must neither steer the terminal that it is shown on nor break its line.
pub fn visible(text: &str) -> String {
    printable(text).replace('\n', "\\u{a}")
}

impl View {
    /// A path as people want to see it.
    pub fn shown(&self, path: &Path) -> String {
        visible(&path.strip_prefix(&self.cwd).unwrap_or(path).display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_steer_no_terminal() {
        assert_eq!(visible("a\u{1b}[31m\n\u{202e}b"), "a\\u{1b}[31m\\u{a}\\u{202e}b");
        assert_eq!(visible("Grüße \u{1f600}"), "Grüße \u{1f600}");
        let view = View { cwd: "/w".into(), ..View::default() };
        assert_eq!(view.shown(Path::new("/w/a\rb")), "a\\u{d}b");
    }
}
