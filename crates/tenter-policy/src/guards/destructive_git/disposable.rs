//! Repositories whose loss loses nothing: those in a folder for temporary files, and those that the same command
//! has made.

use tenter_shell::{Act, Effect, Field, Kind, PathKind, PathTarget, Ran, Role};

use crate::places::Zone;
use crate::scene::Scene;

pub(super) fn is_disposable(scene: &Scene<'_>, effect: &Effect, ran: &Ran) -> bool {
    if !ran.is(Role::Git) {
        return false;
    }
    let removes = effect.action == Act::WorktreeRemove;
    let target = effect.target.path().and_then(PathTarget::exact).map(str::to_owned);
    let folder = if removes { target } else { folder_of(ran) };
    let Some(folder) = folder else { return false };
    if effect.kind == Kind::VcsWorktree {
        return is_temporary(scene, &folder) || is_made_here(scene, effect, &folder);
    }
    // Branches and stashes belong to the repository that a work tree was added to.
    let copied = scene.world.facts.kind(&format!("{folder}/.git")) != Some(PathKind::File)
        && !adds(scene, effect, &folder, &["worktree"]);
    copied && is_temporary(scene, &folder)
        || adds(scene, effect, &folder, &["clone"])
        || is_branch_made_here(scene, effect)
}

/// The folder that git works in.
fn folder_of(ran: &Ran) -> Option<String> {
    let mut folder = ran.cwd.as_deref().map(str::to_owned);
    let mut words = ran.argv.iter().skip(1);
    while let Some(word) = words.next() {
        if word.is("-C") {
            folder =
                PathTarget::resolve(words.next()?, folder.as_deref()).exact().map(str::to_owned);
        } else if !word.prefix().starts_with('-') {
            break;
        }
    }
    folder
}

fn is_temporary(scene: &Scene<'_>, folder: &str) -> bool {
    scene.places.zone(&PathTarget::absolute(folder)) == Zone::Temporary
}

fn is_made_here(scene: &Scene<'_>, effect: &Effect, folder: &str) -> bool {
    adds(scene, effect, folder, &["worktree", "clone"])
}

/// Programs of git that ran before.
fn before<'s>(scene: &'s Scene<'_>, effect: &Effect) -> impl Iterator<Item = &'s Ran> {
    let before = effect.command.map_or(0, |index| index as usize);
    scene.analysis.commands.iter().take(before).filter(|ran| ran.is(Role::Git))
}

/// Whether a command before made this repository or work tree, by one of these subcommands.
fn adds(scene: &Scene<'_>, effect: &Effect, folder: &str, subcommands: &[&str]) -> bool {
    before(scene, effect).any(|ran| {
        let says = |word: &str| ran.argv.iter().any(|field| field.is(word));
        let place =
            |field: &Field| PathTarget::resolve(field, ran.cwd.as_deref()).exact() == Some(folder);
        subcommands.iter().any(|sub| says(sub) && (*sub != "worktree" || says("add")))
            && ran.argv.iter().skip(2).any(place)
    })
}

/// `git branch -D x` of a branch that was made a moment before.
fn is_branch_made_here(scene: &Scene<'_>, effect: &Effect) -> bool {
    let name = effect.target.shown();
    !name.is_empty()
        && matches!(effect.action, Act::BranchDelete)
        && before(scene, effect).any(|ran| {
            let words: Vec<&str> = ran.argv.iter().filter_map(Field::exact).collect();
            let makes =
                |pair: &[&str]| matches!(pair, ["-b" | "-c" | "branch", made] if *made == name);
            words.windows(2).any(makes)
        })
}
