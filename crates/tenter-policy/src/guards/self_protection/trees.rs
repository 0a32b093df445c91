//! Checks trees that are copied, moved, linked or unpacked onto settings, by their content on disk. Only
//! targets that can contain settings are examined, so that ordinary copies cost nothing.

use tenter_shell::Act;
use tenter_shell::{Effect, Kind, PathKind, PathTarget, Role, Source};

use super::places::{below, holder, parts, same};
use super::table::PLACES;
use crate::scene::Scene;
use crate::world::{Facts, Listing};

/// Result of examining a tree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Brought {
    Nothing,
    /// Contains settings of this owner for the target, at this path.
    Settings(&'static str, String),
    /// Its content is unknown, and the target belongs to this owner.
    Unseen(&'static str),
}

/// Maximum number of folders listed per tree.
const MOST_FOLDERS: usize = 64;

/// Whether an effect puts a whole tree somewhere.
pub(super) fn arrives(effect: &Effect) -> bool {
    match effect.kind {
        Kind::Write | Kind::Overwrite => {
            effect.recursive
                || matches!(effect.action, Act::Extract | Act::Rsync | Act::Mirror)
                // `find x | xargs -I{} cp {} y/`
                || effect.target.shown().ends_with("/**/*")
        }
        Kind::Vcs | Kind::VcsWorktree => effect.action == Act::WorktreeAdd,
        _ => false,
    }
}

/// Examines a tree.
pub(super) fn look(scene: &Scene<'_>, effect: &Effect, path: &PathTarget) -> Brought {
    let shown = path.shown();
    let written = shown.trim_end_matches("/**/*").trim_end_matches("/*");
    let mut unseen = None;
    for target in [Some(written), path.real.as_deref()].into_iter().flatten() {
        match at(scene, effect, target) {
            Brought::Nothing => {}
            Brought::Unseen(holder) => unseen = Some(holder),
            settings @ Brought::Settings(..) => return settings,
        }
    }
    unseen.map_or(Brought::Nothing, Brought::Unseen)
}

fn at(scene: &Scene<'_>, effect: &Effect, target: &str) -> Brought {
    let target = target.trim_end_matches('/');
    let sources: Vec<&str> = effect
        .sources
        .sources()
        .iter()
        .filter_map(|source| match source {
            Source::File(file) => Some(file.trim_end_matches("/**/*").trim_end_matches("/*")),
            _ => None,
        })
        .collect();
    // A copy names its target; other programs may append the source's name.
    let named = !matches!(
        effect.action,
        Act::Copy | Act::Move | Act::Symlink | Act::Hardlink | Act::Install
    );
    let mut unseen = sources.is_empty();
    for source in &sources {
        let deeper = named.then(|| format!("{target}/{}", source.rsplit('/').next().unwrap_or("")));
        for target in [Some(target), deeper.as_deref()].into_iter().flatten() {
            let wanted = wanted(scene, target);
            if wanted.is_empty() {
                continue;
            }
            let Some(tree) = Tree::open(scene, effect, source) else {
                unseen |= !sources.iter().any(|other| is_below(other, source));
                continue;
            };
            let found = wanted.iter().find(|it| tree.holds(&it.rest));
            if let Some(found) = found {
                return Brought::Settings(
                    found.holder,
                    format!("{target}/{}", found.rest.join("/")),
                );
            }
            unseen |= !tree.listing.whole;
        }
        // Files that the command itself has put into the tree.
        for other in sources.iter().filter(|other| is_below(other, source)) {
            let landing = format!("{target}{}", other.strip_prefix(source).unwrap_or_default());
            if let Some(holder) = holder(&landing, false) {
                return Brought::Settings(holder, landing);
            }
        }
    }
    match unseen.then(|| guarded(scene, target)).flatten() {
        Some(holder) => Brought::Unseen(holder),
        None => Brought::Nothing,
    }
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// A settings place below a target, with its relative path.
struct Wanted<'w> {
    rest: Vec<&'w str>,
    holder: &'static str,
}

/// Settings places that a tree at `target` could change.
fn wanted<'w>(scene: &Scene<'w>, target: &str) -> Vec<Wanted<'w>> {
    let folder: Vec<&str> = parts(target).collect();
    let used = is_used(scene, target);
    let mut wanted = Vec::new();
    for (place, holder) in PLACES {
        let deep = place.iter().position(|part| *part == "**").unwrap_or(place.len());
        for count in 0..=deep {
            let (start, rest) = place.split_at_checked(count).unwrap_or_default();
            let ends = start.len() <= folder.len()
                && start.iter().rev().zip(folder.iter().rev()).all(|(one, other)| same(one, other));
            if ends && (count > 0 || used) && !rest.is_empty() {
                wanted.push(Wanted { rest: rest.to_vec(), holder });
            }
        }
        // Inside the folder matched by `**`.
        let rest = place.get(deep.saturating_add(1)..).unwrap_or_default();
        let head = place.get(..deep).unwrap_or_default();
        let inside = folder.windows(head.len().max(1)).position(|window| {
            window.iter().zip(head).all(|(one, other)| same(one, other)) && !head.is_empty()
        });
        if !rest.is_empty() && inside.is_some_and(|at| at + head.len() < folder.len()) {
            wanted.push(Wanted { rest: rest.to_vec(), holder });
        }
    }
    for own in scene.places.own {
        let rest = own.strip_prefix(target).and_then(|rest| rest.strip_prefix('/'));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            wanted.push(Wanted { rest: parts(rest).collect(), holder: "tenter" });
        }
    }
    wanted
}

/// Whether hosts look for settings in this folder: the home, or a work folder.
fn is_used(scene: &Scene<'_>, target: &str) -> bool {
    let places = &scene.places;
    let is = |folder: &&str| same(folder.trim_end_matches('/'), target);
    places.home.as_ref().is_some_and(is)
        || places.cwd.as_ref().is_some_and(is)
        || places.roots.iter().any(is)
}

/// The owner of a settings folder that receives unknown content. A project's root does not count: unpacking a
/// release there is everyday work.
fn guarded(scene: &Scene<'_>, target: &str) -> Option<&'static str> {
    if scene.places.home.is_some_and(|home| same(home.trim_end_matches('/'), target)) {
        return Some("hosts and of tenter");
    }
    let folder: Vec<&str> = parts(target).collect();
    let skill = folder.windows(2).any(|pair| matches!(pair, [".claude", "skills"]));
    if skill {
        return Some("Claude Code");
    }
    // In `.github` only the hooks folder is Copilot's: copying workflows is everyday work.
    if folder.last().is_some_and(|name| same(name, ".github")) {
        return None;
    }
    below(target).next().map(|(holder, _)| holder)
}

/// A folder or an archive on disk.
struct Tree<'t> {
    facts: &'t dyn Facts,
    root: &'t str,
    listing: Listing,
    /// Number of leading components stripped from an archive's names.
    stripped: usize,
    /// `unzip -j`: only file names are used.
    flat: bool,
}

impl<'t> Tree<'t> {
    fn open(scene: &Scene<'t>, effect: &Effect, root: &'t str) -> Option<Self> {
        let facts = scene.world.facts;
        let listing = facts.list(root)?;
        let stripped = if listing.archive { stripped(scene, effect) } else { 0 };
        let argv = scene.program(effect).map(|ran| ran.argv.as_slice()).unwrap_or_default();
        let has = |wanted: fn(&str) -> bool| argv.iter().skip(1).any(|it| wanted(it.prefix()));
        // Names are changed while unpacking.
        let renames = |text: &str| text.starts_with("--transform") || text.starts_with("--xform");
        if listing.archive && has(renames) {
            return None;
        }
        let zip = scene.is(effect, Role::UnzipsFlat);
        let flat = zip
            && has(|text| text.starts_with('-') && !text.starts_with("--") && text.contains('j'));
        Some(Self { facts, root, listing, stripped, flat })
    }

    /// Whether it contains this path; `**` matches any folder, or anything at the end.
    fn holds(&self, rest: &[&str]) -> bool {
        let (path, tail) = match rest.iter().position(|part| *part == "**") {
            Some(at) => (rest.get(..at), rest.get(at.saturating_add(1)..)),
            None => (Some(rest), None),
        };
        let (path, tail) = (path.unwrap_or_default(), tail.unwrap_or_default());
        if !self.has(path) {
            return false;
        }
        if tail.is_empty() {
            return true;
        }
        let end = tail.iter().take_while(|part| **part != "**").count();
        let tail = tail.get(..end).unwrap_or_default();
        // One or two folders in between.
        let mut folders: Vec<String> = self.children(path);
        let mut at = 0;
        while let Some(folder) = folders.get(at).filter(|_| at < MOST_FOLDERS).cloned() {
            at += 1;
            let base: Vec<&str> = folder.split('/').collect();
            if self.has(&[base.as_slice(), tail].concat()) {
                return true;
            }
            if base.len() == path.len().saturating_add(1) {
                folders.extend(self.children(&base));
            }
        }
        false
    }

    fn has(&self, path: &[&str]) -> bool {
        let Some(first) = path.first() else { return true };
        if self.listing.archive {
            return self.members().any(|mut name| {
                path.iter().all(|it| name.next().is_some_and(|part| same(part, it)))
            });
        }
        if self.listing.whole && !self.listing.names.iter().any(|name| same(name, first)) {
            return false;
        }
        let path = format!("{}/{}", self.root, path.join("/"));
        self.facts.kind(&path).is_some_and(|kind| kind != PathKind::Missing)
    }

    fn children(&self, path: &[&str]) -> Vec<String> {
        let names: Vec<String> = if self.listing.archive {
            let below = self.members().filter_map(|mut name| {
                let inside = path.iter().all(|it| name.next().is_some_and(|part| same(part, it)));
                name.next().filter(|_| inside).map(str::to_owned)
            });
            below.take(MOST_FOLDERS).collect()
        } else {
            let folder = format!("{}/{}", self.root, path.join("/"));
            self.facts.list(&folder).map(|listing| listing.names).unwrap_or_default()
        };
        let joined = |name: String| [path, &[name.as_str()]].concat().join("/");
        names.into_iter().take(MOST_FOLDERS).map(joined).collect()
    }

    /// The components of each extracted name.
    fn members(&self) -> impl Iterator<Item = impl Iterator<Item = &str>> {
        self.listing.names.iter().map(|name| {
            let last = if self.flat { parts(name).count().saturating_sub(1) } else { 0 };
            parts(name).filter(|part| *part != ".").skip(self.stripped.max(last))
        })
    }
}

/// `--strip-components=1`
fn stripped(scene: &Scene<'_>, effect: &Effect) -> usize {
    let Some(ran) = scene.program(effect) else { return 0 };
    let mut before = "";
    for field in &ran.argv {
        let text = field.prefix();
        let value = text.strip_prefix("--strip-components=").or(text.strip_prefix("--strip="));
        let value = value.or((before == "--strip-components").then_some(text));
        if let Some(count) = value.and_then(|count| count.parse().ok()) {
            return count;
        }
        before = text;
    }
    0
}
