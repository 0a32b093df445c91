//! Classifies paths by the severity of losing them.

mod paths;
mod patterns;
mod tables;
mod windows;

use tenter_model::Event;
use tenter_shell::PathTarget;

use crate::world::World;
use paths::{Relation, below, components, is, lies_in, relation, same};

/// The folders of this event.
#[derive(Clone, Debug)]
pub struct Places<'p> {
    pub home: Option<&'p str>,
    pub cwd: Option<&'p str>,
    /// Workspace roots; the working directory if the host names none.
    pub roots: Vec<&'p str>,
    pub own: &'p [&'p str],
    pub case_insensitive: bool,
}

/// Zone of a path, most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Zone {
    /// `/`, or a pattern for everything in it.
    Root,
    /// A system tree (`/etc`, `/usr`, `C:\Windows`), or everything in it.
    SystemTree,
    /// Something inside a system tree.
    System,
    /// A home folder, or everything in it.
    Home,
    /// The workspace root or a parent, or everything in it.
    Workspace,
    /// `.git` of any repository, or something in it.
    Repository,
    /// A well-known folder of a home: `~/.ssh`, `~/.config`, `~/Documents`.
    HomeTree,
    /// Something in a home, outside the workspace.
    Personal,
    /// Elsewhere: `/data`, `/mnt/x`, another user's file.
    Outside,
    /// Depends on an unknown variable or command.
    Unknown,
    /// In the workspace.
    Inside,
    /// A folder that tools recreate: `node_modules`, `target`, `dist`, a cache.
    Generated,
    /// Inside a folder for temporary files, not that folder itself.
    Temporary,
    /// `/dev/null` and other devices without data.
    Nothing,
}

impl<'p> Places<'p> {
    pub fn new(event: &'p Event<'p>, cwd: Option<&'p str>, world: &'p World<'p>) -> Self {
        let named = event.workspace_roots.iter().map(AsRef::as_ref).filter(|root| !root.is_empty());
        let mut roots: Vec<&str> = named.collect();
        if roots.is_empty() {
            roots.extend(cwd);
        }
        Self {
            home: world.home,
            cwd,
            roots,
            own: world.own,
            case_insensitive: world.case_insensitive,
        }
    }

    /// The most severe zone this path may be in. A pattern for everything in a folder counts as the folder.
    pub fn zone(&self, path: &PathTarget) -> Zone {
        let zone = match path.exact() {
            Some(text) => self.exact(text, &path.written),
            None => self.pattern(path),
        };
        match &path.real {
            Some(real) => zone.min(self.exact(real, real)),
            None => zone,
        }
    }

    /// Whether a recursive operation on `path` reaches `other`: equal to it or below it.
    pub fn reaches(&self, path: &PathTarget, other: &str) -> bool {
        let holds = |text: &str| {
            matches!(relation(text, other, self.case_insensitive), Relation::Same | Relation::Above)
        };
        if path.real.as_deref().is_some_and(holds) {
            return true;
        }
        match path.exact() {
            Some(text) => holds(text),
            None => Self::pattern_reaches(path, other),
        }
    }

    /// Whether a path lies in a folder for temporary files, but not in a home there.
    pub fn is_cleaned(&self, path: &str) -> bool {
        let lies_in = |folder| lies_in(path, folder, self.case_insensitive);
        tables::TEMPORARY.iter().any(|it| lies_in(it)) && !self.home.is_some_and(lies_in)
    }

    /// The zone of an absolute path without patterns; `written` is the path as typed.
    fn exact(&self, text: &str, written: &str) -> Zone {
        // Most paths are in the workspace; then nothing else is checked.
        for root in &self.roots {
            if let Some(rest) = below(text, root, self.case_insensitive)
                && !self.is_wide(root)
            {
                return inside(rest);
            }
        }
        let machine = self.machine(text);
        if matches!(machine, Zone::Root | Zone::Nothing) {
            return machine;
        }
        let mut zone = machine;
        for root in &self.roots {
            match relation(text, root, self.case_insensitive) {
                Relation::Same | Relation::Above if zone == Zone::System => zone = Zone::Workspace,
                Relation::Same | Relation::Above => zone = zone.min(Zone::Workspace),
                // If the workspace is a home or `/`, only paths of no other zone belong to it.
                Relation::Below(rest)
                    if machine == Zone::Personal && self.machine(root) == Zone::Home =>
                {
                    return inside(rest);
                }
                Relation::Below(rest)
                    if matches!(machine, Zone::Outside | Zone::Temporary)
                        && !written.starts_with(['/', '~', '$']) =>
                {
                    return inside(rest);
                }
                _ => {}
            }
        }
        zone
    }

    /// Whether a workspace root is so wide that it contains foreign folders.
    fn is_wide(&self, root: &str) -> bool {
        let deep = components(root).nth(2).is_some() && !root.contains(':');
        if deep && self.home.is_none_or(|home| !same(home, root, self.case_insensitive)) {
            return false;
        }
        matches!(self.machine(root), Zone::Root | Zone::Home | Zone::SystemTree)
    }

    /// The zone of a path, ignoring the workspace.
    fn machine(&self, text: &str) -> Zone {
        if let Some(zone) = windows::zone(text) {
            return zone;
        }
        let fold = self.case_insensitive;
        if components(text).next().is_none() {
            return Zone::Root;
        }
        if listed_or_below(tables::NOTHING, text, fold) {
            return Zone::Nothing;
        }
        if let Some(zone) = self.in_home(text) {
            return zone;
        }
        if tables::TREES.iter().any(|tree| is(text, tree, fold)) {
            return Zone::SystemTree;
        }
        // A parent of a home in an unusual place.
        if self.home.is_some_and(|home| matches!(relation(text, home, fold), Relation::Above)) {
            return Zone::Home;
        }
        if tables::TEMPORARY.iter().any(|folder| lies_in(text, folder, fold)) {
            return Zone::Temporary;
        }
        if listed_or_below(tables::SYSTEM_CACHES, text, fold) {
            return Zone::Generated;
        }
        if tables::SYSTEM.iter().any(|tree| lies_in(text, tree, fold)) {
            return Zone::System;
        }
        elsewhere(components(text))
    }

    fn in_home(&self, text: &str) -> Option<Zone> {
        let fold = self.case_insensitive;
        let own = self.home.filter(|home| components(home).next().is_some());
        for home in own.iter().chain(tables::ROOTS_HOME) {
            match relation(text, home, fold) {
                Relation::Same => return Some(Zone::Home),
                Relation::Below(rest) => return Some(personal(rest, fold)),
                Relation::Above | Relation::Apart => {}
            }
        }
        for homes in tables::HOMES {
            if same(homes, text, fold) {
                return Some(Zone::Home);
            }
            if let Some(mut rest) = below(text, homes, fold) {
                let _ = rest.next();
                return Some(match rest.clone().next() {
                    None => Zone::Home,
                    Some(_) => personal(rest, fold),
                });
            }
        }
        None
    }
}

/// The zone of a path below the workspace root.
fn inside<'a>(rest: impl Iterator<Item = &'a str>) -> Zone {
    for part in rest {
        if made_again(part) || made_in_project(part) {
            return Zone::Generated;
        }
        if let Some(zone) = windows::eaten(part) {
            return zone;
        }
        if is_repository(part) {
            return Zone::Repository;
        }
    }
    Zone::Inside
}

/// The zone of a path below a home.
fn personal<'a>(rest: impl Iterator<Item = &'a str> + Clone, fold: bool) -> Zone {
    let starts = |known: &str| {
        let mut parts = rest.clone();
        known.split('/').all(|part| parts.next().is_some_and(|own| paths::equal(own, part, fold)))
    };
    if tables::HOME_CACHES.iter().any(|cache| starts(cache)) {
        return Zone::Generated;
    }
    // AppData/Local/Temp/x
    if starts("AppData/Local/Temp") && rest.clone().nth(3).is_some() {
        return Zone::Temporary;
    }
    let mut parts = rest.clone();
    let first = parts.next().unwrap_or_default();
    if parts.next().is_none() && tables::HOME_TREES.iter().any(|tree| starts(tree)) {
        return if matches!(first, ".git") { Zone::Repository } else { Zone::HomeTree };
    }
    for (depth, part) in rest.enumerate() {
        if made_again(part) || (depth > 0 && made_elsewhere(part)) {
            return Zone::Generated;
        }
        if is_repository(part) {
            return Zone::Repository;
        }
    }
    Zone::Personal
}

/// The zone of a path outside homes and the system.
fn elsewhere<'a>(rest: impl Iterator<Item = &'a str>) -> Zone {
    for (depth, part) in rest.enumerate() {
        if made_again(part) || (depth > 1 && made_elsewhere(part)) {
            return Zone::Generated;
        }
        if is_repository(part) {
            return Zone::Repository;
        }
    }
    Zone::Outside
}

fn listed_or_below(list: &[&str], text: &str, fold: bool) -> bool {
    list.iter().any(|folder| is(text, folder, fold) || lies_in(text, folder, fold))
}

/// Whether tools recreate the folder, wherever it is.
fn made_again(name: &str) -> bool {
    tables::MADE_AGAIN.binary_search(&name).is_ok() || name.ends_with(".egg-info")
}

/// The same for less distinctive names, outside the workspace.
fn made_elsewhere(name: &str) -> bool {
    matches!(name, "build" | "coverage" | "dist" | "obj" | "out" | "target" | "temp" | "tmp")
        || name.starts_with("cmake-build-")
}

/// Whether the folder is a version control's history.
fn is_repository(name: &str) -> bool {
    matches!(name, ".git" | ".hg" | ".svn" | ".jj")
}

/// Whether tools recreate the folder, if it is in a project.
fn made_in_project(name: &str) -> bool {
    tables::MADE_IN_PROJECT.binary_search(&name).is_ok() || name.starts_with("cmake-build-")
}

#[cfg(test)]
mod tests;
