//! What a rule is.

use tenter_engine::diagnostic::Severity;
use tenter_model::HostId;

use crate::finding::Findings;
use crate::model::FileModel;

/// One mistake that is looked for.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Kebab-case; names the mistake.
    pub id: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Of most of its findings; a finding may differ.
    pub severity: Severity,
    /// What it costs on every host; empty for a mistake that only the hosts know that name a cost of their own.
    pub cost: &'static str,
    /// Whether `--fix` mends at least some of its findings.
    pub fixable: bool,
    /// Markdown: what it is, why, a bad and a good example.
    pub docs: &'static str,
    pub(crate) check: Check,
}

/// How a rule looks: at one file, or at one among all.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Check {
    File(fn(&FileModel<'_>, &mut Findings<'_>)),
    Set(fn(&[FileModel<'_>], usize, &mut Findings<'_>)),
}

impl Rule {
    /// What the mistake costs on a host; empty where the host does not know this mistake.
    pub fn cost_on(&self, host: HostId) -> &'static str {
        tenter_hosts::host(host).lint().cost(self.id).unwrap_or(self.cost)
    }

    /// True when this mistake exists on that host.
    pub fn applies_to(&self, host: HostId) -> bool {
        !self.cost_on(host).is_empty()
    }
}

/// Declares a rule; its doc comment is what the rule's page prints.
macro_rules! rule {
    (
        $(#[doc = $doc:literal])+
        $name:ident { $($body:tt)* }
    ) => {
        $(#[doc = $doc])+
        pub(crate) const $name: $crate::rule::Rule = $crate::rule::Rule {
            docs: concat!($($doc, "\n"),+),
            $($body)*
        };
    };
}
pub(crate) use rule;
