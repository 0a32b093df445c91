//! Checks git settings, variables and URLs that make git run something else.

use tenter_shell::Act;
use tenter_shell::{Effect, Field, Kind, Role};

use super::checks::{CODE, FORCE, SETTING};
use crate::finding::Found;
use crate::guard::Check;
use crate::guards::rows::tell;
use crate::scene::Scene;

/// Finds settings that make git run a program.
pub(super) fn settings(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let (check, what) = match (effect.kind, effect.action) {
        (Kind::Execute, Act::ConfigCommand) => (&CODE, "makes git run a command to connect"),
        (Kind::Execute, Act::ExecPath) => (&CODE, "runs git's own programs from another folder"),
        (Kind::Execute, Act::ExtTransport) => (&CODE, "runs a command written as an address"),
        (Kind::Execute, Act::TemplateHooks) => (&CODE, "installs hooks from a folder"),
        (Kind::Vcs, Act::AliasCommand) => (&CODE, "hides a command in an alias"),
        (Kind::Vcs, Act::RemoteAdd) if effect.target.shown().starts_with("ext::") => {
            (&CODE, "sets a command as a remote's address")
        }
        (Kind::Vcs, Act::ConfigCommand) if is_hidden(scene, effect) => {
            (&CODE, "makes git connect through another program")
        }
        (Kind::Vcs, Act::ConfigCredentials) if asks_a_command(scene, effect) => {
            (&CODE, "passes passwords to a command")
        }
        (Kind::Vcs, Act::ConfigCommand | Act::ConfigCredentials) => {
            (&SETTING, "changes how git connects")
        }
        (Kind::Vcs, Act::Config | Act::ConfigGlobal) if forces_pushes(scene, effect) => {
            (&FORCE, "makes every push a force push")
        }
        (Kind::Vcs, Act::Config | Act::ConfigGlobal) if uses_alias(scene, effect) => {
            (&CODE, "hides a command in an alias")
        }
        (Kind::Vcs, Act::ConfigCode) => match stored(scene, effect) {
            Some(check) => (check, "makes git run a command from now on"),
            None => return,
        },
        _ => return,
    };
    tell(found, effect, check, what);
}

/// Whether a setting is passed by the variables `GIT_CONFIG_*`, which only programs use.
fn is_hidden(scene: &Scene<'_>, effect: &Effect) -> bool {
    scene.program(effect).is_some_and(|ran| {
        ran.assignments
            .iter()
            .any(|(name, _)| name.starts_with("GIT_CONFIG_") || name == "GIT_SSH_VARIANT")
    })
}

/// The new value of a setting.
fn value(scene: &Scene<'_>, effect: &Effect) -> String {
    let key = effect.target.shown();
    let value = scene.program(effect).and_then(|ran| {
        ran.argv.iter().enumerate().find_map(|(at, field)| {
            let text = field.shown();
            match text.strip_prefix(&*key)? {
                "" => ran.argv.get(at + 1).map(Field::shown),
                rest => rest.strip_prefix('=').map(str::to_owned),
            }
        })
    });
    value.unwrap_or_default()
}

/// Whether a credential helper is an unusual shell command.
fn asks_a_command(scene: &Scene<'_>, effect: &Effect) -> bool {
    let value = value(scene, effect);
    let Some(code) = value.strip_prefix('!') else { return false };
    let program = code.split_whitespace().next().unwrap_or_default();
    let usual = ["aws", "az", "gcloud", "gh", "git", "glab", "op", "pass"];
    !usual.contains(&program.rsplit('/').next().unwrap_or_default())
        || code.contains([';', '|', '`', '<', '>'])
}

/// Whether later pushes to a remote will force: `remote.origin.push +main`.
fn forces_pushes(scene: &Scene<'_>, effect: &Effect) -> bool {
    let key = effect.target.shown();
    key.starts_with("remote.")
        && ((key.ends_with(".push") && value(scene, effect).starts_with('+'))
            || (key.ends_with(".mirror") && value(scene, effect) == "true"))
}

/// Whether an alias is defined and used in the same command.
fn uses_alias(scene: &Scene<'_>, effect: &Effect) -> bool {
    let key = effect.target.shown();
    let Some(name) = key.strip_prefix("alias.") else { return false };
    scene
        .analysis
        .commands
        .iter()
        .any(|ran| ran.is(Role::Git) && ran.argv.iter().skip(1).any(|field| field.is(name)))
}

/// The check for a stored setting: `None` if its value is only a switch.
fn stored(scene: &Scene<'_>, effect: &Effect) -> Option<&'static Check> {
    let value = value(scene, effect);
    let lower = effect.target.shown().to_ascii_lowercase();
    if matches!(value.as_str(), "true" | "false" | "0" | "1" | "") {
        return None;
    }
    let hides = lower.starts_with("alias.")
        || matches!(&*lower, "core.fsmonitor" | "core.gitproxy" | "core.askpass")
        || matches!(&*lower, "core.alternaterefscommand" | "uploadpack.packobjectshook")
        || lower.starts_with("remote.")
        || (lower == "core.sshcommand" && !value.starts_with("ssh"))
        || value.starts_with(['.', '/', '!'])
        || value.contains([';', '|', '&', '$', '`']);
    Some(if hides { &CODE } else { &SETTING })
}
