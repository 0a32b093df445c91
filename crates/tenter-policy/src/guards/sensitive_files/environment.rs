//! Uses of environment files that show no value.

use tenter_shell::{Act, Effect, Kind, PathTarget, Ran, Role, Target};

use crate::scene::Scene;
use crate::sensitive::paths::{self, Sort};

/// Whether only names from an environment file are printed, or it is loaded, edited or copied without being
/// shown.
pub(super) fn harmless_use(scene: &Scene<'_>, effect: &Effect) -> bool {
    // Whatever an unknown program does with a file, its output does not tell.
    if effect.action == Act::HandOver && !scene.is(effect, Role::SearchesText) {
        return false;
    }
    let file = effect.target.shown();
    let unseen = |ran: &Ran| super::unseen::is_unseen(scene, ran, &file);
    scene.program(effect).is_some_and(|ran| ran.shows_names_only() || unseen(ran))
        || loaded(scene, effect)
        || kept(scene, effect)
}

/// Whether all output goes to equally guarded files on this machine: `sed -i ... .env`, `cp .env
/// ../other/.env`.
fn kept(scene: &Scene<'_>, effect: &Effect) -> bool {
    let writes = |other: &&Effect| {
        other.command == effect.command
            && matches!(other.kind, Kind::Write | Kind::Overwrite | Kind::Append | Kind::Send)
    };
    let guarded = |other: &Effect| match &other.target {
        Target::Path(path) => {
            let silent =
                matches!(other.action, Act::EditInPlace | Act::Copy | Act::Symlink | Act::Hardlink);
            silent && !path.elsewhere && is_environment_file(path)
        }
        _ => false,
    };
    let mut written = scene.effects().iter().filter(writes).peekable();
    effect.command.is_some() && written.peek().is_some() && written.all(guarded)
}

/// Whether a path is an environment file, or one by its start: `.env.bak.$(date +%s)`.
fn is_environment_file(path: &PathTarget) -> bool {
    let shown = path.shown();
    let known = shown.split('$').next().unwrap_or_default();
    let whole = known.len() == shown.len();
    let name = known.rsplit('/').next().unwrap_or_default();
    (whole || name.starts_with(".env."))
        && paths::of(known.trim_end_matches('.'))
            .is_some_and(|secret| secret.sort == Sort::Environment)
}

/// Whether an environment file is loaded: `export $(cat .env)`, `env $(cat .env) program`.
fn loaded(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(command) = scene.command.as_deref() else {
        return false;
    };
    let Some((outside, inside)) =
        command.get(..effect.span.range().start).and_then(|before| before.rsplit_once("$("))
    else {
        return false;
    };
    let word = outside.trim_end_matches(['"', ' ']).rsplit([' ', ';', '&', '\n', '(']).next();
    !inside.contains(')') && matches!(word, Some("export" | "env"))
}
