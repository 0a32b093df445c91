//! `install-interrupted`

use std::path::{Path, PathBuf};

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Findings, Repair};
use crate::files;

check! {
    /// An installation of ours was interrupted.
    ///
    /// Every hook file is whole, as it was before or as it should be after. A file that was left beside it goes
    /// to our backups with `--fix`, once the process that made it has ended; running the command again does
    /// the rest. So does a damaged list of what we have installed: nothing is lost with it, but `tenter
    /// uninstall` then takes entries out instead of bringing the old file back.
    CHECK {
        id: "install-interrupted",
        summary: "an installation was interrupted, or its list is damaged",
        severity: Severity::Warning,
        fixable: true,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    look_at_ledger(exam, out);
    let mut looked: Vec<PathBuf> = Vec::new();
    for file in exam.survey.files() {
        // A dotfile may be a link; temporary files are beside its target.
        let real = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        for folder in [file.path.parent(), real.parent()].into_iter().flatten() {
            if looked.iter().any(|known| known == folder) {
                continue;
            }
            looked.push(folder.to_owned());
            for (leftover, process) in leftovers(folder) {
                if is_running(process) {
                    continue;
                }
                out.push(
                    CHECK
                        .found("an interrupted installation has left this file")
                        .of(file.host, file.scope)
                        .at(&leftover, 0)
                        .means("nothing reads it; the hook file beside it is whole")
                        .fix("tenter doctor --fix")
                        .repair(Repair::PutAside(leftover)),
                );
            }
        }
    }
}

fn look_at_ledger(exam: &Exam<'_>, out: &mut Findings) {
    let Ok(ledger) = files::ledger(exam.places) else { return };
    if let Some(note) = &ledger.note {
        out.push(
            CHECK
                .found(note)
                .means("uninstalling takes our entries out instead of bringing the old files back")
                .fix("tenter install"),
        );
    }
    for entry in ledger.entries().iter().filter(|entry| entry.leaving || entry.pending.is_some()) {
        let (what, again) = if entry.leaving {
            ("an uninstallation", "tenter uninstall")
        } else {
            ("an installation", "tenter install")
        };
        out.push(
            CHECK
                .found(format!("{what} was interrupted before it was done"))
                .at(&entry.path, 0)
                .means("the file is whole, as it was before or as it should be after")
                .fix(format!("run it again: {again}")),
        );
    }
}

/// Our temporary files, and the processes that created them.
fn leftovers(folder: &Path) -> Vec<(PathBuf, u32)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let of_ours = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        let process = name.strip_suffix(".tmp")?.rsplit_once(".tenter-")?.1;
        let process = process.split('-').next()?.parse().ok()?;
        name.starts_with('.').then_some((path, process))
    };
    let mut found: Vec<(PathBuf, u32)> =
        entries.flatten().filter_map(|entry| of_ours(entry.path())).collect();
    found.sort();
    found
}

#[cfg(unix)]
fn is_running(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    // A process of another user cannot be signalled but exists.
    process.is_some_and(|process| {
        rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
    })
}

/// Unknown on this system; the file is left alone.
#[cfg(not(unix))]
fn is_running(_process: u32) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    #[test]
    fn what_is_still_being_written_is_left_alone() {
        let scene = Scene::wired(HostId::Cursor);
        let own = std::process::id();
        let running = scene.write(&format!("home/.cursor/.hooks.json.tenter-{own}.tmp"), "");
        scene.write("home/.cursor/.hooks.json.tmp", "somebody else's");
        assert!(scene.found(&CHECK).is_empty());
        // No process has this id: it is beyond the system's range.
        let left = scene.write("home/.cursor/.hooks.json.tenter-2147483000.tmp", "");
        assert_eq!(scene.found(&CHECK).len(), 1);
        assert!(scene.mended().iter().all(|mended| mended.result.is_ok()));
        assert!(!left.exists() && running.exists());
        let kept = scene.path("home/.local/state/tenterhook/backups");
        assert_eq!(std::fs::read_dir(kept).unwrap().count(), 1, "it may be somebody's");
    }

    #[test]
    fn a_damaged_list_is_said() {
        let scene = Scene::wired(HostId::Cursor);
        scene.write("home/.local/state/tenterhook/installed.json", "{");
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
