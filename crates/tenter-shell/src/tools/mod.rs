//! What programs do. A family of programs is one file with its table of names.

mod archive;
mod cloud;
mod cluster;
mod containers;
mod copy;
mod database;
mod disk;
mod edit;
mod find;
mod forge;
mod git;
mod hosting;
mod network;
mod packages;
mod permissions;
mod process;
mod publish;
mod read;
mod remove;
mod schedule;
mod service;
pub(crate) mod sql;
pub(crate) mod subcommand;
mod system;
mod terraform;

use crate::call::{Judge, Programs};

/// Every table of programs.
const TABLES: &[Programs] = &[
    archive::PROGRAMS,
    cloud::PROGRAMS,
    cluster::PROGRAMS,
    containers::PROGRAMS,
    copy::PROGRAMS,
    database::PROGRAMS,
    disk::PROGRAMS,
    edit::PROGRAMS,
    find::PROGRAMS,
    forge::PROGRAMS,
    git::PROGRAMS,
    hosting::PROGRAMS,
    network::PROGRAMS,
    packages::PROGRAMS,
    permissions::PROGRAMS,
    process::PROGRAMS,
    publish::PROGRAMS,
    read::PROGRAMS,
    remove::PROGRAMS,
    schedule::PROGRAMS,
    service::PROGRAMS,
    system::PROGRAMS,
    terraform::PROGRAMS,
];

/// Who judges this program.
pub(crate) fn find(name: &str) -> Option<Judge> {
    TABLES
        .iter()
        .flat_map(|table| table.iter())
        .find_map(|(program, judge)| (*program == name).then_some(*judge))
}

/// The names of all programs that are known.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().flat_map(|table| table.iter()).map(|(name, _)| *name)
}

// TEMPORARY until disk.rs and sql.rs are delivered
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device { NotADevice, Harmless, Storage, Other }
pub(crate) fn device(path: &str) -> Device {
    if !path.starts_with("/dev/") { return Device::NotADevice; }
    if path.starts_with("/dev/sd") { Device::Storage } else { Device::Harmless }
}
pub(crate) fn sql(_: &mut crate::call::Call<'_, '_>, _: crate::code::Code<'_>) {}
