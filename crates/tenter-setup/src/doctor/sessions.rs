//! When an agent last worked, by the times of the files it leaves. Nothing is ever read.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tenter_model::HostId;

use super::exam::Exam;

/// Enough to find the latest of a busy year; more would be felt.
const MOST: usize = 20_000;

/// When the user last worked with a host, in seconds since 1970; in one project only, where the host
/// tells projects apart. `None` when it cannot be told.
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
    /// Looks at the files so many levels below a folder, later names first: many hold a date.
    fn below(&mut self, folder: &Path, levels: usize, counts: fn(&str) -> bool) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut found: Vec<(String, PathBuf, bool)> = Vec::new();
        for entry in entries.flatten() {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            // A link could lead anywhere, also back.
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

/// When a file was last changed, in seconds since 1970.
pub(crate) fn changed(path: &Path) -> Option<u64> {
    let time = std::fs::metadata(path).ok()?.modified().ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
}
