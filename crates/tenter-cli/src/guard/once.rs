//! Stopped calls that the user can allow, and calls allowed once.

use std::path::PathBuf;

use super::folders::{self, Folders};
use crate::error::CommandError;

/// Maximum size of a note.
const MOST: u64 = 1024 * 1024;

/// How long a stopped call can be allowed afterwards.
pub(crate) const WAITS: u64 = 24 * 60 * 60;

/// A call that was stopped.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stopped {
    pub(crate) code: String,
    /// Seconds since 1970.
    pub(crate) at: u64,
    pub(crate) host: String,
    pub(crate) cwd: String,
    /// The call, without secrets.
    pub(crate) call: String,
    /// Effects and rules, without secrets.
    pub(crate) why: String,
}

/// Normalises a typed code: upper case, with or without dash.
pub(crate) fn normal(code: &str) -> Option<String> {
    let letters: String = code
        .chars()
        .filter(|character| *character != '-')
        .map(|character| character.to_ascii_uppercase())
        .collect();
    let plain = letters.len() == 8 && letters.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let (left, right) = letters.split_at_checked(4)?;
    plain.then(|| format!("{left}-{right}"))
}

fn waiting(folders: &Folders, code: &str) -> Option<PathBuf> {
    Some(folders.state.as_ref()?.join("stopped").join(code))
}

fn allowed(folders: &Folders, code: &str) -> Option<PathBuf> {
    Some(folders.state.as_ref()?.join("once").join(code))
}

/// Stores a stopped call.
pub(crate) fn note(folders: &Folders, stopped: &Stopped) -> Result<(), String> {
    let Some(file) = waiting(folders, &stopped.code) else { return Ok(()) };
    let text = serde_json::to_string(stopped).map_err(|error| error.to_string())?;
    folders::replace(&file, text.as_bytes())
        .map_err(|error| format!("cannot note the stopped call ({}): {error}", file.display()))
}

/// The stopped call with this code, if not expired.
pub(crate) fn find(folders: &Folders, code: &str, now: u64) -> Option<Stopped> {
    let text = folders::read_private(&waiting(folders, code)?, MOST).ok()?;
    let stopped: Stopped = serde_json::from_str(&text).ok()?;
    (stopped.code == code && now.saturating_sub(stopped.at) <= WAITS).then_some(stopped)
}

/// All stopped calls, latest first. Expired ones are removed.
pub(crate) fn all(folders: &Folders, now: u64) -> Vec<Stopped> {
    let Some(folder) = folders.state.as_ref().map(|state| state.join("stopped")) else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let code = entry.file_name().to_string_lossy().into_owned();
        match find(folders, &code, now) {
            Some(stopped) => found.push(stopped),
            // Removal is optional; a leftover file does no harm.
            None => drop(std::fs::remove_file(entry.path())),
        }
    }
    found.sort_by(|one, other| (other.at, &one.code).cmp(&(one.at, &other.code)));
    found
}

/// The codes allowed and not used yet, with the end of each.
pub(crate) fn permissions(folders: &Folders, now: u64) -> Vec<(String, u64)> {
    let Some(folder) = folders.state.as_ref().map(|state| state.join("once")) else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<(String, u64)> = entries
        .flatten()
        .filter_map(|entry| {
            let code = normal(&entry.file_name().to_string_lossy())?;
            let text = folders::read_private(&entry.path(), MOST).ok()?;
            let expires = text.trim().parse().ok().filter(|expires| now <= *expires)?;
            Some((code, expires))
        })
        .collect();
    found.sort();
    found
}

/// Takes a permission back; false if there is none.
pub(crate) fn revoke(folders: &Folders, code: &str) -> bool {
    allowed(folders, code).is_some_and(|file| std::fs::remove_file(file).is_ok())
}

/// Allows a stopped call until `expires`.
pub(crate) fn allow(folders: &Folders, code: &str, expires: u64) -> Result<(), CommandError> {
    let Some(file) = allowed(folders, code) else {
        return Err(CommandError::internal("no folder for state: HOME is not set"));
    };
    folders::replace(&file, expires.to_string().as_bytes()).map_err(|error| {
        CommandError::internal(format!("cannot write {}: {error}", file.display()))
    })
}

/// Whether this call is allowed; uses up the permission. Of two concurrent calls only one gets it.
pub(crate) fn take(folders: &Folders, code: &str, now: u64) -> bool {
    let Some(file) = allowed(folders, code) else { return false };
    // A unique name per process: only one rename succeeds.
    let mine = file.with_extension(std::process::id().to_string());
    if std::fs::rename(&file, &mine).is_err() {
        return false;
    }
    let text = folders::read_private(&mine, MOST).unwrap_or_default();
    // A leftover file has a name that is never looked up.
    drop(std::fs::remove_file(&mine));
    text.trim().parse::<u64>().is_ok_and(|expires| now <= expires)
}
