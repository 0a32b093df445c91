//! `managed-unread`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// An administrator can reach the host past the files that we read.
    ///
    /// Claude Code and Codex take settings from the managed preferences of macOS, Claude Code also from the
    /// registry of Windows. Those are not read here: `disableAllHooks` and its kin in them silence our hooks
    /// and are not seen. `tenter prove` drives the client itself, and that notices. It is a warning where
    /// such preferences are known to be there.
    CHECK {
        id: "managed-unread",
        summary: "an administrator's settings that are in no file we read",
        severity: Severity::Note,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for state in &exam.survey.hosts {
        let Some(unread) = &state.unread else { continue };
        let wired = exam.wired.iter().find(|wired| wired.file.host == state.host);
        let Some(wired) = wired else { continue };
        let title = state.host.title();
        let mut finding = CHECK
            .found(format!("{title} also takes settings from {}", unread.what))
            .of(state.host, wired.file.scope)
            .means("they are not read here; one of them may silence our hooks")
            .fix(format!("look at them: {}; tenter prove --hosts {}", unread.shown_by, state.host));
        if let Some(mark) = unread.mark.as_ref().filter(|mark| mark.exists()) {
            finding = finding.severity(Severity::Warning).at(mark, 0);
        }
        out.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::{Scope, System};
    use tenter_model::HostId;

    #[test]
    fn it_is_said_where_there_may_be_such_settings() {
        let mut scene = Scene::wired(HostId::Claude);
        scene.wire(HostId::Cursor, Scope::User, "bin/tenter");
        assert!(scene.found(&CHECK).is_empty(), "not on Linux");
        for (system, shown_by) in [
            (System::Mac, "defaults read com.anthropic.claudecode"),
            (System::Windows, "reg query HKLM\\SOFTWARE\\Policies\\ClaudeCode"),
        ] {
            scene.places.system = system;
            let found = scene.found(&CHECK);
            assert_eq!(found.len(), 1, "{system:?}: {found:?}");
            assert!(found[0].fix.contains(shown_by), "{}", found[0].fix);
            assert_eq!(found[0].severity, Severity::Note);
        }
    }

    #[test]
    fn preferences_that_are_there_are_a_warning() {
        let mut scene = Scene::wired(HostId::Codex);
        scene.places.system = System::Mac;
        let file = "root/Library/Managed Preferences/com.openai.codex.plist";
        let file = scene.write(file, "bplist00");
        let found = scene.found(&CHECK);
        assert_eq!(found[0].severity, Severity::Warning);
        assert_eq!(found[0].place.as_ref().unwrap().file, file);
    }
}
