//! Checks of containers: data lost with them, and their access to this machine.

use tenter_shell::Act;
use tenter_shell::{Effect, Field, Role, Target};

use super::checks::{
    CONTAINER, CONTAINER_CHANGE, CONTAINER_DATA, CONTAINER_MANY, CONTAINER_RIGHTS,
};
use crate::finding::Found;
use crate::guards::rows::{row, tell, tell_of};
use crate::places::Zone;
use crate::scene::Scene;

/// Checks containers, images, volumes, and privileges of containers.
pub(super) fn container(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let name = effect.target.shown();
    let right = match effect.action {
        Act::Mount | Act::MountReadOnly => {
            let zone = effect.target.path().map(|path| scene.places.zone(path));
            let writes = effect.action == Act::Mount;
            let holds = |folders: &[&str]| folders.iter().any(|folder| name.ends_with(folder));
            let open = match zone {
                Some(Zone::Root | Zone::Home) => true,
                Some(Zone::SystemTree) => writes,
                _ => holds(&["/.ssh", "/.gnupg"]) || (writes && holds(ACCOUNTS)),
            };
            open.then_some("mounts a large part of this machine into a container")
        }
        Act::ShareNamespace => matches!(&*name, "pid" | "userns")
            .then_some("shares this machine's namespaces with a container"),
        Act::ShareDevice => is_disk(&name).then_some("gives a container access to a disk"),
        Act::AddCapability => {
            is_capability(&name).then_some("gives a container rights over this machine")
        }
        _ => None,
    };
    if let Some(what) = right {
        tell(found, effect, &CONTAINER_RIGHTS, what);
        return;
    }
    let Some((mut check, what)) = row(CONTAINER, effect.action) else { return };
    if effect.action == Act::RemoveVolume && effect.recursive && is_for_tests(scene, effect) {
        return tell(found, effect, &CONTAINER_CHANGE, "deletes the test volumes");
    }
    let many = match effect.action {
        Act::RemoveContainer | Act::Stop | Act::Kill | Act::RemovePod => effect.recursive,
        Act::RemoveImage => effect.force || (effect.recursive && effect.target != Target::None),
        _ => false,
    };
    // Containers with a label were started under it; an image or a network has others, too.
    let labelled = effect.action == Act::RemoveContainer
        && scene.command.as_deref().is_some_and(|command| selects(command, &["label="]));
    if many && !labelled && (effect.force || !is_selected(scene.words(effect.span))) {
        check = &CONTAINER_MANY;
    }
    if effect.recursive && name.starts_with("$(") {
        // The name of a listing is not informative.
        let many = match effect.action {
            Act::Stop | Act::Kill => "stops many containers at once",
            Act::RemoveImage => "removes many images at once",
            _ => "removes many containers at once",
        };
        return tell_of(found, effect, check, many, "");
    }
    tell(found, effect, check, what);
}

/// Whether the compose file is for tests: `docker compose -f docker-compose.test.yml`.
fn is_for_tests(scene: &Scene<'_>, effect: &Effect) -> bool {
    let file = |field: &Field| {
        let text = field.exact().unwrap_or_default();
        let name = text.rsplit(['/', '=']).next().unwrap_or_default();
        let mut parts = name.split(['.', '-', '_']);
        matches!(parts.clone().next_back(), Some("yml" | "yaml"))
            && parts.any(|part| matches!(part, "test" | "tests" | "e2e" | "ci"))
    };
    scene.program(effect).is_some_and(|ran| ran.argv.iter().any(file))
}

/// Whether a listing is filtered by name, label or origin, or to unused items: `$(docker ps -q --filter
/// name=test)`.
fn is_selected(listing: &str) -> bool {
    const BY: &[&str] =
        &["name=", "ancestor=", "label=", "reference=", "dangling=true", "network="];
    selects(listing, BY)
}

fn selects(listing: &str, by: &[&str]) -> bool {
    let narrows = |word: &str| by.iter().any(|start| word.starts_with(start));
    let bare = listing.replace(['"', '\''], "");
    let mut words = bare.split_ascii_whitespace();
    while let Some(word) = words.next() {
        let value = match word {
            "-f" | "--filter" => words.next(),
            _ => word.strip_prefix("--filter="),
        };
        if value.is_some_and(narrows) {
            return true;
        }
    }
    false
}

/// Folders of a home with credentials for other machines.
const ACCOUNTS: &[&str] =
    &["/.aws", "/.azure", "/.kube", "/.docker", "/.config/gcloud", "/.config/gh", "/.config"];

fn is_disk(device: &str) -> bool {
    let name = device.split(':').next().and_then(|path| path.strip_prefix("/dev/"));
    name.is_some_and(|name| {
        ["sd", "nvme", "vd", "xvd", "hd", "mem", "kmem", "disk", "mapper"]
            .iter()
            .any(|start| name.starts_with(start))
    })
}

fn is_capability(name: &str) -> bool {
    let name = name
        .get(..4)
        .filter(|start| start.eq_ignore_ascii_case("cap_"))
        .map_or(name, |_| name.get(4..).unwrap_or_default());
    ["all", "sys_admin", "sys_module", "sys_rawio", "dac_read_search", "sys_boot"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
}

/// Checks containers started to delete the content of a named volume: `docker run -v data:/d ... rm /d/*`.
pub(super) fn volume(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Target::Path(path) = &effect.target else { return };
    let shown = path.shown();
    let holds = |field: &Field| {
        let text = field.prefix();
        let text = text.rsplit_once('=').map_or(text, |(_, value)| value);
        let mut parts = text.split(':');
        let (Some(name), Some(inside)) = (parts.next(), parts.next()) else { return false };
        let named = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
        named && inside.len() > 1 && inside.starts_with('/') && shown.starts_with(inside)
    };
    let mounts = scene
        .analysis
        .commands
        .iter()
        .any(|ran| ran.is(Role::ContainerEngine) && ran.argv.iter().any(holds));
    if mounts && effect.recursive {
        tell(found, effect, &CONTAINER_DATA, "deletes what a volume holds");
    }
}
