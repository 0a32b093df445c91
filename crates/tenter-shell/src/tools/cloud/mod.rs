//! Clouds: accounts, machines, buckets and secrets at a provider.
//!
//! Actions of the kind `cloud`:
//! - `delete`: a resource goes, `delete-project`: a project, group or stack with all it holds
//! - `delete-bucket`, `delete-objects`: stored data goes, `copy-objects`: it is copied over there
//! - `revoke`, `disable`, `stop`, `restart`, `reset`: a resource loses something or its state
//! - `create`, `change`: a resource is made or changed, `overwrite`: records are replaced
//! - `scale-to-zero`: nothing is left running
//! - `grant`: rights are given, `expose`: something becomes reachable from everywhere
//! - `create-credential`: a key or password is made
//! - `deploy`: code or infrastructure is rolled out, `invoke`: a function runs
//! - `configure`: settings and accounts of the tool itself
//!
//! Others: `read/secret`, `send/upload`, `read/upload`, `move/upload`, `receive/download`,
//! `overwrite/download`, `delete/sync-delete`, `write/credential`.

mod aws;
mod objects;
mod providers;
mod verbs;

use crate::call::Programs;

pub(super) const PROGRAMS: Programs = &[
    ("aws", aws::aws),
    ("awslocal", aws::aws),
    ("gcloud", providers::gcloud),
    ("gsutil", objects::gsutil),
    ("bq", objects::bq),
    ("az", providers::az),
    ("s3cmd", objects::s3cmd),
    ("s5cmd", objects::s5cmd),
    ("mc", objects::mc),
    ("mcli", objects::mc),
    ("azcopy", objects::azcopy),
    ("doctl", providers::other),
    ("linode-cli", providers::other),
    ("hcloud", providers::other),
    ("scw", providers::other),
    ("oci", providers::other),
    ("ibmcloud", providers::other),
    ("aliyun", providers::other),
    ("vultr-cli", providers::other),
    ("civo", providers::other),
    ("exo", providers::other),
    ("openstack", providers::other),
    ("auth0", providers::other),
    ("confluent", providers::other),
    ("sentry-cli", providers::other),
    ("stripe", providers::other),
];
