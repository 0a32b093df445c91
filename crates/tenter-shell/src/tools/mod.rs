//! Judges of programs: one file per family, with its table of names.

mod archive;
mod cloud;
mod cluster;
pub(crate) mod compile;
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
mod schedule;
mod sed;
mod service;
pub(crate) mod settings;
pub(crate) mod sql;
mod system;
pub(crate) mod table;
pub(crate) mod tar;
mod terraform;
pub(crate) mod trust;
mod volumes;
pub(crate) mod windows;

use crate::call::{Call, Judge, Programs};
use crate::lookup;
use table::Tool;

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
    disk::PROGRAMS,
    edit::PROGRAMS,
    fd::PROGRAMS,
    filesystems::PROGRAMS,
    find::PROGRAMS,
    forge::PROGRAMS,
    git::PROGRAMS,
    hosting::PROGRAMS,
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
    service::PROGRAMS,
    settings::DASHED,
    settings::PROGRAMS,
    system::PROGRAMS,
    tar::PROGRAMS,
    terraform::PROGRAMS,
    trust::PROGRAMS,
    volumes::PROGRAMS,
    windows::PROGRAMS,
];

/// Every table of programs that lines of text judge.
const TOOLS: &[&[Tool]] = &[
    cluster::TOOLS,
    cluster::STORES,
    database::FRAMEWORKS,
    database::STORES,
    disk::TOOLS,
    filesystems::TOOLS,
    hosting::TOOLS,
    interfaces::TOOLS,
    operations::BACKUPS,
    operations::SERVICES,
    publish::TOOLS,
    service::TOOLS,
    settings::TOOLS,
    system::TOOLS,
    terraform::TOOLS,
    volumes::TOOLS,
];

static SORTED: [(&str, Judge); lookup::count(TABLES)] = lookup::sorted(lookup::gathered(TABLES));

static BY_TABLE: [(&str, &Tool); table::count(TOOLS)] = lookup::sorted(table::named(TOOLS));

/// The judge of this program.
pub(crate) fn find(name: &str) -> Option<Judge> {
    lookup::find(&SORTED, name)
        .or_else(|| lookup::find(&BY_TABLE, name).map(|_| judge_by_table as Judge))
}

fn judge_by_table(call: &mut Call<'_, '_>) {
    if let Some(tool) = lookup::find(&BY_TABLE, call.name) {
        (tool.judge)(call, tool);
    }
}

/// The names of all programs that are known.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SORTED.iter().map(|(name, _)| *name).chain(BY_TABLE.iter().map(|(name, _)| *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_in_one_table() {
        let all: Vec<&str> = names().collect();
        for (at, name) in all.iter().enumerate() {
            assert!(!all.iter().skip(at + 1).any(|other| other == name), "{name}");
        }
    }
}
