//! `wrong-host`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
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
    for wired in exam.wired.iter().filter(|wired| wired.ours.host != wired.file.host) {
        let file = wired.file;
        let title = file.host.title();
        out.push(
            CHECK
                .found(format!(
                    "`{}` of {title} is wired for {}",
                    wired.found.event, wired.ours.host
                ))
                .in_file(file, wired.found.line)
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
        assert_eq!(scene.found(&CHECK)[0].kills, [(HostId::Codex, Scope::User)]);
    }
}
