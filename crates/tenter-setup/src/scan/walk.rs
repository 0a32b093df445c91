//! Walks a folder: in a fixed order, within limits, without leaving it.

use std::collections::BTreeSet;
use std::fs::{DirEntry, FileType};
use std::path::{Path, PathBuf};

use super::catalogue::{self, Entry};
use super::item::{File, Item, ScanResult};
use super::kinds::Kind;
use super::{Options, git, read};

const DEPTH: usize = 64;
const MOST_FOLDERS: usize = 100_000;
const MOST_FILES: usize = 2_000_000;

/// Folders of dependencies and build output.
const DEPENDENCIES: &[&str] = &[
    ".direnv",
    ".gradle",
    ".next",
    ".nox",
    ".pnpm-store",
    ".terraform",
    ".tox",
    ".venv",
    "Pods",
    "__pycache__",
    "bower_components",
    "node_modules",
    "venv",
];
/// Folders whose name is ambiguous: they must contain this file.
const MARKED: &[(&str, &str)] = &[("target", "CACHEDIR.TAG"), ("env", "pyvenv.cfg")];

/// Summary of a walk.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) skipped: Vec<String>,
    pub(super) files: usize,
    folders: usize,
    /// Folders reached through links.
    linked: BTreeSet<PathBuf>,
    /// A limit was reached.
    full: bool,
}

/// Display form of a path: with slashes on every system.
pub(super) fn shown(path: &Path) -> String {
    let parts: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    parts.join("/")
}

struct Folder {
    path: PathBuf,
    rel: String,
    depth: usize,
    /// Whether it or a parent belongs to an agent or an editor.
    marked: bool,
}

/// Reads every catalogue file below `root`.
pub(super) fn walk(root: &Path, options: Options, found: &mut ScanResult) -> Walked {
    let mut walked = Walked::default();
    let top = Folder { path: root.to_owned(), rel: String::new(), depth: 0, marked: false };
    let mut waiting = vec![top];
    while let Some(folder) = waiting.pop() {
        let mut inner = Vec::new();
        walked.folder(root, &folder, options, found, &mut inner);
        waiting.extend(inner.into_iter().rev());
        if walked.full {
            let why = format!(
                "holds more than {MOST_FOLDERS} folders or {MOST_FILES} files; the rest was not looked at"
            );
            note(found, root, &folder.rel, Kind::Unreadable, &why);
            break;
        }
    }
    walked
}

impl Walked {
    fn folder(
        &mut self,
        root: &Path,
        folder: &Folder,
        options: Options,
        found: &mut ScanResult,
        inner: &mut Vec<Folder>,
    ) {
        self.folders += 1;
        let mut entries: Vec<DirEntry> = match std::fs::read_dir(&folder.path) {
            Ok(entries) => entries.filter_map(Result::ok).collect(),
            Err(error) => {
                let why = format!("is a folder that cannot be read: {error}");
                note(found, root, &folder.rel, Kind::Unreadable, &why);
                return;
            }
        };
        entries.sort_by_key(DirEntry::file_name);
        for entry in &entries {
            let name = entry.file_name().to_string_lossy().into_owned();
            let rel =
                if folder.rel.is_empty() { name.clone() } else { format!("{}/{name}", folder.rel) };
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                let next = Folder {
                    path: entry.path(),
                    depth: folder.depth + 1,
                    marked: folder.marked || catalogue::is_marked(&name),
                    rel,
                };
                self.enter(root, next, &name, options, found, inner);
            } else {
                self.files += 1;
                self.file(root, folder, entry, kind, &name, &rel, found, inner);
            }
        }
        git::bare_repository(root, folder.rel.as_str(), &folder.path, &entries, found);
        self.full = self.folders >= MOST_FOLDERS || self.files >= MOST_FILES;
    }

    fn enter(
        &mut self,
        root: &Path,
        next: Folder,
        name: &str,
        options: Options,
        found: &mut ScanResult,
        inner: &mut Vec<Folder>,
    ) {
        if name.eq_ignore_ascii_case(".git") {
            git::folder(root, &next.rel, &next.path, found);
            return;
        }
        let marker = MARKED.iter().find(|(known, _)| *known == name);
        let dependencies = DEPENDENCIES.contains(&name)
            || marker.is_some_and(|(_, file)| next.path.join(file).is_file());
        let is_hidden = next.marked || name.starts_with('.');
        if options.shallow && !is_hidden {
            return;
        }
        if dependencies && !options.deep {
            self.skipped.push(next.rel);
        } else if next.depth > DEPTH {
            note(found, root, &next.rel, Kind::Unreadable, "is nested too deeply to be looked at");
        } else {
            inner.push(next);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all of them are about one entry")]
    fn file(
        &mut self,
        root: &Path,
        folder: &Folder,
        entry: &DirEntry,
        kind: FileType,
        name: &str,
        rel: &str,
        found: &mut ScanResult,
        inner: &mut Vec<Folder>,
    ) {
        let entries = catalogue::of(rel);
        if entries.is_empty() && !kind.is_symlink() {
            return;
        }
        let path = entry.path();
        if kind.is_symlink() {
            let wanted = !entries.is_empty() || folder.marked || catalogue::is_marked(name);
            if !wanted {
                return;
            }
            match lead(root, &path) {
                Ok(real) if real.is_dir() && name.eq_ignore_ascii_case(".git") => {
                    git::folder(root, rel, &path, found);
                    return;
                }
                Ok(real) if real.is_dir() => {
                    // A folder already walked through another link is skipped, which also ends cycles.
                    let marked = folder.marked || catalogue::is_marked(name);
                    let circle =
                        folder.path.canonicalize().is_ok_and(|here| here.starts_with(&real));
                    if circle {
                        note(found, root, rel, Kind::LeadsOut, "leads in a circle");
                    } else if marked && self.linked.insert(real) && folder.depth < DEPTH {
                        let rel = rel.to_owned();
                        inner.push(Folder { path, rel, depth: folder.depth + 1, marked });
                    }
                    return;
                }
                Ok(_) => {}
                Err((kind, why)) => {
                    note(found, root, rel, kind, &why);
                    return;
                }
            }
        }
        visit(&entries, &path, rel, found);
    }
}

/// The target of a link, if it is in the folder.
fn lead(root: &Path, path: &Path) -> Result<PathBuf, (Kind, String)> {
    let target = path.read_link().map(|target| target.to_string_lossy().into_owned());
    let target = target.unwrap_or_default();
    match path.canonicalize() {
        Ok(real) if real.starts_with(root) => Ok(real),
        Ok(_) => Err((Kind::LeadsOut, format!("is a link out of the folder, to `{target}`"))),
        Err(_) if Path::new(&target).is_absolute() || target.starts_with("..") => {
            Err((Kind::LeadsOut, format!("is a link to `{target}`, where nothing is yet")))
        }
        Err(error) => Err((Kind::Unreadable, format!("is a link to `{target}`: {error}"))),
    }
}

/// Reads a file once and passes it to all matching readers.
pub(super) fn visit(entries: &[&'static Entry], path: &Path, rel: &str, found: &mut ScanResult) {
    let Some(first) = entries.first() else { return };
    let file = |host, text| File { rel, host, path, text };
    let bytes = match read::whole(path) {
        Ok(bytes) => bytes,
        Err(why) => {
            let file = file(first.host, "");
            let item = Item::new(Kind::Unreadable, &file, 1).say(why);
            found.add(&file, item.unseen());
            return;
        }
    };
    // Invalid UTF-8 is still scanned: some hosts are lenient.
    let text = String::from_utf8_lossy(&bytes);
    let binary = bytes.contains(&0) || matches!(text, std::borrow::Cow::Owned(_));
    if binary && entries.iter().any(|entry| entry.is_text) {
        let file = file(first.host, &text);
        found.unreadable(&file, 1, "is not UTF-8 text");
    }
    for entry in entries {
        (entry.read)(&file(entry.host, &text), found);
    }
}

/// Reports a path that is not a catalogue file, or cannot be read.
fn note(found: &mut ScanResult, root: &Path, rel: &str, kind: Kind, why: &str) {
    let path = root.join(rel);
    let shown = if rel.is_empty() { "." } else { rel };
    let file = File { rel: shown, host: "any", path: &path, text: "" };
    let item = Item::new(kind, &file, 1).say(why).define(why);
    // A link's target can be approved; unexamined content cannot.
    found.add(&file, if kind == Kind::LeadsOut { item } else { item.unseen() });
}
