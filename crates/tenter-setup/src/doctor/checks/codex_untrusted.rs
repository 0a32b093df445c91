//! `codex-untrusted`

use tenter_hosts::install::Role;

use crate::codex_trust::{self, Status};
use crate::command;
use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, Wired};
use crate::doctor::finding::Findings;
use crate::survey::HookFile;
use crate::void;

check! {
    /// Codex does not run a hook of ours, because nobody has approved it as it stands now.
    ///
    /// Codex runs a hook only after its user has approved this very command; any change takes the approval
    /// away, and `codex exec` passes over the hook without a word. Codex itself is asked where it is here;
    /// otherwise its configuration tells what was approved once. A hook can also be turned off in Codex, and
    /// those of a project wait for the project to be trusted.
    CHECK {
        id: "codex-untrusted",
        summary: "Codex has not approved a hook of ours, or no longer",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let Some(trust) = &exam.facts.codex else { return };
    let mut groups: Vec<(&Status, Vec<&Wired<'_>>)> = Vec::new();
    for wired in exam.wired.iter().filter(|wired| codex_trust::asks(wired.file.host)) {
        let Some(listed) = trust.of(&wired.file.path, wired.found) else { continue };
        let state = exam.survey.host(wired.file.host);
        let said = |state| void::is_unread(state, wired.file, exam.places);
        // Another check reports why it was not loaded.
        let is_said = listed.status == Status::Unlisted && state.is_some_and(said);
        if listed.status.runs() == Some(true) || is_said {
            continue;
        }
        let same = |(status, them): &(&Status, Vec<&Wired<'_>>)| {
            **status == listed.status && them.iter().all(|it| it.file.path == wired.file.path)
        };
        match groups.iter().position(same).and_then(|at| groups.get_mut(at)) {
            Some((_, them)) => them.push(wired),
            None => groups.push((&listed.status, vec![wired])),
        }
    }
    for (status, them) in groups {
        let Some(first) = them.first() else { continue };
        let file = first.file;
        let events: Vec<&str> = them.iter().map(|wired| wired.found.event.as_str()).collect();
        let finding = CHECK.found(format!("{status}: {}", events.join(", ")));
        let finding = finding.in_file(file, first.found.line).fix(fix(status, file, exam));
        let finding = finding.awaits_approval(status.wants_approval());
        let install = tenter_hosts::host(file.host).install();
        let gate = |event: &&str| install.wire(event).is_some_and(|it| it.role == Role::Gate);
        out.push(match status.runs() {
            None => {
                let why = trust.unverified.as_deref().unwrap_or("this version of it is not known");
                finding
                    .severity(Severity::Note)
                    .means(format!("whether Codex still trusts them is not known: {why}"))
            }
            Some(_) if events.iter().any(gate) => finding
                .means("Codex goes on without them and does not say so")
                .kills(file.host, file.scope),
            Some(_) => finding
                .severity(Severity::Warning)
                .means("nothing of this is recorded; what can be stopped is still judged"),
        });
    }
}

fn fix(status: &Status, file: &HookFile, exam: &Exam<'_>) -> String {
    let scope = file.scope;
    match status {
        Status::Disabled => {
            "by hand: start `codex`, type `/hooks`, go to each of these events and press space"
                .to_owned()
        }
        Status::Unlisted => {
            format!("by hand: {}", codex_trust::unlisted_hint(&file.path, scope, exam.places))
        }
        Status::ProjectUntrusted => {
            "by hand: start `codex` in this project, answer `Trust and continue`, then review the hooks"
                .to_owned()
        }
        _ => command::approve_again(file.host, scope, exam.places),
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::codex_trust::{Listed, Status, Trust};
    use crate::doctor::testing::Scene;
    use crate::doctor::{Finding, Severity};
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    fn found(event: &str, status: Status) -> Vec<Finding> {
        listed(event, status).found(&CHECK)
    }

    fn listed(event: &str, status: Status) -> Scene {
        let mut scene = Scene::wired(HostId::Codex);
        scene.facts.codex = Some(Trust {
            hooks: vec![Listed {
                key: String::new(),
                event: event.to_owned(),
                source: scene.file(HostId::Codex, Scope::User),
                group: 0,
                handler: 0,
                command: String::new(),
                status,
            }],
            ..Trust::default()
        });
        scene
    }

    #[test]
    fn what_codex_does_not_run_is_not_live() {
        for status in [Status::Untrusted, Status::Modified, Status::Disabled, Status::Unlisted] {
            let found = found("PreToolUse", status.clone());
            assert_eq!(found[0].kills, [(HostId::Codex, Scope::User)], "{status}");
        }
        for status in [Status::Trusted, Status::Managed] {
            assert!(found("PreToolUse", status.clone()).is_empty(), "{status}");
        }
    }

    #[test]
    fn what_codex_does_not_list_has_a_remedy_of_its_own() {
        let found = found("PreToolUse", Status::Unlisted);
        assert!(
            found[0].fix.contains("tenter lint ") && !found[0].fix.contains("prove"),
            "{found:?}"
        );
    }

    #[test]
    fn what_is_switched_off_is_not_said_twice() {
        let scene = listed("PreToolUse", Status::Unlisted);
        scene.write("home/.codex/config.toml", "[features]\nhooks = false\n");
        assert!(scene.found(&CHECK).is_empty(), "the switch is why");
        let [guard] = scene.guards().try_into().unwrap();
        assert_eq!(guard.dead, ["switched-off"]);
    }

    #[test]
    fn without_codex_an_approval_is_worth_a_note() {
        let found = found("PreToolUse", Status::Approved);
        assert_eq!(found[0].severity, Severity::Note);
        assert!(found[0].kills.is_empty());
    }

    #[test]
    fn a_record_that_is_missing_stops_no_guard() {
        let found = found("Stop", Status::Untrusted);
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].kills.is_empty());
        assert!(Scene::wired(HostId::Codex).found(&CHECK).is_empty(), "nobody asked Codex");
    }
}
