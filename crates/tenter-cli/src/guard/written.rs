//! Files written by a session, which are judged as code when run.
//!
//! Stored in a separate append-only file beside the session's, one line per path; opened only by calls that
//! write or run files.

use std::cell::OnceCell;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::path::PathBuf;

use tenter_files::Whose;
use tenter_model::Event;
use tenter_policy::scene::Scene;

use super::{LocalMachine, folders, session};

/// Maximum size; beyond it every file counts as the session's.
const LONGEST: u64 = 512 * 1024;

#[derive(Debug, Default)]
pub(super) struct SessionFiles {
    file: Option<PathBuf>,
    text: OnceCell<Option<String>>,
}

impl SessionFiles {
    pub(super) fn of(event: &Event<'_>, machine: &LocalMachine) -> Self {
        let file = session::file(event, machine).map(|file| file.with_extension("wrote"));
        Self { file, text: OnceCell::new() }
    }

    /// The lines; `None` if there are too many, or they are unreadable.
    fn text(&self) -> Option<&str> {
        let read = || {
            let Some(file) = &self.file else { return Some(String::new()) };
            match tenter_files::read(file, LONGEST, Whose::State) {
                Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
                Err(error) if tenter_files::is_missing(&error) => Some(String::new()),
                Err(_) => None,
            }
        };
        self.text.get_or_init(read).as_deref()
    }

    fn paths(&self) -> impl Iterator<Item = &str> {
        let lines = self.text().unwrap_or_default().lines();
        lines.filter_map(|line| line.split_once('\t').map(|(_, path)| path))
    }

    /// Adds the files that a call is about to write.
    pub(super) fn remember(&self, scene: &Scene<'_>) -> Result<(), String> {
        let written = scene.written();
        let Some(file) = self.file.as_ref().filter(|_| !written.is_empty()) else { return Ok(()) };
        let mut lines = String::new();
        for (path, hash) in &written {
            let plain = !path.contains(['\n', '\t']);
            let hash = hash.map_or_else(|| "-".to_owned(), |hash| format!("{hash:016x}"));
            let line = format!("{hash}\t{path}");
            let known = self.text().is_none_or(|text| text.lines().any(|known| known == line));
            if plain && !known {
                let _ = writeln!(lines, "{line}");
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        let add = || {
            folders::make_private(file.parent().ok_or(std::io::ErrorKind::InvalidInput)?)?;
            let mut options = OpenOptions::new();
            options.append(true).create(true);
            let mut file = tenter_files::open_with(file, &mut options, Whose::State)?;
            std::io::Write::write_all(&mut file, lines.as_bytes())
        };
        add().map_err(|error: std::io::Error| {
            format!("cannot remember what the session wrote ({}): {error}", file.display())
        })
    }
}

impl tenter_policy::Written for SessionFiles {
    fn has(&self, path: &str) -> bool {
        self.text().is_none() || self.paths().any(|known| known == path)
    }

    fn below(&self, folder: &str) -> Vec<String> {
        let inside = |path: &&str| {
            path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|it| it.starts_with('/'))
        };
        let mut found: Vec<String> = Vec::new();
        for path in self.paths().filter(inside) {
            if !found.iter().any(|known| known == path) {
                found.push(path.to_owned());
            }
        }
        found
    }
}
