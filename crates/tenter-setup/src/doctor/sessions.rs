//! Finds when an agent was last used, from modification times of its files. Nothing is read.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tenter_model::HostId;

use super::exam::Exam;

/// Maximum number of files checked: enough for a busy year; more would be slow.
const MOST: usize = 20_000;

/// When the user last used a host, in seconds since 1970; for one project only, where the host keeps files by
/// project. `None` if unknown.
pub(crate) fn latest(exam: &Exam<'_>, host: HostId, project: Option<&Path>) -> Option<u64> {
    let folder = exam.folder_of(host)?;
    let mut walk = Walk { left: MOST, latest: None };
    let sessions = tenter_hosts::host(host).sessions();
    match project {
        None => {
            for trace in sessions.traces {
                walk.below(&folder.join(trace.folder), trace.levels, trace.is);
            }
        }
        Some(project) => {
            let of_project = (sessions.of_project?)(project);
            let is = sessions.traces.first()?.is;
            walk.below(&folder.join(of_project), 1, is);
        }
    }
    walk.latest
}

struct Walk {
    left: usize,
    latest: Option<u64>,
}

impl Walk {
    /// Checks the files `levels` below a folder, later names first: many contain a date.
    fn below(&mut self, folder: &Path, levels: usize, counts: fn(&str) -> bool) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut found: Vec<(String, PathBuf, bool)> = Vec::new();
        for entry in entries.flatten() {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            // Links are not followed: they could lead anywhere, or in circles.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let name = entry.file_name().to_string_lossy().into_owned();
            found.push((name, entry.path(), is_folder));
        }
        found.sort_unstable_by(|one, other| other.cmp(one));
        for (name, path, is_folder) in found {
            if is_folder && levels > 1 {
                self.below(&path, levels - 1, counts);
            } else if !is_folder && counts(&name) {
                self.latest = self.latest.max(changed(&path));
            }
        }
    }
}

/// Modification time of a file, in seconds since 1970.
pub(crate) fn changed(path: &Path) -> Option<u64> {
    let time = std::fs::metadata(path).ok()?.modified().ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
}
