//! `wrong-host`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, Wired, install_command};
use crate::doctor::finding::Findings;

check! {
    /// A hook in the file of one host is wired for another.
    ///
    /// The payload usually says whose it is, but where it does not, it is answered in the wrong words, and
    /// a host goes on after an answer that it does not understand.
    CHECK {
        id: "wrong-host",
        summary: "a hook in the file of one host is wired for another",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    let mut wrong: Vec<Vec<&Wired<'_>>> = Vec::new();
    for wired in exam.wired.iter().filter(|wired| wired.ours.host != wired.file.host) {
        let same = |them: &&mut Vec<&Wired<'_>>| {
            them.iter()
                .all(|it| (&it.file.path, it.ours.host) == (&wired.file.path, wired.ours.host))
        };
        match wrong.iter_mut().find(same) {
            Some(them) => them.push(wired),
            None => wrong.push(vec![wired]),
        }
    }
    for them in wrong {
        let Some(first) = them.first() else { continue };
        let file = first.file;
        let title = file.host.title();
        let events: Vec<&str> = them.iter().map(|it| it.found.event.as_str()).collect();
        let other = first.ours.host.title();
        out.push(
            CHECK
                .found(format!("wired for {other} in a file of {title}: {}", events.join(", ")))
                .in_file(file, first.found.line)
                .means(format!("{title} may get an answer that it does not understand, and go on"))
                .fix(install_command(file.host, file.scope))
                .kills(file.host, file.scope),
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
    fn each_host_has_a_word_of_its_own() {
        let scene = Scene::wired(HostId::Codex);
        assert!(scene.found(&CHECK).is_empty());
        scene.change(HostId::Codex, Scope::User, "hook codex", "hook claude");
        scene.change(HostId::Codex, Scope::User, "hook codex", "hook claude");
        let found = scene.found(&CHECK);
        assert_eq!(found.len(), 1, "what is wrong alike is said once: {found:?}");
        assert_eq!(found[0].kills, [(HostId::Codex, Scope::User)]);
    }
}
