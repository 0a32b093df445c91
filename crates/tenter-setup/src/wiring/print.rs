//! Fingerprints the relevant part of a watched file, and describes its changes.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tenter_hosts::install::Off;
use tenter_model::HostId;
use tenter_model::hash;

use super::Kind;
use super::watch::Watched;
use crate::edit::{self, Format, FoundHook, Hook, Style};
use crate::files::{self, Ledger};
use crate::mods::Power;
use crate::{command, settings};

/// A change that we did not make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    pub kind: Kind,
    pub path: PathBuf,
    /// Description as a clause: `has lost the entries of tenter at PreToolUse`.
    pub what: String,
}

/// Number of our hooks in a file, and a fingerprint of everything relevant in it.
pub(super) fn of(kind: Kind, path: &Path) -> (u16, [u8; 8]) {
    let text = match kind {
        Kind::Program => return (0, [0; 8]),
        Kind::Mods => return (0, print(mods(path).join("\n").as_bytes())),
        Kind::Hooks | Kind::Policy => files::read(path).ok().flatten(),
    };
    let Some(text) = text else { return (0, [0; 8]) };
    if kind == Kind::Policy {
        return (0, print(text.as_bytes()));
    }
    let ours = ours(path, &text);
    let mut lines: Vec<String> = ours.iter().map(|hook| format!("{hook:?}")).collect();
    lines.sort_unstable();
    lines.extend(switches(path, &text));
    lines.extend(faults(path, &text));
    (u16::try_from(ours.len()).unwrap_or(u16::MAX), print(lines.join("\n").as_bytes()))
}

fn print(bytes: &[u8]) -> [u8; 8] {
    let hash = hash::sha256(bytes);
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

/// Our hooks in a text, whichever host's file it is.
pub(crate) fn ours(path: &Path, text: &str) -> Vec<Hook> {
    let of_host = |host: HostId| -> Vec<Hook> {
        let found = edit::read(text, &Style::of(host, Format::of(path))).unwrap_or_default();
        found.iter().filter(|found| command::ours(found).is_some()).map(Hook::from).collect()
    };
    HostId::ALL.into_iter().map(of_host).max_by_key(Vec::len).unwrap_or_default()
}

/// Settings in a text that disable hooks of any host.
fn switches(path: &Path, text: &str) -> Vec<String> {
    let Some(settings) = settings::read(text, Format::of(path)) else { return Vec::new() };
    let all = HostId::ALL.into_iter().flat_map(|host| tenter_hosts::host(host).install().switches);
    let mut set: Vec<String> = all
        .filter_map(|switch| {
            let value = switch.key.split('.').try_fold(&settings, |value, key| value.get(key))?;
            let is_off = match switch.off {
                Off::Is(off) => value.as_bool() == Some(off),
                Off::Has(word) => {
                    let listed = value.as_array().is_some_and(|it| it.iter().any(|it| it == word));
                    listed || value.as_bool() == Some(true)
                }
                // The names of our hooks stand in another file, perhaps.
                Off::Names(_) => value.as_array().is_some_and(|it| !it.is_empty()),
            };
            is_off.then(|| format!("{} = {value}", switch.key))
        })
        .collect();
    set.sort_unstable();
    set.dedup();
    set
}

/// Entries that a host may not be able to read and drop the whole file for.
fn faults(path: &Path, text: &str) -> Vec<String> {
    const TYPES: &[&str] = &["agent", "command", "http", "mcp_tool", "prompt"];
    const MOST: usize = 1024;
    let Some(settings) = settings::read(text, Format::of(path)) else { return Vec::new() };
    let events = settings.get("hooks").and_then(Value::as_object);
    let groups = events.into_iter().flat_map(|events| events.values());
    let groups = groups.filter_map(Value::as_array).flatten();
    let handlers = groups.flat_map(|group| match group.get("hooks").and_then(Value::as_array) {
        Some(handlers) => handlers.iter().collect::<Vec<_>>(),
        None => vec![group],
    });
    let fault = |handler: &Value| {
        let kind = handler.get("type").filter(|it| !TYPES.iter().any(|known| *it == known));
        let kind = kind.map(|it| format!("type = {it}"));
        let timeout = || handler.get("timeout").filter(|it| !it.is_number());
        kind.or_else(|| timeout().map(|it| format!("timeout = {it}")))
    };
    let mut faults: Vec<String> = handlers.take(MOST).filter_map(fault).collect();
    faults.sort_unstable();
    faults.dedup();
    faults
}

/// Mods below a folder of skills that can bypass our hook.
fn mods(skills: &Path) -> Vec<String> {
    let found = skills.parent().map(crate::mods::of_user).unwrap_or_default();
    let grave = found.iter().filter(|it| it.power != Power::Other);
    let mut files: Vec<String> = grave.map(|it| it.file.display().to_string()).collect();
    files.sort_unstable();
    files
}

/// Describes the change of a file, if relevant.
pub(super) fn difference(old: &Watched, new: &Watched, ledger: &Ledger) -> Option<Changed> {
    let changed = |what: String| Some(Changed { kind: old.kind, path: old.path.clone(), what });
    if old.look == new.look {
        return None;
    }
    match old.kind {
        Kind::Program | Kind::Policy if !old.is_there() && !new.is_there() => None,
        Kind::Program | Kind::Policy if !new.is_there() => changed("is gone".to_owned()),
        Kind::Program => changed("was replaced".to_owned()),
        Kind::Policy | Kind::Mods if old.print == new.print => None,
        Kind::Policy if !old.is_there() => changed("is new".to_owned()),
        Kind::Policy => changed("was changed".to_owned()),
        Kind::Mods => {
            let found = mods(&old.path);
            let what = "holds a mod that can keep hooks from being called";
            (!found.is_empty()).then(|| format!("{what} ({})", found.join(", "))).and_then(changed)
        }
        Kind::Hooks if old.print == new.print && new.is_link && !old.is_link => {
            changed("was replaced by a link".to_owned())
        }
        Kind::Hooks if old.print == new.print => None,
        Kind::Hooks => hooks(old, new, ledger).and_then(changed),
    }
}

fn hooks(old: &Watched, new: &Watched, ledger: &Ledger) -> Option<String> {
    let link = if new.is_link && !old.is_link { ", and is a link now" } else { "" };
    if !new.is_there() {
        return (old.ours > 0)
            .then(|| format!("is gone, and with it {} entries of tenter", old.ours));
    }
    let text = match files::read(&new.path) {
        Ok(Some(text)) => text,
        _ if old.ours > 0 => return Some(format!("cannot be read any more{link}")),
        _ => return None,
    };
    let off = switches(&new.path, &text);
    let faults = faults(&new.path, &text);
    let now = ours(&new.path, &text);
    let entry = ledger
        .entry(&old.path)
        .or_else(|| ledger.entries().iter().find(|entry| entry.path == old.path));
    // An uninstall in progress reports its own changes.
    if entry.is_some_and(|entry| entry.leaving) {
        return None;
    }
    let wanted = entry.map(|entry| entry.hooks.as_slice()).unwrap_or_default();
    let events = |hooks: &mut dyn Iterator<Item = &Hook>| {
        let mut events: Vec<&str> = hooks.map(|hook| hook.event.as_str()).collect();
        events.dedup();
        events.join(", ")
    };
    let is_event = |hook: &Hook| now.iter().any(|other| other.event == hook.event);
    let lost = events(&mut wanted.iter().filter(|hook| !is_event(hook)));
    let altered = events(&mut wanted.iter().filter(|hook| is_event(hook) && !now.contains(hook)));
    let mut parts = Vec::new();
    if !lost.is_empty() {
        parts.push(format!("has lost the entries of tenter at {lost}"));
    } else if now.len() < usize::from(old.ours) {
        let count = usize::from(old.ours).saturating_sub(now.len());
        parts.push(format!("has lost {count} entries of tenter"));
    }
    if !altered.is_empty() {
        parts.push(format!("has other entries of tenter at {altered}"));
    }
    if !off.is_empty() {
        parts.push(format!("switches hooks off (`{}`)", off.join("`, `")));
    }
    if !faults.is_empty() {
        let faults = faults.join("`, `");
        parts.push(format!("has an entry for which the host may drop the whole file (`{faults}`)"));
    }
    if parts.is_empty() {
        // A disabling setting was removed, or somebody installed more of our hooks.
        return (now.len() == usize::from(old.ours) && !now.is_empty() && wanted.is_empty())
            .then(|| format!("has other entries of tenter{link}"));
    }
    Some(format!("{}{link}", parts.join(", ")))
}

impl Hook {
    /// The same hook as if read from a file.
    pub(crate) fn as_found(&self) -> FoundHook {
        FoundHook {
            event: self.event.clone(),
            group: 0,
            handler: 0,
            matcher: self.matcher.clone(),
            fields: serde_json::Value::Object(self.fields.iter().cloned().collect()),
            line: 0,
        }
    }
}
