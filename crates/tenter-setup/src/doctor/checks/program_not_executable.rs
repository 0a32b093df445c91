//! `program-not-executable`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Findings, Repair};
use crate::doctor::programs::{State, state};

check! {
    /// The program of our hook is there, but may not be run.
    ///
    /// The host goes on without it, as if it were not there. `--fix` gives it back the right to run.
    CHECK {
        id: "program-not-executable",
        summary: "the program of our hook may not be run",
        severity: Severity::Error,
        fixable: true,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for entry in exam.entries() {
        let Some(path) = entry.target.path() else { continue };
        if state(path) != State::NotExecutable {
            continue;
        }
        let file = entry.file;
        let title = file.host.title();
        out.push(
            CHECK
                .found(format!("`{}` may not be run", path.display()))
                .in_file(file, entry.line)
                .means(format!("{title} cannot start the guard and goes on without it"))
                .fix(format!("chmod +x {}", crate::command::word(path)))
                .kills(file.host, file.scope)
                .repair(Repair::MakeExecutable(path.to_owned())),
        );
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::{Scene, set_mode};
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn the_right_to_run_can_be_lost_and_given_back() {
        let scene = Scene::wired(HostId::Claude);
        assert!(scene.found(&CHECK).is_empty());
        set_mode(&scene.path("bin/tenter"), 0o640);
        assert_eq!(scene.found(&CHECK)[0].kills, [(HostId::Claude, Scope::User)]);
        assert!(scene.mended().iter().all(|mended| mended.result.is_ok()));
        assert!(scene.found(&CHECK).is_empty());
        let mode = std::fs::metadata(scene.path("bin/tenter")).unwrap().permissions();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777, 0o750);
    }
}
