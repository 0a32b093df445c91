//! `policy-error`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::Findings;

check! {
    /// A policy file has a mistake.
    ///
    /// A file that cannot be used is left out as a whole, and every call is met with what `[fail] policy`
    /// says, which is to ask unless a file that can be read says otherwise. `tenter policy check` names every
    /// mistake.
    CHECK {
        id: "policy-error",
        summary: "a policy file has a mistake",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    for fault in &exam.facts.policy {
        let finding = CHECK.found(&fault.message).at_column(&fault.file, fault.line, fault.column);
        let fix = "by hand: correct it, then: tenter policy check";
        out.push(if fault.void {
            finding.means("nothing in this file is used").fix(fix)
        } else {
            finding.severity(Severity::Warning).means("the value is not used").fix(fix)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use crate::doctor::{PolicyFault, Severity};
    use tenter_model::HostId;

    #[test]
    fn a_void_file_is_an_error_and_a_lost_value_a_warning() {
        let mut scene = Scene::wired(HostId::Claude);
        assert!(scene.found(&CHECK).is_empty());
        let fault = |void| PolicyFault {
            file: "/p.toml".into(),
            line: 3,
            column: 1,
            message: "unknown guard".to_owned(),
            void,
        };
        scene.facts.policy = vec![fault(true), fault(false)];
        let severities: Vec<_> = scene.found(&CHECK).iter().map(|it| it.severity).collect();
        assert_eq!(severities, [Severity::Error, Severity::Warning]);
    }
}
