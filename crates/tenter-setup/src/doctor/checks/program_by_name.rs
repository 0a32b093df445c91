//! `program-by-name`

use tenter_hosts::install::Scope;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::doctor::programs::Target;

check! {
    /// Our hook is found only through `PATH`.
    ///
    /// An agent that was started from a desktop has a shorter `PATH` than your terminal, and a project can
    /// put a folder of its own in front. Hooks of ours name the program from the root on; only a project's
    /// file, which others share, names `tenter` alone.
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
            .means("an agent with another PATH, as on a desktop, starts nothing or something else");
        out.push(if file.scope == Scope::Project {
            let fix =
                "by hand: link tenter into /usr/local/bin, or also: tenter install --scope user";
            finding.severity(Severity::Note).fix(fix)
        } else {
            finding.reinstall(file)
        });
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
        let scene = Scene::new();
        scene.wire_command(HostId::Cursor, Scope::Project, "tenter hook cursor");
        let [found] = scene.found(&CHECK).try_into().unwrap();
        assert!(found.kills.is_empty() && found.repair.is_none(), "others share it: {found:?}");
    }
}
