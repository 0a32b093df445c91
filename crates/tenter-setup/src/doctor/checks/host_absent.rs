//! `host-absent`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// A host is wired, but no program of it is found on this machine.
    ///
    /// It may be installed where nobody looks, or for another user. If it is gone, `tenter uninstall` takes
    /// our entries out.
    CHECK {
        id: "host-absent",
        summary: "a host is wired that is not found on this machine",
        severity: Severity::Note,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for state in exam.survey.hosts.iter().filter(|state| !state.is_here()) {
        let wired = exam.wired.iter().find(|wired| wired.file.host == state.host);
        if let Some(wired) = wired {
            let title = state.host.title();
            out.push(
                CHECK
                    .found(format!("{title} is wired, but was not found"))
                    .in_file(wired.file, wired.found.line)
                    .means("nothing runs these hooks, as far as can be told")
                    .fix(format!("if it is gone: tenter uninstall --hosts {}", state.host)),
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
    fn a_project_can_be_wired_for_a_host_that_is_not_here() {
        let mut scene = Scene::wired(HostId::Claude);
        assert!(scene.found(&CHECK).is_empty());
        scene.absent(HostId::Codex);
        assert!(scene.found(&CHECK).is_empty(), "not wired, not missed");
        scene.wire(HostId::Codex, Scope::Project, "bin/tenter");
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
