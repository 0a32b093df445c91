//! Guard against losing clusters, cloud resources, containers and repositories, and against publishing.

mod checks;
mod containers;
mod forges;
mod samples;

use super::rows::{by_row, row, tell, tell_of};
use checks::{
    CLOUD, CLOUD_CHANGE, CLOUD_DELETE, CLOUD_DISRUPT, CLUSTER, CLUSTER_CHANGE, CLUSTER_DELETE,
    CLUSTER_DISRUPT, CONTAINER_CHANGE, CONTAINER_DATA, CONTAINER_MANY, CONTAINER_RIGHTS,
    FORGE_CHANGE, FORGE_DELETE, FORGE_SETTINGS, GONE, PRODUCTION, PUBLICATION, PUBLISH, PUSH_IMAGE,
    RIGHTS, STATE, UNASKED, WITHDRAW,
};
use containers::{container, volume};
use forges::{forge, request};
use tenter_shell::Act;
use tenter_shell::{Effect, Field, Kind, Ran, Role, Target};

use crate::finding::Found;
use crate::guard::Guard;
use crate::scene::Scene;
use crate::sensitive::hosts::{self, Host};

pub(super) static GUARD: Guard = Guard {
    id: "infrastructure",
    title: "Loss of clusters, clouds, containers and repositories",
    page: "\
Asks before resources at a provider, in a cluster, in the container engine or on a code forge go, stop or \
open up to others: `kubectl delete`, `drain`, `scale`, `helm uninstall`, `terraform destroy`, \
`apply -auto-approve`, `terraform state rm`, `aws`, `gcloud`, `az` and two dozen hosting platforms, \
`docker volume rm`, `compose down -v`, `prune`, containers with `--privileged`, the engine's socket or the \
root of this machine, `gh repo delete`, `gh secret delete`, changes of visibility. So are names, caches \
and load balancers (`dnscontrol push`, `fastly purge --all`, `nginx -s stop`), pipelines, feature flags and \
monitors (`jenkins-cli delete-job`, `ldcli flags delete`, `amtool silence add`), mail queues, certificates \
and real money (`stripe refunds create --live`), by their programs or by a request to their interface. \
Publishing and \
withdrawing packages and releases asks too. Denied is what nothing brings back and no ordinary work \
includes: a project, namespace, cluster, bucket or volume whose name says that it is production, a \
repository, a bucket with its objects (`aws s3 rb --force`), a whole stack that is destroyed without a \
question (`terraform destroy -auto-approve`). What is named for development or tests is asked about.

Passes: everything that only looks, plans, diffs, logs and dry runs, `kubectl apply`, `helm upgrade`, \
`terraform apply` with a question or a saved plan, `docker run`, `docker rm web`, `docker compose down`, \
deployments, issues and pull requests. Clusters on this machine (kind, minikube, k3d) and services behind \
`--endpoint-url http://localhost` are not production and pass.

Option: `allow` lets resources, images, repositories or packages pass by name.",
    checks: &[
        PRODUCTION,
        GONE,
        CLUSTER_DELETE,
        CLUSTER_DISRUPT,
        CLUSTER_CHANGE,
        CLOUD_DELETE,
        CLOUD_DISRUPT,
        RIGHTS,
        UNASKED,
        STATE,
        CLOUD_CHANGE,
        CONTAINER_DATA,
        CONTAINER_MANY,
        CONTAINER_RIGHTS,
        CONTAINER_CHANGE,
        FORGE_DELETE,
        FORGE_SETTINGS,
        FORGE_CHANGE,
        PUBLISH,
        WITHDRAW,
        PUSH_IMAGE,
    ],
    options: &[],
    optional: false,
    blocks: samples::BLOCKS,
    passes: samples::PASSES,
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match effect.kind {
            Kind::Cluster => cluster(scene, found, effect),
            Kind::Cloud => cloud(scene, found, effect),
            Kind::Container => container(scene, found, effect),
            Kind::Forge => forge(scene, found, effect),
            Kind::Publish => by_row(found, effect, PUBLICATION),
            Kind::Delete if effect.elsewhere => volume(scene, found, effect),
            Kind::Delete => state_file(found, effect),
            Kind::Send => request(scene, found, effect),
            Kind::Privilege
                if effect.action == Act::LeaveContainer && effect.target.shown() == "1" =>
            {
                tell_of(
                    found,
                    effect,
                    &CONTAINER_RIGHTS,
                    "breaks out of the container to its host",
                    "",
                );
            }
            _ => {}
        }
    }
}

fn cluster(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Some((mut check, what)) = row(CLUSTER, effect.action) else { return };
    match effect.action {
        Act::Apply if effect.force || effect.recursive => check = &CLUSTER_DISRUPT,
        Act::Replace | Act::Upgrade | Act::Sync if effect.force => check = &CLUSTER_DISRUPT,
        Act::Run | Act::Debug if effect.force => check = &RIGHTS,
        _ => {}
    }
    let rolls = matches!(
        effect.action,
        Act::Set | Act::RolloutRestart | Act::RolloutUndo | Act::RolloutPause | Act::RolloutResume
    );
    if check.id != CLUSTER_CHANGE.id
        && (is_here(scene, effect) || (rolls && is_for_trying(scene, effect)))
    {
        check = &CLUSTER_CHANGE;
    }
    let wide = matches!(
        effect.action,
        Act::DeleteNamespace | Act::DeleteVolume | Act::DeleteCluster | Act::DeleteDefinition
    );
    if wide && check.id == CLUSTER_DELETE.id && is_production(scene, effect) {
        check = &PRODUCTION;
    }
    // Whatever is lost later has no copy then.
    let all = effect.action == Act::Delete && effect.recursive && effect.force;
    if all && check.id == CLUSTER_DELETE.id && has_argument(scene, effect, &["backup", "backups"]) {
        check = &GONE;
    }
    tell(found, effect, check, what);
}

fn cloud(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Some((mut check, mut what)) = row(CLOUD, effect.action) else { return };
    match effect.action {
        // A saved plan was reviewed.
        Act::Apply if effect.force && !matches!(effect.target, Target::Path(_)) => check = &UNASKED,
        Act::Apply if is_answered(scene, effect) => check = &UNASKED,
        Act::Apply if is_destroying(scene, effect) => {
            (check, what) = (&CLOUD_DELETE, "destroys all declared infrastructure");
        }
        Act::ForceUnlock if effect.force => check = &STATE,
        Act::Playbook if is_production(scene, effect) || takes_down(&effect.target.shown()) => {
            check = &CLOUD_DISRUPT;
        }
        Act::Scale if effect.target.shown().ends_with("=0") => {
            (check, what) = (&CLOUD_DISRUPT, "scales to zero");
        }
        _ => {}
    }
    if check.id != CLOUD_CHANGE.id && is_here(scene, effect) {
        check = &CLOUD_CHANGE;
    }
    let wide = matches!(
        effect.action,
        Act::DeleteProject | Act::DeleteBucket | Act::DeleteData | Act::Destroy
    ) || effect.action == Act::Delete && holds_data(scene, effect)
        || effect.action == Act::DeleteObjects && effect.recursive;
    if wide && check.id == CLOUD_DELETE.id && is_production(scene, effect) {
        check = &PRODUCTION;
    }
    let whole = match effect.action {
        // Without the option only an empty bucket can be deleted.
        Act::DeleteBucket => effect.force || effect.recursive,
        // `-target aws_instance.web` is one resource.
        Act::Destroy => effect.force && !effect.target.shown().contains('.'),
        // The whole bucket of Google goes with its objects.
        Act::DeleteObjects => effect.recursive && is_google_bucket(&effect.target.shown()),
        Act::Delete => effect.force && has_argument(scene, effect, &["delete-repository"]),
        _ => false,
    };
    if whole && check.id == CLOUD_DELETE.id && !is_of_trial(scene, effect) {
        check = &GONE;
    }
    tell(found, effect, check, what);
}

/// Whether an argument of the effect's command is one of these words.
fn has_argument(scene: &Scene<'_>, effect: &Effect, words: &[&str]) -> bool {
    let is_one = |field: &Field| words.iter().any(|word| field.is(word));
    scene.program(effect).is_some_and(|ran| ran.argv.iter().any(is_one))
}

/// `gs://name`, `gs://name/**`
fn is_google_bucket(url: &str) -> bool {
    url.strip_prefix("gs://").is_some_and(|rest| {
        rest.split_once('/').is_none_or(|(_, path)| matches!(path, "" | "*" | "**"))
    })
}

/// Words for resources that hold data which nothing at hand brings back.
const DATA: &[&str] = &[
    "acr",
    "aks",
    "backup",
    "backups",
    "bigtable",
    "bucket",
    "buckets",
    "cluster",
    "clusters",
    "cosmosdb",
    "database",
    "databases",
    "db",
    "disk",
    "disks",
    "docdb",
    "dynamodb",
    "ecr",
    "efs",
    "eks",
    "elasticache",
    "firestore",
    "fsx",
    "group",
    "keyvault",
    "neptune",
    "opensearch",
    "rds",
    "redis",
    "redshift",
    "registry",
    "repository",
    "s3",
    "snapshot",
    "snapshots",
    "spanner",
    "sql",
    "storage",
    "table",
    "tables",
    "vault",
    "volume",
    "volumes",
];

/// The same, as cmdlets are named.
const DATA_NOUNS: &[&str] = &[
    "bucket",
    "cluster",
    "database",
    "dbinstance",
    "disk",
    "keyvault",
    "resourcegroup",
    "snapshot",
    "storageaccount",
    "storagecontainer",
    "table",
    "vault",
    "volume",
];

/// Whether what is deleted holds data, by the words of the command.
fn holds_data(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(ran) = scene.program(effect) else { return false };
    let cmdlet = ran.argv.first().map(|first| first.shown().to_ascii_lowercase());
    let noun = |name: &str| name.contains('-') && DATA_NOUNS.iter().any(|noun| name.contains(noun));
    let words = ran.argv.iter().skip(1).take_while(|field| !field.prefix().starts_with('-'));
    cmdlet.as_deref().is_some_and(noun)
        || words.into_iter().any(|field| has_word(field.prefix(), DATA))
}

/// Whether a variable confirms in advance.
fn is_answered(scene: &Scene<'_>, effect: &Effect) -> bool {
    let answers = |(name, value): &(String, Field)| {
        name.starts_with("TF_CLI_ARGS") && value.shown().contains("auto-approve")
    };
    scene.program(effect).is_some_and(|ran| ran.assignments.iter().any(answers))
}

/// Whether a destroy plan is applied, made by the same command or requested by a variable.
fn is_destroying(scene: &Scene<'_>, effect: &Effect) -> bool {
    let says = |(name, value): &(String, Field)| {
        name.starts_with("TF_CLI_ARGS") && value.shown().contains("-destroy")
    };
    let plans = |ran: &Ran| {
        ran.argv.iter().any(|field| field.is("plan"))
            && ran.argv.iter().any(|field| field.is("-destroy") || field.is("--destroy"))
    };
    let planned = matches!(effect.target, Target::Path(_));
    scene.program(effect).is_some_and(|ran| ran.assignments.iter().any(says))
        || (planned && scene.analysis.commands.iter().any(plans))
}

/// Whether it reaches only this machine: a local cluster, or an emulator of a provider.
fn is_here(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(ran) = scene.program(effect) else { return false };
    if ran.is(Role::Emulator) {
        return true;
    }
    if ran.is(Role::LocalCluster)
        && matches!(effect.action, Act::DeleteCluster | Act::Suspend)
        && !effect.recursive
    {
        return true;
    }
    let mut before = "";
    for field in &ran.argv {
        let text = field.prefix();
        let (name, value) = text.split_once('=').unwrap_or((before, text));
        let here = match name {
            "--context" | "--kube-context" => is_local_context(value),
            "--endpoint-url" | "--endpoint" => is_local_address(value),
            _ => false,
        };
        if here {
            return true;
        }
        before = text;
    }
    let variable = |(name, value): &(String, Field)| {
        name.starts_with("AWS_ENDPOINT_URL") && is_local_address(value.prefix())
    };
    ran.assignments.iter().any(variable)
}

/// Whether the namespace is for development or tests.
fn is_for_trying(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(ran) = scene.program(effect) else { return false };
    let mut before = "";
    let mut namespace = None;
    for field in &ran.argv {
        let text = field.exact().unwrap_or_default();
        let (name, value) = text.split_once('=').unwrap_or((before, text));
        if matches!(name, "-n" | "--namespace") {
            namespace = Some(value);
        }
        before = text;
    }
    let words = ["dev", "development", "test", "testing", "sandbox", "preview", "local", "ci"];
    namespace.is_some_and(|name| name.split('-').any(|word| words.contains(&word)))
        && !is_production(scene, effect)
}

fn is_local_context(name: &str) -> bool {
    ["kind-", "k3d-"].iter().any(|start| name.starts_with(start))
        || matches!(
            name,
            "minikube" | "docker-desktop" | "rancher-desktop" | "colima" | "orbstack" | "microk8s"
        )
}

fn is_local_address(url: &str) -> bool {
    matches!(hosts::of(url), Host::Local | Host::Near)
}

/// Whether a playbook's name says that it destroys.
fn takes_down(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    ["destroy", "delete", "teardown", "tear-down", "wipe", "decommission", "remove"]
        .iter()
        .any(|word| name.contains(word))
}

/// Whether the target, or an option of the command, is named production.
fn is_production(scene: &Scene<'_>, effect: &Effect) -> bool {
    // Names of storage accounts have no dashes.
    let name = effect.target.shown().to_ascii_lowercase();
    let joined = name.strip_suffix("prod").is_some_and(|start| {
        start.len() > 1 && !["non", "not", "pre"].iter().any(|other| start.ends_with(other))
    });
    joined || is_said(scene, effect, &["prod", "production", "live"])
}

/// Whether something is named for development or tests: `-var-file=dev.tfvars`, `gh repo delete me/test-x`.
pub(super) fn is_of_trial(scene: &Scene<'_>, effect: &Effect) -> bool {
    let folder = || {
        let cwd = scene.program(effect).and_then(|ran| ran.cwd.as_deref()).unwrap_or_default();
        has_word(cwd.rsplit('/').next().unwrap_or_default(), TRIAL)
    };
    is_said(scene, effect, TRIAL) || folder()
}

/// Words in names of what is made for development or tests.
const TRIAL: &[&str] = &[
    "ci",
    "demo",
    "dev",
    "development",
    "e2e",
    "ephemeral",
    "local",
    "pr",
    "preview",
    "qa",
    "sandbox",
    "scratch",
    "staging",
    "temp",
    "test",
    "testing",
    "tests",
    "tmp",
];

/// Whether the target, an argument or a variable of the command contains one of these words.
fn is_said(scene: &Scene<'_>, effect: &Effect, words: &[&str]) -> bool {
    has_word(&effect.target.shown(), words)
        || scene.program(effect).is_some_and(|ran| {
            let variables = ran.assignments.iter().map(|(_, value)| value);
            ran.argv.iter().chain(variables).any(|field| has_word(field.prefix(), words))
        })
}

/// A text with blanks is SQL or code, not a name.
pub(super) fn has_word(text: &str, words: &[&str]) -> bool {
    !text.contains(' ')
        && text
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Checks deletion of state files, in which tools track real resources.
fn state_file(found: &mut Found<'_>, effect: &Effect) {
    let Target::Path(path) = &effect.target else { return };
    let shown = path.shown();
    let name = shown.rsplit('/').next().unwrap_or_default();
    if name.ends_with(".tfstate") || name == "terraform.tfstate*" {
        tell(found, effect, &STATE, "deletes the infrastructure state");
    }
}

/// Whether an argument of the effect's command contains one of these words.
fn says(scene: &Scene<'_>, effect: &Effect, words: &[&str]) -> bool {
    let has = |field: &Field| words.iter().any(|word| field.shown().contains(word));
    scene.program(effect).is_some_and(|ran| ran.argv.iter().any(has))
}

#[cfg(test)]
mod tests {
    use super::checks::{CONTAINER, FORGE};
    use super::*;
    use crate::level::Weight;

    #[test]
    fn every_action_has_one_row_and_a_check_of_this_guard() {
        for rows in [CLUSTER, CLOUD, CONTAINER, FORGE, PUBLICATION] {
            for (action, check, what) in rows {
                assert!(GUARD.check(check.id).is_some(), "{action}");
                assert_eq!(
                    rows.iter().filter(|(other, ..)| other == action).count(),
                    1,
                    "{action}"
                );
                assert!(!what.is_empty() && !what.ends_with('.'), "{action}");
            }
        }
    }

    #[test]
    fn what_loses_something_says_what_to_do_instead() {
        for check in GUARD.checks.iter().filter(|check| check.weight > Weight::Minor) {
            assert!(!check.instead.is_empty(), "{}", check.id);
        }
    }

    #[test]
    fn only_this_machine_is_here() {
        for (name, here) in [
            ("http://localhost:4566", true),
            ("http://127.0.0.1", true),
            ("localhost:9000/x", true),
            ("https://localhost.example.com", false),
            ("https://s3.example.com", false),
        ] {
            assert_eq!(is_local_address(name), here, "{name}");
        }
    }
}
