//! Reads approvals from Codex's configuration, without Codex.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_hosts::install::Scope;

use super::{Listed, Status};
use crate::Places;
use crate::edit::FoundHook;
use crate::survey::{HookFile, HostState};

/// The file in which Codex stores approvals.
pub fn state_file(places: &Places) -> Option<PathBuf> {
    let install = tenter_hosts::host(super::HOST).install();
    places.with_roots(|roots| (install.toml)(roots, Scope::User))
}

/// Codex's key for the approval of a hook.
pub fn key(file: &Path, found: &FoundHook) -> String {
    let mut event = String::new();
    for character in found.event.chars() {
        if character.is_ascii_uppercase() && !event.is_empty() {
            event.push('_');
        }
        event.push(character.to_ascii_lowercase());
    }
    format!("{}:{event}:{}:{}", file.display(), found.group, found.handler)
}

/// Whether Codex's configuration trusts a project.
pub fn project_is_trusted(state: &HostState, project: &Path) -> bool {
    let Some(projects) = settings(state).and_then(|settings| settings.get("projects")) else {
        return false;
    };
    let real = project.canonicalize();
    let names = std::iter::once(project).chain(real.as_deref().ok());
    names
        .filter_map(|name| projects.get(name.to_str()?))
        .any(|project| project.get("trust_level").and_then(Value::as_str) == Some("trusted"))
}

/// All hooks in Codex's files with their approval state from the configuration.
pub fn stored(state: &HostState) -> Vec<Listed> {
    let approvals = settings(state).and_then(|settings| settings.pointer("/hooks/state"));
    let of_file = |file: &HookFile| {
        let hooks = file.hooks().iter().filter(|found| found.event != "state");
        hooks.map(|found| listed(state, file, found, approvals)).collect::<Vec<Listed>>()
    };
    state.files.iter().flat_map(of_file).collect()
}

/// The user's `config.toml`.
fn settings(state: &HostState) -> Option<&Value> {
    let is_toml = |file: &&HookFile| file.path.extension().is_some_and(|ending| ending == "toml");
    Some(&state.in_scope(Scope::User).find(is_toml)?.settings)
}

fn listed(
    state: &HostState,
    file: &HookFile,
    found: &FoundHook,
    approvals: Option<&Value>,
) -> Listed {
    let key = key(&file.path, found);
    let status = match file.scope {
        Scope::Managed => Status::Managed,
        Scope::Project if !in_trusted_project(state, &file.path) => Status::ProjectUntrusted,
        Scope::Project | Scope::User => approval(approvals, &key, file, found),
    };
    Listed {
        key,
        event: found.event.clone(),
        source: file.path.clone(),
        group: found.group,
        handler: found.handler,
        command: found.command().unwrap_or_default().to_owned(),
        status,
    }
}

/// Whether the project of a file is trusted; it is the folder around `.codex`.
fn in_trusted_project(state: &HostState, file: &Path) -> bool {
    let project = file.parent().and_then(Path::parent);
    project.is_some_and(|project| project_is_trusted(state, project))
}

fn approval(approvals: Option<&Value>, key: &str, file: &HookFile, found: &FoundHook) -> Status {
    let Some(approvals) = approvals else { return Status::Untrusted };
    // A folder named by a variable has its real path as key.
    let folder = file.path.parent().and_then(|folder| folder.canonicalize().ok());
    let real = folder.zip(file.path.file_name()).map(|(folder, name)| folder.join(name));
    let other = real.map(|real| self::key(&real, found));
    let entry = approvals.get(key).or_else(|| approvals.get(other?.as_str()));
    let Some(entry) = entry else { return Status::Untrusted };
    if entry.get("enabled").and_then(Value::as_bool) == Some(false) {
        return Status::Disabled;
    }
    match entry.get("trusted_hash").and_then(Value::as_str) {
        Some(hash) if !hash.is_empty() => Status::Approved,
        _ => Status::Untrusted,
    }
}
