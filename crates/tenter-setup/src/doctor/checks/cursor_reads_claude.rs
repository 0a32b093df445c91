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
    for host in HostId::ALL {
        let also = tenter_hosts::host(host).install().also_reads;
        let own = exam.wired.iter().find(|wired| wired.file.host == host);
        let read = exam.wired.iter().find(|wired| {
            also.contains(&wired.file.host) && user_or_project.contains(&wired.file.scope)
        });
        if let (Some(own), Some(read)) = (own, read) {
            let title = host.title();
            out.push(
                CHECK
                    .found(format!("{title} also runs the hooks of {}", read.file.path.display()))
                    .in_file(own.file, own.found.line)
                    .means(format!(
                        "a call of {title}'s starts us twice; the second copy gets the first one's answer"
                    ))
                    .fix(format!("keep both, or: tenter uninstall --hosts {host}")),
            );
        }
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
