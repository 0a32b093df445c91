//! Checks of code forges and direct calls of provider APIs.

use tenter_shell::Act;
use tenter_shell::{Effect, Target};

use super::checks::{CLOUD_DELETE, FORGE, FORGE_DELETE, FORGE_SETTINGS, GONE, RIGHTS};
use super::{is_of_trial, says};
use crate::finding::Found;
use crate::guards::rows::{row, tell};
use crate::scene::Scene;
use crate::sensitive::hosts::{self, Host};

/// URL parts of permission settings.
const SETTINGS: &[&str] = &[
    "/collaborators",
    "/protection",
    "/rulesets",
    "/transfer",
    "/hooks",
    "/keys",
    "/memberships",
    "/members",
    "/environments",
    "/actions/permissions",
    "/invitations",
];

/// Checks repositories, releases and settings of a forge.
pub(super) fn forge(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Some((mut check, what)) = row(FORGE, effect.action) else { return };
    let name = effect.target.shown();
    let sets = || {
        let moves_branch = name.contains("/git/refs/") && says(scene, effect, &["force=true"]);
        moves_branch
            || says(scene, effect, &["updateRef"])
                && says(scene, effect, &["force:true", "force: true"])
            || SETTINGS.iter().any(|part| name.contains(part))
            || says(scene, effect, VISIBILITY)
    };
    match effect.action {
        Act::TokenCreate if says(scene, effect, &["delete_repo", "admin:"]) => check = &RIGHTS,
        Act::ApiMutation if says(scene, effect, &["delete"]) => check = &FORGE_DELETE,
        Act::ApiWrite | Act::ApiMutation if sets() => check = &FORGE_SETTINGS,
        Act::ApiDelete if is_repository(&name) => check = &GONE,
        _ => {}
    }
    if check.id == GONE.id && is_of_trial(scene, effect) {
        check = &FORGE_DELETE;
    }
    tell(found, effect, check, what);
}

/// Whether an address of a forge's interface is that of a whole repository: `repos/me/shop`,
/// `api/v4/projects/7`.
fn is_repository(address: &str) -> bool {
    let path = address.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let mut parts = path.rsplit('/');
    let (Some(_), Some(above), further) = (parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let of_gitlab = address.contains("api/v4/projects/") || !address.contains("://");
    above == "projects" && of_gitlab || further == Some("repos")
}

/// GraphQL mutations that delete a repository or branch, or change visibility.
const VISIBILITY: &[&str] =
    &["private=", "visibility=", "archived=", "deleteRef", "updateRepository", "archiveRepo"];

/// URL parts that mean deletion with the method DELETE, in self-hosted services.
const DELETED: &[&str] = &[
    "/api/dashboards/",
    "/api/datasources/",
    "/api/exchanges/",
    "/api/queues/",
    "/api/v1/namespaces/",
    "/api/v4/projects/",
    "/api/vhosts/",
    "/v1/kv/",
    "/v1/secret/",
    "/v1/sys/",
];

/// URL parts that mean deletion with any method.
const ORDERED: &[&str] = &[
    "/admin/tsdb/delete_series",
    "/doDelete",
    "/purge_all",
    "/purge_cache",
    "action=DELETE",
    "action=UNLOAD",
];

/// Checks requests that delete or publish something.
pub(super) fn request(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Target::Host(url) = &effect.target else { return };
    let what = "deletes something on another machine";
    match effect.action {
        Act::HttpDelete => {
            // Deletions on this machine or network are tests of the developer's own server.
            let own = matches!(hosts::of(url), Host::Local | Host::Near | Host::Unknown);
            if is_repository(url) && matches!(hosts::of(url), Host::Usual | Host::Other) {
                let check = if is_of_trial(scene, effect) { &FORGE_DELETE } else { &GONE };
                tell(found, effect, check, "deletes a repository");
            } else if !own
                || DELETED.iter().any(|part| url.contains(part))
                || says(scene, effect, &["docker.sock"])
            {
                tell(found, effect, &CLOUD_DELETE, what);
            }
        }
        _ if ORDERED.iter().any(|part| url.contains(part)) => {
            tell(found, effect, &CLOUD_DELETE, what);
        }
        Act::HttpData if url.contains("/git/refs/") && says(scene, effect, &["\"force\""]) => {
            tell(found, effect, &FORGE_SETTINGS, "force-moves a branch of a repository");
        }
        Act::HttpData
            if hosts::name(url) == "api.github.com"
                && says(scene, effect, &["\"private\"", "\"visibility\"", "\"archived\""]) =>
        {
            tell(found, effect, &FORGE_SETTINGS, "changes a repository's visibility");
        }
        _ => {}
    }
}
