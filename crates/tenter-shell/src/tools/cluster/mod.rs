//! Orchestrators: kubernetes and what stands around it.
//!
//! Actions of the kind `cluster`:
//! - `delete`: resources go, `delete-namespace`, `delete-node`, `delete-volume`, `delete-definition`
//!   and `delete-cluster` where much goes with them
//! - `drain`, `cordon`, `uncordon`, `taint`: a node takes no more work or again
//! - `scale`: the number of copies changes, `scale-to-zero`: nothing is left running
//! - `rollout-restart`, `rollout-undo`, `rollout-pause`, `rollout-resume`
//! - `apply`, `create`, `replace`, `patch`, `edit`, `set`, `label`: resources are made or changed
//! - `grant`: rights are given
//! - `run`: a pod is made and started, `debug`: a container with rights is put beside a workload or
//!   on a node, `copy-in`: files go into a pod
//! - `port-forward`: a way into the cluster is opened
//! - `context`: which cluster later commands reach changes
//! - `install`, `upgrade`, `rollback`, `uninstall`: releases of packages
//! - `suspend`, `resume`, `restore`, `backup`, `sync`: work of a controller
//! - `key-delete`, `key-write`: entries of a store of settings
//!
//! Others: `read/secret`, `write/copy-out`, `read/copy-in`, `receive/manifest`.

mod kubectl;
mod others;

use crate::call::Programs;
pub(super) use others::{STORES, TOOLS};

pub(super) const PROGRAMS: Programs = &[
    ("kubectl", kubectl::kubectl),
    ("k", kubectl::kubectl),
    ("oc", kubectl::kubectl),
    ("kubecolor", kubectl::kubectl),
    ("helm", others::helm),
    ("helm3", others::helm),
    ("k3s-uninstall.sh", others::uninstaller),
    ("k3s-agent-uninstall.sh", others::uninstaller),
    ("rke2-uninstall.sh", others::uninstaller),
    ("kubectx", others::context),
    ("kubens", others::context),
];
