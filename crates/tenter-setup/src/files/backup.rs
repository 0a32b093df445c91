//! Backups of old texts, readable by their owner only: settings contain secrets.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use tenter_model::hash;

use super::disk;
use super::steps::Steps;
use super::trouble::Trouble;

/// Number of backups kept per file, besides the one that an uninstall restores.
const KEPT: usize = 20;
const FOLDER: &str = "backups";

pub(super) fn folder(state: &Path) -> PathBuf {
    state.join(FOLDER)
}

/// Saves a text of a file; returns the backup's path.
pub(super) fn save(
    state: &Path,
    path: &Path,
    bytes: &[u8],
    now: u64,
    steps: Steps<'_>,
) -> Result<PathBuf, Trouble> {
    let folder = folder(state);
    let kept = disk::make_private(&folder, steps)
        .and_then(|()| write(&folder, &flattened(path), bytes, now, steps));
    kept.map_err(|error| {
        let mut trouble = Trouble::io(&folder, &error);
        trouble.reason = format!("a backup cannot be written, so nothing is: {}", trouble.reason);
        trouble
    })
}

fn write(
    folder: &Path,
    name: &str,
    bytes: &[u8],
    now: u64,
    steps: Steps<'_>,
) -> io::Result<PathBuf> {
    let stamp = disk::stamp(now);
    // Backups of the same second are numbered. Some may have been removed, so continue after the last.
    let same = found(folder, name).into_iter().filter(|found| found.0 == stamp);
    let number = same.map(|(_, number, _)| number.saturating_add(1)).max();
    let number = number.map_or_else(String::new, |number| format!(".{number}"));
    let path = folder.join(format!("{stamp}{number}-{name}"));
    let written = disk::replace_private(&path, bytes, steps);
    if written.is_err() {
        // A partial backup is useless.
        drop(fs::remove_file(&path));
    }
    written.map(|()| path)
}

/// A path as a single file name: without the root, and with `%` as separator.
fn flattened(path: &Path) -> String {
    let parts: Vec<String> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy().replace('%', "_")),
            _ => None,
        })
        .collect();
    let name = parts.join("%");
    let is_exact = path.to_str().is_some_and(|text| !text.contains('%'));
    if is_exact && name.len() <= 150 {
        return name;
    }
    // Two paths must never share a name.
    let mut hash = hash::sha256(path.as_os_str().as_encoded_bytes());
    hash.truncate(12);
    let length = name.chars().count();
    let tail: String = name.chars().skip(length.saturating_sub(40)).collect();
    format!("{hash}~{tail}")
}

/// The backups of a file, oldest first.
pub fn list(state: &Path, path: &Path) -> Vec<PathBuf> {
    let mut found = found(&folder(state), &flattened(path));
    found.sort();
    found.into_iter().map(|(_, _, path)| path).collect()
}

/// Time, number within the second and path of all backups of this name.
fn found(folder: &Path, wanted: &str) -> Vec<(String, u32, PathBuf)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some((when, rest)) = name.to_str().and_then(|name| name.split_once('-')) else {
            continue;
        };
        if rest != wanted || name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let (stamp, number) = when.split_once('.').unwrap_or((when, "0"));
        found.push((stamp.to_owned(), number.parse::<u32>().unwrap_or(0), entry.path()));
    }
    found
}

/// Removes the oldest backups of a file, except needed ones.
pub(super) fn prune(state: &Path, path: &Path, needed: &[&str], steps: Steps<'_>) {
    let all = list(state, path);
    let spare = all.len().saturating_sub(KEPT);
    for old in all.iter().take(spare) {
        let name = old.file_name().and_then(|name| name.to_str());
        if !name.is_some_and(|name| needed.contains(&name)) {
            // A surplus one does no harm.
            drop(disk::remove(old, steps));
        }
    }
}

/// The text of a backup, if its hash still matches.
pub(super) fn text(state: &Path, name: &str, sha256: &str) -> Option<String> {
    // A ledger with a path here was not written by us.
    let is_name = Path::new(name).components().eq([Component::Normal(name.as_ref())]);
    let bytes = is_name.then(|| disk::read(&folder(state).join(name)).ok()).flatten()?;
    (hash::sha256(&bytes) == sha256).then(|| String::from_utf8(bytes).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_paths_share_a_name() {
        let long = format!("/home/{}/a/settings.json", "x".repeat(300));
        let other = format!("/home/{}/b/settings.json", "x".repeat(300));
        let paths = ["/a/b", "/a%b", "/a_b", "/a%/b", "/a/%b", &long, &other];
        let mut names: Vec<String> = paths.iter().map(|path| flattened(Path::new(path))).collect();
        assert_eq!(names[0], "a%b");
        assert!(names.iter().all(|name| name.len() < 200));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), paths.len());
    }

    #[test]
    fn the_last_twenty_stay_and_the_one_that_is_needed() {
        let state = tempfile::tempdir().unwrap();
        let path = Path::new("/home/kim/.cursor/hooks.json");
        let mut kept = Vec::new();
        for number in 0..30_u8 {
            // Thirteen backups in the same second.
            let now = if number < 13 { 5 } else { u64::from(number) };
            kept.push(save(state.path(), path, &[number], now, Steps::NONE).unwrap());
        }
        assert_eq!(list(state.path(), path), kept);
        let needed = kept[2].file_name().unwrap().to_str().unwrap();
        prune(state.path(), path, &[needed], Steps::NONE);
        let mut wanted = vec![kept[2].clone()];
        wanted.extend_from_slice(&kept[10..]);
        assert_eq!(list(state.path(), path), wanted);
        // The next one is numbered last, though there is a gap before it.
        let next = save(state.path(), path, b"next", 29, Steps::NONE).unwrap();
        assert_eq!(list(state.path(), path).last(), Some(&next));
        assert_eq!(list(state.path(), Path::new("/home/kim/.cursor/hooks")), [] as [PathBuf; 0]);
    }

    #[test]
    fn a_backup_is_only_taken_from_our_folder_and_only_unchanged() {
        let state = tempfile::tempdir().unwrap();
        let kept = save(state.path(), Path::new("/x"), b"{}", 1, Steps::NONE).unwrap();
        fs::write(state.path().join("outside"), "{}").unwrap();
        let hash = hash::sha256(b"{}");
        let name = kept.file_name().unwrap().to_str().unwrap();
        assert_eq!(text(state.path(), name, &hash).as_deref(), Some("{}"));
        assert_eq!(text(state.path(), "../outside", &hash), None);
        assert_eq!(text(state.path(), kept.to_str().unwrap(), &hash), None);
        assert_eq!(text(state.path(), name, &hash::sha256(b"{ }")), None);
        assert_eq!(text(state.path(), "gone", &hash), None);
    }
}
