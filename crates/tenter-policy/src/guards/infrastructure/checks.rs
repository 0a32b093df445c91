//! What is looked for, and which action means which.

use crate::guard::Check;
use crate::guards::rows::Row;
use crate::level::Weight;

pub(super) const PRODUCTION: Check = Check {
    id: "production",
    weight: Weight::Grave,
    title: "a whole project, namespace, cluster, bucket or volume of production goes",
    instead: "leave production to the human; look with a plan, a diff or a dry run",
    safe: &["terraform plan", "kubectl diff -f app.yaml"],
};

pub(super) const CLUSTER_DELETE: Check = Check {
    id: "cluster-delete",
    weight: Weight::Doubtful,
    title: "resources of a cluster go",
    instead: "show what would go with `--dry-run=client`; to replace something, change its manifest and \
              use `kubectl apply -f`",
    safe: &[
        "kubectl delete pod web --dry-run=client",
        "kubectl apply -f app.yaml",
        "kubectl get all",
    ],
};

pub(super) const CLUSTER_DISRUPT: Check = Check {
    id: "cluster-disrupt",
    weight: Weight::Doubtful,
    title: "what runs in a cluster is moved, stopped, scaled, rolled back or replaced by force",
    instead: "look first: `kubectl describe deployment web`, `kubectl rollout status deployment/web`",
    safe: &["kubectl describe deployment web", "kubectl rollout status deployment/web"],
};

pub(super) const CLUSTER_CHANGE: Check = Check {
    id: "cluster-change",
    weight: Weight::Minor,
    title: "resources of a cluster are made or changed",
    instead: "",
    safe: &[],
};

pub(super) const CLOUD_DELETE: Check = Check {
    id: "cloud-delete",
    weight: Weight::Doubtful,
    title: "resources or stored data at a provider go",
    instead: "list what is there, and use a plan or a dry run: `terraform plan -destroy`, \
              `aws s3 rm s3://bucket/x --recursive --dryrun`",
    safe: &["terraform plan -destroy", "aws s3 rm s3://bucket/x --recursive --dryrun"],
};

pub(super) const CLOUD_DISRUPT: Check = Check {
    id: "cloud-disrupt",
    weight: Weight::Doubtful,
    title: "what runs at a provider is stopped, reset or renamed, or loses settings, keys or domains",
    instead: "look first (`list`, `describe`, `status`), and ask the human to change what runs",
    safe: &["aws ec2 describe-instances", "fly status"],
};

pub(super) const RIGHTS: Check = Check {
    id: "rights",
    weight: Weight::Doubtful,
    title: "someone gets rights or keys, or something becomes reachable from everywhere",
    instead: "show the human the rights that are needed and let them be given by hand",
    safe: &["aws iam list-users", "kubectl auth can-i --list"],
};

pub(super) const UNASKED: Check = Check {
    id: "apply-unasked",
    weight: Weight::Doubtful,
    title: "declared infrastructure is changed without a question",
    instead: "save a plan and show it: `terraform plan -out=plan.bin`, then `terraform apply plan.bin`",
    safe: &["terraform plan -out=plan.bin", "terraform apply plan.bin"],
};

pub(super) const STATE: Check = Check {
    id: "state",
    weight: Weight::Doubtful,
    title: "what the tool knows of real resources is changed by hand",
    instead: "look with `terraform state list` and `terraform state show`; declare the change instead",
    safe: &["terraform state list", "terraform plan"],
};

pub(super) const CLOUD_CHANGE: Check = Check {
    id: "cloud-change",
    weight: Weight::Minor,
    title: "something at a provider is made, changed or deployed",
    instead: "",
    safe: &[],
};

pub(super) const CONTAINER_DATA: Check = Check {
    id: "container-data",
    weight: Weight::Doubtful,
    title: "volumes or machines go with the data in them",
    instead: "stop the containers and keep the volumes: `docker compose down`, `docker compose stop`",
    safe: &["docker compose down", "docker compose stop", "docker volume ls"],
};

pub(super) const CONTAINER_MANY: Check = Check {
    id: "container-many",
    weight: Weight::Doubtful,
    title: "containers, images or networks go, many at once or by force",
    instead: "name what you made: `docker rm web`, `docker image prune`",
    safe: &["docker rm web", "docker image prune", "docker ps -a"],
};

pub(super) const CONTAINER_RIGHTS: Check = Check {
    id: "container-rights",
    weight: Weight::Doubtful,
    title: "a container gets rights over this machine",
    instead: "mount the project alone and give no further rights: \
              `docker run --rm -v \"$PWD\":/work -w /work node:22 npm test`",
    safe: &["docker run --rm -v \"$PWD\":/work -w /work node:22 npm test"],
};

pub(super) const CONTAINER_CHANGE: Check = Check {
    id: "container-change",
    weight: Weight::Minor,
    title: "single containers or images are stopped or removed",
    instead: "",
    safe: &[],
};

pub(super) const FORGE_DELETE: Check = Check {
    id: "forge-delete",
    weight: Weight::Doubtful,
    title: "a repository, release, secret or another thing of a forge goes",
    instead: "list it and let the human delete it: `gh release list`",
    safe: &["gh release list", "gh repo view", "gh secret list"],
};

pub(super) const FORGE_SETTINGS: Check = Check {
    id: "forge-settings",
    weight: Weight::Doubtful,
    title: "a repository is archived, renamed or shown to others, others get access, or its checks stop",
    instead: "look with `gh repo view`, and let the human change who sees what",
    safe: &["gh repo view", "gh api repos/me/shop"],
};

pub(super) const FORGE_CHANGE: Check = Check {
    id: "forge-change",
    weight: Weight::Minor,
    title: "something on a forge is merged, closed, run or set",
    instead: "",
    safe: &[],
};

pub(super) const PUBLISH: Check = Check {
    id: "publish",
    weight: Weight::Doubtful,
    title: "a package or a release is made public, which cannot be taken back",
    instead: "show what would be published: `npm publish --dry-run`, `cargo publish --dry-run`",
    safe: &["npm publish --dry-run", "cargo publish --dry-run", "npm pack"],
};

pub(super) const WITHDRAW: Check = Check {
    id: "withdraw",
    weight: Weight::Doubtful,
    title: "something published is withdrawn or changes hands",
    instead: "publish a corrected version, and let the human withdraw the old one",
    safe: &["npm view left-pad"],
};

pub(super) const PUSH_IMAGE: Check = Check {
    id: "push-image",
    weight: Weight::Minor,
    title: "an image, a chart or a file is uploaded to a registry",
    instead: "",
    safe: &[],
};

pub(super) const CLUSTER: &[Row] = &[
    ("delete", &CLUSTER_DELETE, "deletes resources of the cluster"),
    ("delete-namespace", &CLUSTER_DELETE, "deletes a namespace with all that is in it"),
    ("delete-node", &CLUSTER_DELETE, "takes a node out of the cluster"),
    ("delete-volume", &CLUSTER_DELETE, "deletes a volume of the cluster"),
    ("delete-definition", &CLUSTER_DELETE, "deletes a kind of resource with all of that kind"),
    ("delete-cluster", &CLUSTER_DELETE, "deletes a cluster"),
    ("uninstall", &CLUSTER_DELETE, "uninstalls a release"),
    ("key-delete", &CLUSTER_DELETE, "deletes entries of a store of settings"),
    ("drain", &CLUSTER_DISRUPT, "drives all work off a node"),
    ("cordon", &CLUSTER_DISRUPT, "lets a node take no more work"),
    ("taint", &CLUSTER_DISRUPT, "lets a node refuse work"),
    ("scale", &CLUSTER_DISRUPT, "changes how many copies run"),
    ("scale-to-zero", &CLUSTER_DISRUPT, "leaves no copy running"),
    ("rollout-restart", &CLUSTER_DISRUPT, "restarts a workload"),
    ("rollout-undo", &CLUSTER_DISRUPT, "rolls a workload back"),
    ("rollout-pause", &CLUSTER_DISRUPT, "stops a rollout"),
    ("rollout-resume", &CLUSTER_DISRUPT, "lets a rollout go on"),
    ("rollback", &CLUSTER_DISRUPT, "rolls a release back"),
    ("set", &CLUSTER_DISRUPT, "changes a running workload"),
    ("patch", &CLUSTER_DISRUPT, "patches a resource that is in use"),
    ("edit", &CLUSTER_DISRUPT, "edits a resource that is in use"),
    ("suspend", &CLUSTER_DISRUPT, "suspends what a controller does"),
    ("restore", &CLUSTER_DISRUPT, "restores a backup over what is there"),
    ("grant", &RIGHTS, "gives rights in the cluster"),
    ("apply", &CLUSTER_CHANGE, "applies a manifest"),
    ("create", &CLUSTER_CHANGE, "makes a resource"),
    ("replace", &CLUSTER_CHANGE, "replaces a resource"),
    ("install", &CLUSTER_CHANGE, "installs a release"),
    ("upgrade", &CLUSTER_CHANGE, "upgrades a release"),
    ("sync", &CLUSTER_CHANGE, "lets a controller act"),
    ("debug", &CLUSTER_CHANGE, "puts a container beside a workload"),
    ("label", &CLUSTER_CHANGE, "labels a resource"),
    ("run", &CLUSTER_CHANGE, "starts a pod"),
    ("copy-in", &CLUSTER_CHANGE, "copies files into a pod"),
    ("key-write", &CLUSTER_CHANGE, "writes entries of a store of settings"),
    ("context", &CLUSTER_CHANGE, "changes which cluster later commands reach"),
];

pub(super) const CLOUD: &[Row] = &[
    ("delete", &CLOUD_DELETE, "deletes a resource"),
    ("delete-project", &CLOUD_DELETE, "deletes a project with all it holds"),
    ("delete-bucket", &CLOUD_DELETE, "deletes a bucket"),
    ("delete-objects", &CLOUD_DELETE, "deletes stored objects"),
    ("delete-data", &CLOUD_DELETE, "deletes stored data"),
    ("destroy", &CLOUD_DELETE, "takes down what is declared"),
    ("stop", &CLOUD_DISRUPT, "stops what runs"),
    ("restart", &CLOUD_DISRUPT, "restarts what runs"),
    ("reset", &CLOUD_DISRUPT, "resets or replaces a resource"),
    ("disable", &CLOUD_DISRUPT, "switches something off"),
    ("revoke", &CLOUD_DISRUPT, "takes away a setting, a domain, a key or access"),
    ("rotate", &CLOUD_DISRUPT, "replaces keys that are in use"),
    ("maintenance", &CLOUD_DISRUPT, "takes the application offline"),
    ("scale-to-zero", &CLOUD_DISRUPT, "leaves nothing running"),
    ("rollback", &CLOUD_DISRUPT, "puts an older version in place"),
    ("promote", &CLOUD_DISRUPT, "puts another version into production"),
    ("rename", &CLOUD_DISRUPT, "renames an application"),
    ("pay", &CLOUD_DISRUPT, "moves real money or changes what customers pay"),
    ("overwrite", &CLOUD_DISRUPT, "overwrites settings or records that are in use"),
    ("grant", &RIGHTS, "gives rights"),
    ("expose", &RIGHTS, "opens something to the network"),
    ("create-credential", &RIGHTS, "makes a key or a password"),
    ("state-remove", &STATE, "forgets a resource that still exists"),
    ("state-move", &STATE, "renames a resource in the state"),
    ("state-push", &STATE, "overwrites the state"),
    ("state-replace-provider", &STATE, "changes the provider in the state"),
    ("workspace-delete", &STATE, "deletes a workspace with its state"),
    ("taint", &STATE, "marks a resource to be made anew"),
    ("state-migrate", &CLOUD_CHANGE, "moves the state"),
    ("force-unlock", &CLOUD_CHANGE, "removes a lock"),
    ("apply", &CLOUD_CHANGE, "changes declared infrastructure"),
    ("deploy", &CLOUD_CHANGE, "deploys"),
    ("change", &CLOUD_CHANGE, "changes a resource"),
    ("create", &CLOUD_CHANGE, "makes a resource"),
    ("copy-objects", &CLOUD_CHANGE, "copies stored objects"),
    ("scale", &CLOUD_CHANGE, "changes how much runs"),
    ("invoke", &CLOUD_CHANGE, "runs something there"),
    ("import", &CLOUD_CHANGE, "takes a resource into the state"),
    ("playbook", &CLOUD_CHANGE, "runs a playbook on other machines"),
    ("module", &CLOUD_CHANGE, "runs a module on other machines"),
];

pub(super) const CONTAINER: &[Row] = &[
    ("remove-volume", &CONTAINER_DATA, "deletes a volume with its data"),
    ("prune-volumes", &CONTAINER_DATA, "deletes all volumes that are not in use"),
    ("reset", &CONTAINER_DATA, "deletes everything of the engine"),
    ("remove-machine", &CONTAINER_DATA, "deletes a machine"),
    ("restore", &CONTAINER_DATA, "puts an older state of a machine in place"),
    ("prune-all", &CONTAINER_MANY, "deletes all images that no container uses"),
    ("prune-containers", &CONTAINER_MANY, "deletes all stopped containers"),
    ("prune-networks", &CONTAINER_MANY, "deletes all networks that are not in use"),
    ("remove-network", &CONTAINER_MANY, "deletes a network"),
    ("remove-service", &CONTAINER_MANY, "deletes a service"),
    ("remove-secret", &CONTAINER_MANY, "deletes a secret"),
    ("remove-node", &CONTAINER_MANY, "takes a node out of the swarm"),
    ("leave-swarm", &CONTAINER_MANY, "leaves the swarm"),
    ("privileged", &CONTAINER_RIGHTS, "gives a container all rights over this machine"),
    ("expose-engine", &CONTAINER_RIGHTS, "lets the network command the container engine"),
    ("mount-control-socket", &CONTAINER_RIGHTS, "lets a container command the container engine"),
    ("remove-container", &CONTAINER_CHANGE, "removes a container"),
    ("remove-image", &CONTAINER_CHANGE, "removes an image"),
    ("remove-pod", &CONTAINER_CHANGE, "removes a pod"),
    ("compose-down", &CONTAINER_CHANGE, "takes a project down"),
    ("stop", &CONTAINER_CHANGE, "stops a container"),
    ("kill", &CONTAINER_CHANGE, "kills a container"),
    ("prune", &CONTAINER_CHANGE, "deletes images and caches that are not in use"),
    ("security-option", &CONTAINER_CHANGE, "loosens the sandbox of a container"),
];

pub(super) const FORGE: &[Row] = &[
    ("repo-delete", &FORGE_DELETE, "deletes a repository"),
    ("release-delete", &FORGE_DELETE, "deletes a release"),
    ("issue-delete", &FORGE_DELETE, "deletes an issue"),
    ("project-delete", &FORGE_DELETE, "deletes a project board"),
    ("codespace-delete", &FORGE_DELETE, "deletes a codespace with the changes in it"),
    ("gist-delete", &FORGE_DELETE, "deletes a gist"),
    ("label-delete", &FORGE_DELETE, "deletes a label from all issues"),
    ("pr-delete", &FORGE_DELETE, "deletes a merge request"),
    ("runner-delete", &FORGE_DELETE, "removes a runner"),
    ("run-delete", &FORGE_DELETE, "deletes the record of a run"),
    ("secret-delete", &FORGE_DELETE, "deletes a secret"),
    ("variable-delete", &FORGE_DELETE, "deletes a variable"),
    ("key-delete", &FORGE_DELETE, "deletes a key"),
    ("token-revoke", &FORGE_DELETE, "revokes a token"),
    ("api-delete", &FORGE_DELETE, "deletes something through the interface of the forge"),
    ("repo-archive", &FORGE_SETTINGS, "archives a repository"),
    ("repo-rename", &FORGE_SETTINGS, "renames a repository"),
    ("repo-visibility", &FORGE_SETTINGS, "decides who can see a repository"),
    ("repo-transfer", &FORGE_SETTINGS, "gives a repository to someone else"),
    ("key-add", &FORGE_SETTINGS, "adds a key that gives access"),
    ("member", &FORGE_SETTINGS, "changes who has access"),
    ("workflow-disable", &FORGE_SETTINGS, "switches a workflow off"),
    ("repo-edit", &FORGE_CHANGE, "changes settings of a repository"),
    ("release-edit", &FORGE_CHANGE, "changes a release"),
    ("pr-merge", &FORGE_CHANGE, "merges a pull request"),
    ("pr-close", &FORGE_CHANGE, "closes a pull request"),
    ("issue-close", &FORGE_CHANGE, "closes an issue"),
    ("secret-set", &FORGE_CHANGE, "sets a secret"),
    ("variable-set", &FORGE_CHANGE, "sets a variable"),
    ("workflow-run", &FORGE_CHANGE, "starts a workflow"),
    ("workflow-toggle", &FORGE_CHANGE, "switches a workflow on or changes its times"),
    ("run-cancel", &FORGE_CHANGE, "cancels a run"),
    ("cache-delete", &FORGE_CHANGE, "deletes a cache"),
    ("token-create", &FORGE_CHANGE, "changes who is logged in"),
    ("api-write", &FORGE_CHANGE, "writes through the interface of the forge"),
    ("api-mutation", &FORGE_CHANGE, "writes through the interface of the forge"),
];

pub(super) const PUBLICATION: &[Row] = &[
    ("publish", &PUBLISH, "publishes a package"),
    ("package", &PUBLISH, "publishes a package"),
    ("release", &PUBLISH, "publishes a release"),
    ("unpublish", &WITHDRAW, "withdraws a published package"),
    ("deprecate", &WITHDRAW, "marks a published package as deprecated"),
    ("delete-image", &WITHDRAW, "deletes an image on a registry"),
    ("dist-tag", &WITHDRAW, "changes which version others get"),
    ("owner", &WITHDRAW, "changes who owns a package"),
    ("token", &WITHDRAW, "makes or revokes a token of the registry"),
    ("push-image", &PUSH_IMAGE, "pushes an image"),
    ("push-chart", &PUSH_IMAGE, "pushes a chart"),
    ("release-upload", &PUSH_IMAGE, "adds a file to a release"),
];
