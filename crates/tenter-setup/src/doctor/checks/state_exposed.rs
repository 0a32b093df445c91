//! `state-exposed`

use std::path::{Path, PathBuf};

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Findings, Repair};

check! {
    /// Other users of this machine can look into our state.
    ///
    /// It holds what agents did, backups of settings files with what is secret in them, and what is allowed
    /// or trusted. `--fix` makes it private again.
    CHECK {
        id: "state-exposed",
        summary: "others can read or change our state",
        severity: Severity::Warning,
        fixable: true,
        look,
    }
}

/// Maximum number of paths listed.
const MOST: usize = 20;

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let Some(state) = &exam.places.state else { return };
    let mut open = Vec::new();
    collect(state, 3, &mut open);
    for (path, mode) in open.into_iter().take(MOST) {
        let others_write = mode & 0o022 != 0;
        let is_folder = path.is_dir();
        let wanted = if is_folder { "700" } else { "600" };
        out.push(
            CHECK
                .found(format!("it is open to others (mode {mode:o})"))
                .severity(if others_write { Severity::Error } else { Severity::Warning })
                .at(&path, 0)
                .means(if others_write {
                    "others can change what is remembered, allowed and trusted"
                } else {
                    "others can read what agents did, and backups of your settings"
                })
                .fix(format!("chmod {wanted} {}", crate::command::word(&path)))
                .repair(Repair::MakePrivate(path)),
        );
    }
}

/// Collects paths open to others; the content of a private folder is out of their reach.
fn collect(path: &Path, levels: usize, open: &mut Vec<(PathBuf, u32)>) {
    let Ok(found) = path.symlink_metadata() else { return };
    if found.is_symlink() || open.len() > MOST {
        return;
    }
    let mode = mode_of(&found);
    let others = mode & 0o077;
    if others == 0 {
        return;
    }
    open.push((path.to_owned(), mode));
    if found.is_dir() && levels > 0 {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        let mut inner: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        inner.sort();
        for path in &inner {
            collect(path, levels - 1, open);
        }
    }
}

#[cfg(unix)]
fn mode_of(found: &std::fs::Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777
}

/// There are no mode bits on this system.
#[cfg(not(unix))]
fn mode_of(_found: &std::fs::Metadata) -> u32 {
    0
}

#[cfg(all(test, unix))]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::{Scene, set_mode};
    use tenter_model::HostId;

    #[test]
    fn a_private_folder_hides_what_is_in_it() {
        let scene = Scene::wired(HostId::Claude);
        assert!(scene.found(&CHECK).is_empty(), "there is no state yet");
        scene.write("home/.local/state/tenterhook/sessions/a", "x");
        let state = scene.path("home/.local/state/tenterhook");
        set_mode(&state, 0o700);
        assert!(scene.found(&CHECK).is_empty());
        set_mode(&state, 0o755);
        let found = scene.found(&CHECK);
        assert_eq!(found.len(), 3, "the folder, the one in it and the file: {found:?}");
        assert!(found.iter().all(|found| found.severity == Severity::Warning));
    }

    #[test]
    fn it_can_be_made_private_again() {
        let scene = Scene::wired(HostId::Claude);
        let file = scene.write("home/.local/state/tenterhook/trusted", "x");
        set_mode(&file, 0o666);
        set_mode(&scene.path("home/.local/state/tenterhook"), 0o755);
        assert_eq!(scene.found(&CHECK)[0].severity, Severity::Error, "others can write");
        assert!(scene.mended().iter().all(|mended| mended.result.is_ok()));
        assert!(scene.found(&CHECK).is_empty());
        let mode = std::fs::metadata(file).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o600);
    }
}
