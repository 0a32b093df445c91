//! Scans what git runs: hooks, and settings that name programs.

use std::fs::DirEntry;
use std::path::Path;

use tenter_model::hash::sha256;

use super::item::{File, Item, Language, ScanResult};
use super::kinds::{Kind, Severity};
use super::{code, read, yaml};

/// Names of git hooks.
const HOOKS: &[&str] = &[
    "applypatch-msg",
    "commit-msg",
    "fsmonitor-watchman",
    "p4-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
    "p4-prepare-changelist",
    "post-applypatch",
    "post-checkout",
    "post-commit",
    "post-index-change",
    "post-merge",
    "post-receive",
    "post-rewrite",
    "post-update",
    "pre-applypatch",
    "pre-auto-gc",
    "pre-commit",
    "pre-merge-commit",
    "pre-push",
    "pre-rebase",
    "pre-receive",
    "prepare-commit-msg",
    "proc-receive",
    "push-to-checkout",
    "reference-transaction",
    "sendemail-validate",
    "update",
];

/// A hook in the repository: it runs once git is pointed to its folder.
pub(super) fn hook(file: &File<'_>, found: &mut ScanResult) {
    if HOOKS.contains(&file.name()) {
        let what = format!("runs at {}, once git is told to look here", file.name());
        code::whole(file, Kind::GitHook, Severity::Note, &what, found);
    }
}

/// Hooks and settings of a `.git` folder.
pub(super) fn folder(root: &Path, rel: &str, path: &Path, found: &mut ScanResult) {
    in_folder(root, &format!("{rel}/hooks"), &path.join("hooks"), found);
    settings(rel, path, found);
}

/// Files in a folder that are named like hooks.
fn in_folder(root: &Path, rel: &str, hooks: &Path, found: &mut ScanResult) {
    let Ok(real) = hooks.canonicalize() else { return };
    if !real.starts_with(root) {
        let file = File { rel, host: "git", path: hooks, text: "" };
        let item =
            Item::new(Kind::LeadsOut, &file, 1).say("is a link out of the folder").define("link");
        found.add(&file, item);
        return;
    }
    let Ok(entries) = std::fs::read_dir(hooks) else { return };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| HOOKS.contains(&name.as_str()))
        .collect();
    names.sort();
    for hook in names {
        let rel = format!("{rel}/{hook}");
        let path = hooks.join(&hook);
        let text = read::whole(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let file =
            File { rel: &rel, host: "git", path: &path, text: text.as_deref().unwrap_or("") };
        let what = format!("runs at {hook}");
        match &text {
            Ok(_) => code::whole(&file, Kind::GitHook, Severity::Warning, &what, found),
            Err(why) => {
                let item = Item::new(Kind::Unreadable, &file, 1).say(why.as_str());
                found.add(&file, item.unseen());
            }
        }
    }
}

fn settings(rel: &str, path: &Path, found: &mut ScanResult) {
    for name in ["config", "config.worktree"] {
        let path = path.join(name);
        if path.symlink_metadata().is_err() {
            continue;
        }
        let rel = format!("{rel}/{name}");
        let text = read::whole(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let file =
            File { rel: &rel, host: "git", path: &path, text: text.as_deref().unwrap_or("") };
        match &text {
            Ok(_) => config(&file, found),
            Err(why) => {
                let item = Item::new(Kind::Unreadable, &file, 1).say(why.as_str());
                found.add(&file, item.unseen());
            }
        }
    }
}

/// A bare repository in the folder: git run inside it obeys its settings.
pub(super) fn bare_repository(
    root: &Path,
    rel: &str,
    path: &Path,
    entries: &[DirEntry],
    found: &mut ScanResult,
) {
    let has = |name: &str| entries.iter().any(|entry| entry.file_name() == name);
    if rel.is_empty() || !(has("HEAD") && has("objects") && has("refs")) {
        return;
    }
    let file = File { rel, host: "git", path, text: "" };
    let item = Item::new(Kind::GitConfig, &file, 1)
        .name("bare repository")
        .say("is a repository of its own; git that is run in it obeys its settings")
        .grade(Severity::Note)
        .define("bare");
    found.add(&file, item);
    folder(root, rel, path, found);
}

/// Settings whose value is a program or a file that git obeys.
const PROGRAMS: &[(&str, &[&str])] = &[
    (
        "core",
        &[
            "hookspath",
            "sshcommand",
            "editor",
            "pager",
            "gitproxy",
            "askpass",
            "alternaterefscommand",
        ],
    ),
    ("diff", &["external", "command", "textconv"]),
    ("merge", &["driver"]),
    ("sequence", &["editor"]),
    ("gpg", &["program"]),
    ("uploadpack", &["packobjectshook"]),
    ("remote", &["uploadpack", "receivepack", "vcs"]),
    ("browser", &["cmd", "path"]),
    ("man", &["cmd", "path"]),
    ("difftool", &["cmd", "path"]),
    ("mergetool", &["cmd", "path"]),
    ("interactive", &["difffilter"]),
    ("trailer", &["command", "cmd"]),
    ("include", &["path"]),
    ("includeif", &["path"]),
];

/// Whether git runs or obeys a setting's value.
fn runs(section: &str, key: &str, value: &str) -> bool {
    if PROGRAMS.iter().any(|(known, keys)| *known == section && keys.contains(&key)) {
        return true;
    }
    let shell = value.starts_with('!');
    match (section, key) {
        ("core", "fsmonitor") => !matches!(value, "true" | "false" | ""),
        ("alias", _) | ("submodule", "update") => shell,
        ("credential", "helper") => shell || value.contains('/'),
        ("filter", "clean" | "smudge" | "process") => {
            !value.starts_with("git-lfs ") && !value.starts_with("git lfs ")
        }
        ("pager", _) => value.contains(['/', ' ']),
        ("remote" | "submodule", "url" | "pushurl") => {
            value.starts_with("ext::") || value.starts_with('-')
        }
        ("protocol", "allow") => value == "always",
        _ => false,
    }
}

/// A file in the format of git's settings.
pub(super) fn config(file: &File<'_>, found: &mut ScanResult) {
    let (mut section, mut sub) = (String::new(), String::new());
    for (index, line) in file.text.lines().enumerate() {
        let mut line = line.trim();
        if let Some(head) = line.strip_prefix('[') {
            let (inside, rest) = head.split_once(']').unwrap_or((head, ""));
            let (name, below) = inside.split_once([' ', '.', '\t']).unwrap_or((inside, ""));
            section = name.trim().to_ascii_lowercase();
            below.trim().trim_matches('"').clone_into(&mut sub);
            line = rest.trim();
        }
        if line.starts_with(['#', ';']) {
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim().trim_matches('"'));
        if !runs(&section, &key, value) {
            continue;
        }
        let name = if sub.is_empty() {
            format!("{section}.{key}")
        } else {
            format!("{section}.{sub}.{key}")
        };
        let item = Item::new(Kind::GitConfig, file, index + 1)
            .name(&name)
            .say(format!("makes git run or read `{value}`"))
            .define(value);
        if key == "hookspath" {
            hooks_of(file, value, found);
        }
        let command = value.strip_prefix('!').unwrap_or(value);
        let is_command =
            !matches!(key.as_str(), "hookspath" | "path" | "url" | "pushurl" | "allow");
        found.add(file, if is_command { item.command(command, Language::Shell) } else { item });
    }
}

/// The hooks in the folder that `core.hooksPath` names.
fn hooks_of(file: &File<'_>, value: &str, found: &mut ScanResult) {
    // `.git/config` is two levels below the work tree.
    let above =
        |path: &str| path.rsplit_once('/').map_or(String::new(), |(above, _)| above.to_owned());
    let top = above(&above(file.rel));
    let rel = [top.as_str(), value.trim_end_matches('/')].join("/");
    let rel = rel.trim_start_matches('/');
    let Some(folder) = file.path.ancestors().nth(2).map(|top| top.join(value)) else { return };
    // Those are scanned by their names.
    if value.starts_with(".husky") || value.starts_with(".githooks") {
        return;
    }
    if let Some(root) = found.root_of(&folder) {
        in_folder(&root, rel, &folder, found);
    }
}

/// A `.git` file points to the real folder of a worktree or submodule. One that points to other files of the
/// project makes git obey committed settings.
pub(super) fn pointer(file: &File<'_>, found: &mut ScanResult) {
    let Some(target) = file.text.trim().strip_prefix("gitdir:").map(str::trim) else { return };
    let path = file.path.parent().unwrap_or(file.path).join(target);
    let inside = found.inside(&path.join("HEAD")).is_some();
    if inside && !target.split('/').any(|part| part == ".git") {
        let item = Item::new(Kind::GitConfig, file, 1)
            .name("gitdir")
            .say(format!("makes git obey the settings and hooks in `{target}`"))
            .define(target);
        found.add(file, item);
    }
}

pub(super) fn lefthook(file: &File<'_>, found: &mut ScanResult) {
    commands(file, &["run"], "runs at a git hook, once lefthook is installed", found);
}

pub(super) fn pre_commit(file: &File<'_>, found: &mut ScanResult) {
    commands(file, &["entry"], "runs at a git hook, once pre-commit is installed", found);
}

/// Commands under certain keys of a YAML file that git helpers read.
fn commands(file: &File<'_>, keys: &[&str], what: &str, found: &mut ScanResult) {
    for line in yaml::lines(file.text) {
        if !keys.contains(&line.key.as_str()) || line.value.is_empty() {
            continue;
        }
        let item = Item::new(Kind::GitHook, file, line.number)
            .name(&line.key)
            .say(what)
            .command(&line.value, Language::Shell)
            .define(&sha256(line.value.as_bytes()));
        found.add(file, item);
    }
}
