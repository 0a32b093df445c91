//! `program-by-name`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::doctor::programs::Target;

check! {
    /// Our hook is found only through `PATH`.
    ///
    /// An agent that was started from a desktop has a shorter `PATH` than your terminal, and a project can
    /// put a folder of its own in front. Hooks of ours name the program from the root on.
    CHECK {
        id: "program-by-name",
        summary: "our hook is found only through PATH",
        severity: Severity::Error,
        fixable: true,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for entry in exam.entries() {
        let Target::OnPath(path) = &entry.target else { continue };
        let file = entry.file;
        let shown = entry.program.display();
        let finding = CHECK
            .found(format!("`{shown}` is looked up on PATH, here it is {}", path.display()))
            .in_file(file, entry.line)
            .means("an agent with another PATH, as on a desktop, starts nothing or something else")
            .reinstall(file);
        out.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn a_bare_name_depends_on_path() {
        assert!(Scene::wired(HostId::Cursor).found(&CHECK).is_empty());
        let scene = Scene::new();
        scene.wire_command(HostId::Cursor, Scope::User, "tenter hook cursor");
        assert_eq!(scene.found(&CHECK).len(), 1);
        assert!(scene.mended().iter().all(|mended| mended.result.is_ok()));
        assert!(scene.found(&CHECK).is_empty());
    }
}
