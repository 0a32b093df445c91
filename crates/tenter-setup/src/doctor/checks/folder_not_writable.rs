//! `folder-not-writable`

use std::path::Path;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// We cannot write to our own folders.
    ///
    /// Without the state folder nothing is remembered: no signs of life, no session, nothing to allow once,
    /// no record. Without the cache the policy is compiled at every call.
    CHECK {
        id: "folder-not-writable",
        summary: "our state or cache cannot be written",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let Some(state) = &exam.places.state else {
        let finding = CHECK.found("there is no folder for our state: HOME is not set");
        out.push(finding.means("nothing is remembered or recorded").fix("by hand: set HOME"));
        return;
    };
    let sub = ["", "seen", "sessions", "stopped", "once", "audit"];
    let bad = sub.iter().map(|name| state.join(name)).find(|folder| !can_write(folder));
    if let Some(folder) = bad {
        out.push(
            CHECK
                .found("our state cannot be written")
                .at(&folder, 0)
                .means("no session is remembered, no call recorded, and no sign of life left")
                .fix(format!(
                    "by hand: make it a folder that you can write to: {}",
                    folder.display()
                )),
        );
    }
    let cache = exam.facts.cache.as_deref();
    if let Some(cache) = cache.filter(|cache| !can_write(cache)) {
        out.push(
            CHECK
                .found("our cache cannot be written")
                .severity(Severity::Warning)
                .at(cache, 0)
                .means("the policy is compiled at every call, which takes time")
                .fix(format!(
                    "by hand: make it a folder that you can write to: {}",
                    cache.display()
                )),
        );
    }
}

/// Whether files can be created in a folder, or the folder itself can.
fn can_write(folder: &Path) -> bool {
    let nearest = folder.ancestors().find(|ancestor| ancestor.symlink_metadata().is_ok());
    let Some(nearest) = nearest.filter(|nearest| nearest.is_dir()) else { return false };
    may_write(nearest)
}

#[cfg(unix)]
fn may_write(folder: &Path) -> bool {
    use rustix::fs::{Access, access};
    access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn may_write(folder: &Path) -> bool {
    std::fs::metadata(folder).is_ok_and(|found| !found.permissions().readonly())
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    #[test]
    fn a_folder_that_can_still_be_made_is_fine() {
        assert!(Scene::wired(HostId::Cursor).found(&CHECK).is_empty());
    }

    #[test]
    fn a_file_in_the_way_is_not() {
        let scene = Scene::wired(HostId::Cursor);
        scene.write("home/.local/state/tenterhook/seen", "no folder");
        scene.write("home/.cache", "no folder");
        let found = scene.found(&CHECK);
        let severities: Vec<_> = found.iter().map(|found| found.severity).collect();
        assert_eq!(severities, [Severity::Error, Severity::Warning]);
        assert!(found[0].fix.ends_with("tenterhook/seen"), "{found:?}");
    }

    #[test]
    fn neither_is_no_home() {
        let mut scene = Scene::wired(HostId::Cursor);
        scene.places.state = None;
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
