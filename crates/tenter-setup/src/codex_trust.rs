//! Approval of hooks in Codex.
//!
//! Codex runs a hook only if the user has approved its current text; `codex exec` silently skips all others.
//! Only Codex knows the hash it compares, so it is asked: `codex app-server` lists hooks and stores
//! approvals, as its own hook browser does. Without it, the configuration tells what was approved once, but
//! not whether that is still valid.

mod answer;
mod forget;
mod hint;
mod rpc;
mod scratch;
mod stored;

use std::path::{Path, PathBuf};

use serde_json::json;
use tenter_hosts::install::Scope;
use tenter_model::HostId;

pub use answer::{Heard, Status};
pub use forget::forget;
pub use hint::{approve_hint, unlisted_hint};
pub use stored::{key, project_is_trusted, state_file, stored};

use crate::Places;
use crate::command;
use crate::edit::FoundHook;
use crate::survey::HostState;
use answer::Raw;
use rpc::Client;

/// The host with approvals.
const HOST: HostId = HostId::Codex;

/// Whether hooks of a host run only after approval.
pub fn asks(host: HostId) -> bool {
    tenter_hosts::host(host).install().approved_by.is_some()
}

/// A hook as Codex lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Codex's key of the approval.
    pub key: String,
    /// Event name as in files: `PreToolUse`.
    pub event: String,
    /// The hook's file.
    pub source: PathBuf,
    pub group: usize,
    pub handler: usize,
    /// Empty for hooks without command.
    pub command: String,
    pub status: Status,
}

impl Listed {
    /// Whether it is this hook of this file.
    pub fn is_at(&self, file: &Path, found: &FoundHook) -> bool {
        let place = (self.group, self.handler) == (found.group, found.handler);
        place && self.event == found.event && same_file(&self.source, file)
    }

    /// Whether it runs exactly our hook for Codex.
    pub fn is_ours(&self, places: &Places) -> bool {
        let found = FoundHook {
            event: self.event.clone(),
            group: self.group,
            handler: self.handler,
            matcher: None,
            fields: json!({ "type": "command", "command": self.command }),
            line: 0,
        };
        command::ours(&found).is_some_and(|ours| {
            let line = command::line(&ours.program, ours.host, &ours.options, places.system);
            asks(ours.host) && line == self.command
        })
    }
}

/// Approval state of all Codex hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    pub hooks: Vec<Listed>,
    /// Codex's warnings about its files.
    pub warnings: Vec<String>,
    /// Why the state was read from files instead of from Codex.
    pub unverified: Option<String>,
}

impl Trust {
    /// State of one hook of a file.
    pub fn of(&self, file: &Path, found: &FoundHook) -> Option<&Listed> {
        self.hooks.iter().find(|listed| listed.is_at(file, found))
    }
}

/// All hooks that Codex would load in `cwd`.
pub fn list(program: &Path, places: &Places, cwd: &Path) -> Result<Vec<Listed>, String> {
    hear(program, places, cwd).map(|heard| heard.hooks)
}

/// The same, with Codex's warnings about its files.
pub fn hear(program: &Path, places: &Places, cwd: &Path) -> Result<Heard, String> {
    Ok(Heard::of(ask(&Client::new(program, places)?, cwd)?))
}

/// Approval state of the hooks in Codex's files: from Codex if it is installed, else from its configuration.
/// Starts nothing if there are no hooks.
pub fn look(state: &HostState, places: &Places, cwd: &Path) -> Trust {
    let stored = stored(state);
    if stored.is_empty() {
        return Trust::default();
    }
    let Some(program) = &state.here.program else {
        let why = "codex was not found".to_owned();
        return Trust { hooks: stored, unverified: Some(why), ..Trust::default() };
    };
    match hear(program, places, cwd) {
        Ok(heard) => {
            Trust { hooks: joined(stored, heard.hooks), warnings: heard.warnings, unverified: None }
        }
        Err(why) => Trust { hooks: stored, unverified: Some(why), ..Trust::default() },
    }
}

/// Approves our hooks, as the user would in Codex. Only on explicit request.
///
/// `command` is the command we wrote. If the command of any key differs in a byte, or is not ours, nothing is
/// approved. The approved hash is the one that Codex reported together with that command, so a file that
/// changes meanwhile is not trusted.
pub fn grant(
    program: &Path,
    places: &Places,
    cwd: &Path,
    command: &str,
    keys: &[String],
) -> Result<Vec<Listed>, String> {
    let client = Client::new(program, places)?;
    let hooks = ask(&client, cwd)?.hooks;
    let mut approved = serde_json::Map::new();
    for key in keys {
        let hook = hooks.iter().find(|hook| hook.listed.key == *key);
        let hook = hook.ok_or_else(|| format!("codex has no hook `{key}`"))?;
        if let Some(hash) = hook.to_be_approved(command, places)? {
            approved.insert(key.clone(), json!({ "trusted_hash": hash }));
        }
    }
    if !approved.is_empty() {
        let edit =
            json!({ "keyPath": "hooks.state", "mergeStrategy": "upsert", "value": approved });
        let config = places
            .with_roots(|roots| (tenter_hosts::host(HOST).install().toml)(roots, Scope::User));
        let mode = config.as_deref().and_then(|path| std::fs::metadata(path).ok());
        let written = client.call("config/batchWrite", &json!({ "edits": [edit] }));
        // Codex makes the file private; restore the permissions chosen by its owner.
        if let (Some(path), Some(mode)) = (&config, mode) {
            drop(std::fs::set_permissions(path, mode.permissions()));
        }
        written?;
    }
    let mut granted: Vec<Listed> = Heard::of(ask(&client, cwd)?).hooks;
    granted.retain(|listed| keys.contains(&listed.key));
    let trusted = |listed: &Listed| {
        matches!(listed.status, Status::Trusted | Status::Managed) && listed.command == command
    };
    let there = |key: &String| granted.iter().any(|listed| listed.key == *key);
    if !keys.iter().all(there) || !granted.iter().all(trusted) {
        return Err("codex took the approval and still does not trust the hooks".to_owned());
    }
    Ok(granted)
}

fn ask(client: &Client<'_>, cwd: &Path) -> Result<answer::Answer, String> {
    let folder = cwd.to_str().filter(|_| cwd.is_absolute());
    let folder =
        folder.ok_or_else(|| format!("codex cannot be asked about `{}`", cwd.display()))?;
    answer::read(&client.call("hooks/list", &json!({ "cwds": [folder] }))?)
}

impl Raw {
    /// The hash to approve; `None` if already approved.
    fn to_be_approved(&self, command: &str, places: &Places) -> Result<Option<&str>, String> {
        let Listed { key, status, .. } = &self.listed;
        if self.listed.command != command || !self.listed.is_ours(places) {
            return Err(format!("the command of `{key}` is not the one that we wrote"));
        }
        if self.in_background {
            return Err(format!("`{key}` runs in the background, where it cannot stop anything"));
        }
        match status {
            Status::Managed | Status::Trusted => Ok(None),
            Status::Untrusted | Status::Modified if !self.hash.is_empty() => Ok(Some(&self.hash)),
            other => Err(format!("`{key}` cannot be approved: it is {other}")),
        }
    }
}

/// Hooks of files merged with Codex's list; then hooks that Codex has from elsewhere.
fn joined(stored: Vec<Listed>, mut listed: Vec<Listed>) -> Vec<Listed> {
    let mut hooks = Vec::new();
    for mut hook in stored {
        let is_it = |it: &Listed| {
            let place = (it.group, it.handler) == (hook.group, hook.handler);
            place && it.event == hook.event && same_file(&it.source, &hook.source)
        };
        match listed.iter().position(is_it) {
            // Behind a link, Codex may know the file by another path.
            Some(index) => (hook.key, hook.status) = said(listed.remove(index)),
            None if hook.status == Status::ProjectUntrusted => {}
            None => hook.status = Status::Unlisted,
        }
        hooks.push(hook);
    }
    hooks.extend(listed);
    hooks
}

fn said(listed: Listed) -> (String, Status) {
    (listed.key, listed.status)
}

/// Whether two paths lead to the same file.
fn same_file(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
