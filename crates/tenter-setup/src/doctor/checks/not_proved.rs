//! `not-proved`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// A canary went through the very command line of our hook and was not stopped.
    ///
    /// Looking at files tells much, but not everything: so a call that must be denied, one that must pass and a
    /// failure are sent through every entry of ours, as `tenter prove` does, and what comes back is read as the
    /// host reads it. It is said here where no other check has said why. Commands that only the files of a
    /// project name are not started.
    CHECK {
        id: "not-proved",
        summary: "a canary through our hook was not stopped",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

/// Runs last: it uses the findings of the other checks.
fn look(exam: &Exam<'_>, out: &mut Findings) {
    for unproved in &exam.facts.unproved {
        let guard = (unproved.host, unproved.scope);
        let is_said = out
            .0
            .iter()
            .any(|finding| finding.kills.contains(&guard) && finding.check.id != CHECK.id);
        if is_said {
            continue;
        }
        out.push(
            CHECK
                .found(&unproved.text)
                .of(unproved.host, unproved.scope)
                .at(&unproved.file, 0)
                .means("the guard does not stop what it must")
                .fix(&unproved.fix)
                .kills(unproved.host, unproved.scope),
        );
    }
}
