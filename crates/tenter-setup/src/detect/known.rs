//! Installation folders of hosts, searched because programs started from a desktop have a short `PATH`.

use std::path::{Path, PathBuf};

use tenter_hosts::install::{System, numbers};
use tenter_model::HostId;

use crate::Places;

/// Maximum number of Node.js versions searched.
const MOST_NODES: usize = 64;

/// Below the home folder: the hosts' installers, then package managers.
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

/// Below the file system root.
const SYSTEM: &[&str] =
    &["usr/local/bin", "usr/bin", "opt/homebrew/bin", "home/linuxbrew/.linuxbrew/bin"];

/// All candidate paths of a program, most likely first. `names` are the possible file names.
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

/// The `bin` folders of all Node.js versions below a folder, newest first.
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
