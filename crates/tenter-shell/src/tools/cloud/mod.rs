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
pub(in crate::tools) mod objects;
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
    // Others that have groups and verbs too.
    ("flarectl", providers::other),
    ("newrelic", providers::other),
    ("pd", providers::other),
    ("circleci", providers::other),
    ("bk", providers::other),
    ("spin", providers::other),
    ("octopus", providers::other),
    ("tkn", providers::other),
    ("regctl", providers::other),
    ("oras", providers::other),
    ("koyeb", providers::other),
    ("porter", providers::other),
    ("northflank", providers::other),
    ("apigeecli", providers::other),
    ("gitea", providers::other),
    ("unleash", providers::other),
    ("algolia", providers::other),
    ("b2", providers::other),
    ("boundary", providers::other),
    ("curator_cli", providers::other),
    ("dagster", providers::other),
    ("databricks", providers::other),
    ("deck", providers::other),
    ("flagsmith", providers::other),
    ("grafanactl", providers::other),
    ("launchdarkly", providers::other),
    ("launchdarkly-cli", providers::other),
    ("octo", providers::other),
    ("opensearch-cli", providers::other),
    ("prefect", providers::other),
    ("rancher", providers::other),
    ("resend", providers::other),
    ("swift", |call| _ = objects::put(call)),
    ("sendgrid", providers::other),
    ("typesense", providers::other),
    ("waypoint", providers::other),
];
