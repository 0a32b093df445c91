//! `event-too-new`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::void;

check! {
    /// An event that the host has, but not yet in the version on this machine.
    ///
    /// Cursor and Claude Code before 2.1.101 drop the whole file for one event they do not know. `tenter
    /// install` writes only what the version that it finds knows; an update of the host helps as well.
    CHECK {
        id: "event-too-new",
        summary: "an event that this version of the host does not know yet",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for state in &exam.survey.hosts {
        for file in &state.files {
            for new in void::too_new(state, file) {
                let (what, fix) = new.told(state, file);
                let finding = CHECK.found(what).in_file(file, new.line).fix(fix);
                out.push(if new.voids {
                    finding
                        .means("the whole file may be dropped, with every hook in it")
                        .kills(file.host, file.scope)
                } else {
                    finding.severity(Severity::Warning).means("these hooks never run")
                });
            }
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
    fn only_events_of_later_versions_are_too_new() {
        let found = |host, version| {
            let mut scene = Scene::wired(host);
            scene.version(host, version);
            scene.found(&CHECK)
        };
        let old = found(HostId::Cursor, "2.0.4");
        assert!(old[0].message.contains("`preToolUse`"), "{}", old[0].message);
        assert_eq!(old[0].kills, [(HostId::Cursor, Scope::User)]);
        assert_eq!(old[0].fix, "tenter install --hosts cursor --scope user");
        assert!(found(HostId::Cursor, "3.21.16").is_empty());
        assert!(!found(HostId::Claude, "2.1.90").is_empty());
        assert!(found(HostId::Claude, "2.1.325").is_empty());
        assert!(Scene::wired(HostId::Claude).found(&CHECK).is_empty(), "a version nobody knows");
    }
}
