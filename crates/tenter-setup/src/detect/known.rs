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

/// Cursor's editor: the launcher inside the installation.
const EDITOR_LINUX: &[&str] =
    &["usr/share/cursor/bin/cursor", "opt/cursor/bin/cursor", "opt/Cursor/bin/cursor"];
const EDITOR_MAC: &[&str] = &[
    "Applications/Cursor.app/Contents/Resources/app/bin/cursor",
    "Applications/Cursor.app/Contents/Resources/app/bin/code",
];
const EDITOR_WINDOWS: &str = "AppData\\Local\\Programs\\cursor\\resources\\app\\bin\\cursor.cmd";

/// Every place where a program of this name may lie, the likeliest first. `names` are the files it may be.
pub(super) fn programs(id: HostId, name: &str, names: &[String], places: &Places) -> Vec<PathBuf> {
    let windows = places.system == System::Windows;
    let mut found = Vec::new();
    let mut add = |folder: PathBuf| found.extend(names.iter().map(|name| folder.join(name)));
    if let Some(home) = &places.home {
        for folder in if windows { HOME_WINDOWS } else { HOME } {
            add(home.join(folder));
        }
        if id == HostId::Claude {
            add(home.join(".claude/local"));
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
    if id == HostId::Cursor && name == "cursor" {
        editors(places, &mut found);
    }
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

fn editors(places: &Places, found: &mut Vec<PathBuf>) {
    let home = places.home.as_deref();
    match places.system {
        System::Linux => found.extend(EDITOR_LINUX.iter().map(|path| places.root.join(path))),
        System::Mac => {
            let roots = [Some(places.root.as_path()), home];
            for root in roots.into_iter().flatten() {
                found.extend(EDITOR_MAC.iter().map(|path| root.join(path)));
            }
        }
        System::Windows => found.extend(home.map(|home| home.join(EDITOR_WINDOWS))),
    }
}
