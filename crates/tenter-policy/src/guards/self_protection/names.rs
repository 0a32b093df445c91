//! Finds protected files under other names: hard links by device and inode, and links created by the same
//! command.

use tenter_shell::{Act, Effect, PathKind, PathTarget, Source};

use super::table::PLACES;
use super::{SETTINGS, changes_file, places, protects};
use crate::finding::{At, Found};
use crate::scene::Scene;

/// Maximum number of settings folders whose files are compared.
const MOST_FOLDERS: usize = 8;

/// The owner of settings in a hard-linked file: `ln ~/.claude/settings.json x` was run before.
pub(super) fn by_inode(scene: &Scene<'_>, path: &PathTarget) -> Option<&'static str> {
    let facts = scene.world.facts;
    let file = facts.doubled(path.exact()?)?;
    let places = &scene.places;
    let folders = places.home.iter().chain(&places.roots).chain(&places.cwd).take(MOST_FOLDERS);
    for folder in folders {
        for (place, holder) in PLACES.iter().filter(|(place, _)| !place.contains(&"**")) {
            let known = format!("{}/{}", folder.trim_end_matches('/'), place.join("/"));
            if facts.doubled(&known) == Some(file) {
                return Some(holder);
            }
        }
    }
    let is_own = |own: &&&str| facts.doubled(own) == Some(file);
    places.own.iter().find(is_own).map(|_| "tenter")
}

/// The owner of settings in a tree whose files all get a second name: `cp -al ~/.claude x`.
pub(super) fn in_tree(scene: &Scene<'_>, tree: &str) -> Option<&'static str> {
    let tree = tree.trim_end_matches("/**/*").trim_end_matches("/*").trim_end_matches('/');
    let there = |(_, rest): &(&str, String)| {
        scene.world.kind(&format!("{tree}/{rest}")) != Some(PathKind::Missing)
    };
    places::below(tree).find(there).map(|(holder, _)| holder)
}

/// Checks writes through new links: `ln -s ~/.claude $d/x; echo {} > $d/x/settings.json`.
pub(super) fn through_links(scene: &Scene<'_>, found: &mut Found<'_>) {
    let is_link = |effect: &&Effect| {
        matches!(effect.action, Act::Symlink | Act::Hardlink | Act::Link | Act::Mount)
            && effect.target.path().is_some()
    };
    for link in scene.effects().iter().filter(is_link) {
        let place = link.target.shown();
        for source in link.sources.sources() {
            let Source::File(source) = source else { continue };
            for effect in scene.effects().iter().filter(|effect| changes_file(effect.kind)) {
                let shown = effect.target.shown();
                let Some(rest) = shown.strip_prefix(&*place).filter(|rest| rest.starts_with('/'))
                else {
                    continue;
                };
                let real = PathTarget::absolute(&format!("{}{rest}", source.trim_end_matches('/')));
                if let Some(holder) = protects(scene, &real, effect.recursive) {
                    let what = format!("changes the settings of {holder} through a link: {shown}");
                    found.add(&SETTINGS, At::effect(effect, &shown), what);
                }
            }
        }
    }
}
