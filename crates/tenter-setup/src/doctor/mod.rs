//! The doctor: finds every known problem that keeps hooks from working, one check per file in `checks/`.
//!
//! The caller gathers the facts ([`Exam`]), the checks evaluate them, `mend` applies safe fixes. Diagnosing
//! changes nothing.

mod check;
mod checks;
mod exam;
mod finding;
mod lints;
mod machine;
mod page;
mod programs;
mod repair;
mod sessions;
#[cfg(test)]
mod testing;

pub use check::Check;
pub use checks::CHECKS;
pub use checks::program_in_passing::passing;
pub use exam::{BadImage, Exam, Facts, PolicyFault, Sign, Space, Unproved, Unseen};
pub use finding::{Finding, Place, Repair};
pub use machine::{space, user};
pub use page::{markdown, table_rows};
pub use programs::{Answer, ask, lifeless};
pub use repair::{Mended, mend};
pub use tenter_lint::Severity;

use tenter_hosts::install::Scope;
use tenter_model::HostId;

/// Result of all checks.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// Most severe first.
    pub findings: Vec<Finding>,
    pub guards: Vec<Guard>,
}

/// A host and scope with our hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    pub host: HostId,
    pub scope: Scope,
    /// Checks that found it not working; empty if it works.
    pub dead: Vec<&'static str>,
    /// Whether canaries were sent through it.
    pub tested: bool,
}

/// Selected hosts and scopes; an empty list means all.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    pub hosts: Vec<HostId>,
    pub scopes: Vec<Scope>,
}

impl Selection {
    fn has(&self, host: HostId, scope: Scope) -> bool {
        self.has_host(host) && (self.scopes.is_empty() || self.scopes.contains(&scope))
    }

    fn has_host(&self, host: HostId) -> bool {
        self.hosts.is_empty() || self.hosts.contains(&host)
    }

    fn wants(&self, finding: &Finding) -> bool {
        match (finding.host, finding.scope) {
            (None, _) => true,
            (Some(host), None) => self.has_host(host),
            (Some(host), Some(scope)) => {
                let mut others = finding.kills.iter().chain(&finding.concerns);
                self.has(host, scope) || others.any(|(host, scope)| self.has(*host, *scope))
            }
        }
    }
}

/// Runs all checks.
pub fn diagnose(exam: &Exam<'_>, selection: &Selection) -> Diagnosis {
    let mut found = finding::Findings::default();
    for check in CHECKS {
        (check.look)(exam, &mut found);
    }
    let mut findings = found.0;
    for finding in &mut findings {
        finding.fix = crate::command::printed(&finding.fix, &exam.facts.running, exam.places);
    }
    findings.retain(|finding| selection.wants(finding));
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let guards = exam.guards().into_iter().filter(|(host, scope)| selection.has(*host, *scope));
    let guards: Vec<Guard> = guards.map(|at| guard(at, &findings, exam)).collect();
    if guards.is_empty() && !exam.wired.is_empty() {
        findings.insert(0, checks::nothing_wired::of_selection());
    }
    Diagnosis { findings, guards }
}

fn guard(at: (HostId, Scope), findings: &[Finding], exam: &Exam<'_>) -> Guard {
    let mut dead = Vec::new();
    for finding in findings.iter().filter(|finding| finding.kills.contains(&at)) {
        if !dead.contains(&finding.check.id) {
            dead.push(finding.check.id);
        }
    }
    Guard { host: at.0, scope: at.1, dead, tested: !exam.facts.untested.contains(&at) }
}

impl Diagnosis {
    /// Whether something is installed, all of it works, and there are no findings.
    pub fn is_well(&self) -> bool {
        let live = self.guards.iter().all(|guard| guard.dead.is_empty());
        live && !self.guards.is_empty() && self.count(Severity::Error) == 0
    }

    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}
