//! Reports as text, JSON and SARIF, and the reference page of the rules.

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

/// A report with the data needed to print it.
#[derive(Clone, Debug, Default)]
pub struct View {
    pub report: Report,
    /// The files that were linted.
    pub files: Vec<PathBuf>,
    /// Notes about files, such as why one was not linted.
    pub notes: Vec<(PathBuf, String)>,
    /// Fixes applied by `--fix`.
    pub mended: Vec<Mended>,
    /// Paths below this folder are shown relative to it.
    pub cwd: PathBuf,
}

/// Escapes a name, so that it cannot control the terminal or break the line.
pub fn visible(text: &str) -> String {
    printable(text).replace('\n', "\\u{a}")
}

impl View {
    /// A path for display, relative to `cwd` where possible.
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
