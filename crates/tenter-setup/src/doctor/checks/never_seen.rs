//! `never-seen`

use tenter_hosts::install::Scope;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, Wired};
use crate::doctor::finding::Findings;
use crate::doctor::sessions::{changed, latest};

check! {
    /// A host is wired and was used since, but no hook of it ever reached us.
    ///
    /// A hook that never runs looks exactly like one that approved. The times of the transcripts that the
    /// host keeps are compared with those of the hook file and with our signs of life; nothing is read.
    /// `tenter prove` finds out why: a folder that is not trusted, hooks that are not approved, a surface of
    /// the host that runs no hooks.
    CHECK {
        id: "never-seen",
        summary: "a host was used since it was wired, but no hook ever fired",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

/// A session that was ending while the file was written proves nothing.
const SLACK: u64 = 300;

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for state in &exam.survey.hosts {
        let wired = exam.wired.iter().filter(|wired| wired.file.host == state.host);
        let wired: Vec<&Wired<'_>> = wired.collect();
        let Some(first) = wired.first() else { continue };
        if exam.last_sign(state.host).is_some() {
            continue;
        }
        let only_project = wired.iter().all(|wired| wired.file.scope == Scope::Project);
        let project = exam.places.project.as_deref().filter(|_| only_project);
        let used = latest(exam, state.host, project);
        let since = wired.iter().filter_map(|wired| changed(&wired.file.path)).max();
        let (Some(used), Some(since)) = (used, since) else { continue };
        if used <= since.saturating_add(SLACK) {
            continue;
        }
        let title = state.host.title();
        let mut finding = CHECK
            .found(format!(
                "{title} was used since it was wired, but no hook of it ever reached us"
            ))
            .in_file(first.file, first.found.line)
            .means(format!("{title} does not run these hooks, as far as can be told"))
            .fix(format!("tenter prove --hosts {}", state.host));
        if tenter_hosts::host(state.host).sessions().certain {
            for wired in &wired {
                finding = finding.kills(state.host, wired.file.scope);
            }
        } else {
            finding = finding.severity(Severity::Warning);
        }
        out.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::{NOW, Scene, touch};
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    const TRANSCRIPTS: &[(HostId, &str)] = &[
        (HostId::Claude, "home/.claude/projects/-w-shop/1.jsonl"),
        (HostId::Codex, "home/.codex/sessions/2026/11/02/rollout-1.jsonl"),
        (HostId::Cursor, "home/.cursor/chats/ab/cd/store.db"),
    ];

    #[test]
    fn a_session_after_the_wiring_should_have_been_seen() {
        for &(host, transcript) in TRANSCRIPTS {
            let mut scene = Scene::wired(host);
            touch(&scene.file(host, Scope::User), NOW - 9000);
            assert!(scene.found(&CHECK).is_empty(), "{host}: never used");
            let transcript = scene.write(transcript, "");
            touch(&transcript, NOW - 9100);
            assert!(scene.found(&CHECK).is_empty(), "{host}: used before only");
            touch(&transcript, NOW - 60);
            let found = scene.found(&CHECK);
            let sure = host != HostId::Cursor;
            assert_eq!(found[0].severity == Severity::Error, sure, "{host}");
            assert_eq!(found[0].kills.contains(&(host, Scope::User)), sure, "{host}");
            scene.sign(host, NOW - 60);
            assert!(scene.found(&CHECK).is_empty(), "{host}: seen");
        }
    }

    #[test]
    fn a_project_is_judged_by_its_own_sessions() {
        let scene = Scene::new();
        scene.wire(HostId::Claude, Scope::Project, "bin/tenter");
        touch(&scene.file(HostId::Claude, Scope::Project), NOW - 9000);
        touch(&scene.write("home/.claude/projects/-elsewhere/1.jsonl", ""), NOW - 60);
        assert!(scene.found(&CHECK).is_empty());
        let own = scene.path("home/shop").display().to_string();
        let own = own.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        touch(&scene.write(&format!("home/.claude/projects/{own}/1.jsonl"), ""), NOW - 60);
        assert_eq!(scene.found(&CHECK).len(), 1);
    }

    #[test]
    fn the_sign_of_cursor_through_claudes_settings_is_not_claudes() {
        let mut scene = Scene::wired(HostId::Claude);
        touch(&scene.file(HostId::Claude, Scope::User), NOW - 9000);
        touch(&scene.write("home/.claude/projects/-w/1.jsonl", ""), NOW - 60);
        scene.sign(HostId::Cursor, NOW - 60);
        scene.facts.signs[0].wired_as = HostId::Claude;
        assert_eq!(scene.found(&CHECK).len(), 1);
    }
}
