//! `program-version`

use tenter_hosts::install::numbers;

use crate::command::word;
use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;
use crate::doctor::programs::Answer;

check! {
    /// The hooks run another version of tenter than the one that is asked now.
    ///
    /// `tenter check`, `explain` and `test` may give other answers here than the hooks do. Update both, or
    /// install the hooks for this program with `tenter install`.
    CHECK {
        id: "program-version",
        summary: "the hooks run another version of tenter",
        severity: Severity::Warning,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for entry in exam.entries() {
        let Some(path) = entry.target.path() else { continue };
        let answer = exam.facts.programs.iter().find(|(asked, _)| asked == path);
        let Some((_, Answer::Version(version))) = answer else { continue };
        if *version == exam.facts.version {
            continue;
        }
        let (shown, file) = (word(path), entry.file);
        let (own, running) = (&exam.facts.version, word(&exam.facts.running));
        let finding = CHECK
            .found(format!("`{shown}` is tenter {version}, this one is {own}"))
            .in_file(file, entry.line)
            .fix(format!("cp -f {running} {shown}"));
        out.push(if numbers(version) < numbers(own) {
            finding
                .severity(Severity::Error)
                .means("the hooks run an older guard, without later fixes")
        } else {
            finding.means("the hooks may decide otherwise than what is said here")
        });
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::Answer;
    use crate::doctor::testing::Scene;
    use tenter_hosts::install::Scope;
    use tenter_model::HostId;

    #[test]
    fn the_same_version_elsewhere_is_fine() {
        let mut scene = Scene::new();
        let other = scene.write("other/tenter*", "x");
        scene.wire(HostId::Codex, Scope::User, "other/tenter");
        for (version, count) in [("1.2.3", 0), ("1.2.2", 1)] {
            scene.facts.programs = vec![(other.clone(), Answer::Version(version.to_owned()))];
            assert_eq!(scene.found(&CHECK).len(), count, "{version}");
        }
    }
}
