//! Where installers put programs. A program that was started from a desktop has a short `PATH`, and so do we
//! when it starts us.

use std::path::{Path, PathBuf};

use tenter_hosts::install::{System, numbers};
use tenter_model::HostId;

use crate::Places;

/// How many versions of Node are looked at.
const MOST_NODES: usize = 64;

/// Below the home folder: installers of the hosts, then package managers.
const HOME: &[&str] = &[
    ".local/bin",
    ".npm-global/bin",
    ".bun/bin",
    ".volta/bin",
    ".cargo/bin",
    ".local/share/pnpm",
    "Library/pnpm",
];
const HOME_WINDOWS: &[&str] = &[".local\\bin", "AppData\\Roaming\\npm", "AppData\\Local\\pnpm"];

/// Below the root of the system.
const SYSTEM: &[&str] =
    &["usr/local/bin", "usr/bin", "opt/homebrew/bin", "home/linuxbrew/.linuxbrew/bin"];

/// Every place where a program of this name may lie, the likeliest first. `names` are the files it may be.
pub(super) fn programs(id: HostId, name: &str, names: &[String], places: &Places) -> Vec<PathBuf> {
    let install = tenter_hosts::host(id).install();
    let windows = places.system == System::Windows;
    let mut found = Vec::new();
    let mut add = |folder: PathBuf| found.extend(names.iter().map(|name| folder.join(name)));
    if let Some(home) = &places.home {
        for folder in if windows { HOME_WINDOWS } else { HOME } {
            add(home.join(folder));
        }
        for folder in install.program_folders {
            add(home.join(folder));
        }
    }
    if !windows {
        for folder in SYSTEM {
            add(places.root.join(folder));
        }
    }
    if let Some(home) = &places.home {
        for folder in nodes(&home.join(".nvm/versions/node")) {
            add(folder);
        }
    }
    found.extend(places.with_roots(|roots| (install.launchers)(roots, name)));
    found
}

/// The folders of programs of all versions of Node below a folder, the newest first.
fn nodes(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let mut versions: Vec<PathBuf> =
        entries.take(MOST_NODES).flatten().map(|entry| entry.path()).collect();
    versions.sort_by_key(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        std::cmp::Reverse((numbers(&name), name))
    });
    versions.into_iter().map(|version| version.join("bin")).collect()
}
