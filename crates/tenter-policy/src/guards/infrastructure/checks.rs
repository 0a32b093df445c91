//! Checks of the guard, and the actions each applies to.

use crate::guard::Check;
use crate::guards::rows::Row;
use crate::level::Weight;
use tenter_shell::Act;

pub(super) const PRODUCTION: Check = Check {
    id: "production",
    weight: Weight::Grave,
    title: "a whole project, namespace, cluster, bucket or volume of production goes",
    instead: "leave production to the human; look with a plan, a diff or a dry run",
    safe: &["terraform plan", "kubectl diff -f app.yaml"],
};

pub(super) const GONE: Check = Check {
    id: "beyond-recovery",
    weight: Weight::Grave,
    title: "a repository, a bucket with its objects or a whole stack is deleted without a question",
    instead: "show what would go, and leave the deletion to the human: `terraform plan -destroy`, \
              `gh repo view`, `aws s3 ls s3://bucket`",
    safe: &["terraform plan -destroy", "gh repo view", "aws s3 ls s3://bucket"],
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
    (Act::Delete, &CLUSTER_DELETE, "deletes resources of the cluster"),
    (Act::DeleteNamespace, &CLUSTER_DELETE, "deletes a namespace with all that is in it"),
    (Act::DeleteNode, &CLUSTER_DELETE, "takes a node out of the cluster"),
    (Act::DeleteVolume, &CLUSTER_DELETE, "deletes a volume of the cluster"),
    (Act::DeleteDefinition, &CLUSTER_DELETE, "deletes a kind of resource with all of that kind"),
    (Act::DeleteCluster, &CLUSTER_DELETE, "deletes a cluster"),
    (Act::Uninstall, &CLUSTER_DELETE, "uninstalls a release"),
    (Act::KeyDelete, &CLUSTER_DELETE, "deletes entries of a store of settings"),
    (Act::Drain, &CLUSTER_DISRUPT, "drives all work off a node"),
    (Act::Cordon, &CLUSTER_DISRUPT, "lets a node take no more work"),
    (Act::Taint, &CLUSTER_DISRUPT, "lets a node refuse work"),
    (Act::Scale, &CLUSTER_DISRUPT, "changes how many copies run"),
    (Act::ScaleToZero, &CLUSTER_DISRUPT, "leaves no copy running"),
    (Act::RolloutRestart, &CLUSTER_DISRUPT, "restarts a workload"),
    (Act::RolloutUndo, &CLUSTER_DISRUPT, "rolls a workload back"),
    (Act::RolloutPause, &CLUSTER_DISRUPT, "stops a rollout"),
    (Act::RolloutResume, &CLUSTER_DISRUPT, "lets a rollout go on"),
    (Act::Rollback, &CLUSTER_DISRUPT, "rolls a release back"),
    (Act::Set, &CLUSTER_DISRUPT, "changes a running workload"),
    (Act::Patch, &CLUSTER_DISRUPT, "patches a resource that is in use"),
    (Act::Edit, &CLUSTER_DISRUPT, "edits a resource that is in use"),
    (Act::Suspend, &CLUSTER_DISRUPT, "suspends what a controller does"),
    (Act::Restore, &CLUSTER_DISRUPT, "restores a backup over what is there"),
    (Act::Grant, &RIGHTS, "gives rights in the cluster"),
    (Act::Apply, &CLUSTER_CHANGE, "applies a manifest"),
    (Act::Create, &CLUSTER_CHANGE, "makes a resource"),
    (Act::Replace, &CLUSTER_CHANGE, "replaces a resource"),
    (Act::Install, &CLUSTER_CHANGE, "installs a release"),
    (Act::Upgrade, &CLUSTER_CHANGE, "upgrades a release"),
    (Act::Sync, &CLUSTER_CHANGE, "lets a controller act"),
    (Act::Debug, &CLUSTER_CHANGE, "puts a container beside a workload"),
    (Act::Label, &CLUSTER_CHANGE, "labels a resource"),
    (Act::Run, &CLUSTER_CHANGE, "starts a pod"),
    (Act::CopyIn, &CLUSTER_CHANGE, "copies files into a pod"),
    (Act::KeyWrite, &CLUSTER_CHANGE, "writes entries of a store of settings"),
    (Act::Context, &CLUSTER_CHANGE, "changes which cluster later commands reach"),
];

pub(super) const CLOUD: &[Row] = &[
    (Act::Delete, &CLOUD_DELETE, "deletes a resource"),
    (Act::DeleteProject, &CLOUD_DELETE, "deletes a project with all it holds"),
    (Act::DeleteBucket, &CLOUD_DELETE, "deletes a bucket"),
    (Act::DeleteObjects, &CLOUD_DELETE, "deletes stored objects"),
    (Act::DeleteData, &CLOUD_DELETE, "deletes stored data"),
    (Act::Destroy, &CLOUD_DELETE, "takes down what is declared"),
    (Act::Stop, &CLOUD_DISRUPT, "stops what runs"),
    (Act::Restart, &CLOUD_DISRUPT, "restarts what runs"),
    (Act::Reset, &CLOUD_DISRUPT, "resets or replaces a resource"),
    (Act::Disable, &CLOUD_DISRUPT, "switches something off"),
    (Act::Revoke, &CLOUD_DISRUPT, "takes away a setting, a domain, a key or access"),
    (Act::Rotate, &CLOUD_DISRUPT, "replaces keys that are in use"),
    (Act::Maintenance, &CLOUD_DISRUPT, "takes the application offline"),
    (Act::ScaleToZero, &CLOUD_DISRUPT, "leaves nothing running"),
    (Act::Rollback, &CLOUD_DISRUPT, "puts an older version in place"),
    (Act::Promote, &CLOUD_DISRUPT, "puts another version into production"),
    (Act::Rename, &CLOUD_DISRUPT, "renames an application"),
    (Act::Pay, &CLOUD_DISRUPT, "moves real money or changes what customers pay"),
    (Act::Overwrite, &CLOUD_DISRUPT, "overwrites settings or records that are in use"),
    (Act::Grant, &RIGHTS, "gives rights"),
    (Act::Expose, &RIGHTS, "opens something to the network"),
    (Act::CreateCredential, &RIGHTS, "makes a key or a password"),
    (Act::StateRemove, &STATE, "forgets a resource that still exists"),
    (Act::StateMove, &STATE, "renames a resource in the state"),
    (Act::StatePush, &STATE, "overwrites the state"),
    (Act::StateReplaceProvider, &STATE, "changes the provider in the state"),
    (Act::WorkspaceDelete, &STATE, "deletes a workspace with its state"),
    (Act::Taint, &STATE, "marks a resource to be made anew"),
    (Act::StateMigrate, &CLOUD_CHANGE, "moves the state"),
    (Act::ForceUnlock, &CLOUD_CHANGE, "removes a lock"),
    (Act::Apply, &CLOUD_CHANGE, "changes declared infrastructure"),
    (Act::Deploy, &CLOUD_CHANGE, "deploys"),
    (Act::Change, &CLOUD_CHANGE, "changes a resource"),
    (Act::Create, &CLOUD_CHANGE, "makes a resource"),
    (Act::CopyObjects, &CLOUD_CHANGE, "copies stored objects"),
    (Act::Scale, &CLOUD_CHANGE, "changes how much runs"),
    (Act::Invoke, &CLOUD_CHANGE, "runs something there"),
    (Act::Import, &CLOUD_CHANGE, "takes a resource into the state"),
    (Act::Playbook, &CLOUD_CHANGE, "runs a playbook on other machines"),
    (Act::Module, &CLOUD_CHANGE, "runs a module on other machines"),
];

pub(super) const CONTAINER: &[Row] = &[
    (Act::RemoveVolume, &CONTAINER_DATA, "deletes a volume with its data"),
    (Act::PruneVolumes, &CONTAINER_DATA, "deletes all volumes that are not in use"),
    (Act::Reset, &CONTAINER_DATA, "deletes everything of the engine"),
    (Act::RemoveMachine, &CONTAINER_DATA, "deletes a machine"),
    (Act::Restore, &CONTAINER_DATA, "puts an older state of a machine in place"),
    (Act::PruneAll, &CONTAINER_MANY, "deletes all images that no container uses"),
    (Act::PruneContainers, &CONTAINER_MANY, "deletes all stopped containers"),
    (Act::PruneNetworks, &CONTAINER_MANY, "deletes all networks that are not in use"),
    (Act::RemoveNetwork, &CONTAINER_MANY, "deletes a network"),
    (Act::RemoveService, &CONTAINER_MANY, "deletes a service"),
    (Act::RemoveSecret, &CONTAINER_MANY, "deletes a secret"),
    (Act::RemoveNode, &CONTAINER_MANY, "takes a node out of the swarm"),
    (Act::LeaveSwarm, &CONTAINER_MANY, "leaves the swarm"),
    (Act::Privileged, &CONTAINER_RIGHTS, "gives a container all rights over this machine"),
    (Act::ExposeEngine, &CONTAINER_RIGHTS, "lets the network command the container engine"),
    (Act::MountControlSocket, &CONTAINER_RIGHTS, "lets a container command the container engine"),
    (Act::RemoveContainer, &CONTAINER_CHANGE, "removes a container"),
    (Act::RemoveImage, &CONTAINER_CHANGE, "removes an image"),
    (Act::RemovePod, &CONTAINER_CHANGE, "removes a pod"),
    (Act::ComposeDown, &CONTAINER_CHANGE, "takes a project down"),
    (Act::Stop, &CONTAINER_CHANGE, "stops a container"),
    (Act::Kill, &CONTAINER_CHANGE, "kills a container"),
    (Act::Prune, &CONTAINER_CHANGE, "deletes images and caches that are not in use"),
    (Act::SecurityOption, &CONTAINER_CHANGE, "loosens the sandbox of a container"),
];

pub(super) const FORGE: &[Row] = &[
    (Act::RepoDelete, &GONE, "deletes a repository"),
    (Act::ReleaseDelete, &FORGE_DELETE, "deletes a release"),
    (Act::IssueDelete, &FORGE_DELETE, "deletes an issue"),
    (Act::ProjectDelete, &FORGE_DELETE, "deletes a project board"),
    (Act::CodespaceDelete, &FORGE_DELETE, "deletes a codespace with the changes in it"),
    (Act::GistDelete, &FORGE_DELETE, "deletes a gist"),
    (Act::LabelDelete, &FORGE_DELETE, "deletes a label from all issues"),
    (Act::PrDelete, &FORGE_DELETE, "deletes a merge request"),
    (Act::RunnerDelete, &FORGE_DELETE, "removes a runner"),
    (Act::RunDelete, &FORGE_DELETE, "deletes the record of a run"),
    (Act::SecretDelete, &FORGE_DELETE, "deletes a secret"),
    (Act::VariableDelete, &FORGE_DELETE, "deletes a variable"),
    (Act::KeyDelete, &FORGE_DELETE, "deletes a key"),
    (Act::TokenRevoke, &FORGE_DELETE, "revokes a token"),
    (Act::ApiDelete, &FORGE_DELETE, "deletes something through the interface of the forge"),
    (Act::RepoArchive, &FORGE_SETTINGS, "archives a repository"),
    (Act::RepoRename, &FORGE_SETTINGS, "renames a repository"),
    (Act::RepoVisibility, &FORGE_SETTINGS, "decides who can see a repository"),
    (Act::RepoTransfer, &FORGE_SETTINGS, "gives a repository to someone else"),
    (Act::KeyAdd, &FORGE_SETTINGS, "adds a key that gives access"),
    (Act::Member, &FORGE_SETTINGS, "changes who has access"),
    (Act::WorkflowDisable, &FORGE_SETTINGS, "switches a workflow off"),
    (Act::RepoEdit, &FORGE_CHANGE, "changes settings of a repository"),
    (Act::ReleaseEdit, &FORGE_CHANGE, "changes a release"),
    (Act::PrMerge, &FORGE_CHANGE, "merges a pull request"),
    (Act::PrClose, &FORGE_CHANGE, "closes a pull request"),
    (Act::IssueClose, &FORGE_CHANGE, "closes an issue"),
    (Act::SecretSet, &FORGE_CHANGE, "sets a secret"),
    (Act::VariableSet, &FORGE_CHANGE, "sets a variable"),
    (Act::WorkflowRun, &FORGE_CHANGE, "starts a workflow"),
    (Act::WorkflowToggle, &FORGE_CHANGE, "switches a workflow on or changes its times"),
    (Act::RunCancel, &FORGE_CHANGE, "cancels a run"),
    (Act::CacheDelete, &FORGE_CHANGE, "deletes a cache"),
    (Act::TokenCreate, &FORGE_CHANGE, "changes who is logged in"),
    (Act::ApiWrite, &FORGE_CHANGE, "writes through the interface of the forge"),
    (Act::ApiMutation, &FORGE_CHANGE, "writes through the interface of the forge"),
];

pub(super) const PUBLICATION: &[Row] = &[
    (Act::Publish, &PUBLISH, "publishes a package"),
    (Act::Package, &PUBLISH, "publishes a package"),
    (Act::Release, &PUBLISH, "publishes a release"),
    (Act::Unpublish, &WITHDRAW, "withdraws a published package"),
    (Act::Deprecate, &WITHDRAW, "marks a published package as deprecated"),
    (Act::DeleteImage, &WITHDRAW, "deletes an image on a registry"),
    (Act::DistTag, &WITHDRAW, "changes which version others get"),
    (Act::Owner, &WITHDRAW, "changes who owns a package"),
    (Act::Token, &WITHDRAW, "makes or revokes a token of the registry"),
    (Act::PushImage, &PUSH_IMAGE, "pushes an image"),
    (Act::PushChart, &PUSH_IMAGE, "pushes a chart"),
    (Act::ReleaseUpload, &PUSH_IMAGE, "adds a file to a release"),
];
