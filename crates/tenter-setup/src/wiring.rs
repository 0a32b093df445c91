//! Whether the files that make hosts call us are as they were left.
//!
//! Whoever writes hook files through [`crate::files`] leaves a stamp beside the ledger, `<state>/wiring`: for
//! every file that matters its identity, size and times, and a print of what in it is ours. The hook of any
//! host compares the first with one `stat` a file and reads further only where that differs. An edit that
//! keeps our entries renews the stamp without a word; anything else is told once, with what has changed.

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
/// No stamp comes near this.
const LARGEST: u64 = 64 * 1024;
/// More files are not watched.
const MOST: usize = 64;

/// What kind of file is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A hook file, or one that can switch hooks off.
    Hooks,
    /// A program that hook files name.
    Program,
    /// A policy of the user or the administrator.
    Policy,
    /// A folder whose skills may hold mods.
    Mods,
}

/// The stamp of a state folder, as it lies there; empty if there is none.
pub fn read(state: &Path) -> Vec<u8> {
    tenter_files::read(&state.join(NAME), LARGEST, Whose::State).unwrap_or_default()
}

/// Whether every file looks as the stamp says. An empty stamp knows of none.
pub fn holds(stamp: &[u8]) -> bool {
    let mut all = Records::new(stamp);
    all.by_ref().all(|record| watch::looks_same(&record)) && all.rest.is_empty()
}

/// What has changed since the stamp was made, and a stamp of how things are now.
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

/// The settings of a project that no stamp knows yet, if Claude Code is wired and they are there.
pub fn newcomers(stamp: &[u8], project: &Path) -> Vec<PathBuf> {
    let has = |text: &str| {
        let text = text.as_bytes();
        stamp.windows(text.len()).any(|window| window == text)
    };
    // Each record is at least as long as its head.
    let is_full = stamp.len() / watch::HEAD > MOST;
    if is_full || !has("/.claude/") && !has("/settings.json") {
        return Vec::new();
    }
    let files = ["settings.local.json", "settings.json"].into_iter();
    let paths = files.map(|name| project.join(".claude").join(name));
    paths.filter(|path| path.to_str().is_some_and(|path| !has(path)) && path.exists()).collect()
}

/// What newcomers change, and a stamp that knows them.
pub fn extend(stamp: Vec<u8>, newcomers: Vec<PathBuf>, ledger: &Ledger) -> (Vec<Changed>, Vec<u8>) {
    let (mut changed, mut stamp) = (Vec::new(), stamp);
    for path in newcomers {
        let new = Watched::look(Kind::Hooks, path.clone());
        changed.extend(print::difference(&Watched::absent(path), &new, ledger));
        new.write(&mut stamp);
    }
    (changed, stamp)
}

/// Makes the stamp anew, after files were changed by us. Without a hook file of ours there is none.
pub(crate) fn renew(places: &Places, ledger: &Ledger) {
    let Some(state) = &places.state else { return };
    let path = state.join(NAME);
    // What cannot be written is noticed as a change later, which is better than the other way round.
    drop(match fresh(places, ledger) {
        Some(stamp) => crate::files::replace_private(&path, &stamp),
        None => std::fs::remove_file(&path),
    });
}

/// A stamp of how things are, if there is anything to watch.
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

/// Puts a stamp in its place.
pub fn write(state: &Path, stamp: &[u8]) -> std::io::Result<()> {
    crate::files::replace_private(&state.join(NAME), stamp)
}

/// One record of a stamp, as its bytes.
struct Record<'s> {
    head: &'s [u8],
    /// With a NUL at its end, as the system wants it.
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

/// The policies of the user and of the administrator.
pub(crate) fn policies(places: &Places) -> impl Iterator<Item = PathBuf> {
    policy_folders(places).into_iter().map(|folder| folder.join("policy.toml"))
}

/// Our folder for policies, and the administrator's.
fn policy_folders(places: &Places) -> Vec<PathBuf> {
    let named = places.variables.get("XDG_CONFIG_HOME").map(PathBuf::from);
    let named = named.filter(|path| path.is_absolute());
    let config = named.or_else(|| Some(places.home.as_ref()?.join(".config")));
    let own = config.map(|config| config.join("tenterhook"));
    let team = own.as_ref().map(|own| own.join("team"));
    own.into_iter().chain(team).chain([places.root.join("etc/tenterhook")]).collect()
}
