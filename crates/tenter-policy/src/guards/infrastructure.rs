//! Loss of clusters, clouds, containers and repositories, and what is published for good.

mod checks;
pub(super) mod rows;

use checks::{
    CLOUD, CLOUD_CHANGE, CLOUD_DELETE, CLOUD_DISRUPT, CLUSTER, CLUSTER_CHANGE, CLUSTER_DELETE,
    CLUSTER_DISRUPT, CONTAINER, CONTAINER_CHANGE, CONTAINER_DATA, CONTAINER_MANY, CONTAINER_RIGHTS,
    FORGE, FORGE_CHANGE, FORGE_DELETE, FORGE_SETTINGS, PRODUCTION, PUBLICATION, PUBLISH,
    PUSH_IMAGE, RIGHTS, STATE, UNASKED, WITHDRAW,
};
use rows::{by_row, row, tell};
use tenter_shell::{Effect, Field, Kind, Target};

use crate::finding::Found;
use crate::guard::Guard;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::Scene;

pub(super) static GUARD: Guard = Guard {
    id: "infrastructure",
    title: "Loss of clusters, clouds, containers and repositories",
    page: "\
Asks before resources at a provider, in a cluster, in the container engine or on a code forge go, stop or \
open up to others: `kubectl delete`, `drain`, `scale`, `helm uninstall`, `terraform destroy`, \
`apply -auto-approve`, `terraform state rm`, `aws`, `gcloud`, `az` and two dozen hosting platforms, \
`docker volume rm`, `compose down -v`, `prune`, containers with `--privileged`, the engine's socket or the \
root of this machine, `gh repo delete`, `gh secret delete`, changes of visibility. Publishing and \
withdrawing packages and releases asks too. A whole project, namespace, cluster, bucket or volume whose \
name says that it is production is denied.

Passes: everything that only looks, plans, diffs, logs and dry runs, `kubectl apply`, `helm upgrade`, \
`terraform apply` with a question or a saved plan, `docker run`, `docker rm web`, `docker compose down`, \
deployments, issues and pull requests. Clusters on this machine (kind, minikube, k3d) and services behind \
`--endpoint-url http://localhost` are nobody's production and pass.

Option: `allow` lets resources, images, repositories or packages pass by name.",
    checks: &[
        PRODUCTION,
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
    blocks: BLOCKS,
    passes: PASSES,
    look,
};

const BLOCKS: &[(Sample<'static>, &str)] = &[
    (Sample::Shell("kubectl delete namespace production"), "production"),
    (Sample::Shell("gcloud projects delete shop-prod"), "production"),
    (Sample::Shell("aws s3 rb s3://prod-backups --force"), "production"),
    (Sample::Shell("kubectl delete deployment web"), "cluster-delete"),
    (Sample::Shell("kubectl delete pods --all -n staging"), "cluster-delete"),
    (Sample::Shell("kubectl delete -f app.yaml"), "cluster-delete"),
    (Sample::Shell("helm uninstall web"), "cluster-delete"),
    (Sample::Shell("etcdctl del '' --prefix"), "cluster-delete"),
    (Sample::Shell("kubectl drain node-1 --ignore-daemonsets"), "cluster-disrupt"),
    (Sample::Shell("kubectl scale deployment web --replicas=0"), "cluster-disrupt"),
    (Sample::Shell("kubectl apply -f app.yaml --force"), "cluster-disrupt"),
    (Sample::Shell("helm rollback web 3"), "cluster-disrupt"),
    (Sample::Shell("kubectl apply -f app.yaml"), "cluster-change"),
    (Sample::Shell("aws ec2 terminate-instances --instance-ids i-1"), "cloud-delete"),
    (Sample::Shell("aws s3 rm s3://shop/uploads --recursive"), "cloud-delete"),
    (Sample::Shell("az group delete --name shop --yes"), "cloud-delete"),
    (Sample::Shell("terraform destroy"), "cloud-delete"),
    (Sample::Shell("pulumi destroy --yes"), "cloud-delete"),
    (Sample::Shell("fly apps destroy shop"), "cloud-delete"),
    (Sample::Shell("curl -X DELETE https://api.github.com/repos/me/shop"), "cloud-delete"),
    (Sample::Shell("vercel remove shop --yes"), "cloud-delete"),
    (Sample::Shell("heroku config:unset API_KEY"), "cloud-disrupt"),
    (Sample::Shell("aws ec2 stop-instances --instance-ids i-1"), "cloud-disrupt"),
    (Sample::Shell("heroku apps:rename shop2"), "cloud-disrupt"),
    (Sample::Shell("aws iam create-access-key --user-name me"), "rights"),
    (Sample::Shell("kubectl create clusterrolebinding x --clusterrole=cluster-admin"), "rights"),
    (Sample::Shell("terraform apply -auto-approve"), "apply-unasked"),
    (Sample::Shell("pulumi up --yes"), "apply-unasked"),
    (Sample::Shell("terraform state rm aws_instance.web"), "state"),
    (Sample::Shell("terraform force-unlock -force 42"), "state"),
    (Sample::Shell("rm terraform.tfstate"), "state"),
    (Sample::Shell("vercel deploy"), "cloud-change"),
    (Sample::Shell("docker volume rm shop_data"), "container-data"),
    (Sample::Shell("docker compose down -v"), "container-data"),
    (Sample::Shell("docker system prune -af --volumes"), "container-data"),
    (Sample::Shell("docker rm -f $(docker ps -aq)"), "container-many"),
    (Sample::Shell("docker system prune -a"), "container-many"),
    (Sample::Shell("docker ps -q | xargs docker stop"), "container-many"),
    (Sample::Shell("docker rmi -f node:22"), "container-many"),
    (Sample::Shell("docker run --privileged alpine"), "container-rights"),
    (Sample::Shell("docker run -v /:/host alpine ls /host"), "container-rights"),
    (
        Sample::Shell("docker run -v /var/run/docker.sock:/var/run/docker.sock x"),
        "container-rights",
    ),
    (Sample::Shell("docker run --cap-add=SYS_ADMIN --pid=host alpine"), "container-rights"),
    (Sample::Shell("docker rm web"), "container-change"),
    (Sample::Shell("gh repo delete me/shop --yes"), "forge-delete"),
    (Sample::Shell("gh secret delete NPM_TOKEN"), "forge-delete"),
    (Sample::Shell("gh api -X DELETE repos/me/shop"), "forge-delete"),
    (Sample::Shell("gh repo edit --visibility public"), "forge-settings"),
    (Sample::Shell("gh repo archive me/shop"), "forge-settings"),
    (Sample::Shell("gh api -X PUT repos/me/shop/collaborators/x"), "forge-settings"),
    (Sample::Shell("gh pr merge 7 --squash"), "forge-change"),
    (Sample::Shell("npm publish --access public"), "publish"),
    (Sample::Shell("cargo publish"), "publish"),
    (Sample::Shell("twine upload dist/*"), "publish"),
    (Sample::Shell("npm unpublish shop@1.0.0 --force"), "withdraw"),
    (Sample::Shell("cargo yank --version 1.0.1 shop"), "withdraw"),
    (Sample::Shell("docker push registry.example.com/shop:1"), "push-image"),
];

const PASSES: &[Sample<'static>] = &[
    Sample::Shell("kubectl get pods -A"),
    Sample::Shell("kubectl logs -f deployment/web"),
    Sample::Shell("kubectl delete namespace staging --dry-run=client"),
    Sample::Shell("kubectl apply -f app.yaml"),
    Sample::Shell("kubectl diff -f app.yaml"),
    Sample::Shell("kubectl port-forward svc/web 8080:80"),
    Sample::Shell("kubectl exec -it web-0 -- ls"),
    Sample::Shell("kubectl label pod web-0 tier=front"),
    Sample::Shell("kubectl --context kind-dev delete pod web-0"),
    Sample::Shell("kind delete cluster"),
    Sample::Shell("minikube stop"),
    Sample::Shell("helm upgrade --install web ./chart"),
    Sample::Shell("helm template web ./chart"),
    Sample::Shell("terraform init && terraform plan"),
    Sample::Shell("terraform apply"),
    Sample::Shell("terraform apply plan.bin"),
    Sample::Shell("terraform state list"),
    Sample::Shell("rm -rf .terraform"),
    Sample::Shell("curl -X DELETE http://localhost:3000/api/items/7"),
    Sample::Shell("aws s3 ls s3://shop"),
    Sample::Shell("aws s3 cp dist s3://shop --recursive"),
    Sample::Shell("aws --endpoint-url http://localhost:4566 s3 rb s3://test --force"),
    Sample::Shell("gcloud compute instances list"),
    Sample::Shell("az vm show --name web"),
    Sample::Shell("fly deploy"),
    Sample::Shell("vercel env add API_KEY"),
    Sample::Shell("docker build -t shop ."),
    Sample::Shell("docker run --rm -it -v $(pwd):/work node:22 npm test"),
    Sample::Shell("docker run --network host --gpus all trainer"),
    Sample::Shell("docker rm -f web"),
    Sample::Shell("docker stop web && docker rmi shop:old"),
    Sample::Shell("docker image prune -f"),
    Sample::Shell("docker compose up -d && docker compose logs -f"),
    Sample::Shell("docker compose down --remove-orphans"),
    Sample::Shell("docker exec -it web sh"),
    Sample::Shell("gh pr create --fill"),
    Sample::Shell("gh issue list --state open"),
    Sample::Shell("gh api repos/me/shop/pulls"),
    Sample::Shell("gh api repos/me/shop/issues -f title=bug"),
    Sample::Shell("gh run watch"),
    Sample::Shell("npm publish --dry-run"),
    Sample::Shell("cargo package"),
    Sample::Shell("docker push registry.example.com/shop:1"),
];

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match effect.kind {
            Kind::Cluster => cluster(scene, found, effect),
            Kind::Cloud => cloud(scene, found, effect),
            Kind::Container => container(scene, found, effect),
            Kind::Forge => forge(scene, found, effect),
            Kind::Publish => by_row(found, effect, PUBLICATION),
            Kind::Delete => state_file(found, effect),
            Kind::Send if effect.action == "http-delete" => request(found, effect),
            _ => {}
        }
    }
}

fn cluster(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Some((mut check, what)) = row(CLUSTER, effect.action) else { return };
    match effect.action {
        "apply" if effect.force || effect.recursive => check = &CLUSTER_DISRUPT,
        "replace" | "upgrade" if effect.force => check = &CLUSTER_DISRUPT,
        "run" | "debug" if effect.force => check = &RIGHTS,
        _ => {}
    }
    if check.id != CLUSTER_CHANGE.id && is_here(scene, effect) {
        check = &CLUSTER_CHANGE;
    }
    let wide = matches!(
        effect.action,
        "delete-namespace" | "delete-volume" | "delete-cluster" | "delete-definition"
    );
    if wide && check.id == CLUSTER_DELETE.id && is_production(scene, effect) {
        check = &PRODUCTION;
    }
    tell(found, effect, check, what);
}

fn cloud(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Some((mut check, mut what)) = row(CLOUD, effect.action) else { return };
    match effect.action {
        // A saved plan has been seen.
        "apply" if effect.force && !matches!(effect.target, Target::Path(_)) => check = &UNASKED,
        "deploy" if effect.force && runs(scene, effect, &["cdk", "cdktf"]) => check = &UNASKED,
        "force-unlock" if effect.force => check = &STATE,
        "scale" if effect.target.shown().ends_with("=0") => {
            (check, what) = (&CLOUD_DISRUPT, "leaves nothing running");
        }
        _ => {}
    }
    if check.id != CLOUD_CHANGE.id && is_here(scene, effect) {
        check = &CLOUD_CHANGE;
    }
    let wide =
        matches!(effect.action, "delete-project" | "delete-bucket" | "delete-data" | "destroy");
    if wide && check.id == CLOUD_DELETE.id && is_production(scene, effect) {
        check = &PRODUCTION;
    }
    tell(found, effect, check, what);
}

fn runs(scene: &Scene<'_>, effect: &Effect, programs: &[&str]) -> bool {
    scene.program(effect).is_some_and(|ran| programs.contains(&ran.program.as_str()))
}

/// Whether it reaches only something on this machine: a cluster for trying things out, or a stand-in
/// for a provider.
fn is_here(scene: &Scene<'_>, effect: &Effect) -> bool {
    let Some(ran) = scene.program(effect) else { return false };
    if matches!(ran.program.as_str(), "kind" | "k3d" | "minikube") {
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

fn is_local_context(name: &str) -> bool {
    ["kind-", "k3d-"].iter().any(|start| name.starts_with(start))
        || matches!(
            name,
            "minikube" | "docker-desktop" | "rancher-desktop" | "colima" | "orbstack" | "microk8s"
        )
}

fn is_local_address(url: &str) -> bool {
    let names = ["localhost", "127.0.0.1", "0.0.0.0", "localstack", "host.docker.internal"];
    names.contains(&host(url)) || url.contains("//[::1]")
}

/// The host of an address, without user and port.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let place = place.rsplit_once('@').map_or(place, |(_, place)| place);
    place.split(':').next().unwrap_or_default()
}

/// Whether the thing, or an option of the command, says that it is production.
fn is_production(scene: &Scene<'_>, effect: &Effect) -> bool {
    let says = |text: &str| {
        text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| {
            ["prod", "production", "live"].iter().any(|name| word.eq_ignore_ascii_case(name))
        })
    };
    says(&effect.target.shown())
        || scene
            .program(effect)
            .is_some_and(|ran| ran.argv.iter().any(|field| says(field.prefix())))
}

/// The file in which a tool keeps what it knows of real resources.
fn state_file(found: &mut Found<'_>, effect: &Effect) {
    let Target::Path(path) = &effect.target else { return };
    let shown = path.shown();
    let name = shown.rsplit('/').next().unwrap_or_default();
    if name.ends_with(".tfstate") || name == "terraform.tfstate*" {
        tell(found, effect, &STATE, "deletes what the tool knows of real resources");
    }
}

/// Hosts of interfaces behind which real resources are.
const INTERFACES: &[&str] = &[
    "api.github.com",
    "gitlab.com",
    "api.cloudflare.com",
    "api.digitalocean.com",
    "api.heroku.com",
    "api.hetzner.cloud",
    "api.linode.com",
    "api.machines.dev",
    "api.netlify.com",
    "api.render.com",
    "api.stripe.com",
    "api.supabase.com",
    "api.vercel.com",
    "management.azure.com",
    "registry.npmjs.org",
];

fn request(found: &mut Found<'_>, effect: &Effect) {
    let Target::Host(url) = &effect.target else { return };
    let host = host(url);
    if INTERFACES.contains(&host)
        || host.ends_with(".googleapis.com")
        || host.ends_with(".amazonaws.com")
    {
        tell(found, effect, &CLOUD_DELETE, "deletes something through the interface of a provider");
    }
}

fn container(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let name = effect.target.shown();
    let right = match effect.action {
        "mount" | "mount-read-only" => {
            let zone = effect.target.path().map(|path| scene.places.zone(path));
            let open = match zone {
                Some(Zone::Root | Zone::Home) => true,
                Some(Zone::SystemTree) => effect.action == "mount",
                _ => false,
            };
            open.then_some("opens a wide part of this machine to a container")
        }
        "share-namespace" => {
            matches!(&*name, "pid" | "userns").then_some("lets a container see this machine")
        }
        "share-device" => is_disk(&name).then_some("gives a container a disk"),
        "add-capability" => {
            is_capability(&name).then_some("gives a container rights over this machine")
        }
        _ => None,
    };
    if let Some(what) = right {
        tell(found, effect, &CONTAINER_RIGHTS, what);
        return;
    }
    let Some((mut check, what)) = row(CONTAINER, effect.action) else { return };
    let many = match effect.action {
        "remove-container" | "stop" | "kill" | "remove-pod" => effect.recursive,
        "remove-image" => effect.force || (effect.recursive && effect.target != Target::None),
        _ => false,
    };
    if many {
        check = &CONTAINER_MANY;
    }
    tell(found, effect, check, what);
}

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

/// Parts of addresses that say who may do what.
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

fn forge(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Some((mut check, what)) = row(FORGE, effect.action) else { return };
    let name = effect.target.shown();
    if effect.action == "api-write" && SETTINGS.iter().any(|part| name.contains(part)) {
        check = &FORGE_SETTINGS;
    } else if matches!(effect.action, "api-write" | "api-mutation")
        && says_visibility(scene, effect)
    {
        check = &FORGE_SETTINGS;
    }
    tell(found, effect, check, what);
}

/// Whether a call of the interface deletes a repository or changes who can see it.
fn says_visibility(scene: &Scene<'_>, effect: &Effect) -> bool {
    let words =
        ["private=", "visibility=", "archived=", "deleteRef", "updateRepository", "archiveRepo"];
    let says = |field: &Field| words.iter().any(|word| field.shown().contains(word));
    scene.program(effect).is_some_and(|ran| ran.argv.iter().any(says))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Weight;

    #[test]
    fn every_action_has_one_row_and_a_check_of_this_guard() {
        for rows in [CLUSTER, CLOUD, CONTAINER, FORGE, PUBLICATION] {
            for (index, (action, check, what)) in rows.iter().enumerate() {
                assert!(GUARD.check(check.id).is_some(), "{action}");
                assert!(!rows[..index].iter().any(|(other, ..)| other == action), "{action} twice");
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
