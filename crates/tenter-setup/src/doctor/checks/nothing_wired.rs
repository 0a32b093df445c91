//! `nothing-wired`

use crate::doctor::Severity;
use crate::doctor::check::check;
use crate::doctor::exam::Exam;
use crate::doctor::finding::{Finding, Findings};

check! {
    /// No hook of any host runs tenter.
    ///
    /// Nothing is judged and nothing is recorded until a host is wired: `tenter init`.
    CHECK {
        id: "nothing-wired",
        summary: "no hook of any host runs tenter",
        severity: Severity::Error,
        fixable: false,
        look,
    }
}

fn look(exam: &Exam<'_>, out: &mut Findings) {
    if exam.guards().is_empty() {
        out.push(found("no hook of any host runs tenter"));
    }
}

/// The finding when other hosts are installed, but none of the selected ones.
pub(in crate::doctor) fn of_selection() -> Finding {
    found("no hook of what was asked about runs tenter")
}

fn found(message: &str) -> Finding {
    CHECK.found(message).means("nothing is judged and nothing is recorded").fix("tenter init")
}

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::doctor::testing::Scene;
    use tenter_model::HostId;

    #[test]
    fn one_wired_host_is_enough() {
        assert_eq!(Scene::new().found(&CHECK).len(), 1);
        for host in HostId::ALL {
            assert!(Scene::wired(host).found(&CHECK).is_empty(), "{host}");
        }
    }
}
