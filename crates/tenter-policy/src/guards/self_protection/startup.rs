//! Checks files read before an agent starts, such as shell start-up files, and programs that shadow others.

use tenter_shell::{Effect, Kind, is_agent};

use super::agents::{OFF, is_usual, sets};
use super::{LASTING, SHIM};
use crate::finding::{At, Found};
use crate::scene::{PassageKind, Scene};

/// Names of start-up files of shells and login sessions.
const NAMES: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".envrc",
    ".kshrc",
    ".login",
    ".mkshrc",
    ".pam_environment",
    ".profile",
    ".tcshrc",
    ".tmux.conf",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".xsessionrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "bash.bashrc",
    "config.fish",
    "tmux.conf",
    "zshenv",
    "zshrc",
];

/// Folders whose files are all read at start-up.
const FOLDERS: &[&str] =
    &["environment.d", "profile.d", "fish/conf.d", "bashrc.d", ".bashrc.d", "zshrc.d"];

/// Programs of the system that nobody installs manually. One of that name in a home folder comes first in
/// PATH and runs whenever a person or another program calls it.
const EVERYDAY: &[&str] = &[
    "awk",
    "bash",
    "cat",
    "chmod",
    "chown",
    "cp",
    "crontab",
    "curl",
    "dash",
    "date",
    "df",
    "doas",
    "du",
    "echo",
    "env",
    "false",
    "find",
    "git",
    "gpg",
    "grep",
    "head",
    "hostname",
    "id",
    "install",
    "kill",
    "less",
    "ln",
    "login",
    "ls",
    "man",
    "mkdir",
    "mount",
    "mv",
    "passwd",
    "ping",
    "pkill",
    "ps",
    "pwd",
    "rm",
    "scp",
    "sed",
    "sh",
    "sort",
    "ssh",
    "ssh-add",
    "ssh-agent",
    "stat",
    "su",
    "sudo",
    "systemctl",
    "tail",
    "tar",
    "tee",
    "test",
    "touch",
    "true",
    "uname",
    "unzip",
    "wc",
    "wget",
    "which",
    "whoami",
    "xargs",
    "zsh",
];

pub(super) fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for passage in scene.passages.iter().filter(|it| it.kind == PassageKind::Written) {
        if let Some(path) = passage.path.as_deref().filter(|path| is_startup(path)) {
            lasting(&passage.text, At::subject(path), path, scene, found);
        }
    }
    for effect in scene.effects().iter().filter(|effect| writes(effect)) {
        let Some(path) = effect.target.path().filter(|path| !path.elsewhere) else { continue };
        let shown = path.shown();
        let is_file = effect.command.is_some() && is_startup(&shown);
        if let Some(command) = scene.command.as_deref().filter(|_| is_file) {
            lasting(command, At::effect(effect, &shown), &shown, scene, found);
        }
        shim(scene, At::effect(effect, &shown), &shown, found);
    }
}

fn writes(effect: &Effect) -> bool {
    matches!(effect.kind, Kind::Write | Kind::Append | Kind::Overwrite)
}

/// Whether a shell or a session reads this file when it starts.
pub(in super::super) fn is_startup(path: &str) -> bool {
    let (folder, name) = path.rsplit_once(['/', '\\']).unwrap_or(("", path));
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
        || path == "/etc/environment"
        || FOLDERS.iter().any(|known| folder.ends_with(known))
}

/// Checks a text that changes how agents are started from now on.
fn lasting(text: &str, at: At<'_>, path: &str, scene: &Scene<'_>, found: &mut Found<'_>) {
    let why = replaces(text).or_else(|| changes(text, scene.places.home));
    if let Some(why) = why {
        found.add(&LASTING, at, format!("makes {path} {why}"));
    }
}

/// `alias claude=...`, `claude() {`, `function claude`
fn replaces(text: &str) -> Option<String> {
    let mut words = text
        .split(|c: char| c.is_whitespace() || "'\"();\\".contains(c))
        .filter(|it| !it.is_empty());
    let mut before = "";
    let alias = words.find_map(|word| {
        let name = word.split('=').next().unwrap_or(word);
        let is_new = matches!(before, "alias" | "function") && is_agent(name);
        before = word;
        is_new.then(|| name.to_owned())
    });
    let function = || {
        text.match_indices("()").find_map(|(at, _)| {
            let name = text
                .get(..at)?
                .trim_end()
                .rsplit(|c: char| c.is_whitespace() || "'\";".contains(c))
                .next()?;
            is_agent(name).then(|| name.to_owned())
        })
    };
    alias.or_else(function).map(|name| format!("start another program for {name}"))
}

/// `export HOME=/tmp`, `set -gx CODEX_HOME /tmp`, `CLAUDE_CONFIG_DIR=/tmp`
fn changes(text: &str, home: Option<&str>) -> Option<String> {
    let separates = |c: char| c.is_whitespace() || "'\"`;()|&<>\\".contains(c);
    let words: Vec<&str> = text.split(separates).filter(|it| !it.is_empty()).collect();
    words.iter().enumerate().find_map(|(at, word)| {
        let (name, value) = match word.split_once('=') {
            Some((name, "")) => (name, words.get(at + 1).copied().unwrap_or("")),
            Some(pair) => pair,
            // fish and tmux
            None => {
                let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or("");
                let sets =
                    before.starts_with('-') || matches!(before, "setenv" | "set-environment");
                (*word, words.get(at + 1).copied().filter(|_| sets)?)
            }
        };
        let is_moved = sets(name) && !is_usual(home, name, value);
        let is_off = OFF.iter().any(|(known, _)| *known == name) || name.starts_with("TENTER_");
        (is_moved || is_off).then(|| format!("start agents with another {name}"))
    })
}

/// Whether a program of this name comes with the system, and everything calls it.
pub(in crate::guards) fn is_everyday(name: &str) -> bool {
    EVERYDAY.contains(&name)
}

/// Checks `~/.local/bin/claude`: a program there is started instead of the agent.
pub(super) fn shim(scene: &Scene<'_>, at: At<'_>, path: &str, found: &mut Found<'_>) {
    let Some((folder, name)) = path.rsplit_once('/') else { return };
    let is_bin =
        folder.ends_with("/bin") || folder.ends_with("/shims") || folder.ends_with("/sbin");
    let of_project = scene.places.roots.iter().any(|root| folder.starts_with(*root));
    let of_home =
        scene.places.home.is_some_and(|home| folder.starts_with(home.trim_end_matches('/')));
    let by_hand = matches!(folder, "/usr/local/bin" | "/usr/local/sbin");
    let hides = (of_home || by_hand) && is_everyday(name);
    if is_bin && !of_project && (hides || is_agent(name)) {
        let what = format!("replaces {name} with another program: {path}");
        found.add(&SHIM, at, what);
    }
}
