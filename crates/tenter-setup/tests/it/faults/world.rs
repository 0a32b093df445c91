//! Test world: a user with home and state folder, and a simple installer that inserts one line after the
//! first brace. A text without final line feed gets one, so that removing the line alone does not restore the
//! original bytes.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tenter_hosts::install::System;
use tenter_setup::Places;
use tenter_setup::edit::Fault;
use tenter_setup::files::{self, Applied, Change, Judge, Steps, Trouble};

/// A user's configuration without final line feed.
pub(crate) const OLD: &str =
    "{\n  // mine\n  \"model\": \"opus\",\n  \"env\": { \"KEY\": \"secret\" }\n}";

pub(crate) struct World {
    folder: Option<tempfile::TempDir>,
    root: PathBuf,
    pub(crate) places: Places,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::below(tempfile::tempdir().unwrap())
    }

    /// A world in memory, where possible: for tests that create thousands.
    pub(crate) fn in_memory() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm");
        Self::below(folder.unwrap_or_else(|_| tempfile::tempdir().unwrap()))
    }

    fn below(folder: tempfile::TempDir) -> Self {
        let root = folder.path().canonicalize().unwrap();
        Self { folder: Some(folder), ..Self::at(&root) }
    }

    /// An existing world.
    pub(crate) fn at(root: &Path) -> Self {
        let home = root.join("home");
        fs::create_dir_all(&home).unwrap();
        let places = Places {
            system: System::Linux,
            root: root.to_owned(),
            project: None,
            variables: BTreeMap::new(),
            path: None,
            state: Some(home.join(".local/state/tenterhook")),
            home: Some(home),
            now: 1_770_000_000,
        };
        Self { folder: None, root: root.to_owned(), places }
    }

    pub(crate) fn root(&self) -> &Path {
        assert!(self.folder.as_ref().is_none_or(|folder| folder.path().exists()));
        &self.root
    }

    /// A path in the home folder.
    pub(crate) fn home(&self, name: &str) -> PathBuf {
        self.places.home.as_ref().unwrap().join(name)
    }

    pub(crate) fn state(&self) -> &Path {
        self.places.state.as_deref().unwrap()
    }

    /// Writes a user file.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.home(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn install(&self, paths: &[&Path], id: &str) -> Result<Applied, Trouble> {
        install(&self.places, paths, id, Steps::NONE)
    }

    pub(crate) fn uninstall(&self, paths: &[&Path]) -> Result<Applied, Trouble> {
        uninstall(&self.places, paths, Steps::NONE)
    }

    /// All user files with mode and content, links and folders, without our state.
    pub(crate) fn users(&self) -> BTreeMap<PathBuf, String> {
        let mut found = BTreeMap::new();
        collect(&self.root, self.state(), &mut found);
        found
    }

    /// Number of backups and of ledger entries.
    pub(crate) fn kept(&self) -> (usize, usize) {
        let backups = fs::read_dir(self.state().join("backups")).map_or(0, Iterator::count);
        (backups, files::ledger(&self.places).unwrap().entries().len())
    }
}

fn collect(folder: &Path, but: &Path, found: &mut BTreeMap<PathBuf, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Folders on the way to our state do not count either.
        if but.starts_with(&path) {
            continue;
        }
        let metadata = fs::symlink_metadata(&path).unwrap();
        let what = if metadata.is_symlink() {
            format!("link to {}", fs::read_link(&path).unwrap().display())
        } else if metadata.is_dir() {
            collect(&path, but, found);
            "folder".to_owned()
        } else {
            format!("{:o} {:?}", metadata.mode(), fs::read(&path).unwrap())
        };
        found.insert(path, what);
    }
}

/// The line of an installer.
fn line(text: &str, id: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    format!("{end}  \"tenter-{id}\": true,")
}

pub(crate) fn wire(text: Option<&str>, id: &str) -> String {
    let text = text.unwrap_or("{\n}\n");
    if text.contains(&format!("\"tenter-{id}\"")) {
        return text.to_owned();
    }
    let (before, after) = text.split_once('{').unwrap();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{before}{{{}{after}{end}", line(text, id))
}

pub(crate) fn unwire(text: &str) -> String {
    let mut rest = text.to_owned();
    while let Some(at) = rest.find("\"tenter-") {
        let start = rest[..at].trim_end_matches(' ').trim_end_matches(['\r', '\n']).len();
        let end = at + rest[at..].find(',').unwrap() + 1;
        rest.replace_range(start..end, "");
    }
    rest
}

pub(crate) fn ours(_path: &Path, text: &str) -> bool {
    text.contains("\"tenter-")
}

fn check(_path: &Path, text: &str) -> Result<(), Fault> {
    if text.contains('{') { Ok(()) } else { Err(no_brace()) }
}

pub(crate) fn no_brace() -> Fault {
    Fault { line: 3, column: 4, message: "no brace".to_owned() }
}

pub(crate) const JUDGE: Judge<'static> =
    Judge { check: &check, ours: Some(&ours), moved: &[], chosen: &[] };

pub(crate) fn install(
    places: &Places,
    paths: &[&Path],
    id: &str,
    steps: Steps<'_>,
) -> Result<Applied, Trouble> {
    let _lock = files::lock(places)?;
    let mut changes = Vec::new();
    for path in paths {
        let before = files::read(path)?;
        let after = Some(wire(before.as_deref(), id));
        changes.push(Change { path: path.to_path_buf(), before, after });
    }
    files::apply_with(&changes, JUDGE, places, steps)
}

/// Removes the lines of all installers, as an uninstall does.
pub(crate) fn uninstall(
    places: &Places,
    paths: &[&Path],
    steps: Steps<'_>,
) -> Result<Applied, Trouble> {
    let _lock = files::lock(places)?;
    let ledger = files::ledger(places)?;
    let mut changes = Vec::new();
    for path in paths {
        let before = files::read(path)?;
        let after = match before.as_deref() {
            None => None,
            Some(text) => match ledger.original(path, text) {
                Some(original) => original,
                None => {
                    let rest = unwire(text);
                    let is_frame = rest == "{\n}\n"
                        && ledger.entry(path).is_some_and(|entry| entry.created_file);
                    (!is_frame).then_some(rest)
                }
            },
        };
        changes.push(Change { path: path.to_path_buf(), before, after });
    }
    files::apply_with(&changes, JUDGE, places, steps)
}

pub(crate) fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn text(path: &Path) -> Option<String> {
    match fs::read_to_string(path) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// Names of all temporary files.
pub(crate) fn left_over(world: &World) -> Vec<String> {
    let mut found = world.users();
    collect(world.state(), Path::new("/nowhere"), &mut found);
    let names = found.keys().map(|path| path.display().to_string());
    names.filter(|name| name.contains(".tenter-")).collect()
}

/// Counts steps and triggers an action at one of them.
pub(crate) struct Counter {
    count: Cell<usize>,
}

impl Counter {
    pub(crate) fn new() -> Self {
        Self { count: Cell::new(0) }
    }

    /// The number of the next step.
    pub(crate) fn next(&self) -> usize {
        self.count.replace(self.count.get() + 1)
    }
}

/// The ways of replacing files: atomic exchange, or its fallback.
pub(crate) const WAYS: [bool; 2] = [true, false];

/// Result of a step on a system with or without atomic exchange.
pub(crate) fn way(can_exchange: bool, name: &str) -> io::Result<()> {
    if !can_exchange && name == "exchange the files" {
        return Err(io::ErrorKind::Unsupported.into());
    }
    Ok(())
}
