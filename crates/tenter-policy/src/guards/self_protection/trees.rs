//! Trees that are copied, moved, linked or unpacked: what is inside counts for the places it comes to,
//! as far as the disk shows it. Only a target that can hold settings is looked at, so that ordinary
//! copies cost nothing.

use tenter_shell::Act;
use tenter_shell::{Effect, Kind, PathKind, PathTarget, Source};

use super::places::{below, holder, parts, same};
use super::table::PLACES;
use crate::scene::Scene;
use crate::world::{Facts, Listing};

/// What a tree brings to where it comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Brought {
    Nothing,
    /// Settings of this holder, which land here.
    Settings(&'static str, String),
    /// What is inside cannot be seen, and settings of this holder belong there.
    Unseen(&'static str),
}

/// Folders that are looked into for one tree.
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

/// What comes with a tree.
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
    // A copy says what it becomes; others may add the name of what they take.
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

/// A place that lies below a target, and its path from there on.
struct Wanted<'w> {
    rest: Vec<&'w str>,
    holder: &'static str,
}

/// Which places a tree at `target` would have to hold to change settings.
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
        // Inside of what `**` stands for.
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
            wanted.push(Wanted { rest: parts(rest).collect(), holder: "this guard" });
        }
    }
    wanted
}

/// Whether hosts look for settings right in this folder: the home, or one that is worked in.
fn is_used(scene: &Scene<'_>, target: &str) -> bool {
    let places = &scene.places;
    let is = |folder: &&str| same(folder.trim_end_matches('/'), target);
    places.home.as_ref().is_some_and(is)
        || places.cwd.as_ref().is_some_and(is)
        || places.roots.iter().any(is)
}

/// Whose settings belong into a folder that gets what cannot be seen. A project's own root is not
/// among them: to unpack a release there is everyday work.
fn guarded(scene: &Scene<'_>, target: &str) -> Option<&'static str> {
    if scene.places.home.is_some_and(|home| same(home.trim_end_matches('/'), target)) {
        return Some("hosts and of this guard");
    }
    let folder: Vec<&str> = parts(target).collect();
    let skill = folder.windows(2).any(|pair| matches!(pair, [".claude", "skills"]));
    if skill {
        return Some("Claude Code");
    }
    // Of `.github` only the folder of hooks is Copilot's: to copy workflows is everyday work.
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
    /// Leading parts of an archive's names that are not used.
    stripped: usize,
    /// `unzip -j`: only the last part of each name is used.
    flat: bool,
}

impl<'t> Tree<'t> {
    fn open(scene: &Scene<'t>, effect: &Effect, root: &'t str) -> Option<Self> {
        let facts = scene.world.facts;
        let listing = facts.list(root)?;
        let stripped = if listing.archive { stripped(scene, effect) } else { 0 };
        let argv = scene.program(effect).map(|ran| ran.argv.as_slice()).unwrap_or_default();
        let has = |wanted: fn(&str) -> bool| argv.iter().skip(1).any(|it| wanted(it.prefix()));
        // Names that are made anew when it is unpacked.
        let renames = |text: &str| text.starts_with("--transform") || text.starts_with("--xform");
        if listing.archive && has(renames) {
            return None;
        }
        let zip = scene.program(effect).is_some_and(|ran| ran.program == "unzip");
        let flat = zip
            && has(|text| text.starts_with('-') && !text.starts_with("--") && text.contains('j'));
        Some(Self { facts, root, listing, stripped, flat })
    }

    /// Whether it holds something at this path, in which `**` is any folder, or at the end anything.
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
        // One folder or two between.
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

    /// The parts of each name as it comes out.
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
