//! `cursor-reads-claude`

use tenter_hosts::install::Scope;
use tenter_model::HostId;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// Cursor and Claude Code are both wired, and Cursor runs Claude Code's hooks too.
    ///
    /// A call of Cursor's then starts us twice; the second copy gets the first one's answer. To pay once,
    /// keep one of the two (`tenter install --single-wiring`), or switch Cursor's third-party imports off.
    CHECK {
        id: "cursor-reads-claude",
        summary: "Cursor runs its own hooks and Claude Code's",
        severity: Severity::Note,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let user_or_project = [Scope::User, Scope::Project];
    let own = exam.wired.iter().find(|wired| wired.file.host == HostId::Cursor);
    let read = exam.wired.iter().find(|wired| {
        wired.file.host == HostId::Claude && user_or_project.contains(&wired.file.scope)
    });
    if let (Some(own), Some(read)) = (own, read) {
        out.push(
            CHECK
                .found(format!("Cursor also runs the hooks of {}", read.file.path.display()))
                .in_file(own.file, own.found.line)
                .means("a call of Cursor's starts us twice; the second copy gets the first one's answer")
                .fix("keep both, or: tenter uninstall --hosts cursor"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn it_takes_both_and_files_that_cursor_reads() {
        let scene = Scene::wired(HostId::Cursor);
        assert!(scene.found(&CHECK).is_empty());
        scene.wire(HostId::Claude, Scope::Managed, "bin/tenter");
        assert!(scene.found(&CHECK).is_empty(), "Cursor does not read managed settings");
        scene.wire(HostId::Claude, Scope::Project, "bin/tenter");
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
