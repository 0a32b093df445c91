//! Checks of the guard, and the actions each applies to.

use crate::guard::Check;
use crate::guards::rows::Row;
use crate::level::Weight;
use tenter_shell::Act;

pub(super) const PRODUCTION: Check = Check {
    id: "production",
    weight: Weight::Grave,
    title: "deletes a project, database, cluster, bucket or volume of production",
    instead: "show the user what would be deleted, and let the user delete it",
    safe: &["terraform plan", "kubectl diff -f app.yaml"],
};

pub(super) const GONE: Check = Check {
    id: "beyond-recovery",
    weight: Weight::Grave,
    title: "deletes a repository, a bucket with its objects, all backups or a whole stack without a question",
    instead: "show the user what would be deleted, and let the user delete it",
    safe: &["terraform plan -destroy", "gh repo view", "aws s3 ls s3://bucket"],
};

pub(super) const CLUSTER_DELETE: Check = Check {
    id: "cluster-delete",
    weight: Weight::Doubtful,
    title: "deletes cluster resources",
    instead: "show the user what would be deleted, with a dry run",
    safe: &[
        "kubectl delete pod web --dry-run=client",
        "kubectl apply -f app.yaml",
        "kubectl get all",
    ],
};

pub(super) const CLUSTER_DISRUPT: Check = Check {
    id: "cluster-disrupt",
    weight: Weight::Doubtful,
    title: "stops, scales, moves, rolls back or replaces a workload by force",
    instead: "show the user the workload's state first",
    safe: &["kubectl describe deployment web", "kubectl rollout status deployment/web"],
};

pub(super) const CLUSTER_CHANGE: Check = Check {
    id: "cluster-change",
    weight: Weight::Minor,
    title: "creates or changes cluster resources",
    instead: "",
    safe: &[],
};

pub(super) const CLOUD_DELETE: Check = Check {
    id: "cloud-delete",
    weight: Weight::Doubtful,
    title: "deletes cloud resources or stored data",
    instead: "show the user what would be deleted, and let the user delete it",
    safe: &["terraform plan -destroy", "aws s3 rm s3://bucket/x --recursive --dryrun"],
};

pub(super) const CLOUD_DISRUPT: Check = Check {
    id: "cloud-disrupt",
    weight: Weight::Doubtful,
    title: "stops, resets or renames what runs in the cloud, or removes its settings, keys or \
            domains",
    instead: "show the user its state first",
    safe: &["aws ec2 describe-instances", "fly status"],
};

pub(super) const RIGHTS: Check = Check {
    id: "rights",
    weight: Weight::Doubtful,
    title: "grants rights or keys, or exposes something to the network",
    instead: "tell the user which rights are needed",
    safe: &["aws iam list-users", "kubectl auth can-i --list"],
};

pub(super) const UNASKED: Check = Check {
    id: "apply-unasked",
    weight: Weight::Doubtful,
    title: "changes infrastructure without a review",
    instead: "save a plan and show it: `terraform plan -out=plan.bin`",
    safe: &["terraform plan -out=plan.bin", "terraform apply plan.bin"],
};

pub(super) const STATE: Check = Check {
    id: "state",
    weight: Weight::Doubtful,
    title: "edits the state of an infrastructure tool by hand",
    instead: "declare the change in the configuration",
    safe: &["terraform state list", "terraform plan"],
};

pub(super) const CLOUD_CHANGE: Check = Check {
    id: "cloud-change",
    weight: Weight::Minor,
    title: "creates, changes or deploys a cloud resource",
    instead: "",
    safe: &[],
};

pub(super) const CONTAINER_DATA: Check = Check {
    id: "container-data",
    weight: Weight::Doubtful,
    title: "deletes volumes or machines with their data",
    instead: "back up the data first",
    safe: &[],
};

pub(super) const CONTAINER_MANY: Check = Check {
    id: "container-many",
    weight: Weight::Doubtful,
    title: "deletes many containers, images or networks, or deletes them by force",
    instead: "delete only those you created, by name",
    safe: &["docker rm web", "docker image prune", "docker ps -a"],
};

pub(super) const CONTAINER_RIGHTS: Check = Check {
    id: "container-rights",
    weight: Weight::Doubtful,
    title: "gives a container rights over this machine",
    instead: "mount only the project: `docker run --rm -v \"$PWD\":/work <image>`",
    safe: &["docker run --rm -v \"$PWD\":/work -w /work node:22 npm test"],
};

pub(super) const CONTAINER_CHANGE: Check = Check {
    id: "container-change",
    weight: Weight::Minor,
    title: "stops or removes single containers or images",
    instead: "",
    safe: &[],
};

pub(super) const FORGE_DELETE: Check = Check {
    id: "forge-delete",
    weight: Weight::Doubtful,
    title: "deletes a repository, release, secret or another forge object",
    instead: "export or archive it first",
    safe: &[],
};

pub(super) const FORGE_SETTINGS: Check = Check {
    id: "forge-settings",
    weight: Weight::Doubtful,
    title: "archives, renames or exposes a repository, changes access, or disables its checks",
    instead: "tell the user which setting to change",
    safe: &[],
};

pub(super) const FORGE_CHANGE: Check = Check {
    id: "forge-change",
    weight: Weight::Minor,
    title: "merges, closes, runs or sets something on a forge",
    instead: "",
    safe: &[],
};

pub(super) const PUBLISH: Check = Check {
    id: "publish",
    weight: Weight::Doubtful,
    title: "publishes a package or release, which cannot be undone",
    instead: "show the user the package's contents, with a dry run",
    safe: &["npm publish --dry-run", "cargo publish --dry-run", "npm pack"],
};

pub(super) const WITHDRAW: Check = Check {
    id: "withdraw",
    weight: Weight::Doubtful,
    title: "withdraws a published package, or changes its owner",
    instead: "publish a corrected version",
    safe: &["npm view left-pad"],
};

pub(super) const PUSH_IMAGE: Check = Check {
    id: "push-image",
    weight: Weight::Minor,
    title: "uploads an image, chart or file to a registry",
    instead: "",
    safe: &[],
};

pub(super) const CLUSTER: &[Row] = &[
    (Act::Delete, &CLUSTER_DELETE, "deletes resources of the cluster"),
    (Act::DeleteNamespace, &CLUSTER_DELETE, "deletes a namespace and everything in it"),
    (Act::DeleteNode, &CLUSTER_DELETE, "removes a node from the cluster"),
    (Act::DeleteVolume, &CLUSTER_DELETE, "deletes a volume of the cluster"),
    (Act::DeleteDefinition, &CLUSTER_DELETE, "deletes a resource type and all its resources"),
    (Act::DeleteCluster, &CLUSTER_DELETE, "deletes a cluster"),
    (Act::Uninstall, &CLUSTER_DELETE, "uninstalls a release"),
    (Act::KeyDelete, &CLUSTER_DELETE, "deletes configuration entries"),
    (Act::Drain, &CLUSTER_DISRUPT, "drains a node"),
    (Act::Cordon, &CLUSTER_DISRUPT, "cordons a node"),
    (Act::Taint, &CLUSTER_DISRUPT, "taints a node"),
    (Act::Scale, &CLUSTER_DISRUPT, "scales a workload"),
    (Act::ScaleToZero, &CLUSTER_DISRUPT, "scales a workload to zero"),
    (Act::RolloutRestart, &CLUSTER_DISRUPT, "restarts a workload"),
    (Act::RolloutUndo, &CLUSTER_DISRUPT, "rolls a workload back"),
    (Act::RolloutPause, &CLUSTER_DISRUPT, "pauses a rollout"),
    (Act::RolloutResume, &CLUSTER_DISRUPT, "resumes a rollout"),
    (Act::Rollback, &CLUSTER_DISRUPT, "rolls a release back"),
    (Act::Set, &CLUSTER_DISRUPT, "changes a running workload"),
    (Act::Patch, &CLUSTER_DISRUPT, "patches a live resource"),
    (Act::Edit, &CLUSTER_DISRUPT, "edits a live resource"),
    (Act::Suspend, &CLUSTER_DISRUPT, "suspends a controller"),
    (Act::Restore, &CLUSTER_DISRUPT, "restores a backup over existing data"),
    (Act::Grant, &RIGHTS, "grants rights in the cluster"),
    (Act::Apply, &CLUSTER_CHANGE, "applies a manifest"),
    (Act::Create, &CLUSTER_CHANGE, "creates a resource"),
    (Act::Replace, &CLUSTER_CHANGE, "replaces a resource"),
    (Act::Install, &CLUSTER_CHANGE, "installs a release"),
    (Act::Upgrade, &CLUSTER_CHANGE, "upgrades a release"),
    (Act::Sync, &CLUSTER_CHANGE, "syncs a controller"),
    (Act::Debug, &CLUSTER_CHANGE, "attaches a debug container"),
    (Act::Label, &CLUSTER_CHANGE, "labels a resource"),
    (Act::Run, &CLUSTER_CHANGE, "starts a pod"),
    (Act::CopyIn, &CLUSTER_CHANGE, "copies files into a pod"),
    (Act::KeyWrite, &CLUSTER_CHANGE, "writes configuration entries"),
    (Act::Context, &CLUSTER_CHANGE, "switches the cluster for later commands"),
];

pub(super) const CLOUD: &[Row] = &[
    (Act::Delete, &CLOUD_DELETE, "deletes a resource"),
    (Act::DeleteProject, &CLOUD_DELETE, "deletes a project and everything in it"),
    (Act::DeleteBucket, &CLOUD_DELETE, "deletes a bucket"),
    (Act::DeleteObjects, &CLOUD_DELETE, "deletes stored objects"),
    (Act::DeleteData, &CLOUD_DELETE, "deletes stored data"),
    (Act::Destroy, &CLOUD_DELETE, "destroys all declared infrastructure"),
    (Act::Stop, &CLOUD_DISRUPT, "stops a running resource"),
    (Act::Restart, &CLOUD_DISRUPT, "restarts a running resource"),
    (Act::Reset, &CLOUD_DISRUPT, "resets or replaces a resource"),
    (Act::Disable, &CLOUD_DISRUPT, "disables a resource"),
    (Act::Revoke, &CLOUD_DISRUPT, "removes a setting, domain, key or access"),
    (Act::Rotate, &CLOUD_DISRUPT, "replaces keys in use"),
    (Act::Maintenance, &CLOUD_DISRUPT, "takes the application offline"),
    (Act::ScaleToZero, &CLOUD_DISRUPT, "scales to zero"),
    (Act::Rollback, &CLOUD_DISRUPT, "rolls back to an older version"),
    (Act::Promote, &CLOUD_DISRUPT, "promotes a version to production"),
    (Act::Rename, &CLOUD_DISRUPT, "renames an application"),
    (Act::Pay, &CLOUD_DISRUPT, "moves real money or changes prices"),
    (Act::Overwrite, &CLOUD_DISRUPT, "overwrites settings or records in use"),
    (Act::Grant, &RIGHTS, "grants rights"),
    (Act::Expose, &RIGHTS, "exposes a resource to the network"),
    (Act::CreateCredential, &RIGHTS, "creates a key or password"),
    (Act::StateRemove, &STATE, "drops an existing resource from the state"),
    (Act::StateMove, &STATE, "renames a resource in the state"),
    (Act::StatePush, &STATE, "overwrites the state"),
    (Act::StateReplaceProvider, &STATE, "changes the provider in the state"),
    (Act::WorkspaceDelete, &STATE, "deletes a workspace and its state"),
    (Act::Taint, &STATE, "marks a resource for replacement"),
    (Act::StateMigrate, &CLOUD_CHANGE, "moves the state"),
    (Act::ForceUnlock, &CLOUD_CHANGE, "removes a lock"),
    (Act::Apply, &CLOUD_CHANGE, "changes declared infrastructure"),
    (Act::Deploy, &CLOUD_CHANGE, "deploys"),
    (Act::Change, &CLOUD_CHANGE, "changes a resource"),
    (Act::Create, &CLOUD_CHANGE, "creates a resource"),
    (Act::CopyObjects, &CLOUD_CHANGE, "copies stored objects"),
    (Act::Scale, &CLOUD_CHANGE, "scales a resource"),
    (Act::Invoke, &CLOUD_CHANGE, "invokes a function or job"),
    (Act::Import, &CLOUD_CHANGE, "imports a resource into the state"),
    (Act::Playbook, &CLOUD_CHANGE, "runs a playbook on other machines"),
    (Act::Module, &CLOUD_CHANGE, "runs a module on other machines"),
];

pub(super) const CONTAINER: &[Row] = &[
    (Act::RemoveVolume, &CONTAINER_DATA, "deletes a volume and its data"),
    (Act::PruneVolumes, &CONTAINER_DATA, "deletes all unused volumes"),
    (Act::Reset, &CONTAINER_DATA, "deletes all containers, images and volumes"),
    (Act::RemoveMachine, &CONTAINER_DATA, "deletes a machine"),
    (Act::Restore, &CONTAINER_DATA, "restores an older state of a machine"),
    (Act::PruneAll, &CONTAINER_MANY, "deletes all unused images"),
    (Act::PruneContainers, &CONTAINER_MANY, "deletes all stopped containers"),
    (Act::PruneNetworks, &CONTAINER_MANY, "deletes all unused networks"),
    (Act::RemoveNetwork, &CONTAINER_MANY, "deletes a network"),
    (Act::RemoveService, &CONTAINER_MANY, "deletes a service"),
    (Act::RemoveSecret, &CONTAINER_MANY, "deletes a secret"),
    (Act::RemoveNode, &CONTAINER_MANY, "removes a node from the swarm"),
    (Act::LeaveSwarm, &CONTAINER_MANY, "leaves the swarm"),
    (Act::Privileged, &CONTAINER_RIGHTS, "gives a container full rights over this machine"),
    (Act::ExposeEngine, &CONTAINER_RIGHTS, "exposes the container engine to the network"),
    (
        Act::MountControlSocket,
        &CONTAINER_RIGHTS,
        "gives a container control of the container engine",
    ),
    (Act::RemoveContainer, &CONTAINER_CHANGE, "removes a container"),
    (Act::RemoveImage, &CONTAINER_CHANGE, "removes an image"),
    (Act::RemovePod, &CONTAINER_CHANGE, "removes a pod"),
    (Act::ComposeDown, &CONTAINER_CHANGE, "stops and removes a project's containers"),
    (Act::Stop, &CONTAINER_CHANGE, "stops a container"),
    (Act::Kill, &CONTAINER_CHANGE, "kills a container"),
    (Act::Prune, &CONTAINER_CHANGE, "deletes unused images and caches"),
    (Act::SecurityOption, &CONTAINER_CHANGE, "weakens a container's sandbox"),
];

pub(super) const FORGE: &[Row] = &[
    (Act::RepoDelete, &GONE, "deletes a repository"),
    (Act::ReleaseDelete, &FORGE_DELETE, "deletes a release"),
    (Act::IssueDelete, &FORGE_DELETE, "deletes an issue"),
    (Act::ProjectDelete, &FORGE_DELETE, "deletes a project board"),
    (Act::CodespaceDelete, &FORGE_DELETE, "deletes a codespace and your edits in it"),
    (Act::GistDelete, &FORGE_DELETE, "deletes a gist"),
    (Act::LabelDelete, &FORGE_DELETE, "deletes a label from all issues"),
    (Act::PrDelete, &FORGE_DELETE, "deletes a merge request"),
    (Act::RunnerDelete, &FORGE_DELETE, "removes a runner"),
    (Act::RunDelete, &FORGE_DELETE, "deletes the record of a run"),
    (Act::SecretDelete, &FORGE_DELETE, "deletes a secret"),
    (Act::VariableDelete, &FORGE_DELETE, "deletes a variable"),
    (Act::KeyDelete, &FORGE_DELETE, "deletes a key"),
    (Act::TokenRevoke, &FORGE_DELETE, "revokes a token"),
    (Act::ApiDelete, &FORGE_DELETE, "deletes something through the forge's API"),
    (Act::RepoArchive, &FORGE_SETTINGS, "archives a repository"),
    (Act::RepoRename, &FORGE_SETTINGS, "renames a repository"),
    (Act::RepoVisibility, &FORGE_SETTINGS, "changes a repository's visibility"),
    (Act::RepoTransfer, &FORGE_SETTINGS, "transfers a repository to another owner"),
    (Act::KeyAdd, &FORGE_SETTINGS, "adds a key that gives access"),
    (Act::Member, &FORGE_SETTINGS, "changes who has access"),
    (Act::WorkflowDisable, &FORGE_SETTINGS, "disables a workflow"),
    (Act::RepoEdit, &FORGE_CHANGE, "changes settings of a repository"),
    (Act::ReleaseEdit, &FORGE_CHANGE, "changes a release"),
    (Act::PrMerge, &FORGE_CHANGE, "merges a pull request"),
    (Act::PrClose, &FORGE_CHANGE, "closes a pull request"),
    (Act::IssueClose, &FORGE_CHANGE, "closes an issue"),
    (Act::SecretSet, &FORGE_CHANGE, "sets a secret"),
    (Act::VariableSet, &FORGE_CHANGE, "sets a variable"),
    (Act::WorkflowRun, &FORGE_CHANGE, "starts a workflow"),
    (Act::WorkflowToggle, &FORGE_CHANGE, "enables or reschedules a workflow"),
    (Act::RunCancel, &FORGE_CHANGE, "cancels a run"),
    (Act::CacheDelete, &FORGE_CHANGE, "deletes a cache"),
    (Act::TokenCreate, &FORGE_CHANGE, "changes the login"),
    (Act::ApiWrite, &FORGE_CHANGE, "writes through the forge's API"),
    (Act::ApiMutation, &FORGE_CHANGE, "writes through the forge's API"),
];

pub(super) const PUBLICATION: &[Row] = &[
    (Act::Publish, &PUBLISH, "publishes a package"),
    (Act::Package, &PUBLISH, "publishes a package"),
    (Act::Release, &PUBLISH, "publishes a release"),
    (Act::Unpublish, &WITHDRAW, "withdraws a published package"),
    (Act::Deprecate, &WITHDRAW, "marks a published package as deprecated"),
    (Act::DeleteImage, &WITHDRAW, "deletes an image from a registry"),
    (Act::DistTag, &WITHDRAW, "changes which version others install"),
    (Act::Owner, &WITHDRAW, "changes who owns a package"),
    (Act::Token, &WITHDRAW, "creates or revokes a registry token"),
    (Act::PushImage, &PUSH_IMAGE, "pushes an image"),
    (Act::PushChart, &PUSH_IMAGE, "pushes a chart"),
    (Act::ReleaseUpload, &PUSH_IMAGE, "adds a file to a release"),
];
