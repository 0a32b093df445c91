//! `program-missing`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::doctor::programs::{State, Target, state};

check! {
    /// A hook of ours names a program that is not there: deleted, moved, or never on `PATH`.
    ///
    /// Every host goes on without a hook that it cannot start, unless the entry says that this blocks.
    /// `--fix` points our entries to the program that runs now, in all files but those of a project.
    CHECK {
        id: "program-missing",
        summary: "our hook names a program that is not there",
        severity: Severity::Error,
        fixable: true,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for entry in exam.entries() {
        let shown = entry.program.display();
        let message = match &entry.target {
            Target::Adrift if entry.program.components().count() == 1 => {
                format!("there is no `{shown}` on PATH")
            }
            Target::Adrift => format!("`{shown}` is not a path from the root on"),
            Target::File(path) => match state(path) {
                State::Missing => format!("`{shown}` is not there"),
                State::NoFile => format!("`{shown}` is no file"),
                State::NotExecutable | State::Runs => continue,
            },
            Target::OnPath(_) => continue,
        };
        let file = entry.file;
        let means = format!("{} cannot start the guard and goes on without it", file.host.title());
        let finding = CHECK.found(message).in_file(file, entry.line).means(means).reinstall(file);
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
    fn a_program_that_is_gone_is_said_once_for_each_file() {
        for host in HostId::ALL {
            let scene = Scene::wired(host);
            assert!(scene.found(&CHECK).is_empty(), "{host}");
            scene.wire(host, Scope::User, "gone/tenter");
            let found = scene.found(&CHECK);
            assert_eq!(found.len(), 1, "{host}: {found:?}");
            assert_eq!(found[0].kills, [(host, Scope::User)]);
            assert_eq!(found[0].place.as_ref().unwrap().line, 2);
            assert!(
                found[0].fix.starts_with(&format!("tenter install --hosts {host} --scope user"))
            );
        }
    }

    #[test]
    fn names_are_looked_up_and_relative_paths_are_not() {
        let found = |command: &str| {
            let scene = Scene::new();
            scene.wire_command(HostId::Codex, Scope::User, command);
            scene.found(&CHECK).first().map(|found| found.message.clone())
        };
        assert_eq!(found("tenter hook codex"), None, "it is on PATH");
        let relative = found("./bin/tenter hook codex");
        assert_eq!(relative.as_deref(), Some("`./bin/tenter` is not a path from the root on"));
    }

    #[test]
    fn mending_leads_to_the_program_that_runs() {
        let scene = Scene::new();
        scene.wire(HostId::Cursor, Scope::User, "gone/tenter");
        let mended = scene.mended();
        assert!(mended.iter().all(|mended| mended.result.is_ok()), "{mended:?}");
        assert!(scene.found(&CHECK).is_empty());
        let text = std::fs::read_to_string(scene.file(HostId::Cursor, Scope::User)).unwrap();
        assert!(text.contains(&scene.path("bin/tenter").display().to_string()), "{text}");
        assert!(!text.contains("gone"), "{text}");
    }
}
