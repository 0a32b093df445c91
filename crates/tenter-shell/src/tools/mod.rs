//! Judges of programs: one file per family, with its table of names.

mod archive;
mod cloud;
mod cluster;
mod compile;
mod compress;
mod containers;
mod copy;
mod database;
mod decode;
mod disk;
mod edit;
mod fd;
mod files;
mod filesystems;
mod find;
mod forge;
mod git;
mod hosting;
mod interfaces;
mod network;
mod operations;
mod own;
pub(crate) mod packages;
mod patches;
mod permissions;
mod process;
mod publish;
mod query;
mod read;
mod readers;
mod remove;
mod rsync;
mod rules;
mod schedule;
mod sed;
mod service;
mod settings;
pub(crate) mod sql;
pub(crate) mod subcommand;
mod system;
pub(crate) mod tar;
mod terraform;
mod volumes;

use crate::call::{Judge, Programs};
use crate::lookup;

pub(crate) use disk::{Device, device};

/// Every table of programs.
const TABLES: &[Programs] = &[
    archive::PROGRAMS,
    cloud::PROGRAMS,
    cluster::PROGRAMS,
    compile::PROGRAMS,
    compress::PROGRAMS,
    containers::PROGRAMS,
    copy::PROGRAMS,
    database::PROGRAMS,
    decode::PROGRAMS,
    disk::LISTED,
    disk::PROGRAMS,
    edit::PROGRAMS,
    fd::PROGRAMS,
    filesystems::LISTED,
    filesystems::PROGRAMS,
    find::PROGRAMS,
    forge::PROGRAMS,
    git::PROGRAMS,
    hosting::PROGRAMS,
    interfaces::LISTED,
    interfaces::PROGRAMS,
    network::PROGRAMS,
    operations::PROGRAMS,
    own::PROGRAMS,
    packages::javascript::PROGRAMS,
    packages::languages::PROGRAMS,
    packages::python::PROGRAMS,
    packages::system::PROGRAMS,
    permissions::PROGRAMS,
    process::PROGRAMS,
    publish::PROGRAMS,
    query::PROGRAMS,
    read::PROGRAMS,
    remove::PROGRAMS,
    rsync::PROGRAMS,
    schedule::PROGRAMS,
    sed::PROGRAMS,
    service::LISTED,
    service::PROGRAMS,
    settings::DASHED,
    settings::LISTED,
    settings::PROGRAMS,
    system::LISTED,
    system::PROGRAMS,
    tar::PROGRAMS,
    terraform::PROGRAMS,
    volumes::LISTED,
    volumes::PROGRAMS,
];

static SORTED: [(&str, Judge); lookup::count(TABLES)] = lookup::sorted(TABLES);

/// The judge of this program.
pub(crate) fn find(name: &str) -> Option<Judge> {
    lookup::find(&SORTED, name)
}

/// The names of all programs that are known.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SORTED.iter().map(|(name, _)| *name)
}
