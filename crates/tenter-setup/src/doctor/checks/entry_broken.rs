//! `entry-broken`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::Findings;
use crate::doctor::lints::{Linted, Whose};

check! {
    /// An entry of ours that cannot do what it is there for.
    ///
    /// A matcher that never matches, `async`, an `if` where there is none, a timeout in milliseconds, a
    /// missing `type`: these are rules of `tenter lint`, applied to our own entries. So is an option that
    /// `tenter hook` does not take: it then judges nothing and answers that it has failed. `tenter install` writes them anew.
    CHECK {
        id: "entry-broken",
        summary: "an entry of ours that never runs or cannot stop anything",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

/// Rules that have a check of their own, or are a matter of choice.
const ELSEWHERE: &[&str] = &[
    "program-missing",
    "script-missing",
    "script-not-executable",
    "interpreter-missing",
    "wrong-directory",
    "relative-command",
    "fires-twice",
    "fail-open-guard",
    "unknown-event",
];

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let mut said: Vec<(&std::path::Path, &str)> = Vec::new();
    for Linted { file, finding, whose } in &exam.lints {
        let ours = matches!(whose, Whose::Ours) && !ELSEWHERE.contains(&finding.rule.id);
        // A mistake in all entries of a file is reported once.
        let known = said.contains(&(&file.path, &finding.message));
        if !ours || known || finding.severity < Severity::Warning {
            continue;
        }
        said.push((&file.path, &finding.message));
        let mut said = CHECK
            .found(&finding.message)
            .severity(finding.severity)
            .of(file.host, file.scope)
            .at_column(&file.path, finding.start.line, finding.start.column)
            .means(&finding.cost)
            .fix(install_command(file.host, file.scope));
        if finding.severity == Severity::Error {
            said = said.kills(file.host, file.scope);
        }
        out.push(said);
    }
    options(exam, out);
}

/// Reports invalid options, with which `tenter hook` judges nothing.
fn options(exam: &Exam<'_>, out: &mut Findings) {
    let mut said: Vec<(&std::path::Path, &[String])> = Vec::new();
    for wired in &exam.wired {
        let (file, options) = (wired.file, &wired.ours.options);
        let refused = exam.facts.refused.iter().find(|(refused, _)| refused == options);
        let Some((_, why)) = refused.filter(|_| !said.contains(&(&file.path, options))) else {
            continue;
        };
        said.push((&file.path, options));
        out.push(
            CHECK
                .found(format!("`tenter hook` does not take `{}`: {why}", options.join(" ")))
                .in_file(file, wired.found.line)
                .means("it judges nothing: every call is told that the guard has failed")
                .fix(install_command(file.host, file.scope))
                .kills(file.host, file.scope),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn a_matcher_that_never_matches_is_ours_to_say() {
        for host in HostId::ALL {
            assert!(Scene::wired(host).found(&CHECK).is_empty(), "{host}");
        }
        let scene = Scene::wired(HostId::Claude);
        let group = "\"SessionStart\": [{";
        let never = "\"SessionStart\": [{\"matcher\": \"new\", ";
        scene.change(HostId::Claude, Scope::User, group, never);
        let found = scene.found(&CHECK);
        assert_eq!(found[0].kills, [(HostId::Claude, Scope::User)], "{found:?}");
    }

    #[test]
    fn a_timeout_in_milliseconds_is_a_warning() {
        let scene = Scene::wired(HostId::Cursor);
        for _ in 0..2 {
            scene.change(HostId::Cursor, Scope::User, "\"timeout\": 30}", "\"timeout\": 30000}");
        }
        let found = scene.found(&CHECK);
        assert_eq!(found.len(), 1, "the same twice: {found:?}");
        assert_eq!(found[0].severity, Severity::Warning);
        assert!(found[0].kills.is_empty());
    }

    #[test]
    fn an_option_that_nobody_takes_is_said_once() {
        let mut scene = Scene::new();
        let command = format!("{} hook claude --fast", scene.path("bin/tenter").display());
        scene.wire_command(HostId::Claude, Scope::User, &command);
        assert!(scene.found(&CHECK).is_empty(), "nobody has refused it");
        let refused = (vec!["--fast".to_owned()], "unknown option `--fast`".to_owned());
        scene.facts.refused.push(refused);
        let found = scene.found(&CHECK);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].kills, [(HostId::Claude, Scope::User)]);
    }

    #[test]
    fn what_cannot_wait_cannot_stop() {
        let scene = Scene::wired(HostId::Codex);
        scene.change(HostId::Codex, Scope::User, "\"timeout\"", "\"async\": true, \"timeout\"");
        assert_eq!(scene.found(&CHECK)[0].kills, [(HostId::Codex, Scope::User)]);
    }
}
