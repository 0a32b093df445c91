//! Loads the hook files of all layers and reloads those that changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use super::{Dialect, Hook, claude, cursor, plugin};
use crate::CursorEvent;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::{Parsed, Source, read_file};
use crate::layer::{Layer, LayerKind, Layers};
use crate::settings::Generation;

/// The merged configuration of all layers, in order of priority.
#[derive(Clone, Debug, Default)]
pub struct Config {
    files: Vec<Arc<Loaded>>,
    /// All hooks, highest layer first, in file order.
    pub hooks: Vec<Arc<Hook>>,
    /// Problems found in the files.
    pub diagnostics: Vec<Diagnostic>,
}

/// One file in the state it was last read.
#[derive(Debug)]
struct Loaded {
    layer: Layer,
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    hooks: Vec<Arc<Hook>>,
    diagnostics: Vec<Diagnostic>,
    /// The last read failed; `hooks` are those of the last successful read.
    broken: bool,
    /// Was read successfully at least once.
    ever_good: bool,
    /// Content at the last read, to detect changes that the stamps miss; empty when the stamps are enough.
    texts: Vec<Option<Vec<u8>>>,
    /// The stamps are old enough to show every change. Two writes within one clock tick look the same, so a
    /// recently written file is compared by content.
    settled: AtomicBool,
}

/// File metadata that changes when the file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    length: u64,
    /// Inode number and change time: they reveal a file replaced by another of the same size and modification
    /// time.
    number: u64,
    changed: (i64, i64),
}

/// Result of reading a file; `Err` means that no hook of it can be used.
pub type Read = Result<(Vec<Hook>, Vec<Diagnostic>), Diagnostic>;

impl Config {
    /// Reads every layer. An unreadable file is reported and affects no other file.
    pub fn load(layers: &Layers, generation: Generation) -> Self {
        let loaded = layers.files().into_iter().map(|layer| load(layer, layers, generation, None));
        Self::join(loaded.map(Arc::new).collect())
    }

    /// Reads changed files again; `None` if there are none. A file that is broken now keeps its last good
    /// hooks.
    pub fn reload(&self, layers: &Layers, generation: Generation) -> Option<Self> {
        let mut changed = false;
        let wanted = layers.files();
        changed |= wanted.len() != self.files.len();
        let files = wanted
            .into_iter()
            .map(|layer| {
                let last = self.files.iter().find(|file| file.layer == layer);
                if let Some(last) = last.filter(|last| last.is_current()) {
                    return Arc::clone(last);
                }
                changed = true;
                Arc::new(load(layer, layers, generation, last.map(AsRef::as_ref)))
            })
            .collect();
        changed.then(|| Self::join(files))
    }

    /// Whether a file is broken and its last good content is in use.
    pub fn is_broken(&self) -> bool {
        self.files.iter().any(|file| file.broken)
    }

    fn join(files: Vec<Arc<Loaded>>) -> Self {
        let mut hooks: Vec<Arc<Hook>> = Vec::new();
        for hook in files.iter().flat_map(|file| &file.hooks) {
            // A handler listed in several Claude settings files runs once.
            if hook.dialect == Dialect::Cursor || !hooks.iter().any(|one| is_same(one, hook)) {
                hooks.push(Arc::clone(hook));
            }
        }
        let diagnostics = files.iter().flat_map(|file| file.diagnostics.clone()).collect();
        Self { files, hooks, diagnostics }
    }

    /// The hooks of one event, in merge order.
    pub fn of_event(&self, event: CursorEvent) -> impl Iterator<Item = &Arc<Hook>> {
        self.hooks.iter().filter(move |hook| hook.event == event)
    }
}

/// Whether two hooks are duplicates. A relative command differs by directory, and a disabled handler is never
/// a duplicate.
fn is_same(one: &Hook, other: &Hook) -> bool {
    one.dialect == Dialect::Claude
        && one.disabled.is_none()
        && one.event == other.event
        && one.timeout == other.timeout
        && one.action == other.action
        && one.matcher.text() == other.matcher.text()
        && one.layer.directory == other.layer.directory
}

impl Loaded {
    fn is_current(&self) -> bool {
        if !self.stamps.iter().all(|(path, stamp)| *stamp == self::stamp(path)) {
            return false;
        }
        if self.settled.load(Ordering::Relaxed) {
            return true;
        }
        let is_old = self.stamps.iter().all(|(_, stamp)| stamp.is_none_or(Stamp::is_old));
        let same = texts(&self.stamps) == self.texts;
        self.settled.store(is_old && same, Ordering::Relaxed);
        same
    }
}

/// Longer than the clock tick of any file system.
const TICK: Duration = Duration::from_secs(3);

impl Stamp {
    fn is_old(self) -> bool {
        #[expect(clippy::disallowed_methods, reason = "compared with the times of files only")]
        let now = SystemTime::now();
        // A modification time in the future proves nothing.
        self.modified.is_some_and(|then| now.duration_since(then).is_ok_and(|age| age > TICK))
    }
}

fn texts(stamps: &[(PathBuf, Option<Stamp>)]) -> Vec<Option<Vec<u8>>> {
    stamps.iter().map(|(path, _)| read_file(path).ok().flatten()).collect()
}

fn load(layer: Layer, layers: &Layers, generation: Generation, last: Option<&Loaded>) -> Loaded {
    // Read the stamps before the content, so that a change in between is seen next time.
    let stamped = |path: PathBuf| {
        let stamp = stamp(&path);
        (path, stamp)
    };
    let (place, stamps) = if layer.kind == LayerKind::Plugin {
        let manifest = stamped(plugin::manifest(&layer.directory));
        let place = plugin::find(&layer.directory);
        let file = match &place {
            Ok(plugin::Place::File { path, .. }) => Some(stamped(path.clone())),
            _ => None,
        };
        (place, std::iter::once(manifest).chain(file).collect())
    } else {
        let path = layer.file.clone();
        (Ok(plugin::Place::File { path: path.clone(), named: false }), vec![stamped(path)])
    };
    let is_old = stamps.iter().all(|(_, stamp)| stamp.is_none_or(Stamp::is_old));
    let texts = if is_old { Vec::new() } else { texts(&stamps) };
    let settled = AtomicBool::new(is_old);
    let untrusted = layer.kind.needs_trust() && !layers.trusted;
    let read = if untrusted {
        Ok((Vec::new(), untrusted_note(&layer)))
    } else {
        place.and_then(|place| read(place, &layer, generation))
    };
    match read {
        Ok((hooks, diagnostics)) => {
            let hooks = hooks.into_iter().map(Arc::new).collect();
            let (broken, ever_good) = (false, true);
            Loaded { layer, stamps, hooks, diagnostics, broken, ever_good, texts, settled }
        }
        Err(fault) => {
            let mut diagnostics = vec![fault];
            let kept = last.map(|last| last.hooks.clone()).unwrap_or_default();
            let ever_good = last.is_some_and(|last| last.ever_good);
            if ever_good {
                let text = "the hooks of its last good content stay in use".to_owned();
                diagnostics.push(Diagnostic::of_file(Severity::Warning, &layer.file, text));
            }
            let (hooks, broken) = (kept, true);
            Loaded { layer, stamps, hooks, diagnostics, broken, ever_good, texts, settled }
        }
    }
}

fn untrusted_note(layer: &Layer) -> Vec<Diagnostic> {
    if !layer.file.exists() {
        return Vec::new();
    }
    let text = "the workspace is not trusted: its hooks are not loaded".to_owned();
    let help = "trust it if you know what its hooks do (`--trust`)";
    vec![Diagnostic::of_file(Severity::Warning, &layer.file, text).help(help)]
}

fn read(place: plugin::Place, layer: &Layer, generation: Generation) -> Read {
    let (source, inline) = match place {
        plugin::Place::Inline(source) => (source, true),
        plugin::Place::File { path, named } => match Source::read(&path) {
            Ok(Some(source)) => (source, false),
            Ok(None) if named => {
                let text = "the plugin's manifest names this file, which does not exist".to_owned();
                return Err(Diagnostic::of_file(Severity::Error, &path, text));
            }
            Ok(None) => return Ok((Vec::new(), Vec::new())),
            Err(fault) => return Err(Diagnostic::of_file(Severity::Error, &path, fault)),
        },
    };
    read_text(&source, layer, generation, inline)
}

/// Reads the hooks of one file; with `inline`, the file is a plugin manifest that contains them.
pub fn read_text(source: &Source, layer: &Layer, generation: Generation, inline: bool) -> Read {
    let parsed = source.parse().map_err(|error| {
        let text = format!("{}: no hook of this file runs", error.message);
        Diagnostic::at(Severity::Error, source, error.at.start, text)
    })?;
    let Value::Object(file) = &parsed.value else {
        let text = "a hooks file must be an object: no hook of it runs".to_owned();
        return Err(Diagnostic::at(Severity::Error, source, parsed.value.start(), text));
    };
    let layer = Arc::new(Layer { file: source.path.clone(), ..layer.clone() });
    let (hooks, mut diagnostics) = if layer.kind.is_claude() {
        claude::Reader::new(source, layer).read(file)
    } else {
        let reader = cursor::Reader::new(source, layer, generation);
        match plugin::inline_events(&parsed).filter(|_| inline) {
            Some(events) => reader.read_events(events),
            None => reader.read(file),
        }
    };
    diagnostics.extend(beyond_json(source, &parsed));
    Ok((hooks, diagnostics))
}

fn beyond_json(source: &Source, parsed: &Parsed<'_>) -> Option<Diagnostic> {
    let (what, at) = parsed.beyond_json.clone()?;
    let text = format!("{what} is not JSON: accepted here, but Cursor may drop the file");
    Some(Diagnostic::at(Severity::Warning, source, at.start, text).help("remove it"))
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    #[cfg(unix)]
    let (number, changed) = {
        use std::os::unix::fs::MetadataExt;
        (metadata.ino(), (metadata.ctime(), metadata.ctime_nsec()))
    };
    #[cfg(not(unix))]
    let (number, changed) = (0, (0, 0));
    Some(Stamp { modified: metadata.modified().ok(), length: metadata.len(), number, changed })
}
