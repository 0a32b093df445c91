//! Scans files that are code or agent instructions as a whole.

use std::path::PathBuf;

use tenter_model::hash::sha256;

use super::item::{File, Item, Passage, ScanResult};
use super::kinds::{Kind, Severity};
use super::{environment, read};

/// Instructions for agents: the guard scans their text and their imports.
pub(super) fn rules(file: &File<'_>, found: &mut ScanResult) {
    let mut waiting = Vec::new();
    one(file, found, &mut waiting);
    while let Some((path, rel)) = waiting.pop() {
        let Ok(bytes) = read::whole(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        one(&File { rel: &rel, host: file.host, path: &path, text: &text }, found, &mut waiting);
    }
}

fn one(file: &File<'_>, found: &mut ScanResult, waiting: &mut Vec<(PathBuf, String)>) {
    // Two catalogue lines may match one file, and another file may have imported it.
    if file.text.is_empty() || !found.texts.insert(file.rel.to_owned()) {
        return;
    }
    if !found.scripts.room.take(file.text.len()) {
        let item = Item::new(Kind::Unreadable, file, 1).say("is one text too many to look at");
        found.add(file, item.unseen());
        return;
    }
    found.passages.push(Passage {
        host: file.host,
        file: file.rel.to_owned(),
        path: file.path.to_owned(),
        text: file.text.into(),
    });
    waiting.extend(imports(file, found));
}

/// Maximum number of imports followed.
const MOST_IMPORTS: usize = 100;

/// Files of the folder imported by a text (`@docs/rules.md`), directly or indirectly.
fn imports(file: &File<'_>, found: &ScanResult) -> Vec<(PathBuf, String)> {
    let Some(folder) = file.path.parent() else { return Vec::new() };
    let behind = file.text.split('@').skip(1);
    let words = behind.filter_map(|rest| {
        let end = |letter: char| letter.is_whitespace() || "`'\"()<>,;".contains(letter);
        let word = rest.split(end).next()?.trim_end_matches(['.', ':', '!', '?']);
        // The last part of a person's or package's name has no dot, that of a text file has one.
        let name = word.rsplit('/').next()?;
        (name.contains('.') && !word.starts_with(['/', '~'])).then_some(word)
    });
    let mut all: Vec<(PathBuf, String)> = Vec::new();
    for word in words {
        let Some((real, rel)) = found.below(&folder.join(word)) else { continue };
        let is_known = found.texts.contains(&rel) || all.iter().any(|(_, known)| *known == rel);
        if !is_known && all.len() < MOST_IMPORTS {
            all.push((real, rel));
        }
    }
    all
}

/// Adds a file that is itself run.
pub(super) fn whole(
    file: &File<'_>,
    kind: Kind,
    severity: Severity,
    what: &str,
    found: &mut ScanResult,
) {
    let scripts = found.scripts.of_file(file.path);
    let mut item = Item::new(kind, file, 1)
        .name(file.name())
        .say(what)
        .grade(severity)
        .define(&sha256(file.text.as_bytes()));
    item.scripts = scripts;
    found.add(file, item);
}

/// Code that an agent loads at its start.
pub(super) fn plugin(file: &File<'_>, found: &mut ScanResult) {
    let loads = ["js", "ts", "mjs", "cjs", "mts", "cts", "jsx", "tsx"];
    let ending = file.name().rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if loads.contains(&ending.as_str()) && !file.name().ends_with(".d.ts") {
        let what = "is loaded into the agent, without a question";
        whole(file, Kind::PluginCode, Severity::Warning, what, found);
    }
}

/// Event names by which Cline finds the files to run.
const CLINE: &[&str] = &[
    "TaskStart",
    "TaskResume",
    "TaskCancel",
    "TaskComplete",
    "TaskError",
    "SessionShutdown",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "Notification",
];

/// A file that is run at the event it is named after.
pub(super) fn event_file(file: &File<'_>, found: &mut ScanResult) {
    let event = file.name().split('.').next().unwrap_or_default();
    if CLINE.iter().any(|known| known.eq_ignore_ascii_case(event)) {
        let what = format!("runs by itself at {event}");
        whole(file, Kind::Hook, Severity::Warning, &what, found);
    }
}

/// A script that an agent runs on its own, before its work or at a commit.
pub(super) fn start_script(file: &File<'_>, found: &mut ScanResult) {
    let what = "is run by the agent, without a question";
    whole(file, Kind::AgentCommand, Severity::Warning, what, found);
}

/// A script that a shell or an editor runs when entering the folder.
pub(super) fn folder_script(file: &File<'_>, found: &mut ScanResult) {
    if file.text.trim().is_empty() {
        return;
    }
    let what = match file.host {
        "direnv" => "runs whenever a shell enters the folder, once direnv is told to allow it",
        _ => "runs whenever the editor is started in the folder, if it reads such files",
    };
    whole(file, Kind::FolderScript, Severity::Warning, what, found);
    if file.host == "direnv" {
        environment::script(file, found);
    }
}
