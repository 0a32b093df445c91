//! Paths that no output option may write to.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tenter_hosts::install::Scope;
use tenter_model::HostId;
use tenter_setup::{Places, files};

use super::folder::{self, Folder, Id};
use crate::guard::folders::Folders;
use crate::places;

/// Files that name what git or a terminal runs, beside those that a shell reads when it starts.
const STARTUP: &[&str] = &[".gitconfig", ".inputrc"];

/// Folders of such files.
const STARTUP_FOLDERS: &[&[&str]] = &[
    &[".config", "autostart"],
    &[".config", "fish"],
    &[".config", "git"],
    &[".config", "nushell"],
    &[".config", "systemd"],
    &[".config", "zsh"],
    &[".ssh"],
    &["Library", "LaunchAgents"],
    &["Library", "LaunchDaemons"],
];

/// System folders in which everything runs or names what runs.
const SYSTEM: &[&str] = &["/bin", "/etc", "/lib", "/sbin", "/usr", "/var/spool/cron"];

/// The owner of a protected file at this path, if it is one.
pub(super) fn holder(folder: &Folder, name: &OsStr) -> Option<String> {
    let path = folder.path.join(name);
    by_name(&path).map(str::to_owned).or_else(|| by_place(folder, name, &path))
}

fn by_name(path: &Path) -> Option<&'static str> {
    let text = path.to_string_lossy();
    if let Some(holder) = tenter_policy::guards::settings_of(&text) {
        return Some(holder);
    }
    let parts: Vec<&str> = text.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
    let (name, above) = parts.split_last()?;
    if tenter_policy::guards::is_startup(&text) || STARTUP.iter().any(|known| same(known, name)) {
        return Some("the shell, which runs it when it starts");
    }
    let holds = |place: &&[&str]| {
        above.windows(place.len()).any(|parts| parts.iter().zip(*place).all(|(a, b)| same(a, b)))
    };
    if STARTUP_FOLDERS.iter().any(holds) {
        return Some("the session, which reads it when it starts");
    }
    if SYSTEM.iter().any(|folder| path.starts_with(folder)) {
        return Some("the system");
    }
    let is_git = |part: &&&str| same(part, ".git") || same(part, ".husky");
    if above.iter().any(|part| is_git(&part)) || is_bare_hook(path) {
        return Some("git, which may run it");
    }
    None
}

/// Whether it is a hook of a bare repository.
fn is_bare_hook(path: &Path) -> bool {
    let Some(folder) = path.parent().filter(|folder| folder.ends_with("hooks")) else {
        return false;
    };
    folder.parent().is_some_and(|repository| {
        repository.join("HEAD").is_file() && repository.join("objects").is_dir()
    })
}

/// By identity: the same file or folder under another name, mount or case.
fn by_place(folder: &Folder, name: &OsStr, path: &Path) -> Option<String> {
    let cwd = std::env::current_dir().unwrap_or_default();
    let places = places::read(&cwd, None);
    let here = folder.id(name);
    let within: Vec<Id> = folder.path.ancestors().filter_map(folder::id).collect();
    if own_folders().iter().any(|own| is_in(path, own, &within)) {
        return Some("tenter, which keeps its policy or state there".to_owned());
    }
    let inside = folder::id(&folder.path);
    let is_same = |file: &PathBuf| {
        if same_path(file, path) || (here.is_some() && folder::id(file) == here) {
            return true;
        }
        let named = file.file_name().is_some_and(|other| other.eq_ignore_ascii_case(name));
        named && inside.is_some() && file.parent().and_then(folder::id) == inside
    };
    if own_programs().iter().any(is_same) {
        return Some("tenter: it is its program".to_owned());
    }
    for host in HostId::ALL {
        if hook_files(host, &places).iter().any(is_same) {
            return Some(tenter_hosts::host(host).install().title.to_owned());
        }
    }
    let ledger = files::ledger(&places).ok()?;
    let wired = ledger.entries().iter().any(|entry| is_same(&entry.path));
    wired.then(|| "tenter, which has wired it".to_owned())
}

fn own_folders() -> Vec<PathBuf> {
    let Folders { config, state, cache, managed, .. } =
        Folders::of(|name| std::env::var(name).ok());
    [config, state, cache, Some(managed)].into_iter().flatten().collect()
}

fn own_programs() -> Vec<PathBuf> {
    let Ok(program) = std::env::current_exe() else { return Vec::new() };
    let server = program.with_file_name("tenter-server");
    vec![program, server]
}

fn hook_files(host: HostId, places: &Places) -> Vec<PathBuf> {
    let install = tenter_hosts::host(host).install();
    places.with_roots(|roots| {
        let of = |scope: Scope| {
            let own = [(install.file)(roots, scope), (install.toml)(roots, scope)];
            own.into_iter().flatten().chain((install.more)(roots, scope))
        };
        Scope::ALL.into_iter().flat_map(of).collect()
    })
}

fn is_in(path: &Path, own: &Path, within: &[Id]) -> bool {
    let known = folder::id(own);
    let real = own.canonicalize().unwrap_or_else(|_| own.to_owned());
    known.is_some_and(|id| within.contains(&id))
        || path.ancestors().any(|above| same_path(above, &real) || same_path(above, own))
}

/// Whether two paths are equal ignoring case; refusing both is harmless.
fn same_path(one: &Path, other: &Path) -> bool {
    one.as_os_str().eq_ignore_ascii_case(other.as_os_str())
}
