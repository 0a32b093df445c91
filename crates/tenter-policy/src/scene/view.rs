//! The machine as the shell crate sees it: files that are run or applied are read within limits, and the
//! session's own files are known.

use tenter_shell::{FileText, PathKind, Use};

use super::written::may_be_code;
use crate::world::World;

#[derive(Debug)]
pub(super) struct View<'w> {
    pub(super) world: &'w World<'w>,
}

/// Maximum size of a session's file or patch.
const LONGEST: usize = 256 * 1024;
/// Maximum size of a project's script; longer files are bundles or installers.
const LONGEST_OTHER: usize = 32 * 1024;
/// Maximum size of an argument list.
const LONGEST_LIST: usize = 64 * 1024;
/// Settings below the home that a broad command may reach.
const GUARDED: &[&str] = &[
    ".claude/settings.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".config/tenterhook/policy.toml",
    ".cursor/hooks.json",
    ".local/bin/tenter",
];
/// Number of bytes read to distinguish a program from text.
const START: usize = 256;

impl tenter_shell::FileFacts for View<'_> {
    fn real_path(&self, path: &str) -> Option<String> {
        self.world.facts.real_path(path)
    }

    fn kind(&self, path: &str) -> Option<PathKind> {
        self.world.facts.kind(path)
    }

    fn text(&self, path: &str, used: Use) -> Option<FileText> {
        let of_session = match used {
            Use::Patch | Use::Values => false,
            // Files usually not run, and so not stored as written, but run here.
            Use::Script | Use::Named => self.world.written.has(path) || !may_be_code(path),
            Use::Found | Use::Near => self.world.written.has(path),
        };
        if matches!(used, Use::Found | Use::Near) && !of_session {
            return None;
        }
        if matches!(used, Use::Script | Use::Named) && !path.rsplit('/').next()?.contains('.') {
            let start = self.world.facts.read(path, START)?;
            if start.contains('\0') || start.starts_with('\u{7f}') {
                return None;
            }
        }
        let other = matches!(used, Use::Script | Use::Named) && !of_session;
        if used == Use::Values {
            let text = self.world.facts.read(path, LONGEST_LIST.saturating_add(1))?;
            let fits = text.len() <= LONGEST_LIST;
            return fits.then_some(FileText { text, of_session: false, cut: false });
        }
        let most = if other { LONGEST_OTHER.saturating_add(1) } else { LONGEST };
        let text = self.world.facts.read(path, most)?;
        let fits = !text.contains('\0') && (!other || text.len() <= LONGEST_OTHER);
        // Drop a character cut at the end.
        let cut = text.len().saturating_add(4) > LONGEST;
        fits.then_some(FileText { text, of_session, cut })
    }

    fn guarded(&self, folder: &str) -> Vec<String> {
        let Some(home) = self.world.home else { return Vec::new() };
        let files = GUARDED.iter().map(|name| format!("{}/{name}", home.trim_end_matches('/')));
        let below = |file: &String| {
            file.strip_prefix(folder.trim_end_matches('/')).is_some_and(|it| it.starts_with('/'))
        };
        files.filter(below).collect()
    }

    fn of_session(&self, folder: &str) -> Vec<String> {
        self.world.written.below(folder)
    }
}
