//! `program-strange`

use std::path::Path;

use tenter_hosts::install::Scope;

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::{Exam, install_command};
use crate::doctor::finding::{Finding, Findings};
use crate::doctor::programs::{Answer, State, same, state};
use crate::survey::HookFile;

check! {
    /// The program of our hook has our name, but is something else, or does not work.
    ///
    /// It was asked for its version and did not answer as tenter does: an empty file, a program for another
    /// kind of machine, a script that only says yes. A script that says this version or a later one is not believed, nor is a
    /// file that says it is this very version and is not this program: it may pass on what `tenter prove` sends
    /// and let everything else through. What only the files of a project name is never started,
    /// since whoever wrote them could have us run anything; that it is another program than this one is a note.
    CHECK {
        id: "program-strange",
        summary: "the program of our hook is not tenter",
        severity: Severity::Error,
        fixable: true,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for entry in exam.entries() {
        let Some(path) = entry.target.path() else { continue };
        let file = entry.file;
        let answer = exam.facts.programs.iter().find(|(asked, _)| asked == path);
        let said = match answer {
            Some((_, Answer::Strange(said))) => said,
            Some((_, Answer::Version(_))) => continue,
            None => {
                let unknown = file.scope == Scope::Project && state(path) == State::Runs;
                if unknown && !same(path, &exam.facts.running) {
                    out.push(of_project(file, entry.line, path));
                }
                continue;
            }
        };
        let finding = CHECK
            .found(format!("`{}` is not tenter: {said}", path.display()))
            .in_file(file, entry.line)
            .means("whatever it answers, no policy of yours is asked")
            .reinstall(file);
        out.push(finding);
    }
}

fn of_project(file: &HookFile, line: usize, path: &Path) -> Finding {
    CHECK
        .found(format!("a project names `{}`, which is not this program", path.display()))
        .severity(Severity::Note)
        .in_file(file, line)
        .means("it was not started to see what it is: a project could name anything")
        .fix(install_command(file.host, file.scope))
}

#[cfg(all(test, unix))]
mod tests {
    use super::CHECK;
    use crate::doctor::Severity;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    fn found(script: &str) -> Option<String> {
        let mut scene = Scene::new();
        scene.write("other/tenter*", script);
        scene.wire(HostId::Cursor, Scope::User, "other/tenter");
        scene.ask();
        scene.found(&CHECK).first().map(|found| found.message.clone())
    }

    #[test]
    fn a_program_is_known_by_what_it_says() {
        assert_eq!(found("#!/bin/sh\necho tenter 1.0.0\n"), None);
        let script = found("#!/bin/sh\necho tenter 1.2.3\n").unwrap();
        assert!(script.ends_with("it is a script that says `tenter 1.2.3`"), "{script}");
        let silent = found("#!/bin/sh\ntrue\n").unwrap();
        assert!(silent.ends_with("is not tenter: it says nothing"), "{silent}");
        let other = found("#!/bin/sh\necho '{}'\n").unwrap();
        assert!(other.ends_with("it says `{}`"), "{other}");
        assert!(found("#!/no/such/interpreter\n").unwrap().contains("cannot be started"));
        assert!(found("#!/bin/sh\necho tenter 1.0.0\nexit 3\n").is_some(), "it fails");
    }

    #[test]
    fn a_version_is_believed_of_another_version_or_of_the_same_file() {
        let echo = b"\x7fELF and so on";
        for (version, change, strange) in
            [("1.2.3", "", false), ("1.2.3", "x", true), ("9.9.9", "x", false)]
        {
            let mut scene = Scene::new();
            let path = scene.write("other/tenter*", "");
            std::fs::write(&path, echo).unwrap();
            let running = [&echo[..], change.as_bytes()].concat();
            std::fs::write(&scene.facts.running, running).unwrap();
            let answer = crate::doctor::programs::believed(
                version.to_owned(),
                &path,
                &scene.facts.running,
                "1.2.3",
            );
            scene.facts.programs = vec![(path, answer)];
            scene.wire(HostId::Cursor, Scope::User, "other/tenter");
            assert_eq!(!scene.found(&CHECK).is_empty(), strange, "{version} {change}");
        }
    }

    #[test]
    fn what_a_project_names_is_never_run() {
        for program in ["home/shop/bin/tenter", "elsewhere/tenter"] {
            let mut scene = Scene::new();
            let mark = scene.path("ran");
            let script = format!("#!/bin/sh\ntouch {}\n", mark.display());
            scene.write(&format!("{program}*"), &script);
            scene.wire(HostId::Cursor, Scope::Project, program);
            scene.ask();
            let found = scene.found(&CHECK);
            assert_eq!(found[0].severity, Severity::Note, "{program}");
            assert!(found[0].kills.is_empty() && !mark.exists(), "{program}");
        }
        let scene = Scene::new();
        scene.wire(HostId::Cursor, Scope::Project, "bin/tenter");
        assert!(scene.found(&CHECK).is_empty(), "this very program");
    }
}
