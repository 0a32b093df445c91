//! Detects changes to the files that make hosts call us.
//!
//! Writers of hook files in [`crate::files`] leave a stamp beside the ledger, `<state>/wiring`: for every
//! watched file its identity, size and times, and a fingerprint of our part of it. The hook of any host
//! compares the metadata with one `stat` per file and reads files only if it differs. An edit that keeps our
//! entries renews the stamp silently; any other change is reported once.

mod print;
mod watch;

use std::path::{Path, PathBuf};

use tenter_files::Whose;

use crate::Places;
use crate::files::Ledger;

pub use print::Changed;
pub(crate) use print::ours;
use watch::Watched;

const NAME: &str = "wiring";
const MAGIC: &[u8] = b"TW1\n";
/// Maximum size of a stamp.
const LARGEST: u64 = 64 * 1024;
/// Maximum number of watched files.
const MOST: usize = 64;

/// Kind of a watched file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A hook file, or one that can disable hooks.
    Hooks,
    /// A program named in hook files.
    Program,
    /// A policy of the user or the administrator.
    Policy,
    /// A folder whose skills may contain mods.
    Mods,
}

/// The stamp in a state folder; empty if there is none.
pub fn read(state: &Path) -> Vec<u8> {
    tenter_files::read(&state.join(NAME), LARGEST, Whose::State).unwrap_or_default()
}

/// Whether every file's metadata matches the stamp. An empty stamp always matches.
pub fn holds(stamp: &[u8]) -> bool {
    let mut all = Records::new(stamp);
    all.by_ref().all(|record| watch::looks_same(&record)) && all.rest.is_empty()
}

/// The changes since the stamp was made, and a new stamp.
pub fn compare(stamp: &[u8], ledger: &Ledger) -> (Vec<Changed>, Vec<u8>) {
    let mut changed = Vec::new();
    let mut renewed = MAGIC.to_vec();
    for record in Records::new(stamp) {
        let Some(old) = Watched::of(&record) else { continue };
        let new = Watched::look(old.kind, old.path.clone());
        changed.extend(print::difference(&old, &new, ledger));
        new.write(&mut renewed);
    }
    (changed, renewed)
}

/// Project settings not in the stamp yet, if Claude Code is installed and they exist.
pub fn newcomers(stamp: &[u8], project: &Path) -> Vec<PathBuf> {
    let has = |text: &str| {
        let text = text.as_bytes();
        stamp.windows(text.len()).any(|window| window == text)
    };
    // Each record is at least as long as its fixed part.
    let is_full = stamp.len() / watch::HEAD > MOST;
    if is_full || !has("/.claude/") && !has("/settings.json") {
        return Vec::new();
    }
    let files = ["settings.local.json", "settings.json"].into_iter();
    let paths = files.map(|name| project.join(".claude").join(name));
    paths.filter(|path| path.to_str().is_some_and(|path| !has(path)) && path.exists()).collect()
}

/// The changes by newly found files, and a stamp that includes them.
pub fn extend(stamp: Vec<u8>, newcomers: Vec<PathBuf>, ledger: &Ledger) -> (Vec<Changed>, Vec<u8>) {
    let (mut changed, mut stamp) = (Vec::new(), stamp);
    for path in newcomers {
        let new = Watched::look(Kind::Hooks, path.clone());
        changed.extend(print::difference(&Watched::absent(path), &new, ledger));
        new.write(&mut stamp);
    }
    (changed, stamp)
}

/// Renews the stamp after we changed files; removes it if we have no hook file.
pub(crate) fn renew(places: &Places, ledger: &Ledger) {
    let Some(state) = &places.state else { return };
    let path = state.join(NAME);
    // If writing fails, the next call reports a change, which is the safe side.
    drop(match fresh(places, ledger) {
        Some(stamp) => crate::files::replace_private(&path, &stamp),
        None => std::fs::remove_file(&path),
    });
}

/// A stamp of the present state, if there is anything to watch.
pub fn fresh(places: &Places, ledger: &Ledger) -> Option<Vec<u8>> {
    let list = watch::list(places, ledger);
    let watched: Vec<Watched> =
        list.into_iter().take(MOST).map(|(kind, path)| Watched::look(kind, path)).collect();
    let mut stamp = MAGIC.to_vec();
    for it in &watched {
        it.write(&mut stamp);
    }
    watched.iter().any(|it| it.kind == Kind::Hooks && it.ours > 0).then_some(stamp)
}

/// Writes a stamp.
pub fn write(state: &Path, stamp: &[u8]) -> std::io::Result<()> {
    crate::files::replace_private(&state.join(NAME), stamp)
}

/// One record of a stamp, in bytes.
struct Record<'s> {
    head: &'s [u8],
    /// NUL-terminated, for the system call.
    path: &'s [u8],
}

struct Records<'s> {
    rest: &'s [u8],
}

impl<'s> Records<'s> {
    fn new(stamp: &'s [u8]) -> Self {
        Self { rest: stamp.strip_prefix(MAGIC).unwrap_or_default() }
    }
}

impl<'s> Iterator for Records<'s> {
    type Item = Record<'s>;

    fn next(&mut self) -> Option<Record<'s>> {
        let (head, rest) = self.rest.split_at_checked(watch::HEAD)?;
        let length = rest.first_chunk::<2>().map(|bytes| u16::from_le_bytes(*bytes))?;
        let (path, rest) = rest.get(2..)?.split_at_checked(usize::from(length))?;
        self.rest = rest;
        Some(Record { head, path })
    }
}

/// Policy files of the user and the administrator.
pub(crate) fn policies(places: &Places) -> impl Iterator<Item = PathBuf> {
    policy_folders(places).into_iter().map(|folder| folder.join("policy.toml"))
}

/// Policy folders of the user and the administrator.
fn policy_folders(places: &Places) -> Vec<PathBuf> {
    let named = places.variables.get("XDG_CONFIG_HOME").map(PathBuf::from);
    let named = named.filter(|path| path.is_absolute());
    let config = named.or_else(|| Some(places.home.as_ref()?.join(".config")));
    let own = config.map(|config| config.join("tenterhook"));
    let team = own.as_ref().map(|own| own.join("team"));
    own.into_iter().chain(team).chain([places.root.join("etc/tenterhook")]).collect()
}
